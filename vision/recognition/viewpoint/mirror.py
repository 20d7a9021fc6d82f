"""Tell a mirrored picture, as many webcams show it: letters and values are read clearly in the mirror only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import BoardPlanes, BoardReading, Mask, RectifiedBoard, SquareProbabilities
from vision.recognition.base import SquareReader, TileReader
from vision.recognition.viewpoint.orientation import vote_turn
from vision.recognition.viewpoint.planes import read_planes

__all__ = ["is_mirrored", "may_be_mirrored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorSettings:
    """Chosen with rendered boards, mirrored and not.

    They were seeds 1000 to 1039 and 6000 to 6023 of `tests.sets.club_boards`, 480 boards of two words of letters that
    look the same in a mirror, and `min_unclarity` photos of the games 8000 to 8039 of `tests.sets.shuffled_games`.

    The unclarity of a board is one minus the mean probability of the most probable letter, value, or turn of its tiles.
    Letters that they cannot have do not count.
    """

    min_unclarity: float = 0.18
    """Unclarity of letters, values and turns together from which on the mirror image is read. Of 713 mirrored boards
    and photos of rendered games all had 0.195 or more; one in twelve of the plain ones has 0.18."""
    min_ratio: float = 1.8
    """Ratio of the unclarity of the letters in the picture and in its mirror image; boards in play have 0.9 at most
    without a mirror."""
    min_differing: int = 3
    """Letters that must differ in the mirror: A, H, I, M, O, T, U, V, W, X and Y do not, and are clearer there by
    chance."""
    min_ratio_of_values: float = 0.5
    """The same of the values where letters are much clearer in the mirror: 0.8 at least on 322 of 323 mirrored boards;
    0.3 on the one of 3,600 others that was taken for a mirrored one."""
    min_value_ratio: float = 3.0
    """Ratio of the unclarity of the values; without a mirror 2.4 at most where letters are no less clear."""
    n_sampled: int = 16
    """Tiles at most that are read in the mirror image first, evenly spread."""
    min_ratio_of_sample: float = 0.8
    """Ratio of the unclarity of their letters and values, in the picture and in its mirror image, from which on all
    tiles are read there: 1.02 or more on 275 mirrored boards and photos of games, 0.9 at most on 72 plain ones."""
    floor: float = 0.005
    """Unclarity as which a smaller one counts."""
    min_letters: int = 5
    """Letters that a board must show."""


SETTINGS = MirrorSettings()


def is_mirrored(reading: BoardReading, reader: SquareReader) -> bool:
    """Tell whether a board, named from the side that is up, was photographed in a mirror.

    Parameters
    ----------
    reading : BoardReading
        The board as it was read.
    reader : SquareReader
        Reads its mirror image, where the board is not read clearly.
    """
    seen = reading.probabilities
    if not may_be_mirrored(seen):
        return False
    planes, squares = reading.planes, seen.shows_letter

    def read_all(planes: Sequence[RectifiedBoard], squares: Mask) -> SquareProbabilities:
        return read_planes(planes, reader, squares=squares).probabilities

    def read_sample(planes: Sequence[RectifiedBoard], sample: Mask) -> SquareProbabilities:
        if isinstance(reader, TileReader):
            return min((reader.read_tiles(plane, sample) for plane in planes), key=_unclarity_of_print)
        return read_all(planes, sample)

    # a reader that reads no tiles alone would read a board of few tiles twice
    if isinstance(reader, TileReader) or squares.sum() > SETTINGS.n_sampled:
        sample = _sample(squares)
        if not any(
            _is_as_clear(each, seen, sample) for _, each in _read_mirrors(planes, sample, read_sample)
        ):
            return False
    mirrored = next(
        (each for turns, each in _read_mirrors(planes, squares, read_all) if _is_clearer(each, seen, turns)),
        None,
    )
    if mirrored is None:
        return False
    # a few letters that were named upside down are unclear too
    turned = BoardPlanes(planes, lambda plane: plane.rotate(2))
    upside_down = read_all(turned, np.rot90(squares, 2))
    return _unclarity_of_print(upside_down) > _unclarity_of_print(mirrored)


def may_be_mirrored(seen: SquareProbabilities) -> bool:
    """Whether the tiles are read so unclearly that the mirror image should be read."""
    if seen.shows_letter.sum() < SETTINGS.min_letters:
        return False
    unclarity = _unclarity_of_print(seen) + _unclarity(seen, seen.turns.max(axis=-1))
    return unclarity >= SETTINGS.min_unclarity


def _sample(squares: Mask) -> Mask:
    """Return some squares, evenly spread."""
    places = np.argwhere(squares)
    n_sampled = min(SETTINGS.n_sampled, len(places))
    chosen = places[np.linspace(0, len(places) - 1, n_sampled).round().astype(int)]
    sample = np.zeros_like(squares)
    sample[tuple(chosen.T)] = True
    return sample


def _read_mirrors(
    planes: Sequence[RectifiedBoard],
    squares: Mask,
    read: Callable[[Sequence[RectifiedBoard], Mask], SquareProbabilities],
) -> Iterator[tuple[int, SquareProbabilities]]:
    """Read squares in the mirror image, then in the mirror image turned as its letters stand, or upside down.

    Yields
    ------
    tuple of int and SquareProbabilities
        Quarter turns of the mirror image, and what was read.
    """
    mirrors, squares = BoardPlanes(planes, _mirror), squares[:, ::-1]
    mirrored = read(mirrors, squares)
    yield 0, mirrored
    turns = vote_turn(mirrored).quarter_turns or 2  # the vote may be wrong by half a turn
    turned = BoardPlanes(mirrors, lambda plane: plane.rotate(turns))
    yield turns, read(turned, np.rot90(squares, turns))


def _is_as_clear(mirrored: SquareProbabilities, seen: SquareProbabilities, sample: Mask) -> bool:
    """Whether the sampled squares are nearly as clear in the mirror image as in the picture, or clearer."""
    in_picture = _unclarity_of_print(seen, sample)
    return in_picture >= SETTINGS.min_ratio_of_sample * _unclarity_of_print(mirrored)


def _is_clearer(mirrored: SquareProbabilities, seen: SquareProbabilities, quarter_turns: int) -> bool:
    """Whether the mirror image, turned and read, shows other letters, or the values, much more clearly."""
    differing = _count_differing(seen, mirrored, quarter_turns)
    shows_others = differing >= SETTINGS.min_differing and _has_clearer_letters(mirrored, seen)
    return shows_others or _has_clearer_values(mirrored, seen)


def _has_clearer_letters(mirrored: SquareProbabilities, seen: SquareProbabilities) -> bool:
    """Whether the mirror image, turned and read, shows much clearer letters, and values that are not less clear.

    One letter of a typeface that the networks do not know makes a board of few tiles unclear.
    """
    before, after = _unclarity_of_letters(seen), _unclarity_of_letters(mirrored)
    return before > SETTINGS.min_ratio * after and (
        _unclarity_of_values(seen) > SETTINGS.min_ratio_of_values * _unclarity_of_values(mirrored)
    )


def _has_clearer_values(mirrored: SquareProbabilities, seen: SquareProbabilities) -> bool:
    """Whether the mirror image, turned and read, shows much clearer values, and letters that are no less clear.

    A value stands on the right of its letter, so that it tells the mirror also next to a letter that does not.
    """
    before, after = _unclarity_of_values(seen), _unclarity_of_values(mirrored)
    return before > SETTINGS.min_value_ratio * after and (
        _unclarity_of_letters(seen) >= _unclarity_of_letters(mirrored)
    )


def _mirror(rectified: RectifiedBoard) -> RectifiedBoard:
    """Swap the left and the right of a rectified board."""
    return replace(rectified, image_bgr=np.asarray(cv2.flip(rectified.image_bgr, 1), np.uint8))


def _unclarity_of_print(reading: SquareProbabilities, squares: Mask | None = None) -> float:
    """Return the unclarity of the letters and of the values together."""
    return _unclarity_of_letters(reading, squares) + _unclarity_of_values(reading, squares)


def _unclarity_of_letters(reading: SquareProbabilities, squares: Mask | None = None) -> float:
    return _unclarity(reading, reading.letter_clarity, squares)


def _unclarity_of_values(reading: SquareProbabilities, squares: Mask | None = None) -> float:
    return _unclarity(reading, reading.values.max(axis=-1), squares)


def _unclarity(
    reading: SquareProbabilities, clarity: NDArray[np.float32], squares: Mask | None = None
) -> float:
    """Return one minus the mean clarity of tiles; 1 without letters, never 0.

    Parameters
    ----------
    reading : SquareProbabilities
        What was read.
    clarity : (rows, columns) float32
        The probability of the most probable letter, value or turn of each square.
    squares : (rows, columns) bool, optional
        The squares that count; those that show a letter by default.
    """
    of_tiles = clarity[reading.shows_letter if squares is None else squares]
    if not len(of_tiles):
        return 1.0
    return max(SETTINGS.floor, 1.0 - float(of_tiles.mean()))


def _count_differing(seen: SquareProbabilities, mirrored: SquareProbabilities, quarter_turns: int) -> int:
    """Count the tiles that show another letter in the mirror image, which was turned back before it was read."""
    there = np.rot90(mirrored.letters.argmax(axis=-1), -quarter_turns)[:, ::-1]
    return int((seen.shows_letter & (there != seen.letters.argmax(axis=-1))).sum())
