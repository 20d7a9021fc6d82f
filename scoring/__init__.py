"""The rules of word boards: tiles, editions, boards, plays and scores. Standard library only.

>>> from scoring import Board, load_edition, parse_play, score_play
>>> icelandic = load_edition("icelandic")
>>> score_play(Board.empty(icelandic.layout), parse_play("8D HRAKI", icelandic.tokens), icelandic).total
28
"""

from scoring.board import Board, BoardProblem, Placement, format_board, parse_board
from scoring.cgp import CgpPosition, format_cgp, parse_cgp
from scoring.coordinates import Direction, format_position, format_square, parse_position, parse_square
from scoring.edition import (
    Bonus,
    ChallengeRule,
    Edition,
    EndRule,
    ExchangeRule,
    FirstPlay,
    Scheme,
    StartRule,
)
from scoring.editions.loading import edition_names, load_edition
from scoring.errors import (
    AmbiguousNotationError,
    EditionError,
    GameError,
    IllegalPlayError,
    NotationError,
    Refusal,
    ScoringError,
    UnknownEditionError,
)
from scoring.game.game import Game
from scoring.gcg import GcgHeader, GcgRecord, format_gcg, parse_gcg, read_gcg, write_gcg
from scoring.inference import Inference, InferenceKind, infer
from scoring.layout import Layout, Premium, format_layout, parse_layout
from scoring.lexicon import Lexicon, load_lexicon
from scoring.play import Play, check_play, format_play, parse_play
from scoring.score import ScoredPlay, ScoredWord, score_play
from scoring.tiles import designated, format_tokens, is_blank, parse_tokens

__all__ = [
    "AmbiguousNotationError",
    "Board",
    "BoardProblem",
    "Bonus",
    "CgpPosition",
    "ChallengeRule",
    "Direction",
    "Edition",
    "EditionError",
    "EndRule",
    "ExchangeRule",
    "FirstPlay",
    "Game",
    "GameError",
    "GcgHeader",
    "GcgRecord",
    "IllegalPlayError",
    "Inference",
    "InferenceKind",
    "Layout",
    "Lexicon",
    "NotationError",
    "Placement",
    "Play",
    "Premium",
    "Refusal",
    "Scheme",
    "ScoredPlay",
    "ScoredWord",
    "ScoringError",
    "StartRule",
    "UnknownEditionError",
    "check_play",
    "designated",
    "edition_names",
    "format_board",
    "format_cgp",
    "format_gcg",
    "format_layout",
    "format_play",
    "format_position",
    "format_square",
    "format_tokens",
    "infer",
    "is_blank",
    "load_edition",
    "load_lexicon",
    "parse_board",
    "parse_cgp",
    "parse_gcg",
    "parse_layout",
    "parse_play",
    "parse_position",
    "parse_square",
    "parse_tokens",
    "read_gcg",
    "score_play",
    "write_gcg",
]
