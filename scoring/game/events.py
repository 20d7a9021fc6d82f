"""The events of a game, one class for each kind.

An event says what people did, not how many points it gave. Points follow from the edition and the events
before, so correcting one event corrects every score after it. Players have numbers from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from scoring.edition import ChallengeRule
from scoring.errors import GameError
from scoring.play import Play

__all__ = [
    "ChallengeEvent",
    "ClockPenalty",
    "EndBonus",
    "EndRack",
    "Event",
    "ExchangeEvent",
    "NoPlayEvent",
    "PassEvent",
    "PlayEvent",
    "WithdrawnEvent",
    "count_common_events",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _EventBase:
    """The common part of all events: the player, and a note, possibly of several lines."""

    kind: ClassVar[str]
    player: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayEvent(_EventBase):
    """A player played tiles.

    Parameters
    ----------
    player : int
        The player.
    play : Play
        The new tiles and their squares.
    rack : tuple of str or None
        The rack before the play; None if only the tiles played are known.
    note : str
        Free text, possibly of several lines.
    """

    kind: ClassVar[str] = "play"
    play: Play
    rack: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassEvent(_EventBase):
    """A player passed.

    Parameters
    ----------
    rack : tuple of str or None
        The rack; None if it is not known.
    """

    kind: ClassVar[str] = "pass"
    rack: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeEvent(_EventBase):
    """A player exchanged tiles instead of playing.

    Parameters
    ----------
    tiles : tuple of str or None
        The tiles that went back; None if only their number is known.
    count : int or None
        Their number; None if it is not known either.
    rack : tuple of str or None
        The rack before the exchange; None if it is not known.

    Raises
    ------
    GameError
        If both are given and disagree, or the number is below 1.
    """

    kind: ClassVar[str] = "exchange"
    tiles: tuple[str, ...] | None = None
    count: int | None = None
    rack: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        number = self.count if self.tiles is None else len(self.tiles)
        if number is not None and number < 1:
            raise GameError(f"exchange: of {number} tiles; a turn in which no tile goes back is a pass")
        if self.count not in (None, number):
            raise GameError(f"exchange: {number} tiles are named but the count says {self.count}")
        object.__setattr__(self, "count", number)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoPlayEvent(_EventBase):
    """A turn without new tiles: a pass or an exchange, and it is not known which.

    Where no exchange is possible, it counts as a pass.

    Parameters
    ----------
    rack : tuple of str or None
        The rack; None if it is not known.
    """

    kind: ClassVar[str] = "no-play"
    rack: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawnEvent(_EventBase):
    """A player took back his or her latest play that is still on the board.

    Parameters
    ----------
    turn_lost : bool
        True: the turn is over, as after an invalid word. False: the player plays again.
    """

    kind: ClassVar[str] = "withdrawn"
    turn_lost: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeEvent(_EventBase):
    """A player challenged the latest play, and the dictionary decided.

    Parameters
    ----------
    player : int
        The player whose play was challenged.
    challenger : int or None
        The player who challenged; None if it is not known.
    upheld : bool
        True: a word was invalid (a phony); the play is taken back, and its points and the turn are lost.
        False: all words are valid; the challenger gets the penalty of the edition, if it has one.
    bonus : int or None
        Points for the challenged player if the words are valid; None for none.
    penalty : int or None
        Points that the challenger loses if the words are valid; None for the rule of the edition.
    turn_lost : bool or None
        Whether the challenger loses the next turn if the words are valid; None for the rule of the edition.
    """

    kind: ClassVar[str] = "challenge"
    upheld: bool
    challenger: int | None = None
    bonus: int | None = None
    penalty: int | None = None
    turn_lost: bool | None = None

    def loses_turn(self, rule: ChallengeRule) -> bool:
        """Return whether a challenger who is known loses the next turn, by the rule where the event does not say."""
        if self.upheld or self.challenger is None:
            return False
        return rule.valid_turn if self.turn_lost is None else self.turn_lost


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockPenalty(_EventBase):
    """A player loses points for exceeding the time.

    Parameters
    ----------
    player : int
        The player.
    points : int
        The points lost, positive.
    """

    kind: ClassVar[str] = "clock"
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRack(_EventBase):
    """The settlement of tiles left on a rack at the end of the game.

    Parameters
    ----------
    player : int
        The player whose score changes.
    tiles : tuple of str
        The tiles left: those of the player, or those of the others.
    gained : bool
        False: the player loses the value of these own tiles. True: the player gains that of the others' tiles.
    doubled : bool
        Whether a gain counts twice and the others lose nothing, as in tournaments of two players.
    """

    kind: ClassVar[str] = "end-rack"
    tiles: tuple[str, ...]
    gained: bool = False
    doubled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EndBonus(_EventBase):
    """Fixed points for a player without tiles at the end, in editions that give them.

    Parameters
    ----------
    player : int
        The player.
    points : int
        The points gained.
    """

    kind: ClassVar[str] = "end-bonus"
    points: int


Event: TypeAlias = (
    PlayEvent
    | PassEvent
    | ExchangeEvent
    | NoPlayEvent
    | WithdrawnEvent
    | ChallengeEvent
    | ClockPenalty
    | EndRack
    | EndBonus
)


def count_common_events(one: Sequence[Event], other: Sequence[Event]) -> int:
    """Return how many first events two records of a game have in common.

    Parameters
    ----------
    one, other : sequence of Event
        The events of the two records.
    """
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))
