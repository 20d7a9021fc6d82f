"""Localisation in rendered scenes: located, refused, and other things taken for a board.

Run it as ``python -m tests.benchmarks.bench_locating --scenes 1000 --without 500``. Each result is kept in
``demo-output/benchmark/located-scenes.jsonl``, and an interrupted run resumes, as long as the program and its weights
do not change; ``--again`` starts over.

Times are processor time of one thread as multiples of D, which is measured in the same process between the scenes.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np

from docs.figures.images import save_figure
from docs.figures.locating_pictures import describe_offset, draw_misses
from samples import RenderedPhoto, no_board_kinds, random_scene_without_board
from scoring import load_edition
from tests.benchmarks.measuring import (
    LOCATED_WITHIN_CELLS,
    MAX_DRAWN,
    PICTURES,
    digest_program,
    percentile,
    reader_for,
    shorten_refusal,
    yardstick_ms,
)
from tests.sets.scenes import STYLES, board_scene, compare_corners, scene_kind
from vision.capture import Frame
from vision.core.files import write_picture
from vision.core.timing import Stopwatch
from vision.errors import BoardNotFoundError
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext

__all__ = [
    "HEAD",
    "NO_BOARD_HEAD",
    "SceneResult",
    "draw",
    "measure",
    "measure_scene",
    "no_board_rows",
    "table_rows",
]

RESULTS = PICTURES / "located-scenes.jsonl"
OWN_FILES = ("tests/sets/scenes.py",)
FIRST_SEED = 150_000
"""No threshold was chosen with scenes from here on; those below, and some above 100,000, were used for choices."""

NO_BOARD = "no board"
HEAD = (
    "scenes",
    "number",
    "located",
    "corner error in cells (median / p95 / worst)",
    "refused, and the commonest reason",
    "accepted wrongly",
    "turned wrongly without a warning",
    "time in D (p50 / p95)",
)
NO_BOARD_HEAD = (
    "what is shown",
    "scenes",
    "taken for a board",
    "time in D (p50 / p95)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneResult:
    """The result of one scene.

    Parameters
    ----------
    seed : int
        Seed of the scene.
    kind : str
        Style of the board, or ``"no board"``.
    shows : str
        Subject instead of a board; empty where there is a board.
    corners_px : list of (x, y), optional
        The accepted corners of the grid, or those of the best refused hypothesis.
    error_cells : float, optional
        Error of the worst corner, whichever corner is first; None where refused, infinite without a board.
    turned : bool
        Whether the corners are right but start at another corner, although the orientation counts as certain.
    refusal : str
        The message; empty where a board was accepted.
    locate_d : float
        Time of localisation as a multiple of D.
    """

    seed: int
    kind: str
    shows: str
    corners_px: list[list[float]] | None
    error_cells: float | None
    turned: bool
    refusal: str
    locate_d: float

    @property
    def located(self) -> bool:
        """Whether the four corners are within the tolerance."""
        return self.error_cells is not None and self.error_cells <= LOCATED_WITHIN_CELLS

    @property
    def wrong(self) -> bool:
        """Whether a wrong place was accepted."""
        return self.error_cells is not None and not self.located


def render_scene(seed: int, kind: str) -> tuple[Frame, str, RenderedPhoto | None, str]:
    """Render a scene: the picture, the edition, the truth where there is a board, and the subject where not."""
    photo, edition, shows = None, "english", ""
    if kind == NO_BOARD:
        scene = random_scene_without_board(np.random.default_rng(seed))
        image, shows = scene.image_bgr, scene.kind
    else:
        photo = board_scene(seed)
        image, edition = photo.image_bgr, photo.edition
    frame = Frame(image_bgr=image, source=f"{kind} {seed}", index=0, time_s=0.0)
    return frame, edition, photo, shows


def measure_scene(scene: tuple[int, str]) -> SceneResult:
    """Locate and read a scene, and compare it with its truth."""
    seed, kind = scene
    cv2.setNumThreads(1)
    frame, edition_name, photo, shows = render_scene(seed, kind)
    corners, error, turned, refusal = None, None, False, ""
    watch = Stopwatch(clock=time.process_time)
    try:
        found = read_photo(
            frame,
            GameContext(edition=load_edition(edition_name), recognizer=reader_for(edition_name)),
            stopwatch=watch,
        )
    except BoardNotFoundError as reason:
        refusal = str(reason)
        corners = None if reason.tried_px is None else reason.tried_px.tolist()
    else:
        corners = found.grid.corners_px.tolist()
        error, turned = (math.inf, False) if photo is None else compare_corners(found.grid, photo.corners_px)
        turned = turned and found.is_orientation_certain
    return SceneResult(
        seed=seed,
        kind=kind,
        shows=shows,
        corners_px=corners,
        error_cells=error,
        turned=turned,
        refusal=refusal,
        locate_d=watch.stage_ms["locate"] / yardstick_ms(),
    )


def measure(
    scenes: int = 1000,
    without: int = 500,
    first_seed: int = FIRST_SEED,
    *,
    jobs: int = 2,
    again: bool = False,
) -> list[SceneResult]:
    """Measure scenes with a board, then scenes without one; kept results are not repeated.

    Parameters
    ----------
    scenes, without : int
        Numbers of scenes with and without a board.
    first_seed : int
        First seed of each.
    jobs : int
        Processes.
    again : bool
        Delete the kept results first.
    """
    wanted: list[tuple[int, str]] = [
        (seed, scene_kind(seed)) for seed in range(first_seed, first_seed + scenes)
    ]
    wanted += [(seed, NO_BOARD) for seed in range(first_seed, first_seed + without)]
    if again:
        RESULTS.unlink(missing_ok=True)
    known = {(result.seed, result.kind): result for result in load_results()}
    missing = [scene for scene in wanted if scene not in known]
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with (
        multiprocessing.get_context("spawn").Pool(jobs) as pool,
        RESULTS.open("a", encoding="utf-8") as file,
    ):
        for result in pool.imap(measure_scene, missing, chunksize=4):
            known[result.seed, result.kind] = result
            file.write(json.dumps({"program": digest_program(*OWN_FILES), **asdict(result)}) + "\n")
            file.flush()
    return [known[scene] for scene in wanted]


def load_results() -> Iterator[SceneResult]:
    """Load the kept results of this state of the program."""
    if RESULTS.is_file():
        for line in RESULTS.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record.pop("program", "") == digest_program(*OWN_FILES):
                yield SceneResult(**record)


def table_rows(results: Sequence[SceneResult]) -> list[list[str]]:
    """Format a line for each style of board, and one for all."""
    boards = [result for result in results if result.kind != NO_BOARD]
    groups: list[tuple[str, list[SceneResult]]] = [("all", boards)]
    groups[:0] = [(kind, [result for result in boards if result.kind == kind]) for kind in STYLES]
    return [format_row(name, group) for name, group in groups if group]


def format_row(name: str, results: Sequence[SceneResult]) -> list[str]:
    """Format one line."""
    errors = [result.error_cells for result in results if result.error_cells is not None]
    located = sum(result.located for result in results)
    return [
        name,
        str(len(results)),
        f"{located} ({located / len(results):.1%})",
        " / ".join(f"{percentile(errors, share):.3f}" for share in (0.5, 0.95, 1.0)) if errors else "",
        format_refusals(results),
        str(sum(result.wrong for result in results)),
        str(sum(result.turned for result in results)),
        format_times(results),
    ]


def no_board_rows(results: Sequence[SceneResult]) -> list[list[str]]:
    """Format a line for each subject without a board, and one for all."""
    scenes = [result for result in results if result.kind == NO_BOARD]
    groups = [(shows, [one for one in scenes if one.shows == shows]) for shows in no_board_kinds()]
    return [
        [
            name,
            str(len(group)),
            str(sum(one.wrong for one in group)),
            format_times(group),
        ]
        for name, group in (*groups, ("all", scenes))
        if group
    ]


def format_refusals(results: Iterable[SceneResult]) -> str:
    """Format the number of refused scenes and the commonest reason."""
    reasons = Counter(shorten_refusal(result.refusal) for result in results if result.refusal)
    return f"{reasons.total()}: {reasons.most_common(1)[0][0]}" if reasons else "0"


def format_times(results: Iterable[SceneResult]) -> str:
    """Format median and 95th percentile of the times."""
    spent = [result.locate_d for result in results]
    return f"{percentile(spent, 0.5):.1f} / {percentile(spent, 0.95):.1f}"


def describe_error(result: SceneResult, photo: RenderedPhoto | None) -> str:
    """Describe the error of a scene."""
    if result.refusal:
        return f"refused: {result.refusal.removeprefix('no board found: ')}"
    if photo is None or result.corners_px is None:
        return "taken for a board"
    if result.turned:
        return "located, but its corners start at another corner although letters are there"
    return describe_offset(photo.corners_px, result.corners_px, len(photo.rows[0]))


def draw(results: Iterable[SceneResult], *, publish: bool = False) -> Path:
    """Draw every scene that went wrong with its cause; `publish` also writes the documents' picture."""
    missed = sorted(
        (r for r in results if r.wrong or r.turned or (r.refusal and r.kind != NO_BOARD)),
        key=lambda r: not r.wrong,
    )
    pictures = []
    for result in missed[:MAX_DRAWN]:
        frame, _, photo, shows = render_scene(result.seed, result.kind)
        corners = None if photo is None else photo.corners_px
        title = f"{shows or result.kind} {result.seed}: {describe_error(result, photo)}"
        pictures.append((frame.image_bgr, corners, result.corners_px, title))
    path = PICTURES / "not-located.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = draw_misses(pictures, f"rendered scenes that were not located: {len(missed)}")
    write_picture(path, picture)
    if publish:
        save_figure("not-located.jpg", picture)
    return path


def main() -> None:
    """Measure, print the table and every error, and draw the errors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--scenes", type=int, default=1000, help="scenes with a board")
    parser.add_argument("--without", type=int, default=500, help="scenes without one")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--again", action="store_true", help="forget what was measured before")
    options = parser.parse_args()
    results = measure(
        options.scenes, options.without, options.first_seed, jobs=options.jobs, again=options.again
    )
    for head, rows in ((HEAD, table_rows(results)), (NO_BOARD_HEAD, no_board_rows(results))):
        for row in (head, *rows) if rows else ():
            print(" | ".join(row))
    for result in results:
        if result.wrong or result.turned or (result.refusal and result.kind != NO_BOARD):
            off = "" if result.error_cells is None else f"off by {result.error_cells:.2f} cells"
            print(
                f"  {result.kind} {result.seed}: {result.refusal or off}{' turned' if result.turned else ''}"
            )
    print(draw(results))


if __name__ == "__main__":
    main()
