"""Names blanks by a word list, where it leaves no choice: boards in, boards out."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator

from scoring import BLANK, COVERED, EMPTY, Board, Edition, Lexicon, Placement, as_blank

__all__ = ["resolve_blanks"]

Square = tuple[int, int]
Word = tuple[Square, ...]

MAX_BLANKS_IN_A_WORD = 3
"""Each more multiplies the words to try by the alphabet's size; no bag has more than a few blanks."""


def resolve_blanks(
    board: Board, edition: Edition, lexicon: Lexicon, unsure: Collection[Square] = ()
) -> Board:
    """The board, with each blank given its letter where exactly one word fits in each word through it.

    A blank beside no other tile, beside a covered square, or in a word with another letter in doubt stays
    ``"?"``: a wrong letter would cost more than a missing one.

    Parameters
    ----------
    board : Board
        What was read; ``"?"`` where a blank's letter is not known.
    edition : Edition
        Which letters a blank may stand for.
    lexicon : Lexicon
        The words that count.
    unsure : collection of (row, column)
        Squares whose letter is in doubt.
    """
    while True:
        named = list(_namings(board, edition, lexicon, frozenset(unsure)))
        if not named:
            return board
        # A name may decide the next one, so the words are tried again until nothing is new.
        board = board.without(named).with_tiles(named)


def _namings(
    board: Board, edition: Edition, lexicon: Lexicon, unsure: frozenset[Square]
) -> Iterator[Placement]:
    """The blanks whose letter is certain now."""
    for tile in board.tiles():
        if tile.token != BLANK:
            continue
        square = (tile.row, tile.column)
        words = [word for word in _words_through(board, square) if len(word) > 1]
        fits = [_fitting(board, word, square, edition, lexicon, unsure) for word in words]
        if fits and all(len(letters) == 1 for letters in fits) and len({*itertools.chain(*fits)}) == 1:
            yield Placement(row=tile.row, column=tile.column, token=as_blank(fits[0][0]))


def _words_through(board: Board, square: Square) -> Iterator[Word]:
    """The squares of the words across and down through a square."""
    rows, columns = board.size
    for step_row, step_column in ((0, 1), (1, 0)):
        row, column = square
        while (
            row >= step_row and column >= step_column and board[row - step_row, column - step_column] != EMPTY
        ):
            row, column = row - step_row, column - step_column
        word = []
        while row < rows and column < columns and board[row, column] != EMPTY:
            word.append((row, column))
            row, column = row + step_row, column + step_column
        yield tuple(word)


def _fitting(
    board: Board,
    word: Word,
    square: Square,
    edition: Edition,
    lexicon: Lexicon,
    unsure: frozenset[Square],
) -> list[str]:
    """The letter of `square` in each word of the lexicon that fits, one entry a word; none where it cannot be told."""
    tokens = [board[place] for place in word]
    blanks = [number for number, token in enumerate(tokens) if token == BLANK]
    others_unsure = any(place in unsure for place in word if board[place] != BLANK)
    if others_unsure or COVERED in tokens or len(blanks) > MAX_BLANKS_IN_A_WORD:
        return []
    asked = blanks.index(word.index(square))
    fits = []
    for letters in itertools.product(edition.tokens, repeat=len(blanks)):
        for number, letter in zip(blanks, letters, strict=True):
            tokens[number] = letter
        if lexicon.contains(tokens):
            fits.append(letters[asked])
    return fits
