"""The rules of word boards: tiles, editions, boards, plays and scores. Standard library only.

>>> from scoring import Board, load_edition, parse_play, score_play
>>> icelandic = load_edition("icelandic")
>>> score_play(Board.empty(icelandic.layout), parse_play("8D HRAKI", icelandic.tokens), icelandic).total
28
"""

from scoring.atomic_file import open_whole, write_whole
from scoring.board import Board, BoardProblem, Placement, check_size, format_board, parse_board
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
from scoring.editions import edition_names, load_edition
from scoring.editions.toml_file import TomlFile
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
from scoring.game import Game
from scoring.game.events import (
    ChallengeEvent,
    ClockPenalty,
    EndBonus,
    EndRack,
    Event,
    ExchangeEvent,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    WithdrawnEvent,
)
from scoring.game.settlement import settlement, unseen_tiles
from scoring.game.state import Step
from scoring.game.validation import check_players
from scoring.gcg import GcgDifference, GcgHeader, GcgRecord, format_gcg, parse_gcg, read_gcg, write_gcg
from scoring.inference import Inference, InferenceKind, infer
from scoring.layout import Layout, Premium, format_layout, parse_layout
from scoring.lexicon import Lexicon, load_lexicon
from scoring.play import Play, check_play, format_play, parse_play
from scoring.score import ScoredPlay, ScoredWord, score_play, word_score
from scoring.tiles import (
    BLANK,
    COVERED,
    EMPTY,
    as_blank,
    designated,
    format_tokens,
    is_blank,
    is_tile,
    parse_tokens,
)

__all__ = [
    "BLANK",
    "COVERED",
    "EMPTY",
    "AmbiguousNotationError",
    "Board",
    "BoardProblem",
    "Bonus",
    "CgpPosition",
    "ChallengeEvent",
    "ChallengeRule",
    "ClockPenalty",
    "Direction",
    "Edition",
    "EditionError",
    "EndBonus",
    "EndRack",
    "EndRule",
    "Event",
    "ExchangeEvent",
    "ExchangeRule",
    "FirstPlay",
    "Game",
    "GameError",
    "GcgDifference",
    "GcgHeader",
    "GcgRecord",
    "IllegalPlayError",
    "Inference",
    "InferenceKind",
    "Layout",
    "Lexicon",
    "NoPlayEvent",
    "NotationError",
    "PassEvent",
    "Placement",
    "Play",
    "PlayEvent",
    "Premium",
    "Refusal",
    "Scheme",
    "ScoredPlay",
    "ScoredWord",
    "ScoringError",
    "StartRule",
    "Step",
    "TomlFile",
    "UnknownEditionError",
    "WithdrawnEvent",
    "as_blank",
    "check_play",
    "check_players",
    "check_size",
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
    "is_tile",
    "load_edition",
    "load_lexicon",
    "open_whole",
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
    "settlement",
    "unseen_tiles",
    "word_score",
    "write_gcg",
    "write_whole",
]
