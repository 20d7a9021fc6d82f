"""How well the labelled photos are read in worse light, blurred or small, as `tests.sets.altered_photos` alters them.

``make bench`` runs it; by hand ``python -m tests.benchmarks.run "altered photos"``. A refusal counts as a miss of all
squares.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor

import cv2

from scoring import load_edition
from tests.benchmarks.bench_labelled_photos import SetResult, count_photo
from tests.benchmarks.bench_reading import reader_of
from tests.sets.altered_photos import ALTERATIONS, altered_photo
from tests.sets.labelled_photos import label_files, labels_of
from vision.capture import Frame
from vision.errors import BoardNotFoundError
from vision.observation import BoardObservation
from vision.pipeline import GameContext, read_photo

__all__ = ["HEAD", "measure", "measure_alteration", "table_rows"]

HEAD = ("alteration", "photos", "located", "refused", "letters", "blanks", "false tiles", "whole boards")


def measure_alteration(name: str) -> SetResult:
    """Read all labelled photos after one alteration."""
    cv2.setNumThreads(1)
    result = SetResult(name=name)
    for _, path in label_files():
        for label in labels_of(path):
            image, corners_px = altered_photo(name, path.parent, label)
            frame = Frame(image_bgr=image, source=label["image"], index=0, time_s=0.0)
            edition = load_edition(label["edition"])
            result.photos += 1
            context = GameContext(edition=edition, recognizer=reader_of(label["edition"]))
            seen: BoardObservation | BoardNotFoundError
            try:
                seen = read_photo(frame, context)
            except BoardNotFoundError as error:
                seen = error
            count_photo(result, label, seen, corners_px)
    return result


def measure(jobs: int = 2) -> list[SetResult]:
    """Measure every alteration."""
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(measure_alteration, ALTERATIONS))


def table_rows(results: Iterable[SetResult]) -> list[list[str]]:
    """Format a line for each alteration."""
    return [
        [
            result.name,
            str(result.photos),
            str(result.located),
            str(result.refused),
            f"{result.letters_right}/{result.letters}",
            f"{result.blanks_right}/{result.blanks}",
            str(result.false_tiles),
            f"{result.boards_right}/{result.photos}",
        ]
        for result in results
    ]
