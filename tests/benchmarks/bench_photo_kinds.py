"""Kinds of difficult photos: what is read, what is flagged as doubtful, and what is refused.

Run it as ``python -m tests.benchmarks.bench_photo_kinds --each 20``. Errors are drawn into
``demo-output/benchmark/photo-kinds.png``, with their cause.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2

from docs.figures.locating_pictures import describe_offset, draw_misses
from scoring import format_square, load_edition
from tests.benchmarks.measuring import LOCATED_WITHIN_CELLS, MAX_DRAWN, PICTURES, reader_for, shorten_refusal
from tests.sets.labelled_photos import is_blank
from tests.sets.photo_kinds import KINDS, KindOfPhoto, kind_of_photo
from tests.sets.scenes import compare_corners
from vision.capture import Frame
from vision.core import Grid
from vision.core.files import write_picture
from vision.errors import BoardNotFoundError
from vision.observation import BoardObservation
from vision.pipeline.checks import check_layout, check_tiles
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext

__all__ = ["HEAD", "OTHER_SIDE", "KindResult", "draw", "measure", "measure_photo", "table_rows"]

EACH = 20
FIRST_SEED = 3_000
"""No choice was made with photos from here on; those below 1,000 were used for choices."""
OTHER_SIDE = "named from another side"
HEAD = (
    "photo",
    "number",
    "read, all right",
    "read, all errors flagged",
    "read, with errors that are not flagged",
    "refused, and the commonest reason",
    "placed wrongly, with a line that says so",
    "placed wrongly",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindResult:
    """The result of one photo.

    Parameters
    ----------
    kind : str
        One of `photo_kinds.KINDS`.
    seed : int
        Of the photo.
    corners_px : list of (x, y), optional
        The accepted corners of the grid, or those of the best refused hypothesis.
    error_cells : float, optional
        Error of the worst corner; None where refused.
    flagged, unflagged : tuple of str
        Errors of a board that was located: squares as ``8D A>E``, its orientation, other boards that were not
        counted; those that were reported as doubtful, and the rest.
    refusal : str
        The message; empty where a board was accepted.
    placed : str
        Offset of the corners, in words.
    is_warned : bool
        Whether a line says that the squares may be elsewhere: the board is folded, its lines are bowed, or the tiles
        are seen from near the table.
    """

    kind: str
    seed: int
    corners_px: list[list[float]] | None
    error_cells: float | None = None
    flagged: tuple[str, ...] = ()
    unflagged: tuple[str, ...] = ()
    refusal: str = ""
    placed: str = ""
    is_warned: bool = False

    @property
    def misplaced(self) -> bool:
        """Whether a wrong place was accepted."""
        return self.error_cells is not None and self.error_cells > LOCATED_WITHIN_CELLS

    @property
    def cause(self) -> str:
        """The error in words; empty for none."""
        if self.refusal:
            return self.refusal.removeprefix("no board found: ")
        if self.misplaced:
            return f"placed wrongly{', and told' * self.is_warned}: {self.placed}"
        return f"wrong and not flagged: {', '.join(self.unflagged)}" if self.unflagged else ""


def measure_photo(photo: tuple[str, int]) -> KindResult:
    """Read a photo and compare it with its truth."""
    kind, seed = photo
    cv2.setNumThreads(1)
    shown = kind_of_photo(kind, seed)
    frame = Frame(image_bgr=shown.image_bgr, source=f"{kind} {seed}", index=0, time_s=0.0)
    try:
        found = read_photo(
            frame, GameContext(edition=load_edition(shown.edition), recognizer=reader_for(shown.edition))
        )
    except BoardNotFoundError as refusal:
        tried = None if refusal.tried_px is None else refusal.tried_px.tolist()
        return KindResult(kind=kind, seed=seed, corners_px=tried, refusal=str(refusal))
    corners_px = found.grid.corners_px
    if found.view is not None:  # bowed lines were straightened
        corners_px = found.view.to_photo(corners_px)
    grid = Grid.from_corners(corners_px, found.grid.rows, found.grid.columns)
    error, turned = compare_corners(grid, shown.corners_px)
    flagged, unflagged = (
        list_errors(shown, found, turned=turned) if error <= LOCATED_WITHIN_CELLS else ((), ())
    )
    distortion = found.residual_distortion
    return KindResult(
        kind=kind,
        seed=seed,
        corners_px=corners_px.tolist(),
        error_cells=error,
        flagged=flagged,
        unflagged=unflagged,
        placed=describe_offset(shown.corners_px, corners_px, found.grid.columns),
        is_warned=found.is_height_uncertain or bool(distortion and distortion.remark),
    )


def list_errors(
    shown: KindOfPhoto, found: BoardObservation, *, turned: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List the errors of a located board: those that were flagged, and the rest."""
    flagged, unflagged = list_wrong_squares(shown, found)
    if turned:  # every tile has a wrong place
        flagged, unflagged = ((), (OTHER_SIDE,)) if found.is_orientation_certain else ((OTHER_SIDE,), ())
    rules = load_edition(shown.edition)
    # a line that doubts the complete board
    if (
        found.is_height_uncertain
        or check_layout(found.rectified, found.decoded.board, rules)
        or check_tiles(found.probabilities, found.decoded, rules)
    ):
        flagged, unflagged = (*flagged, *unflagged), ()
    missed = shown.others - found.other_boards
    return flagged, (*unflagged, f"other boards not counted: {missed}") if missed > 0 else unflagged


def list_wrong_squares(
    shown: KindOfPhoto, found: BoardObservation
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List the squares that were read wrongly: the doubtful ones, and the rest."""
    doubted = {(doubt.row, doubt.column) for doubt in found.decoded.doubts}
    flagged: list[str] = []
    unflagged: list[str] = []
    for row, tokens in enumerate(shown.rows):
        for column, want in enumerate(tokens):
            have = found.decoded.board[row, column]
            right = want in ("#", have) or (is_blank(want) and have != "." and is_blank(have))
            if right:
                continue
            text = f"{format_square(row, column)} {want}>{have}"
            (flagged if (row, column) in doubted or have == "#" else unflagged).append(text)
    return tuple(flagged), tuple(unflagged)


def measure(
    each: int = EACH, first_seed: int = FIRST_SEED, kinds: Sequence[str] = (), *, jobs: int = 2
) -> list[KindResult]:
    """Measure `each` photos of each kind, of all kinds by default."""
    seeds = range(first_seed, first_seed + each)
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        return pool.map(measure_photo, itertools.product(kinds or KINDS, seeds), chunksize=5)


def table_rows(results: Iterable[KindResult]) -> list[list[str]]:
    """Format a line for each kind."""
    rows = []
    for kind, group in itertools.groupby(results, key=lambda result: result.kind):
        photos = list(group)
        placed = [photo for photo in photos if not photo.refusal and not photo.misplaced]
        reasons = Counter(shorten_refusal(photo.refusal) for photo in photos if photo.refusal)
        commonest = f": {reasons.most_common(1)[0][0]}" if reasons else ""
        rows.append(
            [
                kind,
                str(len(photos)),
                str(sum(not photo.flagged and not photo.unflagged for photo in placed)),
                str(sum(bool(photo.flagged) and not photo.unflagged for photo in placed)),
                str(sum(bool(photo.unflagged) for photo in placed)),
                f"{reasons.total()}{commonest}",
                *(
                    str(sum(photo.misplaced and photo.is_warned is warned for photo in photos))
                    for warned in (True, False)
                ),
            ]
        )
    return rows


def draw(results: Iterable[KindResult], path: Path = PICTURES / "photo-kinds.png") -> Path:
    """Draw the photos that were read wrongly, then the refused ones, with their causes."""
    missed = sorted((result for result in results if result.cause), key=lambda result: bool(result.refusal))
    pictures = []
    for result in missed[:MAX_DRAWN]:
        shown = kind_of_photo(result.kind, result.seed)
        pictures.append(
            (
                shown.image_bgr,
                shown.corners_px,
                result.corners_px,
                f"{result.kind} {result.seed}: {result.cause}",
            )
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_picture(path, draw_misses(pictures, f"photos that were refused or read wrongly: {len(missed)}"))
    return path


def main() -> None:
    """Measure, print the table and every error, and draw the errors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--each", type=int, default=EACH, help="photos of each kind")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument(
        "kinds", nargs="*", metavar="KIND", help=f"of {'; '.join(KINDS)}; all if none is named"
    )
    options = parser.parse_args()
    if unknown := [kind for kind in options.kinds if kind not in KINDS]:
        parser.error(f"{unknown[0]}: there is no such kind; the kinds are {'; '.join(KINDS)}")
    results = measure(options.each, options.first_seed, options.kinds, jobs=options.jobs)
    for row in [list(HEAD), *table_rows(results)]:
        print(" | ".join(row))
    for result in results:
        if result.cause:
            print(f"  {result.kind} {result.seed}: {result.cause}")
    print(draw(results))


if __name__ == "__main__":
    main()
