"""Square probabilities and the rules of an edition give the most likely board."""

from vision.decoding.background import compare_with_empty_board, weigh_changed_squares
from vision.decoding.blanks import resolve_blanks
from vision.decoding.decoder import DecodedBoard, DoubtReason, decode, square_probabilities
from vision.decoding.edition_guess import EditionGuess, guess_editions

__all__ = [
    "DecodedBoard",
    "DoubtReason",
    "EditionGuess",
    "compare_with_empty_board",
    "decode",
    "guess_editions",
    "resolve_blanks",
    "square_probabilities",
    "weigh_changed_squares",
]
