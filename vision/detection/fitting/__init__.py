"""Fit of the grid to edges and colours."""

from vision.detection.fitting.edge_offsets import (
    OcclusionMask,
    SeenEdges,
    edge_moves,
    edge_places,
    edges_beside,
)
from vision.detection.fitting.refine import fitted_jointly, refined
from vision.detection.fitting.robust_fit import BY_TILE, DEVIATION, Offsets, settled

__all__ = [
    "BY_TILE",
    "DEVIATION",
    "OcclusionMask",
    "Offsets",
    "SeenEdges",
    "edge_moves",
    "edge_places",
    "edges_beside",
    "fitted_jointly",
    "refined",
    "settled",
]
