"""Enrolment of a set of tiles from photos whose letters are known."""

from calibration.tiles.enrolment import enrol
from calibration.tiles.example import Example, cut_examples
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
