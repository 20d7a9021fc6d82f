"""The tables of other machines, as a broker brings them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain

from starlette.concurrency import run_in_threadpool

from tilesight.live import GameResult, find_new_names, find_places, list_rosters, rank_results, steady_s
from tilesight.web.hub.broker import Broker, BrokerConnection
from tilesight.web.hub.messages import MachineMessage, TableMessage, Topics, parse_message
from tilesight.web.hub.remote_table import RemoteTable
from tilesight.web.hub.settings import SETTINGS
from tilesight.web.schemas import EventView, StandingView

__all__ = ["RemoteTables"]


@dataclass(slots=True, kw_only=True)
class Machine:
    """A machine as it was last heard of.

    Parameters
    ----------
    is_connected : bool
        Whether the broker says that it is.
    heard_s : float
        The hub's monotonic time of the last message.
    run : str
        Its run.
    offset_s : float or None
        The hub's monotonic time less the time of that run; None as long as it is not known.
    was_here : bool
        Whether it was connected since the hub started.
    about : MachineMessage or None
        The last message about it while it was connected, with its event; also one that the broker kept.
    other_run : str
        Another run that was heard since this one; empty for none.
    twin_s : float
        The hub's monotonic time at which both runs were last heard.
    """

    is_connected: bool = False
    heard_s: float = float("-inf")
    run: str = ""
    offset_s: float | None = None
    was_here: bool = False
    about: MachineMessage | None = None
    other_run: str = ""
    twin_s: float = float("-inf")

    def is_another(self, run: str, now_s: float) -> bool:
        """Whether this is the run of another machine of the same name, since this one is still heard."""
        is_heard = self.is_connected and now_s - self.heard_s < SETTINGS.silence_s
        return is_heard and run not in ("", self.run)  # an older version names none where it is lost


class RemoteTables:
    """The tables of all machines that publish to a broker.

    Parameters
    ----------
    broker : Broker
        The broker.
    notify : callable
        Called with one line for the user.
    now : callable
        Seconds since 1970.
    monotonic : callable
        Seconds that no step of the computer's clock changes, and that run on while it sleeps.
    """

    def __init__(
        self,
        broker: Broker,
        notify: Callable[[str], None],
        now: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = steady_s,
    ) -> None:
        self.tables: dict[str, RemoteTable] = {}
        self._topics = Topics(broker.root)
        self._notify = notify
        self._now = now
        self._monotonic = monotonic
        self._machines: dict[str, Machine] = {}
        self._refused: set[str] = set()
        self._joined: tuple[list[MachineMessage], list[StandingView]] = [], []
        """The messages whose standings were joined, and the joined ones."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watch: asyncio.Task[None] | None = None
        self._connection = BrokerConnection(broker, notify)
        self._connection.on_connected = lambda: self._connection.subscribe(self._topics.all)
        self._connection.on_message = self._pass_on

    @property
    def problem(self) -> str:
        """Why the broker is not there or refuses, or which machines have one name; empty if all is well."""
        since_s = self._monotonic() - SETTINGS.silence_s
        twins = [name for name, machine in sorted(self._machines.items()) if machine.twin_s > since_s]
        if not self._connection.is_connected and self._connection.problem:
            return self._connection.problem
        if self._connection.refusal:
            return self._connection.refusal
        return _describe_twins(twins[0]) if twins else ""

    @property
    def away(self) -> list[str]:
        """The tables whose machines are not connected."""
        return [table.name for table in self.tables.values() if not table.is_connected]

    def event(self) -> EventView:
        """Return the event of all machines, with one table of standings; the round is that of connected ones."""
        machines = [machine for _, machine in sorted(self._machines.items())]
        abouts = [machine.about for machine in machines if machine.about is not None]
        connected = [
            machine.about for machine in machines if machine.about is not None and machine.is_connected
        ]
        events = list_events(connected) or list_events(abouts)
        first = next((event for event in events if event.title), None)
        starts = [event.starts_s for event in events if event.starts_s is not None]
        return EventView(
            title=first.title if first is not None else "",
            round=first.round if first is not None else "",
            starts_s=min(starts, default=None),
            now_s=round(self._now(), 3),
            standings=self._join_standings(abouts),
        )

    def _join_standings(self, abouts: list[MachineMessage]) -> list[StandingView]:
        """Return the standings of all machines, which are joined once for all viewers of the same messages."""
        known, joined = self._joined
        if list(map(id, known)) != list(map(id, abouts)):
            joined = join_standings(list_standings(abouts))
            self._joined = abouts, joined
        return joined

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start to take messages, in this event loop."""
        self._loop = loop
        self._watch = loop.create_task(self._watch_machines())
        self._connection.start()

    async def close(self) -> None:
        """Disconnect all viewers, and the broker."""
        if self._watch is not None:
            self._watch.cancel()
        for table in self.tables.values():
            table.close()
        await run_in_threadpool(self._connection.stop)

    def _pass_on(self, topic: str, payload: bytes, is_kept: bool) -> None:
        """Pass a message from the connection's thread to the event loop."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(lambda: self.take(topic, payload, is_kept=is_kept))

    def take(self, topic: str, payload: bytes, *, is_kept: bool = False) -> None:
        """Take a message of the broker.

        Parameters
        ----------
        topic : str
            Its topic.
        payload : bytes
            The message.
        is_kept : bool
            Whether the broker kept it, so that it may be old.
        """
        found = self._topics.parse(topic)
        if found is None:
            return
        name, table = found
        if not payload:  # removed from the broker
            if topic == self._topics.event(name):
                self._forget(name)
            return
        if name not in self._machines and len(self._machines) >= SETTINGS.max_machines:
            self._refuse(topic, f"more than {SETTINGS.max_machines} machines")
            return
        machine = self._machines.setdefault(name, Machine())
        if table is None:
            about = parse_message(MachineMessage, payload)
            if about is None:
                self._refuse(
                    topic, "not a message of this version of Tilesight; install the same on all machines"
                )
            elif topic == self._topics.event(name):
                self._take_event(machine, about)
            else:
                self._take_machine(name, machine, about, is_kept=is_kept)
            return
        message = parse_message(TableMessage, payload)
        if message is None or message.line.table != table:
            self._refuse(
                topic, "not a message of this version of Tilesight; install the same on all machines"
            )
        else:
            self._take_table(name, machine, message)

    def _refuse(self, topic: str, reason: str) -> None:
        """Report what is refused, once a topic."""
        if topic not in self._refused and len(self._refused) < SETTINGS.max_machines:
            self._refused.add(topic)
            self._notify(f"{topic}: {reason}")

    def _forget(self, name: str) -> None:
        """Forget a machine and its tables, unless it is connected."""
        machine = self._machines.get(name)
        if machine is not None and not machine.is_connected:
            del self._machines[name]
            for table in self._tables_of(name):
                self.tables.pop(table.name).close()

    def _take_event(self, machine: Machine, about: MachineMessage) -> None:
        """Take the event of a machine, which may not be connected any more."""
        is_new = machine.about is None or machine.about.now_s < about.now_s
        is_old = self._now() - about.now_s > SETTINGS.max_age_s
        if is_new and not is_old and not machine.is_another(about.run, self._monotonic()):
            machine.about = about

    def _take_machine(self, name: str, machine: Machine, about: MachineMessage, *, is_kept: bool) -> None:
        """Take the message of a machine, or of another one of its name; show whether it is connected."""
        if machine.is_another(about.run, self._monotonic()):
            if about.connected:
                machine.other_run = about.run
            return
        # a run that is not connected may be the will of a connection that ended long ago
        is_heard_again = about.connected and not is_kept and about.run == machine.run
        if machine.other_run and is_heard_again:
            if machine.twin_s == float("-inf"):
                self._notify(_describe_twins(name))
            machine.twin_s, machine.other_run = self._monotonic(), ""
        was_connected = machine.is_connected
        is_old = is_kept and self._now() - about.now_s > SETTINGS.max_age_s
        machine.is_connected = about.connected and not is_old
        if machine.is_connected:
            self._take_connected(name, machine, about, is_kept=is_kept)
        else:
            machine.offset_s = None  # it may come back from a sleep: its next message dates its tables anew
        if machine.is_connected != was_connected:
            self._show_connection(name)

    def _take_connected(self, name: str, machine: Machine, about: MachineMessage, *, is_kept: bool) -> None:
        """Take the message of a connected machine, close the tables that it has no more, and ask for missed ones."""
        machine.heard_s, machine.was_here = self._monotonic(), True
        if about.run != machine.run:
            machine.run, machine.other_run, machine.offset_s = about.run, "", None
        if not is_kept:
            self._find_offset(name, machine, about)
        machine.about = about
        for table in self._tables_of(name):
            if table.name.partition(".")[2] not in about.tables:
                self.tables.pop(table.name).close()
        self._ask_for_missed(name, about)

    def _find_offset(self, name: str, machine: Machine, about: MachineMessage) -> None:
        """Find a machine's time; messages that came before it was known are dated anew, others never are."""
        is_first, machine.offset_s = machine.offset_s is None, self._monotonic() - about.now_s
        for table in self._tables_of(name) if is_first else ():
            if table.message.run == about.run:
                table.date_anew(self._date(machine, table.message))

    def _date(self, machine: Machine, message: TableMessage) -> float:
        """Return the hub's monotonic time at which a message was made."""
        now_s = self._monotonic()
        offset_s = machine.offset_s if message.run == machine.run else None
        return min(now_s, message.now_s + (now_s - self._now() if offset_s is None else offset_s))

    def _tables_of(self, machine: str) -> list[RemoteTable]:
        return [table for table in self.tables.values() if table.name.partition(".")[0] == machine]

    def _ask_for_missed(self, name: str, about: MachineMessage) -> None:
        """Ask the broker again for messages of which the machine says that there are newer ones."""
        missed = []
        for table, revision in list(about.tables.items())[: SETTINGS.max_tables]:
            known = self.tables.get(f"{name}.{table}")
            is_missed = known is None or known.message.run != about.run or known.message.revision < revision
            if revision and is_missed:
                missed.append(self._topics.table(name, table))
        if missed:
            self._connection.subscribe(missed)

    def _take_table(self, name: str, machine: Machine, message: TableMessage) -> None:
        if machine.is_another(message.run, self._monotonic()):
            return
        full_name = f"{name}.{message.line.table}"
        known = self.tables.get(full_name)
        if known is not None:
            if message.run == known.message.run and message.revision <= known.message.revision:
                return  # sent again after a connection
            known.take(message, self._date(machine, message))
            return
        if len(self._tables_of(name)) >= SETTINGS.max_tables:
            self._refuse(full_name, f"a machine has up to {SETTINGS.max_tables} tables")
            return
        if not machine.was_here and self._now() - message.now_s > SETTINGS.max_age_s:
            return
        self.tables[full_name] = RemoteTable(
            full_name,
            name,
            message,
            made_s=self._date(machine, message),
            monotonic=self._monotonic,
            is_connected=lambda: machine.is_connected,
        )
        self.tables = dict(sorted(self.tables.items()))

    def _show_connection(self, name: str) -> None:
        for table in self._tables_of(name):
            table.show_connection()

    async def _watch_machines(self) -> None:
        """Count machines as not connected that have been silent, while the broker is there."""
        while True:
            await asyncio.sleep(1.0)
            for name, machine in self._machines.items():
                is_silent = self._monotonic() - machine.heard_s > SETTINGS.silence_s
                if machine.is_connected and is_silent and self._connection.is_connected:
                    machine.is_connected, machine.offset_s = False, None
                    self._show_connection(name)


def _describe_twins(machine: str) -> str:
    return f"two machines publish as {machine}; give one of them another --machine NAME"


def list_events(abouts: Iterable[MachineMessage]) -> list[EventView]:
    """List the machines' events that viewers see something of."""
    events = [about.event for about in abouts if about.event is not None]
    return [event for event in events if event.title or event.starts_s is not None]


def list_standings(abouts: Sequence[MachineMessage]) -> Iterator[StandingView]:
    """Yield the standings of the machines' files of results, then the machines' own, with the newest names.

    A game that several files list counts once.
    """
    games: dict[tuple[str, frozenset[tuple[str, int]]], GameResult] = {}
    for about in abouts:
        for round_, player, points, opponent, opponent_points in about.results:
            result = GameResult(round=round_, totals={player: points, opponent: opponent_points})
            games[round_, frozenset(result.totals.items())] = result
    own = [about.event.standings for about in abouts if about.event is not None]
    rosters = [*list_rosters(games.values()), *([line.name for line in each if line.games] for each in own)]
    names = find_new_names(chain(*(about.renamed.items() for about in abouts)), rosters)
    for result_line in rank_results(result.with_names(names) for result in games.values()):
        yield StandingView(**asdict(result_line))
    for line in chain(*own):
        yield line.model_copy(update={"name": names.get(line.name, line.name)})


def join_standings(lines: Iterable[StandingView]) -> list[StandingView]:
    """Join the standings of machines: a player's games are added, and all are ranked anew."""
    joined: dict[str, StandingView] = {}
    for line in lines:
        known = joined.get(line.name)
        if known is not None:
            sums = ("games", "wins", "spread", "points")
            facts = ("rating", "club", "flag")  # not every machine has the list of players
            line = line.model_copy(
                update={name: getattr(line, name) + getattr(known, name) for name in sums}
                | {name: getattr(line, name) or getattr(known, name) for name in facts}
            )
        joined[line.name] = line
    played = {line.name: line for line in joined.values() if line.games}
    places = find_places({name: (line.wins, line.spread) for name, line in played.items()})
    return [played[name].model_copy(update={"place": place}) for name, place in places.items()]
