"""What the measurements share: the yardstick D, percentiles, tables, the output folder, and the program's digest."""

from __future__ import annotations

import functools
import hashlib
import math
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from scoring import load_edition
from tests.sets.labelled_photos import BOARDS, CHECKOUT, SAMPLE
from vision.pipeline.recognizers import load_recognizer
from vision.recognition.base import SquareReader

__all__ = [
    "LOCATED_WITHIN_CELLS",
    "MAX_DRAWN",
    "PICTURES",
    "digest_program",
    "format_table",
    "measure_yardstick_ms",
    "percentile",
    "reader_for",
    "shorten_refusal",
    "yardstick_ms",
    "yardstick_photo",
]

PICTURES = CHECKOUT / "demo-output" / "benchmark"
"""Folder of results and of pictures of errors; git ignores it."""
MAX_DRAWN = 80
LOCATED_WITHIN_CELLS = 0.15
"""Largest error of a corner of a located board."""
KEPT_BYTES = 30_000_000
"""Freed memory that a process keeps; more than a picture takes, and less than the 32 MiB that glibc allows."""
DECODES = 41
DECODED_MS: deque[float] = deque(maxlen=DECODES)
"""Milliseconds of the last decodes of the yardstick in this process."""


def percentile(values: list[float], share: float) -> float:
    """Compute a percentile; not a number for no values."""
    return float(np.quantile(values, share)) if values else math.nan


def format_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def yardstick_photo() -> Path:
    """Path of the photo whose decoding takes D: 1504 px wide, or one of the shipped sample where it is missing."""
    photo = BOARDS / "german-12" / "board-10.jpg"
    return photo if photo.is_file() else sorted(SAMPLE.glob("*.jpg"))[0]


@functools.cache
def keep_freed_memory() -> None:
    """Have this process keep the memory that it frees, as one does that has read photos.

    A new one gets the memory of each picture from the system and returns it, which doubles the time of decoding. With
    the C library of Linux, it keeps as much as the largest array that it has freed.
    """
    np.ones(KEPT_BYTES, np.uint8)


def measure_yardstick_ms(
    picture: Path, runs: int = 41, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Measure D: median milliseconds that one thread takes to decode a picture from memory.

    Parameters
    ----------
    picture : Path
        The file.
    runs : int
        Number of decodes.
    clock : callable
        Seconds of wall clock or of processor time.
    """
    data = np.frombuffer(picture.read_bytes(), np.uint8)
    keep_freed_memory()
    times = []
    for _ in range(runs):
        started = clock()
        cv2.imdecode(data, cv2.IMREAD_COLOR)
        times.append((clock() - started) * 1000)
    return statistics.median(times)


def yardstick_ms() -> float:
    """Update D in processor time: the median of this process's last decodes.

    A machine's pace changes.
    """
    runs = 2 if DECODED_MS else DECODES
    DECODED_MS.extend(measure_yardstick_ms(yardstick_photo(), 1, time.process_time) for _ in range(runs))
    return statistics.median(DECODED_MS)


@functools.cache
def digest_program(*own: str) -> str:
    """Digest the program, its weights, its sets, and a benchmark's own files (patterns); other results are stale."""
    digest = hashlib.sha256()
    for pattern in ("vision/**/*", "scoring/**/*", "samples/**/*", "tests/sets/club_*", *own):
        for path in sorted(CHECKOUT.glob(pattern)):
            if path.suffix in (".py", ".toml", ".onnx"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def reader_for(edition_name: str) -> SquareReader:
    """Load the network, once per edition and process."""
    return load_recognizer("network", load_edition(edition_name))


def shorten_refusal(refusal: str) -> str:
    """Cut the numbers and details from a refusal's message."""
    text = refusal.removeprefix("no board found: ").split(";")[0].split(",")[0].split(" (")[0]
    return " ".join("N" if any(mark.isdigit() for mark in word) else word for word in text.split())
