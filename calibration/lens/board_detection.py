"""The word board itself as a calibration target: where the crossings of its lines lie in a picture, however bent.

`locate` fits straight lines. Where the lens bends them they lie up to half a cell beside its grid, so that the offsets
are followed outwards from it: a smooth bend is fitted to the edges that are found, the board is looked at through it,
and the edges are measured again.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.target_detection import View
from scoring import Layout
from vision.core import Grid
from vision.detection import edge_profiles, locate
from vision.errors import BoardNotFoundError, InputError

__all__ = ["detect_board_lines", "measure_line_residual"]

Floats = NDArray[np.float64]

_CELL_PX = 24
_KERNEL = 0.06
"""Standard deviation in cells of the smoothing: both sides of a printed line merge into one step."""

_REACH = (0.34, 0.24, 0.16, 0.1)
"""Cells within which an edge is looked for, round by round: half a cell would be the next line's."""

_DEGREE = 4
_CLEAR = 0.25
_MIN_CROSSINGS = 40
_MAX_SCATTER = 0.05
"""Cells: a crossing that lies further off the smooth bend is a tile's edge, a letter or a tooth."""


def detect_board_lines(image_bgr: NDArray[np.uint8], name: str, layout: Layout) -> View:
    """The crossings of the board's lines in a picture; points are in cells.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR. An empty board is best; tiles hide the lines below them.
    name : str
        For messages.
    layout : Layout
        The board's layout.

    Raises
    ------
    InputError
        If no board, or too few of its lines are seen.
    """
    height, width = image_bgr.shape[:2]
    try:
        grid = locate(image_bgr, layout)
    except BoardNotFoundError as error:
        raise InputError(f"{name}: {error}") from error
    crossings, offsets, good = _crossings(image_bgr, grid)
    if good.sum() < _MIN_CROSSINGS:
        raise InputError(
            f"{name}: {good.sum()} crossings of the board's lines are seen, {_MIN_CROSSINGS} at least are needed; "
            "take the tiles off, come closer, or add light"
        )
    # all views name the board from one side, so that their points are the same
    points = np.column_stack([crossings[good], np.zeros(int(good.sum()))])
    pixels = grid.image_from_grid.apply(crossings[good] + offsets[good])
    return View(name=name, points=points, pixels=pixels, size_px=(width, height))


def measure_line_residual(image_bgr: NDArray[np.uint8], grid: Grid) -> float:
    """How far the board's crossings lie beside a grid's, root mean square in cells; not a number where none is seen."""
    _, offsets, good = _crossings(image_bgr, grid)
    return float(np.sqrt(np.square(offsets[good]).sum(axis=1).mean())) if good.any() else float("nan")


def _crossings(image_bgr: NDArray[np.uint8], grid: Grid) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """All crossings (n, 2) of a grid in cells, how far the picture's lie beside them, and which are sure."""
    rows, columns = grid.rows, grid.columns
    x, y = np.meshgrid(np.arange(columns + 1.0), np.arange(rows + 1.0))
    crossings = np.stack([x, y], axis=-1).reshape(-1, 2)
    bend: Floats = np.zeros((_terms(crossings, rows, columns).shape[1], 2))
    measured: Floats = np.zeros_like(crossings)
    sure = np.zeros((len(crossings), 2), bool)
    for reach in _REACH:
        flat = _flat(image_bgr, grid, bend)
        upright, level = (profile.astype(np.float64) for profile in edge_profiles(flat, _CELL_PX, 0))
        # of the margin only the edges on the grid's own rim
        offset_x, sure_x = _at_crossings(upright[1:-1], reach)
        offset_y, sure_y = _at_crossings(level[:, 1:-1].transpose(1, 0, 2), reach)
        shift = np.stack([offset_x, offset_y.T], axis=-1).reshape(-1, 2)
        sure = np.stack([sure_x, sure_y.T], axis=-1).reshape(-1, 2)
        measured = _terms(crossings, rows, columns) @ bend + shift
        bend = np.column_stack(
            [_smooth(crossings, measured[:, axis], sure[:, axis], rows, columns) for axis in (0, 1)]
        )
    scatter = np.abs(measured - _terms(crossings, rows, columns) @ bend)
    return crossings, measured, np.asarray(sure.all(axis=1) & (scatter < _MAX_SCATTER).all(axis=1))


def _flat(image_bgr: NDArray[np.uint8], grid: Grid, bend: Floats) -> NDArray[np.uint8]:
    """The board and a cell around it from straight above, through the bend."""
    shape = ((grid.rows + 2) * _CELL_PX, (grid.columns + 2) * _CELL_PX)
    y, x = (np.mgrid[: shape[0], : shape[1]] + 0.5) / _CELL_PX - 1
    places = np.stack([x, y], axis=-1).reshape(-1, 2)
    pixels = grid.image_from_grid.apply(places + _terms(places, grid.rows, grid.columns) @ bend)
    maps = pixels.astype(np.float32).reshape(*shape, 2)
    flat = cv2.remap(image_bgr, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, np.uint8)


def _terms(places: Floats, rows: int, columns: int) -> Floats:
    """(n, terms) the powers of x and y up to the fourth together, the board being about -1 to 1."""
    middle = np.array([columns, rows]) / 2
    # the margin must not run away
    x, y = (np.clip((places - middle) / middle, -1.1, 1.1)).T
    powers = [x**i * y**j for i in range(_DEGREE + 1) for j in range(_DEGREE + 1 - i)]
    return np.stack(powers, axis=1)


def _at_crossings(profiles: Floats, reach: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Offsets (rows + 1, columns + 1) of upright lines where level ones cross them, from the edges beside."""
    offset, clear = _peaks(profiles, reach)
    before, after = np.pad(offset, ((1, 0), (0, 0))), np.pad(offset, ((0, 1), (0, 0)))
    weight_before, weight_after = np.pad(clear, ((1, 0), (0, 0))), np.pad(clear, ((0, 1), (0, 0)))
    weight = weight_before + weight_after
    mean = np.divide(
        before * weight_before + after * weight_after, weight, out=np.zeros_like(weight), where=weight > 0
    )
    agree = (np.abs(before - after) < 2 * _MAX_SCATTER) | (weight_before == 0) | (weight_after == 0)
    # an edge's offset is that of its middle: a crossing lies between two of them
    both = (weight_before > 0) & (weight_after > 0)
    return mean, (weight > _CLEAR) & agree & both


def _peaks(profiles: Floats, reach: float) -> tuple[Floats, Floats]:
    """Where each profile (..., px) is steepest, in cells from its middle, and how clearly."""
    cell_px = profiles.shape[-1]
    distance = (np.arange(cell_px) - (cell_px - 1) / 2) / cell_px
    smooth = profiles @ np.exp(-0.5 * np.square((distance[:, None] - distance) / _KERNEL))
    top = np.where(np.abs(distance) < reach, smooth, -1.0).argmax(axis=-1)
    inner = np.clip(top, 1, cell_px - 2)[..., None]
    left, middle, right = (np.take_along_axis(smooth, inner + k, axis=-1)[..., 0] for k in (-1, 0, 1))
    bend = left - 2 * middle + right
    vertex = np.divide(0.5 * (left - right), bend, out=np.zeros_like(bend), where=bend < 0)
    clear = 1 - np.median(smooth, axis=-1) / np.maximum(middle, 1e-9)
    peak = (bend < 0) & (middle >= left) & (middle >= right)
    offset = distance[inner[..., 0]] + np.clip(vertex, -1, 1) / cell_px
    return offset, np.where(peak, np.maximum(clear, 0.0), 0.0)


def _smooth(places: Floats, values: Floats, sure: NDArray[np.bool_], rows: int, columns: int) -> Floats:
    """The coefficients of the smooth bend through values, robustly."""
    terms = _terms(places, rows, columns)
    weights = sure.astype(np.float64)
    solution: Floats = np.zeros(terms.shape[1])
    for _ in range(6):
        weighted = terms * weights[:, None]
        normal = weighted.T @ terms + 1e-3 * np.eye(terms.shape[1])
        solution = np.asarray(np.linalg.solve(normal, weighted.T @ values), np.float64)
        away = np.abs(values - terms @ solution)
        spread = 1.4826 * float(np.median(away[sure])) if sure.any() else 1.0
        weights = sure * np.square(np.maximum(1 - np.square(away / (4.685 * max(spread, 0.01))), 0))
    return solution
