"""Check a board that was read: exposure, and whether tiles and premium squares fit the edition.

A letter that the edition lacks is read as the nearest one that it has, and a wrong edition's values make every score
wrong. So a mismatch is reported before anybody relies on the scores. Over-exposed boards are refused, because a tile
that is burnt to white looks like no tile.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import Board, Edition, edition_names, format_square, is_blank, load_edition
from vision.core import (
    DecodedBoard,
    DoubtReason,
    Floats,
    Mask,
    Occupancy,
    RectifiedBoard,
    SquareProbabilities,
    empty_squares,
)
from vision.decoding import guess_editions
from vision.detection import LayoutClasses, cell_colours, explained_variance, flatten_lights
from vision.errors import BoardNotFoundError
from vision.observation import BoardObservation
from vision.recognition import strip_diacritics

__all__ = ["EditionMismatches", "check_exposure", "check_layout", "check_tiles", "find_burnt_squares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings:
    """When a board is refused or doubted. Chosen, where nothing else is said."""

    white_level: int = 250
    """Level of all three colours from which on a pixel is white."""
    max_white_share: float = 0.12
    """Share of white pixels of the board. Scenes 60,000 to 60,013 of `tests.sets.scenes`, made 1.6 to 4.5 times as
    bright: those that lost more than one tile have 0.22 and more. None of the labelled photos has 0.01."""
    ink_percentile: float = 2.0
    """Percentile of grey levels that is the ink's, of the board and of each tile."""
    max_ink_level: int = 125
    """Level of the ink even where the board itself is white, as on a screen."""
    max_face_level: int = 235
    """Median level of a tile whose face the light has not burnt."""
    min_clear_letters: float = 0.9
    """Mean probability of the letters of an undamaged board. Of those scenes that lost more than one tile, one exceeds
    it, and its ink is burnt."""
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
    min_layout_share: float = 0.17
    """Share of the empty squares' colour differences that the edition's layout explains at least. Of 605 photos and
    rendered boards, most of them in difficult light, the least is 0.18; of 191 that were shifted by a square, the most
    is 0.15."""
    max_symmetric_gain: float = 0.15
    """Share that another symmetric layout may explain beyond it. Of the 605 the most is 0.13; of 97 boards with another
    layout 95 have more."""
    light_degree: int = 4
    """Degree of the polynomial that describes what is left of uneven light."""
    min_premium_squares: int = 12
    """Empty premium squares that must be in view."""
    min_plain_squares: int = 30
    """Empty plain squares that must be in view."""
    min_visible: int = 4
    """Empty squares that must be in view of those that lie symmetrically to each other."""
    max_burnt_share: float = 0.3
    """Share of white pixels of a square whose colour shows. Where half of the empty squares have more, the board itself
    is white, as on a screen."""
    min_hidden_share: float = 0.6
    """Share of white pixels of a square on which no tile would show."""


SETTINGS = CheckSettings()


def check_exposure(board: RectifiedBoard, probabilities: SquareProbabilities) -> None:
    """Refuse an over-exposed board.

    Parameters
    ----------
    board : RectifiedBoard
        The rectified board.
    probabilities : SquareProbabilities
        What was read on it.

    Raises
    ------
    BoardNotFoundError
        If much of it is pure white, and nothing on it is dark.
    """
    white = _white_shares(board).mean()
    if white < SETTINGS.max_white_share:
        return
    grey = np.asarray(cv2.cvtColor(board.interior_bgr[::2, ::2], cv2.COLOR_BGR2GRAY), np.uint8)
    ink = float(np.percentile(grey, SETTINGS.ink_percentile))
    if ink > SETTINGS.max_ink_level and not _has_clear_ink(grey, probabilities):
        raise BoardNotFoundError(
            f"no board found: the board is too bright to be read, {white:.0%} of it are pure white and hardly anything "
            f"is darker than level {ink:.0f} of 255; expose shorter, or avoid glare"
        )


def find_burnt_squares(board: RectifiedBoard, probabilities: SquareProbabilities) -> Mask:
    """Find squares that look empty since the mirror image of a lamp, or a flash, may hide a tile there.

    Parameters
    ----------
    board : RectifiedBoard
        The rectified board.
    probabilities : SquareProbabilities
        What was read on it.

    Returns
    -------
    (rows, columns) bool
        None on a board that is white itself.
    """
    is_empty = probabilities.occupancy[..., Occupancy.EMPTY] > 0.5
    return _find_white(board, is_empty, SETTINGS.min_hidden_share)


def _has_clear_ink(grey: NDArray[np.uint8], probabilities: SquareProbabilities) -> bool:
    """Whether tiles are read clearly, and each has dark ink or a face that is not white: then none was burnt."""
    tiles = probabilities.shows_letter
    if not tiles.any() or probabilities.letters[tiles].max(axis=-1).mean() < SETTINGS.min_clear_letters:
        return False
    rows, columns = tiles.shape
    cells = (
        np.array_split(np.array_split(grey, rows)[row], columns, axis=1)[column]
        for row, column in np.argwhere(tiles)
    )
    return all(
        np.percentile(cell, SETTINGS.ink_percentile) <= SETTINGS.max_ink_level
        or np.median(cell) < SETTINGS.max_face_level
        for cell in cells
    )


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
    guesses = guess_editions(probabilities, (edition, *_other_editions(edition)))
    own = next(guess for guess in guesses if guess.edition is edition)
    best = guesses[0]
    return best.edition.name if own.probability * SETTINGS.min_odds < best.probability else None


@functools.lru_cache(maxsize=8)
def _other_editions(edition: Edition) -> tuple[Edition, ...]:
    """The other shipped editions of the same size; cached, since reading their files takes longer than a frame may."""
    size = (edition.layout.rows, edition.layout.columns)
    return tuple(
        other
        for other in map(load_edition, edition_names())
        if (other.layout.rows, other.layout.columns) == size and other.name != edition.name
    )


def _find_white(board: RectifiedBoard, empty: Mask, min_share: float) -> Mask:
    """Find empty squares (rows, columns) that a lamp burns to white, by the share of their pixels that is white.

    There are none on a board that is white itself, as on a screen.
    """
    share = _white_shares(board)
    is_white_itself = 2 * np.count_nonzero(share[empty] > SETTINGS.max_burnt_share) >= np.count_nonzero(empty)
    return np.asarray(empty & (share > min_share) & (not is_white_itself))


@functools.lru_cache(maxsize=1)  # several checks of one photo ask
def _white_shares(board: RectifiedBoard) -> Floats:
    """Share (rows, columns) of pure white pixels of each square."""
    # every other row: half the time
    is_white = cv2.inRange(board.interior_bgr[::2], (SETTINGS.white_level,) * 3, (255,) * 3)
    size = board.columns, board.rows
    return np.asarray(cv2.resize(is_white, size, interpolation=cv2.INTER_AREA) / 255, np.float64)


def check_layout(rectified: RectifiedBoard, board: Board, edition: Edition) -> str | None:
    """Check whether the coloured squares in view are where an edition has its premium squares.

    Another board is known by its symmetry: its colours are alike where squares lie alike, and differ where the edition
    has one premium.

    Parameters
    ----------
    rectified : RectifiedBoard
        The rectified board, letters upright.
    board : Board
        What was read: the squares that are empty show their colours.
    edition : Edition
        The edition that was named.

    Returns
    -------
    str or None
        A line for the user; None where they may be right, or too few show.
    """
    classes = LayoutClasses.from_layout(edition.layout)
    empty = empty_squares(board)
    for square in edition.layout.start:
        empty[square] = False  # many have a sign or a colour of their own
    empty &= ~_find_white(rectified, empty, SETTINGS.max_burnt_share)
    n_premium, n_plain = (empty & ~classes.plain).sum(), (empty & classes.plain).sum()
    if n_premium < SETTINGS.min_premium_squares or n_plain < SETTINGS.min_plain_squares:
        return None
    symmetric = classes.finest_symmetric()
    n_visible = np.bincount(symmetric.classes[empty], minlength=symmetric.class_count)
    weights = (empty & (n_visible[symmetric.classes] >= SETTINGS.min_visible)).astype(np.float64)
    flat = [
        _take_off_light(colours, classes, weights)
        for colours in flatten_lights(cell_colours(rectified.interior_bgr, rectified.cell_px), 0)
    ]
    own, best = (
        max(float(explained_variance(colours, each, weights)[0, 0]) for colours in flat)
        for each in (classes, symmetric)
    )
    if own >= SETTINGS.min_layout_share and best - own <= SETTINGS.max_symmetric_gain:
        return None
    return (
        f"edition {edition.name}: the coloured squares are not where its board has them (it explains {own:.0%} of "
        "their colours), so scores may be wrong; choose the edition that is played"
    )


def _take_off_light(
    colours: NDArray[np.float32], classes: LayoutClasses, weights: Floats
) -> NDArray[np.float32]:
    """Take off a polynomial that leaves each class one colour; a vignette or a lamp above would look like a layout."""
    y, x = (at.ravel() for at in np.mgrid[-1 : 1 : classes.rows * 1j, -1 : 1 : classes.columns * 1j])
    degree = SETTINGS.light_degree
    light = np.stack([y**i * x**j for i in range(degree + 1) for j in range(degree + 1 - i) if i + j], axis=1)
    members = np.eye(classes.class_count)[classes.classes.ravel()]
    used, flat = weights.ravel() > 0, colours.reshape(-1, 3).astype(np.float64)
    fit = np.linalg.lstsq(np.hstack([members, light])[used], flat[used])[0]
    return np.asarray((flat - light @ fit[classes.class_count :]).reshape(colours.shape), np.float32)


class EditionMismatches:
    """Checks the boards of one edition, and reports each kind of mismatch once.

    Parameters
    ----------
    edition : Edition
        The edition that was named.
    """

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        _other_editions(edition)  # read now: a live game must not wait for their files
        self._tiles_fit = True
        self._layout_fits = True

    def new_messages(self, found: BoardObservation) -> list[str]:
        """Check a board; return the lines for the user that were not reported before.

        The layout is not checked where it is not seen: a photo's own remarks then say so.
        """
        messages = []
        if self._layout_fits and found.shows_layout:
            message = check_layout(found.rectified, found.decoded.board, self._edition)
            self._layout_fits = message is None
            messages += [message] if message else []
        if self._tiles_fit:
            message = check_tiles(found.probabilities, found.decoded, self._edition)
            self._tiles_fit = message is None
            messages += [message] if message else []
        return messages
