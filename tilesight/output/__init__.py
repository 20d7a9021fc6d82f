"""What is shown and written: events, annotated video, the terminal."""

from tilesight.output.events import end_event, event_of, line_of, score_sheet, scored_fields, unvalued
from tilesight.output.photo_record import photo_record
from tilesight.output.terminal import Terminal
from tilesight.output.video import AnnotatedFilm, check_film_path

__all__ = [
    "AnnotatedFilm",
    "Terminal",
    "check_film_path",
    "end_event",
    "event_of",
    "line_of",
    "photo_record",
    "score_sheet",
    "scored_fields",
    "unvalued",
]
