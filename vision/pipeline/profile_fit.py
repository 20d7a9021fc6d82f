"""Check whether photos fit a profile: their size, their camera, and where their board is."""

from __future__ import annotations

from pathlib import Path

from scoring import Layout
from vision.capture import read_bytes, read_metadata
from vision.core import Grid, swap_sides
from vision.observation import BoardObservation
from vision.pipeline.camera import CameraModel
from vision.profile import Profile
from vision.tracking import BoardDrift

__all__ = ["ProfileMismatches"]


class ProfileMismatches:
    """Checks the boards that were read with a profile, and reports each kind of mismatch once.

    Parameters
    ----------
    profile : Profile or None
        The profile; without one, nothing is reported.
    layout : Layout
        The boards' layout.
    is_given : bool
        Whether the corners were given, so that the board was not searched.
    """

    def __init__(self, profile: Profile | None, layout: Layout, *, is_given: bool) -> None:
        self._profile = profile
        self._layout = layout
        self._is_given = is_given
        self._drift = BoardDrift()
        self._reported: set[str] = set()

    def new_messages(self, found: BoardObservation, photo: Path | bytes | None) -> list[str]:
        """Check a board; return the lines for the user that were not reported before.

        Parameters
        ----------
        found : BoardObservation
            The board.
        photo : Path, bytes or None
            The photo's file or its content, which names the camera; None where there are pixels only.
        """
        profile = self._profile
        if profile is None or not profile.depends_on_size:
            return []
        lasting: list[str] = []
        size_px = found.frame.picture_size_px if found.view is None else found.view.lens.size_px
        place = CameraModel.of(profile, size_px, lasting.append).place(self._layout, view=None)
        if profile.model and photo is not None:
            data = photo if isinstance(photo, bytes) else read_bytes(photo)
            lasting.append(profile.mismatch_message(read_metadata(data).camera))
        messages = [message for message in lasting if message and message not in self._reported]
        self._reported.update(lasting)
        if place is not None and not self._is_given:
            corners_px = swap_sides(found.photo_corners_px) if found.is_mirrored else found.photo_corners_px
            grid = Grid.from_corners(corners_px, self._layout.rows, self._layout.columns)
            drift = self._drift.new_message(grid, place)
            messages += [drift] if drift else []
        return messages
