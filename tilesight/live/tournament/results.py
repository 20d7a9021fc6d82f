"""The results of games, the match that they form, and the standings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scoring import compose_text, name_key
from tilesight.live.clocks import find_age, find_offset
from tilesight.live.match import compose_names, count_wins, has_winner

__all__ = [
    "GameResult",
    "StandingsLine",
    "describe_new_title",
    "find_match",
    "find_new_names",
    "find_places",
    "is_placeholder",
    "list_public",
    "list_rosters",
    "rank_results",
]

MAX_BREAK_S = 12 * 3600.0
"""Seconds between two games of a match without an event; chosen: the games of one evening."""
_PLACEHOLDERS = frozenset({"bye", "tbd", "tba", "n.n.", "?", "-"})
"""What is written for a player who is not known, or not there, in small letters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """The result of a game.

    Parameters
    ----------
    totals : mapping of str to int
        Each player's points, in the order of play.
    event : str
        Title of the event.
    round : str
        The round.
    table : str
        Name of the table.
    best_of : int or None
        Games of the match at most.
    at_s : float
        When it ended, in seconds since 1970; 0 if that is not known.
    last_number : int
        Number of the last entry of its journal.
    renamed : tuple of (str, str)
        The former and the new name of each player who was renamed in it, in order.
    offset_s : float
        The offset of the computer's clock when the result came.
    """

    totals: Mapping[str, int]
    event: str = ""
    round: str = ""
    table: str = ""
    best_of: int | None = None
    at_s: float = 0.0
    last_number: int = 0
    renamed: tuple[tuple[str, str], ...] = ()
    offset_s: float = field(default_factory=find_offset, compare=False, repr=False)

    def __post_init__(self) -> None:
        totals = {compose_text(name): total for name, total in self.totals.items()}
        object.__setattr__(self, "totals", totals)

    def with_names(self, names: Mapping[str, str]) -> GameResult:
        """Return the result with other names of players, by those that they have; two players never become one."""
        totals = {names.get(name, name): total for name, total in self.totals.items()}
        return replace(self, totals=totals) if len(totals) == len(self.totals) else self

    def rename(self, players: Iterable[str], renamed: Iterable[tuple[str, str]]) -> GameResult:
        """Return the result with the names that players have after a later game of its round at its table."""
        return self.with_names(names_after(self.totals, players, renamed))

    @property
    def wins(self) -> dict[str, float]:
        """What each player gets for the game."""
        return dict(zip(self.totals, count_wins(tuple(self.totals.values())), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsLine:
    """A player in the standings.

    Parameters
    ----------
    place : int
        The place; players with equal wins and spread share one.
    name : str
        The name.
    games : int
        Games played.
    wins : float
        Games won; a tie counts half.
    spread : int
        The points of all games less those of the opponents; at tables of more players, of the best of them.
    points : int
        The points of all games.
    """

    place: int
    name: str
    games: int
    wins: float
    spread: int
    points: int


def names_after(
    names: Iterable[str], players: Iterable[str], renamed: Iterable[tuple[str, str]]
) -> dict[str, str]:
    """Return what each of these players is called after a game with `players`, some of whom were renamed in order.

    Names of all of its players are those that they have: a former name may be another player's now.
    """
    same = {name: name for name in names}
    if set(same) == set(compose_names(players)):
        return same
    known = follow_renames(renamed)
    found = {name: known.get(name, name) for name in same}
    # Two players never become one: the new name is another player's here.
    return found if len(set(found.values())) == len(found) else same


def follow_renames(renamed: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the newest name of each player who was renamed, by each former name."""
    known: dict[str, str] = {}
    for was, now in map(compose_names, renamed):
        known = {was: now} | {former: now if name == was else name for former, name in known.items()}
    return known


def find_new_names(renamed: Iterable[tuple[str, str]], rosters: Iterable[Iterable[str]]) -> dict[str, str]:
    """Return the newest names of renamed players by former ones, where both names are those of one player.

    They are those of two if a roster has both: another player took the seat. A placeholder is no player.
    """
    lists = list(map(frozenset, rosters))
    found = follow_renames(pair for pair in renamed if not any(map(is_placeholder, pair)))
    return {
        was: now
        for was, now in found.items()
        if was not in found.values() and not any({was, now} <= names for names in lists)
    }


def list_rosters(results: Iterable[GameResult]) -> list[frozenset[str]]:
    """Return who played in each round; of games without a round, who played in each, or is in the file of results."""
    rosters: dict[tuple[str, float], frozenset[str]] = {}
    for each in results:
        key = (each.round, 0.0 if each.round else each.at_s)
        rosters[key] = rosters.get(key, frozenset()).union(each.totals)
    return list(rosters.values())


def list_public(
    results: Iterable[GameResult], delays_s: Mapping[str, float], now_s: float
) -> list[GameResult]:
    """Return the results that viewers may see now: those of a table with a delay come late.

    No step of the computer's clock shows them earlier or later.
    """
    delays = [(each, delays_s.get(each.table, 0.0)) for each in results]
    return [
        each
        for each, delay_s in delays
        if find_age(each.at_s, each.offset_s, now_s) >= delay_s or not delay_s
    ]


def describe_new_title(path: Path, former: str, title: str, results: Iterable[GameResult]) -> str:
    """Say which games no longer count after the event's title changed; nothing if there are none."""
    n = sum(each.event == former for each in results)
    if title == former or not n:
        return ""
    if n == 1:
        return (
            f'{path}: the title is "{title}" now; 1 game of "{former}" no longer counts; write the old title to '
            "have it back"
        )
    return (
        f'{path}: the title is "{title}" now; {n} games of "{former}" no longer count; write the old title to '
        "have them back"
    )


def find_match(
    results: Sequence[GameResult],
    *,
    place: tuple[str, str, str],
    players: Iterable[str],
    now_s: float,
) -> list[GameResult]:
    """Return the games of the match that is played now, in their order; none if the last match is decided.

    Parameters
    ----------
    results : sequence of GameResult
        All results, in their order.
    place : (str, str, str)
        Where the match is played: event, round and table.
    players : iterable of str
        Who plays it.
    now_s : float
        Seconds since 1970.
    """
    names = set(players)
    match: list[GameResult] = []
    for result in results:
        is_same = (result.event, result.round, result.table) == place
        if not is_same or set(result.totals) != names:
            continue
        if match and not place[0] and result.at_s - match[-1].at_s > MAX_BREAK_S:
            match = []
        match.append(result)
        if result.best_of is not None:
            wins = tuple(sum(each.wins[name] for each in match) for name in sorted(names))
            if has_winner(wins, len(match), result.best_of):
                match = []
    if match and not place[0] and now_s - match[-1].at_s > MAX_BREAK_S:
        return []
    return match


def is_placeholder(name: str) -> bool:
    """Check whether a name is that of no player, such as ``Bye``."""
    return name_key(name) in _PLACEHOLDERS


def rank_results(results: Iterable[GameResult]) -> list[StandingsLine]:
    """Return the standings: by games won, then by spread; a placeholder has no line."""
    games: dict[str, list[tuple[float, int, int]]] = {}
    for result in results:
        for name, points in result.totals.items():
            if is_placeholder(name):
                continue
            others = [total for other, total in result.totals.items() if other != name]
            spread = points - max(others, default=0)
            games.setdefault(name, []).append((result.wins[name], spread, points))
    sums = {name: tuple(map(sum, zip(*each, strict=True))) for name, each in games.items()}
    places = find_places({name: (wins, spread) for name, (wins, spread, _) in sums.items()})
    return [
        StandingsLine(
            place=place,
            name=name,
            games=len(games[name]),
            wins=sums[name][0],
            spread=int(sums[name][1]),
            points=int(sums[name][2]),
        )
        for name, place in places.items()
    ]


def find_places(records: Mapping[str, tuple[float, float]]) -> dict[str, int]:
    """Return the players' places in the order of the standings: by games won, then by spread; equal ones share one."""
    order = sorted(records, key=lambda name: (-records[name][0], -records[name][1], name))
    return {name: 1 + sum(each > records[name] for each in records.values()) for name in order}
