"""Square probabilities and the rules of an edition give the most likely board."""

from vision.decoding.background import seen_against, with_changes
from vision.decoding.blanks import with_blanks_named
from vision.decoding.decoder import DecodedBoard, DoubtReason, decode, square_probabilities
from vision.decoding.edition_guess import EditionGuess, guess_editions

__all__ = [
    "DecodedBoard",
    "DoubtReason",
    "EditionGuess",
    "decode",
    "guess_editions",
    "seen_against",
    "square_probabilities",
    "with_blanks_named",
    "with_changes",
]
