"""Tables on air: each a source, a game, a desk and a journal, and a thread that follows it."""

from tilesight.live.fields import FIELDS, FieldFiles, text_of, told
from tilesight.live.game import MovedOnError, Table
from tilesight.live.journal import Journal, Place
from tilesight.live.operator_state import SquareDoubt, parse_clock
from tilesight.live.rack_worker import RackFollower
from tilesight.live.resume import known_footage
from tilesight.live.settings import TableSettings, load_tables
from tilesight.live.snapshots import Pictures
from tilesight.live.state import TableState
from tilesight.live.video_worker import Follower

__all__ = [
    "FIELDS",
    "FieldFiles",
    "Follower",
    "Journal",
    "MovedOnError",
    "Pictures",
    "Place",
    "RackFollower",
    "SquareDoubt",
    "Table",
    "TableSettings",
    "TableState",
    "known_footage",
    "load_tables",
    "parse_clock",
    "text_of",
    "told",
]
