"""Rows of tiles that stand side by side: where one may be in a picture. What reads them says which one it is."""

from __future__ import annotations

import itertools

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["find_tile_rows"]

Points = NDArray[np.float64]

WORKING_PX = 640
"""The picture's longer side while tiles are looked for."""
SMALLEST_TILE, LARGEST_TILE = 0.02, 0.5
"""Of the working picture's longer side."""
FULL = 0.72
"""A row of tiles fills this much of the rectangle around it; anything else is no row."""
LONGEST = 9.0
ALIKE = 1.35
MAX_STRIPS = 12
MAX_OF_PICTURE = 0.9


def find_tile_rows(image_bgr: NDArray[np.uint8]) -> tuple[Points, ...]:
    """Places that may be a row of tiles, the largest first.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.

    Returns
    -------
    tuple of (4, 2) float64
        Corners TL TR BR BL of the rectangle around each, in pixels; its shorter sides are one tile high.
    """
    scale = min(1.0, WORKING_PX / max(image_bgr.shape[:2]))
    small = cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    smooth = cv2.bilateralFilter(small, 5, 30, 5)
    lab = cv2.cvtColor(smooth, cv2.COLOR_BGR2Lab)
    found: list[tuple[Points, Points]] = []
    for channel, everywhere in itertools.product(range(3), (True, False)):
        for mask in _levels(np.asarray(lab[..., channel], np.uint8), everywhere=everywhere):
            found += _rectangles(mask, small.shape[0], small.shape[1])
    strips = _joined(found)
    strips.sort(key=lambda strip: -cv2.contourArea(strip.astype(np.float32)))
    return tuple(strip / scale for strip in _different(strips)[:MAX_STRIPS])


def _levels(channel: NDArray[np.uint8], *, everywhere: bool) -> list[NDArray[np.uint8]]:
    """The channel's light and dark parts, over all of it or against the neighbourhood."""
    if everywhere:
        _, light = cv2.threshold(channel, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    else:
        side = (min(channel.shape) // 3) | 1
        light = cv2.adaptiveThreshold(channel, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, side, -4)
    return [np.asarray(light, np.uint8), np.asarray(255 - light, np.uint8)]


def _rectangles(mask: NDArray[np.uint8], rows: int, columns: int) -> list[tuple[Points, Points]]:
    """Rows of tiles, or single tiles, of one mask: the outline's points and the corners of the rectangle around."""
    found, longer_px = [], max(rows, columns)
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        (_, _), (width, height), _ = rectangle = cv2.minAreaRect(contour)
        short, long = sorted((width, height))
        if not SMALLEST_TILE * longer_px <= short <= LARGEST_TILE * longer_px or long > LONGEST * short:
            continue
        if width * height > MAX_OF_PICTURE * rows * columns:
            continue  # the picture itself
        if cv2.contourArea(contour) >= FULL * width * height:
            corners = np.asarray(cv2.boxPoints(rectangle), np.float64)
            found.append((contour.reshape(-1, 2).astype(np.float64), corners))
    return found


def _joined(found: list[tuple[Points, Points]]) -> list[Points]:
    """The rectangles, and those around several that stand in one line and are of one height."""
    strips = [_upright(corners) for _, corners in found]
    whole = list(strips)
    for first in strips:
        height = _height(first)
        along = (first[1] - first[0]) / max(1e-6, float(np.linalg.norm(first[1] - first[0])))
        if float(np.linalg.norm(first[1] - first[0])) < 0.6 * height:
            continue
        across = np.array([-along[1], along[0]])
        row = [
            other
            for other, strip in zip(found, strips, strict=True)
            if max(_height(strip), height) < ALIKE * min(_height(strip), height)
            and abs(float((strip.mean(axis=0) - first.mean(axis=0)) @ across)) < 0.4 * height
        ]
        if len(row) > 1:
            rectangle = cv2.minAreaRect(np.vstack([each[0] for each in row]).astype(np.float32))
            joined = _upright(np.asarray(cv2.boxPoints(rectangle), np.float64))
            length = float(np.linalg.norm(joined[1] - joined[0]))
            if _height(joined) < ALIKE * height and length < LONGEST * _height(joined):
                whole.append(joined)
    return whole


def _upright(corners: Points) -> Points:
    """The corners TL TR BR BL of a row that runs from left to right."""
    centre = corners.mean(axis=0)
    order = np.argsort(np.arctan2(*(corners - centre).T[::-1]))
    ring = corners[order]
    sides = np.linalg.norm(np.roll(ring, -1, axis=0) - ring, axis=1)
    long = 0 if sides[0] + sides[2] >= sides[1] + sides[3] else 1
    if min(sides) > 0.8 * max(sides):  # a single tile: the side that is nearest to level is its top
        slopes = np.abs((np.roll(ring, -1, axis=0) - ring)[:, 1]) / np.maximum(sides, 1e-6)
        long = int(slopes[:2].argmin())
    ring = np.roll(ring, -long, axis=0)
    return ring if ring[0, 0] < ring[1, 0] else np.roll(ring, 2, axis=0)


def _height(corners: Points) -> float:
    return float(np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])) / 2


def _different(strips: list[Points]) -> list[Points]:
    """The strips without those that say the same again."""
    kept: list[Points] = []
    for strip in strips:
        slack = 0.12 * _height(strip)
        if all(np.abs(strip - other).max() > slack for other in kept):
            kept.append(strip)
    return kept
