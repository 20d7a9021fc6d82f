"""Output formats: JSON events, lines of text, photo records, the terminal view, annotated video."""

from tilesight.output.conversion import end_event, format_event, to_event
from tilesight.output.events import (
    AlternativePlays,
    ClocksEvent,
    ConfirmedEvent,
    GameEvent,
    PlayRecord,
    RackEvent,
    TitleEvent,
    UncertainTile,
    UpdateEvent,
    parse_event,
    unvalued_squares,
)
from tilesight.output.photo_record import photo_record
from tilesight.output.terminal import TerminalView
from tilesight.output.text import score_sheet, to_text
from tilesight.output.video import AnnotatedVideoWriter, check_video_path

__all__ = [
    "AlternativePlays",
    "AnnotatedVideoWriter",
    "ClocksEvent",
    "ConfirmedEvent",
    "GameEvent",
    "PlayRecord",
    "RackEvent",
    "TerminalView",
    "TitleEvent",
    "UncertainTile",
    "UpdateEvent",
    "check_video_path",
    "end_event",
    "format_event",
    "parse_event",
    "photo_record",
    "score_sheet",
    "to_event",
    "to_text",
    "unvalued_squares",
]
