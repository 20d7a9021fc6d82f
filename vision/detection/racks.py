"""Detection of rows of tiles, as on a rack. The reader decides which of them is the rack."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import cv2
import numpy as np

from vision.core import Floats, Image, rescale_pixels

__all__ = ["find_tile_rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TileRowSettings:
    """Size and shape of rows of tiles. Values without a source are chosen."""

    working_px: int = 640
    """Longer side of the image in which tiles are searched."""
    min_tile_share: float = 0.02
    """Smallest side of a tile, as a share of the image's longer side."""
    max_tile_share: float = 0.5
    """Largest side of a tile, as a share of the image's longer side."""
    min_fill: float = 0.72
    """Share of the rectangle around it that a row of tiles fills."""
    max_aspect: float = 9.0
    """Length of a row in tiles."""
    max_height_ratio: float = 1.35
    """Ratio of heights up to which two regions may be of one row."""
    max_rows: int = 12
    """Number of rows that are returned."""
    max_image_share: float = 0.9
    """Share of the image's area from which a region is the image itself."""
    min_length: float = 0.6
    """Length of a region in tiles, from which its direction is used."""
    max_row_offset: float = 0.4
    """Distance across a row, in tiles, within which regions are joined."""
    min_square_side_ratio: float = 0.8
    """Ratio of sides from which a region is a single tile, whose direction is not known."""
    same_row_distance: float = 0.12
    """Distance of corners, in tiles, within which two rows are one."""


SETTINGS = TileRowSettings()


def find_tile_rows(image_bgr: Image) -> tuple[Floats, ...]:
    """Find places that may be a row of tiles, the largest first.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The image, BGR.

    Returns
    -------
    tuple of (4, 2) float64
        Corners TL TR BR BL of the rectangle around each, in pixels; its shorter sides are one tile high.
    """
    shorter_px, longer_px = sorted(image_bgr.shape[:2])
    if shorter_px < SETTINGS.min_tile_share * longer_px:  # shrunk, the picture may have no pixels
        return ()
    scale = min(1.0, SETTINGS.working_px / longer_px)
    small = cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    smooth = cv2.bilateralFilter(small, 5, 30, 5)
    lab = cv2.cvtColor(smooth, cv2.COLOR_BGR2Lab)
    regions: list[tuple[Floats, Floats]] = []
    for channel, is_global in itertools.product(range(3), (True, False)):
        for mask in _threshold(np.asarray(lab[..., channel], np.uint8), is_global=is_global):
            regions += _find_regions(mask)
    rows = _join_regions(regions)
    rows.sort(key=lambda row: -cv2.contourArea(row.astype(np.float32)))
    return tuple(rescale_pixels(row, 1 / scale) for row in _distinct_rows(rows)[: SETTINGS.max_rows])


def _threshold(channel: Image, *, is_global: bool) -> list[Image]:
    """Separate the channel's light and dark parts, over the whole image or relative to the neighbourhood."""
    if is_global:
        _, light = cv2.threshold(channel, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    else:
        side = max(3, (min(channel.shape) // 3) | 1)
        light = cv2.adaptiveThreshold(channel, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, side, -4)
    return [np.asarray(light, np.uint8), np.asarray(255 - light, np.uint8)]


def _find_regions(mask: Image) -> list[tuple[Floats, Floats]]:
    """Find rows of tiles, or single tiles, in a mask.

    Returns
    -------
    list of (contour, corners)
        The contour's (n, 2) points, and the (4, 2) corners of the rectangle around it.
    """
    regions, longer_px = [], max(mask.shape)
    min_px, max_px = SETTINGS.min_tile_share * longer_px, SETTINGS.max_tile_share * longer_px
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        (_, _), (width, height), _ = rectangle = cv2.minAreaRect(contour)
        short, long = sorted((width, height))
        if not min_px <= short <= max_px or long > SETTINGS.max_aspect * short:
            continue
        if width * height > SETTINGS.max_image_share * mask.size:
            continue
        if cv2.contourArea(contour) >= SETTINGS.min_fill * width * height:
            corners = np.asarray(cv2.boxPoints(rectangle), np.float64)
            regions.append((contour.reshape(-1, 2).astype(np.float64), corners))
    return regions


def _join_regions(regions: list[tuple[Floats, Floats]]) -> list[Floats]:
    """Return the rectangles of all regions, and those around several in one line and of one height."""
    boxes = [_order_corners(corners) for _, corners in regions]
    rows = list(boxes)
    for first in boxes:
        height = _height(first)
        length = float(np.linalg.norm(first[1] - first[0]))
        along = (first[1] - first[0]) / max(1e-6, length)
        if length < SETTINGS.min_length * height:
            continue
        across = np.array([-along[1], along[0]])
        joined = [
            contour
            for (contour, _), box in zip(regions, boxes, strict=True)
            if max(_height(box), height) < SETTINGS.max_height_ratio * min(_height(box), height)
            and abs(float((box.mean(axis=0) - first.mean(axis=0)) @ across))
            < SETTINGS.max_row_offset * height
        ]
        if len(joined) > 1:
            rectangle = cv2.minAreaRect(np.vstack(joined).astype(np.float32))
            row = _order_corners(np.asarray(cv2.boxPoints(rectangle), np.float64))
            row_length = float(np.linalg.norm(row[1] - row[0]))
            is_flat = _height(row) < SETTINGS.max_height_ratio * height
            if is_flat and row_length < SETTINGS.max_aspect * _height(row):
                rows.append(row)
    return rows


def _order_corners(corners: Floats) -> Floats:
    """Order corners TL TR BR BL for a row that runs from left to right."""
    centre = corners.mean(axis=0)
    order = np.argsort(np.arctan2(*(corners - centre).T[::-1]))
    clockwise = corners[order]
    sides = np.linalg.norm(np.roll(clockwise, -1, axis=0) - clockwise, axis=1)
    first = 0 if sides[0] + sides[2] >= sides[1] + sides[3] else 1
    if min(sides) > SETTINGS.min_square_side_ratio * max(sides):
        # A single tile: its top is the side that is closest to horizontal.
        slopes = np.abs((np.roll(clockwise, -1, axis=0) - clockwise)[:, 1]) / np.maximum(sides, 1e-6)
        first = int(slopes[:2].argmin())
    clockwise = np.roll(clockwise, -first, axis=0)
    return clockwise if clockwise[0, 0] < clockwise[1, 0] else np.roll(clockwise, 2, axis=0)


def _height(corners: Floats) -> float:
    return float(np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])) / 2


def _distinct_rows(rows: list[Floats]) -> list[Floats]:
    """Keep the first of rows that are nearly the same."""
    kept: list[Floats] = []
    for row in rows:
        tolerance = SETTINGS.same_row_distance * _height(row)
        if all(np.abs(row - other).max() > tolerance for other in kept):
            kept.append(row)
    return kept
