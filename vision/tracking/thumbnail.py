"""Small views of the board and what surrounds it, for every frame of a video."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture import Frame
from vision.core import (
    LETTER_SHARE,
    Grid,
    Homography,
    Mask,
    Matrix,
    Undistortion,
    decode_image,
    find_squares_outside,
    freeze,
    halve_image,
    rectified_from_image,
)

__all__ = ["CELL_PX", "MARGIN_CELLS", "BoardThumbnail", "ShrunkFrame", "grid_from_thumbnail"]

CELL_PX = 8
"""Pixels per cell: enough to see a change, since a finger is two cells wide and a letter's stroke a tenth of one."""
BLUR_CELLS = 0.06
"""Standard deviation of the blur of a shrunk frame, in cells. Of boards with lines of one pixel whose view was moved by
a quarter of a thumbnail's pixel, the registration was off by 0.2 to 0.6 of its pixels without blur; chosen."""
MARGIN_CELLS = 3
"""Cells around the grid that a view includes: hands come and go there."""


def _all_cells() -> Mask:
    """(1, 1) a mask that holds for each cell of a view of any size."""
    return np.ones((1, 1), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class BoardThumbnail:
    """A small view of the board from straight above: grey, and the mean colour of each cell.

    Parameters
    ----------
    grey : (height, width) float32
        Levels, 0 to 255; `CELL_PX` pixels a cell, `MARGIN_CELLS` cells more on each side of the grid.
    chroma : (rows + 2 * MARGIN_CELLS, columns + 2 * MARGIN_CELLS, 2) float32, optional
        Blue and red of each cell against its green, in levels; None where only the grey view is known.
    is_visible : (rows + 2 * MARGIN_CELLS, columns + 2 * MARGIN_CELLS) bool, optional
        Cells that are completely in the frame; all of them by default.
    is_readable : (rows + 2 * MARGIN_CELLS, columns + 2 * MARGIN_CELLS) bool, optional
        Cells that are in the frame as far as a letter fills them; all of them by default.
    """

    grey: NDArray[np.float32]
    chroma: NDArray[np.float32] | None = None
    is_visible: Mask = field(default_factory=_all_cells)
    is_readable: Mask = field(default_factory=_all_cells)

    def __post_init__(self) -> None:
        object.__setattr__(self, "grey", freeze(self.grey, (None, None), np.float32, "grey"))
        cells = (self.grey.shape[0] // CELL_PX, self.grey.shape[1] // CELL_PX)
        if self.chroma is not None:
            object.__setattr__(self, "chroma", freeze(self.chroma, (*cells, 2), np.float32, "chroma"))
        object.__setattr__(self, "is_visible", np.broadcast_to(self.is_visible, cells))
        object.__setattr__(self, "is_readable", np.broadcast_to(self.is_readable, cells))

    def rotate(self, quarter_turns: int) -> BoardThumbnail:
        """Return the view named from another side, as `numpy.rot90` rotates."""
        chroma = None if self.chroma is None else np.ascontiguousarray(np.rot90(self.chroma, quarter_turns))
        is_visible, is_readable = (
            np.rot90(mask, quarter_turns) for mask in (self.is_visible, self.is_readable)
        )
        grey = np.ascontiguousarray(np.rot90(self.grey, quarter_turns))
        return BoardThumbnail(grey=grey, chroma=chroma, is_visible=is_visible, is_readable=is_readable)

    def to_bytes(self) -> bytes:
        """Return the grey view as a PNG file, in whole levels."""
        _, data = cv2.imencode(".png", np.rint(self.grey).clip(0, 255).astype(np.uint8))
        return data.tobytes()

    @classmethod
    def from_bytes(cls, data: bytes, rows: int, columns: int) -> BoardThumbnail | None:
        """Read a view that `to_bytes` wrote; None if the bytes are not a view of a board of this size."""
        grey = decode_image(data, cv2.IMREAD_GRAYSCALE)
        if grey is None or grey.shape != (
            (rows + 2 * MARGIN_CELLS) * CELL_PX,
            (columns + 2 * MARGIN_CELLS) * CELL_PX,
        ):
            return None
        return cls(grey=np.asarray(grey, dtype=np.float32))


@dataclass(frozen=True, slots=True, eq=False)
class ShrunkFrame:
    """The part of a frame that shows the board, shrunk: most of the work for a thumbnail.

    Parameters
    ----------
    frame : Frame
        The frame.
    grid : Grid
        The board's grid in it.
    small_bgr : (height, width, 3) uint8
        The part; its squares are at least 11 pixels wide, unless the frame's are smaller.
    factor : int
        Pixels of the frame to one of the part, along each axis.
    view_from_small : (3, 3) float64
        From pixels of the part to pixels of a view of twice a thumbnail's size.
    """

    frame: Frame
    grid: Grid
    small_bgr: NDArray[np.uint8]
    factor: int
    view_from_small: Matrix

    @classmethod
    def of(cls, frame: Frame, grid: Grid) -> ShrunkFrame:
        """Shrink a frame."""
        image_bgr = frame.image_bgr
        x, y, right, bottom = _visible_part(grid, *frame.size_px)
        # Shrunk by averaging first: single samples of a large picture would flicker with its noise. Halving is fast.
        n_halvings = round(math.log2(max(grid.cell_px / (2 * CELL_PX), 1.0)))
        n_halvings = min(n_halvings, int(math.log2(min(right - x, bottom - y))))
        small_bgr = image_bgr[y:bottom, x:right]
        for _ in range(n_halvings):
            small_bgr = halve_image(small_bgr)
        factor = 2**n_halvings
        frame_from_small = Homography.translation(x, y) @ Homography.rescaling(factor)
        view_from_frame = rectified_from_image(grid, 2 * CELL_PX, 2 * MARGIN_CELLS * CELL_PX).matrix
        return cls(
            frame=frame,
            grid=grid,
            small_bgr=small_bgr,
            factor=factor,
            view_from_small=view_from_frame @ frame_from_small.matrix,
        )

    def thumbnail(self, *, colours: bool = True) -> BoardThumbnail:
        """Make the small view; `colours` says whether the cells' colours are measured."""
        grid, small = self.grid, self.small_bgr
        # Blurred, warped at twice its size and averaged: otherwise thin lines would change with each small movement.
        blur_px = BLUR_CELLS * grid.cell_px / self.factor
        width, height = (grid.columns + 2 * MARGIN_CELLS) * CELL_PX, (grid.rows + 2 * MARGIN_CELLS) * CELL_PX
        large = cv2.warpPerspective(
            cv2.GaussianBlur(small if colours else cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), (0, 0), blur_px),
            self.view_from_small,
            (2 * width, 2 * height),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        view = cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA)
        is_visible, is_readable = (
            _visible_cells(grid, self.frame.size_px, self.frame.undistortion, share)
            for share in (1.0, LETTER_SHARE)
        )
        if not colours:
            grey = np.asarray(view, dtype=np.float32)
            return BoardThumbnail(grey=grey, is_visible=is_visible, is_readable=is_readable)
        cells = cv2.resize(view, (width // CELL_PX, height // CELL_PX), interpolation=cv2.INTER_AREA).astype(
            np.float32
        )
        return BoardThumbnail(
            grey=np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY), dtype=np.float32),
            chroma=cells[..., [0, 2]] - cells[..., [1]],
            is_visible=is_visible,
            is_readable=is_readable,
        )


def grid_from_thumbnail() -> Homography:
    """Return the homography from a thumbnail's pixels to the grid."""
    offset = MARGIN_CELLS - 0.5 / CELL_PX
    return Homography(matrix=np.array([[1 / CELL_PX, 0, -offset], [0, 1 / CELL_PX, -offset], [0, 0, 1]]))


@functools.lru_cache(maxsize=8)
def _visible_cells(
    grid: Grid, size_px: tuple[int, int], undistortion: Undistortion | None, share: float
) -> Mask:
    """The cells of a view whose middle part of this share is in the frame."""
    return ~find_squares_outside(grid.enlarge(MARGIN_CELLS), size_px, share, undistortion)


def _visible_part(grid: Grid, width: int, height: int) -> tuple[int, int, int, int]:
    """The part of the frame that the view needs: left, top, right, bottom."""
    low, high = -float(MARGIN_CELLS), np.array([grid.columns, grid.rows]) + MARGIN_CELLS
    corners = grid.image_from_grid.apply([[low, low], [high[0], low], [high[0], high[1]], [low, high[1]]])
    left, top = np.clip(np.floor(corners.min(axis=0)), 0, [width - 2, height - 2]).astype(int)
    right, bottom = np.clip(np.ceil(corners.max(axis=0)), [left + 2, top + 2], [width, height]).astype(int)
    return int(left), int(top), int(right), int(bottom)
