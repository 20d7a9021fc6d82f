"""Output formats: JSON events, lines of text, photo records, the terminal view, annotated video."""

from tilesight.output.conversion import build_end_event, format_event, to_event
from tilesight.output.events import (
    AlternativePlays,
    GameEvent,
    PlayRecord,
    UncertainTile,
    UpdateEvent,
    list_placements,
    list_renamed,
    list_totals,
    list_unvalued_squares,
    name_ending,
    parse_event,
)
from tilesight.output.photo_record import build_photo_record, list_editions_of
from tilesight.output.plain_events import (
    BY_CAMERA,
    BY_OPERATOR,
    ArchivedEvent,
    ClocksEvent,
    ConfirmedEvent,
    CountdownEvent,
    NewGameEvent,
    RackEvent,
    TitleEvent,
)
from tilesight.output.terminal import TerminalView
from tilesight.output.text import format_score_sheet, format_totals, name_event, newest_squares, to_text
from tilesight.output.video import AnnotatedVideoWriter, check_video_path

__all__ = [
    "BY_CAMERA",
    "BY_OPERATOR",
    "AlternativePlays",
    "AnnotatedVideoWriter",
    "ArchivedEvent",
    "ClocksEvent",
    "ConfirmedEvent",
    "CountdownEvent",
    "GameEvent",
    "NewGameEvent",
    "PlayRecord",
    "RackEvent",
    "TerminalView",
    "TitleEvent",
    "UncertainTile",
    "UpdateEvent",
    "build_end_event",
    "build_photo_record",
    "check_video_path",
    "format_event",
    "format_score_sheet",
    "format_totals",
    "list_editions_of",
    "list_placements",
    "list_renamed",
    "list_totals",
    "list_unvalued_squares",
    "name_ending",
    "name_event",
    "newest_squares",
    "parse_event",
    "to_event",
    "to_text",
]
