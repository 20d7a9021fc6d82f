"""What a picture showed: the value that the pipeline hands on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.core import (
    DecodedBoard,
    Frame,
    Grid,
    RectifiedBoard,
    SquareProbabilities,
    mirror_corners,
    swap_sides,
)
from vision.detection import ResidualDistortion
from vision.profile import UndistortedView

__all__ = ["MIRRORED", "OTHER_BOARDS", "BoardObservation", "describe_squares_outside"]


MIRRORED = "the picture is mirrored, as webcams show it; it was read the right way round"
OTHER_BOARDS = (
    "more than one board is in view, and the largest is followed; cover the others, or name the corners of the right "
    "one with --corners"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationSettings:
    """When a board may have another number of squares than was read.

    Of 15 rendered boards of 16 x 16 that were read as 15 x 15 all are below both limits, of 28 labelled photos none.
    """

    min_fit: float = 0.65
    """Share of the grid's edges with a line."""
    min_letter_probability: float = 0.94
    """Mean probability of the most probable letter."""
    min_letters: int = 5
    """Letters that must be seen."""


SETTINGS = ObservationSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoardObservation:
    """A board in a picture, and every intermediate result that led to it.

    Parameters
    ----------
    frame : Frame
        The picture that was read, without lens distortion where the lens is known. Its shade is brightened where the
        board is read better so.
    grid : Grid
        Where the board is in `frame`, letters upright.
    get_rectified : callable
        Returns the rectified board; a video rectifies it when it is asked for.
    probabilities : SquareProbabilities
        What the recognizer saw on each square.
    decoded : DecodedBoard
        The decided board.
    is_orientation_certain : bool
        Whether letters or an earlier board say which side is up; if not, the board may be named from another side.
    other_boards : int
        Number of other boards in view; the largest was read.
    residual_distortion : ResidualDistortion or None
        How far the board's lines deviate from the grid; None where too few lines show it, or it was not measured.
    is_height_uncertain : bool
        Whether the height of the tiles remained uncertain, so that tiles may be read in the wrong squares.
    squares_outside : int
        Number of squares outside of the picture; they are covered in `probabilities`.
    has_more_squares : bool
        Whether the board has more rows and columns than were read.
    is_profile_of_other_size : bool
        Whether the profile's empty board has another number of squares, so that the board was not compared with it.
    is_mirrored : bool
        Whether the photo is mirrored; `frame` was mirrored back.
    view : UndistortedView or None
        How `frame` was made from the photo; None where it is the photo, or a frame of a video.
    shows_layout : bool
        Whether the edition's premium squares are seen; otherwise lines and letters show the board.
    stage_ms : mapping of str to float
        Milliseconds per stage; ``total`` includes decoding the picture file where that was timed.
    """

    frame: Frame = field(repr=False)
    grid: Grid
    get_rectified: Callable[[], RectifiedBoard] = field(repr=False)
    probabilities: SquareProbabilities = field(repr=False)
    decoded: DecodedBoard
    is_orientation_certain: bool = True
    other_boards: int = 0
    residual_distortion: ResidualDistortion | None = None
    is_height_uncertain: bool = False
    squares_outside: int = 0
    has_more_squares: bool = False
    is_profile_of_other_size: bool = False
    is_mirrored: bool = False
    view: UndistortedView | None = field(default=None, repr=False)
    shows_layout: bool = True
    stage_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def rectified(self) -> RectifiedBoard:
        """The rectified board."""
        return self.get_rectified()

    @property
    def photo_corners_px(self) -> NDArray[np.float64]:
        """(4, 2) the grid's outer corners TL TR BR BL in the photo as it was opened; counterclockwise if mirrored."""
        corners = self.grid.corners_px
        if self.view is not None:
            corners = self.view.to_photo(corners)
        if self.is_mirrored:
            width_px = self.frame.size_px[0] if self.view is None else self.view.lens.size_px[0]
            corners = swap_sides(mirror_corners(corners, width_px))
        return self.frame.to_picture(corners)

    @property
    def mean_letter_probability(self) -> float | None:
        """Mean probability of the most probable letter of each tile; None where too few are seen."""
        seen = self.probabilities.letters[self.probabilities.shows_letter]
        return float(seen.max(axis=-1).mean()) if len(seen) >= SETTINGS.min_letters else None

    @property
    def is_misfit(self) -> bool:
        """Whether few lines fit the grid and its letters are unclear: the board may have another number of squares."""
        letters = self.mean_letter_probability
        is_unclear = letters is not None and letters < SETTINGS.min_letter_probability
        return is_unclear and self.grid.fit < SETTINGS.min_fit

    @property
    def remarks(self) -> tuple[str, ...]:
        """Advice to the user on how the board was photographed."""
        return tuple(self._find_remarks())

    def _find_remarks(self) -> Iterator[str]:
        if self.is_mirrored:
            yield MIRRORED
        if self.squares_outside:
            yield describe_squares_outside(self.squares_outside)
        size = f"{self.grid.rows} x {self.grid.columns}"
        if self.has_more_squares:
            yield (
                f"the board seems to have more than {size} squares, and only those were read; choose the edition that "
                "is played"
            )
        elif self.is_misfit:
            yield (
                f"few lines of the board fit {size} squares, and its letters are unclear; if it has another number of "
                "squares, choose the edition that is played"
            )
        if not self.shows_layout:
            yield (
                "the edition's premium squares are not recognised, and lines and letters show the board, so scores may "
                "be wrong; choose the edition that is played"
            )
        if self.is_profile_of_other_size:
            yield (
                "the profile's empty board has another number of squares, and nothing was compared with it; choose the "
                "edition that is played, or a profile of this board"
            )
        if self.is_height_uncertain:
            yield (
                "the tiles are seen from near the table and may be read in the wrong squares; check the board, or take "
                "the photo more from above"
            )
        elif self.residual_distortion is not None and self.residual_distortion.remark:
            yield self.residual_distortion.remark


def describe_squares_outside(count: int) -> str:
    """Say that squares of the board are outside of the picture, and what helps."""
    return f"squares of the board outside of the picture: {count}; show the whole board"
