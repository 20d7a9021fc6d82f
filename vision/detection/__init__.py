"""Detection of the board: the grid in an image, or the reason why there is none."""

from vision.detection.detector import BoardDetection, DetectionStatus, detect_boards, locate
from vision.detection.diagnostics import black_reason
from vision.detection.features import (
    ImagePyramid,
    LayoutClasses,
    cell_colours,
    edge_profiles,
    explained_variance,
    find_edge_peaks,
    flatten_lights,
)
from vision.detection.fitter import Effort
from vision.detection.proposals import CornerNetwork, network_input
from vision.detection.racks import find_tile_rows
from vision.detection.refit import (
    fits_better,
    fits_other_layout,
    measure_edge_share,
    needs_refit,
    refit_grid,
    track_grid,
)
from vision.detection.residual_distortion import (
    DistortionKind,
    OpticalAxis,
    ResidualDistortion,
    measure_residual_distortion,
)

__all__ = [
    "BoardDetection",
    "CornerNetwork",
    "DetectionStatus",
    "DistortionKind",
    "Effort",
    "ImagePyramid",
    "LayoutClasses",
    "OpticalAxis",
    "ResidualDistortion",
    "black_reason",
    "cell_colours",
    "detect_boards",
    "edge_profiles",
    "explained_variance",
    "find_edge_peaks",
    "find_tile_rows",
    "fits_better",
    "fits_other_layout",
    "flatten_lights",
    "locate",
    "measure_edge_share",
    "measure_residual_distortion",
    "needs_refit",
    "network_input",
    "refit_grid",
    "track_grid",
]
