"""What all photos of a game say together of each square: when its tile was laid, and which one it is.

A tile stands in every photo from the one after its play on, so that one that is misread, overlooked or imagined in
some of them is seen in the others. A square's history is a row of intervals, empty or with one tile; its likelihood
is the product of what the photos say. Which histories go together is for the rules to say, see `turns`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from scoring.layout import Layout, Premium
from scoring.tiles import BLANK, COVERED, EMPTY
from vision.decode import square_probabilities
from vision.readings import BoardReading

__all__ = [
    "BLANK_STATE",
    "CORRECTED",
    "EMPTY_STATE",
    "Histories",
    "Tile",
    "likelihoods",
    "states_of",
    "with_faint_blanks",
    "without_misleading_blanks",
]

# Natural logarithms of odds or probabilities, chosen and not fitted.
MISLED = 1e-3
"""How often a photo says nothing whatever of a square: a hand, a reflex, a picture that was cut."""
FAINTEST = 1e-4
"""Of a letter that is less likely than this no photo says how unlikely it is."""
SURE = 3.0
"""A letter that is so much likelier than a blank or nothing is said to be seen."""
TAKEN_UP = 2.0
"""For each tile that was taken up again."""
NO_WITNESS = -0.2
"""For a blank on a square of which many look like blanks where none can lie."""
FLOATING_KINDS = 2
"""So many squares of one kind must have looked like blanks that lay apart."""
APART = 2.0
"""A blank is so much likelier than on the squares of its kind that are bare."""
MOST_RAISED = 3.5
"""Blanks are made so much likelier at most where they are nearly of the board's colour."""
CORRECTED = -1e6
"""What people say of a square is certain, however many photos show something else."""
EMPTY_STATE, BLANK_STATE = 0, 1

Tile = tuple[int, int, int]
"""A tile that lay there: its square, the look at which it was laid, and the look before which it was gone."""


def states_of(edition: Edition) -> tuple[str, ...]:
    """What a square may hold: nothing, a blank, or one of the letters."""
    return (EMPTY, BLANK, *edition.tokens)


def likelihoods(reading: BoardReading, edition: Edition) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What one photo says of each square.

    Returns
    -------
    states : (rows, columns, states) float64
        The logarithm of how likely each state is. What covers a square says nothing of what lies there.
    letters : (rows, columns, letters) float64
        The logarithm of how likely each letter is if a tile with one lies there.

    Raises
    ------
    SettingsError
        If the reader does not know a letter of the edition.
    """
    tokens, probabilities = square_probabilities(reading, edition)
    covered = probabilities[..., tokens.index(COVERED), None]
    columns = [tokens.index(state) for state in states_of(edition)]
    letters = probabilities[..., columns[BLANK_STATE + 1 :]]
    shares = letters / letters.sum(axis=-1, keepdims=True)
    return np.log(probabilities[..., columns] + covered + MISLED), np.log(shares + FAINTEST)


class Histories:
    """The likelihoods of all histories of all squares.

    Parameters
    ----------
    looks : (looks, squares, states) float64
        The logarithm of how likely each state is, look by look.
    letters : (looks, squares, letters) float64
        The logarithm of how likely each letter is if a tile with one lies there, summed over the photos of a look.
    photos : sequence of int
        How many photos each look is the sum of.
    """

    def __init__(
        self, looks: NDArray[np.float64], letters: NDArray[np.float64], photos: Sequence[int]
    ) -> None:
        self.looks, self.squares, _ = looks.shape
        self._letters = letters
        self._photos = np.concatenate([[0], np.cumsum(photos)])
        self.empty = looks[..., EMPTY_STATE]
        zero = np.zeros((1, *looks.shape[1:]))
        self._sums = np.concatenate([zero, np.cumsum(looks, axis=0)])
        # rest[a]: the best that can be said of the looks from a on, where the square is empty before;
        # lying[a][b]: the same where a tile was laid at look a and lies at least until look b.
        self.rest = np.zeros((self.looks + 1, self.squares))
        self._ended: list[NDArray[np.float64]] = [np.zeros((0, self.squares))] * self.looks
        self._lying: list[NDArray[np.float64]] = [np.zeros((0, self.squares))] * self.looks
        for start in range(self.looks - 1, -1, -1):
            tile = (self._sums[start + 1 :, :, BLANK_STATE:] - self._sums[start, :, BLANK_STATE:]).max(
                axis=-1
            )
            ended = tile + self.rest[start + 1 :]
            ended[:-1] -= TAKEN_UP
            self._ended[start] = ended
            self._lying[start] = np.maximum.accumulate(ended[::-1], axis=0)[::-1]
            self.rest[start] = np.maximum(self.empty[start] + self.rest[start + 1], self._lying[start][0])

    def stays_empty(self, look: int) -> NDArray[np.float64]:
        """What is lost for each square if nothing is laid on it at this look, (squares,)."""
        return np.asarray(self.rest[look] - self.empty[look] - self.rest[look + 1])

    def is_laid(self, look: int) -> NDArray[np.float64]:
        """What is lost for each square if a tile is laid on it at this look, (squares,)."""
        return np.asarray(self.rest[look] - self._lying[look][0])

    def stays(self, laid: NDArray[np.intp], look: int) -> NDArray[np.float64]:
        """What is lost for each square if its tile, laid at an earlier look, lies at this one, too.

        Parameters
        ----------
        laid : (squares,) int
            The look at which each was laid; squares with another number than an earlier look's lose nothing.
        """
        lost = np.zeros(self.squares)
        for start in np.unique(laid[(laid >= 0) & (laid < look)]).tolist():
            at = laid == start
            lost[at] = self._lying[start][look - start - 1, at] - self._lying[start][look - start, at]
        return lost

    def is_taken_up(self, square: int, laid: int, look: int) -> float:
        """What is lost for a square if its tile, laid at an earlier look, is gone at this one."""
        before = look - laid - 1
        return float(self._lying[laid][before, square] - self._ended[laid][before, square])

    def laid_at(self, tile: Tile) -> NDArray[np.float64]:
        """How probable it is that a tile was laid at each look, by the photos of its own square alone, (looks,)."""
        square, _, end = tile
        before = self._sums[:end, square, EMPTY_STATE]
        after = (self._sums[end, square, BLANK_STATE:] - self._sums[:end, square, BLANK_STATE:]).max(axis=-1)
        weights = np.full(self.looks, -np.inf)
        weights[:end] = before + after
        return np.asarray(np.exp(weights - np.logaddexp.reduce(weights)))

    def tile(self, tile: Tile) -> NDArray[np.float64]:
        """The logarithm of how likely each kind of tile is, (states - 1,)."""
        square, laid, end = tile
        return np.asarray(self._sums[end, square, BLANK_STATE:] - self._sums[laid, square, BLANK_STATE:])

    def letters_at(self, look: int) -> list[int]:
        """The squares on which this look by itself surely shows a letter."""
        states = self._sums[look + 1] - self._sums[look]
        others = states[:, : BLANK_STATE + 1].max(axis=1)
        return [int(at) for at in np.flatnonzero(states[:, BLANK_STATE + 1 :].max(axis=1) > others + SURE)]

    def letters(self, tile: Tile) -> NDArray[np.float64]:
        """The logarithm of how likely each letter is on the average of the photos, (letters,)."""
        square, laid, end = tile
        return np.asarray(self._letters[laid:end, square].sum(axis=0) / self.photos(tile))

    def photos(self, tile: Tile) -> int:
        """How many photos show it."""
        _, laid, end = tile
        return int(self._photos[end] - self._photos[laid])


def without_misleading_blanks(looks: NDArray[np.float64], layout: Layout) -> NDArray[np.float64]:
    """The likelihoods without those of blanks on premium squares that look like blanks by themselves.

    A bare square of one colour may be taken for a blank in photo after photo, which are no witnesses that do not know
    of one another. That it is so is seen where several of that kind look like blanks apart from all other tiles, where
    none can lie.

    Parameters
    ----------
    looks : (looks, rows, columns, states) float64
        The logarithm of how likely each state is, look by look.
    layout : Layout
        The board.
    """
    apart: dict[Premium, set[tuple[int, int]]] = {}
    best = looks.argmax(axis=-1)
    for states in best:
        filled = states != EMPTY_STATE
        for row, column in np.argwhere(states == BLANK_STATE).tolist():
            if not touches(filled, row, column) and (row, column) not in layout.start:
                apart.setdefault(layout[row, column], set()).add((row, column))
    misleading = {kind for kind, squares in apart.items() if len(squares) >= FLOATING_KINDS}
    if not misleading:
        return looks
    at = np.array(
        [
            [layout[row, column] in misleading for column in range(layout.columns)]
            for row in range(layout.rows)
        ]
    )
    seen = at & (looks.min(axis=-1) > CORRECTED / 2)  # what people say is no look
    mended = looks.copy()
    mended[seen, BLANK_STATE] = np.minimum(mended[seen, BLANK_STATE], mended[seen, EMPTY_STATE] + NO_WITNESS)
    return mended


def with_faint_blanks(
    looks: NDArray[np.float64], photos: Sequence[int], layout: Layout, blanks: int
) -> NDArray[np.float64]:
    """The likelihoods with those of blanks raised on squares that stand out from the bare ones of their kind.

    A blank of nearly the board's colour is doubted in photo after photo, which are no witnesses that do not know of
    one another. But where squares are surely bare when they are bare, one that is only nearly so, and again and again,
    is not: its doubts are measured by the bare squares and not by those of other sets.

    Parameters
    ----------
    looks : (looks, rows, columns, states) float64
        The logarithm of how likely each state is, look by look.
    photos : sequence of int
        How many photos each look is the sum of.
    layout : Layout
        The board.
    blanks : int
        How many blanks there are: what more squares than these look like is no blank.
    """
    number = np.array(photos)[:, None, None]
    lead = (looks[..., BLANK_STATE] - looks[..., EMPTY_STATE]) / number
    letters = (looks[..., BLANK_STATE + 1 :].max(axis=-1) > looks[..., EMPTY_STATE]).any(axis=0)
    said = (looks.min(axis=-1) < CORRECTED / 2).any(axis=0)
    kinds: dict[Premium, list[tuple[int, int]]] = {}
    for row, column in np.argwhere(~letters & ~said).tolist():
        kinds.setdefault(layout[row, column], []).append((row, column))
    mended = looks.copy()
    for squares in kinds.values():
        squares.sort(key=lambda square: -float(lead[:, *square].max()))
        if len(squares) <= blanks:
            continue
        bare = float(lead[:, *squares[blanks]].max())
        for square in squares[:blanks]:
            shows = lead[:, *square] > bare + APART
            if number[shows].sum() > 1:
                middle = (float(np.median(lead[shows, *square])) + bare) / 2
                mended[:, *square, BLANK_STATE] += float(np.clip(-middle, 0, MOST_RAISED)) * number.ravel()
    return mended


def touches(filled: NDArray[np.bool_], row: int, column: int) -> bool:
    """Whether a tile lies beside the square."""
    near = (
        filled[max(0, row - 1) : row + 2, column].sum() + filled[row, max(0, column - 1) : column + 2].sum()
    )
    return bool(near > 2 * filled[row, column])
