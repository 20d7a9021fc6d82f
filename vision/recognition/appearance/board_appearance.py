"""Weigh the occupancy of ambiguous squares by what empty squares and tiles of this board look like in this light.

One square's pixels cannot always tell. A wooden blank resembles a wooden board, a pale square between tiles a blank,
and the print of a premium square a letter. But a board has many squares of each class (triple word, double letter,
plain), and all its tiles have one kind of face. Three comparisons with the other squares of the photo are added to the
log-odds that there is a tile:

* colour: of the square's middle, with empty squares of its class, lit by a reflection or not, and with tiles;
* print: how much of the print that empty squares of its class show is on it. A lamp's reflection does not remove print;
* edges: whether its sides show the board's lines or the edges of a tile (`square_edges`). A lamp's reflection does not
  move lines.

Each is the log-likelihood ratio of two Cauchy distributions, so that no comparison excludes anything by itself. Their
weights are fitted: ``python -m tests.benchmarks.bench_blanks --fit``.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import Layout
from vision.core import Floats, Mask, Occupancy, RectifiedBoard, freeze, median
from vision.recognition.appearance.square_edges import LAB_WEIGHTS, cauchy_log_ratio, compare_edges

__all__ = [
    "SETTINGS",
    "compare_appearance",
    "face_colours",
    "find_references",
    "may_hold_something",
    "square_classes",
    "weigh_appearance",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppearanceSettings:
    """Weights and thresholds of the comparison. The weights are fitted, the others chosen.

    Parameters
    ----------
    colour_weight, print_weight, edges_weight, bias : float
        Of the three comparisons in the log-odds of a tile, and what is added to them: the nearest of many tiles is
        nearer than the nearest of a few empty squares. Fitted by logistic regression on the ambiguous squares of 300
        rendered boards of `tests.sets.hard_blanks`, typefaces of training.
    min_reference : float
        Probability from which a square is a reference for its kind.
    min_references : int
        Number of references of a kind from which it is known.
    min_of_class : int
        Number of empty squares from which a class is known; otherwise all empty squares are of one class. More tiles
        of one class that touch no other tile are its print, unless their letters are clear.
    min_ambiguous : float
        A square is weighed where both a piece and an empty square have at least this probability.
    colour_scale_lab : float
        Usual Lab distance of squares of one kind, from noise, print and wood grain.
    light_per_board_lab : float
        Lab distance that light adds across the whole board.
    colour_rank : int
        Rank, from 0, of the nearest square that is compared: not the nearest one, which may be misread.
    print_scale : float
        Usual deviation of the share of the print.
    min_print : float
        Power of a class's print over the usual power of noise, from which it is compared.
    min_colour_of_tiles : float
        Log-likelihood ratio of colours from which a square that seems empty is read nevertheless.
    min_unusual_lab : float
        Lab distance from the usual empty square of its class, without a reflection, from which a square that seems
        empty is read nevertheless: on a screen, the last play often has another colour.
    max_unusual : int
        Number of these squares up to which they are read. Where there are more, the light is uneven.
    usual_tile_lab : float
        Distance of tiles from squares on a board with hardly a tile.
    max_log_odds : float
        Log-odds at most that are added.
    max_log_odds_unknown : float
        Log-odds at most against a tile on a board with hardly a tile.
    min_cover_lab : float
        Usual distance of covers from squares, at least.
    cover_scale_lab : float
        Standard deviation of that distance.
    min_dazzling_lightness : float
        L* from which a square shows a reflection.
    """

    colour_weight: float = 1.18
    print_weight: float = 0.79
    edges_weight: float = 0.54
    bias: float = -1.79
    min_reference: float = 0.9
    min_references: int = 5
    min_of_class: int = 3
    min_ambiguous: float = 0.002
    colour_scale_lab: float = 3.0
    light_per_board_lab: float = 4.0
    colour_rank: int = 1
    print_scale: float = 0.5
    min_print: float = 2.0
    min_colour_of_tiles: float = 1.0
    min_unusual_lab: float = 10.0
    max_unusual: int = 16
    usual_tile_lab: float = 8.0
    max_log_odds: float = 6.5
    max_log_odds_unknown: float = 2.0
    min_cover_lab: float = 6.0
    cover_scale_lab: float = 2.0
    min_dazzling_lightness: float = 95.0


SETTINGS = AppearanceSettings()

_FAR = 1e3
"""Distance of a square from itself, so that it is not its own reference."""

_WHITE_LAB = np.array((100, 0, 0), np.float32)

_CELL_PX, _BORDER_PX = 16, 2
"""Side of a cell in the coarse grey board, and the width of its border, which is left out."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _References:
    """What the ambiguous squares are compared with.

    Parameters
    ----------
    squares : (n,) int
        Numbers of the ambiguous squares.
    empties, tiles : (all,) bool
        The squares that are certainly empty, or doubtful in a class of which nearly all are, and those that certainly
        hold a letter.
    classes : (all,) int
        The class of each square; a class with few empty squares is -1.
    """

    squares: NDArray[np.intp]
    empties: Mask
    tiles: Mask
    classes: NDArray[np.intp]

    @property
    def similar(self) -> Mask:
        """(n, all) the empty squares of each ambiguous square's class, without itself."""
        similar = np.stack([self.empties_of(kind) for kind in self.classes[self.squares]])
        similar[np.arange(self.squares.size), self.squares] = False
        return similar

    def empties_of(self, kind: int) -> Mask:
        """(all,) the empty squares of a class; all of them where it has few."""
        return self.empties if kind < 0 else self.empties & (self.classes == kind)

    @property
    def tiles_are_known(self) -> bool:
        """Whether there are enough tiles to compare with."""
        return int(self.tiles.sum()) >= SETTINGS.min_references


def may_hold_something(
    colours: NDArray[np.float32], occupancy: NDArray[np.float32], layout: Layout | None = None
) -> Mask:
    """Find the squares that seem empty, but whose colour is that of tiles, or not that of an empty square.

    A bare tile looks like an empty square, and a tile that a screen highlights like a premium square.

    Parameters
    ----------
    colours : (rows, columns, 3) float32
        From `face_colours`.
    occupancy : (rows, columns, 4) float32
        The occupancy of each square by itself.
    layout : Layout, optional
        As for `weigh_appearance`.

    Returns
    -------
    (rows, columns) bool
        Nowhere if the classes of the squares are unknown.
    """
    result = np.zeros(occupancy.shape[:2], bool)
    classes = square_classes(layout, result.shape)
    if not classes.any():
        return result
    references = find_references(occupancy, occupancy[..., Occupancy.EMPTY] > SETTINGS.min_reference, classes)
    faces, squares = colours.reshape(-1, 3), references.squares
    from_empty, matt = np.zeros((2, len(faces)), np.float32)
    for kind in np.unique(references.classes[references.classes >= 0]):
        usual = median(faces[references.empties_of(kind)], axis=0)
        of_kind = references.classes == kind
        differences = faces[of_kind] - usual
        from_empty[of_kind] = np.linalg.norm(differences, axis=1)
        matt[of_kind] = np.linalg.norm(_remove_reflection(differences, usual), axis=1)
    is_dazzling = faces[:, 0] > SETTINGS.min_dazzling_lightness * LAB_WEIGHTS[0]
    unusual = squares[((matt > SETTINGS.min_unusual_lab) & ~is_dazzling)[squares]]
    if unusual.size > SETTINGS.max_unusual:
        # the premium squares of another layout are there, too, where a turn moves them
        unusual = unusual[~_has_turned_like(colours, references.empties)[unusual]]
    if unusual.size <= SETTINGS.max_unusual:
        result.flat[unusual] = True
    if not references.tiles_are_known:
        return result
    # most squares are far from the usual tile: the costly comparison is for the others
    from_tile = np.linalg.norm(faces - median(faces[references.tiles], axis=0), axis=1)
    squares = squares[(from_tile < from_empty)[squares]]
    if squares.size:
        log_ratio, _ = _compare_colours(colours, replace(references, squares=squares))
        result.flat[squares[log_ratio > SETTINGS.min_colour_of_tiles]] = True
    return result


def _has_turned_like(colours: NDArray[np.float32], empties: Mask) -> Mask:
    """Whether (all,) an empty square of the same colour is where a quarter turn (half if oblong) moves a square."""
    rows, columns, _ = colours.shape
    result = np.zeros(rows * columns, bool)
    for quarter_turns in (1, 3) if rows == columns else (2,):
        turned = np.rot90(colours, quarter_turns)
        is_empty = np.rot90(empties.reshape(rows, columns), quarter_turns)
        is_like = np.linalg.norm(colours - turned, axis=-1) < SETTINGS.min_unusual_lab
        result |= (is_empty & is_like).ravel()
    return result


def weigh_appearance(
    rectified: RectifiedBoard,
    occupancy: NDArray[np.float32],
    layout: Layout | None = None,
    colours: NDArray[np.float32] | None = None,
    letters: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """Return the occupancy after comparing ambiguous squares with the board's tiles and empty squares.

    Parameters
    ----------
    rectified : RectifiedBoard
        The rectified board.
    occupancy : (rows, columns, 4) float32
        The occupancy of each square by itself.
    layout : Layout, optional
        The premium squares. Without it, or where the part of a board is rectified, all squares are of one class.
    colours : (rows, columns, 3) float32, optional
        The board's `face_colours`, where they are known already.
    letters : (rows, columns, n) float32, optional
        The probabilities of the letters; squares that show one clearly are not taken for print.

    Returns
    -------
    (rows, columns, 4) float32
        Unchanged but for print that was taken for tiles, where no square is ambiguous or there is too little to compare
        with.
    """
    classes = square_classes(layout, occupancy.shape[:2])
    letter_probability = letters.max(axis=-1) if letters is not None else np.zeros(classes.shape)
    occupancy = _remove_print(occupancy, classes, letter_probability)
    empty, tile, blank = (occupancy[..., kind] for kind in (Occupancy.EMPTY, Occupancy.TILE, Occupancy.BLANK))
    piece, covered = tile + blank, occupancy[..., Occupancy.COVERED]
    is_ambiguous = (np.minimum(np.maximum(piece, covered), empty) > SETTINGS.min_ambiguous) & (
        empty + piece + covered > 0.5
    )
    if not is_ambiguous.any() or (empty > SETTINGS.min_reference).sum() < SETTINGS.min_references:
        return occupancy
    references = find_references(occupancy, is_ambiguous, classes)
    comparisons, to_empty = compare_appearance(rectified, references, colours)
    weights = (SETTINGS.colour_weight, SETTINGS.print_weight, SETTINGS.edges_weight)
    for_piece = comparisons @ np.array(weights)
    if references.tiles_are_known:
        for_piece = np.clip(for_piece + SETTINGS.bias, -SETTINGS.max_log_odds, SETTINGS.max_log_odds)
    else:
        for_piece = np.clip(for_piece, -SETTINGS.max_log_odds_unknown, 0.0)
    # The colour of covers is not known; but a square that looks like the board is not covered.
    variance = 2 * SETTINGS.cover_scale_lab**2
    against_cover = np.maximum((SETTINGS.min_cover_lab**2 - to_empty**2) / variance, 0)
    at, result = np.nonzero(is_ambiguous), occupancy.copy()
    result[..., Occupancy.TILE][at] *= np.exp(for_piece)
    result[..., Occupancy.BLANK][at] *= np.exp(for_piece)
    result[..., Occupancy.COVERED][at] *= np.exp(-against_cover)
    result[at] /= result[at].sum(axis=-1, keepdims=True)
    return result


@functools.lru_cache(maxsize=16)
def square_classes(layout: Layout | None, shape: tuple[int, ...]) -> NDArray[np.intp]:
    """Return the class (rows, columns) of each square; one class where the layout is unknown.

    The board may be seen from any side, so a layout that differs from its sides is unknown too.
    """
    if layout is None or layout.size != shape:
        return freeze(np.zeros(shape, np.intp), shape, np.intp, "classes")
    premiums = list(type(layout[0, 0]))
    classes = np.array([[premiums.index(premium) for premium in row] for row in layout.premiums])
    for square in layout.start:
        classes[square] = len(premiums)
    turned = np.rot90(classes, 1 if layout.rows == layout.columns else 2)
    known = classes if np.array_equal(classes, turned) else np.zeros(shape, np.intp)
    return freeze(known, shape, np.intp, "classes")


def _remove_print(
    occupancy: NDArray[np.float32], classes: NDArray[np.intp], letter_probability: Floats
) -> NDArray[np.float32]:
    """Return the occupancy without tiles that are the print of premium squares.

    Words connect tiles. Several tiles that touch no other one, on squares with the same print, are that print, unless
    their letters are clear, by the probability (rows, columns) of the most probable one.
    """
    piece = occupancy[..., Occupancy.TILE] + occupancy[..., Occupancy.BLANK]
    around = np.pad(piece + occupancy[..., Occupancy.COVERED] > 0.5, 1)
    touched = around[:-2, 1:-1] | around[2:, 1:-1] | around[1:-1, :-2] | around[1:-1, 2:]
    isolated = (piece > 0.5) & ~touched & (classes > 0) & (classes < classes.max())
    isolated &= occupancy[..., Occupancy.TILE] * letter_probability < SETTINGS.min_reference
    is_printed = np.bincount(classes[isolated], minlength=classes.max() + 1) > SETTINGS.min_of_class
    is_print = isolated & is_printed[classes]
    if not is_print.any():
        return occupancy
    result = occupancy.copy()
    result[is_print] = 0.0
    result[is_print, Occupancy.EMPTY] = 1.0
    return result


def find_references(
    occupancy: NDArray[np.float32], is_ambiguous: Mask, classes: NDArray[np.intp]
) -> _References:
    """Find the squares that each ambiguous square is compared with."""
    kinds = occupancy.reshape(-1, occupancy.shape[-1])
    empties, tiles = (kinds[:, kind] > SETTINGS.min_reference for kind in (Occupancy.EMPTY, Occupancy.TILE))
    classes = classes.ravel()
    # more than that, since a square is not compared with itself
    is_rare = np.bincount(classes[empties], minlength=classes.max() + 1) <= SETTINGS.min_of_class
    # where the whole class is doubtful, it is compared with itself: print looks like print, and blanks are few
    doubtful = is_rare[classes] & (kinds[:, Occupancy.TILE] <= SETTINGS.min_reference)
    is_rare &= np.bincount(classes[doubtful], minlength=is_rare.size) <= SETTINGS.min_of_class
    empties |= doubtful & ~is_rare[classes]
    return _References(
        squares=np.flatnonzero(is_ambiguous),
        empties=empties,
        tiles=tiles,
        classes=np.where(is_rare[classes], -1, classes),
    )


def compare_appearance(
    rectified: RectifiedBoard, references: _References, colours: NDArray[np.float32] | None = None
) -> tuple[Floats, Floats]:
    """Compare the ambiguous squares with their references.

    Returns
    -------
    comparisons : (n, 3) float64
        Log-likelihood ratios of colour, print and edges; positive for a tile.
    to_empty : (n,) float64
        Lab distance from empty squares of the same class.
    """
    colour, to_empty = _compare_colours(face_colours(rectified) if colours is None else colours, references)
    printed = _compare_print(_grey_middles(rectified), references)
    edges = np.zeros(references.squares.size)
    if references.tiles_are_known:
        edges = compare_edges(rectified, references.squares, references.empties, references.tiles)
    return np.stack([colour, printed, edges], axis=1), to_empty


def _compare_colours(colours: NDArray[np.float32], references: _References) -> tuple[Floats, Floats]:
    """Compare the colours; also return the distances from empty squares.

    A reflection on an empty square moves its colour towards white, so that this part of a difference does not count
    for tiles. For covers it counts, unless the reflection dazzles.
    """
    squares, shape = references.squares, colours.shape[:2]
    colours = colours.reshape(-1, 3)
    positions = np.moveaxis(np.indices(shape, np.float32), 0, -1).reshape(-1, 2)
    offsets = np.linalg.norm(positions - positions[squares, None], axis=-1)
    offsets *= SETTINGS.light_per_board_lab / max(shape)
    offsets[np.arange(squares.size), squares] = _FAR
    differences = colours[squares, None] - colours
    distances = np.linalg.norm(differences, axis=-1) + offsets
    matt = np.linalg.norm(_remove_reflection(differences, colours), axis=-1) + offsets
    similar = references.similar
    to_tile = np.full(squares.size, SETTINGS.usual_tile_lab)
    if references.tiles_are_known:
        to_tile = _distance_from(distances[:, references.tiles])
    scale, to_empty = SETTINGS.colour_scale_lab, _distance_from(np.where(similar, distances, _FAR))
    to_lit = _distance_from(np.where(similar, matt, _FAR))
    # a hand or a sheet is rarely as bright as the picture can show; a lamp's reflection is
    is_dazzling = colours[squares, 0] > SETTINGS.min_dazzling_lightness * LAB_WEIGHTS[0]
    return cauchy_log_ratio(to_lit / scale, to_tile / scale), np.where(is_dazzling, to_lit, to_empty)


def _remove_reflection(differences: NDArray[np.float32], colours: NDArray[np.float32]) -> NDArray[np.float32]:
    """Remove from differences (..., 3) to matt colours (..., 3) what a reflection adds: a part towards white."""
    to_white = _WHITE_LAB * LAB_WEIGHTS - colours
    to_white /= np.linalg.norm(to_white, axis=-1, keepdims=True) + 1e-6
    reflected = np.maximum((differences * to_white).sum(axis=-1, keepdims=True), 0)
    return np.asarray(differences - reflected * to_white, np.float32)


def _distance_from(distances: NDArray[np.floating]) -> Floats:
    """Return the distance (n,) from a kind of square, given those from all of its references."""
    return np.asarray(
        np.partition(distances, SETTINGS.colour_rank, axis=1)[:, SETTINGS.colour_rank], np.float64
    )


def _compare_print(middles: Floats, references: _References) -> Floats:
    """Compare the squares' middles with the mean middle of empty squares of their class."""
    middles = middles - middles.mean(axis=1, keepdims=True)
    similar = references.similar.astype(np.float32)
    prints = similar @ middles / np.maximum(similar.sum(axis=1, keepdims=True), 1)
    power = (prints**2).mean(axis=1)
    noise = median((middles[references.empties] ** 2).mean(axis=1))
    share = (middles[references.squares] * prints).mean(axis=1) / np.maximum(power, 1e-6)
    scale = SETTINGS.print_scale
    is_printed = power > SETTINGS.min_print * noise
    return np.where(is_printed, cauchy_log_ratio((share - 1) / scale, share / scale), 0.0)


def _grey_middles(rectified: RectifiedBoard) -> Floats:
    """Return the pixels (squares, pixels) of the squares' middles, grey and coarse."""
    coarse = rectified.resize(_CELL_PX, rectified.margin_px * _CELL_PX // rectified.cell_px)
    grey = cv2.cvtColor(coarse.interior_bgr, cv2.COLOR_BGR2GRAY).astype(np.float64)
    cells = grey.reshape(rectified.rows, _CELL_PX, rectified.columns, _CELL_PX).swapaxes(1, 2)
    middles = cells[..., _BORDER_PX:-_BORDER_PX, _BORDER_PX:-_BORDER_PX]
    return middles.reshape(rectified.rows * rectified.columns, -1)


def face_colours(rectified: RectifiedBoard) -> NDArray[np.float32]:
    """Return the median Lab colour (rows, columns, 3) of each square's middle; ink is too little to move it."""
    rows, columns, cell = rectified.rows, rectified.columns, rectified.cell_px
    border = cell // 4
    cells = rectified.interior_bgr.reshape(rows, cell, columns, cell, 3).swapaxes(1, 2)
    # every second pixel is enough, and is picked before the costly conversion of colours
    picked = cells[:, :, border : cell - border : 2, border : cell - border : 2].astype(np.float32) / 255
    lab = cv2.cvtColor(picked.reshape(rows * columns, -1, 3), cv2.COLOR_BGR2Lab)
    # channels first: each median is of numbers that are next to each other in memory
    faces = median(np.ascontiguousarray(lab.reshape(rows, columns, -1, 3).swapaxes(2, 3)))
    return np.asarray(faces, np.float32) * LAB_WEIGHTS
