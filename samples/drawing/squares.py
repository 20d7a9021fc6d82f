"""Stamps of the premium and start squares: colour, shape, teeth, text and sign."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from samples.arrays import Colour, Mask, Picture
from samples.drawing.glyphs import paste_centred, star_polygon, text_ink, text_lines
from samples.style import BoardStyle, PremiumShape

__all__ = ["Stamp", "blend", "premium_stamps", "split_premium_text", "start_stamps"]

PREMIUM_ORDER = "dtDT"
"""Marks of DL, TL, DW and TW: the order of the texts."""


@dataclass(frozen=True, slots=True, eq=False)
class Stamp:
    """The print of a square and its mask; a margin of a fifth of a cell on each side has room for teeth."""

    image_bgr: Picture
    mask: Mask


def premium_stamps(style: BoardStyle, cell_px: int) -> dict[str, Stamp]:
    """Draw the premium squares with their texts, by mark."""
    colours = _premium_colours(style)
    stamps = {mark: _draw_blank_stamp(style, colour, cell_px) for mark, colour in colours.items()}
    if style.premium_texts is not None:
        box = max(6, round(cell_px * style.text_size))
        for mark, text in zip(PREMIUM_ORDER, style.premium_texts, strict=True):
            printed = np.rot90(
                text_lines(style.text_face, split_premium_text(text), box, box), -style.print_turn
            )
            image = stamps[mark].image_bgr
            low = (image.shape[0] - box) // 2
            ink = _choose_ink(style.text_bgr, colours[mark])
            blend(image[low : low + box, low : low + box], printed, ink, 0.9)
    return stamps


def start_stamps(style: BoardStyle, cell_px: int) -> dict[str, Stamp]:
    """Draw the start squares, by the mark of their premium; without sign and colour they are usual ones."""
    stamps = {} if style.start_sign != "none" else premium_stamps(style, cell_px)
    colours: dict[str, Colour] = _premium_colours(style)
    if style.start_bgr is not None:
        colours = dict.fromkeys((".", *PREMIUM_ORDER), style.start_bgr)
        stamps = {}
    for mark, colour in colours.items():
        if mark not in stamps:
            stamps[mark] = _draw_blank_stamp(style, colour, cell_px)
            _print_start_sign(stamps[mark].image_bgr, style, cell_px)
    return stamps


def blend(target: Picture, mask: Mask, colour: Colour, opacity: float = 1.0) -> None:
    """Print a colour onto a picture, in place.

    Parameters
    ----------
    target : (height, width, 3) uint8
        The picture, BGR.
    mask : (height, width) uint8
        255 where there is ink.
    colour : Colour
        Colour of the ink.
    opacity : float
        Share of the picture's colour that the ink hides.
    """
    alpha = mask.astype(np.float32)[..., None] * (opacity / 255.0)
    target[...] = (target + (np.array(colour, np.float32) - target) * alpha).astype(np.uint8)


def _draw_blank_stamp(style: BoardStyle, colour: Colour, side: int) -> Stamp:
    """Draw a premium square of `side` pixels without text."""
    total = side + 2 * (side // 5)
    mask = np.zeros((total, total), np.uint8)
    first = side // 5
    _fill_shape(mask, style.premium_shape, first, first + side - 1)
    if style.teeth == "squares":
        _add_square_teeth(mask, first, first + side - 1)
    elif style.teeth == "stamp":
        _add_square_teeth(mask, first, first + side - 1, 6)
    elif style.teeth == "spikes":
        _add_spikes(mask, first, first + side - 1)
    return Stamp(np.full((total, total, 3), colour, np.uint8), mask)


def _fill_shape(mask: Mask, shape: PremiumShape, first: int, last: int) -> None:
    side = last - first + 1
    if shape == "full":
        cv2.rectangle(mask, (first, first), (last, last), 255, -1)
    elif shape == "inset":
        gap = max(1, side // 14)
        cv2.rectangle(mask, (first + gap, first + gap), (last - gap, last - gap), 255, -1)
    elif shape == "rounded":
        gap, radius = max(1, side // 20), side // 5
        low, high = first + gap, last - gap
        cv2.rectangle(mask, (low + radius, low), (high - radius, high), 255, -1)
        cv2.rectangle(mask, (low, low + radius), (high, high - radius), 255, -1)
        for x in (low + radius, high - radius):
            for y in (low + radius, high - radius):
                cv2.circle(mask, (x, y), radius, 255, -1, cv2.LINE_AA)
    else:
        middle = (first + last) // 2
        corners = np.array([[middle, first], [last, middle], [middle, last], [first, middle]], np.int32)
        cv2.fillPoly(mask, [corners], 255, cv2.LINE_AA)


def _add_square_teeth(mask: Mask, first: int, last: int, count: int = 3) -> None:
    """Add `count` small squares over each edge, in place."""
    side = last - first + 1
    tooth, reach = max(1, side // (3 * count)), max(1, side // (10 if count < 5 else 14))
    for index in range(count):
        start = first + round((index + 0.72) * side / (count + 0.45))
        for low, high in ((first - reach, first), (last, last + reach)):
            mask[start : start + tooth, low : high + 1] = 255
            mask[low : high + 1, start : start + tooth] = 255


def _add_spikes(mask: Mask, first: int, last: int) -> None:
    """Add a broad point in the middle of each edge, in place."""
    side, centre = last - first + 1, (first + last) / 2
    longest = max(1.0, 0.13 * side)
    for out in np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]):
        along = out[::-1] * side * 0.16
        tip, foot = centre + out * (side / 2 + longest), centre + out * side / 2
        corners = np.array([tip, foot + along, foot - along])
        cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255, cv2.LINE_AA)


def _premium_colours(style: BoardStyle) -> dict[str, Colour]:
    return {
        "d": style.double_letter_bgr,
        "t": style.triple_letter_bgr,
        "D": style.double_word_bgr,
        "T": style.triple_word_bgr,
    }


def _print_start_sign(picture: Picture, style: BoardStyle, cell_px: int) -> None:
    """Print the sign of a start square, in place."""
    if style.start_sign == "none":
        return
    side, middle = picture.shape[0], picture.shape[0] / 2
    mask: Mask = np.zeros((side, side), np.uint8)
    if style.start_sign == "star":
        points = star_polygon(
            (middle, middle), cell_px * style.sign_size, style.star_points, style.star_inner
        )
        corners = np.round(points * 16).astype(np.int32)
        if style.sign_line > 0:
            thick = max(1, round(style.sign_line * cell_px))
            cv2.polylines(mask, [corners], True, 255, thick, cv2.LINE_AA, shift=4)
        else:
            cv2.fillPoly(mask, [corners], 255, cv2.LINE_AA, shift=4)
    elif style.start_sign == "ring":
        cv2.circle(
            mask,
            (round(middle), round(middle)),
            round(cell_px * style.sign_size * 0.83),
            255,
            max(1, cell_px // 12),
            cv2.LINE_AA,
        )
    else:
        # no letter: a letter would look like a tile
        paste_centred(mask, text_ink(style.text_face, "&", cell_px * 0.4))
    upright = np.ascontiguousarray(np.rot90(mask, -style.print_turn))
    if style.sign_relief > 0:
        edge = max(1, round(0.05 * cell_px))
        for shift, colour in ((edge, (255.0, 255.0, 255.0)), (-edge, (0.0, 0.0, 0.0))):
            blend(picture, np.roll(upright, (shift, shift), (0, 1)), colour, style.sign_relief)
    blend(picture, upright, style.sign_bgr or style.text_bgr, 0.85)


def split_premium_text(text: str) -> tuple[str, ...]:
    """Split a premium text into lines, and a long word of two in halves, so that the letters are not tiny."""
    words = text.split()
    if len(words) == 2 and max(map(len, words)) > 11:
        longest = max(words, key=len)
        half = (len(longest) + 1) // 2
        return tuple(
            part
            for word in words
            for part in ((word[:half] + "-", word[half:]) if word == longest else (word,))
        )
    return tuple(words)


def _choose_ink(ink: Colour, ground: Colour) -> Colour:
    """Choose `ink`, or black or white where `ink` would hardly show on `ground`."""
    grey_ink, grey_ground = sum(ink) / 3, sum(ground) / 3
    if abs(grey_ink - grey_ground) >= 75:
        return ink
    return (245, 245, 245) if grey_ground < 128 else (25, 25, 25)
