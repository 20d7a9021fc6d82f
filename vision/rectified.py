"""The straightened board: the value between `rectify` and `read`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Grid, Homography, frozen

__all__ = ["RectifiedBoard", "rectified_from_image"]


@dataclass(frozen=True, slots=True, eq=False)
class RectifiedBoard:
    """The board seen from straight above, with a margin around it.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        BGR; height = rows * cell_px + 2 * margin_px, width likewise.
    rows, columns : int
        Number of squares.
    cell_px : int
        Side of a cell in pixels.
    margin_px : int
        Width of the margin around the grid in pixels.
    """

    image_bgr: NDArray[np.uint8]
    rows: int
    columns: int
    cell_px: int
    margin_px: int

    def __post_init__(self) -> None:
        height = self.rows * self.cell_px + 2 * self.margin_px
        width = self.columns * self.cell_px + 2 * self.margin_px
        object.__setattr__(
            self, "image_bgr", frozen(self.image_bgr, (height, width, 3), np.uint8, "image_bgr")
        )

    def cell(self, row: int, column: int, context_px: int = 0) -> NDArray[np.uint8]:
        """The pixels of one square, with `context_px` (at most the margin) more on each side."""
        y, x = (
            self.margin_px + row * self.cell_px - context_px,
            self.margin_px + column * self.cell_px - context_px,
        )
        side = self.cell_px + 2 * context_px
        return self.image_bgr[y : y + side, x : x + side]

    def turned(self, quarter_turns: int) -> RectifiedBoard:
        """The same board named from another side, as of `vision.geometry.Grid.turned`: turned anticlockwise."""
        rows, columns = (self.rows, self.columns)[:: 1 if quarter_turns % 2 == 0 else -1]
        return replace(
            self,
            image_bgr=np.ascontiguousarray(np.rot90(self.image_bgr, quarter_turns)),
            rows=rows,
            columns=columns,
        )


def rectified_from_image(grid: Grid, cell_px: int, margin_px: int) -> Homography:
    """The projection from image pixels to the pixels of the rectified board."""
    # A pixel's centre has whole coordinates, so the grid's edge lies half a pixel before the first one.
    offset = margin_px - 0.5
    rectified_from_grid = Homography(matrix=np.array([[cell_px, 0, offset], [0, cell_px, offset], [0, 0, 1]]))
    return rectified_from_grid @ grid.image_from_grid.inverse
