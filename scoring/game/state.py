"""The state of a game, the step that one event makes, its problems, and the standings."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.board import Board
from scoring.errors import PlayRule
from scoring.game.events import EndBonus, EndRack, Event
from scoring.play import Play
from scoring.score import ScoredPlay

__all__ = [
    "Ending",
    "GameProblem",
    "GameProblemKind",
    "PlayOnBoard",
    "Standing",
    "State",
    "Step",
    "rank_players",
]


class Ending(enum.Enum):
    """Why a game is over; the value is a short text for people."""

    OUT = "a player has no tiles left"
    BAG_EMPTY = "there is nothing left to draw"
    PASSES = "everybody passed"
    SETTLED = "the tiles left were settled"


class GameProblemKind(enum.Enum):
    """Kinds of problems; the value is a short text for people."""

    ILLEGAL_PLAY = "illegal play"
    OUT_OF_TURN = "out of turn"
    NOTHING_TO_TAKE_BACK = "nothing to take back"
    LEAVES_FLOATING = "leaves floating tiles"
    NOT_ON_RACK = "not on the rack"
    RACK_NOT_IN_BAG = "rack not in the bag"
    EXCHANGE_NOT_ALLOWED = "exchange not allowed"
    AFTER_THE_END = "after the end"
    TOO_LATE = "taken back too late"
    TILES_DO_NOT_ADD_UP = "tiles left do not add up"
    SETTLED_TWICE = "tiles left settled twice"
    TIME_GAINED = "points gained by the clock"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameProblem:
    """Something in a game that the rules do not allow or that contradicts the rest.

    Parameters
    ----------
    index : int
        Index of the event, from 0.
    kind : GameProblemKind
        The kind of problem.
    message : str
        The problem in words.
    reason : PlayRule or None
        The rule that an illegal play breaks.
    """

    index: int
    kind: GameProblemKind
    message: str
    reason: PlayRule | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOnBoard:
    """A play that is on the board.

    Parameters
    ----------
    index : int
        Index of its event, from 0.
    player : int
        The player who played it.
    play : Play
        Its tiles.
    score : int
        Its points.
    from_rack : int
        Number of tiles that left the rack: those of the play, or all where the rack held fewer.
    drawn : int
        Number of tiles drawn after it.
    passes, scoreless_turns : int
        Those of the state before it.
    sits_out : frozenset of int
        Who had to sit out before it.
    """

    index: int
    player: int
    play: Play
    score: int
    from_rack: int
    drawn: int
    passes: int
    scoreless_turns: int
    sits_out: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of a game between two events.

    Parameters
    ----------
    board : Board
        The board.
    totals : tuple of int
        The points of each player.
    turn : int
        The player on turn.
    tiles_in_bag : int or None
        Number of tiles in the bag; None if the edition does not say how many there are.
    rack_counts : tuple of int
        Number of tiles on each rack; full racks if `tiles_in_bag` is None.
    plays : tuple of PlayOnBoard
        The plays on the board, the latest last.
    passes : int
        Number of consecutive passes that count towards the end of the game.
    scoreless_turns : int
        Number of consecutive turns that scored nothing.
    latest : Event or None
        The latest event, penalties for time apart; None before the first one.
    sits_out : frozenset of int
        The players who lose their next turn.
    settled : tuple of (EndRack or EndBonus)
        The settlement events so far.
    ending : Ending or None
        Why the game is over, None while it is not.
    """

    board: Board
    totals: tuple[int, ...]
    turn: int
    tiles_in_bag: int | None
    rack_counts: tuple[int, ...]
    plays: tuple[PlayOnBoard, ...] = ()
    passes: int = 0
    scoreless_turns: int = 0
    latest: Event | None = None
    sits_out: frozenset[int] = frozenset()
    settled: tuple[EndRack | EndBonus, ...] = ()
    ending: Ending | None = None

    def rack_count(self, player: int) -> int | None:
        """Return the number of tiles on a player's rack; None if it is not known."""
        return None if self.tiles_in_bag is None else self.rack_counts[player]

    def latest_of(self, player: int) -> PlayOnBoard | None:
        """Return the latest play of a player that is still on the board."""
        return next((play for play in reversed(self.plays) if play.player == player), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The effect of one event.

    Parameters
    ----------
    index : int
        Index of the event, from 0.
    event : Event
        The event.
    before, after : State
        The states before and after it.
    scored : ScoredPlay or None
        The words of a play with their points; None for other events, and for plays that cannot be on the
        board or form no word.
    taken_back : PlayOnBoard or None
        The play that the event took back, if any.
    problems : tuple of GameProblem
        The problems of the event.
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
        """The points that each player gained, or lost if negative."""
        return tuple(b - a for a, b in zip(self.before.totals, self.after.totals, strict=True))

    @property
    def score(self) -> int:
        """The points that the player of the event gained, or lost if negative."""
        return self.changes[self.event.player]

    @property
    def total(self) -> int:
        """The total of the player of the event after it."""
        return self.after.totals[self.event.player]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The place of a player.

    Parameters
    ----------
    place : int
        The place, from 1; players with the same total share the better place.
    player : int
        The player.
    name : str
        The name of the player.
    total : int
        The points of the player.
    """

    place: int
    player: int
    name: str
    total: int


def rank_players(players: Sequence[str], totals: Sequence[int]) -> tuple[Standing, ...]:
    """Return the places of the players, the best first; players who share a place keep the order of play."""
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
