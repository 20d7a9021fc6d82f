"""The tables of other machines, as a broker brings them; a hub's viewers see them as they see tables of its own."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from scoring import GameError
from tilesight.live import format_clock
from tilesight.web.hub.broker import Broker, BrokerConnection
from tilesight.web.hub.messages import Entry, MachineMessage, TableMessage, Topics, parse_message
from tilesight.web.hub.settings import SETTINGS
from tilesight.web.schemas import (
    ClockView,
    EditionView,
    EventView,
    HallTable,
    StandingView,
    Status,
    TableLine,
    TableView,
)
from tilesight.web.settings import SETTINGS as WEB_SETTINGS
from tilesight.web.sse import SseBroadcaster, format_change, format_message

__all__ = ["RemoteTable", "RemoteTables"]

_CLOCK_FIELD = re.compile(r"p([1-9])_clock")


@dataclass(slots=True, kw_only=True)
class Machine:
    """A machine as it was last heard of.

    Parameters
    ----------
    is_connected : bool
        Whether the broker says that it is.
    heard_s : float
        The hub's time of the last message.
    offset_s : float
        The hub's time less the machine's.
    was_here : bool
        Whether it was connected since the hub started.
    event : EventView or None
        Its event.
    """

    is_connected: bool = False
    heard_s: float = float("-inf")
    offset_s: float = 0.0
    was_here: bool = False
    event: EventView | None = None


class RemoteTable:
    """A table of another machine.

    Parameters
    ----------
    name : str
        Its name on the hub: ``MACHINE.TABLE``.
    machine : str
        The machine's name.
    message : TableMessage
        The table.
    now : callable
        The machine's time, in seconds since 1970.
    is_connected : callable
        Whether the machine is connected.
    """

    delay_s = 0.0

    def __init__(
        self,
        name: str,
        machine: str,
        message: TableMessage,
        now: Callable[[], float],
        is_connected: Callable[[], bool],
    ) -> None:
        self.name = name
        self._machine = machine
        self._message = message
        self._now = now
        self._is_connected = is_connected
        self._viewers = SseBroadcaster()
        self._recent: deque[Entry] = deque(message.recent, WEB_SETTINGS.max_replayed)

    @property
    def message(self) -> TableMessage:
        """The newest message."""
        return self._message

    @property
    def is_connected(self) -> bool:
        """Whether the machine is connected."""
        return self._is_connected()

    @property
    def language(self) -> str:
        """The language of the table's pages."""
        return self._message.language

    def line(self) -> TableLine:
        """Return the table's entry in the list of tables."""
        line = self._message.line
        return line.model_copy(
            update={
                "table": self.name,
                "machine": self._machine,
                "watching": line.watching and self._is_connected(),
            }
        )

    def view(self) -> TableView:
        """Return the table as viewers see it now: clocks run on while nothing is sent."""
        message = self._message
        elapsed_s = max(0.0, self._now() - message.now_s)
        view = message.view
        return view.model_copy(
            update={
                "table": self.name,
                "now_s": round(view.now_s + elapsed_s, 3),
                "players": [
                    player.model_copy(update={"clock": _clock_at(player.clock, elapsed_s)})
                    for player in view.players
                ],
                "watching": view.watching and self._is_connected(),
            }
        )

    def hall(self) -> HallTable:
        """Return the table for the page of the hall."""
        message = self._message
        elapsed_s = max(0.0, self._now() - message.now_s)
        players = [
            player.model_copy(update={"clock": _clock_at(player.clock, elapsed_s)})
            for player in message.hall.players
        ]
        update = {
            "table": self.name,
            "players": players,
            "watching": message.hall.watching and self._is_connected(),
            "now_s": round(message.hall.now_s + elapsed_s, 3),
        }
        return message.hall.model_copy(update=update)

    def edition(self) -> EditionView:
        """Return what does not change during the game."""
        return self._message.edition

    def gcg(self) -> str:
        """Return the game so far in GCG.

        Raises
        ------
        GameError
            If it has no such form.
        """
        if not self._message.gcg:
            raise GameError(self._message.gcg_message)
        return self._message.gcg

    def field(self, name: str) -> str:
        """Return a text field; nothing if the table's machine sends none of that name, as an older version does."""
        clock = _CLOCK_FIELD.fullmatch(name)
        if clock is not None:
            players = self.view().players
            number = int(clock[1]) - 1
            shown = players[number].clock if number < len(players) else None
            return format_clock(shown.left_s) if shown is not None else ""
        return self._message.fields.get(name, "")

    async def listen(self, last: int | None, *, for_operator: bool) -> AsyncGenerator[bytes, None]:
        """Yield the events of one viewer; see `GameStream.listen`."""
        assert not for_operator  # a hub has no operators
        with self._viewers.subscribe() as queue:
            sequence = self._message.view.sequence
            missed = [entry for entry in self._recent if entry.number > (sequence if last is None else last)]
            yield f"retry: {WEB_SETTINGS.retry_ms}\n\n".encode()
            for entry in missed[:-1]:
                yield format_change(entry.number, entry.events, None)
            yield format_change(sequence, missed[-1].events if missed else [], self.view())
            async for data in self._viewers.messages(queue, sequence):
                yield data

    def take(self, message: TableMessage) -> None:
        """Take a newer message, and send its changes to the viewers."""
        before, self._message = self._message, message
        sequence = message.view.sequence
        if sequence < before.view.sequence:  # another game
            self._recent = deque(message.recent, WEB_SETTINGS.max_replayed)
            self._viewers.restart()
            return
        new = [entry for entry in message.recent if entry.number > before.view.sequence]
        self._recent.extend(new)
        for entry in new[:-1]:
            self._viewers.send(format_change(entry.number, entry.events, None), entry.number)
        events = new[-1].events if new else []
        number = sequence if sequence > before.view.sequence else None
        moments = message.moments if new else []
        self._viewers.send(format_change(sequence, events, self.view(), moments), number)

    def show_connection(self) -> None:
        """Send the viewers whether the table's camera is watching, after the machine came or went."""
        watching = self._message.view.watching and self._is_connected()
        self._viewers.send(format_message("status", Status(watching=watching).model_dump_json()))

    def close(self) -> None:
        """Disconnect all viewers."""
        self._viewers.end()


def _clock_at(clock: ClockView | None, elapsed_s: float) -> ClockView | None:
    """Return a clock some seconds later."""
    if clock is None or not clock.running:
        return clock
    return ClockView(left_s=round(clock.left_s - elapsed_s, 3), running=True)


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
    """

    def __init__(
        self, broker: Broker, notify: Callable[[str], None], now: Callable[[], float] = time.time
    ) -> None:
        self.tables: dict[str, RemoteTable] = {}
        self._topics = Topics(broker.root)
        self._notify = notify
        self._now = now
        self._machines: dict[str, Machine] = {}
        self._refused: set[str] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watch: asyncio.Task[None] | None = None
        self._connection = BrokerConnection(broker, notify)
        self._connection.on_connected = lambda: self._connection.subscribe(self._topics.all)
        self._connection.on_message = self._pass_on

    @property
    def problem(self) -> str:
        """Why the broker is not there; empty if it is."""
        return self._connection.problem

    @property
    def away(self) -> list[str]:
        """The tables whose machines are not connected."""
        return [table.name for table in self.tables.values() if not table.is_connected]

    def event(self) -> EventView:
        """Return the event of all machines, with one table of standings."""
        events = [machine.event for _, machine in sorted(self._machines.items()) if machine.event is not None]
        first = next((event for event in events if event.title), None)
        starts = [event.starts_s for event in events if event.starts_s is not None]
        return EventView(
            title=first.title if first is not None else "",
            round=first.round if first is not None else "",
            starts_s=min(starts, default=None),
            now_s=round(self._now(), 3),
            standings=join_standings([line for event in events for line in event.standings]),
        )

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
        if found is None or not payload:
            return
        name, table = found
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

    def _take_machine(self, name: str, machine: Machine, about: MachineMessage, *, is_kept: bool) -> None:
        was_connected, now_s = machine.is_connected, self._now()
        is_old = is_kept and now_s - about.now_s > SETTINGS.max_age_s
        machine.is_connected = about.connected and not is_old
        if machine.is_connected:
            machine.heard_s, machine.was_here = now_s, True
            if not is_kept:
                machine.offset_s = now_s - about.now_s
            machine.event = about.event
            for table in self._tables_of(name):
                if table.name.partition(".")[2] not in about.tables:
                    self.tables.pop(table.name).close()
            self._ask_for_missed(name, about)
        if machine.is_connected != was_connected:
            self._show_connection(name)

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
        full_name = f"{name}.{message.line.table}"
        known = self.tables.get(full_name)
        if known is not None:
            if message.run == known.message.run and message.revision <= known.message.revision:
                return  # sent again after a connection
            known.take(message)
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
            now=lambda: self._now() - machine.offset_s,
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
                is_silent = self._now() - machine.heard_s > SETTINGS.silence_s
                if machine.is_connected and is_silent and self._connection.is_connected:
                    machine.is_connected = False
                    self._show_connection(name)


def join_standings(lines: Sequence[StandingView]) -> list[StandingView]:
    """Join the standings of machines: a player's games are added, and all are ranked by wins, then by spread."""
    joined: dict[str, StandingView] = {}
    for line in lines:
        known = joined.get(line.name)
        if known is not None:
            line = line.model_copy(
                update={
                    name: getattr(line, name) + getattr(known, name)
                    for name in ("games", "wins", "spread", "points")
                }
            )
        joined[line.name] = line
    order = sorted(joined.values(), key=lambda line: (-line.wins, -line.spread, line.name))
    ranks = [(-line.wins, -line.spread) for line in order]
    return [
        line.model_copy(update={"place": 1 + ranks.index(rank)})
        for line, rank in zip(order, ranks, strict=True)
    ]
