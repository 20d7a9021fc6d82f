"""What can happen in a game: one value for each kind of event.

An event says what people did, never what it was worth: points follow from the edition and from the
events before, so that correcting one event corrects every score after it. Players are numbered from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

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
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Happening:
    """What all events share."""

    kind: ClassVar[str]
    player: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayEvent(_Happening):
    """A player placed tiles.

    Parameters
    ----------
    player : int
        Who played.
    play : Play
        The new tiles and their squares.
    rack : tuple of str or None
        The tiles the player held before the play; None where no more is known than the tiles played.
    note : str
        Free text, possibly of several lines.
    """

    kind: ClassVar[str] = "play"
    play: Play
    rack: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassEvent(_Happening):
    """A player gave up a turn and kept the rack."""

    kind: ClassVar[str] = "pass"
    rack: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeEvent(_Happening):
    """A player exchanged tiles instead of playing.

    Parameters
    ----------
    tiles : tuple of str or None
        Which tiles went back, None where only their number is known.
    count : int or None
        How many went back, None where that is not known either.

    Raises
    ------
    ValueError
        If both are given and disagree, or not even one tile went back.
    """

    kind: ClassVar[str] = "exchange"
    tiles: tuple[str, ...] | None = None
    count: int | None = None
    rack: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        number = self.count if self.tiles is None else len(self.tiles)
        if number is not None and number < 1:
            raise ValueError(f"exchange: of {number} tiles; a turn in which no tile goes back is a pass")
        if self.count not in (None, number):
            raise ValueError(f"exchange: {number} tiles are named but the count says {self.count}")
        object.__setattr__(self, "count", number)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoPlayEvent(_Happening):
    """A turn went by without new tiles: a pass or an exchange, and nobody can tell which."""

    kind: ClassVar[str] = "no-play"
    rack: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawnEvent(_Happening):
    """A player took back the latest of the own plays that still stand.

    Parameters
    ----------
    turn_lost : bool
        True: the next player is on turn, as after a word that was not valid. False: the player changed
        the mind and plays again.
    """

    kind: ClassVar[str] = "withdrawn"
    turn_lost: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeEvent(_Happening):
    """Somebody doubted the latest play, and the dictionary decided.

    Parameters
    ----------
    player : int
        Whose play was challenged.
    challenger : int or None
        Who challenged, None where that is not known.
    upheld : bool
        True: a word was not valid, the tiles go back, the points and the turn are lost.
        False: the words are valid and the edition's penalty, if it has one, falls on the challenger.
    bonus : int or None
        Points for the challenged player where the words are valid; None for what the edition says.
    penalty : int or None
        Points that a wrong challenger loses; None for what the edition says.
    turn_lost : bool or None
        Whether a wrong challenger loses the next turn; None for what the edition says.
    """

    kind: ClassVar[str] = "challenge"
    upheld: bool
    challenger: int | None = None
    bonus: int | None = None
    penalty: int | None = None
    turn_lost: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockPenalty(_Happening):
    """A player loses points for overstepping the time: `points` is positive."""

    kind: ClassVar[str] = "clock"
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRack(_Happening):
    """Tiles left on a rack at the end of the game are settled.

    Parameters
    ----------
    player : int
        Whose score changes.
    tiles : tuple of str
        The tiles left: the player's own, or those of the others.
    gained : bool
        False: the player's own tiles, their value is subtracted. True: the others', it is added.
    doubled : bool
        True where a gain counts twice and the others lose nothing, as tournaments of two settle it.
    """

    kind: ClassVar[str] = "end-rack"
    tiles: tuple[str, ...]
    gained: bool = False
    doubled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EndBonus(_Happening):
    """A fixed number of points for a player who has no tiles left, in editions that give one."""

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
