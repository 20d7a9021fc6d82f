"""How well the colours of the squares agree with a position of the layout.

`LayoutClasses` tells which squares are printed alike, whatever their colours are. All measures are robust to hands and
tiles: what covers premium and plain squares alike favours no position.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import Layout, Premium
from vision.core import Floats, Mask, freeze, grid_outline, median
from vision.detection.features.cell_colours import squared_distances

__all__ = [
    "SETTINGS",
    "LayoutClasses",
    "block_margins",
    "explained_variance",
    "layout_log_likelihood_ratio",
    "unoccluded_squares",
]

Colours = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutLikelihoodSettings:
    """Colour tolerances, in levels of 8-bit L*a*b*, and minimum numbers of squares.

    Values without a source are chosen.
    """

    same_colour: float = 12.0
    """Distance within which two squares may be printed alike: noise, wear and texts on them."""
    same_faint_colour: float = 7.0
    """The distance in the dark or from afar, where the print of different squares differs by no more."""
    blocks: int = 3
    """The board is divided into this number of blocks along each side."""
    min_class_squares: int = 3
    """Squares in view from which a class counts: a single one always agrees with itself."""


SETTINGS = LayoutLikelihoodSettings()


def explained_variance(colours: Colours, classes: LayoutClasses, weights: Floats | None = None) -> Floats:
    """Compute the share of the colours' variance that the layout explains at each position.

    Parameters
    ----------
    colours : (rows, columns, 3) float32
        Colours of the cells, at least as many as the layout has.
    classes : LayoutClasses
        The layout.
    weights : (rows, columns) float64, optional
        Weight of each cell; 0 for one that a tile covers.

    Returns
    -------
    (rows - classes.rows + 1, columns - classes.columns + 1) float64
        Adjusted R² of an analysis of variance: at most 1, about 0 by chance, and independent of the board's colours.
    """
    squares = classes.rows * classes.columns
    weight = np.ones(colours.shape[:2]) if weights is None else weights
    layers = np.concatenate(
        [
            weight[..., None],
            colours * weight[..., None],
            np.square(colours, dtype=np.float64).sum(axis=-1, keepdims=True) * weight[..., None],
        ],
        axis=-1,
    )
    windows = np.lib.stride_tricks.sliding_window_view(layers, (classes.rows, classes.columns), axis=(0, 1))
    members = np.eye(classes.class_count)[classes.classes.ravel()]
    sums = windows.reshape(*windows.shape[:3], squares) @ members  # (y, x, layer, class)
    sums = np.where(sums[..., :1, :] >= SETTINGS.min_class_squares, sums, 0.0)
    counts, moments, powers = sums[..., 0, :], sums[..., 1:4, :], sums[..., 4, :].sum(axis=-1)
    number = np.maximum(counts.sum(axis=-1), 1e-9)
    mean_power = np.square(moments.sum(axis=-1)).sum(axis=-1) / number
    total = powers - mean_power
    between = (np.square(moments).sum(axis=-2) / np.maximum(counts, 1e-9)).sum(axis=-1) - mean_power
    visible = (counts > 0).sum(axis=-1)
    residual = (total - between) * (number - 1) / np.maximum(number - visible, 1)
    share: Floats = 1 - residual / np.maximum(total, 1e-6)
    # Less than one level of scatter per cell is no colour at all.
    is_valid = (total > number) & (visible > 1)
    return np.where(is_valid, share, 0.0)


def layout_log_likelihood_ratio(
    colours: Colours, classes: LayoutClasses, tolerance: float = SETTINGS.same_colour
) -> Floats:
    """Compare the layout with a board of one colour, at each position.

    Parameters
    ----------
    colours : (rows, columns, 3) float32
        L*a*b* colours of squares, at least as many as the layout has.
    classes : LayoutClasses
        The layout.
    tolerance : float
        Levels within which two squares have one colour; `SETTINGS.same_faint_colour` for faint colours.

    Returns
    -------
    (rows - classes.rows + 1, columns - classes.columns + 1) float64
        In nats; 0 where the layout explains nothing. Each class of premium squares adds the log-likelihood ratio of
        the share of its squares that have its commonest colour, against the share of plain squares that have it.
        What covers both alike, as tiles do, adds nothing.

    References
    ----------
    R. R. Sokal, F. J. Rohlf: Biometry, the G-test of independence.
    """
    shape = (colours.shape[0] - classes.rows + 1, colours.shape[1] - classes.columns + 1)
    flat = colours.reshape(-1, 3).astype(np.float32)
    same = (squared_distances(flat, flat) < tolerance**2).astype(np.float32)
    plain = classes.plain_class
    total = np.zeros(shape[0] * shape[1])
    plain_count = _plain_members(classes, shape, colours.shape[1], len(flat)) @ same
    # (position, square whose colour is taken): share of plain squares of that colour
    among_plain = (plain_count + 0.5) / (int(classes.plain.sum()) + 1)
    for number in range(classes.class_count):
        squares = _class_members(classes, number, shape, colours.shape[1])
        size = squares.shape[1]
        if number == plain or size < SETTINGS.min_class_squares:
            continue
        # The square itself does not count: it always has its own colour.
        same_count = same[squares[:, :, None], squares[:, None, :]].sum(axis=-1)
        share = np.clip((same_count - 1) / (size - 1), 1e-6, 1 - 1e-6)
        others = np.take_along_axis(among_plain, squares, axis=1)
        gain = share * np.log(share / others) + (1 - share) * np.log((1 - share) / (1 - others))
        total += size * np.where(share > others, gain, 0.0).max(axis=-1)
    return np.asarray(total.reshape(shape), dtype=np.float64)


@functools.lru_cache(maxsize=64)
def _class_members(
    classes: LayoutClasses, number: int, positions: tuple[int, int], columns: int
) -> NDArray[np.int64]:
    """(position, member) indices of the squares of a class at each position, among squares of `columns` columns."""
    row, column = np.nonzero(classes.classes == number)
    down, across = np.divmod(np.arange(positions[0] * positions[1]), positions[1])
    squares = (down * columns + across)[:, None] + row * columns + column
    return freeze(squares, (None, None), np.int64, "squares")


@functools.lru_cache(maxsize=16)
def _plain_members(classes: LayoutClasses, positions: tuple[int, int], columns: int, squares: int) -> Colours:
    """(position, square) 1 where a square is plain at that position of the layout, else 0."""
    members = np.zeros((positions[0] * positions[1], squares), dtype=np.float32)
    np.put_along_axis(members, _class_members(classes, classes.plain_class, positions, columns), 1, axis=1)
    return freeze(members, (None, None), np.float32, "members")


def unoccluded_squares(
    colours: Colours, classes: LayoutClasses, tolerance: float = SETTINGS.same_colour
) -> Mask:
    """Find the squares that have the commonest colour of their class, so that nothing covers them.

    Parameters
    ----------
    colours : (rows, columns, 3) float32
        L*a*b* colours of the board's squares, with flat illumination.
    classes : LayoutClasses
        The layout.
    tolerance : float
        Levels within which two squares have one colour.

    Returns
    -------
    (rows, columns) bool
    """
    flat, numbers = colours.reshape(-1, 3), classes.classes.ravel()
    visible = np.zeros(len(flat), dtype=bool)
    same = squared_distances(flat, flat) < tolerance**2
    plain = classes.plain_class
    among_plain = same[:, numbers == plain].mean(axis=1)
    for number in range(classes.class_count):
        members = numbers == number
        # Of a premium class, take the colour that plain squares have less often: tiles are on both.
        share = same[:, members].mean(axis=1) - (0.0 if number == plain else among_plain)
        commonest = int(np.where(members, share, -np.inf).argmax())
        visible |= members & same[commonest]
    return visible.reshape(classes.classes.shape)


def block_margins(
    colours: Colours,
    classes: LayoutClasses,
    margin: int,
    occluded: Mask,
    tolerance: float = SETTINGS.same_colour,
) -> NDArray[np.int64]:
    """Compare the layout's position with its eight neighbours, for each of 3 x 3 blocks of the board.

    Parameters
    ----------
    colours : (rows + 2 * margin, columns + 2 * margin, 3) float32
        L*a*b* colours of the board's squares and of those around it, with flat illumination.
    classes : LayoutClasses
        The layout.
    margin : int
        Number of squares around the board, at least 1.
    occluded : (rows, columns) bool
        Squares that are known to be covered; they are left out.
    tolerance : float
        Levels within which two squares have one colour.

    Returns
    -------
    (9,) int64
        Squares that fit here, less those that fit at the best shift by one square. Below zero, a corner is probably
        off by half a square or more.
    """
    rows, columns = classes.rows, classes.columns
    board = colours[margin : margin + rows, margin : margin + columns]
    visible = unoccluded_squares(board, classes, tolerance) & ~occluded
    plain = classes.plain_class
    has_colour = np.zeros((classes.class_count, *colours.shape[:2]), dtype=bool)
    for number in range(classes.class_count):
        members = (classes.classes == number) & visible
        if members.any():
            usual = median(board[members], axis=0)
            has_colour[number] = np.square(colours - usual).sum(axis=-1) < tolerance**2
    has_colour[:, margin : margin + rows, margin : margin + columns] &= ~occluded
    is_plain, is_premium = has_colour[plain], has_colour.any(axis=0) & ~has_colour[plain]
    # (row, column, y, x): the colours at each square after a shift by one in all directions.
    window = slice(margin - 1, margin + rows + 1), slice(margin - 1, margin + columns + 1)
    shifted = np.lib.stride_tricks.sliding_window_view
    plain_there, premium_there = (shifted(mask[window], (3, 3)) for mask in (is_plain, is_premium))
    class_there = shifted(has_colour[:, window[0], window[1]], (3, 3), axis=(1, 2))
    row, column = np.arange(rows)[:, None], np.arange(columns)
    own_there = class_there[classes.classes, row, column]
    premium_score = (own_there & ~plain_there).astype(np.int64) - (plain_there & ~own_there)
    score = np.where(classes.plain[..., None, None], -premium_there.astype(np.int64), premium_score)
    bands = np.add.reduceat(score.reshape(rows, columns, 9), block_starts(rows), axis=0)
    blocks = np.add.reduceat(bands, block_starts(columns), axis=1).reshape(SETTINGS.blocks**2, 9)
    here, elsewhere = blocks[:, 4], np.delete(blocks, 4, axis=1)
    return np.asarray(here - elsewhere.max(axis=1), dtype=np.int64)


@functools.lru_cache(maxsize=16)
def block_starts(count: int) -> NDArray[np.int64]:
    """(3,) first row of each of three blocks of `count` rows, the first ones the larger.

    With two rows the last one is a block twice.
    """
    sizes = count // SETTINGS.blocks + (np.arange(SETTINGS.blocks) < count % SETTINGS.blocks)
    return freeze(np.minimum(np.cumsum(sizes) - sizes, count - 1), (SETTINGS.blocks,), np.int64, "starts")


@dataclass(frozen=True, slots=True, eq=False)
class LayoutClasses:
    """A label map of the board: squares of one class are printed alike.

    Parameters
    ----------
    classes : (rows, columns) int64
        Class of each square, counted from 0.
    """

    classes: NDArray[np.int64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", freeze(self.classes, (None, None), np.int64, "classes"))

    @classmethod
    @functools.lru_cache(maxsize=16)
    def from_layout(cls, layout: Layout) -> LayoutClasses:
        """Number the premium squares of a layout by kind; the result is the same object each time."""
        numbers: dict[Premium, int] = {}
        classes = [[numbers.setdefault(premium, len(numbers)) for premium in row] for row in layout.premiums]
        return cls(classes=np.array(classes))

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.classes.shape[0])

    @property
    def columns(self) -> int:
        """Number of columns."""
        return int(self.classes.shape[1])

    @property
    def corners(self) -> Floats:
        """(4, 2) outer corners TL TR BR BL of the grid, in cells."""
        return grid_outline(self.rows, self.columns)

    @property
    def centre(self) -> Floats:
        """(2,) centre of the grid, in cells."""
        return np.array([self.columns, self.rows]) / 2

    @property
    def class_count(self) -> int:
        """Number of different classes; with 1 the layout says nothing about the position."""
        return int(self.classes.max()) + 1

    @property
    def plain(self) -> Mask:
        """(rows, columns) squares of the largest class."""
        plain: Mask = self.classes == self.plain_class
        return plain

    @property
    def plain_class(self) -> int:
        """The class with the most squares."""
        return int(np.bincount(self.classes.ravel()).argmax())

    @functools.lru_cache(maxsize=64)  # noqa: B019 - layouts are few, and kept anyway
    def finest_symmetric(self) -> LayoutClasses:
        """Number the squares so that only those have one class that have it on every symmetric board of this size."""
        squares = np.arange(self.classes.size).reshape(self.classes.shape)
        quarters = (squares, squares[::-1], squares[:, ::-1], squares[::-1, ::-1])
        symmetric = [*quarters, *(each.T for each in quarters)] if self.rows == self.columns else quarters
        _, numbers = np.unique(np.min(symmetric, axis=0), return_inverse=True)
        return LayoutClasses(classes=numbers.reshape(self.classes.shape))

    @functools.lru_cache(maxsize=64)  # noqa: B019 - layouts are few, and kept anyway
    def rotate(self, quarter_turns: int) -> LayoutClasses:
        """Rotate the board clockwise; the result is the same object each time."""
        return LayoutClasses(classes=np.rot90(self.classes, -quarter_turns))

    def distinct_rotations(self) -> tuple[int, ...]:
        """Clockwise quarter turns that look different; ``(0,)`` for the usual symmetric board."""
        distinct: list[tuple[int, NDArray[np.int64]]] = []
        for turn in range(4):
            classes = np.rot90(self.classes, -turn)
            if not any(np.array_equal(classes, other) for _, other in distinct):
                distinct.append((turn, classes))
        return tuple(turn for turn, _ in distinct)
