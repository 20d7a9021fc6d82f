"""A game as a value: its events, the state after each of them, the settlement, and problems."""

from scoring.game.events import (
    ChallengeEvent,
    ClockPenalty,
    EndBonus,
    EndRack,
    Event,
    ExchangeEvent,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    WithdrawnEvent,
)
from scoring.game.game import Correction, Game
from scoring.game.settlement import settle_racks
from scoring.game.state import Ending, GameProblem, GameProblemKind, PlayOnBoard, Standing, State, Step
from scoring.game.validation import MAX_PLAYERS, check_players

__all__ = [
    "MAX_PLAYERS",
    "ChallengeEvent",
    "ClockPenalty",
    "Correction",
    "EndBonus",
    "EndRack",
    "Ending",
    "Event",
    "ExchangeEvent",
    "Game",
    "GameProblem",
    "GameProblemKind",
    "NoPlayEvent",
    "PassEvent",
    "PlayEvent",
    "PlayOnBoard",
    "Standing",
    "State",
    "Step",
    "WithdrawnEvent",
    "check_players",
    "settle_racks",
]
