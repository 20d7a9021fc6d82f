"""The stage that finds the board's grid in a picture, or says why it cannot."""

from vision.locating.search import locate

__all__ = ["locate"]
