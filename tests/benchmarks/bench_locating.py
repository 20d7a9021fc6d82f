"""How well boards are located in rendered scenes, what is refused, and what is taken for a board that is none.

Run as ``python -m tests.benchmarks.bench_locating --scenes 1000 --without 500``.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from samples.no_boards import random_scene_without_board
from scoring import load_edition
from tests.benchmarks.boards import LOCATED_WITHIN_CELLS, percentile
from tests.benchmarks.scenes import STYLES, board_scene, scene_kind
from vision.capture import Frame
from vision.errors import BoardNotFoundError
from vision.photo import Reader, load_reader, read_frame

__all__ = ["HEAD", "LocatingScore", "measure", "table_rows"]

HEAD = (
    "scenes",
    "number",
    "located",
    "corner error in cells (median / p95 / worst)",
    "refused, and the commonest reason",
    "accepted wrongly",
    "turned wrongly",
    "ms p50",
)


@dataclass(slots=True)
class LocatingScore:
    """What came of the scenes of one kind."""

    kind: str
    scenes: int = 0
    errors_cells: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    wrong: int = 0
    turned: int = 0
    locate_ms: list[float] = field(default_factory=list)
    blame: list[str] = field(default_factory=list)

    @property
    def located(self) -> int:
        """Scenes whose four corners are within the tolerance, whichever side is named up."""
        return sum(error <= LOCATED_WITHIN_CELLS for error in self.errors_cells)


def measure(scenes: int = 200, without: int = 100, first_seed: int = 10_000) -> list[LocatingScore]:
    """The scores by style of board, and of scenes without a board.

    Parameters
    ----------
    scenes, without : int
        How many scenes with and without a board.
    first_seed : int
        Seeds count from here; none of them was looked at while thresholds were chosen.
    """
    cv2.setNumThreads(1)
    scores = {kind: LocatingScore(kind=kind) for kind in STYLES}
    readers: dict[str, Reader] = {}
    for seed in range(first_seed, first_seed + scenes):
        add_scene(scores[scene_kind(seed)], seed, readers)
    nothing = LocatingScore(kind="no board")
    for seed in range(first_seed, first_seed + without):
        add_scene_without(nothing, seed, readers)
    return [*scores.values(), nothing]


def add_scene(score: LocatingScore, seed: int, readers: dict[str, Reader]) -> None:
    """Locates one rendered board and counts what came of it."""
    photo = board_scene(seed)
    score.scenes += 1
    frame = Frame(image_bgr=photo.image_bgr, source=f"scene {seed}", index=0, time_s=0.0)
    started = time.perf_counter()
    try:
        found = read_frame(frame, load_edition(photo.edition), reader_for(photo.edition, readers))
    except BoardNotFoundError as error:
        score.locate_ms.append((time.perf_counter() - started) * 1000)
        score.reasons[reason_of(error)] += 1
        score.blame.append(f"scene {seed} ({score.kind}): refused: {error}")
        return
    score.locate_ms.append(found.stage_ms["locate"])
    columns, rows = found.grid.columns, found.grid.rows
    truth = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]])
    placed = found.grid.image_from_grid.inverse.apply(photo.corners_px)
    by_turn = [float(np.abs(np.roll(truth, turn, axis=0) - placed).max()) for turn in range(4)]
    off = min(by_turn)
    score.errors_cells.append(off)
    if off > LOCATED_WITHIN_CELLS:
        score.wrong += 1
        score.blame.append(f"scene {seed} ({score.kind}): off by {off:.2f} cells, fit {found.grid.fit:.2f}")
    elif by_turn[0] > off:
        score.turned += 1
        score.blame.append(f"scene {seed} ({score.kind}): turned wrongly")


def add_scene_without(score: LocatingScore, seed: int, readers: dict[str, Reader]) -> None:
    """Looks for a board where none is."""
    scene = random_scene_without_board(np.random.default_rng(seed))
    score.scenes += 1
    frame = Frame(image_bgr=scene.image_bgr, source=f"scene {seed}", index=0, time_s=0.0)
    started = time.perf_counter()
    try:
        found = read_frame(frame, load_edition("english"), reader_for("english", readers))
    except BoardNotFoundError as error:
        score.reasons[reason_of(error)] += 1
    else:
        score.wrong += 1
        score.blame.append(
            f"scene {seed} without a board: a {scene.kind} was accepted, fit {found.grid.fit:.2f}"
        )
    score.locate_ms.append((time.perf_counter() - started) * 1000)


def reader_for(edition_name: str, readers: dict[str, Reader]) -> Reader:
    """The network, loaded once an edition."""
    if edition_name not in readers:
        readers[edition_name] = load_reader("network", load_edition(edition_name))
    return readers[edition_name]


def reason_of(error: BoardNotFoundError) -> str:
    """A refusal's reason without its numbers."""
    text = str(error).removeprefix("no board found: ").split(";")[0].split(",")[0].split(" (")[0]
    return " ".join("N" if any(mark.isdigit() for mark in word) else word for word in text.split())


def table_rows(scores: Sequence[LocatingScore]) -> list[list[str]]:
    """The lines of the table, one for each kind of scene."""
    rows = []
    for score in scores:
        refused = sum(score.reasons.values())
        commonest = f": {score.reasons.most_common(1)[0][0]}" if refused else ""
        errors = [percentile(score.errors_cells, share) for share in (0.5, 0.95, 1.0)]
        some = bool(score.errors_cells)
        rows.append(
            [
                score.kind,
                str(score.scenes),
                str(score.located) if score.kind in STYLES else "",
                " / ".join(f"{error:.3f}" for error in errors) if some else "",
                f"{refused}{commonest}",
                str(score.wrong),
                str(score.turned) if score.kind in STYLES else "",
                f"{statistics.median(score.locate_ms):.0f}" if score.locate_ms else "",
            ]
        )
    return rows


def main() -> None:
    """Measures, prints the table, and every scene that went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--scenes", type=int, default=200, help="scenes with a board")
    parser.add_argument("--without", type=int, default=100, help="scenes without one")
    parser.add_argument("--first-seed", type=int, default=10_000)
    options = parser.parse_args()
    scores = measure(options.scenes, options.without, options.first_seed)
    for row in [list(HEAD), *table_rows(scores)]:
        print(" | ".join(row))
    for score in scores:
        for line in score.blame:
            print(f"  {line}")


if __name__ == "__main__":
    main()
