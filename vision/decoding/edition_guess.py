"""Guess the edition of the tiles on a board from their letters, diacritics and values.

Each tile is a draw from an edition's bag. The likelihood of what the reader saw of it is a sum over the bag's letters:
the frequency of the letter, times its probability in the picture, times the probability of its printed value.
Diacritics and digraphs need no rule of their own: an edition without them cannot have drawn them. Where a letter occurs
more often than the bag holds it, the excess was misread, or comes from another set.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, Edition
from vision.core import Floats, SquareProbabilities, softmax

__all__ = ["EditionGuess", "guess_editions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionSettings:
    """Chosen, not fitted: a certain reading of one tile must not exclude an edition.

    Parameters
    ----------
    slip : float
        Share of the tiles that may be read as any letter, and of values that are misread or missing.
    max_beyond : float
        Tiles beyond the bag's counts that speak against an edition, at most: a set may have tiles of another one, and
        the counts of some editions are not known.
    other_values : float
        Prior of a set whose values say nothing of the edition: none is printed, or they are another game's.
    unknown_count_weight : float
        Where a bag's counts are not known, a letter's is this number over one plus its value.
    english_odds : float
        How much commoner English sets are than those of another language. Of 243 words of 4 to 8 tiles on labelled
        English boards alone, 205 are then of English (99 with 1), of 51 on German boards 36 of German (39).
    """

    slip: float = 0.1
    max_beyond: float = 2.0
    other_values: float = 0.02
    unknown_count_weight: float = 12
    english_odds: float = 2.0


SETTINGS = EditionSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionGuess:
    """An edition, and the probability that the tiles are of it.

    Parameters
    ----------
    edition : Edition
        The edition.
    probability : float
        Among the editions that were compared; those in English are commoner than others.
    """

    edition: Edition
    probability: float


def guess_editions(reading: SquareProbabilities, editions: Sequence[Edition]) -> tuple[EditionGuess, ...]:
    """Return the probability of each edition, the most probable first; equals keep their order.

    Parameters
    ----------
    reading : SquareProbabilities
        What was read.
    editions : sequence of Edition
        The candidates; at least one. A letter that the reader does not know is never seen.
    """
    tiles = reading.shows_letter
    letters = reading.letters[tiles].astype(np.float64)
    values = reading.value_likelihoods[tiles]  # the edition's bag has the prior of each value
    bags = build_bags(tuple(editions), reading.tokens, reading.value_labels)
    likelihoods = bags.log_likelihoods(letters, values)
    prior = np.log([SETTINGS.english_odds if edition.language == "en" else 1.0 for edition in editions])
    posterior = softmax(likelihoods + prior)
    order = np.argsort(-posterior, kind="stable")
    return tuple(EditionGuess(edition=editions[at], probability=float(posterior[at])) for at in order)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Bags:
    """The bags of several editions, in terms of a reader's letters and values.

    Parameters
    ----------
    share : (editions, letters) float64
        Frequency of each letter in each bag.
    counts : (editions, letters) float64
        Number of each letter; infinite where that is not known.
    values : (editions, letters) int64
        Column of the reader's value that is printed on each; one column more for a value that it does not know.
    unprinted : int or None
        Column of "no value".
    """

    share: Floats
    counts: Floats
    values: NDArray[np.int64]
    unprinted: int | None

    def log_likelihoods(self, letters: Floats, values: Floats) -> Floats:
        """Return the log-likelihood (editions,) of the tiles for each bag, up to a constant.

        Parameters
        ----------
        letters : (tiles, letters) float64
            Probability of each of the reader's letters.
        values : (tiles, values) float64
            Probability of each of its values.
        """
        any_value, any_letter = 1 / values.shape[1], 1 / letters.shape[1]
        # a value that the reader does not know is read by chance only: its own column is zero
        printed = np.concatenate([values, np.zeros((len(values), 1))], axis=1)
        if self.unprinted is not None:
            printed += values[:, [self.unprinted]] * any_value
        by_letter = letters * (1 - SETTINGS.slip) + SETTINGS.slip * any_letter
        by_value = printed * (1 - SETTINGS.slip) + SETTINGS.slip * any_value
        # (edition, letter, tile), so that each number is multiplied with those of all tiles at once
        by_letter_of_bag = self.share[..., None] * by_letter.T
        by_token = by_value.T[self.values]
        by_token *= by_letter_of_bag
        editions, tokens = self.share.shape
        first = np.arange(editions)[:, None] * tokens
        drawn = np.bincount((first + by_token.argmax(axis=1)).ravel(), minlength=self.share.size)
        beyond = np.maximum(drawn.reshape(self.share.shape) - self.counts, 0).sum(axis=1)
        beyond = np.minimum(beyond, SETTINGS.max_beyond)
        with np.errstate(divide="ignore"):  # a bag without any of the reader's letters is impossible
            with_values = np.log(by_token.sum(axis=1)).sum(axis=1)
            without = np.log(by_letter_of_bag.sum(axis=1) * any_value).sum(axis=1)
        either = np.logaddexp(
            np.log(1 - SETTINGS.other_values) + with_values, np.log(SETTINGS.other_values) + without
        )
        return np.asarray(either + beyond * np.log(SETTINGS.slip))


@functools.lru_cache(maxsize=16)
def build_bags(
    editions: tuple[Edition, ...], tokens: tuple[str, ...], value_labels: tuple[int | None, ...]
) -> Bags:
    """Build the bags of editions for a reader's letters and values; cached, since it takes longer than the rest."""
    shape = (len(editions), len(tokens))
    share, counts = np.zeros(shape), np.full(shape, np.inf)
    values = np.full(shape, len(value_labels), np.int64)
    value_column = {value: column for column, value in enumerate(value_labels)}
    for row, edition in enumerate(editions):
        known = [token for token in tokens if token in edition.tokens]
        columns = [tokens.index(token) for token in known]
        share[row, columns] = draw_frequencies(edition, known)
        numbers = [edition.counts.get(token) for token in known]
        counts[row, columns] = [np.inf if number is None else number for number in numbers]
        values[row, columns] = [value_column.get(edition.values[token], len(value_labels)) for token in known]
    return Bags(share=share, counts=counts, values=values, unprinted=value_column.get(None))


def draw_frequencies(edition: Edition, tokens: Sequence[str]) -> Floats:
    """Return the frequency of letters in a bag; without counts, letters worth less are more frequent."""
    counts = [edition.counts.get(token) for token in tokens]
    total = sum(count or 0 for token, count in edition.counts.items() if token != BLANK)
    share = np.array(
        [
            count if count is not None else SETTINGS.unknown_count_weight / (1 + edition.values[token])
            for token, count in zip(tokens, counts, strict=True)
        ],
        dtype=np.float64,
    )
    return np.asarray(share / max(total, share.sum()))
