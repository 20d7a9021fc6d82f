"""Fit of the grid to edges and colours."""

from vision.detection.fitting.edge_offsets import (
    EdgeMeasurements,
    edge_centres,
    edge_jacobian,
    edges_of_squares,
)
from vision.detection.fitting.occlusion import AlignmentProblem, OcclusionMask
from vision.detection.fitting.refine import align_whole_lines, refine_jointly, refine_on_lines
from vision.detection.fitting.robust_fit import SETTINGS as ROBUST_FIT_SETTINGS
from vision.detection.fitting.robust_fit import EdgeKind, EdgeOffsets, GaussianPrior, solve_irls

__all__ = [
    "ROBUST_FIT_SETTINGS",
    "AlignmentProblem",
    "EdgeKind",
    "EdgeMeasurements",
    "EdgeOffsets",
    "GaussianPrior",
    "OcclusionMask",
    "align_whole_lines",
    "edge_centres",
    "edge_jacobian",
    "edges_of_squares",
    "refine_jointly",
    "refine_on_lines",
    "solve_irls",
]
