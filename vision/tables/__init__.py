"""Tables on air: each a source, a game, a desk and a journal, and a thread that follows it."""

from vision.tables.follower import Follower
from vision.tables.rack_follower import RackFollower
from vision.tables.settings import TableSettings, load_tables
from vision.tables.state import TableState
from vision.tables.table import MovedOnError, Table

__all__ = ["Follower", "MovedOnError", "RackFollower", "Table", "TableSettings", "TableState", "load_tables"]
