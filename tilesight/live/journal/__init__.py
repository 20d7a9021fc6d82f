"""The journal of a game: every change is written to disk before it becomes visible."""

from tilesight.live.journal.journal import Entry, FrameRef, Journal
from tilesight.live.journal.reading import is_begun, load_recorded_edition, read_entries, read_published
from tilesight.live.journal.schema import SCHEMA, translate_read_errors
from tilesight.live.journal.writer import JournalWriter

__all__ = [
    "SCHEMA",
    "Entry",
    "FrameRef",
    "Journal",
    "JournalWriter",
    "is_begun",
    "load_recorded_edition",
    "read_entries",
    "read_published",
    "translate_read_errors",
]
