"""The stage that finds the board's grid in a picture, or says why it cannot."""

from vision.detection.detector import BoardDetection, DetectionStatus, detect_boards, locate
from vision.detection.features import ImagePyramid
from vision.detection.features.cell_colours import cell_colours, explained_share
from vision.detection.features.edge_profiles import edge_profiles
from vision.detection.features.layout_classes import LayoutClasses
from vision.detection.features.layout_likelihood import without_slope
from vision.detection.hypotheses import Effort
from vision.detection.proposals.corner_network import CornerNetwork, prepared
from vision.detection.racks import find_tile_rows
from vision.detection.refit import needs_refit, refit_grid, track_grid
from vision.detection.residual_distortion import ResidualDistortion, measure_residual_distortion

__all__ = [
    "BoardDetection",
    "CornerNetwork",
    "DetectionStatus",
    "Effort",
    "ImagePyramid",
    "LayoutClasses",
    "ResidualDistortion",
    "cell_colours",
    "detect_boards",
    "edge_profiles",
    "explained_share",
    "find_tile_rows",
    "locate",
    "measure_residual_distortion",
    "needs_refit",
    "prepared",
    "refit_grid",
    "track_grid",
    "without_slope",
]
