"""What is known of the match that a game belongs to: its event, its round, its players, and the games won so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from scoring import EndBonus, Ending, EndRack, Game, GameError, GameProblemKind, compose_text
from tilesight.live.operator import OperatorState, OvertimeRule
from tilesight.output import BY_OPERATOR, CountdownEvent, GameEvent, NewGameEvent, TitleEvent, UpdateEvent
from vision.errors import SettingsError
from vision.game_events import UpdateKind, is_accepted

__all__ = [
    "MatchInfo",
    "PlayerInfo",
    "compose_names",
    "count_wins",
    "has_late_move",
    "has_winner",
    "has_wrong_settlement",
    "is_final",
    "refuse_succession",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerInfo:
    """A player, as the director's file describes him or her.

    Parameters
    ----------
    name : str
        The name.
    rating : int or None
        The rating.
    club : str
        The club.
    flag : str
        A country's code, in small letters.
    """

    name: str
    rating: int | None = None
    club: str = ""
    flag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchInfo:
    """A match, apart from its present game.

    Parameters
    ----------
    event : str
        Title of the event.
    round : str
        The round.
    table : str
        What viewers read for the table, such as ``Table 1``.
    best_of : int or None
        Games of the match at most; None for a single game, or for as many as are played.
    number : int
        Number of the present game, from 1.
    won : tuple of float
        Games that each player won before the present one, in its order of play; a tie counts half.
    players : tuple of PlayerInfo
        The players, in the order of play.
    seats : tuple of int
        The seat of each player, from 0: seats stay when the order of play changes.
    starts_s : float or None
        When the round starts, in seconds since 1970.
    overtime : OvertimeRule
        What overtime costs.
    problem : str
        What is wrong with the director's files; empty if nothing is.
    """

    event: str = ""
    round: str = ""
    table: str = ""
    best_of: int | None = None
    number: int = 1
    won: tuple[float, ...] = ()
    players: tuple[PlayerInfo, ...] = ()
    seats: tuple[int, ...] = ()
    starts_s: float | None = None
    overtime: OvertimeRule = field(default_factory=OvertimeRule)
    problem: str = ""

    def begin(self, players: tuple[str, ...], now_s: float) -> NewGameEvent:
        """Return the event with which a game of `players` begins at `now_s`, in seconds since 1970."""
        return NewGameEvent(
            number=self.number,
            round=self.round,
            best_of=self.best_of,
            players=players,
            at_s=round(now_s, 3),
            by=BY_OPERATOR,
        )

    def succeed(
        self,
        players: tuple[str, ...],
        first: tuple[str, ...],
        renamed: tuple[tuple[str, str], ...],
        before: OperatorState,
        now_s: float,
    ) -> list[NewGameEvent | TitleEvent | CountdownEvent | UpdateEvent]:
        """Return the events with which the present game begins after another one at its table.

        Parameters
        ----------
        players : tuple of str
            The names in the order of play.
        first : tuple of str
            The names with which the journal of the present game begins.
        renamed : tuple of (str, str)
            Which players were renamed in the other game, or before it.
        before : OperatorState
            The state at the end of the other game; its title and its countdown stay.
        now_s : float
            Seconds since 1970.
        """
        title = [TitleEvent(text=before.title)] if before.title else []
        countdown = [CountdownEvent(until_s=before.countdown_s)] if before.countdown_s is not None else []
        names = {now for was, now in zip(first, players, strict=True) if was != now}
        again: list[UpdateEvent] = []
        for was, now in map(compose_names, reversed(renamed)):  # earlier results have any of the names
            if now in names:
                names.add(was)
                again.insert(
                    0, UpdateEvent(kind=UpdateKind.RENAMED, player=now, was=was, now=now, by=BY_OPERATOR)
                )
        return [self.begin(players, now_s), *again, *title, *countdown]

    def after_entry(self, events: Sequence[GameEvent], players: tuple[str, ...]) -> MatchInfo:
        """Return the match after an entry of the journal: its present game may begin, and `players` have new names."""
        match = self
        for event in events:
            if isinstance(event, NewGameEvent):
                match = replace(match, round=event.round, best_of=event.best_of, number=event.number)
        if tuple(each.name for each in match.players) in ((), players):
            return match
        renamed = (replace(each, name=name) for each, name in zip(match.players, players, strict=True))
        return replace(match, players=tuple(renamed))

    def games_won(self, game: Game) -> tuple[float, ...]:
        """Return the games that each player won, with the present one once its points are final."""
        won = self.won or (0.0,) * len(game.players)
        if not is_final(game):
            return won
        return tuple(one + more for one, more in zip(won, count_wins(game.totals), strict=True))

    def is_decided(self, game: Game) -> bool:
        """Check whether nobody can overtake the leader of the match any more."""
        if self.best_of is None:
            return False
        played = self.number if is_final(game) else self.number - 1
        return has_winner(self.games_won(game), played, self.best_of)


def is_final(game: Game) -> bool:
    """Check whether a game is over, and the tiles left, if any, are settled and add up, with no late move."""
    if game.ending in (None, Ending.SETTLED):
        return game.ending is not None and not has_late_move(game) and not has_wrong_settlement(game)
    try:
        return len(game.with_settlement().events) == len(game.events)
    except GameError:  # it is not known what is on the racks
        return False


def has_late_move(game: Game) -> bool:
    """Check whether tiles were played, exchanged or taken back after the settlement, and nobody accepted that."""
    late = [problem.index for problem in game.problems if problem.kind is GameProblemKind.AFTER_THE_END]
    return any(game.steps[index].before.settled and not is_accepted(game.events[index]) for index in late)


def has_wrong_settlement(game: Game) -> bool:
    """Check whether the settlement contradicts the board, and nobody accepted that."""
    wrong = [game.events[problem.index] for problem in game.problems]
    return any(isinstance(event, EndRack | EndBonus) and not is_accepted(event) for event in wrong)


def count_wins(totals: tuple[int, ...]) -> tuple[float, ...]:
    """Return what each player gets for a game: 1 for a win, 1/2 for a shared first place.

    >>> count_wins((425, 362)), count_wins((400, 400))
    ((1.0, 0.0), (0.5, 0.5))
    """
    best = max(totals)
    return tuple((1.0 if totals.count(best) == 1 else 0.5) * (total == best) for total in totals)


def has_winner(won: tuple[float, ...], played: int, best_of: int) -> bool:
    """Check whether a match is over: all games are played, or the leader cannot be reached."""
    first, second = sorted((*won, 0.0), reverse=True)[:2]
    return played >= best_of or first > second + best_of - played


def refuse_succession(_game: object, _words: object) -> None:
    """Refuse the command for a new game where no matches are kept."""
    raise SettingsError("new-game: matches are kept by tilesight serve; give the command there")


def compose_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return names as they are compared with those of other files: accents are composed."""
    return tuple(map(compose_text, names))
