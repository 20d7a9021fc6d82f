"""Reading of rendered boards with typefaces that training never saw, by edition and resolution.

Boards are those of `tests.sets.club_boards`. The true corners are given, so that only reading is measured.
``make bench`` runs it with all boards; by hand::

    python -m tests.benchmarks.bench_reading --boards 20 --jobs 2

It also draws ``confusions.png`` (which token was read as which), ``reliability.png`` (how often a decision of a given
probability is right), ``misread.png`` and ``misread-values.png`` (crops) into ``demo-output/benchmark/``.
"""

from __future__ import annotations

import argparse
import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.training.metrics import expected_calibration_error
from docs.figures.images import save_figure
from docs.figures.reading_pictures import (
    Misread,
    draw_confusions,
    draw_misread,
    draw_reliability,
)
from samples import RenderedPhoto
from scoring import BLANK, COVERED, EMPTY, load_edition
from tests.benchmarks.measuring import PICTURES
from tests.sets.club_boards import club_photo
from vision.capture import Frame
from vision.core.files import write_picture
from vision.observation import BoardObservation
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.recognition.base import SquareReader

__all__ = ["Score", "main", "measure", "table_rows"]

EDITIONS = ("icelandic", "norwegian", "hungarian", "danish", "english")
CELLS_PX = (40, 20)
BOARDS = 200
PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
MAX_CROPS = 8  # of one board: one failed board must not fill the picture
PUBLISHED = {"misread-40px.png": "misread.jpg"}
"""Pictures that the documents show, and their names there."""


@dataclass(slots=True)
class Score:
    """Counts of some boards, and probabilities of squares that hold a tile or were read as one.

    `special` letters are those outside of A to Z: accented ones and digraphs.
    """

    boards: int = 0
    boards_right: int = 0
    squares: int = 0
    occupancy_right: int = 0
    letters: int = 0
    letters_right: int = 0
    special: int = 0
    special_right: int = 0
    values: int = 0
    values_right: int = 0
    blanks: int = 0
    blanks_right: int = 0
    false_tiles: int = 0
    false_covers: int = 0
    boards_without_false_tile: int = 0
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)
    confidence: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    letter_confidence: list[float] = field(default_factory=list)
    letter_right: list[bool] = field(default_factory=list)
    misread: list[Misread] = field(default_factory=list)
    misread_values: list[Misread] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Add the counts of other boards."""
        for name in self.__slots__:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, Counter):
                mine.update(theirs)
            elif isinstance(mine, list):
                mine.extend(theirs)
            else:
                setattr(self, name, mine + theirs)

    @property
    def calibration_error(self) -> float:
        """Expected calibration error of the decisions about tiles."""
        return measure_calibration_error(self.confidence, self.right)

    @property
    def letter_calibration_error(self) -> float:
        """Expected calibration error of the network's letters alone."""
        return measure_calibration_error(self.letter_confidence, self.letter_right)


def measure_calibration_error(confidence: Sequence[float], right: Sequence[bool]) -> float:
    """Compute the expected calibration error of decisions."""
    sure = np.asarray(confidence, np.float64)
    # `calibration.training.metrics` takes rows of probabilities: the decision, and everything else
    return expected_calibration_error(
        np.column_stack([sure, np.zeros_like(sure)]), 1 - np.asarray(right, int)
    )


@functools.cache
def reader_of(edition_name: str) -> SquareReader:
    """Load the network, once in each process."""
    cv2.setNumThreads(1)
    return load_recognizer("network", load_edition(edition_name))


def measure_board(edition_name: str, cell_px: int, seed: int) -> Score:
    """Render and read one board."""
    photo = club_photo(edition_name, seed, cell_px)
    frame = Frame(image_bgr=photo.image_bgr, source=f"{edition_name} {seed}", index=0, time_s=0.0)
    found = read_photo(
        frame,
        GameContext(edition=load_edition(edition_name), recognizer=reader_of(edition_name)),
        corners_px=photo.corners_px.tolist(),
    )
    return score_board(photo, found)


def score_board(photo: RenderedPhoto, found: BoardObservation) -> Score:
    """Count one board."""
    score, reading, decoded = Score(boards=1), found.probabilities, found.decoded
    for row, column in itertools.product(range(found.grid.rows), range(found.grid.columns)):
        want, have = photo.rows[row][column], decoded.board[row, column]
        have = BLANK if have.islower() else have
        score.squares += 1
        score.occupancy_right += classify_token(want) == classify_token(have)
        if want == EMPTY == have:
            continue
        score.confidence.append(float(decoded.confidence[row, column]))
        score.right.append(want == have)
        if want != have:
            score.confusions[want, have] += 1
            if len(score.misread) < MAX_CROPS:
                score.misread.append(Misread(want=want, have=have, crop_bgr=crop_square(found, row, column)))
        if want == EMPTY:
            score.false_covers += have == COVERED
            score.false_tiles += have != COVERED
        elif want == BLANK:
            score.blanks += 1
            score.blanks_right += have == BLANK
        else:
            count_letter(score, want, have)
            letters, values = reading.letters[row, column], reading.values[row, column]
            score.letter_confidence.append(float(letters.max()))
            score.letter_right.append(reading.tokens[int(letters.argmax())] == want)
            said = reading.value_labels[int(values.argmax())]
            count_value(score, photo.values[row][column], said, crop_square(found, row, column))
    score.boards_right = int(not score.confusions)
    score.boards_without_false_tile = int(not score.false_tiles)
    return score


def count_letter(score: Score, want: str, have: str) -> None:
    """Count one letter tile."""
    score.letters += 1
    score.letters_right += have == want
    if want not in PLAIN:
        score.special += 1
        score.special_right += have == want


def count_value(score: Score, want: int | None, have: int | None, crop_bgr: NDArray[np.uint8]) -> None:
    """Count the printed value of one tile."""
    score.values += 1
    score.values_right += have == want
    if have != want and len(score.misread_values) < MAX_CROPS:
        names = ["none" if value is None else str(value) for value in (want, have)]
        score.misread_values.append(Misread(want=names[0], have=names[1], crop_bgr=crop_bgr))


def classify_token(token: str) -> str:
    """Classify a token: empty, letter, blank, or covered."""
    return token if token in {".", "?", "#"} else "A"


def crop_square(found: BoardObservation, row: int, column: int) -> NDArray[np.uint8]:
    """Cut the pixels of a square as the network reads it."""
    context_px = min(found.rectified.margin_px, 8)
    return found.rectified.cell(row, column, context_px).copy()


def measure(boards: int = BOARDS, jobs: int = 1) -> dict[tuple[str, int], Score]:
    """Measure every edition at every resolution, and all editions together (under ``"all"``)."""
    tasks = [(name, cell, seed) for cell in CELLS_PX for name in EDITIONS for seed in range(boards)]
    scores = {(name, cell): Score() for cell in CELLS_PX for name in (*EDITIONS, "all")}
    pool: Executor | nullcontext[None] = ProcessPoolExecutor(jobs) if jobs > 1 else nullcontext()
    with pool as workers:
        columns = zip(*tasks, strict=True)
        results: Iterable[Score] = (
            workers.map(measure_board, *columns, chunksize=4) if workers else map(measure_board, *columns)
        )
        for (name, cell, _), score in zip(tasks, results, strict=True):
            for key in ((name, cell), ("all", cell)):
                scores[key].add(score)
    return scores


HEAD = (
    "edition, pixels a cell",
    "letters",
    "accented and digraphs",
    "values",
    "blanks",
    "occupancy",
    "false tiles",
    "whole boards",
    "calibration error: letter / decision",
    "worst pairs (is > read as)",
)


def table_rows(scores: dict[tuple[str, int], Score]) -> list[list[str]]:
    """Format the lines of the table."""
    return [
        [
            f"{name}, {cell} px",
            format_share(score.letters_right, score.letters),
            format_share(score.special_right, score.special),
            format_share(score.values_right, score.values),
            format_share(score.blanks_right, score.blanks),
            format_share(score.occupancy_right, score.squares),
            str(score.false_tiles),
            f"{score.boards_right}/{score.boards}",
            f"{score.letter_calibration_error:.4f} / {score.calibration_error:.4f}",
            format_worst_pairs(score.confusions),
        ]
        for (name, cell), score in scores.items()
    ]


def format_share(right: int, total: int) -> str:
    """Format a percentage, rounded down, with its counts."""
    if total == 0:
        return "none"
    return f"{right * 10_000 // total / 100:.2f}% ({total - right} of {total} wrong)"


def format_worst_pairs(confusions: Counter[tuple[str, str]], most: int = 4) -> str:
    """Format the commonest misreadings; blanks are ``?`` and empty squares ``.``."""
    pairs = sorted(confusions.items(), key=lambda item: (-item[1], item[0]))[:most]
    return ", ".join(f"`{want}`>`{have}` {count}" for (want, have), count in pairs) or "none"


def draw(scores: dict[tuple[str, int], Score], folder: Path = PICTURES) -> list[Path]:
    """Draw the pictures of all editions together, for each resolution; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for cell in CELLS_PX:
        score = scores["all", cell]
        title = f"{score.boards} rendered boards at {cell} px a cell, held-out typefaces"
        pictures = {
            f"confusions-{cell}px.png": draw_confusions(score.confusions, title),
            f"reliability-{cell}px.png": draw_reliability(
                {
                    "letter, network alone": (score.letter_confidence, score.letter_right),
                    "square, decided": (score.confidence, score.right),
                },
                title,
            ),
            f"misread-{cell}px.png": draw_misread(score.misread, title),
            f"misread-values-{cell}px.png": draw_misread(score.misread_values, title),
        }
        for name, picture in pictures.items():
            write_picture(folder / name, picture)
            written.append(folder / name)
            if folder == PICTURES and name in PUBLISHED:
                written.append(save_figure(PUBLISHED[name], picture))
    return written


def main() -> None:
    """Print the table and draw the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=BOARDS, help="of each edition and resolution")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    scores = measure(options.boards, options.jobs)
    for line in (HEAD, *table_rows(scores)):
        print(" | ".join(line))
    for path in draw(scores):
        print(path)


if __name__ == "__main__":
    main()
