"""Matches and tournaments: the director's files, the archive of games, results and standings."""

from tilesight.live.tournament.event_file import EventSettings, load_event
from tilesight.live.tournament.moments import Moment, MomentKind, find_moments
from tilesight.live.tournament.results import GameResult, StandingsLine
from tilesight.live.tournament.tournament import Tournament

__all__ = [
    "EventSettings",
    "GameResult",
    "Moment",
    "MomentKind",
    "StandingsLine",
    "Tournament",
    "find_moments",
    "load_event",
]
