"""Whether the tiles in view can be of the edition that was named, and tell all: one line for people where they cannot.

A letter that the edition lacks is read as the nearest one that it has, and a wrong edition's values make every
score wrong, so it is said before anybody trusts the scores.
"""

from __future__ import annotations

import numpy as np

from scoring import Edition, format_square, load_edition
from scoring.shipped import edition_names
from scoring.tiles import is_blank
from vision.decoded import DecodedBoard, DoubtReason
from vision.digitise.editions import EditionGuess, guess_editions
from vision.readings import BoardReading

__all__ = ["misfit"]

STRANGE_LETTERS = 2
"""One tile may be a smudge."""
STRANGE_VALUES, STRANGE_SHARE = 5, 0.3
"""Tiles whose surely read value is another letter's, and their share of the board: small digits are misread often."""
UNVALUED_TILES, UNVALUED = 8, 0.3
"""So many tiles, half of which show no value with that probability: of a set that has none. In labelled photos most
have below 0.1."""
SURE_LETTER = 0.8
MUCH_BETTER = 1e4
"""How much more probable another edition must be before it is named."""
SHOWN = 4


def misfit(reading: BoardReading, decoded: DecodedBoard, edition: Edition) -> str | None:
    """What to say of an edition that does not fit the tiles in view; None if it may be the right one.

    Parameters
    ----------
    reading : BoardReading
        What the reader saw.
    decoded : DecodedBoard
        What was decided by the edition.
    edition : Edition
        The edition that was named.
    """
    strange = strange_letters(reading, decoded)
    values = sum(doubt.reason is DoubtReason.VALUE for doubt in decoded.doubts)
    tiles = sum(1 for _ in decoded.board.tiles())
    many_values = values >= STRANGE_VALUES and values >= STRANGE_SHARE * tiles
    if len(strange) < STRANGE_LETTERS and not many_values:
        return unvalued(reading, decoded)
    best = better_edition(reading, edition)
    if best is None and len(strange) < STRANGE_LETTERS:
        return None
    if strange:
        shown = ", ".join(strange[:SHOWN]) + (f" and {len(strange) - SHOWN} more" if strange[SHOWN:] else "")
        what = f"letters are seen that it does not have: {shown}"
    else:
        what = f"{values} of {tiles} tiles show another value than its letters have"
    advice = f"they fit {best}; choose that edition" if best else "choose the edition that is played"
    return f"edition {edition.name}: {what}; {advice}"


def unvalued(reading: BoardReading, decoded: DecodedBoard) -> str | None:
    """What to say of tiles without values: there a blank with a letter on it, as on a screen, looks like any other."""
    if None not in reading.value_labels:
        return None
    none = reading.values[..., reading.value_labels.index(None)]
    seen = [none[tile.row, tile.column] for tile in decoded.board.tiles() if not is_blank(tile.token)]
    if len(seen) < UNVALUED_TILES or np.median(seen) < UNVALUED:
        return None
    return "the tiles seem to show no values: a blank with a letter on it is read as that letter; check the blanks"


def strange_letters(reading: BoardReading, decoded: DecodedBoard) -> list[str]:
    """The letters that are surely none of the edition's, each with its square."""
    squares = [(d.row, d.column) for d in decoded.doubts if d.reason is DoubtReason.ALPHABET]
    return [
        f"{reading.tokens[int(np.argmax(reading.letters[square]))]} on {format_square(*square)}"
        for square in squares
        if reading.letters[square].max() >= SURE_LETTER
    ]


def better_edition(reading: BoardReading, edition: Edition) -> str | None:
    """The shipped edition whose tiles these are much more probably; None if there is none."""
    same_size = [
        other
        for other in map(load_edition, edition_names())
        if (other.layout.rows, other.layout.columns) == (edition.layout.rows, edition.layout.columns)
        and other.name != edition.name
    ]
    guesses = guess_editions(reading, [edition, *same_size])
    own = next(guess for guess in guesses if guess.edition is edition)
    best: EditionGuess = guesses[0]
    return best.edition.name if own.probability * MUCH_BETTER < best.probability else None
