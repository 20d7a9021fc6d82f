"""Tables on air: each a source, a game, a desk and a journal, and a thread that follows it."""

from tilesight.live.game import MovedOnError, Table
from tilesight.live.rack_worker import RackFollower
from tilesight.live.settings import TableSettings, load_tables
from tilesight.live.state import TableState
from tilesight.live.video_worker import Follower

__all__ = ["Follower", "MovedOnError", "RackFollower", "Table", "TableSettings", "TableState", "load_tables"]
