"""Matches and tournaments: the director's files, the archive of games, results and standings."""

from tilesight.live.tournament.event_file import EventSettings, load_event
from tilesight.live.tournament.moments import Moment, MomentKind, find_moments
from tilesight.live.tournament.results import (
    GameResult,
    StandingsLine,
    find_new_names,
    find_places,
    list_rosters,
    rank_results,
)
from tilesight.live.tournament.timeline import TIMELINE_FORMATS, Timeline, check_recording, read_timeline
from tilesight.live.tournament.tournament import Tournament

__all__ = [
    "TIMELINE_FORMATS",
    "EventSettings",
    "GameResult",
    "Moment",
    "MomentKind",
    "StandingsLine",
    "Timeline",
    "Tournament",
    "check_recording",
    "find_moments",
    "find_new_names",
    "find_places",
    "list_rosters",
    "load_event",
    "rank_results",
    "read_timeline",
]
