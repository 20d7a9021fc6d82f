"""An edition as a value: the bag, the board and the rules of one game.

Editions are data (see `scoring.editions.loading` for their files); nothing here knows a language.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from scoring.errors import NotationError
from scoring.layout import Layout
from scoring.tiles import BLANK, designated

__all__ = [
    "Bonus",
    "ChallengeRule",
    "Edition",
    "EndRule",
    "ExchangeRule",
    "FirstPlay",
    "Scheme",
    "StartRule",
]


class Scheme(enum.Enum):
    """How a word's letters and premium squares make its score.

    The Danish sheet prints three totals that no unconditional rule gives together, hence three readings
    of it (see `scoring.score`). They count new tiles only.
    """

    STANDARD = "standard"
    KRYDSORD_F = "krydsord-f"
    KRYDSORD_A = "krydsord-a"
    KRYDSORD_B = "krydsord-b"


class StartRule(enum.Enum):
    """What the first word does on a start square."""

    ANY_TILE = "any-tile"
    FIRST_LETTER = "first-letter"


@dataclass(frozen=True, slots=True)
class FirstPlay:
    """What is asked of the first word: its shortest length, and which of its tiles is on a start square."""

    shortest: int = 2
    start: StartRule = StartRule.ANY_TILE


@dataclass(frozen=True, slots=True)
class Bonus:
    """Points for laying many tiles at once, added after all multipliers.

    Parameters
    ----------
    tiles : int or None
        How many; None for all that the player holds, which are fewer than a full rack once the bag is empty.
    points : int
        The points.
    """

    tiles: int | None
    points: int

    def earned(self, laid: int, held: int) -> int:
        """The points for laying so many tiles off a rack that held so many."""
        return self.points if laid >= (held if self.tiles is None else self.tiles) else 0


@dataclass(frozen=True, slots=True)
class ChallengeRule:
    """What a challenge costs.

    A play that proves invalid is taken back with its points, and its player's turn is lost. Against a
    valid one the challenger loses `valid_points`, and the next turn if `valid_turn`.
    """

    valid_points: int = 0
    valid_turn: bool = False


@dataclass(frozen=True, slots=True)
class ExchangeRule:
    """Whether tiles may be exchanged instead of a play, and how many the bag must hold for it."""

    allowed: bool = True
    bag_minimum: int = 0


@dataclass(frozen=True, slots=True)
class EndRule:
    """When a game ends, and what is done with the tiles that are left.

    Parameters
    ----------
    rack_empty : bool
        True: ends when the bag and one rack are empty. False: ends as soon as the bag is empty.
    pass_rounds : int or None
        Ends when every player has passed this many rounds running; None if passes end nothing.
    passes_need_empty_bag : bool
        Whether passes count for that only once the bag is empty.
    out_collects : bool
        Whether a player without tiles adds the value of the others' tiles.
    out_points : int
        Points for a player without tiles.
    """

    rack_empty: bool = True
    pass_rounds: int | None = 2
    passes_need_empty_bag: bool = False
    out_collects: bool = True
    out_points: int = 0


@dataclass(frozen=True, slots=True)
class Edition:
    """The bag, the board and the rules of one game.

    Parameters
    ----------
    name : str
        The name by which it is asked for, such as ``icelandic``.
    title : str
        A line for people.
    language : str
        Language code, such as ``is``.
    tokens : tuple of str
        The letters, upper case, in alphabetical order; the blank is not among them.
    values : mapping of str to int
        Printed value of each letter and of ``"?"``.
    counts : mapping of str to int or None
        How many of each the bag holds; None where it is not known.
    layout : Layout
        The board.
    rack_size : int
        Tiles on a full rack.
    bonus : Bonus or None
        Points for many tiles at once.
    first_play, challenge, exchange, end
        The rules of that name.
    scheme : Scheme
        How a word is scored.
    blanks_score : bool
        Whether a blank scores as the letter that it stands for, or nothing.
    premium_texts : mapping of str to str
        What is printed on premium squares, under the keys DL, TL, DW and TW; empty if nothing is known.
    """

    name: str
    title: str
    language: str
    tokens: tuple[str, ...]
    values: Mapping[str, int]
    counts: Mapping[str, int | None]
    layout: Layout
    rack_size: int = 7
    bonus: Bonus | None = None
    first_play: FirstPlay = FirstPlay()
    challenge: ChallengeRule = ChallengeRule()
    exchange: ExchangeRule = ExchangeRule()
    end: EndRule = EndRule()
    scheme: Scheme = Scheme.STANDARD
    blanks_score: bool = False
    premium_texts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("values", "counts", "premium_texts"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __hash__(self) -> int:
        return hash((self.name, self.tokens, self.layout))

    def __reduce__(self) -> tuple[Any, ...]:
        # Read-only views cannot be pickled; an edition must travel to worker processes.
        values = (getattr(self, each.name) for each in fields(self))
        return Edition, tuple(
            dict(value) if isinstance(value, MappingProxyType) else value for value in values
        )

    @property
    def bag_size(self) -> int | None:
        """How many tiles the bag holds at first; None where a count is not known."""
        total = 0
        for count in self.counts.values():
            if count is None:
                return None
            total += count
        return total

    def value_of(self, token: str) -> int:
        """What the tile scores before premium squares; a blank whose letter is not known scores 0.

        Raises
        ------
        NotationError
            If the token is no tile of this edition.
        """
        letter = designated(token)
        if letter not in self.values:
            known = " ".join(self.tokens)
            raise NotationError(
                f"{token!r} is no tile of {self.name}; its letters are {known}, in lower case for a blank"
            )
        return self.values[letter if self.blanks_score or letter == token else BLANK]
