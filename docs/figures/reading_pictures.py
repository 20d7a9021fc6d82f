"""Pictures of the accuracy of reading: confusions, reliability, and misread crops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.drawing import CERTAIN, FAINT, INK, PAPER, WRONG, Colour, Image, put_text

__all__ = ["Misread", "draw_confusions", "draw_misread", "draw_reliability"]

NAMES = {".": "empty", "?": "blank", "#": "covered"}
BLUE: Colour = (190, 110, 30)


@dataclass(frozen=True, slots=True, eq=False)
class Misread:
    """A misread square: its token, what was read, and its pixels (BGR)."""

    want: str
    have: str
    crop_bgr: NDArray[np.uint8]


def new_canvas(width: int, height: int, title: str) -> Image:
    """Make an empty canvas with a title."""
    canvas = np.full((height, width, 3), PAPER, np.uint8)
    put_text(canvas, title, 20, 34, 22, INK, 600)
    return canvas


def draw_confusions(confusions: Counter[tuple[str, str]], title: str, cell: int = 44) -> Image:
    """Draw the confusion matrix: true tokens (rows), read tokens (columns); tokens without errors are left out."""
    if not confusions:
        canvas = new_canvas(900, 120, title)
        put_text(canvas, "nothing was misread", 20, 84, 24, CERTAIN, 600)
        return canvas
    rows = sorted({want for want, _ in confusions})
    columns = sorted({have for _, have in confusions})
    left, top = 130, 150
    width, height = max(900, left + len(columns) * cell + 20), top + len(rows) * cell + 30
    canvas = new_canvas(width, height, title)
    put_text(canvas, "rows: what is there; columns: what was read", 20, 66, 18, FAINT)
    most = max(confusions.values())
    for number, want in enumerate(rows):
        put_text(canvas, NAMES.get(want, want), 20, top + number * cell + 29, 20, INK, 600)
    for number, have in enumerate(columns):
        x = left + number * cell + cell // 2
        size = 12 if have in NAMES else 20
        put_text(canvas, NAMES.get(have, have), x, top - 12, size, INK, 600, centre=True)
    for (want, have), count in confusions.items():
        x, y = left + columns.index(have) * cell, top + rows.index(want) * cell
        strength = 0.15 + 0.85 * count / most
        colour = tuple(round(p + (w - p) * strength) for p, w in zip(PAPER, WRONG, strict=True))
        cv2.rectangle(canvas, (x + 1, y + 1), (x + cell - 2, y + cell - 2), colour, -1)
        ink = PAPER if strength > 0.6 else INK
        put_text(canvas, str(count), x + cell // 2, y + 29, 18, ink, 600, centre=True)
    for number in range(len(rows) + 1):
        y = top + number * cell
        cv2.line(canvas, (left, y), (left + len(columns) * cell, y), (225, 225, 225), 1)
    for number in range(len(columns) + 1):
        x = left + number * cell
        cv2.line(canvas, (x, top), (x, top + len(rows) * cell), (225, 225, 225), 1)
    return canvas


def draw_reliability(
    series: Mapping[str, tuple[Sequence[float], Sequence[bool]]], title: str, bins: int = 15
) -> Image:
    """Draw the reliability diagram: accuracy by confidence; calibrated decisions are on the diagonal.

    The bins have equal width, as those of the expected calibration error. A disc's size grows with the logarithm of the
    number of decisions, which is printed next to it.

    References
    ----------
    Guo et al., "On Calibration of Modern Neural Networks", 2017, figure 1.
    """
    side, left, top = 640, 90, 110
    canvas = new_canvas(side + 2 * left, side + top + 110, title)
    for step in range(6):
        at = round(step * side / 5)
        cv2.line(canvas, (left, top + at), (left + side, top + at), (230, 230, 230), 1)
        cv2.line(canvas, (left + at, top), (left + at, top + side), (230, 230, 230), 1)
        put_text(canvas, f"{step / 5:.1f}", left + at, top + side + 26, 16, FAINT, centre=True)
        put_text(canvas, f"{1 - step / 5:.1f}", left - 30, top + at + 6, 16, FAINT, centre=True)
    cv2.line(canvas, (left, top + side), (left + side, top), FAINT, 1, cv2.LINE_AA)
    put_text(canvas, "how sure it was", left + side // 2, top + side + 56, 18, INK, centre=True)
    put_text(canvas, "how often it was right", left, top - 16, 18, INK)
    for number, (name, (confidence, right)) in enumerate(series.items()):
        colour = (CERTAIN, BLUE)[number % 2]
        sure, hits = np.asarray(confidence, float), np.asarray(right, bool)
        which = np.minimum((sure * bins).astype(int), bins - 1)
        last: tuple[int, int] | None = None
        for index in range(bins):
            inside = which == index
            if not inside.any():
                continue
            x = round(left + float(sure[inside].mean()) * side)
            y = round(top + (1 - float(hits[inside].mean())) * side)
            if last is not None:
                cv2.line(canvas, last, (x, y), colour, 2, cv2.LINE_AA)
            count = int(inside.sum())
            cv2.circle(canvas, (x, y), 3 + round(1.5 * np.log(count + 1)), colour, -1, cv2.LINE_AA)
            put_text(canvas, str(count), x + 12, y + 20 + 16 * number, 13, colour)
            last = (x, y)
        put_text(canvas, name, left + 260 * number, top + side + 90, 18, colour, 600)
    return canvas


def draw_misread(misread: Sequence[Misread], title: str, across: int = 12, most: int = 96) -> Image:
    """Draw misread crops in order of the error, each above its true token and what was read."""
    ordered = sorted(misread, key=lambda each: (each.want, each.have))
    # an even choice, so that every kind of error is shown
    chosen = np.linspace(0, len(ordered) - 1, min(most, len(ordered))).round().astype(int)
    shown = [ordered[index] for index in chosen]
    side, line = 96, 132
    lines = max(1, -(-len(shown) // across))
    canvas = new_canvas(across * (side + 8) + 32, 60 + lines * line, title)
    if len(shown) < len(misread):
        put_text(canvas, f"{len(shown)} of {len(misread)}", canvas.shape[1] - 120, 34, 18, FAINT)
    for number, each in enumerate(shown):
        y, x = 56 + number // across * line, 20 + number % across * (side + 8)
        canvas[y : y + side, x : x + side] = cv2.resize(
            each.crop_bgr, (side, side), interpolation=cv2.INTER_CUBIC
        )
        text = f"{NAMES.get(each.want, each.want)} > {NAMES.get(each.have, each.have)}"
        size = 12 if each.want in NAMES or each.have in NAMES else 16
        put_text(canvas, text, x + side // 2, y + side + 22, size, INK, 600, centre=True)
    return canvas
