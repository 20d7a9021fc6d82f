"""The stage that finds the board's grid in a picture, or says why it cannot."""

from vision.detection.detector import BoardsInView, boards_in_view, locate
from vision.detection.features.pyramid import Views
from vision.detection.refit import fitted_again, saw_what_lies
from vision.detection.residual_distortion import Bow, measured_bow

__all__ = [
    "BoardsInView",
    "Bow",
    "Views",
    "boards_in_view",
    "fitted_again",
    "locate",
    "measured_bow",
    "saw_what_lies",
]
