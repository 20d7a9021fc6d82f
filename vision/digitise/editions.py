"""Which edition's tiles lie on a board, from their letters, diacritics and values.

Each tile is a draw from an edition's bag. The probability of what the reader saw of it is the sum over the bag's
letters of how often the bag has the letter, how probable the letter is in the picture, and how probable its printed
value is. Diacritics and digraphs need no rule of their own: an edition without them cannot have drawn them. Of a
letter of which more lie there than the bag holds, the others were misread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from scoring.tiles import BLANK
from vision.readings import BoardReading, Occupancy

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


def guess_editions(reading: BoardReading, editions: Sequence[Edition]) -> tuple[EditionGuess, ...]:
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
    values = reading.values_as_seen[tiles]  # how frequent each value is says the edition's bag
    # a value that the reader does not know is seen by chance only: it has a column of its own, of nothing
    padded = np.concatenate([values, np.zeros((len(values), 1))], axis=1)
    letter_column = {token: column for column, token in enumerate(reading.tokens)}
    value_column = {value: column for column, value in enumerate(reading.value_labels)}
    likelihoods = np.array(
        [log_likelihood(letters, padded, letter_column, value_column, edition) for edition in editions]
    )
    shares = np.exp(likelihoods - likelihoods.max())
    shares /= shares.sum()
    order = np.argsort(-shares, kind="stable")
    return tuple(EditionGuess(edition=editions[at], probability=float(shares[at])) for at in order)


def log_likelihood(
    letters: NDArray[np.float64],
    values: NDArray[np.float64],
    letter_column: Mapping[str, int],
    value_column: Mapping[int | None, int],
    edition: Edition,
) -> float:
    """The logarithm of the probability that these tiles come from the edition's bag, but for a constant.

    Parameters
    ----------
    letters : (tiles, letters) float64
        Probability of each of the reader's letters.
    values : (tiles, values + 1) float64
        Probability of each of its values, and 0 for those that it does not know.
    letter_column, value_column : mapping to int
        Which column stands for which.
    edition : Edition
        The edition.
    """
    known = [token for token in edition.tokens if token in letter_column]
    share = drawn_share(edition, known)
    seen = letters[:, [letter_column[token] for token in known]]
    columns = [value_column.get(edition.values[token], len(value_column)) for token in known]
    printed = values[:, columns]
    unprinted = values[:, [value_column[None]]] if None in value_column else 0.0
    any_value, any_letter = 1 / len(value_column), 1 / len(letter_column)
    by_letter = seen * (1 - LETTER_SLIP) + LETTER_SLIP * any_letter
    by_value = (printed + unprinted * any_value) * (1 - VALUE_SLIP) + VALUE_SLIP * any_value
    by_token = share * by_letter * by_value
    drawn = np.bincount(by_token.argmax(axis=1), minlength=len(known))
    beyond = sum(
        max(0, int(number) - count)
        for token, number in zip(known, drawn, strict=True)
        if (count := edition.counts.get(token)) is not None
    )
    return float(np.log(by_token.sum(axis=1)).sum() + beyond * np.log(LETTER_SLIP))


def drawn_share(edition: Edition, tokens: Sequence[str]) -> NDArray[np.float64]:
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
