"""Read the board in one photo: detect, rectify, read, refit, orient, decode."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring import Board, Edition, Layout, Lexicon
from vision.capture import Frame, open_picture
from vision.core import (
    DecodedBoard,
    DoubtReason,
    Grid,
    Occupancy,
    SquareProbabilities,
    Stopwatch,
    connected_groups,
    corner_order_error,
    find_squares_outside,
    mirror_corners,
    rescale_pixels,
    runs_counterclockwise,
    squares_in,
    swap_sides,
)
from vision.decoding import compare_with_empty_board, decode, resolve_blanks
from vision.detection import (
    BoardDetection,
    DetectionStatus,
    Effort,
    ImagePyramid,
    measure_residual_distortion,
    needs_refit,
    refit_grid,
)
from vision.errors import BoardNotFoundError, PictureMismatchError, VisionError
from vision.observation import BoardObservation
from vision.pipeline.camera import CameraDetection, CameraModel
from vision.pipeline.checks import check_exposure, find_burnt_squares
from vision.pipeline.displaced_tiles import read_unclear_tiles
from vision.pipeline.extent import continues_outside, cover_squares
from vision.pipeline.hard_light import read_in_hard_light
from vision.pipeline.recognizers import GameContext
from vision.pipeline.straightening import axis_of, estimate_lens, is_straighter
from vision.profile import Lens
from vision.recognition import (
    PRINT_CELL_PX,
    OrientedReading,
    is_mirrored,
    orient_by_print,
    resolve_orientation,
)
from vision.rectification import read_board, rectify

__all__ = ["read_photo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoSettings:
    """When a board is fitted or read a second time. All values are chosen."""

    min_clear_fit: float = 0.9
    """Share of edges found, from which on what is on the board cannot have pulled the grid away."""
    max_crop_offset_cells: float = 0.08
    """Misalignment of a crop that does not change what is read; a smaller correction of the grid needs no new read."""
    min_reduced_cell_px: float = 32.0
    """Cell size in a reduced picture below which all pixels are read. Of 430 rendered boards with cells of 64 px, 406
    were right with half of the pixels a side (408); of 60 with 56 px, 56 were (59)."""
    min_lines: float = 0.7
    """Share of edges found from which a board is read whose premium squares are not recognised. Of 43 such grids, on
    rendered boards without colours and on games on a screen, all were right; of 14 with fewer edges five were not."""
    min_letters: int = 10
    """Letters that such a board must show."""
    min_letter_probability: float = 0.97
    """Their mean probability at least; 0.975 on the worst of those boards."""
    min_sure: float = 0.95
    """Probability of what is on a square from which it is sure."""
    min_sure_share: float = 0.85
    """Share of sure squares of such a board; 0.93 at least on those boards."""
    hidden_by_glare: float = 0.2
    """Probability that glare hides what lies on a square that looks empty. That of a lamp on a glossy board hides
    nothing, that of a flash on tiles does."""
    max_straightenings: int = 3
    """How often a board whose lines bow is read again: a strong distortion is measured with a grid that hardly fits."""


SETTINGS = PhotoSettings()


def read_photo(
    picture: Path | str | Frame,
    context: GameContext,
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
    prior_board: Board | None = None,
    choose_edition: Callable[[SquareProbabilities], Edition] | None = None,
    stopwatch: Stopwatch | None = None,
) -> BoardObservation:
    """Read the board in a photo.

    Parameters
    ----------
    picture : Path, str or Frame
        The picture file, or the opened picture.
    context : GameContext
        The edition, the recognizer, and what is known of words and camera.
    corners_px : four (x, y), optional
        The grid's outer corners TL TR BR BL as the letters read, in pixels of the photo; detection is skipped.
    prior_board : Board, optional
        The board at the last read.
    choose_edition : callable, optional
        Gives the edition by which the squares are decoded, from what was read on them. `context.edition` then only
        gives the board's layout.
    stopwatch : Stopwatch, optional
        Measures the stages; a new one by default.

    Returns
    -------
    BoardObservation
        The decided board and every intermediate result.

    Raises
    ------
    InputError
        If the file cannot be read.
    BoardNotFoundError
        If no board is found in it. The corners of what was refused are in pixels of the picture as it was given.
    SettingsError
        If the corners make no sense.
    PictureMismatchError
        If the corners do not fit the picture, or the profile is for pictures of another shape. Corners that run
        counterclockwise are those of a mirrored picture.

    Notes
    -----
    The first pass ends detection early, with a grid that may be uncertain: reading the squares, and fitting the grid
    again with the occupied ones masked, mostly decides. Only where that is refused, the second pass searches fully.
    A photo that is refused, or has uncertain squares in uneven light, is read again with its shade brightened. The
    reading with fewer expected errors is returned, and squares that brightening changed are in doubt.
    """
    stopwatch = stopwatch or Stopwatch()
    if isinstance(picture, Path | str):
        with stopwatch.stage("decode"):
            picture = open_picture(Path(picture))
    asked = picture
    profile = context.profile
    if corners_px is not None or (profile is not None and profile.depends_on_size):
        picture = _with_all_pixels(picture, stopwatch)
    clockwise_px = corners_px
    if corners_px is not None and runs_counterclockwise(corners_px):
        clockwise_px = swap_sides(corners_px).tolist()
    given = _Request(
        context=context,
        corners_px=clockwise_px,
        prior_board=prior_board,
        choose_edition=choose_edition,
        stopwatch=stopwatch,
    )
    found = _read_version(picture, given, asked)
    if picture.reduction is not None and found.grid.cell_px < SETTINGS.min_reduced_cell_px:
        picture = _with_all_pixels(picture, stopwatch)
        found = _read_version(picture, given, asked)
    if found.is_mirrored:
        picture, given = picture.mirror(), given.mirror(picture.size_px[0])
        found = replace(_read_version(picture, given, asked, in_mirror=True), is_mirrored=True)
    # a measured lens is better than an estimated one, and a measured empty board is as bent as the photo
    if profile is None or (profile.lens is None and profile.board is None):
        found = _straighten(picture, found, given)
    if corners_px is not None and clockwise_px is not corners_px and not found.is_mirrored:
        raise PictureMismatchError(str(corner_order_error(corners_px)))
    # of every reading, also of those that were refused
    return replace(found, stage_ms={**stopwatch.stage_ms, "total": stopwatch.total_ms})


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Request:
    """What `read_photo` was asked for, besides the picture."""

    context: GameContext
    corners_px: Sequence[Sequence[float]] | None
    prior_board: Board | None
    choose_edition: Callable[[SquareProbabilities], Edition] | None
    stopwatch: Stopwatch
    lens: Lens | None = None

    def mirror(self, width_px: int) -> _Request:
        """Return the request for the mirrored picture."""
        if self.corners_px is None:
            return self
        return replace(self, corners_px=mirror_corners(self.corners_px, width_px).tolist())


def _straighten(picture: Frame, found: BoardObservation, given: _Request) -> BoardObservation:
    """Read a board whose lines bow again, without the distortion of the lens that they show."""
    for _ in range(SETTINGS.max_straightenings):
        lens = estimate_lens(picture, found)
        if lens is None:
            break
        try:
            straighter = _read_frame(picture, replace(given, lens=lens))
        except VisionError:
            break
        if not is_straighter(straighter, found):
            break
        found = replace(straighter, is_mirrored=found.is_mirrored)
    return found


def _with_all_pixels(frame: Frame, stopwatch: Stopwatch) -> Frame:
    """Open a reduced picture with all its pixels."""
    if frame.reduction is None:
        return frame
    with stopwatch.stage("decode"):
        return frame.with_all_pixels()


def _read_version(
    picture: Frame, given: _Request, asked: Frame, *, in_mirror: bool = False
) -> BoardObservation:
    """Read the photo `asked` with more pixels or in the mirror; a refusal's corners are in pixels of `asked`."""

    def in_asked(points_px: NDArray[np.float64]) -> NDArray[np.float64]:
        if in_mirror:
            points_px = mirror_corners(points_px, picture.size_px[0])
        if asked.reduction is not None and picture.reduction is None:
            points_px = rescale_pixels(points_px, 1 / asked.reduction.factor)
        return points_px

    try:
        return _read_frame(picture, given)
    except BoardNotFoundError as refusal:
        raise refusal.convert(in_asked) from None


def _read_frame(picture: Frame, given: _Request) -> BoardObservation:
    """Read the board in a frame in the light as it is and, where that is hard, also without shade."""
    layout = given.context.edition.layout
    return read_in_hard_light(picture, layout, lambda frame: _read_pixels(frame, given), given.stopwatch)


def _read_pixels(picture: Frame, given: _Request) -> BoardObservation:
    """Read the board in a frame as it is; the result says whether the frame is mirrored."""
    context, stopwatch = given.context, given.stopwatch
    located, pyramid, oriented, shows_layout = _locate_and_orient(picture, given)
    reading, layout = oriented.reading, context.edition.layout
    frame = located.frame
    outside = find_squares_outside(reading.grid, frame.size_px, undistortion=frame.undistortion)
    burnt = find_burnt_squares(reading.rectified, reading.probabilities)
    probabilities = cover_squares(reading.probabilities, burnt, SETTINGS.hidden_by_glare)
    probabilities = cover_squares(probabilities, outside)
    empty_board = context.profile.board if context.profile is not None else None
    is_same_size = empty_board is None or (empty_board.rows, empty_board.columns) == layout.size
    with stopwatch.stage("read"):
        if empty_board is not None and is_same_size:
            probabilities = compare_with_empty_board(probabilities, reading.rectified, empty_board.empty_bgr)
        edition, decoded = _decide(probabilities, given)
        clearer = read_unclear_tiles(
            probabilities, decoded, frame.image_bgr, reading.grid, context.recognizer, edition.tokens
        )
        if clearer is not probabilities:
            probabilities = clearer
            _, decoded = _decide(probabilities, given)
    with stopwatch.stage("locate"):
        distortion = measure_residual_distortion(
            pyramid, reading.grid, layout, occupied_squares(probabilities), axis_of(located.view)
        )
    # from near the table, a height that is off by a square shifts all tiles
    may_be_shifted = len(reading.planes) > 1 and any(
        doubt.reason is DoubtReason.START for doubt in decoded.doubts
    )
    return BoardObservation(
        frame=frame,
        grid=reading.grid,
        # one plane: the others are made from the picture when they are read, which cannot be pickled
        get_rectified=functools.partial(
            operator.attrgetter("rectified"), replace(reading, planes=reading.planes[:1])
        ),
        probabilities=probabilities,
        decoded=decoded,
        is_orientation_certain=oriented.is_certain,
        other_boards=located.detection.n_others,
        residual_distortion=distortion,
        is_height_uncertain=reading.is_height_uncertain or may_be_shifted,
        squares_outside=int(outside.sum()),
        has_more_squares=located.detection.is_searched and continues_outside(pyramid, reading.grid),
        is_profile_of_other_size=not is_same_size,
        is_mirrored=oriented.is_mirrored,
        view=located.view,
        shows_layout=shows_layout,
    )


def _decide(probabilities: SquareProbabilities, given: _Request) -> tuple[Edition, DecodedBoard]:
    """Return the edition of a board, which its tiles may show, and the board that is decided by it."""
    context = given.context
    edition = context.edition if given.choose_edition is None else given.choose_edition(probabilities)
    return edition, decode_board(probabilities, edition, context.lexicon, given.prior_board)


def _locate_and_orient(
    picture: Frame, given: _Request
) -> tuple[CameraDetection, ImagePyramid, OrientedReading, bool]:
    """Find the board and read it from the side that is up; the flag says whether its premium squares are recognised."""
    for effort in (Effort.FAST, Effort.THOROUGH):
        with given.stopwatch.stage("locate"):
            located = locate_board(picture, given, effort)
            pyramid = located.detection.pyramid or ImagePyramid.of(located.frame.image_bgr)
        try:
            return located, pyramid, _read_located(located, pyramid, given), True
        except BoardNotFoundError as error:
            refusal = error.convert(located.in_photo)
        if not located.detection.may_improve:
            break
    return located, pyramid, _read_on_lines(located, given, refusal), False


def locate_board(frame: Frame, given: _Request, effort: Effort) -> CameraDetection:
    """Find the board where it is given, where the camera's profile says, or anywhere in the photo."""
    profile, layout, corners_px = given.context.profile, given.context.edition.layout, given.corners_px
    camera = CameraModel(lens=given.lens, corners_px=None)
    if profile is not None and profile.depends_on_size:
        camera = CameraModel.of(profile, frame.size_px)
    return camera.find(frame, layout, corners_px, effort=effort, allow_uncertain=True)


def _read_located(located: CameraDetection, pyramid: ImagePyramid, given: _Request) -> OrientedReading:
    """Read a board, fit its grid with the occupied squares masked, and name it from the side that is up.

    Raises BoardNotFoundError, with corners in pixels of `located.frame`, where what is read leaves it uncertain
    whether, and where exactly, there is a board.
    """
    image_bgr, detected = located.frame.image_bgr, located.grid
    layout, recognizer, stopwatch = given.context.edition.layout, given.context.recognizer, given.stopwatch
    with stopwatch.stage("read"):
        reading = read_board(image_bgr, detected, recognizer)
    if located.detection.status is DetectionStatus.GIVEN:
        is_reversed = is_mirrored(reading, recognizer)
        return OrientedReading(reading=reading, quarter_turns=0, is_certain=True, is_mirrored=is_reversed)
    check_exposure(reading.rectified, reading.probabilities)
    with stopwatch.stage("locate"):
        grid = _refit(located.detection, pyramid, layout, occupied_squares(reading.probabilities))
    moved_px = np.linalg.norm(grid.corners_px - detected.corners_px, axis=1).max()
    with stopwatch.stage("read"):
        if moved_px > SETTINGS.max_crop_offset_cells * grid.cell_px:
            reading = read_board(image_bgr, grid, recognizer)
        else:
            reading = replace(reading, grid=grid)
        oriented = resolve_orientation(reading, recognizer, given.prior_board)
        oriented = replace(oriented, is_mirrored=is_mirrored(oriented.reading, recognizer))
    is_board = located.detection.is_certain or oriented.is_certain or oriented.is_mirrored
    if not is_board and grid.fit < SETTINGS.min_clear_fit:
        raise located.detection.error()
    with stopwatch.stage("read"):
        return orient_by_print(
            oriented, recognizer, layout, lambda grid: rectify(image_bgr, grid, PRINT_CELL_PX, 0)
        )


def _read_on_lines(located: CameraDetection, given: _Request, refusal: BoardNotFoundError) -> OrientedReading:
    """Read a board whose premium squares are not recognised, if its lines and letters are clear; else raise.

    The letters of a game are connected, those of a crossword that somebody began are not.
    """
    if located.detection.is_certain or located.grid.fit < SETTINGS.min_lines:
        raise refusal
    recognizer = given.context.recognizer
    with given.stopwatch.stage("read"):
        reading = read_board(located.frame.image_bgr, located.grid, recognizer)
        check_exposure(reading.rectified, reading.probabilities)
        oriented = resolve_orientation(reading, recognizer, given.prior_board)
        # the mirrored picture is read next, and must show a game
        if is_mirrored(oriented.reading, recognizer):
            return replace(oriented, is_mirrored=True)
    seen = oriented.reading.probabilities
    letters = seen.letters[seen.shows_letter].max(axis=-1)
    sure_share = float((seen.occupancy.max(axis=-1) > SETTINGS.min_sure).mean())
    if (
        oriented.is_certain
        and len(letters) >= SETTINGS.min_letters
        and letters.mean() > SETTINGS.min_letter_probability
        and sure_share > SETTINGS.min_sure_share
        and len(connected_groups(squares_in(occupied_squares(seen)))) == 1
    ):
        return oriented
    raise refusal


def _refit(
    detection: BoardDetection, pyramid: ImagePyramid, layout: Layout, occupied: NDArray[np.bool_]
) -> Grid:
    """Fit the grid again with the occupied squares masked, where they may have pulled it away."""
    grid, uncertain = detection.grid, not detection.is_certain
    if not detection.is_searched or not (uncertain or grid.fit < SETTINGS.min_clear_fit):
        return grid
    if not (uncertain or needs_refit(pyramid, grid, layout, occupied)):
        return grid
    return refit_grid(pyramid, grid, layout, occupied, uncertain=uncertain)


def decode_board(
    probabilities: SquareProbabilities,
    edition: Edition,
    lexicon: Lexicon | None = None,
    prior_board: Board | None = None,
) -> DecodedBoard:
    """Decide the board, and name blanks where only one word of the lexicon fits."""
    decoded = decode(probabilities, edition, prior_board=prior_board, lexicon=lexicon)
    if lexicon is None:
        return decoded
    board = resolve_blanks(decoded.board, edition, lexicon, uncertain=decoded.alternatives)
    return replace(decoded, board=board)


def occupied_squares(probabilities: SquareProbabilities) -> NDArray[np.bool_]:
    """(rows, columns) squares that are more probably occupied or covered than empty."""
    return np.asarray(probabilities.occupancy[..., Occupancy.EMPTY] < 0.5)
