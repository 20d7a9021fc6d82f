"""Learn the tiles of a set."""

from calibration.tiles.enrolment import Example, enrol, examples_of
from calibration.tiles.label_input import ALPHABET, in_order, letters_of, rows_in

__all__ = [
    "ALPHABET",
    "Example",
    "enrol",
    "examples_of",
    "in_order",
    "letters_of",
    "rows_in",
]
