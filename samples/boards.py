"""The empty board, drawn flat: squares, premium print, lines, rim."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from samples.glyphs import star_polygon, text_ink, text_lines
from samples.style import BoardStyle, Colour
from samples.surfaces import grain, noise

__all__ = ["FlatBoard", "draw_board"]

Picture = NDArray[np.uint8]
PREMIUM_ORDER = "dtDT"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FlatBoard:
    """A picture whose pixels are an even grid over the board's plane.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The board with its rim, BGR.
    cell_px : int
        Side of a cell.
    margin_px : int
        Width of the rim.
    """

    image_bgr: Picture
    cell_px: int
    margin_px: int

    @property
    def grid_from_pixels(self) -> NDArray[np.float64]:
        """(3, 3): from this picture's pixels to board coordinates in cells."""
        scale, offset = 1 / self.cell_px, (0.5 - self.margin_px) / self.cell_px
        return np.array([[scale, 0, offset], [0, scale, offset], [0, 0, 1]])


def _blend(target: Picture, mask: NDArray[np.uint8], colour: Colour, opacity: float = 1.0) -> None:
    alpha = mask.astype(np.float32)[..., None] * (opacity / 255.0)
    target[...] = (target + (np.array(colour, np.float32) - target) * alpha).astype(np.uint8)


def _readable(ink: Colour, ground: Colour) -> Colour:
    """`ink`, or the other of black and white where it would hardly show on `ground`."""
    grey_ink, grey_ground = sum(ink) / 3, sum(ground) / 3
    if abs(grey_ink - grey_ground) >= 75:
        return ink
    return (245, 245, 245) if grey_ground < 128 else (25, 25, 25)


def _premium_cell(style: BoardStyle, colour: Colour, side: int) -> tuple[Picture, NDArray[np.uint8]]:
    """One premium square and its coverage mask, with room of a fifth of a cell for teeth on each side."""
    room = side // 5
    total = side + 2 * room
    mask = np.zeros((total, total), np.uint8)
    first, last = room, room + side - 1
    if style.premium_shape == "full":
        cv2.rectangle(mask, (first, first), (last, last), 255, -1)
    elif style.premium_shape == "inset":
        gap = max(1, side // 14)
        cv2.rectangle(mask, (first + gap, first + gap), (last - gap, last - gap), 255, -1)
    elif style.premium_shape == "rounded":
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
    if style.teeth == "squares":
        tooth, reach = max(1, side // 9), max(1, side // 10)
        for index in range(3):
            start = first + round((index + 0.72) * side / 3.45)
            for low, high in ((first - reach, first), (last, last + reach)):
                mask[start : start + tooth, low : high + 1] = 255
                mask[low : high + 1, start : start + tooth] = 255
    elif style.teeth == "spikes":
        centre, longest = (first + last) / 2, max(1.0, 0.13 * side)
        for quarter in range(4):
            angle = quarter * np.pi / 2
            out, along = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
            tip = centre + out * (side / 2 + longest)
            foot = centre + out * side / 2
            corners = np.array([tip, foot + along * side * 0.16, foot - along * side * 0.16])
            cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255, cv2.LINE_AA)
    return np.full((total, total, 3), colour, np.uint8), mask


def _print_lines(text: str) -> tuple[str, ...]:
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


def draw_board(
    layout: tuple[str, ...],
    starts: frozenset[tuple[int, int]],
    style: BoardStyle,
    cell_px: int,
    rng: np.random.Generator,
) -> FlatBoard:
    """The empty board of `layout`, with `cell_px` pixels a cell.

    Parameters
    ----------
    layout : tuple of str
        A row of premium marks each: ``.`` plain, ``d t`` letter, ``D T`` word.
    starts : frozenset of (row, column)
        Start squares.
    """
    rows, columns = len(layout), len(layout[0])
    margin = max(cell_px // 5 + 1, round(style.frame_width * cell_px))
    height, width = rows * cell_px + 2 * margin, columns * cell_px + 2 * margin
    image = np.empty((height, width, 3), np.uint8)
    image[:] = np.array(style.frame_bgr, np.float32).astype(np.uint8)
    inside = (slice(margin, margin + rows * cell_px), slice(margin, margin + columns * cell_px))
    image[inside] = np.array(style.plain_bgr, np.float32).astype(np.uint8)

    colours = dict(
        zip(
            PREMIUM_ORDER,
            (style.double_letter_bgr, style.triple_letter_bgr, style.double_word_bgr, style.triple_word_bgr),
            strict=True,
        )
    )
    stamps = {mark: _premium_cell(style, colour, cell_px) for mark, colour in colours.items()}
    if style.premium_texts is not None:
        box = max(6, round(cell_px * style.text_size))
        for mark, text in zip(PREMIUM_ORDER, style.premium_texts, strict=True):
            printed = np.rot90(text_lines(style.text_face, _print_lines(text), box, box), -style.print_turn)
            picture, _ = stamps[mark]
            low = (picture.shape[0] - box) // 2
            colour = _readable(style.text_bgr, colours[mark])
            _blend(picture[low : low + box, low : low + box], printed, colour, 0.9)
    room = cell_px // 5
    for row, marks in enumerate(layout):
        for column, mark in enumerate(marks):
            y, x = margin + row * cell_px - room, margin + column * cell_px - room
            place = image[y : y + cell_px + 2 * room, x : x + cell_px + 2 * room]
            if (row, column) in starts and style.start_sign != "none" and mark in stamps:
                picture, mask = _premium_cell(style, colours[mark], cell_px)
                _start_sign(picture, style, cell_px)
            elif mark in stamps:
                picture, mask = stamps[mark]
            else:
                continue
            np.copyto(place, picture, where=mask[..., None] > 127)
    if style.clutter > 0:
        _clutter(image, layout, style, cell_px, margin, rng)
    _lines(image, rows, columns, style, cell_px, margin)
    _frame(image, rows, columns, style, cell_px, margin)
    if style.folds > 0:
        thick = max(1, round(0.05 * cell_px))
        x = margin + round((columns / 2 + (0.5 if columns % 2 else 0.0)) * cell_px)
        image[:, x : x + thick] = (image[:, x : x + thick] * (1 - style.folds)).astype(np.uint8)
        lit = image[:, x + thick : x + 2 * thick]
        lit[...] = np.minimum(lit * (1 + style.folds), 255).astype(np.uint8)
    if style.speckle > 0:
        texture = (
            grain(rng, (height, width), cell_px / 12)
            if style.speckle > 0.05
            else noise(rng, (height, width), 1.5) * 0.5 + noise(rng, (height, width), cell_px * 3) * 0.5
        )
        image = np.clip(image * (1 + style.speckle * texture[..., None]), 0, 255).astype(np.uint8)
    return FlatBoard(image_bgr=image, cell_px=cell_px, margin_px=margin)


def _start_sign(picture: Picture, style: BoardStyle, cell_px: int) -> None:
    side, middle = picture.shape[0], picture.shape[0] / 2
    mask: NDArray[np.uint8] = np.zeros((side, side), np.uint8)
    if style.start_sign == "star":
        points = star_polygon((middle, middle), cell_px * 0.36)
        cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 255, cv2.LINE_AA)
    elif style.start_sign == "ring":
        cv2.circle(
            mask,
            (round(middle), round(middle)),
            round(cell_px * 0.3),
            255,
            max(1, cell_px // 12),
            cv2.LINE_AA,
        )
    else:
        ink = text_ink(style.text_face, "W", cell_px * 0.4)
        high, wide = min(side, ink.mask.shape[0]), min(side, ink.mask.shape[1])
        y, x = (side - high) // 2, (side - wide) // 2
        mask[y : y + high, x : x + wide] = ink.mask[:high, :wide]
    _blend(picture, np.ascontiguousarray(np.rot90(mask, -style.print_turn)), style.text_bgr, 0.85)


def _clutter(
    image: Picture,
    layout: tuple[str, ...],
    style: BoardStyle,
    cell_px: int,
    margin: int,
    rng: np.random.Generator,
) -> None:
    """Small print on plain squares: coordinates, numbers, words, marks."""
    words = ("7", "12", "H8", "A1", "x2", "3", "•", "+", "2x", "logo", "O", "I", "50", "L", "*")
    for row, marks in enumerate(layout):
        for column, mark in enumerate(marks):
            if mark != "." or rng.random() > style.clutter:
                continue
            word = words[int(rng.integers(len(words)))]
            box = round(cell_px * float(rng.uniform(0.25, 0.7)))
            printed = np.rot90(
                text_lines(style.text_face, (word,), max(4, box), max(4, box)), -style.print_turn
            )
            y = margin + row * cell_px + int(rng.integers(cell_px - box + 1))
            x = margin + column * cell_px + int(rng.integers(cell_px - box + 1))
            high, wide = printed.shape
            _blend(image[y : y + high, x : x + wide], printed, style.text_bgr, float(rng.uniform(0.3, 0.9)))


def _lines(image: Picture, rows: int, columns: int, style: BoardStyle, cell_px: int, margin: int) -> None:
    if style.line_bgr is None and style.relief == 0:
        return
    thick = max(1, round(style.line_width * cell_px))
    bottom, right = margin + rows * cell_px, margin + columns * cell_px
    plain = np.array(style.line_bgr if style.line_bgr is not None else style.plain_bgr, np.float32)
    bands: list[tuple[NDArray[np.float32], int, int]] = [(plain, 0, thick)]
    if style.relief > 0:
        edge = max(1, thick // 2)
        bands = [
            (np.minimum(plain * np.float32(1 + style.relief), np.float32(255)), -edge, edge),
            (plain, 0, thick),
            (plain * np.float32(1 - style.relief), thick, edge),
        ]
    for colour, offset, size in bands:
        for index in range(columns + 1):
            x = margin + index * cell_px - thick // 2 + offset
            image[margin - thick // 2 : bottom + (thick + 1) // 2, max(0, x) : x + size] = colour.astype(
                np.uint8
            )
        for index in range(rows + 1):
            y = margin + index * cell_px - thick // 2 + offset
            image[max(0, y) : y + size, margin - thick // 2 : right + (thick + 1) // 2] = colour.astype(
                np.uint8
            )


def _frame(image: Picture, rows: int, columns: int, style: BoardStyle, cell_px: int, margin: int) -> None:
    light = sum(style.frame_bgr) < 380
    colour: Colour = (235, 235, 235) if light else (40, 40, 40)
    box = round(min(margin, cell_px) * 0.5)
    if style.labels and box >= 5:
        for column in range(columns):
            x = margin + column * cell_px + (cell_px - box) // 2
            printed = text_lines(style.text_face, (chr(ord("A") + column % 26),), box, box)
            for y in (margin - round(box * 1.3), image.shape[0] - margin + round(box * 0.3)):
                _blend(image[y : y + box, x : x + box], printed, colour)
        for row in range(rows):
            y = margin + row * cell_px + (cell_px - box) // 2
            printed = text_lines(style.text_face, (str(row + 1),), box, box)
            for x in (margin - round(box * 1.3), image.shape[1] - margin + round(box * 0.3)):
                _blend(image[y : y + box, x : x + box], printed, colour)
    high = round(margin * 0.5)
    if style.title and high >= 8 and not style.labels:
        wide = round(columns * cell_px * 0.35)
        printed = text_lines(style.text_face, (style.title,), wide, high)
        y, x = image.shape[0] - round(margin * 0.25) - high, (image.shape[1] - wide) // 2
        _blend(image[y : y + high, x : x + wide], printed, colour)
