"""Mirrored pictures of boards, as webcams show them, the same pictures as they are, and empty boards from every side.

Boards are those of `tests.sets.club_boards` and `tests.sets.empty_boards`; no choice was made with those below 1,000.
``make bench`` runs it; by hand::

    python -m tests.benchmarks.bench_sides --boards 100
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from samples import RenderedPhoto
from scoring import load_edition
from tests.benchmarks.bench_reading import reader_of
from tests.benchmarks.measuring import format_table
from tests.sets.club_boards import club_photo
from tests.sets.empty_boards import empty_board
from vision.capture import Frame
from vision.errors import BoardNotFoundError
from vision.observation import BoardObservation
from vision.pipeline import GameContext, read_photo

__all__ = ["HEAD", "SideResult", "measure", "table_rows"]

EDITIONS = ("icelandic", "norwegian", "hungarian", "danish", "english")
CELLS_PX = (40.0, 24.0)
BOARDS = 100
WITH_PRINT = "an empty board with print"
NUMBERS = {WITH_PRINT: 200}
"""Number of boards of the kinds that have not `BOARDS`."""
HEAD = ("photo", "number", "named right", "named wrongly", "a guess", "refused", "whole boards")


@dataclass(frozen=True, slots=True, kw_only=True)
class SideResult:
    """The result of one photo.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    seed : int
        Of the photo.
    outcome : {"right", "wrong", "guess", "refused"}
        Whether the side, or the mirror, was named.
    is_whole : bool
        Whether all squares were read rightly.
    """

    kind: str
    seed: int
    outcome: str
    is_whole: bool = False


def usual_photo(seed: int) -> RenderedPhoto:
    """Render a board in play, at two sizes."""
    return club_photo(EDITIONS[seed % len(EDITIONS)], seed, CELLS_PX[seed // len(EDITIONS) % len(CELLS_PX)])


def read_picture(photo: RenderedPhoto, *, mirrored: bool) -> BoardObservation:
    """Find and read a board, in its picture or in that picture's mirror image."""
    image = photo.image_bgr[:, ::-1] if mirrored else photo.image_bgr
    frame = Frame(image_bgr=np.ascontiguousarray(image), source=str(photo.seed))
    context = GameContext(edition=load_edition(photo.edition), recognizer=reader_of(photo.edition))
    return read_photo(frame, context)


def measure_mirror(seed: int, *, mirrored: bool) -> tuple[str, bool]:
    """Tell whether a picture is named as mirrored when it is, and whether its squares are right."""
    photo = usual_photo(seed)
    found = read_picture(photo, mirrored=mirrored)
    return (
        "right" if found.is_mirrored == mirrored else "wrong",
        found.decoded.board.rows == photo.rows,
    )


def measure_side(seed: int, *, has_print: bool) -> tuple[str, bool]:
    """Tell whether the side of an empty board is named rightly, wrongly or not, and whether its squares are right."""
    photo = empty_board(seed, has_print=has_print)
    found = read_picture(photo, mirrored=False)
    off = [np.abs(found.grid.rotate(turn).corners_px - photo.corners_px).max() for turn in range(4)]
    named = "wrong" if int(np.argmin(off)) else "right"
    return named if found.is_orientation_certain else "guess", found.decoded.board.rows == photo.rows


KINDS: dict[str, Callable[[int], tuple[str, bool]]] = {
    "mirrored": lambda seed: measure_mirror(seed, mirrored=True),
    "the same, not mirrored": lambda seed: measure_mirror(seed, mirrored=False),
    WITH_PRINT: lambda seed: measure_side(seed, has_print=True),
    "an empty board without print": lambda seed: measure_side(seed, has_print=False),
}


def measure_one(kind: str, seed: int) -> SideResult:
    """Measure one photo."""
    try:
        outcome, is_whole = KINDS[kind](seed)
    except BoardNotFoundError:
        return SideResult(kind=kind, seed=seed, outcome="refused")
    return SideResult(kind=kind, seed=seed, outcome=outcome, is_whole=is_whole)


def measure(boards: int | None = None, first: int = 0, kinds: Sequence[str] = ()) -> list[SideResult]:
    """Measure every kind of photo, from the seed `first` on; the usual number of each by default."""
    cv2.setNumThreads(1)
    return [
        measure_one(kind, seed)
        for kind in kinds or KINDS
        for seed in range(first, first + (boards or NUMBERS.get(kind, BOARDS)))
    ]


def table_rows(results: Sequence[SideResult]) -> list[list[str]]:
    """Format a line for each kind."""
    rows = []
    for kind in dict.fromkeys(result.kind for result in results):
        group = [result for result in results if result.kind == kind]
        counts = [
            sum(result.outcome == each for result in group) for each in ("right", "wrong", "guess", "refused")
        ]
        rows.append([kind, str(len(group)), *map(str, counts), str(sum(result.is_whole for result in group))])
    return rows


def main() -> None:
    """Print the table, and the photos that were not named rightly."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, help="of each kind")
    parser.add_argument("--first", type=int, default=0, help="seed of the first board")
    parser.add_argument("--kind", action="append", choices=list(KINDS), default=[])
    options = parser.parse_args()
    results = measure(options.boards, options.first, options.kind)
    print(format_table(HEAD, table_rows(results)))
    for result in results:
        if result.outcome != "right":
            print(f"{result.kind} {result.seed}: {result.outcome}")


if __name__ == "__main__":
    main()
