"""Hypotheses of where a board may be, from quads, lines, outlines and the corner network."""

from vision.detection.proposals.corner_network import CornerNetwork, load_corner_network, network_input
from vision.detection.proposals.lattice import Lattice, find_lattices
from vision.detection.proposals.layout_alignment import GridHypothesis, align_layout, line_margin
from vision.detection.proposals.outlines import find_outlines, fit_layout_in_outline
from vision.detection.proposals.quads import (
    QUAD_THRESHOLDS,
    Quads,
    colour_layers,
    distinct_quads,
    find_quads,
    grey_layer,
)

__all__ = [
    "QUAD_THRESHOLDS",
    "CornerNetwork",
    "GridHypothesis",
    "Lattice",
    "Quads",
    "align_layout",
    "colour_layers",
    "distinct_quads",
    "find_lattices",
    "find_outlines",
    "find_quads",
    "fit_layout_in_outline",
    "grey_layer",
    "line_margin",
    "load_corner_network",
    "network_input",
]
