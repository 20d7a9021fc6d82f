"""Publishes the tables of a machine: what viewers see, when they see it.

The publisher gets each state where viewers get it, after the delays of the table and of its racks. What is secret is
never sent before.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from starlette.concurrency import run_in_threadpool

from scoring import GameError, format_gcg
from tilesight.live import FIELDS, GameState, Moment, Tournament, find_offset, format_field, steady_s
from tilesight.web.hub.broker import Broker, BrokerConnection
from tilesight.web.hub.messages import Entry, MachineMessage, TableMessage, Topics, parse_message
from tilesight.web.hub.settings import SETTINGS
from tilesight.web.serializers import (
    filter_event,
    serialize_edition,
    serialize_for_hall,
    serialize_for_viewers,
    serialize_line,
    serialize_moment,
    serialize_tournament,
)
from tilesight.web.sse import GameStream
from vision.errors import InputError

__all__ = ["Publisher", "describe_event", "make_message"]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What viewers see of a state apart from running clocks: it is published when this differs.

    Parameters
    ----------
    state : GameState
        The state.
    racks : tuple of tuple of str
        The racks that viewers see.
    """

    state: GameState
    racks: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, state: GameState, now_s: float) -> Seen:
        """Return what viewers see of a state at `now_s`."""
        return cls(state, state.shown_racks(now_s))

    def __eq__(self, other: object) -> bool:
        """Compare; games and what operators know are values that a change replaces."""
        if not isinstance(other, Seen):
            return NotImplemented
        one, two = self.state, other.state
        return (
            one.game is two.game
            and one.operator is two.operator
            and one.match == two.match
            and (one.sequence, one.watching, self.racks) == (two.sequence, two.watching, other.racks)
        )


class Publisher:
    """Publishes the tables of this machine.

    Parameters
    ----------
    broker : Broker
        The broker.
    machine : str
        The machine's name, which no other one has.
    notify : callable
        Called with one line for the user.
    """

    def __init__(self, broker: Broker, machine: str, notify: Callable[[str], None]) -> None:
        self.machine = machine
        self._topics = Topics(broker.root)
        self._offset_s = find_offset()
        self._notify = notify
        self._run = secrets.token_hex(8)
        self._lost_message = MachineMessage(connected=False, run=self._run).model_dump_json().encode()
        self._revisions = itertools.count(1)
        self._streams: Mapping[str, GameStream] = {}
        self._tournament: Tournament | None = None
        self._latest: dict[str, tuple[int, bytes]] = {}
        self._sent: dict[str, int] = {}
        """The revision of each table that the broker got: a hub would ask for any other one again and again."""
        self._seen: dict[str, Seen] = {}
        self._waiting: dict[str, tuple[GameState, Sequence[Moment]]] = {}
        self._wake = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._connection = BrokerConnection(
            broker,
            notify,
            will=(self._topics.about(machine), self._lost_message),
        )
        self._connection.on_connected = self._publish_all
        self._connection.on_message = self._hear
        self._has_namesake = False
        self._hears_itself = False
        self._kept_tables: set[str] = set()
        """The tables of which the broker kept a message when it was connected."""
        self._check: asyncio.TimerHandle | None = None

    def open(
        self,
        loop: asyncio.AbstractEventLoop,
        streams: Mapping[str, GameStream],
        tournament: Tournament | None = None,
    ) -> None:
        """Start to publish.

        Parameters
        ----------
        loop : AbstractEventLoop
            The event loop in which that is done.
        streams : mapping of str to GameStream
            The tables.
        tournament : Tournament, optional
            The event of which the tables are part.
        """
        self._loop, self._streams, self._tournament = loop, streams, tournament
        for name, stream in streams.items():
            stream.add_viewer(self._take)
            self._waiting[name] = stream.shown.state, ()
        self._wake.set()
        self._tasks = [loop.create_task(self._publish_waiting()), loop.create_task(self._beat())]
        self._connection.start()

    def _now(self) -> float:
        """Return seconds since 1970, by the clock as it was at the start: a hub finds the age of messages by them."""
        return self._offset_s + steady_s()

    async def close(self) -> None:
        """Say goodbye, and disconnect."""
        for each in (*self._tasks, self._check):
            if each is not None:
                each.cancel()
        await run_in_threadpool(self._connection.stop, (self._topics.about(self.machine), self._lost_message))

    def _take(self, state: GameState, moments: Sequence[Moment]) -> None:
        """Take a state that viewers see from now on, with its moments."""
        waiting = self._waiting.get(state.name)
        if waiting is not None and waiting[0].sequence == state.sequence:
            moments = (*waiting[1], *moments)  # only the status, the clock or a rack changed since
        self._waiting[state.name] = state, moments
        self._wake.set()

    async def _publish_waiting(self) -> None:
        """Publish the states that wait; of each table, the newest."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                name, (state, moments) = self._waiting.popitem()
                stream = self._streams[name]
                seen = Seen.of(state, stream.shown.now_s)
                if self._seen.get(name) == seen:
                    continue
                self._seen[name] = seen
                try:
                    message = await run_in_threadpool(make_message, stream, state, moments, self._now())
                except InputError as error:  # the next state of the table is tried again
                    del self._seen[name]
                    self._notify(f"table {name} is not published: {error}")
                    continue
                message = message.model_copy(update={"run": self._run, "revision": next(self._revisions)})
                self._latest[name] = message.revision, message.model_dump_json().encode()
                self._publish_table(name)
                self._publish_about()

    async def _beat(self) -> None:
        """Publish the machine's time and revisions again and again: a hub sees what it has missed."""
        while True:
            self._publish_about()
            await asyncio.sleep(SETTINGS.heartbeat_s)

    def _publish_table(self, name: str) -> None:
        revision, payload = self._latest[name]
        if self._connection.publish(self._topics.table(self.machine, name), payload):
            self._sent[name] = revision

    def _publish_about(self) -> None:
        tables = {name: self._sent.get(name, 0) for name in self._streams}
        about = MachineMessage(connected=True, run=self._run, now_s=self._now(), tables=tables)
        if self._tournament is not None:
            about = about.model_copy(update=describe_event(self._tournament))
        payload = about.model_dump_json().encode()
        for topic in (self._topics.event(self.machine), self._topics.about(self.machine)):
            self._connection.publish(topic, payload)

    def _publish_all(self) -> None:
        """Publish everything after a connection; this is called in the connection's thread."""
        self._hears_itself = False
        self._kept_tables.clear()
        self._connection.subscribe([self._topics.about(self.machine), self._topics.table(self.machine, "+")])
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._publish_latest)

    def _hear(self, topic: str, payload: bytes, is_kept: bool) -> None:
        """Report another machine of the same name; note what the broker kept, and that it passes messages on."""
        found = self._topics.parse(topic)
        if found is not None and found[1] is not None:
            if is_kept:
                self._kept_tables.add(found[1])
            return
        about = parse_message(MachineMessage, payload)
        if is_kept or about is None or not about.connected:
            return
        if about.run == self._run:
            self._hears_itself = True
        if about.run == self._run or self._has_namesake:
            return
        self._has_namesake = True
        self._notify(
            f"another machine publishes as {self.machine}, too; give one of them another --machine NAME"
        )

    def _publish_latest(self) -> None:
        self._sent.clear()  # the broker may have lost what it had
        for name in self._latest:
            self._publish_table(name)
        self._publish_about()
        if self._check is not None:
            self._check.cancel()
        if self._loop is not None:
            self._check = self._loop.call_later(2 * SETTINGS.heartbeat_s, self._check_broker)

    def _check_broker(self) -> None:
        """Report where nothing is heard of what was published, and clear what it kept of tables that are gone."""
        if not self._hears_itself and self._connection.is_connected:
            self._notify(
                "this machine does not hear what it publishes: check that the broker's access list allows "
                f"reading and writing of {self._connection.broker.root}/v1/#"
            )
        self._connection.unsubscribe(self._topics.table(self.machine, "+"))
        for name in () if self._has_namesake else self._kept_tables - self._streams.keys():
            self._connection.publish(self._topics.table(self.machine, name), b"")


def describe_event(tournament: Tournament) -> dict[str, Any]:
    """Return the fields of a machine's message that describe its event."""
    return {
        "event": serialize_tournament(tournament, time.time(), for_hub=True),
        "results": [(result.round, *chain(*result.totals.items())) for result in tournament.event.results],
        "renamed": tournament.new_names,
    }


def make_message(
    stream: GameStream, state: GameState, moments: Sequence[Moment], now_s: float
) -> TableMessage:
    """Make the message about a table.

    Parameters
    ----------
    stream : GameStream
        The table.
    state : GameState
        The state that its viewers see.
    moments : sequence of Moment
        The moments of its last entry.
    now_s : float
        The machine's time in seconds since 1970.
    """
    seen_s = stream.shown.now_s
    _, entries = stream.game.events_after(max(0, state.sequence - SETTINGS.max_recent))
    if state.events and state.sequence not in dict(entries):  # this game was archived meanwhile
        entries = [(state.sequence, [event.to_json() for event in state.events])]
    gcg = gcg_message = ""
    try:
        gcg = format_gcg(state.shown_game)
    except GameError as error:
        gcg_message = str(error)
    return TableMessage(
        run="",
        revision=0,
        now_s=now_s,
        language=state.language,
        line=serialize_line(state),
        view=serialize_for_viewers(state, seen_s),
        hall=serialize_for_hall(state, seen_s),
        moments=[serialize_moment(moment, state.game) for moment in moments],
        edition=serialize_edition(state.edition),
        fields={field: format_field(field, state, seen_s) for field in FIELDS},
        gcg=gcg,
        gcg_message=gcg_message,
        recent=[
            Entry(number=number, events=[filter_event(event) for event in events])
            for number, events in entries
            if number <= state.sequence
        ],
    )
