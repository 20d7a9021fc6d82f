"""Resolve the letters of blanks by a lexicon, where exactly one letter fits."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator

from scoring import BLANK, COVERED, Board, Edition, Lexicon, Placement, as_blank
from vision.core import Square, empty_squares, lines_through

__all__ = ["resolve_blanks"]

_MAX_BLANKS_IN_A_WORD = 3
"""Each more multiplies the words to try by the alphabet's size; no bag has more than a few blanks (chosen)."""


def resolve_blanks(
    board: Board, edition: Edition, lexicon: Lexicon, uncertain: Collection[Square] = ()
) -> Board:
    """Give each blank its letter where the same single letter fits every word through it.

    A blank without a neighbour, in a word with a covered square, or in a word with another uncertain letter stays
    ``"?"``: a wrong letter would cost more than a missing one.

    Parameters
    ----------
    board : Board
        What was read; ``"?"`` where a blank's letter is not known.
    edition : Edition
        The letters that a blank may stand for.
    lexicon : Lexicon
        The valid words.
    uncertain : collection of (row, column)
        Squares whose letter is uncertain.
    """
    while True:
        resolved = list(_certain_blanks(board, edition, lexicon, frozenset(uncertain)))
        if not resolved:
            return board
        # A resolved blank may decide the next one, so the words are tried again until nothing changes.
        board = board.without(resolved).with_tiles(resolved)


def _certain_blanks(
    board: Board, edition: Edition, lexicon: Lexicon, uncertain: frozenset[Square]
) -> Iterator[Placement]:
    """Yield the blanks whose letter is certain now."""
    filled = ~empty_squares(board)
    for tile in board.tiles():
        if tile.token != BLANK:
            continue
        square = (tile.row, tile.column)
        fits = [
            _fitting_letters(board, word, square, edition, lexicon, uncertain)
            for word in lines_through(filled, square)
        ]
        if fits and all(len(letters) == 1 for letters in fits) and len({*itertools.chain(*fits)}) == 1:
            yield Placement(row=tile.row, column=tile.column, token=as_blank(fits[0][0]))


def _fitting_letters(
    board: Board,
    word: tuple[Square, ...],
    square: Square,
    edition: Edition,
    lexicon: Lexicon,
    uncertain: frozenset[Square],
) -> list[str]:
    """Return the letter of a blank in each valid word that fits.

    Parameters
    ----------
    board : Board
        What was read.
    word : tuple of (row, column)
        Squares of the word.
    square : (row, column)
        The blank's square in it.
    edition, lexicon, uncertain
        As for `resolve_blanks`.

    Returns
    -------
    list of str
        One entry a valid word; empty also where another square of the word is uncertain or covered.
    """
    tokens = [board[each] for each in word]
    blanks = [number for number, token in enumerate(tokens) if token == BLANK]
    others_uncertain = any(each in uncertain for each in word if board[each] != BLANK)
    if others_uncertain or COVERED in tokens or len(blanks) > _MAX_BLANKS_IN_A_WORD:
        return []
    asked = blanks.index(word.index(square))
    fits = []
    for letters in itertools.product(edition.tokens, repeat=len(blanks)):
        for number, letter in zip(blanks, letters, strict=True):
            tokens[number] = letter
        if lexicon.contains(tokens):
            fits.append(letters[asked])
    return fits
