"""The edition of a game: its bag, board and rules.

Editions are data (see `scoring.editions.loading` for their files); the code knows no language.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from scoring.errors import EditionError, NotationError
from scoring.layout import Layout
from scoring.tiles import BLANK, as_blank

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
    """How letters and premium squares make the score of a word.

    The Danish sheet prints three totals that no single unconditional rule reproduces. Hence there are three
    readings of it (see `scoring.score`). They count new tiles only.
    """

    STANDARD = "standard"
    KRYDSORD_F = "krydsord-f"
    KRYDSORD_A = "krydsord-a"
    KRYDSORD_B = "krydsord-b"


class StartRule(enum.Enum):
    """Which tile of the first word must be on a start square."""

    ANY_TILE = "any-tile"
    FIRST_LETTER = "first-letter"


@dataclass(frozen=True, slots=True)
class FirstPlay:
    """The rules of the first word.

    Parameters
    ----------
    shortest : int
        Its minimum length in tiles.
    start : StartRule
        Which of its tiles must be on a start square.
    """

    shortest: int = 2
    start: StartRule = StartRule.ANY_TILE


@dataclass(frozen=True, slots=True)
class Bonus:
    """Points for playing many tiles at once (a bingo), added after all multipliers.

    Parameters
    ----------
    tiles : int or None
        The number of tiles; None for all tiles of the rack, which may be fewer than a full rack.
    points : int
        The bonus.
    """

    tiles: int | None
    points: int

    def earned(self, played: int, rack_count: int) -> int:
        """Return the points of the bonus for a play, 0 if it has too few tiles.

        Parameters
        ----------
        played : int
            Number of tiles played.
        rack_count : int
            Number of tiles on the rack before the play.
        """
        return self.points if played >= (rack_count if self.tiles is None else self.tiles) else 0


_POINTS_RULE = re.compile(r"(gain-)?([1-9][0-9]?)")
"""The names of rules for challenges that count points."""


@dataclass(frozen=True, slots=True)
class ChallengeRule:
    """The cost of a challenge.

    An invalid play (a phony) is taken back with its points, and its player loses the turn. If the play is
    valid, the challenger loses points or a turn.

    Parameters
    ----------
    valid_points : int
        The points that the challenger of a valid play loses.
    valid_turn : bool
        Whether the challenger of a valid play loses the next turn.
    valid_gain : int
        The points that the player of a valid play gains.

    References
    ----------
    WESPA game rules and the challenge rules of Macondo: the points go to the challenged player. Other events take
    them off the challenger.
    """

    valid_points: int = 0
    valid_turn: bool = False
    valid_gain: int = 0

    @classmethod
    def named(cls, name: str) -> ChallengeRule:
        """Return the rule of an event by its name.

        ``double``: the challenger loses the next turn. ``single`` and ``free``: nothing is lost. ``5``, ``10``: the
        challenger loses points. ``gain-5``, ``gain-10``: the challenged player gains them.

        Raises
        ------
        EditionError
            If it is no name of a rule.
        """
        if name in ("double", "single", "free"):
            return cls(valid_turn=name == "double")
        found = _POINTS_RULE.fullmatch(name)
        if found is None:
            raise EditionError(
                f"{name!r} is no rule for challenges; write double, single, free, 5, 10, gain-5 or gain-10"
            )
        points = int(found[2])
        return cls(valid_gain=points) if found[1] else cls(valid_points=points)


@dataclass(frozen=True, slots=True)
class ExchangeRule:
    """Whether exchanges are allowed, and when.

    Parameters
    ----------
    allowed : bool
        Whether there are exchanges.
    bag_minimum : int
        The number of tiles that the bag must hold for one.
    """

    allowed: bool = True
    bag_minimum: int = 0

    def is_possible(self, tiles_in_bag: int | None) -> bool:
        """Return whether tiles can be exchanged with this number in the bag; None if it is not known."""
        return self.allowed and (tiles_in_bag is None or tiles_in_bag >= max(1, self.bag_minimum))


@dataclass(frozen=True, slots=True)
class EndRule:
    """When a game ends, and how the tiles left on the racks count.

    Parameters
    ----------
    rack_empty : bool
        True: the game ends when the bag and one rack are empty. False: it ends when the bag is empty.
    pass_rounds : int or None
        The game ends after this number of consecutive rounds of passes; None if passes never end it.
    passes_need_empty_bag : bool
        Whether passes count for `pass_rounds` only once the bag is empty.
    out_collects : bool
        Whether a player without tiles gains the value of the tiles of the others.
    out_points : int
        Points for a player without tiles.
    out_doubles : bool
        The settlement of tournaments of two players: a player without tiles gains twice the value of the tiles of
        the other, who loses nothing. It replaces `out_collects` there.
    """

    rack_empty: bool = True
    pass_rounds: int | None = 2
    passes_need_empty_bag: bool = False
    out_collects: bool = True
    out_points: int = 0
    out_doubles: bool = False


@dataclass(frozen=True, slots=True)
class Edition:
    """The bag, board and rules of one game.

    Parameters
    ----------
    name : str
        The name that selects it, such as ``icelandic``.
    title : str
        One line of description.
    language : str
        Language code, such as ``is``.
    tokens : tuple of str
        The letters, upper case, in alphabetical order; the blank is not among them. Each has a lower case, which
        stands for a blank; alphabets without case cannot be played.
    values : mapping of str to int
        Printed value of each letter and of ``"?"``.
    counts : mapping of str to int or None
        The number of each tile in the full bag; None where it is not known.
    layout : Layout
        The board.
    rack_size : int
        Number of tiles on a full rack.
    bonus : Bonus or None
        Points for playing many tiles at once.
    first_play, challenge, exchange, end
        The rules of that name.
    scheme : Scheme
        How words are scored.
    blanks_score : bool
        Whether a blank scores as its letter; otherwise it scores nothing.
    premium_texts : mapping of str to str
        The texts printed on premium squares, by the keys DL, TL, DW and TW; empty if not known.
    points : mapping of str to int
        The points of each token before premiums, designated blanks included; derived from the values.
    has_digraphs : bool
        Whether a tile has several letters; derived from the tokens.

    Raises
    ------
    EditionError
        If a letter has no value or no lower case, a value or count is of no letter, or a number is too small.
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
    points: Mapping[str, int] = field(init=False, repr=False, compare=False)
    has_digraphs: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", tuple(self.tokens))
        for name in ("values", "counts", "premium_texts"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        self._check()
        blank = self.values[BLANK]
        points = {token: self.values[token] for token in (*self.tokens, BLANK)}
        points |= {as_blank(token): points[token] if self.blanks_score else blank for token in self.tokens}
        object.__setattr__(self, "points", MappingProxyType(points))
        object.__setattr__(self, "has_digraphs", any(len(token) > 1 for token in points))

    def _check(self) -> None:
        """Check that the edition does not contradict itself.

        Raises
        ------
        EditionError
            If it does.
        """
        problem = ""
        if not self.tokens:
            problem = "it has no letters; give tokens"
        elif unvalued := [token for token in (*self.tokens, BLANK) if token not in self.values]:
            problem = f"{' '.join(unvalued)} has no value; give one for each letter and for {BLANK!r}"
        elif unknown := [
            token for token in (*self.values, *self.counts) if token not in (*self.tokens, BLANK)
        ]:
            problem = f"{unknown[0]!r} has a value or a count but is not among the tokens"
        elif twice := [token for token in self.tokens if self.tokens.count(token) > 1]:
            problem = f"{twice[0]} is among the tokens twice; give each letter once"
        elif other := [token for token in self.tokens if not (as_blank(token).islower() and token.isupper())]:
            problem = f"{other[0]!r} is no letter in upper case with a lower case, which stands for a blank"
        elif wrong := [token for token, value in self.values.items() if value < 0]:
            problem = f"{wrong[0]} has the value {self.values[wrong[0]]}; give 0 or more"
        elif wrong := [token for token, count in self.counts.items() if count is not None and count < 0]:
            problem = f"the bag holds {self.counts[wrong[0]]} of {wrong[0]}; give 0 or more, or None"
        elif self.rack_size < 1:
            problem = f"a rack holds {self.rack_size} tiles; give 1 or more"
        if problem:
            raise EditionError(f"edition {self.name}: {problem}")

    def __hash__(self) -> int:
        return hash((self.name, self.tokens, self.layout))

    def __repr__(self) -> str:
        return f"load_edition({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # MappingProxyType cannot be pickled, and worker processes need editions.
        values = (getattr(self, each.name) for each in fields(self) if each.init)
        return Edition, tuple(
            dict(value) if isinstance(value, MappingProxyType) else value for value in values
        )

    @property
    def bag_size(self) -> int | None:
        """Number of tiles in the full bag; None if a count is not known."""
        total = 0
        for count in self.counts.values():
            if count is None:
                return None
            total += count
        return total

    def value_of(self, token: str) -> int:
        """Return the points of a tile before premiums; 0 for a blank whose letter is not known.

        Raises
        ------
        NotationError
            If the edition has no such tile.
        """
        value = self.points.get(token)
        if value is None:
            known = " ".join(self.tokens)
            raise NotationError(
                f"{token!r} is no tile of {self.name}; its letters are {known}, in lower case for a blank"
            )
        return value
