"""The stage that decides: square probabilities and the rules of an edition give the most probable board."""

from vision.decoding.background import compare_with_empty_board, weigh_changed_squares
from vision.decoding.blanks import resolve_blanks
from vision.decoding.decoder import decode, score_kinds
from vision.decoding.edition_guess import EditionGuess, guess_editions
from vision.decoding.flags import SETTINGS as FLAG_SETTINGS
from vision.decoding.letter_clusters import TileAppearance, assign_letters, shipped_projection
from vision.decoding.scores import token_probabilities

__all__ = [
    "FLAG_SETTINGS",
    "EditionGuess",
    "TileAppearance",
    "assign_letters",
    "compare_with_empty_board",
    "decode",
    "guess_editions",
    "resolve_blanks",
    "score_kinds",
    "shipped_projection",
    "token_probabilities",
    "weigh_changed_squares",
]
