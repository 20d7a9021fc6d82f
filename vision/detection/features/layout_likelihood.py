"""What the colours of the squares tell about where a layout lies, tile by tile: hands and tiles speak for no place."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from vision.core import freeze, median
from vision.detection.features.layout_classes import LayoutClasses

__all__ = [
    "FAINTLY_ALIKE",
    "USUALLY_ALIKE",
    "as_printed",
    "block_leads",
    "block_starts",
    "layout_nats",
    "without_slope",
]

USUALLY_ALIKE, FAINTLY_ALIKE = 12.0, 7.0
"""Levels of L*a*b* within which two squares may be printed alike: noise, wear and texts on them; and the same in the
dark or from afar, where the print of different squares differs by no more."""

_ROUGHLY_ALIKE = (18.0, 14.0, 12.0)
"""The same while the light's slope is not yet known well."""

_BLOCKS = 3
_MIN_MEMBERS = 3
_MIN_OF_OTHERS = 0.002

Floats = NDArray[np.float64]


def without_slope(colours: NDArray[np.float32], margin: int) -> NDArray[np.float32]:
    """The colours with the light made even: its slope over the commonest colour is taken off.

    Parameters
    ----------
    colours : (rows, columns, 3) float32
        L*a*b* colours of squares.
    margin : int
        How many squares at each border do not count.
    """
    places, inner = _places(*colours.shape[:2], margin)
    flat = colours.reshape(-1, 3).astype(np.float64)
    apart = _squared_distances(flat[inner], flat[inner])
    commonest = int((apart < _ROUGHLY_ALIKE[0] ** 2).sum(axis=1).argmax())
    on = np.zeros(len(flat), dtype=bool)
    on[np.flatnonzero(inner)[apart[commonest] < (2 * _ROUGHLY_ALIKE[0]) ** 2]] = True
    slope = np.zeros((3, 3))
    for within in _ROUGHLY_ALIKE:
        at = places[on]
        slope = np.asarray(np.linalg.solve(at.T @ at + 1e-9 * np.eye(3), at.T @ flat[on]), np.float64)
        close = inner & (np.square(flat - places @ slope).sum(axis=1) < within**2)
        if close.sum() < 2 * len(slope):
            break
        on = close
    slope[0] = 0.0
    return np.asarray((flat - places @ slope).reshape(colours.shape), dtype=np.float32)


@functools.lru_cache(maxsize=16)
def _places(rows: int, columns: int, margin: int) -> tuple[Floats, NDArray[np.bool_]]:
    """(n, 3) what slopes over squares are made of, and (n,) which of the squares count."""
    y, x = np.mgrid[:rows, :columns]
    places = np.stack([np.ones(x.size), x.ravel() / columns - 0.5, y.ravel() / rows - 0.5], axis=1)
    inner = (np.minimum(x, columns - 1 - x) >= margin) & (np.minimum(y, rows - 1 - y) >= margin)
    return freeze(places, (None, 3), np.float64, "places"), freeze(inner.ravel(), (None,), np.bool_, "inner")


def layout_nats(colours: NDArray[np.float32], pattern: LayoutClasses, alike: float = USUALLY_ALIKE) -> Floats:
    """For each place of the layout, how much better it explains the colours than one colour for all would.

    Parameters
    ----------
    colours : (rows, columns, 3) float32
        L*a*b* colours of squares, at least as many as the layout has.
    pattern : Pattern
        The layout as it would lie there.
    alike : float
        Levels within which two squares are of one colour; `FAINTLY_ALIKE` for faint colours.

    Returns
    -------
    (rows - pattern.rows + 1, columns - pattern.columns + 1) float64
        In nats, 0 where it explains nothing: for each class of premium squares, the log-likelihood ratio of the
        share of its squares that have its commonest colour, against the share of plain squares that have it. What
        covers both alike, as tiles do, gives nothing.

    References
    ----------
    R. R. Sokal, F. J. Rohlf: Biometry, the G-test of independence.
    """
    shape = (colours.shape[0] - pattern.rows + 1, colours.shape[1] - pattern.columns + 1)
    flat = colours.reshape(-1, 3).astype(np.float32)
    same = (_squared_distances(flat, flat) < alike**2).astype(np.float32)
    plain = pattern.plain_class
    total = np.zeros(shape[0] * shape[1])
    seen = _plain_members(pattern, shape, colours.shape[1], len(flat)) @ same
    # (place, square whose colour is taken): share of plain squares of that colour
    among_plain = np.maximum((seen + 0.5) / (int(pattern.plain.sum()) + 1), _MIN_OF_OTHERS)
    for number in range(pattern.class_count):
        squares = _laid(pattern, number, shape, colours.shape[1])
        size = squares.shape[1]
        if number == plain or size < _MIN_MEMBERS:
            continue
        # The square itself does not count: one alone is always of its own colour.
        alike_squares = same[squares[:, :, None], squares[:, None, :]].sum(axis=-1)
        share = np.clip((alike_squares - 1) / (size - 1), 1e-6, 1 - 1e-6)
        others = np.take_along_axis(among_plain, squares, axis=1)
        gain = share * np.log(share / others) + (1 - share) * np.log((1 - share) / (1 - others))
        total += size * np.where(share > others, gain, 0.0).max(axis=-1)
    return np.asarray(total.reshape(shape), dtype=np.float64)


def block_leads(
    colours: NDArray[np.float32],
    pattern: LayoutClasses,
    margin: int,
    alike: float = USUALLY_ALIKE,
    hidden: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """(9,) for each of three by three blocks of the board, by how many squares the layout fits better than beside.

    Below zero, that part of the board wants to lie elsewhere: a corner is off by half a square or more.

    Parameters
    ----------
    colours : (rows + 2 * margin, columns + 2 * margin, 3) float32
        L*a*b* colours of the board's squares and of those around it, the light made even.
    pattern : Pattern
        The layout as it lies in the middle.
    margin : int
        Squares around the board, at least 1.
    alike : float
        Levels within which two squares are of one colour.
    hidden : (rows, columns) bool, optional
        Squares on which something is known to lie; they are left out.
    """
    rows, columns = pattern.rows, pattern.columns
    covered = np.zeros((rows, columns), dtype=bool) if hidden is None else hidden
    board = colours[margin : margin + rows, margin : margin + columns]
    shown = as_printed(board, pattern, alike) & ~covered
    plain = pattern.plain_class
    like = np.zeros((pattern.class_count, *colours.shape[:2]), dtype=bool)
    for number in range(pattern.class_count):
        members = (pattern.classes == number) & shown
        if members.any():
            usual = median(board[members], axis=0)
            like[number] = np.square(colours - usual).sum(axis=-1) < alike**2
    like[:, margin : margin + rows, margin : margin + columns] &= ~covered
    like_plain, like_other = like[plain], like.any(axis=0) & ~like[plain]
    # (row, column, y, x): what the squares look like where each would lie after a shift by one to all sides.
    window = slice(margin - 1, margin + rows + 1), slice(margin - 1, margin + columns + 1)
    shifted = np.lib.stride_tricks.sliding_window_view
    is_plain, is_other = (shifted(one[window], (3, 3)) for one in (like_plain, like_other))
    as_printed_there = shifted(like[:, window[0], window[1]], (3, 3), axis=(1, 2))
    row, column = np.arange(rows)[:, None], np.arange(columns)
    own = as_printed_there[pattern.classes, row, column]
    premium = (own & ~is_plain).astype(np.int64) - (is_plain & ~own)
    score = np.where(pattern.plain[..., None, None], -is_other.astype(np.int64), premium).reshape(
        rows, columns, 9
    )
    bands = np.add.reduceat(score, block_starts(rows), axis=0)
    blocks = np.add.reduceat(bands, block_starts(columns), axis=1).reshape(_BLOCKS**2, 9)
    here, beside = blocks[:, 4], np.delete(blocks, 4, axis=1)
    return np.asarray(here - beside.max(axis=1), dtype=np.int64)


@functools.lru_cache(maxsize=16)
def block_starts(count: int) -> NDArray[np.int64]:
    """Where each of the three blocks begins into which so many rows are divided, the first ones the larger.

    Of two rows the last one is a block twice.
    """
    sizes = count // _BLOCKS + (np.arange(_BLOCKS) < count % _BLOCKS)
    return freeze(np.minimum(np.cumsum(sizes) - sizes, count - 1), (_BLOCKS,), np.int64, "starts")


@functools.lru_cache(maxsize=64)
def _laid(pattern: LayoutClasses, number: int, places: tuple[int, int], columns: int) -> NDArray[np.int64]:
    """(place, member) which of the squares, of so many columns, are of a class if the layout lies at each place."""
    row, column = np.nonzero(pattern.classes == number)
    down, across = np.divmod(np.arange(places[0] * places[1]), places[1])
    squares = (down * columns + across)[:, None] + row * columns + column
    return freeze(squares, (None, None), np.int64, "squares")


@functools.lru_cache(maxsize=16)
def _plain_members(
    pattern: LayoutClasses, places: tuple[int, int], columns: int, squares: int
) -> NDArray[np.float32]:
    """(place, square) 1 where a square is plain if the layout lies at that place, else 0."""
    members = np.zeros((places[0] * places[1], squares), dtype=np.float32)
    np.put_along_axis(members, _laid(pattern, pattern.plain_class, places, columns), 1, axis=1)
    return freeze(members, (None, None), np.float32, "members")


def _squared_distances(first: NDArray[np.floating], second: NDArray[np.floating]) -> NDArray[np.floating]:
    squares = np.square(first).sum(axis=1)[:, None] + np.square(second).sum(axis=1)
    squares -= 2 * first @ second.T
    return np.asarray(squares)


def as_printed(
    colours: NDArray[np.float32], pattern: LayoutClasses, alike: float = USUALLY_ALIKE
) -> NDArray[np.bool_]:
    """Squares that have the commonest colour of their class: nothing covers them.

    Parameters
    ----------
    colours : (rows, columns, 3) float32
        L*a*b* colours of the board's squares, the light made even.
    pattern : Pattern
        The layout as it lies there.
    alike : float
        Levels within which two squares are of one colour.
    """
    flat, classes = colours.reshape(-1, 3), pattern.classes.ravel()
    shown = np.zeros(len(flat), dtype=bool)
    same = _squared_distances(flat, flat) < alike**2
    plain = pattern.plain_class
    among_plain = same[:, classes == plain].mean(axis=1)
    for number in range(pattern.class_count):
        members = classes == number
        # of a premium class the colour that plain squares have less often: tiles lie on both
        share = same[:, members].mean(axis=1) - (0.0 if number == plain else among_plain)
        usual = int(np.where(members, share, -np.inf).argmax())
        shown |= members & same[usual]
    return shown.reshape(pattern.classes.shape)
