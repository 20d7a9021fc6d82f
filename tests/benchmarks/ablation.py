"""Measure what a threshold or a rule is worth: switch it off, read the same rendered photos, compare.

Run as::

    python -m tests.benchmarks.ablation vision.decoding.decoder:SETTINGS.floating_penalty=0
    python -m tests.benchmarks.ablation --photos 100 vision.detection.detector:find_additional_boards=none ...

Each argument is one switch. ``MODULE:SETTINGS.FIELD=VALUE`` changes one field of a stage's settings, and
``MODULE:FUNCTION=none`` replaces a function by one that returns an empty list. Several changes that belong
together are joined with ``+``. The photos are rendered once and kept in a folder; no real photo is among them.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import Edition, load_edition
from tests.sets.club_boards import club_photo
from tests.sets.photo_kinds import KINDS, kind_of_photo
from tests.sets.scenes import board_scene, compare_corners
from vision.core import Frame
from vision.errors import BoardNotFoundError
from vision.pipeline import GameContext, load_recognizer, read_photo
from vision.recognition import SquareReader

__all__ = ["Counts", "compare", "measure", "override", "rendered_photos"]

EDITIONS = ("icelandic", "norwegian", "hungarian", "danish", "english")
FIRST_SEED = 4000
LOCATED_WITHIN_CELLS = 0.15
KEPT = Path("demo-output") / "ablation"


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """A rendered photo with its truth."""

    edition: str
    png: NDArray[np.uint8]
    rows: tuple[tuple[str, ...], ...]
    corners_px: NDArray[np.float64]


@dataclass(slots=True)
class Counts:
    """What was read of a number of photos; `wrong` holds the photos that are not right in every square."""

    photos: int = 0
    located: int = 0
    letters: int = 0
    letters_right: int = 0
    blanks: int = 0
    blanks_right: int = 0
    false_tiles: int = 0
    seconds: float = 0.0
    wrong: set[int] = field(default_factory=set)

    def count(self, want: str, have: str) -> bool:
        """Count one square, and say whether it is right."""
        if want == "#":
            return True
        if want == ".":
            false = have not in (".", "#")
            self.false_tiles += false
            return not false
        if want == "?" or want.islower():
            right = have == "?" or have.islower()
            self.blanks += 1
            self.blanks_right += right
            return right
        self.letters += 1
        self.letters_right += have == want
        return have == want

    def line(self) -> str:
        """The counts as one line."""
        return (
            f"located {self.located}/{self.photos} letters {self.letters_right}/{self.letters} "
            f"blanks {self.blanks_right}/{self.blanks} false {self.false_tiles} "
            f"boards {self.photos - len(self.wrong)}/{self.photos} cpu {self.seconds:.0f} s"
        )


def rendered_photos(number: int, folder: Path = KEPT) -> list[Photo]:
    """Render a number of photos, or load them: club boards at two sizes, scenes, and every kind of photo."""
    path = folder / f"photos-{number}.pickle"
    if path.exists():
        kept: list[Photo] = pickle.loads(path.read_bytes())
        return kept
    photos = []
    for at in range(number):
        seed, part = FIRST_SEED + at // 4, at % 4
        if part < 2:
            club = club_photo(EDITIONS[seed % 5], seed, (40, 20)[part])
            photos.append(_photo(EDITIONS[seed % 5], club))
        elif part == 2:
            scene = board_scene(seed)
            photos.append(_photo(scene.edition, scene))
        else:
            shown = kind_of_photo(tuple(KINDS)[seed % len(KINDS)], seed)
            photos.append(_photo(shown.edition, shown))
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(photos))
    return photos


def _photo(edition: str, shown: Any) -> Photo:
    png: NDArray[np.uint8] = cv2.imencode(".png", shown.image_bgr)[1].astype(np.uint8)
    return Photo(edition, png, tuple(map(tuple, shown.rows)), np.asarray(shown.corners_px, np.float64))


def measure(photos: Sequence[Photo]) -> Counts:
    """Read the photos and compare each square with the truth; a refused photo counts as wrong in every tile."""
    counts, started = Counts(photos=len(photos)), time.process_time()
    known: dict[str, tuple[Edition, SquareReader]] = {}
    for number, photo in enumerate(photos):
        if photo.edition not in known:
            edition = load_edition(photo.edition)
            known[photo.edition] = edition, load_recognizer("network", edition)
        board = _read(photo, *known[photo.edition])
        rows = board.rows if board is not None else [["."] * len(row) for row in photo.rows]
        counts.located += board is not None
        right = [
            counts.count(want, have)
            for wanted, read in zip(photo.rows, rows, strict=True)
            for want, have in zip(wanted, read, strict=True)
        ]
        if board is None or not all(right):
            counts.wrong.add(number)
    counts.seconds = time.process_time() - started
    return counts


def _read(photo: Photo, edition: Edition, reader: SquareReader) -> Any:
    """The board that was read, None if it was refused or located in the wrong place."""
    image: Any = cv2.imdecode(photo.png, cv2.IMREAD_COLOR)
    try:
        frame = Frame(image_bgr=image, source="", index=0, time_s=0.0)
        found = read_photo(frame, GameContext(edition=edition, recognizer=reader))
    except BoardNotFoundError:
        return None
    error, is_turned = compare_corners(found.grid, photo.corners_px)
    return found.decoded.board if error <= LOCATED_WITHIN_CELLS and not is_turned else None


@contextlib.contextmanager
def override(switch: str) -> Iterator[None]:
    """Apply a switch while the context lasts.

    Raises
    ------
    ValueError
        If the field of a setting was copied when its module was imported, so that the switch would change nothing.
    """
    undo: list[tuple[Any, str, Any]] = []
    try:
        for change in switch.split("+"):
            place, _, text = change.partition("=")
            module_name, _, name = place.partition(":")
            module, (name, _, member) = importlib.import_module(module_name), name.partition(".")
            # The settings themselves are changed: other modules may know them by another name.
            if member and _is_copied(Path(str(module.__file__)), name, member):
                raise ValueError(
                    f"{place}: a default or a constant holds a copy of it; let it be read when it is used"
                )
            owner, name = (getattr(module, name), member) if member else (module, name)
            undo.append((owner, name, getattr(owner, name)))
            object.__setattr__(owner, name, ast.literal_eval(text) if member else lambda *_, **__: [])
        yield
    finally:
        for owner, name, old in reversed(undo):
            object.__setattr__(owner, name, old)


def _is_copied(file: Path, settings: str, member: str) -> bool:
    """Whether a module reads a field of its settings outside of the bodies of its functions."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    in_bodies = {id(each) for node in functions for part in node.body for each in ast.walk(part)}
    return any(
        isinstance(node, ast.Attribute)
        and ast.unparse(node) == f"{settings}.{member}"
        and id(node) not in in_bodies
        for node in ast.walk(tree)
    )


def compare(switches: Sequence[str], photos: Sequence[Photo]) -> Iterator[str]:
    """Yield a line for the present state and one for each switch."""
    base = measure(photos)
    yield f"as it is: {base.line()}"
    for switch in switches:
        with override(switch):
            counts = measure(photos)
        lost, won = len(counts.wrong - base.wrong), len(base.wrong - counts.wrong)
        yield f"{switch}: {counts.line()}; {lost} photos newly wrong, {won} newly right"


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("switches", nargs="+")
    parser.add_argument("--photos", type=int, default=400)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    for line in compare(options.switches, rendered_photos(options.photos)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
