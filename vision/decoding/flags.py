"""Reasons to check a decided square: one function for each `DoubtReason`."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import Edition, is_tile
from vision.core import (
    Doubt,
    DoubtReason,
    Floats,
    Mask,
    Square,
    SquareProbabilities,
    connected_groups,
    neighbours_of,
    squares_in,
)
from vision.decoding.scores import COVERED_STATE, EMPTY_STATE, FIRST_LETTER, known_columns

__all__ = ["SETTINGS", "Decision", "flag_squares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagSettings:
    """Probabilities from which a square is flagged.

    Parameters
    ----------
    min_confidence : float
        A square that was decided with less is uncertain: it is flagged, has alternatives, and a word may change it.
        Of 18 wrong squares on photos 982,000 to 982,005 of each of `tests.sets.photo_kinds`, 0.98 flags 13, and 90
        right ones; 0.95 flags 12 and 70, 0.99 flags 13 and 135.
    min_value : float
        A value that was read with less is not compared (chosen).
    min_alphabet : float
        A letter is flagged where all letters of the edition together have less: a value that touches an A makes it
        look like an Ą (chosen).
    min_no_value, min_no_value_ratio, valued_share, min_tiles : float
        Of at least `min_tiles` letters, one is flagged that shows no value with more than `min_no_value`, and with
        `min_no_value_ratio` times what the share `valued_share` of the letters stays below. Games on a screen, and
        people with a pen, put a letter on a blank. Chosen on photos 4,000 to 4,019 of each of
        `tests.sets.photo_kinds`: by this alone, 14 wrong letters and 51 right ones are flagged, with 0.015 and no ratio
        10 and 48; on 4,020 to 4,039 4 and 44, and 3 and 53.
    """

    min_confidence: float = 0.98
    min_value: float = 0.9
    min_alphabet: float = 0.25
    min_no_value: float = 0.01
    min_no_value_ratio: float = 4.0
    valued_share: float = 0.8
    min_tiles: int = 5


SETTINGS = FlagSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Decision:
    """What was decided, and by what.

    Parameters
    ----------
    reading : SquareProbabilities
        What was read.
    edition : Edition
        The edition.
    tokens : tuple of str
        The states of a square.
    states : (rows, columns) int
        The decided state of each square.
    confidence : (rows, columns) float64
        Its probability.
    """

    reading: SquareProbabilities
    edition: Edition
    tokens: tuple[str, ...]
    states: NDArray[np.intp]
    confidence: Floats

    @property
    def is_letter(self) -> Mask:
        """(rows, columns) the squares with a letter."""
        return np.asarray(self.states >= FIRST_LETTER)

    def tiles_of(self, group: Iterable[Square]) -> list[Square]:
        """Return the squares of a group that hold a tile."""
        return [square for square in group if self.states[square] not in (EMPTY_STATE, COVERED_STATE)]


def flag_squares(decision: Decision) -> tuple[Doubt, ...]:
    """Return the squares that should be checked, row by row; the reasons of a square in the order of `_RULES`."""
    doubts = [
        Doubt(row=row, column=column, reason=reason)
        for reason, rule in _RULES.items()
        for row, column in rule(decision)
    ]
    return tuple(sorted(doubts, key=lambda doubt: (doubt.row, doubt.column)))


def _uncertain(decision: Decision) -> Iterable[Square]:
    """Return the squares on which another token is likely too."""
    return squares_in(decision.confidence < SETTINGS.min_confidence)


def _of_other_alphabet(decision: Decision) -> Iterable[Square]:
    """Return the letters that look like a letter that the edition does not have."""
    columns = known_columns(decision.reading, decision.edition)
    known = decision.reading.letters[..., columns].sum(axis=-1)
    return squares_in(decision.is_letter & (known < SETTINGS.min_alphabet))


def _with_other_value(decision: Decision) -> Iterable[Square]:
    """Return the letters whose value was clearly read and belongs to another letter."""
    reading, values = decision.reading, decision.edition.values
    value, is_clear = reading.values.argmax(axis=-1), reading.values.max(axis=-1) >= SETTINGS.min_value
    for row, column in squares_in(decision.is_letter & is_clear):
        label = reading.value_labels[int(value[row, column])]
        if label is not None and label != values.get(decision.tokens[decision.states[row, column]]):
            yield row, column


def _without_value(decision: Decision) -> Iterable[Square]:
    """Return the letters that seem to show no value on a board whose other tiles clearly do."""
    reading, is_letter = decision.reading, decision.is_letter
    if None not in reading.value_labels or is_letter.sum() < SETTINGS.min_tiles:
        return ()
    no_value = reading.values[..., reading.value_labels.index(None)]
    usual = float(np.quantile(no_value[is_letter], SETTINGS.valued_share, method="inverted_cdf"))
    limit = max(SETTINGS.min_no_value, SETTINGS.min_no_value_ratio * usual)
    return squares_in(is_letter & (no_value > limit))


def _beyond_bag(decision: Decision) -> Iterable[Square]:
    """Return the least certain tiles of which there are more than the bag holds."""
    on_board = np.bincount(decision.states.ravel(), minlength=len(decision.tokens))
    for state, token in enumerate(decision.tokens):
        count = decision.edition.counts.get(token)
        if is_tile(token) and count is not None and on_board[state] > count:
            squares = squares_in(decision.states == state)
            yield from sorted(squares, key=lambda square: float(decision.confidence[square]))[
                : len(squares) - count
            ]


def _detached(decision: Decision) -> Iterable[Square]:
    """Return the tiles that are connected neither with the start nor, where that is empty, with the largest group."""
    return itertools.chain.from_iterable(map(decision.tiles_of, _split_groups(decision)[1]))


def _gaps(decision: Decision) -> Iterable[Square]:
    """Return the empty squares between groups of tiles: the tiles of a game are one group."""
    main, detached = _split_groups(decision)
    touched = Counter(square for group in (*main, *detached) for square in neighbours_of(group))
    return (square for square, groups in touched.items() if groups > 1)


def _empty_start(decision: Decision) -> Iterable[Square]:
    """Return the start squares of a game's board where all of them are empty: its first play covers one."""
    start = decision.edition.layout.start
    is_game = bool(_split_groups(decision)[0])
    return start if is_game and all(decision.states[square] == EMPTY_STATE for square in start) else ()


@functools.lru_cache(maxsize=1)  # three rules ask
def _split_groups(decision: Decision) -> tuple[list[frozenset[Square]], list[frozenset[Square]]]:
    """Return the groups of tiles on the start or, where that is empty, the largest one; and the others.

    Covered squares connect tiles, since tiles may lie under the cover. Where fewer than half of the tiles are in the
    main group, the board shows no game, and has no groups.
    """
    found = connected_groups(squares_in(decision.states != EMPTY_STATE))
    groups = [group for group in found if decision.tiles_of(group)]
    on_start = [group for group in groups if decision.edition.layout.start & group]
    main = on_start or sorted(groups, key=lambda group: len(decision.tiles_of(group)))[-1:]
    others = [group for group in groups if group not in main]
    in_main, elsewhere = (sum(len(decision.tiles_of(group)) for group in part) for part in (main, others))
    return (main, others) if in_main >= elsewhere else ([], [])


_RULES = {
    DoubtReason.UNSURE: _uncertain,
    DoubtReason.ALPHABET: _of_other_alphabet,
    DoubtReason.VALUE: _with_other_value,
    DoubtReason.NO_VALUE: _without_value,
    DoubtReason.BAG: _beyond_bag,
    DoubtReason.FLOATING: _detached,
    DoubtReason.GAP: _gaps,
    DoubtReason.START: _empty_start,
}
