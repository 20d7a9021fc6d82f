"""Boards as they lie after each play of a game in English."""

from __future__ import annotations

from scoring import Board, load_edition, parse_play

__all__ = ["boards_after"]

ENGLISH = load_edition("english")


def boards_after(*plays: str) -> list[Board]:
    """The board after each of these plays, as `parse_play` reads them."""
    board, boards = Board.empty(ENGLISH.layout), []
    for text in plays:
        board = board.with_tiles(parse_play(text, ENGLISH.tokens, board))
        boards.append(board)
    return boards
