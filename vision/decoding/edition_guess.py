"""Which edition's tiles lie on a board, from their letters, diacritics and values.

Each tile is a draw from an edition's bag. The probability of what the reader saw of it is the sum over the bag's
letters of how often the bag has the letter, how probable the letter is in the picture, and how probable its printed
value is. Diacritics and digraphs need no rule of their own: an edition without them cannot have drawn them. Of a
letter of which more lie there than the bag holds, the others were misread.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, Edition
from vision.core import Occupancy, SquareProbabilities

__all__ = ["EditionGuess", "guess_editions"]

# Chosen, not fitted: a sure reading of one tile must not rule an edition out for ever.
LETTER_SLIP = 0.1
"""Of a hundred tiles so many may be read as any letter whatever."""
VALUE_SLIP = 0.1
"""The same of values: the small digits are often misread, or missing."""
TILE_FROM = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionGuess:
    """An edition, and how probable it is that the tiles are of it.

    Parameters
    ----------
    edition : Edition
        The edition.
    probability : float
        Among the editions that were compared, each as likely as the others before the board was seen.
    """

    edition: Edition
    probability: float


def guess_editions(reading: SquareProbabilities, editions: Sequence[Edition]) -> tuple[EditionGuess, ...]:
    """How probable each edition is, the most probable first; of equals the one that was named first.

    Parameters
    ----------
    reading : BoardReading
        What the reader saw.
    editions : sequence of Edition
        Those that may be; at least one. A letter that the reader does not know is never seen.
    """
    tiles = reading.occupancy[..., Occupancy.TILE] > TILE_FROM
    letters = reading.letters[tiles].astype(np.float64)
    values = reading.value_likelihoods[tiles]  # how frequent each value is says the edition's bag
    bags = build_bags(tuple(editions), reading.tokens, reading.value_labels)
    likelihoods = bags.log_likelihoods(letters, values)
    shares = np.exp(likelihoods - likelihoods.max())
    shares /= shares.sum()
    order = np.argsort(-shares, kind="stable")
    return tuple(EditionGuess(edition=editions[at], probability=float(shares[at])) for at in order)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Bags:
    """What several editions' bags hold, in a reader's letters and values.

    Parameters
    ----------
    share : (editions, letters) float64
        How often each bag gives each of the letters.
    counts : (editions, letters) float64
        How many of each there are; infinite where that is not known.
    values : (editions, letters) int64
        Which of the reader's values is printed on each; one more than it has for a value that it does not know.
    unprinted : int or None
        Which of its values is none at all.
    """

    share: NDArray[np.float64]
    counts: NDArray[np.float64]
    values: NDArray[np.int64]
    unprinted: int | None

    def log_likelihoods(
        self, letters: NDArray[np.float64], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """(editions,) the logarithms of the probability that tiles come from each bag, but for a constant.

        Parameters
        ----------
        letters : (tiles, letters) float64
            Probability of each of the reader's letters.
        values : (tiles, values) float64
            Probability of each of its values.
        """
        any_value, any_letter = 1 / values.shape[1], 1 / letters.shape[1]
        # a value that the reader does not know is seen by chance only: it has a column of its own, of nothing
        printed = np.concatenate([values, np.zeros((len(values), 1))], axis=1)
        if self.unprinted is not None:
            printed += values[:, [self.unprinted]] * any_value
        by_letter = letters * (1 - LETTER_SLIP) + LETTER_SLIP * any_letter
        by_value = printed * (1 - VALUE_SLIP) + VALUE_SLIP * any_value
        # (edition, letter, tile), so that each number is taken with those of all tiles at once
        by_token = by_value.T[self.values]
        by_token *= by_letter.T
        by_token *= self.share[..., None]
        editions, tokens = self.share.shape
        first = np.arange(editions)[:, None] * tokens
        drawn = np.bincount((first + by_token.argmax(axis=1)).ravel(), minlength=self.share.size)
        beyond = np.maximum(drawn.reshape(self.share.shape) - self.counts, 0).sum(axis=1)
        return np.asarray(np.log(by_token.sum(axis=1)).sum(axis=1) + beyond * np.log(LETTER_SLIP))


@functools.lru_cache(maxsize=16)
def build_bags(
    editions: tuple[Edition, ...], tokens: tuple[str, ...], value_labels: tuple[int | None, ...]
) -> Bags:
    """The bags of editions for a reader of these letters and values; it takes longer than all else, so it is kept."""
    shape = (len(editions), len(tokens))
    share, counts = np.zeros(shape), np.full(shape, np.inf)
    values = np.full(shape, len(value_labels), np.int64)
    value_column = {value: column for column, value in enumerate(value_labels)}
    for row, edition in enumerate(editions):
        known = [token for token in tokens if token in edition.tokens]
        columns = [tokens.index(token) for token in known]
        share[row, columns] = draw_shares(edition, known)
        numbers = [edition.counts.get(token) for token in known]
        counts[row, columns] = [np.inf if number is None else number for number in numbers]
        values[row, columns] = [value_column.get(edition.values[token], len(value_labels)) for token in known]
    return Bags(share=share, counts=counts, values=values, unprinted=value_column.get(None))


def draw_shares(edition: Edition, tokens: Sequence[str]) -> NDArray[np.float64]:
    """How often the bag gives each of these letters; where counts are not known, letters worth less are commoner."""
    counts = [edition.counts.get(token) for token in tokens]
    total = sum(count or 0 for token, count in edition.counts.items() if token != BLANK)
    share = np.array(
        [
            count if count is not None else 12 / (1 + edition.values[token])
            for token, count in zip(tokens, counts, strict=True)
        ],
        dtype=np.float64,
    )
    return np.asarray(share / max(total, share.sum()))
