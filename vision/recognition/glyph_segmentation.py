"""The ink on a tile: found without learning, cut out, and put on one sheet for a text reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["ContactSheet", "Glyph", "contact_sheet", "find_glyph"]

Grey = NDArray[np.uint8]

# Shares of the crop's side, which is the cell and some context. A printed letter is higher than the first;
# premium texts, values and moulding marks are smaller, and the cell's lines longer than the second.
_MIN_HEIGHT, _LARGEST = 0.22, 0.8
_OFF_CENTRE = 0.3
# Grey levels between ink and face. Less is noise or wood grain.
_MIN_CONTRAST = 25
# On the sheet: height of a capital, distance of letters. Tesseract reads them as a line of text up to here, and
# most letters right; further apart it takes them for pictures.
_CAPITAL_PX, _PITCH_PX, _ACROSS, _MARGIN_PX = 36, 64, 24, 20


@dataclass(frozen=True, slots=True, eq=False)
class Glyph:
    """A letter's ink, black on white.

    Parameters
    ----------
    image : (height, width) uint8
        Ink 0, paper 255, with a margin of two pixels.
    capital_px : int
        Height of its largest part, which leaves accents out.
    """

    image: Grey
    capital_px: int


def find_glyph(cell_bgr: NDArray[np.uint8]) -> Glyph | None:
    """The letter on the tile in the middle of a crop, or None where there is none.

    Its largest part is the tallest piece of ink near the middle; accents above it and a second letter of the
    same height belong to it; the value, small and below, does not.

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
    if high - low < _MIN_CONTRAST:
        return None
    inner = slice(side // 8, side - side // 8)
    dark_ink = bool((light[inner, inner] == 0).mean() < 0.5)
    ink = (light == 0) if dark_ink else (light > 0)
    _, labels, boxes, centres = cv2.connectedComponentsWithStats(ink.astype(np.uint8))
    left, top, width, height = (boxes[:, k] for k in range(4))
    inside = (left > 0) & (top > 0) & (left + width < side) & (top + height < side) & (boxes[:, 4] >= 4)
    inside[0] = False
    central = np.hypot(*(centres - side / 2).T) <= _OFF_CENTRE * side
    possible = (
        inside & central & (height >= _MIN_HEIGHT * side) & (np.maximum(width, height) <= _LARGEST * side)
    )
    if not possible.any():
        return None
    main = int(np.argmax(np.where(possible, height, 0)))
    capital, x, y = int(height[main]), int(left[main]), int(top[main])
    across = (centres[:, 0] > x - 0.3 * capital) & (centres[:, 0] < x + width[main] + 0.3 * capital)
    accent = across & (centres[:, 1] < y + 0.15 * capital) & (top + height > y - 0.5 * capital)
    second = (height > 0.75 * capital) & (np.abs(centres[:, 1] - y - capital / 2) < 0.2 * capital)
    parts = inside & (accent | second)
    parts[main] = True
    mask = parts[labels]
    rows, columns = np.nonzero(mask)
    box = np.s_[max(rows.min() - 2, 0) : rows.max() + 3, max(columns.min() - 2, 0) : columns.max() + 3]
    paper = np.clip((grey.astype(np.float32) - low) / (high - low), 0, 1)
    if not dark_ink:
        paper = 1 - paper
    paper[cv2.dilate(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0] = 1
    return Glyph(image=np.asarray(paper[box] * 255, np.uint8), capital_px=capital)


@dataclass(frozen=True, slots=True, eq=False)
class ContactSheet:
    """Many glyphs as lines of text.

    Parameters
    ----------
    image : (height, width) uint8
        Black on white.
    count : int
        How many glyphs are on it.
    """

    image: Grey
    count: int

    def place_of(self, x: float, y: float) -> int | None:
        """Which glyph stands at this pixel; None beside them all."""
        column, row = int((x - _MARGIN_PX) // _PITCH_PX), int((y - _MARGIN_PX) // _PITCH_PX)
        place = row * _ACROSS + column
        return place if 0 <= column < _ACROSS and 0 <= place < self.count else None


def contact_sheet(glyphs: Sequence[Glyph]) -> ContactSheet:
    """All glyphs at one size, in lines, on one sheet."""
    lines = -(-len(glyphs) // _ACROSS)
    across = min(len(glyphs), _ACROSS)
    shape = (lines * _PITCH_PX + 2 * _MARGIN_PX, across * _PITCH_PX + 2 * _MARGIN_PX)
    sheet = np.full(shape, 255, np.uint8)
    for place, glyph in enumerate(glyphs):
        height, width = glyph.image.shape
        scale = min(_CAPITAL_PX / glyph.capital_px, (_PITCH_PX - 4) / max(height, width))
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        scaled = cv2.resize(glyph.image, size, interpolation=cv2.INTER_CUBIC)
        row, column = divmod(place, _ACROSS)
        # Letters of a line stand on one base line, a little above the end of their place.
        bottom = _MARGIN_PX + row * _PITCH_PX + _PITCH_PX - 2
        start = _MARGIN_PX + column * _PITCH_PX + (_PITCH_PX - size[0]) // 2
        sheet[bottom - size[1] : bottom, start : start + size[0]] = scaled
    return ContactSheet(image=sheet, count=len(glyphs))
