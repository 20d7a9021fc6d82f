"""Log-weights of the states of every square: the evidence of the picture alone.

The states of a square are empty, blank, covered, and the letters of the edition in the order of its tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, COVERED, EMPTY, Edition
from vision.core import Floats, Occupancy, SquareProbabilities
from vision.decoding.diacritics import map_to_edition
from vision.errors import SettingsError

__all__ = [
    "BLANK_STATE",
    "COVERED_STATE",
    "EMPTY_STATE",
    "FIRST_LETTER",
    "Scores",
    "known_columns",
    "score_squares",
    "token_probabilities",
]

EMPTY_STATE, BLANK_STATE, COVERED_STATE = range(3)
FIRST_LETTER = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSettings:
    """How far readings are believed; both chosen.

    Parameters
    ----------
    value_slip : float
        Probability that a printed value is misread or belongs to another edition: it never excludes a letter.
    floor : float
        Probability of every state, at least.
    """

    value_slip: float = 0.02
    floor: float = 1e-6


SETTINGS = ScoreSettings()


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The log-weight of every state of every square.

    Parameters
    ----------
    tokens : tuple of str
        The states: ``"."``, ``"?"``, ``"#"``, and the edition's letters.
    weights : (rows, columns, states) float64
        Natural logarithms of unnormalised probabilities.
    """

    tokens: tuple[str, ...]
    weights: Floats

    def probabilities(self) -> Floats:
        """Return the probability (rows, columns, states) of each state."""
        exponents = np.exp(self.weights - self.weights.max(axis=-1, keepdims=True))
        result: Floats = exponents / exponents.sum(axis=-1, keepdims=True)
        return result

    def best(self) -> NDArray[np.intp]:
        """Return the most probable state (rows, columns) of each square."""
        return np.asarray(self.weights.argmax(axis=-1))


def score_squares(reading: SquareProbabilities, edition: Edition) -> Scores:
    """Score each square by its picture alone.

    Parameters
    ----------
    reading : SquareProbabilities
        What was read.
    edition : Edition
        The letters, and the values printed on them.

    Raises
    ------
    SettingsError
        If the reader does not know a letter of the edition.
    """
    known_columns(reading, edition)  # a letter that the reader does not know is an error, not an unlikely one
    letters = map_to_edition(reading.letters, reading.tokens, edition.tokens)
    joint = letters * _value_agreement(reading, edition) + SETTINGS.floor
    joint /= joint.sum(axis=-1, keepdims=True)
    occupancy = reading.occupancy.astype(np.float64) + SETTINGS.floor
    non_letters = occupancy[..., [Occupancy.EMPTY, Occupancy.BLANK, Occupancy.COVERED]]
    tiles = occupancy[..., Occupancy.TILE, None] * joint
    weights = np.log(np.concatenate([non_letters, tiles], axis=-1))
    return Scores(tokens=(EMPTY, BLANK, COVERED, *edition.tokens), weights=np.asarray(weights))


def token_probabilities(reading: SquareProbabilities, edition: Edition) -> tuple[tuple[str, ...], Floats]:
    """Return the probability of each token on each square by itself, for tiles that are on no board.

    Parameters
    ----------
    reading : SquareProbabilities
        What was read.
    edition : Edition
        The letters, and the values printed on them.

    Returns
    -------
    tokens : tuple of str
        ``"."``, ``"?"``, ``"#"``, and the edition's letters.
    probabilities : (rows, columns, len(tokens)) float64
        The probability of each of them.

    Raises
    ------
    SettingsError
        If the reader does not know a letter of the edition.
    """
    scores = score_squares(reading, edition)
    return scores.tokens, scores.probabilities()


def known_columns(reading: SquareProbabilities, edition: Edition) -> list[int]:
    """Return the columns of the edition's letters in the reading; raise `SettingsError` if one is missing."""
    index = {token: column for column, token in enumerate(reading.tokens)}
    unknown = [token for token in edition.tokens if token not in index]
    if unknown:
        raise SettingsError(
            f"edition {edition.name}: the {reading.reader} reader does not know its letters "
            f"{' '.join(unknown)}; read with --reader tesseract, or train a network that knows them"
        )
    return [index[token] for token in edition.tokens]


def _value_agreement(reading: SquareProbabilities, edition: Edition) -> Floats:
    """Return how well the printed value suits each letter (rows, columns, letters); no value suits them all."""
    values = reading.values.astype(np.float64)
    column = {label: number for number, label in enumerate(reading.value_labels)}
    none = values[..., column[None]] if None in column else np.zeros(values.shape[:2])
    # A value that the reader cannot know is no evidence against the letter: it has a column of its own.
    any_value = int(values.shape[-1])
    extended = np.concatenate([values, (1 - none)[..., None]], axis=-1)
    worth = [edition.values.get(token) for token in edition.tokens]
    columns = [any_value if value is None else column.get(value, any_value) for value in worth]
    agreement = np.take(extended, columns, axis=-1) + none[..., None]
    return np.asarray(agreement * (1 - SETTINGS.value_slip) + SETTINGS.value_slip)
