"""Accuracy and times on the labelled photos, and which stage causes each error.

Failures are counted, never left out. ``python -m tests.benchmarks.run accuracy "true corners" times`` measures.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from docs.figures.reading_pictures import Misread, draw_misread
from scoring import Edition, load_edition
from tests.benchmarks.measuring import LOCATED_WITHIN_CELLS, PICTURES, format_table, percentile
from tests.sets.labelled_photos import is_blank, labels_of, squares_of
from vision.capture import open_picture
from vision.core import Stopwatch
from vision.core.files import write_picture
from vision.errors import VisionError
from vision.observation import BoardObservation
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.recognition.base import SquareReader

__all__ = [
    "SetResult",
    "accuracy_row",
    "accuracy_table",
    "corner_error_cells",
    "count_photo",
    "count_squares",
    "draw_misread_photos",
    "measure_set",
    "read_or_error",
    "time_table",
    "true_corners_table",
]


@dataclass(slots=True)
class SetResult:
    """The result of a set of labelled photos: counts, milliseconds per stage, and the same with true corners."""

    name: str
    photos: int = 0
    refused: int = 0
    located: int = 0
    letters: int = 0
    letters_right: int = 0
    blanks: int = 0
    blanks_right: int = 0
    false_tiles: int = 0
    boards_right: int = 0
    corner_errors_cells: list[float] = field(default_factory=list)
    stage_ms: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    misread: list[Misread] = field(default_factory=list)
    given_corners: SetResult | None = None


def corner_error_cells(found: np.ndarray, true: np.ndarray) -> float:
    """Compute the largest distance of a corner in mean true cells."""
    cell = np.linalg.norm(np.roll(true, -1, axis=0) - true, axis=1).mean() / 15
    return float(np.linalg.norm(found - true, axis=1).max() / cell)


def count_squares(result: SetResult, label: dict[str, Any], seen: BoardObservation | None) -> list[str]:
    """Add one photo's squares to the counts; the wrong ones as text."""
    wrong = []
    for row, column, want in squares_of(label):
        have = seen.decoded.board[row, column] if seen else "-"
        if want == ".":
            right = have == "."
            result.false_tiles += have not in (".", "-", "#")
        elif is_blank(want):
            right = have != "-" and is_blank(have)
            result.blanks += 1
            result.blanks_right += right
        else:
            right = have == want
            result.letters += 1
            result.letters_right += right
        if not right and seen:
            context_px = min(8, seen.rectified.margin_px)
            crop = seen.rectified.cell(row, column, context_px).copy()
            result.misread.append(Misread(want="?" if is_blank(want) else want, have=have, crop_bgr=crop))
        if not right:
            wrong.append(f"{chr(65 + column)}{row + 1}:{want}>{have}")
    return wrong


def read_or_error(
    path: Path, edition: Edition, reader: SquareReader, corners: Any = None
) -> BoardObservation | VisionError:
    """Read a photo; the error where it is refused."""
    stopwatch = Stopwatch()
    try:
        with stopwatch.stage("decode"):
            frame = open_picture(path, may_reduce=corners is None)
        context = GameContext(edition=edition, recognizer=reader)
        return read_photo(frame, context, corners_px=corners, stopwatch=stopwatch)
    except VisionError as error:
        return error


def measure_set(labels_path: Path, name: str) -> SetResult:
    """Read every photo of a set twice: with the detected corners and with the true ones."""
    result, true = SetResult(name=name), SetResult(name=name)
    result.given_corners = true
    for label in labels_of(labels_path):
        path = labels_path.parent / label["image"]
        edition = load_edition(label["edition"])
        reader = load_recognizer("network", edition)
        open_picture(path)  # loads the file into the cache
        own = read_or_error(path, edition, reader)
        true_corners = np.array(label["corners_px"])
        given = read_or_error(path, edition, reader, true_corners.tolist())
        result.photos += 1
        true.photos += 1
        read = given if isinstance(given, BoardObservation) else None
        true.boards_right += not count_squares(true, label, read) and read is not None
        count_photo(result, label, own, true_corners)
        if isinstance(own, BoardObservation):
            for stage, ms in own.stage_ms.items():
                result.stage_ms.setdefault(stage, []).append(ms)
    return result


def count_photo(
    result: SetResult, label: dict[str, Any], seen: BoardObservation | VisionError, true_corners: np.ndarray
) -> None:
    """Add one photo to the counts but for `photos`, and name its error; a refusal is a miss of all squares."""
    if isinstance(seen, VisionError):
        result.refused += 1
        count_squares(result, label, None)
        result.errors.append(f"{label['image']}: locate refused: {seen}")
        return
    error = corner_error_cells(seen.photo_corners_px, true_corners)
    result.corner_errors_cells.append(error)
    result.located += error <= LOCATED_WITHIN_CELLS
    wrong = count_squares(result, label, seen)
    result.boards_right += not wrong
    if error > LOCATED_WITHIN_CELLS:
        result.errors.append(f"{label['image']}: locate is off by {error:.2f} cells")
    elif wrong:
        result.errors.append(f"{label['image']}: read {' '.join(wrong[:8])}")


def accuracy_row(result: SetResult) -> list[str]:
    """Format a set's line of the accuracy table."""
    errors = result.corner_errors_cells
    return [
        result.name,
        str(result.photos),
        f"{result.located}/{result.photos}",
        f"{result.refused}",
        " / ".join(f"{percentile(errors, share):.3f}" for share in (0.5, 0.95, 1.0)),
        f"{result.letters_right}/{result.letters}",
        f"{result.blanks_right}/{result.blanks}",
        str(result.false_tiles),
        f"{result.boards_right}/{result.photos}",
    ]


def accuracy_table(results: Sequence[SetResult]) -> str:
    """Format the accuracy by set and stage."""
    head = [
        "set",
        "photos",
        "located",
        "refused",
        "corner error in cells (median / p95 / worst)",
        "letters",
        "blanks",
        "false tiles",
        "whole boards",
    ]
    return format_table(head, map(accuracy_row, results))


def true_corners_table(results: Sequence[SetResult]) -> str:
    """Format the accuracy with true corners: errors of reading alone."""
    rows = []
    for result in results:
        true = result.given_corners
        assert true is not None
        rows.append(
            [
                result.name,
                f"{true.letters_right}/{true.letters}",
                f"{true.blanks_right}/{true.blanks}",
                str(true.false_tiles),
                f"{true.boards_right}/{true.photos}",
            ]
        )
    return format_table(["set, true corners", "letters", "blanks", "false tiles", "whole boards"], rows)


def draw_misread_photos(results: Sequence[SetResult]) -> None:
    """Draw every square that was misread with true corners."""
    misread = [each for result in results if result.given_corners for each in result.given_corners.misread]
    path = PICTURES / "misread-photos.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_picture(path, draw_misread(misread, "labelled photos, true corners: what was misread", most=240))
    print(path, file=sys.stderr)


def time_table(results: Sequence[SetResult], yardstick_ms: float) -> str:
    """Format the times by set and stage as multiples of D, median and 95th percentile."""
    stages = ("decode", "locate", "read", "total")
    rows = []
    for result in results:
        cells = [result.name]
        for stage in stages:
            times = result.stage_ms.get(stage, [])
            p50, p95 = (percentile(times, share) / yardstick_ms for share in (0.5, 0.95))
            cells.append(f"{p50:.1f} / {p95:.1f}")
        rows.append(cells)
    return format_table(
        ["set (p50 / p95 in D)", "open the picture", "locate", "read and decide", "total"], rows
    )
