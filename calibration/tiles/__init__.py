"""Learn the tiles of a set."""

from calibration.tiles.enrolment import Example, cut_examples, enrol
from calibration.tiles.label_input import ALPHABET, alphabet_layout, parse_rows, read_labels

__all__ = [
    "ALPHABET",
    "Example",
    "alphabet_layout",
    "cut_examples",
    "enrol",
    "parse_rows",
    "read_labels",
]
