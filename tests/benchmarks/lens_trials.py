"""Rendered cameras with known lenses: are the lenses recovered, and do boards become straight?

Straightness is measured with the true crossings of the grid, not with visible lines, whose place depends on the print.
Even in photos of these boards from straight above and without distortion, edges appear up to 0.12 cells off the grid
where squares have raised walls that a lamp lights from one side.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.lens.fit import fit_lens
from calibration.lens.target import View, detect_target
from samples import TrueLens
from scoring import load_edition
from tests.support.unknown_club import SHEET, SHEET_MM, Club, draw_pose, photograph_board, render_sheet
from vision.core.geometry import Grid, Homography
from vision.detection import locate
from vision.errors import VisionError
from vision.profile.lens import Lens, LensModel, UndistortedView

__all__ = ["EMPTY", "VIEWS", "LensTrial", "convert_lens", "make_lens", "try_lens"]

VIEWS, FRESH_VIEWS = 15, 6
SIZES = ((1280, 720), (1920, 1080), (1504, 1128))
GRID = np.array([[x, y, 0.0] for x in np.linspace(0, 260, 16) for y in np.linspace(0, 182, 16)])
EMPTY = [["."] * 15 for _ in range(15)]
CROSSINGS = np.stack(np.meshgrid(np.arange(16.0), np.arange(16.0)), axis=-1)
STRAIGHT_PX = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LensTrial:
    """The result of one lens.

    Parameters
    ----------
    focal : float
        Relative error of the focal length.
    grid_px : tuple of float
        Largest error of a grid's point in each view that was not used for the fit.
    seconds : float
        Processor time.
    bent_before, bent_after : float
        Distance of a board's crossings from the flat grid that fits best, without and with the lens model, root
        mean square in cells.
    found_before, found_after : float
        Distance of the crossings from the located grid; not a number where the board was not located.
    """

    focal: float
    grid_px: tuple[float, ...]
    seconds: float
    bent_before: float
    bent_after: float
    found_before: float
    found_after: float


def make_lens(number: int) -> TrueLens:
    """Make a lens: one in five is a fisheye, two in five have a strong barrel distortion."""
    rng = np.random.default_rng([number, 31])
    size = SIZES[number % len(SIZES)]
    centre = (size[0] / 2 + float(rng.normal(0, 10)), size[1] / 2 + float(rng.normal(0, 10)))
    if number % 5 == 4:
        numbers = rng.normal(0, 0.01, 4) * (1, 1, 0.3, 0.1) + (0.02, -0.01, 0, 0)
        return TrueLens(
            focal_px=float(rng.uniform(0.36, 0.5)) * size[0],
            centre_px=centre,
            distortion=tuple(numbers.tolist()),
            size_px=size,
            fisheye=True,
        )
    k1 = float(rng.uniform(-0.35, 0.1) if number % 5 in (1, 3) else rng.uniform(-0.1, 0.05))
    tangent = rng.normal(0, 0.0008, 2).tolist()
    return TrueLens(
        focal_px=float(rng.uniform(0.7, 1.3)) * size[0],
        centre_px=centre,
        distortion=(k1, k1 * k1 * float(rng.uniform(0, 0.6)), *tangent, 0.0),
        size_px=size,
    )


def convert_lens(lens: TrueLens) -> Lens:
    """Convert a lens to the pipeline's type."""
    return Lens(
        model=LensModel.FISHEYE if lens.fisheye else LensModel.RADIAL,
        focal_px=(lens.focal_px, lens.focal_px),
        centre_px=lens.centre_px,
        distortion=lens.distortion,
        size_px=lens.size_px,
    )


def try_lens(number: int) -> LensTrial:
    """Render views of the sheet through a lens, and fit the lens model."""
    cv2.setNumThreads(1)
    lens, rng = make_lens(number), np.random.default_rng([number, 32])
    sheet = render_sheet(SHEET)
    images = []
    for _ in range(VIEWS):
        turn, place = draw_pose(rng, lens, SHEET_MM)
        images.append(lens.photo(sheet, sheet.shape[1] / SHEET_MM[0], turn, place, rng))
    started = time.process_time()
    fitted = fit_lens([detect_target(image, str(index), SHEET) for index, image in enumerate(images)])
    seconds = time.process_time() - started
    away = []
    for _ in range(FRESH_VIEWS):
        turn, place = draw_pose(rng, lens, SHEET_MM)
        away.append(
            float(
                np.linalg.norm(measure_residuals(fitted.lens, lens.project(GRID, turn, place)), axis=1).max()
            )
        )
    image, crossings = photograph_board(lens, Club.english(seed=number).above(EMPTY), number)
    view = UndistortedView.of(fitted.lens, STRAIGHT_PX)
    straight, straight_crossings = view.undistort(image), view.from_photo(crossings)
    return LensTrial(
        focal=abs(fitted.lens.focal_px[0] / lens.focal_px - 1),
        grid_px=tuple(away),
        seconds=seconds,
        bent_before=measure_bend(crossings),
        bent_after=measure_bend(straight_crossings),
        found_before=measure_detection(image, crossings),
        found_after=measure_detection(straight, straight_crossings),
    )


def measure_residuals(lens: Lens, pixels: np.ndarray) -> np.ndarray:
    """Compute the residuals in pixels of a grid's true pixels under a lens model, in the best pose."""
    view = View(name="", points=GRID, pixels=pixels, size_px=lens.size_px)
    _, turn, place = cv2.solvePnP(view.points, lens.unproject(pixels), np.eye(3), None)
    rotation, _ = cv2.Rodrigues(turn)
    solid = GRID @ np.asarray(rotation).T + np.ravel(place)
    return np.asarray(pixels - lens.project(solid[:, :2] / solid[:, 2:]))


def measure_bend(crossings_px: np.ndarray) -> float:
    """Compute the distance of (256, 2) crossings from the flat grid that fits best, root mean square in cells."""
    flat = CROSSINGS.reshape(-1, 2)
    matrix, _ = cv2.findHomography(crossings_px, flat)
    return rms(Homography(matrix=np.asarray(matrix)).apply(crossings_px) - flat)


def measure_detection(image: np.ndarray, crossings_px: np.ndarray) -> float:
    """Compute the distance of the true crossings from the located grid, whichever corner is first."""
    try:
        grid: Grid = locate(image, load_edition("english").layout)
    except VisionError:
        return math.nan
    seen = grid.image_from_grid.inverse.apply(crossings_px)
    return min(rms(seen - np.rot90(CROSSINGS, turn).reshape(-1, 2)) for turn in range(4))


def rms(away: np.ndarray) -> float:
    """Compute the root mean square length of (n, 2) differences."""
    return float(np.sqrt(np.square(away).sum(axis=1).mean()))
