"""Generation of grid hypotheses, kind by kind."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.core import Floats, Image, invert_matrix, project_points
from vision.detection.features import ImagePyramid, LayoutClasses
from vision.detection.fitter import Effort, HypothesisKind
from vision.detection.proposals import (
    QUAD_THRESHOLDS,
    GridHypothesis,
    Lattice,
    Quads,
    align_layout,
    colour_layers,
    distinct_quads,
    find_lattices,
    find_outlines,
    find_quads,
    fit_layout_in_outline,
    grey_layer,
    load_corner_network,
)
from vision.detection.verification import FittedGrid, cell_size_px, layout_shows

__all__ = ["MIN_LARGER_RATIO", "HypothesisGenerator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisSettings:
    """Numbers of hypotheses of each kind that are tried. Values without a source are chosen."""

    max_outlines: int = 5
    """Outlines in which the layout is searched."""
    max_fitted_outlines: int = 2
    """Outlines that are fitted."""


SETTINGS = HypothesisSettings()

MIN_LARGER_RATIO = 1.1
"""Ratio of cell sides from which another board counts as larger, and is worth a fit (chosen)."""


@dataclass(eq=False)
class HypothesisGenerator:
    """Proposes grids on one image; it fits and verifies none.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    classes : LayoutClasses
        The layout as printed.
    """

    pyramid: ImagePyramid
    classes: LayoutClasses

    def kinds(self, effort: Effort = Effort.THOROUGH) -> tuple[HypothesisKind, ...]:
        """List the usual kinds of hypotheses, the cheapest first.

        The corner network is the cheapest by far, and mostly right. A thorough search uses it last, so that it goes
        another way than the fast search before it.
        """
        network = HypothesisKind(generate=self.from_corner_network, aligns_whole_lines=True)
        all_layers = HypothesisKind(generate=self.from_all_layers, aligns_whole_lines=False)
        others = (*self.closer_kinds(), all_layers)
        return (network, *others) if effort is Effort.FAST else (*others, network)

    def closer_kinds(self) -> tuple[HypothesisKind, ...]:
        """List the kinds that find more where the image is larger, or a part of it is searched.

        Of 20 rendered pairs of boards, the second one is found in 15, and without the outlines in 7 (measured).
        """
        return (
            HypothesisKind(generate=self.from_dark_lines, aligns_whole_lines=False),
            HypothesisKind(generate=self.from_all_lines, aligns_whole_lines=False),
            HypothesisKind(generate=self.from_outlines, aligns_whole_lines=True),
        )

    def from_corner_network(self, certain: list[FittedGrid]) -> Iterator[GridHypothesis]:
        """Propose the corners that the network sees, in each orientation of the layout."""
        outline = load_corner_network().outline(self.pyramid.coarse_bgr)
        if outline is None:
            return
        for turn in self.classes.distinct_rotations():
            classes = self.classes.rotate(turn)
            coarse_from_grid = cv2.getPerspectiveTransform(
                classes.corners.astype(np.float32), outline.astype(np.float32)
            )
            matrix = invert_matrix(self.pyramid.coarse_from_image) @ coarse_from_grid
            yield GridHypothesis(image_from_grid=matrix, classes=classes)

    def from_outlines(self, certain: list[FittedGrid]) -> Iterator[GridHypothesis]:
        """Propose the layout inside outlines of boards."""
        image_from_coarse = invert_matrix(self.pyramid.coarse_from_image)
        hypotheses = [
            fit_layout_in_outline(self.pyramid.coarse_bgr, outline, self.classes)
            for outline in find_outlines(self._layers, SETTINGS.max_outlines)
        ]
        hypotheses.sort(key=lambda hypothesis: -hypothesis.score)
        for hypothesis in hypotheses[: SETTINGS.max_fitted_outlines]:
            matrix, classes = image_from_coarse @ hypothesis.image_from_grid, hypothesis.classes
            centre = classes.centre
            if _is_on_board(certain, project_points(matrix, centre), cell_size_px(matrix, centre)):
                continue  # the inner and the outer border of a board are both outlines
            if layout_shows(self.pyramid, matrix, classes):
                yield replace(hypothesis, image_from_grid=matrix)

    def from_dark_lines(self, certain: list[FittedGrid]) -> Iterator[GridHypothesis]:
        """Propose lattices of quads between dark lines."""
        quads = distinct_quads([self._dark_line_quads])
        return self._from_lattices(find_lattices(quads, max_count=2, diagonals=False), certain)

    def from_all_lines(self, certain: list[FittedGrid]) -> Iterator[GridHypothesis]:
        """Propose lattices of quads between dark or light lines."""
        quads = distinct_quads([self._dark_line_quads, self._light_line_quads])
        return self._from_lattices(find_lattices(quads, max_count=2, diagonals=False), certain)

    def from_all_layers(self, certain: list[FittedGrid]) -> Iterator[GridHypothesis]:
        """Propose lattices of quads in lightness or colour that touch at sides or corners."""
        found = [self._dark_line_quads, self._light_line_quads]
        found += [find_quads(layer, threshold) for layer in self._layers for threshold in QUAD_THRESHOLDS[2:]]
        lattices = find_lattices(distinct_quads(found), max_count=3, diagonals=True)
        return self._from_lattices(lattices, certain)

    def _from_lattices(self, lattices: list[Lattice], certain: list[FittedGrid]) -> Iterator[GridHypothesis]:
        """Propose the layout on lattices, but not on boards that are certain."""
        for lattice in lattices:
            image_from_lattice = invert_matrix(self.pyramid.coarse_from_image) @ lattice.image_from_lattice
            centre = lattice.cells.mean(axis=0)
            centre_px = project_points(image_from_lattice, centre + 0.5)
            if _is_on_board(certain, centre_px, cell_size_px(image_from_lattice, centre)):
                continue
            count = len(certain)
            for hypothesis in align_layout(self.pyramid, image_from_lattice, lattice.cells, self.classes):
                if certain and not layout_shows(self.pyramid, hypothesis.image_from_grid, hypothesis.classes):
                    continue
                yield hypothesis
                if len(certain) > count:
                    break  # this lattice's board is found

    @functools.cached_property
    def _lightness(self) -> Image:
        return grey_layer(self.pyramid.coarse_bgr)

    @functools.cached_property
    def _layers(self) -> tuple[Image, ...]:
        return (self._lightness, *colour_layers(self.pyramid.coarse_bgr))

    @functools.cached_property
    def _dark_line_quads(self) -> Quads:
        return find_quads(self._lightness, QUAD_THRESHOLDS[0])

    @functools.cached_property
    def _light_line_quads(self) -> Quads:
        return find_quads(self._lightness, QUAD_THRESHOLDS[1])


def _is_on_board(boards: list[FittedGrid], point_px: Floats, size_px: float) -> bool:
    """Whether a hypothesis with its centre at a point is on one of the boards, and not clearly larger."""
    return any(board.contains(point_px) and size_px < MIN_LARGER_RATIO * board.size_px for board in boards)
