"""Composes one photo: open, locate, rectify, read, decode.

Stages are imported here and by what composes a film; they do not import one another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring import Board, Edition, Lexicon
from vision.capture import Frame, open_picture
from vision.core import Grid, Occupancy, RectifiedBoard, SquareProbabilities, Stopwatch
from vision.decoding import DecodedBoard, DoubtReason, compare_with_empty_board, decode, resolve_blanks
from vision.detection import (
    BoardDetection,
    DetectionStatus,
    Effort,
    ImagePyramid,
    ResidualDistortion,
    detect_boards,
    measure_residual_distortion,
    needs_refit,
    refit_grid,
)
from vision.errors import BoardNotFoundError
from vision.pipeline.camera import CameraDetection, CameraModel
from vision.pipeline.checks import check_exposure
from vision.profile import Profile
from vision.recognition import OrientedReading, SquareReader, resolve_orientation
from vision.rectification import rectify_at_tile_height

__all__ = ["PhotoReading", "read_frame", "read_photo"]


CLEAR_FIT = 0.9
"""Share of edges found from which what lies on the board cannot have pulled the grid away."""

FRAMED_WITHIN_CELLS = 0.08
"""So far beside its square a cell may be cut out, and is read alike."""


@dataclass(frozen=True, slots=True, eq=False)
class PhotoReading:
    """A photo's board and all that it was made from.

    Parameters
    ----------
    frame : Frame
        The picture.
    grid : Grid
        Where the board lies in it, letters upright.
    rectified : RectifiedBoard
        The straightened board.
    reading : BoardReading
        What the reader saw on each square.
    decoded : DecodedBoard
        What was decided.
    stage_ms : mapping of str to float
        Milliseconds a stage; ``total`` includes opening the picture where that was timed.
    photo_corners_px : (4, 2) float64
        The grid's outer corners TL TR BR BL in the photo as it was opened; with a lens's profile `frame` is straight
        and no longer that.
    other_boards : int
        How many more boards are in view; the largest was read.
    turn_is_guess : bool
        Whether no letters say which side of the board is up, so that it may be named from another one.
    bow : Bow or None
        How far the board's lines bow or break beside the grid; None where too few of them show to tell.
    """

    frame: Frame
    grid: Grid
    rectified: RectifiedBoard
    reading: SquareProbabilities
    decoded: DecodedBoard
    stage_ms: Mapping[str, float]
    photo_corners_px: NDArray[np.float64]
    other_boards: int = 0
    turn_is_guess: bool = False
    bow: ResidualDistortion | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A board that was found and looked at, before it is decided what lies on it.

    Parameters
    ----------
    sighted : CameraDetection
        Where it seemed to lie at first.
    views : Views
        The picture as it was searched.
    grid : Grid
        Where it lies, letters upright.
    look : Look
        The straightened board, and what was read on it.
    turn_is_guess : bool
        Whether no letters say which side is up.
    """

    sighted: CameraDetection
    views: ImagePyramid
    grid: Grid
    look: OrientedReading
    turn_is_guess: bool


def read_photo(
    path: Path,
    edition: Edition,
    reader: SquareReader,
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
    lexicon: Lexicon | None = None,
    profile: Profile | None = None,
) -> PhotoReading:
    """The board in a picture file.

    Parameters
    ----------
    path : Path
        The picture.
    edition : Edition
        Which letters there are, how many of each, and the board's layout.
    reader : SquareReader
        What reads the cells.
    corners_px : four (x, y), optional
        The grid's outer corners TL TR BR BL as the letters read; localisation is skipped.
    lexicon : Lexicon, optional
        Words that settle doubts, and name a blank where only one word fits.
    profile : Profile, optional
        What is known of the lens, and of where the board lies.

    Raises
    ------
    InputError
        If the file cannot be read.
    BoardNotFoundError
        If no board is found in it.
    SettingsError
        If the corners make no sense.
    """
    watch = Stopwatch()
    with watch.stage("decode"):
        frame = open_picture(path)
    return read_frame(
        frame,
        edition,
        reader,
        corners_px=corners_px,
        lexicon=lexicon,
        watch=watch,
        profile=profile,
    )


def read_frame(
    frame: Frame,
    edition: Edition,
    reader: SquareReader,
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
    before: Board | None = None,
    lexicon: Lexicon | None = None,
    watch: Stopwatch | None = None,
    profile: Profile | None = None,
    edition_of: Callable[[SquareProbabilities], Edition] | None = None,
) -> PhotoReading:
    """The board in an opened picture; `before` is the board that stood there at the last look.

    Where `edition_of` is given, it names the edition by which is decided when the squares are read; `edition` then
    says only what the board looks like.
    """
    watch = watch or Stopwatch()

    def sight(effort: Effort) -> CameraDetection:
        with watch.stage("locate"):
            return sighted_in(frame, edition, corners_px, profile, effort)

    def look_closely(sighted: CameraDetection) -> Seen:
        return seen_closely(sighted, edition, reader, watch, before, given=corners_px is not None)

    sighted = sight(Effort.FAST)
    try:
        seen = look_closely(sighted)
    except BoardNotFoundError:
        if not sighted.detection.may_improve:
            raise
        seen = look_closely(sight(Effort.THOROUGH))
    straight, grid, (rectified, reading) = seen.sighted.frame, seen.grid, seen.look
    with watch.stage("read"):
        if profile is not None and profile.board is not None:
            reading = compare_with_empty_board(reading, rectified, profile.board.empty_bgr)
        if edition_of is not None:
            edition = edition_of(reading)
        decoded = decode(reading, edition, before=before, lexicon=lexicon)
    if lexicon is not None:
        with watch.stage("read"):
            board = resolve_blanks(decoded.board, edition, lexicon, unsure=letters_in_doubt(decoded))
            decoded = replace(decoded, board=board)
    with watch.stage("locate"):
        bow = measure_residual_distortion(seen.views, grid, edition.layout, squares_in_use(reading))
    stage_ms = {**watch.stage_ms, "total": watch.total_ms}
    return PhotoReading(
        frame=straight,
        grid=grid,
        rectified=rectified,
        reading=reading,
        decoded=decoded,
        stage_ms=stage_ms,
        photo_corners_px=seen.sighted.in_photo(grid.corners_px),
        other_boards=seen.sighted.detection.n_others,
        turn_is_guess=seen.turn_is_guess,
        bow=bow,
    )


def sighted_in(
    frame: Frame,
    edition: Edition,
    corners_px: Sequence[Sequence[float]] | None,
    profile: Profile | None,
    effort: Effort,
) -> CameraDetection:
    """Where a board seems to lie: as given, as its camera's profile says, or anywhere in the photo."""
    layout = edition.layout
    given = (
        None
        if corners_px is None
        else Grid.from_user_corners(corners_px, layout.rows, layout.columns, frame.size_px)
    )
    if profile is not None and profile.depends_on_size:
        height, width = frame.image_bgr.shape[:2]
        sight = CameraModel.of(profile, (width, height))
        return sight.find(frame, edition.layout, corners_px, effort=effort, allow_uncertain=True)
    if given is not None:
        return CameraDetection(
            frame=frame, detection=BoardDetection(grid=given, status=DetectionStatus.GIVEN)
        )
    found = detect_boards(frame.image_bgr, edition.layout, effort=effort, allow_uncertain=True)
    return CameraDetection(frame=frame, detection=found)


def seen_closely(
    sighted: CameraDetection,
    edition: Edition,
    reader: SquareReader,
    watch: Stopwatch,
    before: Board | None,
    *,
    given: bool,
) -> Seen:
    """What is read on a board and, by that, where exactly it lies and which side of it is up.

    Raises
    ------
    BoardNotFoundError
        If nothing can be read there, or what is read leaves it in doubt whether and where a board lies.
    """
    image_bgr, rough = sighted.frame.image_bgr, sighted.grid
    with watch.stage("read"):
        look = looked_at(image_bgr, rough, reader)
        if not given:
            check_exposure(look.rectified, look.reading)
    with watch.stage("locate"):
        views, grid = sighted.detection.pyramid or ImagePyramid.of(image_bgr), rough
        unsure = not sighted.detection.is_certain
        if sighted.detection.is_searched and (unsure or grid.fit < CLEAR_FIT):
            hidden = squares_in_use(look.reading)
            if unsure or needs_refit(views, rough, edition.layout, hidden):
                grid = refit_grid(views, rough, edition.layout, hidden, uncertain=unsure)
    if grid is not rough:
        off_px = np.linalg.norm(grid.corners_px - rough.corners_px, axis=1).max()
        if off_px > FRAMED_WITHIN_CELLS * grid.cell_px:
            with watch.stage("read"):
                look = looked_at(image_bgr, grid, reader)
    if given:
        return Seen(sighted=sighted, views=views, grid=grid, look=look, turn_is_guess=False)
    with watch.stage("read"):
        first = look.rectified
        side = resolve_orientation(look, lambda turn: read_look(first.rotate(turn), reader), before)
        upright = grid.rotate(side.turn)
    if not (sighted.detection.is_certain or side.sure) and upright.fit < CLEAR_FIT:
        raise sighted.detection.error()
    return Seen(sighted=sighted, views=views, grid=upright, look=side.look, turn_is_guess=not side.sure)


def squares_in_use(reading: SquareProbabilities) -> NDArray[np.bool_]:
    """(rows, columns) where something lies on the board, as far as was read."""
    return np.asarray(reading.occupancy[..., Occupancy.EMPTY] < 0.5)


def looked_at(image_bgr: NDArray[np.uint8], grid: Grid, reader: SquareReader) -> OrientedReading:
    """The board straightened, and what the reader saw of it."""
    return read_look(rectify_at_tile_height(image_bgr, grid, reader), reader)


def read_look(rectified: RectifiedBoard, reader: SquareReader) -> OrientedReading:
    """A straightened board, and what the reader saw of it."""
    return OrientedReading(rectified, reader.read(rectified))


def letters_in_doubt(decoded: DecodedBoard) -> frozenset[tuple[int, int]]:
    """The squares where another letter is likely too."""
    return frozenset(
        (doubt.row, doubt.column) for doubt in decoded.doubts if doubt.reason is DoubtReason.UNSURE
    )
