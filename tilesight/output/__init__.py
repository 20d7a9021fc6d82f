"""What is shown and written: events, annotated video, the terminal."""

from tilesight.output.events import end_event, score_sheet, scored_fields, to_event, to_text, unvalued
from tilesight.output.photo_record import photo_record
from tilesight.output.terminal import Terminal
from tilesight.output.video import AnnotatedVideoWriter, check_film_path

__all__ = [
    "AnnotatedVideoWriter",
    "Terminal",
    "check_film_path",
    "end_event",
    "photo_record",
    "score_sheet",
    "scored_fields",
    "to_event",
    "to_text",
    "unvalued",
]
