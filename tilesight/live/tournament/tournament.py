"""The matches of all tables: who plays, what the score of each match is, and what follows a game."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import TracebackType

from scoring import CHALLENGE, Game, ScoringError, load_edition
from tilesight.live.game import LiveGame
from tilesight.live.journal import Journal, is_begun
from tilesight.live.match import MatchInfo, compose_names, is_final
from tilesight.live.opening import find_other_score, open_table
from tilesight.live.operator import find_overtime
from tilesight.live.settings import GameSettings
from tilesight.live.tournament.archive import choose_name, find_last_board, load_archive, result_of
from tilesight.live.tournament.event_file import (
    EventSettings,
    FileState,
    find_event_files,
    find_state,
    load_event,
)
from tilesight.live.tournament.results import (
    MAX_BREAK_S,
    GameResult,
    StandingsLine,
    describe_new_title,
    find_match,
    find_new_names,
    list_public,
    list_rosters,
    names_after,
    rank_results,
)
from tilesight.live.tournament.succession import check_complete, check_number, check_words, rotate
from tilesight.output import BY_OPERATOR, ArchivedEvent, NewGameEvent, list_totals
from vision.errors import InputError, SettingsError, VisionError

__all__ = ["Tournament"]

CHECK_FILES_EVERY_S = 2.0
"""Seconds between two checks whether the director's files have changed; chosen."""


@dataclass(slots=True, kw_only=True)
class _Table:
    """A table: its settings, its game, and where its journal and its archive are."""

    settings: GameSettings
    game: LiveGame
    archive: Path


class Tournament:
    """The matches of all tables; used in a ``with`` block, it follows changes of the director's files.

    Parameters
    ----------
    path : Path, optional
        The director's file; without it, tables play single games.
    notify : callable
        Called with one line for the user.
    now : callable
        Seconds since 1970.

    Raises
    ------
    InputError
        If a file cannot be read.
    DataFileError
        If a file is not valid; the message names the line and what to write.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        notify: Callable[[str], None],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._notify = notify
        self._now = now
        self._event = load_event(path) if path is not None else EventSettings()
        self._files = find_event_files(path) if path is not None else ()
        self._changes: tuple[FileState, ...] | None = self._find_changes()
        self._problem = ""
        self._tables: dict[str, _Table] = {}
        self._results: list[GameResult] = []
        self._archives: set[Path] = set()
        # Never held while a game's lock is taken: a game that ends takes this one under its own.
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._is_over = False
        self._thread = threading.Thread(target=self._follow, name="event", daemon=True)

    @property
    def event(self) -> EventSettings:
        """The event as the director's file has it now, with the players by the names that they have at the tables."""
        known, names = self._event.players, self.new_names
        renamed = {now: replace(known[was], name=now) for was, now in names.items() if was in known}
        return replace(self._event, players={**renamed, **known})

    # Tables

    def open_table(self, settings: GameSettings, journal: Path) -> LiveGame:
        """Open the game of a table: the one in its journal, or the next one of its match.

        Parameters
        ----------
        settings : GameSettings
            The table.
        journal : Path
            The journal's file.

        Raises
        ------
        InputError
            If the journal cannot be opened.
        SettingsError
            If the journal belongs to a game of another edition or other players.
        """
        archive = self._event.archive or journal.parent / "archive"
        self._load_archive(archive)
        is_new = not is_begun(journal)
        keeps_game = self._path is not None and not is_new
        last = max((each.last_number for each in self._results if each.table == settings.name), default=0)
        game = open_table(
            settings,
            journal,
            edition=self._edition_name(settings),
            players=None if keeps_game else self._first_players(settings, is_new=is_new),
            first_number=last + 1,
            any_rule=keeps_game,
            now=self._now,
        )
        if settings.racks_px and len(settings.racks_px) != len(game.state.game.players):
            game.close()
            raise SettingsError(
                f"table {settings.name}: racks names {len(settings.racks_px)} places for "
                f"{len(game.state.game.players)} players; give one each"
            )
        entries = game.journal.history(game.state.edition) if game.journal is not None else ()
        if other_score := find_other_score(entries):
            self._notify(f"table {settings.name}: {other_score}")
        table = _Table(settings=settings, game=game, archive=archive)
        with self._lock:
            self._tables[settings.name] = table
        game.succession = self._begin_next
        self._resume_match(table)
        wanted, players = self._wanted_players(settings), compose_names(game.state.game.players)
        if keeps_game and sorted(wanted) != sorted(players):
            self._notify(
                f"table {settings.name}: the journal holds {' – '.join(players)}; "
                f"{' – '.join(wanted)} play after the next new-game"
            )
        elif not keeps_game and wanted != players:
            swapped = (
                f"{archive} has their game before, so sides are swapped; name another folder for a new match"
            )
            why = swapped if is_new else "that of the journal; until a game counts, new-game void changes it"
            self._notify(f"table {settings.name}: the order of play is {' – '.join(players)}: {why}")
        return game

    def _load_archive(self, folder: Path) -> None:
        if folder in self._archives:
            return
        self._archives.add(folder)
        results = [*self._results, *load_archive(folder, self._notify, self._now())]
        self._results = sorted(results, key=lambda result: result.at_s)

    def _edition_name(self, settings: GameSettings) -> str:
        rule = self._event.challenge
        return f"{settings.edition}{CHALLENGE}{rule}" if rule else settings.edition

    def _wanted_players(self, settings: GameSettings) -> tuple[str, ...]:
        """Return who is to play at a table, by the names that they have there."""
        given = self._given_players(settings)
        present = self._present_names(settings.name, given)
        return tuple(present[name] for name in given)

    def _given_players(self, settings: GameSettings) -> tuple[str, ...]:
        return self._event.table(settings.name).players or settings.players

    def _present_names(self, table: str, names: Iterable[str]) -> dict[str, str]:
        """Return what the players of a table are called now, by names that they have or had."""
        if table not in self._tables:
            return {name: name for name in names}
        state = self._tables[table].game.state
        is_same_round = self._event.table(table).round == state.match.round
        renamed = state.renamed if is_same_round else self.new_names.items()  # a seat is taken for one round
        return names_after(names, state.game.players, renamed)

    def _first_players(self, settings: GameSettings, *, is_new: bool) -> tuple[str, ...]:
        """Return who plays a new journal's game: after a game of the match, with swapped sides."""
        wanted = self._wanted_players(settings)
        match = self._find_match(settings.name, self._event.table(settings.name).round, wanted)
        return rotate(tuple(match[-1].totals)) if is_new and match else wanted

    def _named_results(self) -> list[GameResult]:
        """Return the results with the names that their players have now at the same table, in the same round."""
        states = {name: table.game.state for name, table in list(self._tables.items())}
        return [
            each.rename(states[each.table].game.players, states[each.table].renamed)
            if each.table in states
            and (each.event, each.round) == (self._event.title, states[each.table].match.round)
            else each
            for each in self._results
        ]

    def _archived(self) -> list[GameResult]:
        """Return the results of the event's archived games; without a title, of the last hours."""
        title = self._event.title
        since_s = 0.0 if title else self._now() - MAX_BREAK_S
        return [each for each in self._named_results() if each.event == title and each.at_s >= since_s]

    @property
    def new_names(self) -> dict[str, str]:
        """The newest names of players who were renamed at any table, by former names that are nobody else's."""
        tables, archived = list(self._tables.values()), self._archived()
        states = [table.game.state for table in tables]
        renamed = chain(*(each.renamed for each in archived), *(state.renamed for state in states))
        present = [
            GameResult(totals=list_totals(state.game), round=state.match.round)
            for state in states
            if state.match.round
        ]
        rosters = list_rosters([*self._event.results, *archived, *present])
        given = Counter(chain(*(self._given_players(table.settings) for table in tables)))
        found = find_new_names(renamed, [self._event.players, *rosters])
        return {was: now for was, now in found.items() if given[was] < 2}

    def _find_match(self, table: str, round_: str, players: Sequence[str]) -> list[GameResult]:
        place = (self._event.title, round_, table)
        return find_match(self._named_results(), place=place, players=players, now_s=self._now())

    # Matches

    def _resume_match(self, table: _Table) -> None:
        """Set the match of a game that was opened: its own round, if its journal names one."""
        game, planned = table.game, self._event.table(table.settings.name)
        events = chain(*(state.events for _, state in game.loaded_states))
        begun = [event for event in events if isinstance(event, NewGameEvent)]
        if begun:
            planned = replace(planned, round=begun[-1].round, best_of=begun[-1].best_of)
        players = compose_names(game.state.game.players)
        match = self._describe(self.event, table, players, planned.round, planned.best_of)
        is_new = not game.state.game.events
        last = find_last_board(table.archive, table.settings.name) if begun and is_new else None
        game.set_match(match, begins=self._path is not None and not begun and is_new, last=last)

    def _describe(
        self, event: EventSettings, table: _Table, players: tuple[str, ...], round_: str, best_of: int | None
    ) -> MatchInfo:
        """Describe the match of a table from the results so far; the event is as `event` returns it."""
        name = table.settings.name
        match = self._find_match(name, round_, players)
        wanted = self._wanted_players(table.settings)
        is_known = sorted(wanted) == sorted(players)
        return MatchInfo(
            event=event.title,
            round=round_,
            table=event.table(name).label,
            best_of=best_of,
            number=len(match) + 1,
            won=tuple(sum(result.wins[player] for result in match) for player in players),
            players=tuple(event.player(player) for player in players),
            seats=tuple(wanted.index(player) for player in players) if is_known else (),
            starts_s=event.starts_s,
            overtime=event.overtime,
            problem=self._problem,
        )

    def _begin_next(self, game: LiveGame, words: Sequence[str]) -> None:
        """Archive a game, and begin the next one at its table; called under the lock of the game."""
        check_words(words)
        self._reload()
        state = game.state
        if not words:
            check_complete(
                state.game, find_overtime(state.game, state.clocks(self._now()), state.match.overtime)
            )
        with self._lock:
            table = self._tables[state.name]
            counted = "void" not in words and bool(state.game.events)
            last = ArchivedEvent(
                event=state.match.event,
                table=state.name,
                round=state.match.round,
                number=state.match.number,
                best_of=state.match.best_of,
                totals=list_totals(state.game),
                counted=counted,
                at_s=round(self._now(), 3),
                by=BY_OPERATOR,
            )
            kept = list(self._results)
            if counted:
                result = result_of(last, state.sequence + 1, state.renamed)
                self._results = [*self._named_results(), result]
            try:
                self._succeed(table, last)
            except BaseException:
                self._results = kept
                raise
        self._wake.set()

    def _succeed(self, table: _Table, last: ArchivedEvent) -> None:
        """Put the next game of a table in the place of the one that is over."""
        state, planned = table.game.state, self._event.table(table.settings.name)
        players, wanted = compose_names(state.game.players), self._wanted_players(table.settings)
        if sorted(wanted) != sorted(players) or planned.round != state.match.round:
            following = wanted
        elif last.counted:
            following = rotate(players)
        else:  # until a game of the match counts, the order of play may be corrected
            following = players if self._find_match(table.settings.name, planned.round, players) else wanted
        check_number(following, players, table.settings.name)
        edition = self._edition_name(table.settings)
        try:
            game = Game(edition=load_edition(edition), players=following)
        except ScoringError as error:
            raise SettingsError(f"new-game: {error}") from error
        match = self._describe(self.event, table, following, planned.round, planned.best_of)
        target = choose_name(table.archive, table.settings.name, self._now())

        # The journal begins with the names of the settings, so that the same command goes on with it.
        given = self._present_names(table.settings.name, self._given_players(table.settings))
        first = {now: was for was, now in given.items()}

        def archive(journal: Journal) -> None:
            journal.archive(target, edition=edition, players=[first.get(name, name) for name in following])

        table.game.begin_next(game, match, last, archive)

    # The director's files

    def refresh(self) -> None:
        """Read the director's files if they have changed, and tell every table."""
        self._reload()
        with self._lock:
            found, event = [], self.event
            for table in self._tables.values():
                state, planned = table.game.state, self._event.table(table.settings.name)
                wanted, players = self._wanted_players(table.settings), compose_names(state.game.players)
                # A game that has begun keeps its round, also if all is undone; other players are those of the next.
                has_begun = bool(state.game.events) or state.redoable
                is_next = has_begun or sorted(wanted) != sorted(players)
                of_round = state.match if is_next else planned
                round_, best_of = of_round.round, of_round.best_of
                begins = (round_, best_of) != (state.match.round, state.match.best_of)
                match = self._describe(event, table, players, round_, best_of)
                found.append((table.game, state.game, match, begins))
        for game, of, match, begins in found:
            with contextlib.suppress(InputError):  # a journal that cannot be written is tried again
                game.set_match(match, of=of, begins=begins)

    def _reload(self) -> None:
        if self._path is None:
            return
        with self._lock:
            if self._changes == self._find_changes():
                return
            self._files = find_event_files(self._path)
            changes, is_read = self._find_changes(), True
            try:
                event = load_event(self._path)
                if unknown := self._find_unknown(event.tables.keys() - self._event.tables.keys()):
                    raise SettingsError(unknown[0])
                self._problem = describe_new_title(self._path, self._event.title, event.title, self._results)
                self._event = event
                if self._problem:
                    self._notify(self._problem)
            except (VisionError, ScoringError) as error:
                is_read = not isinstance(error, InputError)  # rights, or a drive, change without the file
                if is_read or str(error) != self._problem:
                    self._notify(f"{error}; the event goes on as it was read before")
                self._problem = str(error)
            self._changes = changes if is_read else None

    def _find_unknown(self, names: Iterable[str]) -> list[str]:
        """Say which tables that the director names are not here."""
        here = ", ".join(self._tables)
        return [
            f"{self._path}: there is no table {name} here; the tables are {here}"
            for name in sorted(names)
            if self._tables and name not in self._tables
        ]

    def _find_changes(self) -> tuple[FileState, ...]:
        """Return the state of each of the director's files."""
        return tuple(map(find_state, self._files))

    def _follow(self) -> None:
        while not self._is_over:
            self._wake.wait(CHECK_FILES_EVERY_S)
            self._wake.clear()
            self.refresh()

    def __enter__(self) -> Tournament:
        for message in self._find_unknown(self._event.tables.keys()):
            self._notify(message)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        self._wake.set()
        self._thread.join(5.0)

    # Results

    @property
    def standings(self) -> list[StandingsLine]:
        """The standings of the event as viewers may see them, with games that are over and not yet archived."""
        return self._rank(self._event.results)

    @property
    def own_standings(self) -> list[StandingsLine]:
        """The standings without the file of results; who plays only there is listed, with no games, for a hub."""
        own = {line.name: line for line in self._rank(())}
        return [
            own.get(line.name, replace(line, games=0, wins=0.0, spread=0, points=0))
            for line in self.standings
        ]

    def _rank(self, listed: Iterable[GameResult]) -> list[StandingsLine]:
        tables = list(self._tables.values())
        delays_s = {table.settings.name: table.settings.delay_s for table in tables}
        archived = list_public(self._archived(), delays_s, self._now())
        games = [table.game.state.game for table in tables if not table.settings.delay_s]
        present = [GameResult(totals=list_totals(game)) for game in games if is_final(game)]
        names = self.new_names
        return rank_results(each.with_names(names) for each in (*listed, *archived, *present))
