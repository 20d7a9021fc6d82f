"""Detect the crossings of the word board's own lines in a picture, however bent, as a calibration target.

`locate` fits straight lines. Lines that the lens bends are up to half a cell off its grid. Their offsets are therefore
found in rounds: a smooth bend is fitted to the edges that are found, the board is straightened by it, and the edges are
measured again.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.target import View
from scoring import Layout
from vision.core import DEVIATION_FROM_MAD, Floats, Grid, Mask
from vision.detection import edge_profiles, locate
from vision.errors import BoardNotFoundError, InputError

__all__ = ["detect_board_lines", "measure_line_residual"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLineSettings:
    """Settings of the detection, chosen; distances are in cells of the board unless stated otherwise."""

    cell_px: int = 24
    """Side of a cell in the straightened picture, in pixels."""
    smoothing: float = 0.06
    """Standard deviation of the smoothing: both sides of a printed line merge into one step."""
    reaches: tuple[float, ...] = (0.34, 0.24, 0.16, 0.1)
    """Search range around the expected edge, round by round: half a cell would reach the next line."""
    degree: int = 4
    """Degree of the polynomial of the bend."""
    min_clearness: float = 0.25
    """Contrast of the edges next to a crossing, as a share of the highest possible, that is needed."""
    min_crossings: int = 40
    """Crossings that a view needs."""
    max_scatter: float = 0.05
    """A crossing farther off the smooth bend is the edge of a tile or a letter."""


SETTINGS = BoardLineSettings()


def detect_board_lines(image_bgr: NDArray[np.uint8], name: str, layout: Layout) -> View:
    """Detect the crossings of the board's lines in a picture; points are in cells.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR. An empty board is best: tiles hide lines.
    name : str
        Name of the picture, for messages.
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
    if good.sum() < SETTINGS.min_crossings:
        raise InputError(
            f"{name}: {good.sum()} crossings of the board's lines are seen, {SETTINGS.min_crossings} at least "
            "are needed; take the tiles off, come closer, or add light"
        )
    # All views number the crossings from one side of the board, so that their points are the same.
    points = np.column_stack([crossings[good], np.zeros(int(good.sum()))])
    pixels = grid.image_from_grid.apply(crossings[good] + offsets[good])
    return View(name=name, points=points, pixels=pixels, size_px=(width, height))


def measure_line_residual(image_bgr: NDArray[np.uint8], grid: Grid) -> float:
    """Measure the root mean square distance of the board's crossings from a grid's, in cells; NaN if none is seen."""
    _, offsets, good = _crossings(image_bgr, grid)
    return float(np.sqrt(np.square(offsets[good]).sum(axis=1).mean())) if good.any() else float("nan")


def _crossings(image_bgr: NDArray[np.uint8], grid: Grid) -> tuple[Floats, Floats, Mask]:
    """Return all crossings (n, 2) of a grid in cells, their offsets in the picture, and which are certain."""
    rows, columns = grid.rows, grid.columns
    x, y = np.meshgrid(np.arange(columns + 1.0), np.arange(rows + 1.0))
    crossings = np.stack([x, y], axis=-1).reshape(-1, 2)
    bend: Floats = np.zeros((_terms(crossings, rows, columns).shape[1], 2))
    measured: Floats = np.zeros_like(crossings)
    sure = np.zeros((len(crossings), 2), bool)
    for reach in SETTINGS.reaches:
        straight = _straighten(image_bgr, grid, bend)
        upright, level = (
            profile.astype(np.float64) for profile in edge_profiles(straight, SETTINGS.cell_px, 0)
        )
        # Of the margin only the edges on the grid's own rim count.
        offset_x, sure_x = _at_crossings(upright[1:-1], reach)
        offset_y, sure_y = _at_crossings(level[:, 1:-1].transpose(1, 0, 2), reach)
        shift = np.stack([offset_x, offset_y.T], axis=-1).reshape(-1, 2)
        sure = np.stack([sure_x, sure_y.T], axis=-1).reshape(-1, 2)
        measured = _terms(crossings, rows, columns) @ bend + shift
        bend = np.column_stack(
            [_fit_bend(crossings, measured[:, axis], sure[:, axis], rows, columns) for axis in (0, 1)]
        )
    scatter = np.abs(measured - _terms(crossings, rows, columns) @ bend)
    return crossings, measured, np.asarray(sure.all(axis=1) & (scatter < SETTINGS.max_scatter).all(axis=1))


def _straighten(image_bgr: NDArray[np.uint8], grid: Grid, bend: Floats) -> NDArray[np.uint8]:
    """Straighten the board and one cell around it, bend included."""
    shape = ((grid.rows + 2) * SETTINGS.cell_px, (grid.columns + 2) * SETTINGS.cell_px)
    y, x = (np.mgrid[: shape[0], : shape[1]] + 0.5) / SETTINGS.cell_px - 1
    points = np.stack([x, y], axis=-1).reshape(-1, 2)
    pixels = grid.image_from_grid.apply(points + _terms(points, grid.rows, grid.columns) @ bend)
    maps = pixels.astype(np.float32).reshape(*shape, 2)
    straight = cv2.remap(
        image_bgr, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(straight, np.uint8)


def _terms(points: Floats, rows: int, columns: int) -> Floats:
    """Return the powers of x and y up to the fourth degree, (n, terms); the board is about -1 to 1."""
    middle = np.array([columns, rows]) / 2
    # Clipped, because a polynomial diverges in the margin.
    x, y = (np.clip((points - middle) / middle, -1.1, 1.1)).T
    powers = [x**i * y**j for i in range(SETTINGS.degree + 1) for j in range(SETTINGS.degree + 1 - i)]
    return np.stack(powers, axis=1)


def _at_crossings(profiles: Floats, reach: float) -> tuple[Floats, Mask]:
    """Return the offsets (rows + 1, columns + 1) of vertical lines at the crossings, from the adjacent edges."""
    offset, clear = _peaks(profiles, reach)
    before, after = np.pad(offset, ((1, 0), (0, 0))), np.pad(offset, ((0, 1), (0, 0)))
    weight_before, weight_after = np.pad(clear, ((1, 0), (0, 0))), np.pad(clear, ((0, 1), (0, 0)))
    weight = weight_before + weight_after
    mean = np.divide(
        before * weight_before + after * weight_after, weight, out=np.zeros_like(weight), where=weight > 0
    )
    agree = (np.abs(before - after) < 2 * SETTINGS.max_scatter) | (weight_before == 0) | (weight_after == 0)
    # An edge's offset is that of its middle: a crossing is between two of them.
    both = (weight_before > 0) & (weight_after > 0)
    return mean, (weight > SETTINGS.min_clearness) & agree & both


def _peaks(profiles: Floats, reach: float) -> tuple[Floats, Floats]:
    """Return where each profile (..., px) is steepest, in cells from its middle, and how clearly."""
    cell_px = profiles.shape[-1]
    distance = (np.arange(cell_px) - (cell_px - 1) / 2) / cell_px
    smooth = profiles @ np.exp(-0.5 * np.square((distance[:, None] - distance) / SETTINGS.smoothing))
    top = np.where(np.abs(distance) < reach, smooth, -1.0).argmax(axis=-1)
    inner = np.clip(top, 1, cell_px - 2)[..., None]
    left, middle, right = (np.take_along_axis(smooth, inner + k, axis=-1)[..., 0] for k in (-1, 0, 1))
    bend = left - 2 * middle + right
    vertex = np.divide(0.5 * (left - right), bend, out=np.zeros_like(bend), where=bend < 0)
    clear = 1 - np.median(smooth, axis=-1) / np.maximum(middle, 1e-9)
    peak = (bend < 0) & (middle >= left) & (middle >= right)
    offset = distance[inner[..., 0]] + np.clip(vertex, -1, 1) / cell_px
    return offset, np.where(peak, np.maximum(clear, 0.0), 0.0)


def _fit_bend(points: Floats, values: Floats, sure: Mask, rows: int, columns: int) -> Floats:
    """Fit the coefficients of the smooth bend to values, by iteratively reweighted least squares (bisquare)."""
    terms = _terms(points, rows, columns)
    weights = sure.astype(np.float64)
    solution: Floats = np.zeros(terms.shape[1])
    for _ in range(6):
        weighted = terms * weights[:, None]
        normal = weighted.T @ terms + 1e-3 * np.eye(terms.shape[1])
        solution = np.asarray(np.linalg.solve(normal, weighted.T @ values), np.float64)
        away = np.abs(values - terms @ solution)
        spread = DEVIATION_FROM_MAD * float(np.median(away[sure])) if sure.any() else 1.0
        weights = sure * np.square(np.maximum(1 - np.square(away / (4.685 * max(spread, 0.01))), 0))
    return solution
