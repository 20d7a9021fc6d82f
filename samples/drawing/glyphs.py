"""Anti-aliased masks of letters, digits and the signs on blanks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from samples.arrays import Floats, Mask
from samples.fonts import Typeface
from samples.style import JokerSign

__all__ = ["Ink", "joker_mask", "paste_centred", "star_polygon", "text_ink", "text_lines"]

DISCS: dict[JokerSign, float] = {"dot": 0.3, "sticker": 0.8}
"""Radii of filled discs on blanks, as shares of a sign's radius."""

WORDS: dict[JokerSign, tuple[str, float]] = {"question": ("?", 1.4), "small print": ("BLANK", 0.4)}
"""Texts on blanks, and the height of their capitals as a share of a sign's radius."""


@dataclass(frozen=True, slots=True, eq=False)
class Ink:
    """The mask of a text, and its position relative to the middle of the baseline.

    Parameters
    ----------
    mask : (height, width) uint8
        255 where there is ink.
    left_px, top_px : float
        Offset of the mask's corner from the point (middle of the ink, baseline).
    """

    mask: Mask
    left_px: float
    top_px: float


@lru_cache(maxsize=256)
def _font(path: str, size_px: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size_px)


def text_ink(
    typeface: Typeface,
    text: str,
    cap_px: float,
    *,
    stretch: float = 1.0,
    barred_i: bool = False,
    max_width_px: float | None = None,
    low_accents: bool = False,
    max_rise_px: float | None = None,
) -> Ink:
    """Draw a text with capitals of a given height.

    Parameters
    ----------
    typeface : Typeface
        The font.
    text : str
        One line.
    cap_px : float
        Height of a capital H in pixels.
    stretch : float
        Horizontal scale.
    barred_i : bool
        Give the letter ``I`` bars at top and foot, as many sets do.
    max_width_px : float, optional
        Squeeze the text to this width, as sets do with digraphs.
    low_accents : bool
        Squeeze an accented capital to the height of a plain one, as sets without room for accents do.
    max_rise_px : float, optional
        Squeeze the text to this height above its baseline: no set has accents that its tiles cut off.
    """
    font = _font(typeface.path, round(cap_px / typeface.cap_height, 1))
    left, top, right, bottom = (int(v) for v in font.getbbox(text, anchor="ls"))
    width, height = max(1, right - left) + 4, max(1, bottom - top) + 4
    image = Image.new("L", (width, height), 0)
    ImageDraw.Draw(image).text((2 - left, 2 - top), text, fill=255, font=font, anchor="ls")
    mask = np.asarray(image, dtype=np.uint8)
    inked = np.flatnonzero(mask.any(axis=0))  # the font's side bearings differ from left to right
    if inked.size:
        mask = mask[:, inked[0] : inked[-1] + 1]
    baseline = 2.0 - top
    if barred_i and text == "I":
        mask = _add_bars(mask, cap_px, baseline)
    factor_y = 1.0
    if low_accents and -top > 1.12 * cap_px:
        factor_y = max(0.78, 1.08 * cap_px / -top)
    if max_rise_px is not None and -top * factor_y > max_rise_px:
        factor_y = max_rise_px / -top
    factor_x = stretch
    if max_width_px is not None and mask.shape[1] * factor_x > max_width_px:
        factor_x = max_width_px / mask.shape[1]
    if factor_x != 1.0 or factor_y != 1.0:
        size = (max(1, round(mask.shape[1] * factor_x)), max(1, round(mask.shape[0] * factor_y)))
        mask = np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return Ink(mask=mask, left_px=-mask.shape[1] / 2, top_px=-baseline * factor_y)


def _add_bars(mask: Mask, cap_px: float, baseline: float) -> Mask:
    """Add bars to a plain I."""
    stem = max(2.0, float((mask[mask.shape[0] // 2] > 127).sum()))
    bar_width = int(max(0.42 * cap_px, 2.4 * stem))
    if bar_width <= mask.shape[1]:
        return mask  # the I of a serif font has bars already
    wide = np.zeros((mask.shape[0], bar_width + 4), np.uint8)
    x = (wide.shape[1] - mask.shape[1]) // 2
    wide[:, x : x + mask.shape[1]] = mask
    thick = round(0.85 * stem)
    foot, head = round(baseline), round(baseline - cap_px)
    for y in (foot - thick, head):
        wide[max(0, y) : max(0, y) + thick, 2 : 2 + bar_width] = 255
    return wide


def text_lines(typeface: Typeface, lines: tuple[str, ...], width_px: int, height_px: int) -> Mask:
    """Draw lines of text centred in a box, as large as they fit.

    Parameters
    ----------
    typeface : Typeface
        The font.
    lines : tuple of str
        The text.
    width_px, height_px : int
        Size of the box.

    Returns
    -------
    (height_px, width_px) uint8
        255 where there is ink.
    """
    font = _font(typeface.path, 40.0)
    widest = max(max(1.0, font.getlength(line)) for line in lines)
    size = max(4.0, min(40.0 * width_px / widest, 0.86 * height_px / len(lines)))
    font = _font(typeface.path, round(size, 1))
    image = Image.new("L", (width_px, height_px), 0)
    draw = ImageDraw.Draw(image)
    for index, line in enumerate(lines):
        y = height_px / 2 + (index - (len(lines) - 1) / 2) * size * 1.05
        draw.text((width_px / 2, y), line, fill=255, font=font, anchor="mm")
    return np.asarray(image, dtype=np.uint8)


def star_polygon(
    centre_xy: tuple[float, float], radius: float, points: int = 5, inner: float = 0.42
) -> Floats:
    """Compute the (2 * points, 2) corners of a star with one point up; `inner` is a share of `radius`."""
    steps = np.arange(2 * points)
    radii = np.where(steps % 2 == 0, radius, inner * radius)
    angles = steps * math.pi / points - math.pi / 2
    return np.stack([centre_xy[0] + radii * np.cos(angles), centre_xy[1] + radii * np.sin(angles)], axis=1)


def joker_mask(sign: JokerSign, side_px: int, size: float, typeface: Typeface) -> Mask:
    """Draw the sign of a blank in a square mask of `side_px`; `size` is its share of the side."""
    mask = np.zeros((side_px, side_px), np.uint8)
    centre, radius = side_px // 2, max(2, round(size * side_px / 2))
    thick = max(1, round(radius * 0.16))
    middle = (centre, centre)
    if sign == "face":
        cv2.circle(mask, middle, radius, 255, thick, cv2.LINE_AA)
        eye = max(1, round(radius * 0.14))
        for side in (-1, 1):
            cv2.circle(
                mask, (centre + side * radius * 2 // 5, centre - radius // 3), eye, 255, -1, cv2.LINE_AA
            )
        cv2.ellipse(
            mask,
            (centre, centre + radius // 8),
            (radius // 2, radius * 2 // 5),
            0,
            15,
            165,
            255,
            thick,
            cv2.LINE_AA,
        )
        cv2.line(
            mask, (centre, centre - radius // 6), (centre, centre + radius // 6), 255, thick, cv2.LINE_AA
        )
    elif sign == "star":
        cv2.fillPoly(
            mask, [np.round(star_polygon((centre, centre), radius)).astype(np.int32)], 255, cv2.LINE_AA
        )
    elif sign == "heart":
        third = radius // 2
        for side in (-1, 1):
            cv2.circle(mask, (centre + side * third, centre - third // 2), third, 255, -1, cv2.LINE_AA)
        corners = [
            (centre - radius + 1, centre - third // 4),
            (centre + radius - 1, centre - third // 4),
            (centre, centre + radius),
        ]
        cv2.fillPoly(mask, [np.array(corners, np.int32)], 255, cv2.LINE_AA)
    elif sign == "diamond":
        corners = [
            (centre, centre - radius),
            (centre + radius, centre),
            (centre, centre + radius),
            (centre - radius, centre),
        ]
        cv2.fillPoly(mask, [np.array(corners, np.int32)], 255, cv2.LINE_AA)
    elif sign == "scroll":
        for offset in (-radius // 2, 0, radius // 2):
            cv2.ellipse(
                mask,
                (centre + offset, centre),
                (radius // 2, radius // 3),
                30,
                0,
                300,
                255,
                thick,
                cv2.LINE_AA,
            )
    elif sign in DISCS:
        cv2.circle(mask, middle, max(1, round(radius * DISCS[sign])), 255, -1, cv2.LINE_AA)
    elif sign in WORDS:
        text, height = WORDS[sign]
        paste_centred(mask, text_ink(typeface, text, height * radius, max_width_px=1.6 * radius))
    return mask


def paste_centred(mask: Mask, ink: Ink) -> None:
    """Put ink into the middle of a mask, in place; what does not fit is cut off at the right and at the bottom."""
    height, width = np.minimum(mask.shape, ink.mask.shape)
    y, x = (mask.shape[0] - height) // 2, (mask.shape[1] - width) // 2
    mask[y : y + height, x : x + width] = ink.mask[:height, :width]
