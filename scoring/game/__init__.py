"""A game as a value: its events, the state after each of them, the settlement, and problems."""

from scoring.game.advance import advance, initial_state
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
    count_common_events,
)
from scoring.game.game import Game
from scoring.game.problems import missing_tiles
from scoring.game.racks import Rack, deduce_racks, played_tiles
from scoring.game.settlement import settle_racks
from scoring.game.state import (
    Ending,
    GameProblem,
    GameProblemKind,
    PlayOnBoard,
    Standing,
    State,
    Step,
)
from scoring.game.validation import MAX_PLAYERS, check_event, check_players, compose_text, name_key

__all__ = [
    "MAX_PLAYERS",
    "ChallengeEvent",
    "ClockPenalty",
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
    "Rack",
    "Standing",
    "State",
    "Step",
    "WithdrawnEvent",
    "advance",
    "check_event",
    "check_players",
    "compose_text",
    "count_common_events",
    "deduce_racks",
    "initial_state",
    "missing_tiles",
    "name_key",
    "played_tiles",
    "settle_racks",
]
