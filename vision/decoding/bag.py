"""What the bag says of a board: how frequent letters are, how many of each there can be, and what clear blanks mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring import Edition, is_tile
from vision.core import Floats, Square, squares_in
from vision.decoding.scores import BLANK_STATE, FIRST_LETTER, Scores, with_same_total

__all__ = ["SETTINGS", "bag_capacity", "enforce_bag", "letter_frequencies"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BagSettings:
    """Weights are natural logarithms of odds.

    Parameters
    ----------
    bag_penalty : float
        Against each tile more than the bag holds. Of 900 boards of `tests.sets.club_boards` with squares of 20 px, 751
        are read without an error with this penalty, and 746 with 3.5; of 300 with squares of 40 px, 292 with both.
    blank_bag_penalty : float
        Against each blank more than the bag holds: in worn sets a blank with a letter in pen stands for a lost tile.
        Of 552 rendered and labelled boards, 153 squares are wrong with it, 156 without, and 167 with 6.0.
    """

    bag_penalty: float = 6.0
    blank_bag_penalty: float = 1.0


SETTINGS = BagSettings()


def letter_frequencies(edition: Edition) -> Floats:
    """Return the number (letters,) of each letter in the bag; 1 where it is unknown or 0."""
    return np.array([edition.counts.get(token) or 1 for token in edition.tokens], np.float64)


def bag_capacity(scores: Scores, edition: Edition) -> dict[int, int]:
    """Return the number of tiles in the bag by state; empty for a board with more, whose tiles are of another bag.

    Parameters
    ----------
    scores : Scores
        The scores of each square.
    edition : Edition
        The bag.
    """
    capacity = {
        state: edition.counts.get(token) for state, token in enumerate(scores.tokens) if is_tile(token)
    }
    known = {state: count for state, count in capacity.items() if count is not None}
    is_from_bag = (scores.best() >= FIRST_LETTER).sum() <= sum(known.values())
    return known if is_from_bag or len(known) < len(capacity) else {}


def enforce_bag(scores: Scores, edition: Edition) -> Floats:
    """Make the least certain tiles beyond the bag's count less probable, round by round until none is new.

    Parameters
    ----------
    scores : Scores
        The scores of each square.
    edition : Edition
        The bag.

    Returns
    -------
    (rows, columns, states) float64
        The log-weights after that.
    """
    known = bag_capacity(scores, edition)
    weights = scores.weights.copy()
    penalized: set[tuple[Square, int]] = set()
    # each round may move a tile to a letter that is used up too
    while excess := [tile for tile in _excess_tiles(weights, known) if tile not in penalized]:
        penalized.update(excess)
        for square, state in excess:
            weights[square] = _penalize_state(weights[square], state)
    return weights


def _excess_tiles(weights: Floats, capacity: Mapping[int, int]) -> list[tuple[Square, int]]:
    """Return the squares, with their best states, that are the least certain beyond the capacity of a state."""
    best = weights.argmax(axis=-1)
    on_board = np.bincount(best.ravel(), minlength=weights.shape[-1])
    if not any(on_board[state] > count for state, count in capacity.items()):
        return []
    # a letter may only become another tile, since a tile was seen there
    tile_weights = weights[..., [BLANK_STATE, *range(FIRST_LETTER, weights.shape[-1])]]
    lead = np.where(best >= FIRST_LETTER, _lead(tile_weights), _lead(weights))
    excess = []
    for state, count in capacity.items():
        if on_board[state] > count:
            squares = sorted(squares_in(best == state), key=lambda square: float(lead[square]))
            excess += [(square, state) for square in squares[: len(squares) - count]]
    return excess


def _lead(weights: Floats) -> Floats:
    """Return the difference between the best and the second best state."""
    two = np.partition(weights, -2, axis=-1)[..., -2:]
    return np.asarray(two[..., 1] - two[..., 0])


def _penalize_state(weights: Floats, state: int) -> Floats:
    """Return the weights (states,) of a square whose state is one too many for the bag.

    It means that the tile is another letter or a blank, and not that there is no tile: the probability of any tile
    stays the same.
    """
    result = weights.copy()
    result[state] -= SETTINGS.blank_bag_penalty if state == BLANK_STATE else SETTINGS.bag_penalty
    return with_same_total(result, weights, np.r_[BLANK_STATE, FIRST_LETTER : len(weights)])
