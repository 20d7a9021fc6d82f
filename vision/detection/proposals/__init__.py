"""Where a board may be: hypotheses from quads, lines, outlines and the corner network."""

from vision.detection.proposals.corner_network import corner_sight
from vision.detection.proposals.lattice import Lattice, find_lattices
from vision.detection.proposals.layout_alignment import LayoutPlacement, line_margin, place
from vision.detection.proposals.line_grid import combed_lattices
from vision.detection.proposals.outlines import find_outlines, inset_placement
from vision.detection.proposals.quads import (
    THRESHOLDS,
    Quads,
    colour_layers,
    distinct_quads,
    find_quads,
    grey_layer,
)
from vision.detection.proposals.vanishing_points import find_segments, vanishing_pairs

__all__ = [
    "THRESHOLDS",
    "Lattice",
    "LayoutPlacement",
    "Quads",
    "colour_layers",
    "combed_lattices",
    "corner_sight",
    "distinct_quads",
    "find_lattices",
    "find_outlines",
    "find_quads",
    "find_segments",
    "grey_layer",
    "inset_placement",
    "line_margin",
    "place",
    "vanishing_pairs",
]
