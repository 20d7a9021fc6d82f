"""Reads labelled photos with the one pipeline and says which stage is to blame for what went wrong.

Labels are lists of objects with ``image``, ``edition``, ``corners_px`` (TL TR BR BL) and ``board`` (a row a
string or a list of tokens), or a game with such ``frames``. Failures are counted, never left out.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from docs.figures.reading_pictures import Misread
from scoring import Edition, load_edition
from vision.capture import open_picture
from vision.errors import VisionError
from vision.observation import BoardObservation
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.recognition.base import SquareReader

__all__ = [
    "BOARDS",
    "CHECKOUT",
    "SAMPLE",
    "SetResult",
    "measure_set",
    "measure_yardstick_ms",
    "percentile",
    "program",
    "yardstick_photo",
]

CHECKOUT = Path(__file__).resolve().parents[2]
BOARDS = CHECKOUT.parent / "shared" / "boards"
SAMPLE = CHECKOUT / "samples" / "shipped" / "icelandic"
LOCATED_WITHIN_CELLS = 0.15


@dataclass(slots=True)
class SetResult:
    """What a set of labelled photos gave: counts, milliseconds a stage, and the same with true corners."""

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
    blame: list[str] = field(default_factory=list)
    misread: list[Misread] = field(default_factory=list)
    given_corners: SetResult | None = None


def labels_of(path: Path) -> list[dict[str, Any]]:
    """The labelled photos of a ``photos.json`` or a ``game.json``, those with a hand in view left out."""
    data = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(data, list):
        return data
    return [{"edition": data["edition"], **frame} for frame in data["frames"] if not frame.get("hand")]


def percentile(values: list[float], share: float) -> float:
    """The value below which `share` of the values lie; not a number where there are none."""
    return float(np.quantile(values, share)) if values else math.nan


def yardstick_photo() -> Path:
    """The photo whose decoding is D: 1504 px wide, or the shipped sample where that one is not at hand."""
    photo = BOARDS / "german-12" / "board-10.jpg"
    return photo if photo.is_file() else sorted(SAMPLE.glob("*.jpg"))[0]


def measure_yardstick_ms(
    picture: Path, runs: int = 41, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Milliseconds that one thread takes to decode this picture from memory, the median of many."""
    data = np.frombuffer(picture.read_bytes(), np.uint8)
    times = []
    for _ in range(runs):
        started = clock()
        cv2.imdecode(data, cv2.IMREAD_COLOR)
        times.append((clock() - started) * 1000)
    return statistics.median(times)


@functools.cache
def program(*own: str) -> str:
    """What tells one state of the program, and of the benchmark's own files (patterns), from another."""
    digest = hashlib.sha256()
    for pattern in ("vision/**/*", "scoring/**/*", "samples/**/*", "tests/benchmarks/club_*", *own):
        for path in sorted(CHECKOUT.glob(pattern)):
            if path.suffix in (".py", ".toml", ".onnx"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def corner_error_cells(found: np.ndarray, true: np.ndarray) -> float:
    """The largest distance of a corner, as a share of the true mean cell."""
    cell = np.linalg.norm(np.roll(true, -1, axis=0) - true, axis=1).mean() / 15
    return float(np.linalg.norm(found - true, axis=1).max() / cell)


def squares_of(label: dict[str, Any]) -> Iterator[tuple[int, int, str]]:
    """Row, column and token of each square that the label is sure of."""
    unsure = {tuple(square) for square in label.get("unsure", [])}
    for row, tokens in enumerate(label["board"]):
        for column, token in enumerate(tokens):
            if token != "#" and (row, column) not in unsure:
                yield row, column, token


def is_blank(token: str) -> bool:
    """Whether the token is a blank tile, its letter known or not."""
    return token == "?" or token != token.upper()


def count(result: SetResult, label: dict[str, Any], seen: BoardObservation | None) -> list[str]:
    """Adds one photo's squares to the counts and returns the wrong ones as text."""
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


def attempt(
    path: Path, edition: Edition, reader: SquareReader, corners: Any = None
) -> BoardObservation | VisionError:
    """The photo's board, or why there is none."""
    try:
        return read_photo(path, GameContext(edition=edition, recognizer=reader), corners_px=corners)
    except VisionError as error:
        return error


def measure_set(labels_path: Path, name: str) -> SetResult:
    """Reads every photo of a set twice: with the corners that the pipeline finds and with the true ones."""
    result, true = SetResult(name=name), SetResult(name=name)
    result.given_corners = true
    for label in labels_of(labels_path):
        path = labels_path.parent / label["image"]
        edition = load_edition(label["edition"])
        reader = load_recognizer("network", edition)
        open_picture(path)  # the file's bytes are in memory from here on
        own = attempt(path, edition, reader)
        true_corners = np.array(label["corners_px"])
        given = attempt(path, edition, reader, true_corners.tolist())
        result.photos += 1
        true.photos += 1
        read = given if isinstance(given, BoardObservation) else None
        true.boards_right += not count(true, label, read) and read is not None
        if isinstance(own, VisionError):
            result.refused += 1
            count(result, label, None)
            result.blame.append(f"{label['image']}: locate refused: {own}")
            continue
        error = corner_error_cells(own.grid.corners_px, true_corners)
        result.corner_errors_cells.append(error)
        result.located += error <= LOCATED_WITHIN_CELLS
        for stage, ms in own.stage_ms.items():
            result.stage_ms.setdefault(stage, []).append(ms)
        wrong = count(result, label, own)
        result.boards_right += not wrong
        if error > LOCATED_WITHIN_CELLS:
            result.blame.append(f"{label['image']}: locate is off by {error:.2f} cells")
        elif wrong:
            result.blame.append(f"{label['image']}: read {' '.join(wrong[:8])}")
    return result
