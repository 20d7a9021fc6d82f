"""The stage that finds the board's grid in a picture, or says why it cannot."""

from vision.locating.bowing import Bow, measured_bow
from vision.locating.search import BoardsInView, boards_in_view, locate
from vision.locating.second_look import fitted_again, saw_what_lies
from vision.locating.views import Views

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
