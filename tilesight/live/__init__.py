"""Live games: a game with its journal and the operator's state, followed by a camera and by people."""

from tilesight.live.analysis import Analyst, Magpie, WordList, find_magpie
from tilesight.live.clocks import Clocks, find_offset, format_clock, format_countdown, parse_clock, steady_s
from tilesight.live.delay import DelayedGame, DelayedPictures
from tilesight.live.feeds import (
    answer_commands,
    attach_source,
    explain_no_play,
    find_resume_point,
    follow_photos,
    follow_video,
)
from tilesight.live.fields import FIELDS, FieldFiles, describe_step, format_field
from tilesight.live.game import LiveGame
from tilesight.live.history import StaleCommandError
from tilesight.live.journal import FrameRef, Journal, is_begun, read_entries
from tilesight.live.match import MatchInfo, PlayerInfo, is_final
from tilesight.live.opening import find_other_score, open_game
from tilesight.live.operator import find_overtime, format_change
from tilesight.live.settings import PHONE, TABLE_KEYS, GameSettings, load_tables
from tilesight.live.snapshots import SnapshotCache
from tilesight.live.state import GameState
from tilesight.live.tournament import (
    TIMELINE_FORMATS,
    GameResult,
    Moment,
    MomentKind,
    StandingsLine,
    Tournament,
    check_recording,
    find_moments,
    find_new_names,
    find_places,
    list_rosters,
    rank_results,
    read_timeline,
)
from tilesight.live.workers import RackWorker, VideoWorker

__all__ = [
    "FIELDS",
    "PHONE",
    "TABLE_KEYS",
    "TIMELINE_FORMATS",
    "Analyst",
    "Clocks",
    "DelayedGame",
    "DelayedPictures",
    "FieldFiles",
    "FrameRef",
    "GameResult",
    "GameSettings",
    "GameState",
    "Journal",
    "LiveGame",
    "Magpie",
    "MatchInfo",
    "Moment",
    "MomentKind",
    "PlayerInfo",
    "RackWorker",
    "SnapshotCache",
    "StaleCommandError",
    "StandingsLine",
    "Tournament",
    "VideoWorker",
    "WordList",
    "answer_commands",
    "attach_source",
    "check_recording",
    "describe_step",
    "explain_no_play",
    "find_magpie",
    "find_moments",
    "find_new_names",
    "find_offset",
    "find_other_score",
    "find_overtime",
    "find_places",
    "find_resume_point",
    "follow_photos",
    "follow_video",
    "format_change",
    "format_clock",
    "format_countdown",
    "format_field",
    "is_begun",
    "is_final",
    "list_rosters",
    "load_tables",
    "open_game",
    "parse_clock",
    "rank_results",
    "read_entries",
    "read_timeline",
    "steady_s",
]
