"""Where a game stands, what one event did to it, and what is odd about it: values without rules.

The players of a game by their points.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.board import Board
from scoring.errors import Refusal
from scoring.game.events import EndBonus, EndRack, Event
from scoring.play import Play
from scoring.score import ScoredPlay

__all__ = ["Ending", "GameProblem", "GameProblemKind", "PlayOnBoard", "Standing", "State", "Step", "ranked"]


class Ending(enum.Enum):
    """Why a game is over."""

    OUT = "a player has no tiles left"
    BAG_EMPTY = "there is nothing left to draw"
    PASSES = "everybody passed"
    SETTLED = "the tiles left were settled"


class GameProblemKind(enum.Enum):
    """What is odd about an event."""

    ILLEGAL_PLAY = "illegal play"
    OUT_OF_TURN = "out of turn"
    NOTHING_TO_TAKE_BACK = "nothing to take back"
    LEAVES_FLOATING = "leaves floating tiles"
    NOT_ON_RACK = "not on the rack"
    EXCHANGE_NOT_ALLOWED = "exchange not allowed"
    AFTER_THE_END = "after the end"
    TILES_DO_NOT_ADD_UP = "tiles left do not add up"
    SETTLED_TWICE = "tiles left settled twice"
    TIME_GAINED = "points gained by the clock"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameProblem:
    """Something in a game that the rules do not allow, and what was done about it.

    Parameters
    ----------
    index : int
        Which event, counted from 0.
    kind : GameProblemKind
        What is odd.
    message : str
        The same for people.
    refusal : Refusal or None
        Which rule an illegal play breaks.
    """

    index: int
    kind: GameProblemKind
    message: str
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOnBoard:
    """A play that stands on the board."""

    index: int
    player: int
    play: Play
    score: int
    drawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Where a game stands.

    Parameters
    ----------
    board : Board
        What lies on it.
    totals : tuple of int
        Each player's points.
    turn : int
        Who is to play.
    bag : int or None
        Tiles in the bag; None where the edition does not tell how many there are.
    hands : tuple of int
        Tiles on each rack; full ones as long as `bag` is not known.
    plays : tuple of PlayOnBoard
        The plays that stand, the latest last.
    passes : int
        How many passes in a row count towards the end of the game.
    scoreless : int
        How many turns in a row scored nothing.
    sits_out : frozenset of int
        Who loses the next turn.
    settled : tuple of (EndRack or EndBonus)
        What was done about the tiles left.
    ending : Ending or None
        Why the game is over, None while it is not.
    """

    board: Board
    totals: tuple[int, ...]
    turn: int
    bag: int | None
    hands: tuple[int, ...]
    plays: tuple[PlayOnBoard, ...] = ()
    passes: int = 0
    scoreless: int = 0
    sits_out: frozenset[int] = frozenset()
    settled: tuple[EndRack | EndBonus, ...] = ()
    ending: Ending | None = None

    def held(self, player: int) -> int | None:
        """How many tiles are on a player's rack; None where nobody can count them."""
        return None if self.bag is None else self.hands[player]

    def latest_of(self, player: int) -> PlayOnBoard | None:
        """The latest of a player's plays that still stand."""
        return next((play for play in reversed(self.plays) if play.player == player), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one event did.

    Parameters
    ----------
    index : int
        Which event, counted from 0.
    event : Event
        The event itself.
    before, after : State
        Where the game stood.
    scored : ScoredPlay or None
        The words of a play and what each was worth; None for other events and plays that have no place.
    taken_back : PlayOnBoard or None
        The play that the event took back, if it took one back.
    problems : tuple of GameProblem
        What is odd about the event.
    """

    index: int
    event: Event
    before: State
    after: State
    scored: ScoredPlay | None = None
    taken_back: PlayOnBoard | None = None
    problems: tuple[GameProblem, ...] = ()

    @property
    def changes(self) -> tuple[int, ...]:
        """How many points each player gained by the event, or lost."""
        return tuple(b - a for a, b in zip(self.before.totals, self.after.totals, strict=True))

    @property
    def score(self) -> int:
        """How many points the event's player gained or lost."""
        return self.changes[self.event.player]

    @property
    def total(self) -> int:
        """What the event's player has after it."""
        return self.after.totals[self.event.player]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A player's place in a game; players with the same total share the better place."""

    place: int
    player: int
    name: str
    total: int


def ranked(players: Sequence[str], totals: Sequence[int]) -> tuple[Standing, ...]:
    """The players with their places, the best first; those who share one in the order of play."""
    order = sorted(range(len(players)), key=lambda player: (-totals[player], player))
    return tuple(
        Standing(
            place=1 + sum(other > totals[player] for other in totals),
            player=player,
            name=players[player],
            total=totals[player],
        )
        for player in order
    )
