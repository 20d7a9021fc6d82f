"""A corrected board as texts that other programs read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring import (
    Board,
    CgpPosition,
    Edition,
    GcgHeader,
    ScoringError,
    check_size,
    format_board,
    format_cgp,
    format_gcg,
)
from tilesight.web.photo.made_up_game import make_up_game

__all__ = ["BoardTexts", "format_texts"]

DESCRIPTION = "A position from a photo. The order of play and the players are made up."


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardTexts:
    """A board as texts.

    Parameters
    ----------
    cgp, gcg, text : str
        The position in CGP, a game in GCG that leads to it, and lines with a letter a square. `gcg` is empty if the
        rules allow no such game.
    gcg_message : str
        Why there is none.
    """

    cgp: str
    gcg: str
    text: str
    gcg_message: str = ""


def format_texts(rows: Sequence[Sequence[str]], edition: Edition) -> BoardTexts:
    """Format a board.

    Parameters
    ----------
    rows : sequence of sequence of str
        The token of each square.
    edition : Edition
        Its edition.

    Raises
    ------
    ScoringError
        If the board does not have the edition's size, or a token is none of its.
    """
    board = Board.from_rows(rows)
    check_size(board, edition)
    gcg = message = ""
    try:
        gcg = format_gcg(make_up_game(board, edition), GcgHeader(description=DESCRIPTION))
    except ScoringError as error:
        message = str(error)
    return BoardTexts(
        cgp=format_cgp(CgpPosition.of_board(board, edition), edition.tokens),
        gcg=gcg,
        text=format_board(board, edition.tokens),
        gcg_message=message,
    )
