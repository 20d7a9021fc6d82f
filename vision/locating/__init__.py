"""The stage that finds the board's grid in a picture, or says why it cannot."""

from vision.locating.search import BoardsInView, boards_in_view, locate

__all__ = ["BoardsInView", "boards_in_view", "locate"]
