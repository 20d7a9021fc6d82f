"""Matches and tournaments: the director's files, the archive of games, results and standings."""

from tilesight.live.tournament.event_file import EventSettings, load_event
from tilesight.live.tournament.results import GameResult, StandingsLine
from tilesight.live.tournament.tournament import Tournament

__all__ = ["EventSettings", "GameResult", "StandingsLine", "Tournament", "load_event"]
