"""The stage that finds the board's grid in a picture, or says why it cannot."""

from vision.detection.detector import BoardsInView, boards_in_view, locate
from vision.detection.features import Views
from vision.detection.features.cell_colours import cell_colours, explained_share
from vision.detection.features.edge_profiles import edge_profiles
from vision.detection.features.layout_classes import Pattern
from vision.detection.features.layout_likelihood import without_slope
from vision.detection.proposals.corner_network import CornerSight, prepared
from vision.detection.racks import find_strips
from vision.detection.refit import confirmed, fitted_again, saw_what_lies
from vision.detection.residual_distortion import Bow, measured_bow

__all__ = [
    "BoardsInView",
    "Bow",
    "CornerSight",
    "Pattern",
    "Views",
    "boards_in_view",
    "cell_colours",
    "confirmed",
    "edge_profiles",
    "explained_share",
    "find_strips",
    "fitted_again",
    "locate",
    "measured_bow",
    "prepared",
    "saw_what_lies",
    "without_slope",
]
