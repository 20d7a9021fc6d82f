"""Tell blanks from letters by how clearly a tile's letter and value are read, compared with the other tiles.

A sticker, a dot, small print or a star on a blank resembles some letter, but is no letter of this set: it is read less
clearly than the others are, and mostly without a value where the others have one. On a blurred board, or in a set
without values, that holds for all tiles and proves nothing.

Such a sign often resembles a letter that lies on its side, as a line of small print resembles an I. Letters mostly
stand upright. On a board where they do not, this proves nothing either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.core import Floats, Mask, Occupancy, SquareProbabilities, median, softmax
from vision.decoding.scores import FIRST_LETTER, shift_to_blanks

__all__ = ["SETTINGS", "compare_tiles", "weigh_letter_turns", "weigh_tile_kinds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSettings:
    """Weights of the comparison with the other tiles, fitted, and its thresholds, chosen.

    Parameters
    ----------
    clarity_weight : float
        Of the difference of the log-odds of the most probable letter, in the log-odds of a blank. The weights are
        fitted by logistic regression on the tiles of 300 rendered boards of `tests.sets.hard_blanks`, typefaces of
        training.
    missing_value_weight : float
        Of the logarithm of the ratio of the probabilities that no value is printed.
    bias : float
        Log-odds of a blank that are added for a tile that is read like the others.
    min_reference : float
        Probability of a letter from which a tile is compared with.
    min_references : int
        Number of such tiles that is needed.
    max_log_odds : float
        Log-odds at most that are added: one square's own evidence overrules them. Without a limit, the log-loss of 969
        boards is 1,934 in place of 1,925, and one more letter is taken for a blank.
    floor : float
        Added to probabilities of missing values, and of directions, before their ratio is taken.
    letter_turns : tuple of float
        Letters that are upright, on one side, upside down and on the other side, that are counted before any is seen.
    sign_turns : tuple of float
        Share of the signs on blanks that resemble a letter in each of these directions. Chosen, like `letter_turns`,
        with 500 rendered boards of `tests.sets.hard_blanks` and `club_boards`, seeds from 100 and 5000: 14 in place of
        24 of 160 blanks with signs are wrong, and three more thin letters of 40 boards.
    """

    clarity_weight: float = -0.36
    missing_value_weight: float = 0.42
    bias: float = -1.21
    min_reference: float = 0.9
    min_references: int = 5
    max_log_odds: float = 2.0
    floor: float = 0.01
    letter_turns: tuple[float, float, float, float] = (8.0, 0.2, 0.2, 0.2)
    sign_turns: tuple[float, float, float, float] = (0.1, 0.4, 0.1, 0.4)


SETTINGS = KindSettings()

_FLOOR = 1e-4
"""Added to the probability of all other letters."""

_ROUNDS = 6
"""Rounds in which the shares of directions are estimated; ten times as many change the log-odds by 0.1 at most."""


def weigh_tile_kinds(weights: Floats, reading: SquareProbabilities) -> Floats:
    """Return the log-weights of states after the comparison; that there is a tile stays as probable as it was.

    A tile that is read as clearly as the others may still be a blank with a letter in pen: that proves nothing.

    Parameters
    ----------
    weights : (rows, columns, states) float64
        Log-weights of the states of each square.
    reading : SquareProbabilities
        What was read.
    """
    comparisons = compare_tiles(weights, reading)
    if comparisons is None:
        return weights
    log_odds = (
        comparisons @ np.array((SETTINGS.clarity_weight, SETTINGS.missing_value_weight)) + SETTINGS.bias
    )
    return shift_to_blanks(weights, log_odds.clip(0, SETTINGS.max_log_odds))


def weigh_letter_turns(weights: Floats, reading: SquareProbabilities) -> Floats:
    """Return the log-weights of states, with blanks more probable where a letter lies on its side unlike the others.

    The shares of the directions are estimated from the board's certain letters by expectation maximisation.

    Parameters
    ----------
    weights : (rows, columns, states) float64
        Log-weights of the states of each square.
    reading : SquareProbabilities
        What was read.
    """
    turns = reading.turns.astype(np.float64) + SETTINGS.floor
    certain = turns[_certain_letters(reading)]
    prior = np.array(SETTINGS.letter_turns)
    shares = prior / prior.sum()
    for _ in range(_ROUNDS):
        members = certain * shares
        counts = prior + (members / members.sum(axis=-1, keepdims=True)).sum(axis=0)
        shares = counts / counts.sum()
    log_odds = np.log((turns @ np.array(SETTINGS.sign_turns)) / (turns @ shares))
    return shift_to_blanks(weights, log_odds.clip(min=0))


def compare_tiles(weights: Floats, reading: SquareProbabilities) -> Floats | None:
    """Compare how clearly tiles are read with the certain letters of the board.

    Parameters
    ----------
    weights : (rows, columns, states) float64
        Log-weights of the states of each square.
    reading : SquareProbabilities
        What was read.

    Returns
    -------
    (rows, columns, 2) float64, or None
        Differences of the log-odds of the most probable letter, and of the logarithms of the probability that no value
        is printed; None where there are too few certain letters.
    """
    is_reference = _certain_letters(reading)
    if is_reference.sum() < SETTINGS.min_references:
        return None
    letters = weights[..., FIRST_LETTER:]
    best = softmax(letters).max(axis=-1)
    clarity = np.log(best / (1 - best + _FLOOR))
    clarity = clarity - median(clarity[is_reference])
    missing = np.zeros_like(clarity)
    if None in reading.value_labels:
        missing = np.log(reading.values[..., reading.value_labels.index(None)] + SETTINGS.floor)
        missing = missing - median(missing[is_reference])
    return np.stack([clarity, missing], axis=-1)


def _certain_letters(reading: SquareProbabilities) -> Mask:
    """(rows, columns) squares that certainly hold a letter."""
    return np.asarray(reading.occupancy[..., Occupancy.TILE] > SETTINGS.min_reference)
