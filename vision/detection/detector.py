"""Detection of the board: an image and a layout in, the board's grid out, or the reason why there is none."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from scoring import Layout
from vision.core import Floats, Grid, Image, cell_sides
from vision.detection.diagnostics import failure_reason
from vision.detection.features import ImagePyramid, LayoutClasses
from vision.detection.fitter import Effort, HypothesisFitter
from vision.detection.hypotheses import MIN_LARGER_RATIO, HypothesisGenerator
from vision.detection.regions import find_additional_boards, textured_parts
from vision.detection.verification import FittedGrid, Verdict
from vision.errors import BoardNotFoundError, SettingsError

__all__ = ["BoardDetection", "DetectionStatus", "detect_boards", "locate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorSettings:
    """Limits of what is searched and accepted. Values without a source are chosen."""

    min_side_px: int = 60
    """Shorter side of an image, and of its fine level, in which a board of 15 squares has 4 px a cell."""
    min_elevation_deg: float = 16.0
    """Angle of view above the table. Below it, a letter is seen at a quarter of its height, and the tile in front hides
    it."""
    large_cell_px: float = 16.0
    """Side of a cell in the coarse level from which the fine level shows no more."""
    min_small_board_share: float = 0.1
    """Side of the smallest board that is searched in parts of the image, as a share of the image's."""
    max_part_share: float = 0.6
    """Side of the largest part that is searched, as a share of the image's."""


SETTINGS = DetectorSettings()


class DetectionStatus(enum.Enum):
    """How the grid of a `BoardDetection` was obtained, and how far it can be trusted."""

    GIVEN = "given"
    """The user gave the corners."""
    TRACKED = "tracked"
    """The board was verified where it was expected."""
    VERIFIED = "verified"
    """The image was searched, and the grid passed all checks."""
    UNCERTAIN = "uncertain"
    """The image was searched; the grid counts only if a reader sees letters there."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoardDetection:
    """A board in an image: its grid, and how certain it is.

    Parameters
    ----------
    grid : Grid
        The board's grid in the image.
    status : DetectionStatus
        How the grid was obtained, and how far it can be trusted.
    n_others : int
        Number of further boards in the image.
    explain : callable, optional
        Says why the detection is uncertain, as a message to the user.
    tried_px : (4, 2) float64, optional
        Corners of the grid that is uncertain, in the image that was searched.
    pyramid : ImagePyramid, optional
        The image as it was searched, for later refits.
    may_improve : bool
        Whether a search with `Effort.THOROUGH` may find another grid, or become certain of this one.
    """

    grid: Grid
    status: DetectionStatus
    n_others: int = 0
    explain: Callable[[], str] | None = None
    tried_px: Floats | None = None
    pyramid: ImagePyramid | None = None
    may_improve: bool = False

    @property
    def is_certain(self) -> bool:
        """Whether the grid can be trusted without reading letters."""
        return self.status is not DetectionStatus.UNCERTAIN

    @property
    def is_searched(self) -> bool:
        """Whether the grid comes from a search of the image, and not from a known place."""
        return self.status in (DetectionStatus.VERIFIED, DetectionStatus.UNCERTAIN)

    def error(self) -> BoardNotFoundError:
        """Make the error to raise where the board turns out not to be there."""
        return BoardNotFoundError("" if self.explain is None else self.explain(), tried_px=self.tried_px)


def locate(image_bgr: Image, layout: Layout) -> Grid:
    """Find the grid of the largest board.

    Parameters and errors are those of `detect_boards`.
    """
    return detect_boards(image_bgr, layout).grid


def detect_boards(
    image_bgr: Image,
    layout: Layout,
    *,
    effort: Effort = Effort.THOROUGH,
    allow_uncertain: bool = False,
) -> BoardDetection:
    """Find the grid of the largest board, and count the other boards.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The image, BGR, of any size.
    layout : Layout
        The board's premium squares. Their places count, their colours do not.
    effort : Effort
        With `Effort.FAST` and `allow_uncertain`, return early with an uncertain detection when only the squares'
        colours contradict it (tiles may explain them), or when its lines already fit well. The caller reads the
        squares, refits with them masked, and repeats with `Effort.THOROUGH` if that refit is rejected.
    allow_uncertain : bool
        Return a board that is plausible but not verified, or good lines alone, instead of raising.

    Returns
    -------
    BoardDetection
        Of the orientations that the layout allows, its grid has the one that is closest to upright in the image. The
        usual board looks the same from all four sides, so that only the letters can decide. The grid's `fit` is the
        share of its edges on which a line was found.

    Raises
    ------
    BoardNotFoundError
        If no grid fits well enough to be trusted. The message says what was found instead, and what would help.
    ValueError
        If the image does not have three channels.

    Notes
    -----
    Propose, refine, verify: the first kind of hypotheses of which one is certain ends the search. Of several boards
    it is the one with the largest squares among those that overlap it or that `find_additional_boards` finds.
    """
    _check_size(image_bgr.shape)
    pyramid = ImagePyramid.of(image_bgr)
    if min(pyramid.fine_bgr.shape[:2]) < SETTINGS.min_side_px:
        raise BoardNotFoundError(
            f"no board found: the picture is a strip of {image_bgr.shape[1]} x {image_bgr.shape[0]} px, too narrow "
            "for its length; cut out the part that shows the board"
        )
    search = _Search(
        pyramid, LayoutClasses.from_layout(layout), effort if allow_uncertain else Effort.THOROUGH
    )
    search.run()
    found = search.found
    if not search.has_accepted:
        return _uncertain_detection(search, allow_uncertain)
    found = found + find_additional_boards(
        pyramid, search.classes, found, may_be_larger=search.is_missed_by_network
    )
    largest = max(found, key=lambda board: board.size_px)
    chosen = largest if largest.size_px > MIN_LARGER_RATIO * found[0].size_px else found[0]
    _check_elevation(chosen)
    return BoardDetection(
        grid=_upright_grid(chosen, search.classes),
        status=DetectionStatus.VERIFIED,
        n_others=len(found) - 1,
        pyramid=pyramid,
        may_improve=search.effort is Effort.FAST,
    )


def _check_size(shape: tuple[int, ...]) -> None:
    if len(shape) != 3 or shape[2] != 3:
        raise ValueError(f"image: expected shape (height, width, 3), got {shape}")
    if min(shape[:2]) < SETTINGS.min_side_px:
        raise BoardNotFoundError(
            f"no board found: the picture is {shape[1]} x {shape[0]} px, a board needs "
            f"{SETTINGS.min_side_px} px at least and 300 px to be read; take a larger picture"
        )


@dataclass(slots=True, eq=False)
class _Search:
    """State of a search: passes are run in order until a board is accepted.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    classes : LayoutClasses
        The layout as printed.
    effort : Effort
        Whether to stop at a board that a refit may confirm.
    """

    pyramid: ImagePyramid
    classes: LayoutClasses
    effort: Effort
    found: list[FittedGrid] = field(default_factory=list)
    """The best board so far first, then others that do not overlap it."""
    stopped_early: bool = False
    """Whether the best board is left to a refit, so that the remaining passes are skipped."""
    is_missed_by_network: bool = False
    """Whether the corner network found no board, or was not asked first, as in a thorough search."""
    fine_pyramid: ImagePyramid | None = None
    """The image at the fine scale, once that was searched."""
    _generator: HypothesisGenerator = field(init=False)
    _fitter: HypothesisFitter = field(init=False)

    def __post_init__(self) -> None:
        self._generator = HypothesisGenerator(self.pyramid, self.classes)
        self._fitter = HypothesisFitter(self.pyramid, self.effort)

    @property
    def has_accepted(self) -> bool:
        """Whether the best board is accepted."""
        return bool(self.found) and self.found[0].scores.is_accepted

    def run(self) -> None:
        """Run the passes that are needed, in order, and keep the best result."""
        passes: tuple[tuple[Callable[[], bool], Callable[[], list[FittedGrid]]], ...] = (
            (lambda: True, self.search_usual_kinds),
            (self.may_be_small, self.search_fine_scale),
            (self.has_fine_scale, self.search_parts),
        )
        for is_needed, search in passes:
            if not is_needed():
                continue
            found = search()
            if found and (not self.found or found[0].scores.rank > self.found[0].scores.rank):
                self.found = found
            if self.has_accepted or self.stopped_early:
                return

    def search_usual_kinds(self) -> list[FittedGrid]:
        """Try the usual kinds of hypotheses."""
        is_fast = self.effort is Effort.FAST
        kinds = self._generator.kinds(self.effort)
        untried = iter(kinds)
        found = search_kinds(self._fitter.fit_kinds(untried), stop_early=is_fast)
        self.is_missed_by_network = not is_fast or len(list(untried)) < len(kinds) - 1
        self.stopped_early = is_fast and bool(found) and found[0].scores.is_rejected_by_colour_only
        return found

    def may_be_small(self) -> bool:
        """Whether the best board has small squares, or none was found."""
        if not self.found:
            return True
        scale = float(self.pyramid.coarse_from_image[0, 0])
        is_large = self.found[0].size_px * scale > SETTINGS.large_cell_px
        return not (is_large and self.found[0].scores.is_worth_refining)

    def search_fine_scale(self) -> list[FittedGrid]:
        """Try the kinds of hypotheses that find more at the fine scale."""
        self.fine_pyramid = self.pyramid.at_fine_scale()
        if self.fine_pyramid is None:
            return []
        generator = HypothesisGenerator(self.fine_pyramid, self.classes)
        return search_kinds(HypothesisFitter(self.fine_pyramid).fit_kinds(generator.closer_kinds()))

    def has_fine_scale(self) -> bool:
        """Whether the image shows more at the fine scale."""
        return self.fine_pyramid is not None

    def search_parts(self) -> list[FittedGrid]:
        """Search textured parts of the image; the result is empty unless a board is accepted."""
        side = max(self.pyramid.fine_bgr.shape[:2])
        min_side_px = SETTINGS.min_small_board_share * side / float(self.pyramid.fine_from_image[0, 0])
        for part_bgr, image_from_part in textured_parts(self.pyramid, min_side_px, ()):
            if max(part_bgr.shape[:2]) > SETTINGS.max_part_share * side:
                continue  # no closer than before
            pyramid = ImagePyramid.of(part_bgr)
            generator = HypothesisGenerator(pyramid, self.classes)
            found = search_kinds(HypothesisFitter(pyramid).fit_kinds(generator.kinds()))
            if found and found[0].scores.is_accepted:
                return [
                    replace(board, image_from_grid=image_from_part @ board.image_from_grid) for board in found
                ]
        return []


def search_kinds(kinds: Iterable[Iterator[FittedGrid]], *, stop_early: bool = False) -> list[FittedGrid]:
    """Find the largest certain board and the others next to it, or else the best hypothesis alone.

    Parameters
    ----------
    kinds : iterable of iterators of FittedGrid
        Fitted hypotheses, kind by kind. The first kind with a certain one is the last that is tried.
    stop_early : bool
        End as well at an accepted hypothesis, or one that only its squares' colours contradict.
    """
    best: FittedGrid | None = None
    for kind in kinds:
        certain: list[FittedGrid] = []
        for fitted in kind:
            if best is None or fitted.scores.rank > best.scores.rank:
                best = fitted
            if fitted.scores.verdict is Verdict.CERTAIN:
                certain.append(fitted)
        if certain:
            largest = max(certain, key=lambda board: board.size_px)
            # Of boards of about one size, take the first, which shows best.
            chosen = next(board for board in certain if board.size_px * MIN_LARGER_RATIO > largest.size_px)
            others = [board for board in certain if not chosen.contains(board.corners_px.mean(axis=0))]
            return [chosen, *others]
        if best is None:
            continue
        if stop_early and (best.scores.is_accepted or best.scores.is_rejected_by_colour_only):
            break  # a refit after reading decides
    return [] if best is None else [best]


def _uncertain_detection(search: _Search, allow_uncertain: bool) -> BoardDetection:
    """Return the plausible board, or the good lines, that the search ended with, or raise."""
    best = search.found[0] if search.found else None
    # it takes 10 ms, and most boards are read all the same
    explain = functools.partial(
        failure_reason, search.pyramid.coarse_bgr, None if best is None else best.scores
    )
    may_be_board = best is not None and (
        best.scores.verdict >= Verdict.PLAUSIBLE or best.scores.has_good_lines
    )
    if best is None or not allow_uncertain or not may_be_board:
        raise BoardNotFoundError(explain(), tried_px=None if best is None else best.corners_px)
    _check_elevation(best)
    return BoardDetection(
        grid=_upright_grid(best, search.classes),
        status=DetectionStatus.UNCERTAIN,
        explain=explain,
        tried_px=best.corners_px,
        pyramid=search.pyramid,
        may_improve=search.stopped_early,
    )


def _check_elevation(board: FittedGrid) -> None:
    """Reject a board that is seen too obliquely to be read, however well its lines fit."""
    sides = cell_sides(board.image_from_grid, board.classes.centre)
    longest, shortest = np.linalg.svd(sides, compute_uv=False)
    degrees = float(np.rad2deg(np.arcsin(min(1.0, shortest / longest))))
    if degrees < SETTINGS.min_elevation_deg:
        raise BoardNotFoundError(
            f"no board found: the board is seen from about {degrees:.0f} degrees above the table, "
            f"{SETTINGS.min_elevation_deg:.0f} at least are needed; look more from above",
            tried_px=board.corners_px,
        )


def _upright_grid(board: FittedGrid, classes: LayoutClasses) -> Grid:
    """Name the grid from the side that is closest to upright in the image, of those that the layout allows."""
    choices = []
    for turn in range(4):
        if np.array_equal(classes.rotate(turn).classes, board.classes.classes):
            corners = np.roll(board.corners_px, -turn, axis=0)
            top = corners[1] - corners[0] + corners[2] - corners[3]
            choices.append((float(top[0] / np.hypot(*top)), turn, corners))
    corners = max(choices, key=lambda choice: choice[:2])[2]
    try:
        return Grid.from_corners(corners, classes.rows, classes.columns, fit=board.scores.edge_share)
    except SettingsError as error:
        raise BoardNotFoundError(
            "no board found: what was found is no flat board; look more from above, and show the whole board"
        ) from error
