"""Log-weights of the states of every square: the evidence of the picture alone.

The states of a square are empty, blank, covered, and the letters of the edition in the order of its tokens. Letters and
values have equal priors here, whatever the reader was trained on: how frequent they are follows from the bag.

Diacritics that an edition lacks leave their probability to the letters that they are confused with. A reader that knows
many languages takes the Á of a blurred picture for an Å or Ä. Where the edition has neither, the letter still has a
diacritic above, and is not an A. A diacritic below is rather a value that touches the letter: an Ą on a Danish board is
an A.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, COVERED, EMPTY, Edition
from vision.core import Floats, Occupancy, SquareProbabilities, log_sum, softmax
from vision.errors import SettingsError

__all__ = [
    "BLANK_STATE",
    "COVERED_STATE",
    "EMPTY_STATE",
    "FIRST_LETTER",
    "Scores",
    "blank_log_odds",
    "known_columns",
    "map_to_edition",
    "score_squares",
    "shift_to_blanks",
    "token_probabilities",
    "weigh_frequencies",
    "with_same_total",
]

EMPTY_STATE, BLANK_STATE, COVERED_STATE = range(3)
FIRST_LETTER = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSettings:
    """How far readings are believed.

    Parameters
    ----------
    value_slip : float
        Probability that a printed value is misread or belongs to another edition: it never excludes a letter. Of 552
        rendered and labelled boards, 153 squares are wrong with it, 155 with 0.1, and 171 where values do not count.
    floor : float
        Probability of every state, at least (chosen).
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
        return softmax(self.weights)

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
    letters = map_to_edition(reading.letter_likelihoods, reading.tokens, edition.tokens)
    joint = letters * _value_agreement(reading, edition) + SETTINGS.floor
    joint /= joint.sum(axis=-1, keepdims=True)
    occupancy = reading.occupancy.astype(np.float64) + SETTINGS.floor
    non_letters = occupancy[..., [Occupancy.EMPTY, Occupancy.BLANK, Occupancy.COVERED]]
    tiles = occupancy[..., Occupancy.TILE, None] * joint
    weights = np.log(np.concatenate([non_letters, tiles], axis=-1))
    return Scores(tokens=(EMPTY, BLANK, COVERED, *edition.tokens), weights=np.asarray(weights))


def blank_log_odds(weights: Floats) -> Floats:
    """Return the log-odds (rows, columns) of a blank against a letter.

    Parameters
    ----------
    weights : (rows, columns, states) float64
        Log-weights of the states of each square.
    """
    return np.asarray(weights[..., BLANK_STATE] - log_sum(weights[..., FIRST_LETTER:]))


def shift_to_blanks(weights: Floats, log_odds: Floats) -> Floats:
    """Add log-odds of a blank against a letter; that there is a tile stays as probable as it was.

    Parameters
    ----------
    weights : (rows, columns, states) float64
        Log-weights of the states of each square.
    log_odds : (rows, columns) float64
        What is added.
    """
    result = weights.copy()
    result[..., BLANK_STATE] += log_odds
    return with_same_total(result, weights, np.r_[BLANK_STATE, FIRST_LETTER : weights.shape[-1]])


def weigh_frequencies(weights: Floats, frequencies: Floats) -> Floats:
    """Multiply the letters' probabilities by their frequencies; that there is a letter stays as probable as it was.

    Parameters
    ----------
    weights : (rows, columns, states) float64
        Log-weights of the states of each square.
    frequencies : (letters,) float64
        Of any unit.
    """
    result = weights.copy()
    result[..., FIRST_LETTER:] += np.log(frequencies)
    return with_same_total(result, weights, np.arange(FIRST_LETTER, weights.shape[-1]))


def with_same_total(weights: Floats, before: Floats, states: NDArray[np.intp]) -> Floats:
    """Return the log-weights with those of some states scaled so that they have the same total as before.

    Parameters
    ----------
    weights, before : (..., states) float64
        Log-weights, and what they were.
    states : (k,) int
        The states that share the total.
    """
    gain = log_sum(before[..., states]) - log_sum(weights[..., states])
    result = weights.copy()
    result[..., states] += gain[..., None]
    return result


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
    values = reading.value_likelihoods
    column = {label: number for number, label in enumerate(reading.value_labels)}
    none = values[..., column[None]] if None in column else np.zeros(values.shape[:2])
    # A value that the reader cannot know is no evidence against the letter: it has a column of its own.
    any_value = int(values.shape[-1])
    extended = np.concatenate([values, (1 - none)[..., None]], axis=-1)
    worth = [edition.values.get(token) for token in edition.tokens]
    columns = [any_value if value is None else column.get(value, any_value) for value in worth]
    agreement = np.take(extended, columns, axis=-1) + none[..., None]
    return np.asarray(agreement * (1 - SETTINGS.value_slip) + SETTINGS.value_slip)


_CONFUSED_SHARE = 0.3
"""Share of a letter's probability that goes to those with another diacritic. Of 78,000 tiles of 192 rendered games of
four editions, 200 were misread without this, 188 with it, and 193 with a share of 1. A third as much for the plain
letter cost three."""

_ABOVE = 230
"""Unicode's combining class of diacritics above a letter."""

_BELOW = (202, 220)
"""Unicode's combining classes of diacritics below a letter."""

_CROSSED = {"Ø": "O"}
"""Letters that Unicode does not decompose and that are confused with a diacritic above: Ó was read for Ø."""


def map_to_edition(letters: NDArray[np.floating], known: Sequence[str], tokens: Sequence[str]) -> Floats:
    """Return the probability of each letter of an edition, from that of the letters of many languages.

    Parameters
    ----------
    letters : (..., known) float32 or float64
        Probability of each of the reader's letters.
    known : sequence of str
        The reader's letters.
    tokens : sequence of str
        The edition's letters, all of them known to the reader.

    Returns
    -------
    (..., tokens) float64
        Not normalised: letters of another alphabet are left out.
    """
    return np.asarray(letters @ _transfer_matrix(tuple(known), tuple(tokens)), np.float64)


@functools.lru_cache(maxsize=64)
def _transfer_matrix(known: tuple[str, ...], tokens: tuple[str, ...]) -> NDArray[np.float32]:
    """Return the share (known, tokens) of each known letter that goes to each of the edition's."""
    matrix = np.zeros((len(known), len(tokens)), np.float32)
    for row, name in enumerate(known):
        if name in tokens:
            matrix[row, tokens.index(name)] = 1
            continue
        letter, diacritic = _decompose(name)
        if diacritic in _BELOW:
            targets = [column for column, token in enumerate(tokens) if token == letter]
        elif diacritic == _ABOVE:
            targets = [
                column for column, token in enumerate(tokens) if _decompose(token) == (letter, diacritic)
            ]
        else:
            continue
        matrix[row, targets] = _CONFUSED_SHARE / max(1, len(targets))
    return matrix


def _decompose(token: str) -> tuple[str, int]:
    """Return the letter without its diacritic, and the diacritic's combining class; 0 if there is none, or several."""
    if token in _CROSSED:
        return _CROSSED[token], _ABOVE
    parts = unicodedata.normalize("NFD", token)
    return (parts[0], unicodedata.combining(parts[1])) if len(parts) == 2 else (token, 0)
