"""What calibration gives: lenses found again, lines straightened, unknown tiles read, and what a profile costs in time.

``make bench`` runs it with all lenses and sets; by hand::

    python -m tests.benchmarks.bench_calibration --lenses 4 --sets 6
"""

from __future__ import annotations

import argparse
import functools
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.board_views import line_residual
from calibration.enrolment import Example, enrol, examples_of
from calibration.lens import fit_lens
from calibration.views import View, target_view
from samples.true_lens import TrueLens
from scoring import Edition, load_edition
from tests.benchmarks.boards import BOARDS, is_blank, percentile
from tests.benchmarks.exotic_sets import (
    DECORATIVE,
    SCRIPTS,
    alphabet_rows,
    exotic_set,
    installed,
    script_edition,
)
from tests.unknown_club import SHEET, SHEET_MM, Club, board_photo, small_sheet, some_pose
from vision.capture import Frame, open_picture
from vision.errors import VisionError
from vision.geometry import Grid
from vision.lens import Lens, LensModel, StraightView
from vision.locating import locate
from vision.photo import Reader, load_reader, read_frame
from vision.profile import BoardSection, LensSection, Origin, Profile, TilesSection
from vision.reading.enrolled import EnrolledReader
from vision.reading.network import NetworkReader

__all__ = ["HEAD", "main", "table_rows"]

HEAD = ("what", "how many", "without", "with")
LENSES, VIEWS, FRESH_VIEWS = 20, 15, 6
SIZES = ((1280, 720), (1920, 1080), (1504, 1128))
GRID = np.array([[x, y, 0.0] for x in np.linspace(0, 260, 16) for y in np.linspace(0, 182, 16)])
EMPTY = [["."] * 15 for _ in range(15)]

SAME_SET = {
    "polish": (("red-001", "red_boards-001"), ("006.jpg", "009.jpg", "_4.jpg", "013.jpg")),
    "english-various": (("278372321", "278660284"), ("278466646", "278739028")),
}
"""Labelled photos that show one set of tiles, by the beginnings or ends of their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LensTrial:
    """One lens found again.

    Parameters
    ----------
    focal : float
        Relative error of its focal length.
    grid_px : float
        By how much a point of a grid lies off at most, in views that were not used.
    seconds : float
        Processor time.
    residual_before, residual_after : float
        How far a board's lines lie beside the grid without and with it, in cells.
    """

    focal: float
    grid_px: float
    seconds: float
    residual_before: float
    residual_after: float


def a_lens(number: int) -> TrueLens:
    """The lens of that number: every fifth one like a fisheye's, two of five with a strong barrel."""
    rng = np.random.default_rng([number, 31])
    size = SIZES[number % len(SIZES)]
    centre = (size[0] / 2 + float(rng.normal(0, 10)), size[1] / 2 + float(rng.normal(0, 10)))
    if number % 5 == 4:
        numbers = rng.normal(0, 0.01, 4) * (1, 1, 0.3, 0.1) + (0.02, -0.01, 0, 0)
        return TrueLens(
            focal_px=float(rng.uniform(0.36, 0.5)) * size[0],
            centre_px=centre,
            distortion=tuple(numbers.tolist()),
            size_px=size,
            fisheye=True,
        )
    k1 = float(rng.uniform(-0.35, 0.1) if number % 5 in (1, 3) else rng.uniform(-0.1, 0.05))
    tangent = rng.normal(0, 0.0008, 2).tolist()
    return TrueLens(
        focal_px=float(rng.uniform(0.7, 1.3)) * size[0],
        centre_px=centre,
        distortion=(k1, k1 * k1 * float(rng.uniform(0, 0.6)), *tangent, 0.0),
        size_px=size,
    )


def try_lens(number: int) -> LensTrial:
    """Renders views of the sheet through a lens, and finds it."""
    cv2.setNumThreads(1)
    lens, rng = a_lens(number), np.random.default_rng([number, 32])
    sheet = small_sheet(SHEET)
    images = []
    for _ in range(VIEWS):
        turn, place = some_pose(rng, lens, SHEET_MM)
        images.append(lens.photo(sheet, sheet.shape[1] / SHEET_MM[0], turn, place, rng))
    started = time.process_time()
    fitted = fit_lens([target_view(image, str(index), SHEET) for index, image in enumerate(images)])
    seconds = time.process_time() - started
    away = []
    for _ in range(FRESH_VIEWS):
        turn, place = some_pose(rng, lens, SHEET_MM)
        away.append(float(np.linalg.norm(missed(fitted.lens, lens.project(GRID, turn, place)), axis=1).max()))
    board = Club.english(seed=number).above(EMPTY)
    image, crossings = board_photo(lens, board, number)
    before = after = float("nan")
    layout = load_edition("english").layout
    view = StraightView.of(fitted.lens, 1000)
    straight = view.straighten(image)
    try:
        before = line_residual(image, locate(image, layout))
    except VisionError:  # bent too much to be found; its best straight grid is that of the true crossings
        before = line_residual(image, best_grid(crossings))
    try:
        after = line_residual(straight, locate(straight, layout))
    except VisionError:
        after = line_residual(straight, best_grid(view.from_photo(crossings)))
    return LensTrial(
        focal=abs(fitted.lens.focal_px[0] / lens.focal_px - 1),
        grid_px=max(away),
        seconds=seconds,
        residual_before=before,
        residual_after=after,
    )


def missed(lens: Lens, pixels: np.ndarray) -> np.ndarray:
    """By how much a grid's true pixels lie beside where a lens shows it in the pose that fits best."""
    view = View(name="", points=GRID, pixels=pixels, size_px=lens.size_px)
    _, turn, place = cv2.solvePnP(view.points, lens.rays(pixels), np.eye(3), None)
    rotation, _ = cv2.Rodrigues(turn)
    solid = GRID @ np.asarray(rotation).T + np.ravel(place)
    return np.asarray(pixels - lens.project(solid[:, :2] / solid[:, 2:]))


def best_grid(crossings: np.ndarray) -> Grid:
    """The straight grid between a board's true corners."""
    return Grid.from_corners(crossings.reshape(16, 16, 2)[[0, 0, -1, -1], [0, -1, -1, 0]], 15, 15)


@dataclass(slots=True)
class Letters:
    """Letters read rightly, without and with the set enrolled."""

    total: int = 0
    before: int = 0
    after: int = 0
    worst: list[float] = field(default_factory=list)

    def add(self, other: Letters) -> None:
        """Counts the other's too."""
        self.total, self.before, self.after = (
            self.total + other.total,
            self.before + other.before,
            self.after + other.after,
        )
        self.worst.append(other.after / max(other.total, 1))


@functools.cache
def network() -> NetworkReader:
    """The network; loaded once in each process."""
    cv2.setNumThreads(1)
    return NetworkReader.load(features=True)


def try_set(name: str, font: str, seed: int) -> Letters | None:
    """An unknown set: two photos enrolled, the others read; None where its typeface is not installed."""
    path = installed(font)
    if path is None:
        return None
    edition = script_edition(name, SCRIPTS[name][0]) if name in SCRIPTS else load_edition("english")
    photos = exotic_set(name, path, edition, seed)
    examples: list[Example] = []
    for number, photo in enumerate(photos.alphabets):
        frame = Frame(image_bgr=photo.image_bgr, source=str(number))
        corners = photo.corners_px.tolist()
        examples += examples_of(frame, photo.rows, edition, network(), number, corners_px=corners)
    section, _ = enrol(examples, edition, network(), ("0", "1"))
    with_it = EnrolledReader(network=network(), prototypes=section.prototypes, tokens=edition.tokens)
    result = Letters()
    for photo in photos.games:
        frame = Frame(image_bgr=photo.image_bgr, source=name)
        squares = [
            (row, column, token)
            for row, tokens in enumerate(photo.rows)
            for column, token in enumerate(tokens)
            if token not in ".#?"
        ]
        count(result, frame, edition, photo.corners_px.tolist(), squares, with_it)
    return result


def count(
    result: Letters,
    frame: Frame,
    edition: Edition,
    corners: Any,
    squares: Sequence[tuple[int, int, str]],
    with_it: Reader,
) -> None:
    """Reads one photo twice and counts its letters."""
    known = set(edition.tokens) <= set(network().tokens)
    before = read_frame(frame, edition, network(), corners_px=corners).decoded.board if known else None
    after = read_frame(frame, edition, with_it, corners_px=corners).decoded.board
    for row, column, token in squares:
        result.total += 1
        result.before += before is not None and before[row, column] == token
        result.after += after[row, column] == token


def try_labelled(name: str) -> tuple[Letters, Letters]:
    """Labelled photos, each read with one other photo of its set enrolled; and those that have no other one.

    Of these, every other column is enrolled and the columns between are read. All with true corners.
    """
    folder = BOARDS / name
    labels = json.loads((folder / "photos.json").read_text(encoding="utf-8"))
    pairs, halves = Letters(), Letters()
    for label in labels:
        groups = [group for group in SAME_SET.get(name, ()) if any(part in label["image"] for part in group)]
        edition, frame = load_edition(label["edition"]), open_picture(folder / label["image"])
        tokens = {(r, c): t for r, c, t in certain(label)}
        letters = [(r, c, t) for (r, c), t in tokens.items() if t != "." and not is_blank(t)]
        if groups:
            for other in labels:
                if other is not label and any(part in other["image"] for part in groups[0]):
                    reader = enrolled_from(folder, other, edition, range(15))
                    if reader is not None:
                        count(pairs, frame, edition, label["corners_px"], letters, reader)
            continue
        for known, asked in ((range(0, 15, 2), range(1, 15, 2)), (range(1, 15, 2), range(0, 15, 2))):
            reader = enrolled_from(folder, label, edition, known)
            here = [square for square in letters if square[1] in asked]
            if reader is not None and here:
                count(halves, frame, edition, label["corners_px"], here, reader)
    return pairs, halves


def certain(label: dict[str, Any]) -> Iterator[tuple[int, int, str]]:
    """Row, column and token of each square that the label is sure of."""
    unsure = {tuple(square) for square in label.get("unsure", [])}
    for row, tokens in enumerate(label["board"]):
        for column, token in enumerate(tokens):
            if token != "#" and (row, column) not in unsure:
                yield row, column, token


def enrolled_from(
    folder: Path, label: dict[str, Any], edition: Edition, columns: Sequence[int]
) -> EnrolledReader | None:
    """A reader that knows the tiles on some columns of a labelled photo; None where they are too few."""
    rows = [["."] * 15 for _ in range(15)]
    for row, column, token in certain(label):
        if column in columns:
            rows[row][column] = "?" if is_blank(token) else token
    try:
        frame = open_picture(folder / label["image"])
        examples = examples_of(frame, rows, edition, network(), 0, corners_px=label["corners_px"])
        section, _ = enrol(examples, edition, network(), (label["image"],))
    except VisionError:
        return None
    return EnrolledReader(network=network(), prototypes=section.prototypes, tokens=edition.tokens)


def time_ratios(runs: int = 15) -> dict[str, float]:
    """Processor time of reading a photo with a profile, against without one."""
    club = Club.english()
    lens = a_lens(0)
    image, crossings = board_photo(lens, club.above(EMPTY), 3)
    frame = Frame(image_bgr=image, source="empty")
    origin = Origin(made="", sources=())
    known = fitted_lens(lens)
    section = LensSection(
        lens=known,
        error_px=0.0,
        uncertainty={},
        view_errors_px=(),
        residuals_px=np.zeros((0, 4), np.float32),
        origin=origin,
    )
    corners = crossings.reshape(16, 16, 2)[[0, 0, -1, -1], [0, -1, -1, 0]]
    board = BoardSection(
        corners_px=corners,
        empty_bgr=np.zeros((240, 240, 3), np.uint8),
        rows=15,
        columns=15,
        fit=1.0,
        origin=origin,
    )
    tiles = some_tiles(club)
    size = lens.size_px
    profiles = {
        "": None,
        "lens": Profile(size_px=size, lens=section),
        "tiles": Profile(tiles=tiles),
        "lens, fixed board and tiles": Profile(size_px=size, lens=section, board=board, tiles=tiles),
    }
    times = {}
    for name, profile in profiles.items():
        reader = load_reader("network", club.edition, profile=profile)
        taken = []
        for _ in range(runs):
            started = time.process_time()
            read_frame(frame, club.edition, reader, profile=profile)
            taken.append(time.process_time() - started)
        times[name] = percentile(taken, 0.5)
    return {name: times[name] / times[""] for name in profiles if name}


def fitted_lens(lens: TrueLens) -> Lens:
    """The lens as the pipeline takes it."""
    return Lens(
        model=LensModel.FISHEYE if lens.fisheye else LensModel.RADIAL,
        focal_px=(lens.focal_px, lens.focal_px),
        centre_px=lens.centre_px,
        distortion=lens.distortion,
        size_px=lens.size_px,
    )


def some_tiles(club: Club) -> TilesSection:
    """The club's tiles, enrolled from one picture of its alphabet from above."""
    rows = alphabet_rows(club.edition)
    photo = club.above(rows)
    frame = Frame(image_bgr=photo.image_bgr, source="alphabet")
    examples = examples_of(frame, rows, club.edition, network(), 0, corners_px=photo.corners_px.tolist())
    return enrol(examples, club.edition, network(), ("alphabet",))[0]


def table_rows(lenses: int = LENSES, sets: int | None = None, jobs: int = 1) -> list[list[str]]:
    """The lines of the table, under `HEAD`."""
    with ProcessPoolExecutor(jobs) as workers:
        trials = list(workers.map(try_lens, range(lenses)))
        names = [(Path(path).stem, path) for path in DECORATIVE[:sets]]
        latin = [
            each
            for each in workers.map(try_set, *zip(*[(*n, i) for i, n in enumerate(names)], strict=True))
            if each
        ]
    rows = [
        spread("focal length, off by", f"{lenses} lenses", [100 * t.focal for t in trials], "%"),
        spread(
            "grid points in fresh views, farthest off", f"{lenses} lenses", [t.grid_px for t in trials], " px"
        ),
        [
            f"time of `calibrate lens`, {VIEWS} views",
            f"{lenses} lenses",
            "",
            f"{percentile([t.seconds for t in trials], 0.5):.1f} s, {max(t.seconds for t in trials):.1f} s at most",
        ],
        [
            "board's lines beside the grid, root mean square",
            f"{lenses} boards",
            cells([t.residual_before for t in trials]),
            cells([t.residual_after for t in trials]),
        ],
    ]
    together = Letters()
    for each in latin:
        together.add(each)
    rows.append(letters_row(f"letters of {len(latin)} decorative sets, two photos enrolled", together))
    for index, (name, (_, font)) in enumerate(SCRIPTS.items()):
        single = try_set(name, font, 50 + index)
        if single is not None:
            rows.append(letters_row(f"letters of a {name.title()} set, two photos enrolled", single))
    for name in SAME_SET:
        if (BOARDS / name).is_dir():
            pairs, halves = try_labelled(name)
            rows.append(letters_row(f"{name}, one other photo of the set enrolled", pairs))
            rows.append(letters_row(f"{name}, no other photo: every other column enrolled", halves))
    rows += [
        [f"time of reading with {name}", "one photo", "1", f"{ratio:.2f}"]
        for name, ratio in time_ratios().items()
    ]
    return rows


def spread(what: str, many: str, values: Sequence[float], unit: str) -> list[str]:
    """A line with the median and the worst of some errors."""
    return [what, many, "", f"{percentile(list(values), 0.5):.3f}{unit}, {max(values):.3f}{unit} at most"]


def cells(values: Sequence[float]) -> str:
    """Median and worst, in cells."""
    known = [value for value in values if value == value]
    return f"{percentile(known, 0.5):.3f} cell, {max(known):.3f} at most" if known else "none"


def letters_row(what: str, letters: Letters) -> list[str]:
    """A line with two counts, rounded down so that nothing looks better than it is."""
    shares = [
        f"{right * 10_000 // max(letters.total, 1) / 100:.2f}%" for right in (letters.before, letters.after)
    ]
    wrong = [letters.total - right for right in (letters.before, letters.after)]
    return [what, str(letters.total), *(f"{s} ({w} wrong)" for s, w in zip(shares, wrong, strict=True))]


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
