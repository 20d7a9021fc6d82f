"""Segment the ink of a letter without learning, and arrange letters on one sheet for a text reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Image, Mask

__all__ = ["ContactSheet", "Glyph", "arrange_glyphs", "find_glyph"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GlyphSettings:
    """Thresholds of the segmentation, chosen; shares are of the crop's side, which is the cell with its context.

    Parameters
    ----------
    min_height : float
        A printed letter is higher; premium texts, values and moulding marks are smaller.
    max_size : float
        A letter is smaller; the cell's lines are longer.
    max_off_centre : float
        Distance of a letter's centre from the crop's centre at most.
    min_contrast : float
        Grey levels between ink and face at least; less is noise or wood grain.
    min_area_px : int
        Pixels of a piece of ink at least.
    sideways, accent_below, accent_above : float
        Where an accent may be, as shares of the letter's height: its centre beyond the sides of the letter, and below
        its top; its lower edge above its top.
    second_height, second_off : float
        A second letter: its height at least, and the vertical distance of both centres at most, as shares of the
        letter's height.
    """

    min_height: float = 0.22
    max_size: float = 0.8
    max_off_centre: float = 0.3
    min_contrast: float = 25
    min_area_px: int = 4
    sideways: float = 0.3
    accent_below: float = 0.15
    accent_above: float = 0.5
    second_height: float = 0.75
    second_off: float = 0.2


SETTINGS = GlyphSettings()

# Sizes on the sheet; chosen. Tesseract reads letters at this distance as a line of text, and most of them correctly;
# further apart it takes them for pictures.
_CAPITAL_PX = 36  # height of a capital
_PITCH_PX = 64  # distance of letters
_LETTERS_PER_LINE = 24
_MARGIN_PX = 20


@dataclass(frozen=True, slots=True, eq=False)
class Glyph:
    """A letter's ink, black on white.

    Parameters
    ----------
    image : (height, width) uint8
        Ink 0, paper 255, with a margin of two pixels.
    capital_px : int
        Height of its largest part, which excludes accents.
    """

    image: Image
    capital_px: int


def find_glyph(cell_bgr: Image) -> Glyph | None:
    """Segment the letter on the tile in the middle of a crop; None where there is none.

    The letter's main part is the tallest piece of ink near the centre. Accents above it and a second letter of the same
    height belong to it; the value, small and below, does not.

    Parameters
    ----------
    cell_bgr : (side, side, 3) uint8
        A square with some context, BGR.
    """
    grey = cv2.cvtColor(cell_bgr, cv2.COLOR_BGR2GRAY)
    side = grey.shape[0]
    _, light = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    if light.min() == light.max():
        return None
    low, high = float(grey[light == 0].mean()), float(grey[light > 0].mean())
    if high - low < SETTINGS.min_contrast:
        return None
    inner = slice(side // 8, side - side // 8)
    is_dark = bool((light[inner, inner] == 0).mean() < 0.5)
    ink = (light == 0) if is_dark else (light > 0)
    segmented = _segment_letter(np.asarray(ink, np.bool_))
    if segmented is None:
        return None
    mask, capital_px = segmented
    rows, columns = np.nonzero(mask)
    box = np.s_[max(rows.min() - 2, 0) : rows.max() + 3, max(columns.min() - 2, 0) : columns.max() + 3]
    paper = np.clip((grey.astype(np.float32) - low) / (high - low), 0, 1)
    if not is_dark:
        paper = 1 - paper
    paper[cv2.dilate(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0] = 1
    return Glyph(image=np.asarray(paper[box] * 255, np.uint8), capital_px=capital_px)


def _segment_letter(ink: Mask) -> tuple[Mask, int] | None:
    """Return the mask of the letter's parts among the ink (side, side), and the height of its main part."""
    side = ink.shape[0]
    _, labels, boxes, centres = cv2.connectedComponentsWithStats(ink.astype(np.uint8))
    left, top, width, height, area = (boxes[:, k] for k in range(5))
    is_inside = (left > 0) & (top > 0) & (left + width < side) & (top + height < side)
    is_inside &= area >= SETTINGS.min_area_px
    is_inside[0] = False
    is_central = np.hypot(*(centres - side / 2).T) <= SETTINGS.max_off_centre * side
    has_size = (height >= SETTINGS.min_height * side) & (
        np.maximum(width, height) <= SETTINGS.max_size * side
    )
    possible = is_inside & is_central & has_size
    if not possible.any():
        return None
    main = int(np.argmax(np.where(possible, height, 0)))
    capital, x, y = int(height[main]), int(left[main]), int(top[main])
    is_above = (centres[:, 0] > x - SETTINGS.sideways * capital) & (
        centres[:, 0] < x + width[main] + SETTINGS.sideways * capital
    )
    is_accent = (
        is_above
        & (centres[:, 1] < y + SETTINGS.accent_below * capital)
        & (top + height > y - SETTINGS.accent_above * capital)
    )
    is_second = (height > SETTINGS.second_height * capital) & (
        np.abs(centres[:, 1] - y - capital / 2) < SETTINGS.second_off * capital
    )
    parts: NDArray[np.bool_] = is_inside & (is_accent | is_second)
    parts[main] = True
    return parts[labels], capital


@dataclass(frozen=True, slots=True, eq=False)
class ContactSheet:
    """Glyphs arranged as lines of text.

    Parameters
    ----------
    image : (height, width) uint8
        Black on white.
    count : int
        Number of glyphs on it.
    """

    image: Image
    count: int

    def glyph_at(self, x: float, y: float) -> int | None:
        """Return the number of the glyph at a pixel; None outside of them all."""
        column, row = int((x - _MARGIN_PX) // _PITCH_PX), int((y - _MARGIN_PX) // _PITCH_PX)
        number = row * _LETTERS_PER_LINE + column
        return number if 0 <= column < _LETTERS_PER_LINE and 0 <= number < self.count else None


def arrange_glyphs(glyphs: Sequence[Glyph]) -> ContactSheet:
    """Arrange all glyphs at one size, in lines, on one sheet."""
    lines = -(-len(glyphs) // _LETTERS_PER_LINE)
    across = min(len(glyphs), _LETTERS_PER_LINE)
    shape = (lines * _PITCH_PX + 2 * _MARGIN_PX, across * _PITCH_PX + 2 * _MARGIN_PX)
    sheet = np.full(shape, 255, np.uint8)
    for number, glyph in enumerate(glyphs):
        height, width = glyph.image.shape
        scale = min(_CAPITAL_PX / glyph.capital_px, (_PITCH_PX - 4) / max(height, width))
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        scaled = cv2.resize(glyph.image, size, interpolation=cv2.INTER_CUBIC)
        row, column = divmod(number, _LETTERS_PER_LINE)
        # The letters of a line have one base line, a little above the lower edge of their place.
        bottom = _MARGIN_PX + row * _PITCH_PX + _PITCH_PX - 2
        start = _MARGIN_PX + column * _PITCH_PX + (_PITCH_PX - size[0]) // 2
        sheet[bottom - size[1] : bottom, start : start + size[0]] = scaled
    return ContactSheet(image=sheet, count=len(glyphs))
