"""Rendered pictures of boards with the corners of their grids, for the network that guesses at corners."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from samples import Camera, FontSplit, between, random_camera, random_photo, toss

__all__ = ["CornerView", "augment_view", "random_view", "render_views", "target_maps"]

_KEPT_PX = 288
"""Longer side of a kept picture: half as long again as the network's, for training to crop and turn it."""

_KEPT_QUALITY = 97
_SPREAD, _STEP = 1.2, 4
"""Of a corner in the maps, in places; and pixels of the picture a place of the maps."""

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
Maps = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class CornerView:
    """A picture and where its board lies.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    corners_px : (4, 2) float64
        Corners of the grid, going round.
    """

    image_bgr: Picture
    corners_px: Floats

    @classmethod
    def load(cls, file: Path) -> CornerView:
        """A picture that `render_views` has written."""
        with np.load(file) as kept:
            image = cv2.imdecode(kept["jpeg"], cv2.IMREAD_COLOR)
            return cls(image_bgr=np.asarray(image, np.uint8), corners_px=kept["corners_px"])


def random_view(rng: np.random.Generator, fonts: FontSplit = "train") -> CornerView:
    """A board with few tiles or many, as a camera anywhere above the table sees it, among other things."""
    camera = _random_camera(rng)
    photo = random_photo(
        rng,
        fonts=fonts,
        camera=camera,
        density=between(rng, 0.0, 0.15) if toss(rng, 0.35) else between(rng, 0.1, 0.5),
        things=int(rng.integers(1, 7)) if max(camera.margins) > 0.15 and toss(rng, 0.5) else 0,
    )
    image = photo.image_bgr
    factor = min(1.0, _KEPT_PX / max(image.shape[:2]))
    size = (round(image.shape[1] * factor), round(image.shape[0] * factor))
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    scale = np.array(size) / np.array([image.shape[1], image.shape[0]])
    return CornerView(image_bgr=small, corners_px=(photo.corners_px + 0.5) * scale - 0.5)


def _random_camera(rng: np.random.Generator) -> Camera:
    """As close and straight as people stand, or anywhere; with squares that are small, for nobody has to read them."""
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
    """Write those numbers of a training's pictures, each decided by the seed and its number; known ones are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        file = folder / f"{fonts}-{number:06d}.npz"
        if file.exists():
            continue
        view = random_view(np.random.default_rng([seed, number, fonts == "heldout"]), fonts)
        _, jpeg = cv2.imencode(".jpg", view.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, _KEPT_QUALITY])
        unfinished = file.with_name("." + file.name)
        np.savez(unfinished, jpeg=jpeg, corners_px=view.corners_px)
        unfinished.rename(file)


def augment_view(view: CornerView, height: int, width: int, rng: np.random.Generator) -> CornerView:
    """The view cropped, turned, mirrored, stretched and relit, as a picture of that size in which the board lies."""
    image, corners = view.image_bgr, view.corners_px
    cut = _crop(view, rng)
    wide, high = cut[2] - cut[0]
    turn = _turn(rng, lies=wide > high, wanted=width > height if width != height else None)
    corners_cut = np.array([cut[0], cut[1], cut[2], cut[3]]) - 0.5
    if toss(rng, 0.3):
        corners_cut = corners_cut + rng.normal(size=(4, 2)) * 0.02 * max(image.shape[:2])
    corners_cut = np.roll(corners_cut, turn, axis=0)
    if toss(rng, 0.5):
        corners_cut = corners_cut[[1, 0, 3, 2]]
    side_x, side_y = (float(np.linalg.norm(corners_cut[k] - corners_cut[0])) for k in (1, 3))
    scale = min(width / side_x, height / side_y)
    laid_x = min(width, side_x * scale * between(rng, 1, 1.35))
    laid_y = min(height, side_y * scale * between(rng, 1, 1.35))
    left, top = (width - laid_x) * rng.random(), (height - laid_y) * rng.random()
    target = np.array(
        [[left, top], [left + laid_x, top], [left + laid_x, top + laid_y], [left, top + laid_y]]
    )
    matrix = cv2.getPerspectiveTransform(corners_cut.astype(np.float32), (target - 0.5).astype(np.float32))
    shrunk = math.sqrt(wide * high / (laid_x * laid_y))
    if shrunk > 1.15:  # else single pixels would be sampled, where the reader averages
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.45 * math.sqrt(shrunk**2 - 1)), np.uint8)
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
    """(4, 2) corners of a part of the picture in which the board lies, or of all of it."""
    height, width = view.image_bgr.shape[:2]
    low, high = np.zeros(2), np.array([width, height], np.float64)
    if toss(rng, 0.5):
        first, last = view.corners_px.min(axis=0), view.corners_px.max(axis=0)
        if toss(rng, 0.8):
            low = rng.random(2) * np.clip(first - 1, 0, 0.6 * high)
        high = high - rng.random(2) * np.maximum(high - 2 - last, 0)
    (left, top), (right, bottom) = low, high
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


def _turn(rng: np.random.Generator, *, lies: bool, wanted: bool | None) -> int:
    """Quarter turns: mostly none, but so many that a picture that lies fills one that shall, where one is wanted."""
    turn = int(rng.integers(4)) if toss(rng, 0.3) else 0 if toss(rng, 0.8) else 2
    if wanted is not None and lies != wanted and turn % 2 == 0:
        turn += 1
    return turn


def _relit(image_bgr: Picture, rng: np.random.Generator) -> Picture:
    """Another light, other colours, another camera's noise."""
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
    """What the network shall say of a picture, and where it counts.

    Parameters
    ----------
    corners_px : (4, 2) float64
        Corners of the grid.
    height, width : int
        Of the picture.

    Returns
    -------
    (6, height / 4, width / 4) float32
        How near a corner lies; its offset along x and y; whether the place lies on the grid; where the offset counts,
        in the nine places around a corner; and the places of the corners, one each.
    """
    rows, columns = height // _STEP, width // _STEP
    places = (corners_px + 0.5) / _STEP - 0.5
    maps = np.zeros((6, rows, columns), np.float32)
    y, x = np.mgrid[:rows, :columns]
    for place_x, place_y in places:
        near = np.exp(-((x - place_x) ** 2 + (y - place_y) ** 2) / (2 * _SPREAD**2))
        maps[0] = np.maximum(maps[0], near)
        around = (np.abs(x - round(place_x)) <= 1) & (np.abs(y - round(place_y)) <= 1)
        maps[1][around], maps[2][around] = (place_x - x)[around], (place_y - y)[around]
        maps[4][around] = 1
        maps[5, min(max(round(place_y), 0), rows - 1), min(max(round(place_x), 0), columns - 1)] = 1
    grid = np.zeros((rows, columns), np.uint8)
    cv2.fillPoly(grid, [np.rint(places * 16).astype(np.int32)], (1,), shift=4)
    maps[3] = grid
    return maps
