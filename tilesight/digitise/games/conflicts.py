"""Squares on which a photo by itself says something else than its game: a person is led to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring import COVERED, EMPTY, Board, is_blank

__all__ = ["Square", "disagreement", "with_disagreement"]

Square = tuple[int, int]


def disagreement(record: Mapping[str, Any], board: Board) -> dict[Square, str]:
    """What the game has on squares where the photo has something else; people's corrections are not questioned.

    Parameters
    ----------
    record : mapping
        The photo's JSON object, with a board.
    board : Board
        What all photos of the game say of that position.
    """
    if (len(record["rows"]), len(record["rows"][0])) != (len(board.rows), len(board.rows[0])):
        return {}  # it was read as another board
    said = {tuple(each["square"]) for each in record.get("corrected", ())}
    return {
        (row, column): board[row, column]
        for row, tokens in enumerate(record["rows"])
        for column, token in enumerate(tokens)
        if token not in (board[row, column], COVERED)
        and not (is_blank(token) and is_blank(board[row, column]))
        and (row, column) not in said
    }


def with_disagreement(record: Mapping[str, Any], others: Mapping[Square, str]) -> dict[str, Any]:
    """The photo's JSON object with a doubt on each of these squares; its tokens stay what the photo shows by itself."""
    reasons = {tuple(each["square"]): each["reason"] for each in record["doubts"]}
    doubt = record["doubt"]
    for square, token in others.items():
        shown = "nothing" if token == EMPTY else "a blank" if is_blank(token) else token
        reason = f"the game's other photos show {shown}"
        reasons[square] = f"{reasons[square]}; {reason}" if square in reasons else reason
        doubt += record["confidence"][square[0]][square[1]]  # it is expected to be wrong
    doubts = [{"square": list(square), "reason": reason} for square, reason in sorted(reasons.items())]
    return {**record, "doubts": doubts, "doubt": round(doubt, 3)}
