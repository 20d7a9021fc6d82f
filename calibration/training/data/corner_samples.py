"""Rendered pictures of boards with the corners of their grids, for the corner network."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from samples import Camera, FontSplit, between, random_camera, random_photo, toss

__all__ = ["CornerView", "augment_view", "random_view", "render_views", "target_maps"]

KEPT_PX = 288
"""Longer side of a kept picture: 1.5 times the network's, for augmentation."""
KEPT_JPEG_QUALITY = 97
"""JPEG quality of a kept picture, of 100; chosen."""
CORNER_SD = 1.2
"""Standard deviation of a corner's peak in the target map, in cells of the map; chosen."""
STRIDE_PX = 4
"""Pixels of the picture per cell of the maps."""

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
Maps = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class CornerView:
    """A picture and the corners of its board.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    corners_px : (4, 2) float64
        Corners of the grid, in order around it.
    """

    image_bgr: Picture
    corners_px: Floats

    @classmethod
    def load(cls, file: Path) -> CornerView:
        """Load a picture that `render_views` has written."""
        with np.load(file) as kept:
            image = cv2.imdecode(kept["jpeg"], cv2.IMREAD_COLOR)
            return cls(image_bgr=np.asarray(image, np.uint8), corners_px=kept["corners_px"])


def random_view(rng: np.random.Generator, fonts: FontSplit = "train") -> CornerView:
    """Render a board with few tiles or many, seen from anywhere above the table, with other things around it."""
    camera = _random_camera(rng)
    photo = random_photo(
        rng,
        fonts=fonts,
        camera=camera,
        density=between(rng, 0.0, 0.15) if toss(rng, 0.35) else between(rng, 0.1, 0.5),
        things=int(rng.integers(1, 7)) if max(camera.margins) > 0.15 and toss(rng, 0.5) else 0,
    )
    image = photo.image_bgr
    factor = min(1.0, KEPT_PX / max(image.shape[:2]))
    size = (round(image.shape[1] * factor), round(image.shape[0] * factor))
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    scale = np.array(size) / np.array([image.shape[1], image.shape[0]])
    return CornerView(image_bgr=small, corners_px=(photo.corners_px + 0.5) * scale - 0.5)


def _random_camera(rng: np.random.Generator) -> Camera:
    """Draw a camera, near and straight or anywhere, with small squares: nobody has to read them."""
    if toss(rng, 0.35):
        return replace(random_camera(rng), cell_px=between(rng, 13, 20))
    tilt = between(rng, 0, 60)
    loose = between(rng, 0.0, 0.08) if toss(rng, 0.4) else between(rng, 0.05, 1.0)
    left, top, right, bottom = (loose * between(rng, 0.1, 1.0) for _ in range(4))
    return Camera(
        cell_px=between(rng, 12, 18) / math.sqrt(math.cos(math.radians(tilt))),
        tilt_deg=tilt,
        azimuth_deg=between(rng, -180, 180) if toss(rng, 0.6) else float(rng.normal(0, 25)),
        roll_deg=between(rng, -180, 180) if toss(rng, 0.4) else float(rng.normal(0, 8)),
        distance=between(rng, 1.3, 3.5),
        margins=(left, top, right, bottom),
        bow=float(np.clip(rng.normal(0, 0.012), -0.03, 0.03)) if toss(rng, 0.2) else 0.0,
    )


def render_views(folder: Path, fonts: FontSplit, seed: int, numbers: range) -> None:
    """Render the pictures with these numbers unless they exist; the seed and the number decide each of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        file = folder / f"{fonts}-{number:06d}.npz"
        if file.exists():
            continue
        view = random_view(np.random.default_rng([seed, number, fonts == "heldout"]), fonts)
        _, jpeg = cv2.imencode(".jpg", view.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, KEPT_JPEG_QUALITY])
        unfinished = file.with_name("." + file.name)
        np.savez(unfinished, jpeg=jpeg, corners_px=view.corners_px)
        unfinished.rename(file)


def augment_view(view: CornerView, height: int, width: int, rng: np.random.Generator) -> CornerView:
    """Crop, rotate, mirror, stretch and relight a view at random, to a picture of this size that shows the board."""
    image, corners = view.image_bgr, view.corners_px
    cut = _crop(view, rng)
    wide, high = cut[2] - cut[0]
    turn = _draw_quarter_turns(
        rng, is_landscape=wide > high, wants_landscape=width > height if width != height else None
    )
    corners_cut = np.array([cut[0], cut[1], cut[2], cut[3]]) - 0.5
    if toss(rng, 0.3):
        corners_cut = corners_cut + rng.normal(size=(4, 2)) * 0.02 * max(image.shape[:2])
    corners_cut = np.roll(corners_cut, turn, axis=0)
    if toss(rng, 0.5):
        corners_cut = corners_cut[[1, 0, 3, 2]]
    side_x, side_y = (float(np.linalg.norm(corners_cut[k] - corners_cut[0])) for k in (1, 3))
    scale = min(width / side_x, height / side_y)
    size_x = min(width, side_x * scale * between(rng, 1, 1.35))
    size_y = min(height, side_y * scale * between(rng, 1, 1.35))
    left, top = (width - size_x) * rng.random(), (height - size_y) * rng.random()
    target = np.array(
        [[left, top], [left + size_x, top], [left + size_x, top + size_y], [left, top + size_y]]
    )
    matrix = cv2.getPerspectiveTransform(corners_cut.astype(np.float32), (target - 0.5).astype(np.float32))
    shrinkage = math.sqrt(wide * high / (size_x * size_y))
    if shrinkage > 1.15:  # otherwise single pixels would be sampled where the reader averages
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.45 * math.sqrt(shrinkage**2 - 1)), np.uint8)
    seen = cv2.warpPerspective(
        image,
        matrix,
        (width, height),
        flags=cv2.INTER_LINEAR,
        borderMode=(cv2.BORDER_REPLICATE, cv2.BORDER_CONSTANT, cv2.BORDER_REFLECT_101)[rng.integers(3)],
        borderValue=tuple(float(level) for level in rng.uniform(0, 255, 3)),
    )
    placed = cv2.perspectiveTransform(corners[np.newaxis], matrix.astype(np.float64))[0]
    return CornerView(image_bgr=_relit(np.asarray(seen, np.uint8), rng), corners_px=np.asarray(placed))


def _crop(view: CornerView, rng: np.random.Generator) -> Floats:
    """Return the corners, (4, 2), of a random part of the picture that contains the board, or of all of it."""
    height, width = view.image_bgr.shape[:2]
    low, high = np.zeros(2), np.array([width, height], np.float64)
    if toss(rng, 0.5):
        first, last = view.corners_px.min(axis=0), view.corners_px.max(axis=0)
        if toss(rng, 0.8):
            low = rng.random(2) * np.clip(first - 1, 0, 0.6 * high)
        high = high - rng.random(2) * np.maximum(high - 2 - last, 0)
    (left, top), (right, bottom) = low, high
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


def _draw_quarter_turns(rng: np.random.Generator, *, is_landscape: bool, wants_landscape: bool | None) -> int:
    """Draw quarter turns, mostly none, with one more where the picture's format is not the wanted one."""
    turn = int(rng.integers(4)) if toss(rng, 0.3) else 0 if toss(rng, 0.8) else 2
    if wants_landscape is not None and is_landscape != wants_landscape and turn % 2 == 0:
        turn += 1
    return turn


def _relit(image_bgr: Picture, rng: np.random.Generator) -> Picture:
    """Change light, colours and noise at random."""
    light = image_bgr.astype(np.float64)
    if toss(rng, 0.5):
        light *= rng.uniform(0.75, 1.25, 3)
    if toss(rng, 0.1):
        light[:] = light.mean(axis=2, keepdims=True)
    if toss(rng, 0.3):
        light = 255 * np.clip(light / 255, 0, 1) ** between(rng, 0.6, 1.6)
    if toss(rng, 0.4):
        light += rng.normal(size=light.shape) * between(rng, 0, 8)
    return np.clip(light, 0, 255).astype(np.uint8)


def target_maps(corners_px: Floats, height: int, width: int) -> Maps:
    """Compute the target maps of a picture, and the weights of the offsets.

    Parameters
    ----------
    corners_px : (4, 2) float64
        Corners of the grid.
    height, width : int
        Size of the picture.

    Returns
    -------
    (6, height / 4, width / 4) float32
        Proximity of a corner; its offset along x and y; the mask of the grid; the mask of the offsets that count, nine
        cells around each corner; and the cells of the corners.
    """
    rows, columns = height // STRIDE_PX, width // STRIDE_PX
    corners = (corners_px + 0.5) / STRIDE_PX - 0.5
    maps = np.zeros((6, rows, columns), np.float32)
    y, x = np.mgrid[:rows, :columns]
    for corner_x, corner_y in corners:
        near = np.exp(-((x - corner_x) ** 2 + (y - corner_y) ** 2) / (2 * CORNER_SD**2))
        maps[0] = np.maximum(maps[0], near)
        around = (np.abs(x - round(corner_x)) <= 1) & (np.abs(y - round(corner_y)) <= 1)
        maps[1][around], maps[2][around] = (corner_x - x)[around], (corner_y - y)[around]
        maps[4][around] = 1
        maps[5, min(max(round(corner_y), 0), rows - 1), min(max(round(corner_x), 0), columns - 1)] = 1
    grid = np.zeros((rows, columns), np.uint8)
    cv2.fillPoly(grid, [np.rint(corners * 16).astype(np.int32)], (1,), shift=4)
    maps[3] = grid
    return maps
