"""The empty board as a flat picture: squares, premium print, lines, rim."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samples.arrays import Colour, Floats, Picture, Plane
from samples.drawing.glyphs import text_lines
from samples.drawing.squares import blend, premium_stamps, start_stamps
from samples.drawing.surfaces import grain, noise
from samples.style import BoardStyle
from scoring import Layout

__all__ = ["FlatBoard", "draw_board", "marks_of"]

MIN_GRAIN = 0.05
"""Speckle from which on a board has the texture of wood."""
MARKS = {".": ".", "d": "d", "t": "t", "q": "t", "D": "D", "T": "T", "Q": "T"}
"""The mark that is drawn for each premium: quadruple ones are drawn as triple ones."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FlatBoard:
    """A picture whose pixels are a regular grid over the board's plane.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The board with its rim, BGR.
    cell_px : int
        Side of a cell in pixels.
    margin_px : int
        Width of the rim in pixels.
    """

    image_bgr: Picture
    cell_px: int
    margin_px: int

    @property
    def grid_from_pixels(self) -> Floats:
        """(3, 3) matrix from this picture's pixels to board coordinates in cells."""
        scale, offset = 1 / self.cell_px, (0.5 - self.margin_px) / self.cell_px
        return np.array([[scale, 0, offset], [0, scale, offset], [0, 0, 1]])


def marks_of(layout: Layout) -> tuple[str, ...]:
    """Convert a layout to rows of marks (``. d t D T``); quadruple premiums look like triple ones."""
    return tuple("".join(MARKS[premium.value] for premium in line) for line in layout.premiums)


def draw_board(
    marks: tuple[str, ...],
    starts: frozenset[tuple[int, int]],
    style: BoardStyle,
    cell_px: int,
    rng: np.random.Generator,
) -> FlatBoard:
    """Draw an empty board.

    Parameters
    ----------
    marks : tuple of str
        The premium squares, a row each: ``.`` plain, ``d t`` double and triple letter, ``D T`` word.
    starts : frozenset of (row, column)
        Start squares.
    style : BoardStyle
        Look of the board.
    cell_px : int
        Side of a cell in pixels.
    rng : numpy.random.Generator
        Of textures and small print.
    """
    rows, columns = len(marks), len(marks[0])
    margin = max(cell_px // 5 + 1, round(style.frame_width * cell_px))
    height, width = rows * cell_px + 2 * margin, columns * cell_px + 2 * margin
    image = np.empty((height, width, 3), np.uint8)
    image[:] = np.array(style.frame_bgr, np.float32).astype(np.uint8)
    inside = (slice(margin, margin + rows * cell_px), slice(margin, margin + columns * cell_px))
    image[inside] = np.array(style.plain_bgr, np.float32).astype(np.uint8)
    stamps = premium_stamps(style, cell_px)
    start = start_stamps(style, cell_px)
    room = cell_px // 5
    if style.teeth == "stamp":  # reaches over the lines
        _draw_lines(image, rows, columns, style, cell_px, margin)
    for row, line in enumerate(marks):
        for column, mark in enumerate(line):
            stamp = start.get(mark) if (row, column) in starts else stamps.get(mark)
            if stamp is None:
                continue
            y, x = margin + row * cell_px - room, margin + column * cell_px - room
            place = image[y : y + cell_px + 2 * room, x : x + cell_px + 2 * room]
            np.copyto(place, stamp.image_bgr, where=stamp.mask[..., None] > 127)
    if style.clutter > 0:
        _print_clutter(image, marks, style, cell_px, margin, rng)
    if style.teeth != "stamp":
        _draw_lines(image, rows, columns, style, cell_px, margin)
    _draw_frame(image, rows, columns, style, cell_px, margin)
    if style.folds > 0:
        _draw_crease(image, (rows, columns), style, cell_px, margin, rng)
    if style.speckle > 0:
        image = _add_texture(image, style.speckle, cell_px, rng)
    return FlatBoard(image_bgr=image, cell_px=cell_px, margin_px=margin)


def _draw_crease(
    image: Picture,
    size: tuple[int, int],
    style: BoardStyle,
    cell_px: int,
    margin: int,
    rng: np.random.Generator,
) -> None:
    """Draw the crease of a folding board, in place: a dark and a lit line next to the middle."""
    rows, columns = size
    across = image.transpose(1, 0, 2) if style.fold_across else image
    thick = max(1, round(0.05 * cell_px))
    x = margin + ((rows if style.fold_across else columns) + 1) // 2 * cell_px
    dark, lit = across[:, x : x + thick], across[:, x + thick : x + 2 * thick]
    dark[...] = (dark * (1 - style.folds)).astype(np.uint8)
    lit[...] = np.minimum(lit * (1 + style.folds), 255).astype(np.uint8)
    if style.fold_gloss > 0:
        _draw_glints(across, x, style.fold_gloss, cell_px, rng)


def _draw_glints(across: Picture, x: int, strength: float, cell_px: int, rng: np.random.Generator) -> None:
    """Draw broken bright streaks along a worn crease at column `x`, in place."""
    for _ in range(int(rng.integers(1, 5))):
        left = x + round(float(rng.normal(0, 0.12)) * cell_px)
        thick = max(1, round(float(rng.uniform(0.015, 0.06)) * cell_px))
        streak = across[:, left : left + thick]
        worn = np.clip(noise(rng, (across.shape[0], 1), cell_px * float(rng.uniform(0.3, 3))), 0, 1)
        streak[...] = np.clip(streak + 255 * strength * worn[..., np.newaxis], 0, 255).astype(np.uint8)


def _add_texture(image: Picture, strength: float, cell_px: int, rng: np.random.Generator) -> Picture:
    """Add the texture of paper, or of wood where `strength` is above `MIN_GRAIN`."""
    shape = (image.shape[0], image.shape[1])
    if strength > MIN_GRAIN:
        texture = grain(rng, shape, cell_px / 12)
    else:
        texture = 0.5 * noise(rng, shape, 1.5) + 0.5 * noise(rng, shape, cell_px * 3)
    return np.clip(image * (1 + strength * texture[..., None]), 0, 255).astype(np.uint8)


def _print_clutter(
    image: Picture,
    marks: tuple[str, ...],
    style: BoardStyle,
    cell_px: int,
    margin: int,
    rng: np.random.Generator,
) -> None:
    """Print coordinates, numbers, words or marks on plain squares, in place."""
    words = ("7", "12", "H8", "A1", "x2", "3", "•", "+", "2x", "logo", "O", "I", "50", "L", "*")
    for row, line in enumerate(marks):
        for column, mark in enumerate(line):
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
            blend(image[y : y + high, x : x + wide], printed, style.text_bgr, float(rng.uniform(0.3, 0.9)))


def _draw_lines(
    image: Picture, rows: int, columns: int, style: BoardStyle, cell_px: int, margin: int
) -> None:
    """Draw the lines of the grid, in place, between a lit and a dark line where they are ridges."""
    if style.line_bgr is None and style.relief == 0:
        return
    thick = max(1, round(style.line_width * cell_px))
    bottom, right = margin + rows * cell_px, margin + columns * cell_px
    plain = np.array(style.line_bgr if style.line_bgr is not None else style.plain_bgr, np.float32)
    bands: list[tuple[Plane, int, int]] = [(plain, 0, thick)]
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


def _draw_frame(
    image: Picture, rows: int, columns: int, style: BoardStyle, cell_px: int, margin: int
) -> None:
    """Print labels or a title on the rim, in place, where they fit."""
    light = sum(style.frame_bgr) < 380
    colour: Colour = (235, 235, 235) if light else (40, 40, 40)
    box = round(min(margin, cell_px) * 0.5)
    if style.labels and box >= 5:
        for column in range(columns):
            x = margin + column * cell_px + (cell_px - box) // 2
            printed = text_lines(style.text_face, (chr(ord("A") + column % 26),), box, box)
            for y in (margin - round(box * 1.3), image.shape[0] - margin + round(box * 0.3)):
                blend(image[y : y + box, x : x + box], printed, colour)
        for row in range(rows):
            y = margin + row * cell_px + (cell_px - box) // 2
            printed = text_lines(style.text_face, (str(row + 1),), box, box)
            for x in (margin - round(box * 1.3), image.shape[1] - margin + round(box * 0.3)):
                blend(image[y : y + box, x : x + box], printed, colour)
    high = round(margin * 0.5)
    if style.title and high >= 8 and not style.labels:
        wide = round(columns * cell_px * 0.35)
        printed = text_lines(style.text_face, (style.title,), wide, high)
        y, x = image.shape[0] - round(margin * 0.25) - high, (image.shape[1] - wide) // 2
        blend(image[y : y + high, x : x + wide], printed, colour)
