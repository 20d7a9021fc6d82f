"""Calibration: lenses recovered, boards straightened, unknown sets read, and the time that a profile costs.

``make bench`` runs it with all lenses and sets; by hand::

    python -m tests.benchmarks.bench_calibration --lenses 4 --sets 6
"""

from __future__ import annotations

import argparse
import functools
import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2

from calibration.empty_board import learn_board
from calibration.tiles import Example, cut_examples, enrol
from scoring import COVERED, Edition, load_edition
from scoring import EMPTY as EMPTY_SQUARE
from tests.benchmarks.lens_trials import EMPTY, VIEWS, convert_lens, make_lens, try_lens
from tests.benchmarks.measuring import percentile
from tests.benchmarks.wrong_orders import Orders, try_orders
from tests.sets.exotic_sets import (
    DECORATIVE,
    SCRIPTS,
    alphabet_rows,
    exotic_set,
    find_font,
    random_position,
    script_edition,
)
from tests.sets.labelled_photos import BOARDS, is_blank, squares_of
from tests.support.lens_sections import lens_section
from tests.support.unknown_club import Club, photograph_board
from vision.capture import Frame, open_picture
from vision.errors import VisionError
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.profile.profile import Profile, TilesSection
from vision.recognition.base import SquareReader
from vision.recognition.cascade import CascadeReader
from vision.recognition.few_shot import EnrolledReader

__all__ = ["HEAD", "main", "table_rows"]

HEAD = ("what", "how many", "without", "with")
LENSES = 20
WANTED_PX = 0.3
TIMED_LENSES = (0, 1, 2)

SAME_SET = {
    "polish": (("red-001", "red_boards-001"), ("006.jpg", "009.jpg", "_4.jpg", "013.jpg")),
    "english-various": (("278372321", "278660284"), ("278466646", "278739028")),
}
"""Labelled photos of the same set, by parts of their names."""


@dataclass(slots=True)
class Letters:
    """Counts of letters and blanks that were read correctly, without and with the set enrolled.

    Where examples were refused there is no profile, and the photo counts as read without one.
    """

    total: int = 0
    before: int = 0
    after: int = 0
    blanks: int = 0
    blanks_before: int = 0
    blanks_after: int = 0
    refused: int = 0
    orders: Orders = field(default_factory=Orders)

    def add(self, other: Letters) -> None:
        """Add the counts of another."""
        for name in ("total", "before", "after", "blanks", "blanks_before", "blanks_after", "refused"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.orders.add(other.orders)


@functools.cache
def load_network() -> CascadeReader:
    """Load the network, once in each process."""
    cv2.setNumThreads(1)
    return CascadeReader.load(features=True)


def try_set(name: str, font: str, seed: int) -> Letters | None:
    """Enrol two photos of an unknown set and read the others; None where its typeface is not installed."""
    path = find_font(font)
    if path is None:
        return None
    edition = script_edition(name, SCRIPTS[name][0]) if name in SCRIPTS else load_edition("english")
    photos = exotic_set(name, path, edition, seed)
    examples: list[Example] = []
    result = Letters()
    for number, photo in enumerate(photos.alphabets):
        frame = Frame(image_bgr=photo.image_bgr, source=str(number))
        corners = photo.corners_px.tolist()
        shown = cut_examples(frame, photo.rows, edition, load_network(), number, corners_px=corners)
        result.orders.add(try_orders(shown, load_network().tokens, seed))
        examples += shown
    section, _ = enrol(examples, edition, load_network(), ("0", "1"))
    with_it = EnrolledReader(network=load_network(), prototypes=section.prototypes, tokens=edition.tokens)
    for photo in photos.games:
        frame = Frame(image_bgr=photo.image_bgr, source=name)
        squares = [
            (row, column, token)
            for row, tokens in enumerate(photo.rows)
            for column, token in enumerate(tokens)
            if token not in ".#"
        ]
        count_letters(result, frame, edition, photo.corners_px.tolist(), squares, with_it)
    return result


def count_letters(
    result: Letters,
    frame: Frame,
    edition: Edition,
    corners: Any,
    squares: Sequence[tuple[int, int, str]],
    with_it: SquareReader,
) -> None:
    """Read a photo without and with the set enrolled, and count its letters and blanks."""
    known = set(edition.tokens) <= set(load_network().tokens)
    before = (
        read_photo(
            frame, GameContext(edition=edition, recognizer=load_network()), corners_px=corners
        ).decoded.board
        if known
        else None
    )
    after = read_photo(
        frame, GameContext(edition=edition, recognizer=with_it), corners_px=corners
    ).decoded.board
    for row, column, token in squares:
        blank = is_blank(token)
        right = [
            board is not None
            and (is_read_as_blank(board[row, column]) if blank else board[row, column] == token)
            for board in (before, after)
        ]
        if blank:
            result.blanks += 1
            result.blanks_before += right[0]
            result.blanks_after += right[1]
        else:
            result.total += 1
            result.before += right[0]
            result.after += right[1]


def is_read_as_blank(token: str) -> bool:
    """Whether a token is one of a blank."""
    return token not in (EMPTY_SQUARE, COVERED) and is_blank(token)


def try_labelled(name: str) -> tuple[Letters, Letters]:
    """Read labelled photos with another photo of their set enrolled, and those without another photo.

    Of the latter, every other column is enrolled, and the columns between are read. All corners are the true ones.
    """
    folder = BOARDS / name
    labels = json.loads((folder / "photos.json").read_text(encoding="utf-8"))
    pairs, halves = Letters(), Letters()
    for label in labels:
        groups = [group for group in SAME_SET.get(name, ()) if any(part in label["image"] for part in group)]
        edition, frame = load_edition(label["edition"]), open_picture(folder / label["image"])
        letters = [(row, column, token) for row, column, token in squares_of(label) if token != EMPTY_SQUARE]
        if groups:
            for other in labels:
                if other is not label and any(part in other["image"] for part in groups[0]):
                    reader = enrol_columns(folder, other, edition, range(15))
                    pairs.refused += reader is None
                    count_letters(
                        pairs, frame, edition, label["corners_px"], letters, reader or load_network()
                    )
            continue
        for known, asked in ((range(0, 15, 2), range(1, 15, 2)), (range(1, 15, 2), range(0, 15, 2))):
            reader = enrol_columns(folder, label, edition, known)
            here = [square for square in letters if square[1] in asked]
            if here:
                halves.refused += reader is None
                count_letters(halves, frame, edition, label["corners_px"], here, reader or load_network())
    return pairs, halves


def enrol_columns(
    folder: Path, label: dict[str, Any], edition: Edition, columns: Sequence[int]
) -> EnrolledReader | None:
    """Enrol the tiles on some columns of a labelled photo; None where they are refused."""
    rows = [["."] * 15 for _ in range(15)]
    for row, column, token in squares_of(label):
        if column in columns:
            rows[row][column] = "?" if is_blank(token) else token
    try:
        frame = open_picture(folder / label["image"])
        examples = cut_examples(frame, rows, edition, load_network(), 0, corners_px=label["corners_px"])
        section, _ = enrol(examples, edition, load_network(), (label["image"],))
    except VisionError:
        return None
    return EnrolledReader(network=load_network(), prototypes=section.prototypes, tokens=edition.tokens)


def measure_time_ratios(number: int, runs: int = 15) -> dict[str, float]:
    """Measure the processor time of reading a photo with a profile, relative to reading it without one."""
    club = Club.english()
    lens = make_lens(number)
    game = random_position(club.edition, club.seed, number)
    photo, crossings = photograph_board(lens, club.above(game, number), 3)
    empty, _ = photograph_board(lens, club.above(EMPTY), 3)
    frame = Frame(image_bgr=photo, source="played")
    known = convert_lens(lens)
    section = lens_section(known)
    size = lens.size_px
    seen_by = Profile(size_px=size, lens=section)
    corners = crossings.reshape(16, 16, 2)[[0, 0, -1, -1], [0, -1, -1, 0]]
    board = learn_board(
        Frame(image_bgr=empty, source="empty"),
        club.edition.layout,
        load_network(),
        fixed=True,
        profile=seen_by,
        corners_px=corners.tolist(),
    )
    tiles = enrol_club(club)
    profiles = {
        "": None,
        "lens": seen_by,
        "tiles": Profile(tiles=tiles),
        "lens, fixed board and tiles": Profile(size_px=size, lens=section, board=board, tiles=tiles),
    }
    readers = {
        name: load_recognizer("network", club.edition, profile=known) for name, known in profiles.items()
    }
    taken: dict[str, list[float]] = {name: [] for name in profiles}
    for _ in range(runs):  # in turn, so that other load of the machine affects all of them
        for name, profile in profiles.items():
            started = time.process_time()
            read_photo(frame, GameContext(edition=club.edition, recognizer=readers[name], profile=profile))
            taken[name].append(time.process_time() - started)
    times = {name: percentile(each, 0.5) for name, each in taken.items()}
    return {name: times[name] / times[""] for name in profiles if name}


def enrol_club(club: Club) -> TilesSection:
    """Enrol a club's tiles from one picture of its alphabet from above."""
    rows = alphabet_rows(club.edition)
    photo = club.above(rows)
    frame = Frame(image_bgr=photo.image_bgr, source="alphabet")
    examples = cut_examples(
        frame, rows, club.edition, load_network(), 0, corners_px=photo.corners_px.tolist()
    )
    return enrol(examples, club.edition, load_network(), ("alphabet",))[0]


def table_rows(lenses: int = LENSES, sets: int | None = None, jobs: int = 1) -> list[list[str]]:
    """Measure, and format the lines of the table."""
    with ProcessPoolExecutor(jobs) as workers:
        trials = list(workers.map(try_lens, range(lenses)))
        names = [(Path(path).stem, path) for path in DECORATIVE[:sets]]
        latin = [
            each
            for each in workers.map(try_set, *zip(*[(*n, i) for i, n in enumerate(names)], strict=True))
            if each
        ]
    away = [px for trial in trials for px in trial.grid_px]
    rows = [
        format_errors("focal length, off by", f"{lenses} lenses", [100 * t.focal for t in trials], "%"),
        format_errors("grid's farthest point in a fresh view, off by", f"{len(away)} views", away, " px"),
        [
            f"the same: within {WANTED_PX} px",
            f"{len(away)} views",
            "",
            str(sum(px <= WANTED_PX for px in away)),
        ],
        [
            f"time of `calibrate lens`, {VIEWS} views",
            f"{lenses} lenses",
            "",
            f"{percentile([t.seconds for t in trials], 0.5):.1f} s, {max(t.seconds for t in trials):.1f} s at most",
        ],
        [
            "board's crossings: distance from the flat grid that fits best, root mean square",
            f"{lenses} boards",
            format_cells([t.bent_before for t in trials]),
            format_cells([t.bent_after for t in trials]),
        ],
        [
            "board's crossings: distance from the located grid",
            f"{lenses} boards",
            format_detections([t.found_before for t in trials]),
            format_detections([t.found_after for t in trials]),
        ],
    ]
    together = Letters()
    for each in latin:
        together.add(each)
    rows += format_letters(f"letters of {len(latin)} decorative sets, two photos enrolled", together)
    for index, (name, (_, font)) in enumerate(SCRIPTS.items()):
        single = try_set(name, font, 50 + index)
        if single is not None:
            together.orders.add(single.orders)
            rows += format_letters(f"letters of a {name.title()} set, two photos enrolled", single)
    orders = together.orders
    for what, many, accepted in (
        ("alphabets in their right order: accepted", orders.right, orders.right_accepted),
        ("alphabets moved on by 1 to 31 places: accepted", orders.shifted, orders.shifted_accepted),
        ("alphabets in random order: accepted", orders.mixed, orders.mixed_accepted),
    ):
        rows.append([what, str(many), "", str(accepted)])
    for name in SAME_SET:
        if (BOARDS / name).is_dir():
            pairs, halves = try_labelled(name)
            rows += format_letters(f"{name}, one other photo of the set enrolled", pairs)
            rows += format_letters(f"{name}, no other photo: every other column enrolled", halves)
    ratios = [measure_time_ratios(number) for number in TIMED_LENSES]
    rows += [
        [
            f"time of reading a board in play with {name}",
            f"{len(ratios)} photos",
            "1",
            " / ".join(f"{each[name]:.2f}" for each in ratios),
        ]
        for name in ratios[0]
    ]
    return rows


def format_errors(what: str, many: str, values: Sequence[float], unit: str) -> list[str]:
    """Format a line with median and maximum of some errors."""
    return [what, many, "", f"{percentile(list(values), 0.5):.3f}{unit}, {max(values):.3f}{unit} at most"]


def format_cells(values: Sequence[float]) -> str:
    """Format median and maximum, in cells."""
    known = [value for value in values if value == value]
    return f"{percentile(known, 0.5):.3f} cell, {max(known):.3f} at most" if known else "none"


def format_detections(values: Sequence[float]) -> str:
    """Format median and maximum, and the number of boards that were not located."""
    lost = sum(value != value for value in values)
    return format_cells(values) + (f"; {lost} not found" if lost else "")


def format_letters(what: str, letters: Letters) -> list[list[str]]:
    """Format a line for the letters, and one for the blanks where there are any."""
    if letters.refused:
        what = f"{what}; {letters.refused} times the examples were refused"
    rows = [counts_row(what, letters.total, letters.before, letters.after)]
    if letters.blanks:
        rows.append(
            counts_row("the same: blanks", letters.blanks, letters.blanks_before, letters.blanks_after)
        )
    return rows


def counts_row(what: str, total: int, *right: int) -> list[str]:
    """A line with counts, their shares rounded down so that nothing looks better than it is."""
    return [
        what,
        str(total),
        *(f"{each * 10_000 // max(total, 1) / 100:.2f}% ({total - each} wrong)" for each in right),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lenses", type=int, default=LENSES)
    parser.add_argument("--sets", type=int, default=len(DECORATIVE))
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    for line in (HEAD, *table_rows(options.lenses, options.sets, options.jobs)):
        print(" | ".join(line))


if __name__ == "__main__":
    main()
