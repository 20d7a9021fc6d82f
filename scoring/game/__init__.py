"""A game as a value: events, the state after each of them, settlement and problems."""

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
from scoring.game.game import Game
from scoring.game.settlement import unseen_tiles
from scoring.game.state import State, Step

__all__ = [
    "ChallengeEvent",
    "ClockPenalty",
    "EndBonus",
    "EndRack",
    "Event",
    "ExchangeEvent",
    "Game",
    "NoPlayEvent",
    "PassEvent",
    "PlayEvent",
    "State",
    "Step",
    "WithdrawnEvent",
    "unseen_tiles",
]
