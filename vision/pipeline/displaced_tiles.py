"""Read tiles that were pushed off their squares, in films, and tiles that lie askew, in films and photos."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from scoring import BLANK, EMPTY, Board, bag_tile, is_blank, neighbours
from vision.core import (
    PROBABILITY_FIELDS,
    DecodedBoard,
    Grid,
    Homography,
    Image,
    Mask,
    Occupancy,
    Square,
    SquareProbabilities,
    squares_in,
)
from vision.recognition import CompositeReader, SquareReader
from vision.rectification import read_squares, reading_heights

if TYPE_CHECKING:  # a photo needs no game
    from scoring import Game

__all__ = ["read_displaced_tiles", "read_unclear_tiles"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplacedSettings:
    """Where a tile is read that does not lie on its square. Shares are of the crops of 1,388 rendered letters."""

    min_tile: float = 0.9
    """Probability from which on a crop surely shows a tile (chosen). None of 5,322 crops between two empty squares of
    rendered boards showed a blank."""
    halfway: float = 0.5
    """Squares towards the next one, at which a tile that lies between the two is read. Crops surely showed 98% of the
    letters 0.3 squares from their middle, 20% at 0.5, and 3% at 0.6."""
    aside: float = 0.8
    """Squares from there to either side, where a tile that lies between the two is not read: one that is on its square
    is, and so is one on the next square."""
    askew_deg: float = 20.0
    """Turn of the crops, either way, of a tile that may lie askew. Of 1,736 rendered letters at 20 degrees, 65% were
    right without them and 96% with them."""
    min_clear: float = 0.98
    """Probability of its letter, or of a blank, up to which a photo's tile is read by turned crops, and from which on
    such a crop shows a letter. Of 149 letters of 200 rendered photos that were misread at 15 or 20 degrees, crops
    mended 92, and they spoilt one straight letter of 1,000 others; with 0.95 it was 112 and 11. Also in films where the
    square shows a blank: all of 26 letters at 10 to 25 degrees that look like blanks have it, 42 blanks with a letter
    in pen had 0.97 at most."""
    max_tiles: int = 7
    """Tiles that may be displaced at once: a word. With more, the board was cleared or is hard to see (chosen)."""


SETTINGS = DisplacedSettings()


def read_displaced_tiles(
    reading: SquareProbabilities,
    image_bgr: Image,
    grid: Grid,
    recognizer: SquareReader,
    game: Game,
    changed: Mask,
) -> SquareProbabilities:
    """Read tiles of the game that were pushed halfway to the next square, and tiles that were laid askew.

    Parameters
    ----------
    reading : SquareProbabilities
        What the squares show.
    image_bgr : (height, width, 3) uint8
        The frame, BGR.
    grid : Grid
        The board's grid in it.
    recognizer : SquareReader
        Reads the squares.
    game : Game
        The game: its board, and the letters of its edition.
    changed : (rows, columns) bool
        Squares that look different from when the board was last resolved.

    Returns
    -------
    SquareProbabilities
        The same with these tiles. One that was pushed is on its square, and the next square is empty.
    """
    if isinstance(recognizer, CompositeReader):
        return reading  # Tesseract takes long for a crop, and is hardly ever sure
    reading = _read_pushed_tiles(reading, image_bgr, grid, recognizer, game.board, changed)
    known = np.isin(reading.tokens, game.edition.tokens)
    squares = _unclear_squares(reading, known, changed)
    return _read_askew_tiles(reading, image_bgr, grid, recognizer, known, squares, SETTINGS.min_tile)


def _read_pushed_tiles(
    reading: SquareProbabilities,
    image_bgr: Image,
    grid: Grid,
    recognizer: SquareReader,
    board: Board,
    changed: Mask,
) -> SquareProbabilities:
    """Read tiles between their squares and the next ones."""
    ways = [
        (tile.square, near, token)
        for tile in board.tiles()
        if changed[tile.square] and (token := bag_tile(tile.token)) in (BLANK, *reading.tokens)
        for near in neighbours(tile.square)
        if board.holds(*near) and board[near] == EMPTY and changed[near]
    ]
    unsure = {
        (square, near): token
        for square, near, token in ways
        if _token_probability(reading, square, token) <= SETTINGS.min_tile
        or reading.occupancy[near].argmax() != Occupancy.EMPTY
    }
    if len({square for square, _ in unsure}) > SETTINGS.max_tiles:
        return reading
    fields = {name: getattr(reading, name).copy() for name in PROBABILITY_FIELDS}
    for (square, near), token in unsure.items():
        down, right = near[0] - square[0], near[1] - square[1]
        own = _token_probability(reading, square, token)
        halfway, *asides = (
            Homography.translation(share * right, share * down)
            for share in (
                SETTINGS.halfway,
                SETTINGS.halfway - SETTINGS.aside,
                SETTINGS.halfway + SETTINGS.aside,
            )
        )
        crop = _read_crop(image_bgr, grid, recognizer, square, halfway)
        between = _token_probability(crop, square, token)
        if between <= max(SETTINGS.min_tile, own):
            continue
        other = max(
            _token_probability(_read_crop(image_bgr, grid, recognizer, square, aside), square, token)
            for aside in asides
        )
        if reading.occupancy[square].argmax() == Occupancy.TILE:  # the next tile may have the same letter
            other = max(other, _token_probability(reading, near, token))
        if between > other:
            for name, array in fields.items():
                array[square] = getattr(crop, name)[square]
            fields["occupancy"][near] = np.eye(len(Occupancy))[Occupancy.EMPTY]
    return replace(reading, **fields)


def read_unclear_tiles(
    reading: SquareProbabilities,
    decoded: DecodedBoard,
    image_bgr: Image,
    grid: Grid,
    recognizer: SquareReader,
    tokens: Iterable[str],
) -> SquareProbabilities:
    """Read tiles of a photo that may lie askew: letters in doubt, and blanks that may be letters.

    Parameters
    ----------
    reading : SquareProbabilities
        What the squares show.
    decoded : DecodedBoard
        What was decided from it.
    image_bgr : (height, width, 3) uint8
        The photo, BGR.
    grid : Grid
        The board's grid in it.
    recognizer : SquareReader
        Reads the squares.
    tokens : iterable of str
        The letters of the edition.

    Returns
    -------
    SquareProbabilities
        The same with these tiles; `reading` itself where none is read.
    """
    is_low = len(reading_heights(grid, image_bgr.shape[1], image_bgr.shape[0])) > 1
    # turned crops of straight tiles that are seen from near the table show other letters
    if is_low or isinstance(recognizer, CompositeReader):
        return reading
    known = np.isin(reading.tokens, tuple(tokens))
    in_doubt = {(doubt.row, doubt.column) for doubt in decoded.doubts}
    squares = list[Square]()
    for tile in decoded.board.tiles():
        if is_blank(tile.token):
            probability = float(reading.occupancy[tile.square][Occupancy.BLANK])
        elif tile.square in in_doubt:
            probability = _letter_probability(reading, tile.square, known)
        else:
            continue
        if probability <= SETTINGS.min_clear:
            squares.append(tile.square)
    return _read_askew_tiles(reading, image_bgr, grid, recognizer, known, squares, SETTINGS.min_clear)


def _unclear_squares(reading: SquareProbabilities, known: Mask, changed: Mask) -> list[Square]:
    """Return the squares of a film on which a tile lies, and none of the known letters is sure."""
    seems_tile = np.isin(reading.occupancy.argmax(axis=-1), (Occupancy.TILE, Occupancy.BLANK))
    return [
        square
        for square in squares_in(changed & seems_tile)
        if _letter_probability(reading, square, known) <= SETTINGS.min_tile
    ]


def _read_askew_tiles(
    reading: SquareProbabilities,
    image_bgr: Image,
    grid: Grid,
    recognizer: SquareReader,
    known: Mask,
    squares: Sequence[Square],
    min_letter: float,
) -> SquareProbabilities:
    """Read squares by turned crops, where those show one of the known letters with more than a probability."""
    if not 0 < len(squares) <= SETTINGS.max_tiles:
        return reading
    fields = {name: getattr(reading, name).copy() for name in PROBABILITY_FIELDS}
    is_read = False
    for square in squares:
        seems_blank = reading.occupancy[square].argmax() == Occupancy.BLANK
        least = SETTINGS.min_clear if seems_blank else min_letter
        best = max(least, _letter_probability(reading, square, known))
        middle_xy = square[1] + 0.5, square[0] + 0.5
        for turn_deg in (-SETTINGS.askew_deg, SETTINGS.askew_deg):
            turn = cv2.getRotationMatrix2D(middle_xy, turn_deg, 1.0)
            turned = Homography(matrix=np.vstack([turn, [0.0, 0.0, 1.0]]))
            crop = _read_crop(image_bgr, grid, recognizer, square, turned)
            if (probability := _letter_probability(crop, square, known)) > best:
                best, is_read = probability, True
                for name, array in fields.items():
                    array[square] = getattr(crop, name)[square]
    return replace(reading, **fields) if is_read else reading


def _read_crop(
    image_bgr: Image, grid: Grid, recognizer: SquareReader, square: Square, moved: Homography
) -> SquareProbabilities:
    """Read a square where it is after a movement of the grid."""
    window = np.zeros((grid.rows, grid.columns), dtype=np.bool_)
    window[square] = True
    place = replace(grid, image_from_grid=grid.image_from_grid @ moved)
    return read_squares(image_bgr, place, recognizer, window)


def _token_probability(reading: SquareProbabilities, square: Square, token: str) -> float:
    """Return the probability of a tile with a letter, or of a blank, on a square."""
    if token == BLANK:
        return float(reading.occupancy[square][Occupancy.BLANK])
    letter = reading.letters[square][reading.tokens.index(token)]
    return float(min(reading.occupancy[square][Occupancy.TILE], letter))


def _letter_probability(reading: SquareProbabilities, square: Square, known: Mask) -> float:
    """Return the probability of a tile on a square with the most probable letter of the known ones."""
    letter = reading.letters[square][known].max(initial=0.0)
    return float(min(reading.occupancy[square][Occupancy.TILE], letter))
