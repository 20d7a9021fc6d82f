"""Which squares something covers: tiles and hands pull a grid away from the board's own lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.core import Mask, Matrix, median
from vision.detection.features import (
    CELL_COLOUR_SETTINGS,
    Colours,
    ImagePyramid,
    LayoutClasses,
    cell_colours,
    squared_distances,
)

__all__ = ["AlignmentProblem", "OcclusionMask", "estimate_occlusion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OcclusionSettings:
    """Parameters of the estimate from colours; distances in levels of 8-bit L*a*b*.

    Values without a source are chosen.
    """

    max_deviations: float = 3.0
    """Distance from a class's usual colour, in median deviations, from which a square may hold a tile."""
    min_deviation: float = 6.0
    """Squares of a class differ by this through the light alone."""
    min_tiles: int = 4
    """Plain squares of another colour from which their median colour is taken for the tiles'."""
    max_tile_distance: float = 0.3
    """Distance from the tiles' colour, relative to that of plain squares, within which a square shows a tile."""


SETTINGS = OcclusionSettings()


@dataclass(frozen=True, slots=True, eq=False)
class OcclusionMask:
    """Squares that something covers.

    Parameters
    ----------
    squares : (rows, columns) bool
        The covered squares.
    is_known : bool
        Whether a reader saw them. Otherwise they are an estimate, which is repeated wherever the grid has moved.
    """

    squares: Mask
    is_known: bool

    @classmethod
    def unknown(cls, classes: LayoutClasses) -> OcclusionMask:
        """Start without knowledge: no square counts as covered until it is estimated."""
        return cls(squares=np.zeros(classes.classes.shape, dtype=bool), is_known=False)

    @classmethod
    def from_colours(cls, colours: Colours, classes: LayoutClasses) -> OcclusionMask:
        """Estimate the mask from the (rows, columns, 3) L*a*b* colours of the board's squares."""
        return cls(squares=estimate_occlusion(colours, classes), is_known=False)


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentProblem:
    """What a grid is aligned with.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    classes : LayoutClasses
        The layout in the orientation of the grid.
    occlusion : OcclusionMask
        The squares that are known to be covered, or `OcclusionMask.unknown`.
    """

    pyramid: ImagePyramid
    classes: LayoutClasses
    occlusion: OcclusionMask

    @classmethod
    def unread(cls, pyramid: ImagePyramid, classes: LayoutClasses) -> AlignmentProblem:
        """Pose the problem before anything was read on the board."""
        return cls(pyramid, classes, OcclusionMask.unknown(classes))

    def occlusion_at(self, image_from_grid: Matrix) -> OcclusionMask:
        """Return the known mask, or estimate it from the squares' colours at a grid.

        Parameters
        ----------
        image_from_grid : (3, 3) float64
            The grid.
        """
        if self.occlusion.is_known:
            return self.occlusion
        box = (0, 0, self.classes.columns, self.classes.rows)
        view = self.pyramid.warp_plane(image_from_grid, box, CELL_COLOUR_SETTINGS.cell_px)
        return OcclusionMask.from_colours(cell_colours(view, CELL_COLOUR_SETTINGS.cell_px), self.classes)


def estimate_occlusion(colours: Colours, classes: LayoutClasses) -> Mask:
    """Find the squares whose colour differs from most squares of their class: probably tiles, or hands.

    Parameters
    ----------
    colours : (rows, columns, 3) float32
        L*a*b* colours of the board's squares.
    classes : LayoutClasses
        The layout.

    Returns
    -------
    (rows, columns) bool
    """
    plain = classes.plain
    board, tolerance = _usual_colour(colours[plain])
    odd = plain & (np.linalg.norm(colours - board, axis=-1) > tolerance)
    tile_like = np.zeros_like(odd)
    if odd.sum() >= SETTINGS.min_tiles:
        # Plain squares are many, so they show the tiles' colour; most squares of a small class may hold tiles.
        tile = median(colours[odd], axis=0)
        max_distance = SETTINGS.max_tile_distance * np.linalg.norm(tile - board)
        tile_like = np.linalg.norm(colours - tile, axis=-1) < max_distance
    odd, printed = np.zeros_like(odd), np.zeros_like(odd)
    for number in range(classes.class_count):
        members = (classes.classes == number) & ~tile_like
        if not members.any():
            continue
        usual, tolerance = _usual_colour(colours[members])
        distance = np.linalg.norm(colours - usual, axis=-1)
        odd |= members & (distance > tolerance)
        # A square with the print of another class is no tile; otherwise every shift would explain itself.
        printed |= distance < tolerance
    occluded: Mask = tile_like | (odd & ~printed)
    return occluded


def _usual_colour(colours: Colours) -> tuple[Colours, float]:
    """The colour that most of some squares have, and the distance from which a square differs from it."""
    # The mode, and not the median, which is between the two colours where half of the squares hold tiles.
    near = squared_distances(colours, colours) < (SETTINGS.max_deviations * SETTINGS.min_deviation) ** 2
    same = near[near.sum(axis=1).argmax()]
    usual = median(colours[same], axis=0)
    deviation = float(median(np.linalg.norm(colours[same] - usual, axis=-1)))
    return usual, SETTINGS.max_deviations * max(deviation, SETTINGS.min_deviation)
