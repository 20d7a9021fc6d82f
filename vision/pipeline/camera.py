"""Use a calibrated camera: undistorted pictures, and the board where it was calibrated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring import Layout
from vision.capture import Frame, Interruption
from vision.core import Grid, Undistortion, rescale_pixels
from vision.detection import (
    BoardDetection,
    DetectionStatus,
    Effort,
    ImagePyramid,
    detect_boards,
    track_grid,
)
from vision.errors import BoardNotFoundError
from vision.profile import Lens, Profile, UndistortedView

__all__ = ["CameraDetection", "CameraModel", "calibrated_frames"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraSettings:
    """Sizes of undistorted pictures. All values are chosen."""

    search_px: int = 800
    """Longest side of a photo in which a board is searched."""
    video_px: int = 1280
    """Longest side of a video's frames."""
    wanted_cell_px: float = 48.0
    """Side of a cell below which the board is undistorted again, larger, where the photo shows more: that of the
    network that reads tiles."""


SETTINGS = CameraSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CameraDetection:
    """A board that was found in a photo, with or without a calibrated camera.

    Parameters
    ----------
    frame : Frame
        The picture to read: undistorted where the lens is known.
    detection : BoardDetection
        The board in `frame`.
    view : UndistortedView or None
        How `frame` was made from the photo; None where it is the photo.
    """

    frame: Frame
    detection: BoardDetection
    view: UndistortedView | None = None

    @property
    def grid(self) -> Grid:
        """The board's grid in `frame`."""
        return self.detection.grid

    def in_photo(self, points_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Project pixels of `frame`, (n, 2), to pixels of the photo."""
        return points_px if self.view is None else self.view.to_photo(points_px)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CameraModel:
    """What a profile says about pictures of one size.

    Parameters
    ----------
    lens : Lens or None
        The lens, for pictures of this size.
    corners_px : (4, 2) float64 or None
        The board's corners in a photo, if camera and board stay where they are.
    """

    lens: Lens | None
    corners_px: NDArray[np.float64] | None

    @classmethod
    def of(
        cls, profile: Profile, size_px: tuple[int, int], notify: Callable[[str], None] | None = None
    ) -> CameraModel:
        """Adapt a profile to pictures of a size.

        Parameters
        ----------
        profile : Profile
            The profile.
        size_px : (width, height)
            Size of the pictures.
        notify : callable, optional
            Gets one line where the profile is adapted to the size.

        Raises
        ------
        PictureMismatchError
            If the profile was made for pictures of another shape.
        """
        scale = profile.scale_for(size_px)
        if scale != 1.0 and notify is not None and profile.size_px is not None:
            made = "x".join(map(str, profile.size_px))
            notify(
                f"{profile.name}: made for pictures of {made} px, adapted to {size_px[0]}x{size_px[1]}; "
                "calibrate at this size to be sure"
            )
        lens = None if profile.lens is None else profile.lens.lens.rescale(size_px)
        corners = None if profile.board is None else profile.board.corners_px
        if corners is not None:
            corners = rescale_pixels(corners, scale)
        return cls(lens=lens, corners_px=corners)

    def find(
        self,
        frame: Frame,
        layout: Layout,
        given_px: Sequence[Sequence[float]] | None = None,
        *,
        effort: Effort = Effort.THOROUGH,
        allow_uncertain: bool = False,
    ) -> CameraDetection:
        """Find the board in a photo: where it is given, where it was calibrated, or anywhere.

        Parameters
        ----------
        frame : Frame
            The photo.
        layout : Layout
            The board's layout.
        given_px : four (x, y), optional
            The grid's corners in the photo; the board is then not searched.
        effort : Effort
            How much time a search may take, as for `detect_boards`.
        allow_uncertain : bool
            Return a board that is plausible but not verified, instead of raising.

        Raises
        ------
        BoardNotFoundError
            If no board is found.
        SettingsError
            If the given corners make no sense, or do not fit the picture.
        """
        view = None if self.lens is None else UndistortedView.of(self.lens, SETTINGS.search_px)
        if given_px is not None:
            Grid.from_corners(given_px, layout.rows, layout.columns).check_in_picture(frame.size_px)
            return _take_given(frame, _grid_at(np.asarray(given_px, np.float64), layout, view), view)
        expected = self.place(layout, view)
        tracked = None if expected is None else _track_board(frame, layout, expected, view)
        return tracked or _search_board(frame, layout, view, effort, allow_uncertain=allow_uncertain)

    def place(self, layout: Layout, view: UndistortedView | None) -> Grid | None:
        """Return where the board should be in an undistorted view; None where it may be anywhere.

        Parameters
        ----------
        layout : Layout
            The board's layout.
        view : UndistortedView or None
            The view; None for the photo itself.
        """
        if self.corners_px is None:
            return None
        return _grid_at(self.corners_px, layout, view)


def _grid_at(corners_px: NDArray[np.float64], layout: Layout, view: UndistortedView | None) -> Grid:
    """Return the grid with corners in the photo, as a view shows it."""
    near = corners_px if view is None else view.from_photo(corners_px)
    return Grid.from_corners(near, layout.rows, layout.columns)


def _take_given(frame: Frame, grid: Grid, view: UndistortedView | None) -> CameraDetection:
    """Take the board to be where a grid of a view is."""
    given = BoardDetection(grid=grid, status=DetectionStatus.GIVEN)
    return CameraDetection(frame=frame, detection=given) if view is None else _enlarge(frame, given, view)


def _track_board(
    frame: Frame, layout: Layout, expected: Grid, view: UndistortedView | None
) -> CameraDetection | None:
    """Find the board near the grid of a view where it was calibrated; None where it is not there."""
    given = _take_given(frame, expected, view)
    pyramid = ImagePyramid.of(given.frame.image_bgr)
    grid = track_grid(pyramid, given.grid, layout)
    if grid is None:
        return None
    tracked = BoardDetection(grid=grid, status=DetectionStatus.TRACKED, pyramid=pyramid)
    return replace(given, detection=tracked)


def _search_board(
    frame: Frame, layout: Layout, view: UndistortedView | None, effort: Effort, *, allow_uncertain: bool
) -> CameraDetection:
    """Find the board anywhere in a view; a small board is undistorted again, larger."""
    undistorted = frame if view is None else _undistort(frame, view)
    try:
        found = detect_boards(undistorted.image_bgr, layout, effort=effort, allow_uncertain=allow_uncertain)
    except BoardNotFoundError as error:
        raise (error if view is None else error.convert(view.to_photo)) from None
    is_small = found.grid.cell_px < SETTINGS.wanted_cell_px
    if is_small and view is not None and view.focal_px[0] < view.lens.focal_px[0]:
        return _enlarge(frame, found, view)
    return CameraDetection(frame=undistorted, detection=found, view=view)


def _enlarge(frame: Frame, found: BoardDetection, view: UndistortedView) -> CameraDetection:
    """Undistort a board of a view and a margin of a cell again, as large as reading needs."""
    grid, corners, tried_px = found.grid, found.grid.corners_px, found.tried_px
    room = (corners.max(axis=0) - corners.min(axis=0)) / min(grid.rows, grid.columns)
    part = np.stack([corners.min(axis=0) - room, corners.max(axis=0) + room])
    largest = float(view.lens.focal_px[0] / view.focal_px[0])
    scale = min(largest, max(SETTINGS.wanted_cell_px / grid.cell_px, 1e-3))
    closer = view.crop(part, scale)
    moved = (corners - view.offset_px) / view.focal_px * closer.focal_px + closer.offset_px
    enlarged = replace(
        found,
        grid=Grid.from_corners(moved, grid.rows, grid.columns, grid.fit),
        pyramid=None,
        tried_px=None if tried_px is None else closer.from_photo(view.to_photo(tried_px)),
    )
    return CameraDetection(frame=_undistort(frame, closer), detection=enlarged, view=closer)


def _undistort(frame: Frame, view: UndistortedView) -> Frame:
    undistortion = Undistortion(size_px=view.lens.size_px, project=view.to_photo)
    return replace(frame, image_bgr=view.undistort(frame.image_bgr), undistortion=undistortion)


def calibrated_frames(
    frames: Iterable[Frame | Interruption],
    profile: Profile,
    layout: Layout,
    notify: Callable[[str], None] | None = None,
) -> Iterator[Frame | Interruption]:
    """Remove the lens distortion from a video, and note in each frame where a calibrated board should be.

    Parameters
    ----------
    frames : iterable of Frame or Interruption
        The video.
    profile : Profile
        What calibration measured of the camera; it is adapted to each size of the frames.
    layout : Layout
        The board's layout.
    notify : callable, optional
        Gets one line where the profile is adapted to the video's size.

    Raises
    ------
    SettingsError
        If the camera gives pictures of another shape than the profile's.
    """
    size: tuple[int, int] | None = None
    view: UndistortedView | None = None
    expected: Grid | None = None
    for item in frames:
        if not isinstance(item, Frame):
            yield item
            continue
        if item.size_px != size:
            size = item.size_px
            camera = CameraModel.of(profile, size, notify)
            view = None if camera.lens is None else UndistortedView.of(camera.lens, SETTINGS.video_px)
            expected = camera.place(layout, view)
        undistorted = item if view is None else _undistort(item, view)
        yield undistorted if expected is None else replace(undistorted, expected_grid=expected)
