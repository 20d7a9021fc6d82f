"""Weigh what the networks read on a square by how it looks among the other squares of the same photo."""

from vision.recognition.appearance.board_appearance import (
    face_colours,
    may_hold_something,
    square_classes,
    weigh_appearance,
)
from vision.recognition.appearance.value_ink import weigh_value_ink

__all__ = ["face_colours", "may_hold_something", "square_classes", "weigh_appearance", "weigh_value_ink"]
