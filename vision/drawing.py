"""Draw grids, tokens, captions and panels: all pictures for people come from here.

Colours are BGR. Text is drawn with the Unicode font that OpenCV 5 contains, so that Ð, Ő and Ł are right on every
machine.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

import cv2
import numpy as np

from scoring import EMPTY, column_name
from vision.core import Floats, Grid, Homography, Image, RectifiedBoard, Square, grid_outline

__all__ = [
    "Image",
    "draw_caption",
    "draw_grid",
    "draw_lines",
    "draw_outlines",
    "draw_reason",
    "draw_tokens",
    "stack_panels",
]

Colour = tuple[int, int, int]

PAPER: Colour = (250, 250, 250)
INK: Colour = (40, 36, 32)
FAINT: Colour = (150, 145, 140)
CERTAIN: Colour = (74, 140, 30)
UNCERTAIN: Colour = (0, 120, 235)
WRONG: Colour = (40, 40, 215)
GRID: Colour = (255, 200, 0)

MIN_CERTAIN = 0.95
"""Probability from which a square is drawn as certain (chosen)."""

LONGEST_PX = 1000
"""Longer side of a photo with a grid at most (chosen)."""
CELL_PX = 56
"""Side of a drawn square (chosen)."""

_PANEL_WIDTH_PX = 460
"""Width of a panel of text."""

_SUBPIXEL_BITS = 4
"""Fractional bits of the coordinates that OpenCV draws."""


@functools.cache
def load_font() -> cv2.FontFace:
    """Load the built-in sans-serif face."""
    return cv2.FontFace("sans")


def measure_text(text: str, size_px: int, weight: int) -> int:
    """Return the width of a text in pixels."""
    x, _, width, _ = cv2.getTextSize((0, 0), text, (0, 0), load_font(), size_px, weight)
    return int(x + width)


def put_text(
    image: Image,
    text: str,
    x: int,
    baseline: int,
    size_px: int,
    colour: Colour = INK,
    weight: int = 400,
    centre: bool = False,
) -> None:
    """Draw text in place.

    Parameters
    ----------
    image : (height, width, 3) uint8
        BGR.
    text : str
        One line.
    x, baseline : int
        The text's left end, or its centre, and its base line, in pixels.
    size_px, weight : int
        Height and weight of the font.
    colour : (int, int, int)
        BGR.
    centre : bool
        Whether `x` is the centre.
    """
    left = x - measure_text(text, size_px, weight) // 2 if centre else x
    cv2.putText(image, text, (left, baseline), colour, load_font(), size_px, weight)


def draw_grid(image_bgr: Image, grid: Grid, colour: Colour = GRID) -> Image:
    """Return a photo with a grid and its corners drawn on it.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The photo, BGR.
    grid : Grid
        The grid in it.
    colour : (int, int, int)
        Colour of the lines, BGR.
    """
    scale = min(1.0, LONGEST_PX / max(image_bgr.shape[:2]))
    size = (round(image_bgr.shape[1] * scale), round(image_bgr.shape[0] * scale))
    canvas = np.array(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    canvas_from_grid = Homography.rescaling(scale) @ grid.image_from_grid
    ends = [((0, row), (grid.columns, row)) for row in range(grid.rows + 1)]
    ends += [((column, 0), (column, grid.rows)) for column in range(grid.columns + 1)]
    thickness = max(1, round(max(size) / 700))
    for start, end in canvas_from_grid.apply(ends):
        draw_line(canvas, start, end, colour, thickness)
    corners = canvas_from_grid.apply(grid_outline(grid.rows, grid.columns))
    for (x, y), name in zip(corners, ("TL", "TR", "BR", "BL"), strict=True):
        cv2.circle(canvas, (round(x), round(y)), 4 * thickness, UNCERTAIN, -1, cv2.LINE_AA)
        label_x = int(np.clip(round(x) - 9 * thickness, 2, size[0] - 34 * thickness))
        label_y = int(np.clip(round(y) - 8 * thickness, 20 * thickness, size[1] - 4))
        put_text(canvas, name, label_x, label_y, 18 * thickness, UNCERTAIN, weight=800)
    return canvas


def draw_outlines(canvas: Image, grid: Grid, squares: Iterable[Square]) -> None:
    """Draw the outlines of a grid and of some of its squares, in place."""
    thickness = max(1, round(max(canvas.shape[:2]) / 500))
    shapes = [(grid_outline(grid.rows, grid.columns), GRID)]
    shapes += [(grid_outline(1, 1) + np.array([column, row]), UNCERTAIN) for row, column in squares]
    for corners, colour in shapes:
        points = np.round(grid.image_from_grid.apply(corners) * 2**_SUBPIXEL_BITS).astype(np.int32)
        cv2.polylines(
            canvas, [points.reshape(-1, 1, 2)], True, colour, thickness, cv2.LINE_AA, _SUBPIXEL_BITS
        )


def draw_caption(canvas: Image, left: str, right: str) -> None:
    """Draw a bar at the lower edge with a text at each of its ends, in place; long texts are smaller."""
    height, width = canvas.shape[:2]
    size = max(14, round(height / 30))
    bar = canvas[height - 2 * size :]
    bar[...] = bar // 4
    needed = measure_text(left, size, 400) + measure_text(right, size, 700) + 2 * size
    size = min(size, size * width // needed)
    baseline = height - size // 2 - size // 8
    put_text(canvas, left, size // 2, baseline, size, PAPER)
    put_text(canvas, right, width - size // 2 - measure_text(right, size, 700), baseline, size, PAPER, 700)


def draw_line(image: Image, start: Floats, end: Floats, colour: Colour, thickness: int) -> None:
    """Draw an anti-aliased line between two points (x, y), with subpixel accuracy, in place."""
    first, second = (np.round(point * 2**_SUBPIXEL_BITS).astype(int) for point in (start, end))
    cv2.line(
        image, (first[0], first[1]), (second[0], second[1]), colour, thickness, cv2.LINE_AA, _SUBPIXEL_BITS
    )


def draw_tokens(
    rectified: RectifiedBoard,
    rows: Sequence[Sequence[str]],
    confidence: Floats,
    highlight: frozenset[Square] = frozenset(),
) -> Image:
    """Return the rectified board with its tokens written on it, uncertain ones in another colour.

    Parameters
    ----------
    rectified : RectifiedBoard
        The rectified board.
    rows : sequence of sequences of str
        The token of each square.
    confidence : (rows, columns) float
        Probability of each token.
    highlight : frozenset of (row, column)
        Squares to frame, such as the last play.
    """
    cell_px = CELL_PX
    edge = round(0.62 * cell_px)
    size = (rectified.columns * cell_px, rectified.rows * cell_px)
    board = cv2.resize(rectified.interior_bgr, size, interpolation=cv2.INTER_CUBIC)
    canvas = np.full((size[1] + edge, size[0] + edge, 3), PAPER, np.uint8)
    canvas[edge:, edge:] = board
    for column in range(rectified.columns):
        put_text(
            canvas,
            column_name(column),
            edge + column * cell_px + cell_px // 2,
            round(0.7 * edge),
            round(0.5 * edge),
            FAINT,
            600,
            centre=True,
        )
    for row in range(rectified.rows):
        put_text(
            canvas,
            str(row + 1),
            edge // 2,
            edge + row * cell_px + round(0.62 * cell_px),
            round(0.5 * edge),
            FAINT,
            600,
            centre=True,
        )
    for row, tokens in enumerate(rows):
        for column, token in enumerate(tokens):
            corner = (edge + column * cell_px, edge + row * cell_px)
            if (row, column) in highlight:
                far = (corner[0] + cell_px - 1, corner[1] + cell_px - 1)
                cv2.rectangle(canvas, corner, far, UNCERTAIN, max(2, cell_px // 18), cv2.LINE_AA)
            draw_token(canvas, token, float(confidence[row, column]), corner, cell_px)
    return canvas


def draw_token(canvas: Image, token: str, confidence: float, corner: tuple[int, int], cell_px: int) -> None:
    """Draw a square's token at its top left, in place, so that the tile can still be compared."""
    is_certain = confidence >= MIN_CERTAIN
    if token == EMPTY:
        if not is_certain:
            far = (corner[0] + cell_px - 3, corner[1] + cell_px - 3)
            cv2.rectangle(canvas, (corner[0] + 2, corner[1] + 2), far, UNCERTAIN, 1)
        return
    colour = CERTAIN if is_certain else (UNCERTAIN if confidence >= 0.5 else WRONG)
    size = round(0.27 * cell_px)
    width = max(round(0.28 * cell_px), measure_text(token, size, 700) + round(0.08 * cell_px))
    far = (corner[0] + width, corner[1] + round(0.29 * cell_px))
    cv2.rectangle(canvas, corner, far, colour, -1)
    put_text(
        canvas,
        token,
        corner[0] + width // 2,
        corner[1] + round(0.25 * cell_px),
        size,
        PAPER,
        700,
        centre=True,
    )


def draw_lines(lines: Sequence[tuple[str, str]], height_px: int) -> Image:
    """Return a panel of text, as wide as its lines: each has a left and a right part; the last line is bold."""
    step = min(56, (height_px - 30) // max(1, len(lines)))
    size = round(0.55 * step)
    weights = [500] * (len(lines) - 1) + [800]
    widths = [
        [measure_text(part, size, weight) for part in parts]
        for parts, weight in zip(lines, weights, strict=True)
    ]
    width_px = max([_PANEL_WIDTH_PX, *(60 + left + right for left, right in widths)])
    canvas = np.full((height_px, width_px, 3), PAPER, np.uint8)
    for number, ((left, right), weight) in enumerate(zip(lines, weights, strict=True)):
        baseline = 20 + step * number + round(0.7 * step)
        put_text(canvas, left, 20, baseline, size, INK, weight)
        put_text(canvas, right, width_px - 20 - widths[number][1], baseline, size, INK, weight)
        cv2.line(
            canvas, (20, baseline + step // 4), (width_px - 20, baseline + step // 4), (225, 225, 225), 1
        )
    return canvas


def draw_reason(picture: Image, reason: str) -> Image:
    """Return a picture with a reason below it, wrapped into lines."""
    size, left = 22, 18
    lines = [""]
    for word in reason.split():
        longer = f"{lines[-1]} {word}".strip()
        if measure_text(longer, size, 500) > picture.shape[1] - 2 * left and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    step = round(1.5 * size)
    below = np.full((step * len(lines) + left, picture.shape[1], 3), PAPER, np.uint8)
    for number, text in enumerate(lines, start=1):
        put_text(below, text, left, number * step, size, WRONG, 500)
    return np.concatenate([picture, below])


def stack_panels(panels: Sequence[tuple[str, Image]], height_px: int = 760) -> Image:
    """Return pictures next to each other at one height, each under its caption.

    Parameters
    ----------
    panels : sequence of (str, image)
        Captions and BGR pictures.
    height_px : int
        Height of the pictures in pixels.
    """
    gap, caption = 18, 46
    scaled = []
    for title, image in panels:
        width = round(image.shape[1] * height_px / image.shape[0])
        shrinks = height_px < image.shape[0]
        method = cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
        scaled.append(
            (title, np.asarray(cv2.resize(image, (width, height_px), interpolation=method), np.uint8))
        )
    width = gap + sum(image.shape[1] + gap for _, image in scaled)
    canvas = np.full((height_px + caption + gap, width, 3), PAPER, np.uint8)
    x = gap
    for title, image in scaled:
        put_text(canvas, title, x, 32, 22, INK, 600)
        canvas[caption : caption + height_px, x : x + image.shape[1]] = image
        x += image.shape[1] + gap
    return canvas
