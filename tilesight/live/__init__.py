"""Tables on air: each a source, a game, a desk and a journal, and a thread that follows it."""

from tilesight.live.fields import FIELDS, FieldFiles, text_of, told
from tilesight.live.game import LiveGame, MovedOnError
from tilesight.live.journal import FrameRef, Journal
from tilesight.live.operator_state import SquareDoubt, parse_clock
from tilesight.live.rack_worker import RackWorker
from tilesight.live.resume import known_footage
from tilesight.live.settings import GameSettings, load_tables
from tilesight.live.snapshots import SnapshotCache
from tilesight.live.state import GameState
from tilesight.live.video_worker import VideoWorker

__all__ = [
    "FIELDS",
    "FieldFiles",
    "FrameRef",
    "GameSettings",
    "GameState",
    "Journal",
    "LiveGame",
    "MovedOnError",
    "RackWorker",
    "SnapshotCache",
    "SquareDoubt",
    "VideoWorker",
    "known_footage",
    "load_tables",
    "parse_clock",
    "text_of",
    "told",
]
