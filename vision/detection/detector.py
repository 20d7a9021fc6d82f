"""The stage: a picture and a layout in, the board's grid out, or the reason why not."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring import Layout
from vision.core import Grid, project_points
from vision.detection.diagnostics import reason
from vision.detection.features import ImagePyramid, LayoutClasses
from vision.detection.hypotheses import CLEARLY_LARGER, Effort, FittedGrid, HypothesisGenerator
from vision.detection.regions import boards_beside, lively_parts
from vision.errors import BoardNotFoundError, SettingsError

__all__ = ["BoardDetection", "DetectionStatus", "detect_boards", "locate"]

_MIN_SIDE_PX = 60
"""Four pixels a cell; nothing can be read far above that. It holds of the fine view too, in which a strip has fewer."""

_MIN_ELEVATION_DEG = 16.0
"""Below, a letter is seen at a quarter of its height and hidden by the tile before it."""

_LARGE_SQUARE_PX = 16.0
"""In the coarse view: of boards with larger squares a closer look shows no more."""

_SMALLEST, _MAX_OF_PICTURE, _PARTS = 0.1, 0.6, 2
"""Side of a small board, and of a part in which one is looked for, as shares of the picture's; and how many parts."""


class DetectionStatus(enum.Enum):
    """How the grid of a `BoardDetection` was obtained, and how far it can be trusted."""

    GIVEN = "given"
    """The user gave the corners."""
    TRACKED = "tracked"
    """The board was verified where it was expected."""
    VERIFIED = "verified"
    """The picture was searched, and the grid passed all checks."""
    UNCERTAIN = "uncertain"
    """The picture was searched; the grid counts only if a reader sees letters there."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoardDetection:
    """A board in a picture: its grid, and how certain it is.

    Parameters
    ----------
    grid : Grid
        The board's grid in the picture.
    status : DetectionStatus
        How the grid was obtained, and how far it can be trusted.
    n_others : int
        Number of further boards in the picture.
    reason : str
        Why the detection is uncertain, as a message to the user; empty where it is not.
    tried_px : (4, 2) float64, optional
        Corners of the grid that is uncertain, in the picture that was searched.
    pyramid : ImagePyramid, optional
        The picture as it was searched, for later refits.
    may_improve : bool
        Whether a search with `Effort.THOROUGH` may find another grid, or become certain of this one.
    """

    grid: Grid
    status: DetectionStatus
    n_others: int = 0
    reason: str = ""
    tried_px: NDArray[np.float64] | None = None
    pyramid: ImagePyramid | None = None
    may_improve: bool = False

    @property
    def is_certain(self) -> bool:
        """Whether the grid can be trusted without reading letters."""
        return self.status is not DetectionStatus.UNCERTAIN

    @property
    def is_searched(self) -> bool:
        """Whether the grid comes from a search of the picture, and not from a known place."""
        return self.status in (DetectionStatus.VERIFIED, DetectionStatus.UNCERTAIN)

    def error(self) -> BoardNotFoundError:
        """The error to raise where the board turns out not to be there."""
        error = BoardNotFoundError(self.reason)
        error.tried_px = self.tried_px
        return error


def locate(image_bgr: NDArray[np.uint8], layout: Layout) -> Grid:
    """Where the board's grid lies in a picture; of several boards, the largest.

    Parameters and errors are those of `detect_boards`.
    """
    return detect_boards(image_bgr, layout).grid


def detect_boards(
    image_bgr: NDArray[np.uint8],
    layout: Layout,
    *,
    effort: Effort = Effort.THOROUGH,
    allow_uncertain: bool = False,
) -> BoardDetection:
    """Where the largest board's grid lies in a picture, and how many other boards were seen.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR, of any size.
    layout : Layout
        The board's premium squares. Their places count, their colours do not.
    effort : Effort
        With `Effort.FAST` and `allow_uncertain`, return early with an uncertain detection when only the squares'
        colours contradict it (tiles may explain them), or when its lines already fit well. The caller reads the
        squares, refits with them masked, and repeats with `Effort.THOROUGH` if that refit is rejected.
    allow_uncertain : bool
        Return a board that is plausible but not verified, instead of raising.

    Returns
    -------
    BoardDetection
        Its grid has the turn that is closest to upright in the picture among those that the layout allows: on
        the usual board, which looks alike from all four sides, only the letters can tell. The grid's `fit` is
        the share of its edges on which a line was found.

    Raises
    ------
    BoardNotFoundError
        If no grid fits well enough to be trusted; it says what was found instead, and what would help.

    Notes
    -----
    Propose, refine, verify: the first kind of proposals of which one is verified ends the search. Of several boards
    in view it is the one with the largest squares among those that it meets or that lie beside it, as far as
    `boards_beside` looks.
    """
    if image_bgr.ndim != 3 or image_bgr.shape[2] != 3 or min(image_bgr.shape[:2]) < _MIN_SIDE_PX:
        raise BoardNotFoundError(
            f"no board found: the picture is {image_bgr.shape[1]} x {image_bgr.shape[0]} px, a board needs "
            f"{_MIN_SIDE_PX} px at least and 300 px to be read; take a larger picture"
        )
    views = ImagePyramid.of(image_bgr)
    if min(views.fine_bgr.shape[:2]) < _MIN_SIDE_PX:
        raise BoardNotFoundError(
            f"no board found: the picture is a strip of {image_bgr.shape[1]} x {image_bgr.shape[0]} px, too narrow "
            "for its length; cut out the part that shows the board"
        )
    pattern = LayoutClasses.from_layout(layout)
    hasty = effort is Effort.FAST and allow_uncertain
    guesses = HypothesisGenerator(views=views, pattern=pattern, hasty=hasty)
    found = list(_best_first(guesses.by_kind(), hasty=hasty))
    doubted = hasty and bool(found) and found[0].evidence.doubted_by_squares_alone
    closer = views.closer() if not doubted and _may_be_small(found, views) else None
    if closer is not None:
        again = list(_best_first(HypothesisGenerator(views=closer, pattern=pattern).of_small_squares()))
        found = _better(again, found)
    if not doubted and _may_lie_on_other_edges(found):
        found = _better(list(_best_first([guesses.by_straight_edges()])), found)
    if closer is not None and not (found and found[0].evidence.accepted):
        found = _in_part(views, pattern) or found
    if not found or not found[0].evidence.accepted:
        evidence = found[0].evidence if found else None
        message = reason(views.coarse_bgr, evidence)
        if allow_uncertain and evidence is not None and evidence.seems_there:
            _check_angle(found[0])
            grid = _upright(found[0], pattern)
            return BoardDetection(
                grid=grid,
                status=DetectionStatus.UNCERTAIN,
                reason=message,
                tried_px=found[0].corners_px,
                pyramid=views,
                may_improve=doubted,
            )
        refusal = BoardNotFoundError(message)
        refusal.tried_px = found[0].corners_px if found else None
        raise refusal
    found += boards_beside(views, pattern, found)
    largest = max(found, key=lambda board: board.size_px)
    chosen = largest if largest.size_px > CLEARLY_LARGER * found[0].size_px else found[0]
    _check_angle(chosen)
    return BoardDetection(
        grid=_upright(chosen, pattern),
        status=DetectionStatus.VERIFIED,
        n_others=len(found) - 1,
        pyramid=views,
        may_improve=hasty,
    )


def _in_part(views: ImagePyramid, pattern: LayoutClasses) -> list[FittedGrid]:
    """A board that fills a small part of the picture, with the others there; none if it is not verified."""
    height, width = views.fine_bgr.shape[:2]
    least_px = _SMALLEST * max(height, width) / float(views.fine_from_image[0, 0])
    for part_bgr, image_from_part in lively_parts(views, least_px, (), _PARTS):
        if max(part_bgr.shape[:2]) > _MAX_OF_PICTURE * max(height, width):
            continue  # no closer than it was
        guesses = HypothesisGenerator(views=ImagePyramid.of(part_bgr), pattern=pattern)
        kinds = itertools.chain(guesses.by_kind(), [guesses.by_straight_edges()])
        found = list(_best_first(kinds))
        if found and found[0].evidence.accepted:
            return [
                replace(board, image_from_grid=image_from_part @ board.image_from_grid) for board in found
            ]
    return []


def _best_first(kinds: Iterable[Iterator[FittedGrid]], *, hasty: bool = False) -> Iterator[FittedGrid]:
    """The largest board that is beyond doubt and the others beside it, or else the best guess alone.

    The first kind of guesses with one that is accepted is the last; in haste one that only its squares' looks speak
    against is enough.
    """
    best: FittedGrid | None = None
    for kind in kinds:
        sure: list[FittedGrid] = []
        for candidate in kind:
            if best is None or candidate.evidence.rank > best.evidence.rank:
                best = candidate
            if candidate.evidence.beyond_doubt:
                sure.append(candidate)
        if sure:
            largest = max(sure, key=lambda board: board.size_px)
            near = [board for board in sure if board.size_px * CLEARLY_LARGER > largest.size_px]
            chosen = near[0]  # of boards of one size, the one that shows best
            yield chosen
            yield from (board for board in sure if not chosen.shows(board.corners_px.mean(axis=0)))
            return
        if best is not None and best.evidence.accepted:
            break  # slower kinds find the same board, and what is read on it decides a second fit
        if hasty and best is not None and best.evidence.doubted_by_squares_alone:
            break
    if best is not None:
        yield best


def _better(found: list[FittedGrid], known: list[FittedGrid]) -> list[FittedGrid]:
    """What another search found, if it is better than what is known."""
    return found if found and (not known or found[0].evidence.rank > known[0].evidence.rank) else known


def _may_lie_on_other_edges(found: list[FittedGrid]) -> bool:
    """Whether the last resort may find what no other kind of guesses did."""
    if not found:
        return True
    evidence = found[0].evidence
    return not (evidence.accepted or (evidence.seems_there and evidence.on_clear_lines))


def _may_be_small(found: list[FittedGrid], views: ImagePyramid) -> bool:
    """Whether a closer look may help."""
    if not found:
        return True
    scale = float(views.coarse_from_image[0, 0])
    large = found[0].size_px * scale > _LARGE_SQUARE_PX
    return not found[0].evidence.accepted and not (large and found[0].evidence.promising)


def _check_angle(found: FittedGrid) -> None:
    """Refuses a board that is seen too obliquely to be read, however well its lines fit."""
    middle = np.array([found.pattern.columns, found.pattern.rows]) / 2
    around = project_points(found.image_from_grid, middle + np.array([[0.0, 0], [1, 0], [0, 1]]))
    longest, shortest = np.linalg.svd(around[1:] - around[0], compute_uv=False)
    degrees = float(np.rad2deg(np.arcsin(min(1.0, shortest / longest))))
    if degrees < _MIN_ELEVATION_DEG:
        refusal = BoardNotFoundError(
            f"no board found: the board is seen from about {degrees:.0f} degrees above the table, "
            f"{_MIN_ELEVATION_DEG:.0f} at least are needed; look more from above"
        )
        refusal.tried_px = found.corners_px
        raise refusal


def _upright(found: FittedGrid, pattern: LayoutClasses) -> Grid:
    """The grid named from the side that is closest to upright in the picture, of those the layout allows."""
    choices = []
    for turn in range(4):
        if np.array_equal(pattern.rotate(turn).classes, found.pattern.classes):
            named = np.roll(found.corners_px, -turn, axis=0)
            top = named[1] - named[0] + named[2] - named[3]
            choices.append((float(top[0] / np.hypot(*top)), turn, named))
    named = max(choices, key=lambda choice: choice[:2])[2]
    try:
        return Grid.from_corners(named, pattern.rows, pattern.columns, fit=found.evidence.edges)
    except SettingsError as error:
        raise BoardNotFoundError(
            "no board found: the best grid is folded over; look more from above, and show the whole board"
        ) from error
