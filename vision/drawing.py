"""The stage that draws: the only place where pictures for people are made.

Colours are BGR. Text is drawn with the Unicode font that OpenCV 5 carries, so that Ð, Ő and Ł look right on
every machine.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Grid, Homography, RectifiedBoard

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

Image = NDArray[np.uint8]
Colour = tuple[int, int, int]

PAPER: Colour = (250, 250, 250)
INK: Colour = (40, 36, 32)
FAINT: Colour = (150, 145, 140)
SURE: Colour = (74, 140, 30)
DOUBTFUL: Colour = (0, 120, 235)
WRONG: Colour = (40, 40, 215)
GRID: Colour = (255, 200, 0)
SURE_FROM = 0.95
"""A square read with at least this probability is drawn as sure."""


@functools.cache
def font() -> cv2.FontFace:
    """The built-in sans-serif face."""
    return cv2.FontFace("sans")


def text_width(text: str, size_px: int, weight: int) -> int:
    """How many pixels wide the text would be."""
    x, _, width, _ = cv2.getTextSize((0, 0), text, (0, 0), font(), size_px, weight)
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
    """Draws text in place, its left end (or its centre) at `x`."""
    left = x - text_width(text, size_px, weight) // 2 if centre else x
    cv2.putText(image, text, (left, baseline), colour, font(), size_px, weight)


def draw_grid(image_bgr: Image, grid: Grid, longest_px: int = 1000, colour: Colour = GRID) -> Image:
    """The photo, shrunk to `longest_px`, with a grid and its corners drawn on it."""
    scale = min(1.0, longest_px / max(image_bgr.shape[:2]))
    size = (round(image_bgr.shape[1] * scale), round(image_bgr.shape[0] * scale))
    canvas = np.array(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    shrink = np.array([[scale, 0, scale / 2 - 0.5], [0, scale, scale / 2 - 0.5], [0, 0, 1]])
    canvas_from_grid = Homography(matrix=shrink) @ grid.image_from_grid
    ends = [((0, row), (grid.columns, row)) for row in range(grid.rows + 1)]
    ends += [((column, 0), (column, grid.rows)) for column in range(grid.columns + 1)]
    thickness = max(1, round(max(size) / 700))
    for start, end in canvas_from_grid.apply(ends):
        line(canvas, start, end, colour, thickness)
    corners = canvas_from_grid.apply([[0, 0], [grid.columns, 0], [grid.columns, grid.rows], [0, grid.rows]])
    for (x, y), name in zip(corners, ("TL", "TR", "BR", "BL"), strict=True):
        cv2.circle(canvas, (round(x), round(y)), 4 * thickness, DOUBTFUL, -1, cv2.LINE_AA)
        label_x = int(np.clip(round(x) - 9 * thickness, 2, size[0] - 34 * thickness))
        label_y = int(np.clip(round(y) - 8 * thickness, 20 * thickness, size[1] - 4))
        put_text(canvas, name, label_x, label_y, 18 * thickness, DOUBTFUL, weight=800)
    return canvas


def draw_outlines(
    canvas: Image, grid: Grid, squares: Iterable[tuple[int, int]], colour: Colour = DOUBTFUL
) -> None:
    """Draws the grid's outline and those of some squares, in place."""
    thickness = max(1, round(max(canvas.shape[:2]) / 500))
    whole = [[0, 0], [grid.columns, 0], [grid.columns, grid.rows], [0, grid.rows]]
    shapes = [(whole, GRID)] + [
        ([[c, r], [c + 1, r], [c + 1, r + 1], [c, r + 1]], colour) for r, c in squares
    ]
    for corners, shade in shapes:
        points = np.round(grid.image_from_grid.apply(corners) * 16).astype(np.int32)
        cv2.polylines(canvas, [points.reshape(-1, 1, 2)], True, shade, thickness, cv2.LINE_AA, 4)


def draw_caption(canvas: Image, left: str, right: str) -> None:
    """Draws a bar over the picture's lower edge with a text at each of its ends, in place."""
    height, width = canvas.shape[:2]
    size = max(14, round(height / 30))
    bar = canvas[height - 2 * size :]
    bar[...] = bar // 4
    baseline = height - size // 2 - size // 8
    put_text(canvas, left, size // 2, baseline, size, PAPER)
    put_text(canvas, right, width - size // 2 - text_width(right, size, 700), baseline, size, PAPER, 700)


def line(
    image: Image, start: NDArray[np.float64], end: NDArray[np.float64], colour: Colour, thickness: int
) -> None:
    """An anti-aliased line between two points given to a sixteenth of a pixel."""
    first, second = (np.round(point * 16).astype(int) for point in (start, end))
    cv2.line(image, (first[0], first[1]), (second[0], second[1]), colour, thickness, cv2.LINE_AA, 4)


def draw_tokens(
    rectified: RectifiedBoard,
    rows: Sequence[Sequence[str]],
    confidence: NDArray[np.float64],
    highlight: frozenset[tuple[int, int]] = frozenset(),
    cell_px: int = 56,
) -> Image:
    """The straightened board with what was read written over each tile, doubts in colour.

    Parameters
    ----------
    rectified : RectifiedBoard
        The straightened picture.
    rows : sequence of sequences of str
        Tokens, one a square.
    confidence : (rows, columns) float
        Probability of each token.
    highlight : frozenset of (row, column)
        Squares to frame, such as the last play.
    cell_px : int
        Side of a drawn cell.
    """
    margin = rectified.margin_px
    inner = rectified.image_bgr[
        margin : margin + rectified.rows * rectified.cell_px,
        margin : margin + rectified.columns * rectified.cell_px,
    ]
    edge = round(0.62 * cell_px)
    size = (rectified.columns * cell_px, rectified.rows * cell_px)
    board = cv2.resize(inner, size, interpolation=cv2.INTER_CUBIC)
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
                cv2.rectangle(canvas, corner, far, DOUBTFUL, max(2, cell_px // 18), cv2.LINE_AA)
            draw_token(canvas, token, float(confidence[row, column]), corner, cell_px)
    return canvas


def column_name(column: int) -> str:
    """The letter over a column: A for 0."""
    return chr(ord("A") + column)


def draw_token(canvas: Image, token: str, confidence: float, corner: tuple[int, int], cell_px: int) -> None:
    """One square's token as a chip at its top left, so that the tile below can still be compared."""
    sure = confidence >= SURE_FROM
    if token == ".":
        if not sure:
            far = (corner[0] + cell_px - 3, corner[1] + cell_px - 3)
            cv2.rectangle(canvas, (corner[0] + 2, corner[1] + 2), far, DOUBTFUL, 1)
        return
    colour = SURE if sure else (DOUBTFUL if confidence >= 0.5 else WRONG)
    size = round(0.32 * cell_px)
    width = max(round(0.36 * cell_px), text_width(token, size, 700) + round(0.12 * cell_px))
    far = (corner[0] + width, corner[1] + round(0.38 * cell_px))
    cv2.rectangle(canvas, corner, far, colour, -1)
    put_text(
        canvas,
        token,
        corner[0] + width // 2,
        corner[1] + round(0.34 * cell_px),
        size,
        PAPER,
        700,
        centre=True,
    )


def draw_lines(lines: Sequence[tuple[str, str]], height_px: int, width_px: int = 460) -> Image:
    """A panel of text: each line's left part and, flush right, its right part; a bold last line."""
    canvas = np.full((height_px, width_px, 3), PAPER, np.uint8)
    step = min(56, (height_px - 30) // max(1, len(lines)))
    size = round(0.55 * step)
    for number, (left, right) in enumerate(lines):
        baseline = 20 + step * number + round(0.7 * step)
        weight = 800 if number == len(lines) - 1 else 500
        put_text(canvas, left, 20, baseline, size, INK, weight)
        put_text(canvas, right, width_px - 20 - text_width(right, size, weight), baseline, size, INK, weight)
        cv2.line(
            canvas, (20, baseline + step // 4), (width_px - 20, baseline + step // 4), (225, 225, 225), 1
        )
    return canvas


def draw_reason(picture: Image, reason: str) -> Image:
    """A picture with a reason below it, in as many lines as it takes."""
    size, left = 22, 18
    lines = [""]
    for word in reason.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size, 500) > picture.shape[1] - 2 * left and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    step = round(1.5 * size)
    below = np.full((step * len(lines) + left, picture.shape[1], 3), PAPER, np.uint8)
    for number, text in enumerate(lines, start=1):
        put_text(below, text, left, number * step, size, WRONG, 500)
    return np.concatenate([picture, below])


def stack_panels(panels: Sequence[tuple[str, Image]], height_px: int = 760) -> Image:
    """Pictures side by side at one height, each under its caption."""
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
