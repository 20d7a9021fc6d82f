"""A board of a digitised photo as JSON, with all that is needed to find, check and correct it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring import Board, CgpPosition, Edition, ScoredPlay, format_cgp, format_tokens
from tilesight.output import photo_record, unvalued_squares
from vision.decoding import EditionGuess
from vision.pipeline import BoardObservation

__all__ = ["board_record", "board_text", "play_record"]

SHOWN_FROM = 0.001
"""Editions less probable than this are not named."""


def board_record(found: BoardObservation, guesses: Sequence[EditionGuess], *, named: bool) -> dict[str, Any]:
    """The JSON object of a board.

    Parameters
    ----------
    found : BoardObservation
        What was read.
    guesses : sequence of EditionGuess
        The editions that it may be, the one by which it was read first.
    named : bool
        Whether somebody said which edition it is.
    """
    best = guesses[0]
    decoded, edition = found.decoded, best.edition
    shown = {
        guess.edition.name: round(guess.probability, 4)
        for guess in guesses
        if guess.probability >= SHOWN_FROM
    }
    return photo_record("", found, edition) | {
        "edition_probability": None if named else round(best.probability, 4),
        "editions": None if named else shown,
        "tiles": sum(1 for _ in decoded.board.tiles()),
        # how many squares are expected to be wrong: the sum of what each lacks of certainty
        "doubt": round(float((1 - decoded.confidence).sum()), 3),
        "alternatives": [
            {"square": [row, column], "tokens": {c.token: round(c.probability, 4) for c in candidates}}
            for (row, column), candidates in sorted(decoded.alternatives.items())
        ],
        "cgp": format_cgp(CgpPosition.of_board(decoded.board, edition), edition.tokens),
        "text": board_text(decoded.board),
    }


def board_text(board: Board) -> str:
    """The board as lines of text, tokens parted by spaces where one has two letters."""
    wide = any(len(token) > 1 for row in board.rows for token in row)
    return "\n".join((" " if wide else "").join(row) for row in board.rows)


def play_record(scored: ScoredPlay, player: str, edition: Edition) -> dict[str, Any]:
    """A play's fields: who, where, which tiles, how many points."""
    return {
        "player": player,
        "position": scored.position,
        "word": format_tokens(scored.main_word.tokens, edition.tokens),
        "words": [format_tokens(word.tokens, edition.tokens) for word in scored.words],
        "placed": [[tile.row, tile.column, tile.token] for tile in scored.play],
        "score": scored.total,
        "incomplete": unvalued_squares(scored),
    }
