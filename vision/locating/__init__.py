"""The stage that finds the board's grid in a picture, or says why it cannot."""

from vision.locating.bowing import Bow, measured_bow
from vision.locating.search import BoardsInView, boards_in_view, locate
from vision.locating.second_look import fitted_again

__all__ = ["BoardsInView", "Bow", "boards_in_view", "fitted_again", "locate", "measured_bow"]
