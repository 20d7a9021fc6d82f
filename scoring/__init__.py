"""The rules of word board games: tiles, editions, boards, plays, scores, games and their files.

It needs the standard library only.

Score a play:

>>> from scoring import Board, Game, format_gcg, infer, load_edition, parse_play, score_play
>>> icelandic = load_edition("icelandic")
>>> board = Board.empty(icelandic)
>>> play = parse_play("8D HRAKI", icelandic)
>>> score_play(board, play, icelandic).total
28

Infer the play from the boards before and after it, add it to a game, and write the game as GCG:

>>> found = infer(board, board.with_tiles(play), icelandic)
>>> game = Game(icelandic, ["Anna", "Jón"]).with_play(found.plays[0]).with_pass()
>>> game.totals
(28, 0)
>>> print(format_gcg(game).splitlines()[4])
>Anna: HRAKI 8D HRAKI +28 28

Boards and editions are loaded with the package; plays, games, game files and words when their first name is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from scoring.board import (
    Board,
    BoardProblem,
    Placement,
    Square,
    check_size,
    format_board,
    parse_board,
    unseen_tiles,
)
from scoring.coordinates import (
    Direction,
    column_name,
    format_position,
    format_square,
    neighbours,
    parse_position,
    parse_square,
)
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
from scoring.editions import (
    ANY_KEY,
    CHALLENGE,
    TOURNAMENT,
    TomlFile,
    edition_names,
    load_edition,
    locate_edition,
)
from scoring.errors import (
    DataFileError,
    EditionError,
    GameError,
    IllegalPlayError,
    NotationError,
    PlayRule,
    ScoringError,
    UnknownEditionError,
)
from scoring.files import open_atomically, read_file, read_text, write_atomically
from scoring.layout import Layout, Premium, format_layout, parse_layout
from scoring.tiles import (
    BLANK,
    COVERED,
    EMPTY,
    Alphabet,
    as_blank,
    bag_tile,
    capitalize,
    designated,
    format_tokens,
    is_blank,
    is_tile,
    parse_tokens,
    spell_words,
)

if TYPE_CHECKING:
    from scoring.cgp import CgpPosition, format_cgp, parse_cgp, parse_cgp_operations
    from scoring.game import (
        MAX_PLAYERS,
        ChallengeEvent,
        ClockPenalty,
        EndBonus,
        Ending,
        EndRack,
        Event,
        ExchangeEvent,
        Game,
        GameProblem,
        GameProblemKind,
        NoPlayEvent,
        PassEvent,
        PlayEvent,
        PlayOnBoard,
        Rack,
        Standing,
        State,
        Step,
        WithdrawnEvent,
        check_players,
        compose_text,
        count_common_events,
        deduce_racks,
        name_key,
        settle_racks,
    )
    from scoring.gcg import (
        GcgDifference,
        GcgHeader,
        GcgLine,
        GcgProblem,
        GcgRecord,
        find_edition,
        format_gcg,
        parse_gcg,
        read_gcg,
        write_gcg,
    )
    from scoring.inference import Inference, InferenceKind, infer
    from scoring.play import Play, check_play, format_play, is_legal, parse_play
    from scoring.play_orders import PlayOrderSearch
    from scoring.score import ScoredPlay, ScoredWord, score_play, word_score
    from scoring.words import (
        Lexicon,
        RankedPlays,
        WordIndex,
        best_plays,
        index_words,
        load_lexicon,
        load_word_index,
    )

__all__ = [
    "ANY_KEY",
    "BLANK",
    "CHALLENGE",
    "COVERED",
    "EMPTY",
    "MAX_PLAYERS",
    "TOURNAMENT",
    "Alphabet",
    "Board",
    "BoardProblem",
    "Bonus",
    "CgpPosition",
    "ChallengeEvent",
    "ChallengeRule",
    "ClockPenalty",
    "DataFileError",
    "Direction",
    "Edition",
    "EditionError",
    "EndBonus",
    "EndRack",
    "EndRule",
    "Ending",
    "Event",
    "ExchangeEvent",
    "ExchangeRule",
    "FirstPlay",
    "Game",
    "GameError",
    "GameProblem",
    "GameProblemKind",
    "GcgDifference",
    "GcgHeader",
    "GcgLine",
    "GcgProblem",
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
    "PlayOnBoard",
    "PlayOrderSearch",
    "PlayRule",
    "Premium",
    "Rack",
    "RankedPlays",
    "Scheme",
    "ScoredPlay",
    "ScoredWord",
    "ScoringError",
    "Square",
    "Standing",
    "StartRule",
    "State",
    "Step",
    "TomlFile",
    "UnknownEditionError",
    "WithdrawnEvent",
    "WordIndex",
    "as_blank",
    "bag_tile",
    "best_plays",
    "capitalize",
    "check_play",
    "check_players",
    "check_size",
    "column_name",
    "compose_text",
    "count_common_events",
    "deduce_racks",
    "designated",
    "edition_names",
    "find_edition",
    "format_board",
    "format_cgp",
    "format_gcg",
    "format_layout",
    "format_play",
    "format_position",
    "format_square",
    "format_tokens",
    "index_words",
    "infer",
    "is_blank",
    "is_legal",
    "is_tile",
    "load_edition",
    "load_lexicon",
    "load_word_index",
    "locate_edition",
    "name_key",
    "neighbours",
    "open_atomically",
    "parse_board",
    "parse_cgp",
    "parse_cgp_operations",
    "parse_gcg",
    "parse_layout",
    "parse_play",
    "parse_position",
    "parse_square",
    "parse_tokens",
    "read_file",
    "read_gcg",
    "read_text",
    "score_play",
    "settle_racks",
    "spell_words",
    "unseen_tiles",
    "word_score",
    "write_atomically",
    "write_gcg",
]

_LOADED_LATER = {
    "scoring.cgp": "CgpPosition format_cgp parse_cgp parse_cgp_operations",
    "scoring.game": (
        "MAX_PLAYERS ChallengeEvent ClockPenalty EndBonus Ending EndRack Event ExchangeEvent Game "
        "GameProblem GameProblemKind NoPlayEvent PassEvent PlayEvent PlayOnBoard Rack Standing State "
        "Step WithdrawnEvent check_players compose_text count_common_events deduce_racks name_key settle_racks"
    ),
    "scoring.gcg": "GcgDifference GcgHeader GcgLine GcgProblem GcgRecord find_edition format_gcg parse_gcg read_gcg "
    "write_gcg",
    "scoring.inference": "Inference InferenceKind infer",
    "scoring.play": "Play check_play format_play is_legal parse_play",
    "scoring.play_orders": "PlayOrderSearch",
    "scoring.score": "ScoredPlay ScoredWord score_play word_score",
    "scoring.words": "Lexicon RankedPlays WordIndex best_plays index_words load_lexicon load_word_index",
}
"""The public names of the modules that are loaded when one of their names is first used."""

if not TYPE_CHECKING:  # pragma: no branch - otherwise every name would be known to type checkers

    def __getattr__(name: str) -> object:
        """Load the module of a public name when it is first used (PEP 562)."""
        module = next((module for module, names in _LOADED_LATER.items() if name in names.split()), None)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(module), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
