"""A hand that moves over the board, and a cup that is put down on it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from samples.arrays import Colour, Floats, Picture

__all__ = ["Hand", "draw_cup", "draw_hand"]

EDGE = 0.08  # softness of an edge in cells: hands are out of focus


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """How a hand looks.

    Parameters
    ----------
    skin_bgr, sleeve_bgr : tuple of float
        Colours.
    width : float
        Of a finger, in cells.
    spread : float
        Of the fingers, in cells.
    """

    skin_bgr: Colour = (120, 150, 205)
    sleeve_bgr: Colour = (60, 50, 45)
    width: float = 0.75
    spread: float = 0.7


def draw_hand(
    image_bgr: Picture, hand: Hand, tip_xy: tuple[float, float], from_xy: tuple[float, float], cell_px: float
) -> None:
    """Draw a hand into `image_bgr`, in place.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        BGR.
    hand : Hand
        How it looks.
    tip_xy : tuple of float
        Where its fingers point, in pixels.
    from_xy : tuple of float
        Where its arm comes from, in pixels, usually outside of the picture.
    cell_px : float
        Size of a cell.
    """
    tip, start = np.array(tip_xy), np.array(from_xy)
    along = start - tip
    length = float(np.linalg.norm(along))
    if length < 1:
        return
    along = along / length
    across = np.array([-along[1], along[0]])
    skin = np.zeros(image_bgr.shape[:2], np.uint8)
    sleeve = np.zeros_like(skin)
    palm = tip + along * 3.2 * cell_px
    for finger in (-1.0, 0.0, 1.0):
        end = tip + across * finger * hand.spread * cell_px + along * abs(finger) * 0.6 * cell_px
        _limb(skin, end, palm + across * finger * 0.5 * cell_px, hand.width * cell_px)
    cv2.circle(skin, _pixel(palm), round(1.3 * cell_px), 255, -1, cv2.LINE_AA)
    wrist = tip + along * 5.5 * cell_px
    _limb(skin, palm, wrist, 1.9 * cell_px)
    _limb(sleeve, wrist, tip + along * (length + 8 * cell_px), 2.8 * cell_px)
    _cover(image_bgr, sleeve, hand.sleeve_bgr, cell_px)
    _cover(image_bgr, skin, hand.skin_bgr, cell_px)


def draw_cup(image_bgr: Picture, middle_xy: tuple[float, float], colour_bgr: Colour, cell_px: float) -> None:
    """Draw a cup seen from above into `image_bgr`, in place."""
    mask = np.zeros(image_bgr.shape[:2], np.uint8)
    centre = _pixel(np.array(middle_xy))
    cv2.circle(mask, centre, round(1.9 * cell_px), 255, -1, cv2.LINE_AA)
    _cover(image_bgr, mask, colour_bgr, cell_px)
    inside = np.zeros_like(mask)
    cv2.circle(inside, centre, round(1.5 * cell_px), 255, -1, cv2.LINE_AA)
    _cover(image_bgr, inside, (30, 45, 70), cell_px)


def _pixel(point: Floats) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))


def _limb(mask: Picture, start: Floats, end: Floats, width: float) -> None:
    cv2.line(mask, _pixel(start), _pixel(end), 255, max(1, round(width)), cv2.LINE_AA)


def _cover(image_bgr: Picture, mask: Picture, colour_bgr: Colour, cell_px: float) -> None:
    """Lay a rounded body of one colour over the picture, with its shadow beside it."""
    x, y, width, height = cv2.boundingRect(mask)
    if not width:
        return
    reach = round(cell_px)
    left, top = max(0, x - reach), max(0, y - reach)
    part = image_bgr[top : y + height + reach, left : x + width + reach]
    here = mask[top : y + height + reach, left : x + width + reach]
    shadow = cv2.blur(here, (reach | 1, reach | 1)).astype(np.float32)[..., None] / 255
    solid = cv2.blur(here, (round(0.6 * cell_px) | 1,) * 2).astype(np.float32)[..., None] / 255
    alpha = cv2.GaussianBlur(here, (0, 0), EDGE * cell_px).astype(np.float32)[..., None] / 255
    body = np.array(colour_bgr, np.float32) * (0.6 + 0.45 * solid)
    part[...] = np.clip(part * (1 - 0.4 * shadow) * (1 - alpha) + body * alpha, 0, 255).astype(np.uint8)
