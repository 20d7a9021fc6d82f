"""Check whether the tiles of a board that was read can be of the edition.

A letter that the edition lacks is read as the nearest one that it has, and a wrong edition's values make every score
wrong. So a mismatch is reported before anybody relies on the scores.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from scoring import Edition, edition_names, format_square, is_blank, load_edition
from vision.core import DecodedBoard, DoubtReason, SquareProbabilities
from vision.decoding import guess_editions
from vision.recognition import strip_diacritics

__all__ = ["check_tiles", "other_editions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TileSettings:
    """When the tiles are reported as those of another edition. Chosen, where nothing else is said."""

    min_strange_letters: int = 2
    """Letters that the edition lacks; a single one may be a smudge."""
    min_strange_marks: int = 4
    """The same for letters that it has without their mark: a dimple in the wood below a letter looks like an ogonek."""
    min_strange_marks_share: float = 0.08
    """The same as a share of the tiles. Of Polish text, a tenth has a mark."""
    min_strange_values: int = 5
    """Tiles with a confidently read value of another letter."""
    min_strange_share: float = 0.3
    """The same as a share of the tiles: small digits are misread often."""
    min_tiles_without_value: int = 8
    """Tiles needed to tell that a set has no values."""
    min_no_value: float = 0.03
    """Median probability of no value of such a set. Of photos from 4,000 on of `tests.sets.photo_kinds`, 68 of screens
    without values have 0.036 and more, 353 others at most 0.004; of 191 labelled photos one, a blurred one, has more
    than 0.01."""
    min_letter: float = 0.8
    """Probability from which on a letter is confidently read."""
    min_odds: float = 1e4
    """Odds of another edition from which on it is named."""
    max_shown: int = 4
    """Strange letters that a message names."""


SETTINGS = TileSettings()


def check_tiles(probabilities: SquareProbabilities, decoded: DecodedBoard, edition: Edition) -> str | None:
    """Check whether the tiles in view can be of an edition.

    Parameters
    ----------
    probabilities : SquareProbabilities
        What was read.
    decoded : DecodedBoard
        What was decided by the edition.
    edition : Edition
        The edition that was named.

    Returns
    -------
    str or None
        A line for the user; None where they fit.
    """
    strange, is_strange = _strange_letters(probabilities, decoded, edition)
    values = sum(doubt.reason is DoubtReason.VALUE for doubt in decoded.doubts)
    tiles = sum(1 for _ in decoded.board.tiles())
    many_values = values >= SETTINGS.min_strange_values and values >= SETTINGS.min_strange_share * tiles
    best = _better_edition(probabilities, edition)
    if not (best or is_strange or many_values):
        return _check_values(probabilities, decoded)
    if is_strange:
        more = len(strange) - SETTINGS.max_shown
        shown = ", ".join(strange[: SETTINGS.max_shown]) + (f" and {more} more" if more > 0 else "")
        what = f"letters are seen that it does not have: {shown}"
    elif many_values:
        what = f"{values} of {tiles} tiles show another value than its letters have"
    else:
        what = "the letters and values that are seen are rare in it"
    if best:
        advice = f"they fit {best}; choose that edition"
    elif is_strange:
        advice = "choose the edition that is played"
    else:
        advice = "choose the edition that is played, or write an edition file with these values"
    return f"edition {edition.name}: {what}; {advice}"


def _check_values(probabilities: SquareProbabilities, decoded: DecodedBoard) -> str | None:
    """Report tiles without values: a blank with a letter on it, as on a screen, looks like any other tile there."""
    if None not in probabilities.value_labels:
        return None
    none = probabilities.values[..., probabilities.value_labels.index(None)]
    seen = [none[tile.row, tile.column] for tile in decoded.board.tiles() if not is_blank(tile.token)]
    if len(seen) < SETTINGS.min_tiles_without_value or np.median(seen) < SETTINGS.min_no_value:
        return None
    return "the tiles seem to show no values: a blank with a letter on it is read as that letter; check the blanks"


def _strange_letters(
    probabilities: SquareProbabilities, decoded: DecodedBoard, edition: Edition
) -> tuple[list[str], bool]:
    """The confidently read letters that the edition lacks, each with its square; and whether they are enough."""
    letters = probabilities.letters
    doubted = [(d.row, d.column) for d in decoded.doubts if d.reason is DoubtReason.ALPHABET]
    strange = [square for square in doubted if letters[square].max() >= SETTINGS.min_letter]
    tokens = [probabilities.tokens[int(np.argmax(letters[square]))] for square in strange]
    n_others = sum(strip_diacritics(token) not in edition.tokens for token in tokens)
    n_tiles = sum(1 for _ in decoded.board.tiles())
    least = max(SETTINGS.min_strange_marks, SETTINGS.min_strange_marks_share * n_tiles)
    texts = [f"{token} on {format_square(*square)}" for token, square in zip(tokens, strange, strict=True)]
    return texts, n_others >= SETTINGS.min_strange_letters or len(strange) >= least


def _better_edition(probabilities: SquareProbabilities, edition: Edition) -> str | None:
    """The shipped edition of the same size whose tiles these are much more probably; None if there is none."""
    guesses = guess_editions(probabilities, (edition, *other_editions(edition)))
    own = next(guess for guess in guesses if guess.edition is edition)
    best = guesses[0]
    return best.edition.name if own.probability * SETTINGS.min_odds < best.probability else None


@functools.lru_cache(maxsize=8)
def other_editions(edition: Edition) -> tuple[Edition, ...]:
    """The other shipped editions of the same size; cached, since reading their files takes longer than a frame may."""
    size = (edition.layout.rows, edition.layout.columns)
    return tuple(
        other
        for other in map(load_edition, edition_names())
        if (other.layout.rows, other.layout.columns) == size and other.name != edition.name
    )
