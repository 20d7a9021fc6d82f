"""Is so much of a board burnt to pure white that letters may be gone? It is refused: a lost tile looks like no tile.

Whether the tiles in view can be of the edition that was named, and tell all: one line for people where they cannot.

A letter that the edition lacks is read as the nearest one that it has, and a wrong edition's values make every
score wrong, so it is said before anybody trusts the scores.

Whether the coloured squares in view lie where the edition has its premium squares: else every score may be wrong.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import EMPTY, Board, Edition, edition_names, format_square, is_blank, load_edition
from vision.core import DecodedBoard, DoubtReason, Occupancy, RectifiedBoard, SquareProbabilities
from vision.decoding import EditionGuess, guess_editions
from vision.detection import LayoutClasses, cell_colours, explained_variance, flatten_illumination
from vision.errors import BoardNotFoundError

__all__ = ["EditionMismatches", "check_exposure", "check_layout", "check_tiles"]

_WHITE, _MAX_WHITE = 250, 0.12
"""Levels of all three colours, and the share of the board's pixels.

References
----------
Scenes 60,000 to 60,013 of `tests.sets.scenes`, 1.6 to 4.5 times as bright as they are: those that lost more than
one tile have 0.22 and more. Checked on labelled photos, none of which has 0.01.
"""

_NOTHING_DARK = 125
"""Level below which a fiftieth of the board lies even where white is its colour, as on a screen: the ink. Early in a
game there is less of it, and a fiftieth of each tile that is read is as dark."""

_UNBURNT = 235
"""Level below which the middle of a tile lies that the light has not burnt: white is the board's own colour then."""

_CLEARLY_READ = 0.9
"""Mean probability of the letters of an unhurt board; of those scenes that lost more than one tile it is exceeded by
one alone, whose ink is burnt."""


def check_exposure(board: RectifiedBoard, reading: SquareProbabilities) -> None:
    """Passes a board that is not burnt out.

    Parameters
    ----------
    board : RectifiedBoard
        The straightened picture.
    reading : BoardReading
        What was read of it.

    Raises
    ------
    BoardNotFoundError
        If much of it is pure white and nothing on it dark.
    """
    rim = board.margin_px
    image_bgr = board.image_bgr[rim : -rim or None, rim : -rim or None]
    is_white = cv2.inRange(image_bgr[::2], (_WHITE,) * 3, (255,) * 3)[:, ::2]
    white = np.count_nonzero(is_white) / is_white.size
    if white < _MAX_WHITE:
        return
    grey = np.asarray(cv2.cvtColor(image_bgr[::2, ::2], cv2.COLOR_BGR2GRAY), np.uint8)
    dark = float(np.percentile(grey, 2))
    if dark > _NOTHING_DARK and not _has_clear_ink(grey, reading):
        raise BoardNotFoundError(
            f"no board found: the board is too bright to be read, {white:.0%} of it are pure white and hardly anything "
            f"is darker than level {dark:.0f} of 255; expose shorter, or avoid glare"
        )


def _has_clear_ink(grey: NDArray[np.uint8], reading: SquareProbabilities) -> bool:
    """Whether tiles are read, clearly, and each has dark ink or a face that is not white: then none was burnt away."""
    tiles = reading.occupancy[..., Occupancy.TILE] > 0.5
    if not tiles.any() or reading.letters[tiles].max(axis=-1).mean() < _CLEARLY_READ:
        return False
    rows, columns = tiles.shape
    cells = (
        np.array_split(np.array_split(grey, rows)[row], columns, axis=1)[column]
        for row, column in np.argwhere(tiles)
    )
    return all(np.percentile(cell, 2) <= _NOTHING_DARK or np.median(cell) < _UNBURNT for cell in cells)


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


def check_tiles(reading: SquareProbabilities, decoded: DecodedBoard, edition: Edition) -> str | None:
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


def unvalued(reading: SquareProbabilities, decoded: DecodedBoard) -> str | None:
    """What to say of tiles without values: there a blank with a letter on it, as on a screen, looks like any other."""
    if None not in reading.value_labels:
        return None
    none = reading.values[..., reading.value_labels.index(None)]
    seen = [none[tile.row, tile.column] for tile in decoded.board.tiles() if not is_blank(tile.token)]
    if len(seen) < UNVALUED_TILES or np.median(seen) < UNVALUED:
        return None
    return "the tiles seem to show no values: a blank with a letter on it is read as that letter; check the blanks"


def strange_letters(reading: SquareProbabilities, decoded: DecodedBoard) -> list[str]:
    """The letters that are surely none of the edition's, each with its square."""
    squares = [(d.row, d.column) for d in decoded.doubts if d.reason is DoubtReason.ALPHABET]
    return [
        f"{reading.tokens[int(np.argmax(reading.letters[square]))]} on {format_square(*square)}"
        for square in squares
        if reading.letters[square].max() >= SURE_LETTER
    ]


def better_edition(reading: SquareProbabilities, edition: Edition) -> str | None:
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


FITS = 0.4
"""Share of the empty squares' differences of colour that the layout explains. Of rendered boards one in forty has less
than 0.5 and none less than 0.44; of games on a screen whose premium squares lie elsewhere four in five have less than
0.4."""
MIN_PREMIUMS, MIN_PLAIN = 12, 30
"""Empty squares of either kind that must be in view."""
MAX_UNEVEN = 10.0
"""Median difference of a plain square's colour from the usual one, in levels of L*a*b*, where light still tells."""


def check_layout(rectified: RectifiedBoard, board: Board, edition: Edition) -> str | None:
    """What to say of a board whose coloured squares lie elsewhere; None if they may lie right, or too few show.

    Parameters
    ----------
    rectified : RectifiedBoard
        The straightened picture, letters upright.
    board : Board
        What was read: the squares that are empty show their colours.
    edition : Edition
        The edition that was named.
    """
    pattern = LayoutClasses.from_layout(edition.layout)
    empty = np.array([[token == EMPTY for token in row] for row in board.rows])
    for square in edition.layout.start:
        empty[square] = False  # many have a sign or a colour of their own
    if (empty & ~pattern.plain).sum() < MIN_PREMIUMS or (empty & pattern.plain).sum() < MIN_PLAIN:
        return None
    rim = rectified.margin_px
    grid_bgr = rectified.image_bgr[rim : -rim or None, rim : -rim or None]
    colours = flatten_illumination(cell_colours(grid_bgr, rectified.cell_px), 0)
    plain = colours[empty & pattern.plain]
    if np.median(np.linalg.norm(plain - np.median(plain, axis=0), axis=1)) > MAX_UNEVEN:
        return None
    share = float(explained_variance(colours, pattern, empty.astype(np.float64))[0, 0])
    if share >= FITS:
        return None
    return (
        f"edition {edition.name}: the coloured squares do not lie as on its board (it explains {max(0, share):.0%} of "
        f"their colours, {FITS:.0%} are needed), so scores may be wrong; choose the edition that is played"
    )


class EditionMismatches:
    """Checks the boards of one edition, and reports each kind of mismatch once.

    Parameters
    ----------
    edition : Edition
        The edition that was named.
    """

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        self._tiles_fit = True
        self._layout_fits = True

    def new_messages(
        self,
        probabilities: SquareProbabilities,
        decoded: DecodedBoard,
        rectified: RectifiedBoard | None = None,
    ) -> list[str]:
        """What is to be reported of this board; the layout is checked where a rectified image is given."""
        messages = []
        if (
            self._layout_fits
            and rectified is not None
            and (message := check_layout(rectified, decoded.board, self._edition))
        ):
            self._layout_fits = False
            messages.append(message)
        if self._tiles_fit and (message := check_tiles(probabilities, decoded, self._edition)):
            self._tiles_fit = False
            messages.append(message)
        return messages
