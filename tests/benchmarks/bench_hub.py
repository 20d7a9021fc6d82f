"""Measure a hub: 100 tables on four machines, a broker, and up to 10,000 viewers; processor time and memory.

Run it as ``python -m tests.benchmarks.bench_hub``; ``--viewers 0,1000`` measures less. Everything runs on this machine
over loopback: four programs with 25 tables each, Debian's mosquitto, a hub, and the viewers, which are connections of
this process that read every event. A table changes every 20 s, as at a tournament. Processor time is that of each
process over the time of the measurement, memory is what is resident at its end. Where the system does not let
this process open all connections, the table says how many there were.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.benchmarks.measuring import format_table, percentile
from tests.support.mosquitto import MISSING, Mosquitto, find_mosquitto
from tests.support.on_air import RunningServer
from tests.support.serving import ServeProcess, wait_until

__all__ = ["HEAD", "measure"]

HEAD = [
    "tables, viewers",
    "hub: CPU",
    "hub: memory",
    "broker: CPU, memory",
    "one machine (25 tables): CPU, memory",
    "command to viewer p50 / p95 / max",
    "events missed; connections opened again",
]
MACHINES, TABLES_EACH = 4, 25
VIEWERS = (0, 1000, 10_000)
SECONDS = 60
CHANGE_EVERY_S = 20.0
RETRY_S = 0.5
"""How long a browser waits before it connects again."""
TASKS: set[asyncio.Task[None]] = set()
"""Connections that are opened again."""
MAX_WAIT_S = 60.0
"""How long is waited for what has not come at the end."""
OPENED_A_SECOND = 200
"""Below the server's limit on requests of one address."""


@dataclass(slots=True, kw_only=True)
class Viewers:
    """Connections to a hub, each of which follows one table; one that is lost is opened again, as browsers do."""

    port: int
    arrived: list[tuple[str, int, float]] = field(default_factory=list)
    open: set[asyncio.Transport] = field(default_factory=set)
    reconnected: int = 0
    is_closing: bool = False

    async def connect(self, table: str, last: int = -1) -> None:
        """Open a connection for a table, from an event on."""
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: Viewer(table, self, last), "127.0.0.1", self.port)

    async def reconnect(self, table: str, last: int) -> None:
        """Open a connection again."""
        self.reconnected += 1
        await asyncio.sleep(RETRY_S)
        with contextlib.suppress(OSError):
            await self.connect(table, last)


class Viewer(asyncio.Protocol):
    """One viewer: it notes each numbered event of its table."""

    def __init__(self, table: str, viewers: Viewers, last: int) -> None:
        self._table = table
        self._viewers = viewers
        self._last = last
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the table's events."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._viewers.open.add(transport)
        path = f"/api/tables/{self._table}/events"
        since = f"Last-Event-ID: {self._last}\r\n" if self._last >= 0 else ""
        transport.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{since}\r\n".encode())

    def data_received(self, data: bytes) -> None:
        """Note the numbers of events."""
        *events, self._buffer = (self._buffer + data).split(b"\n\n")
        for event in events:
            start = event.find(b"id: ", 0, 60)
            if start >= 0:
                number = int(event[start + 4 : event.index(b"\n", start)])
                if number > self._last:
                    self._last = number
                    self._viewers.arrived.append((self._table, number, time.monotonic()))

    def connection_lost(self, _exc: Exception | None) -> None:
        """Connect again."""
        assert self._transport is not None
        self._viewers.open.discard(self._transport)
        if not self._viewers.is_closing:
            task = asyncio.get_running_loop().create_task(self._viewers.reconnect(self._table, self._last))
            TASKS.add(task)
            task.add_done_callback(TASKS.discard)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hall:
    """The programs of a tournament."""

    broker: Mosquitto
    machines: list[ServeProcess]
    servers: list[RunningServer]
    hub: ServeProcess
    port: int

    @property
    def tables(self) -> list[str]:
        """The tables as the hub names them."""
        return [f"m{m}.t{t}" for m in range(MACHINES) for t in range(TABLES_EACH)]

    def processes(self) -> list[psutil.Process]:
        """The hub, the broker, and a machine."""
        running = (self.hub.process, self.broker.process, self.machines[0].process)
        return [psutil.Process(each.pid) for each in running if each is not None]


@contextlib.contextmanager
def open_hall(folder: Path, max_viewers: int) -> Iterator[Hall]:
    """Start a broker, machines with tables, and a hub."""
    with contextlib.ExitStack() as stack:
        broker = Mosquitto(folder)
        stack.callback(broker.kill)
        address = f"127.0.0.1:{broker.port}"
        machines: list[ServeProcess] = []
        servers: list[RunningServer] = []
        for number in range(MACHINES):
            tables = folder / f"m{number}.toml"
            tables.write_text(
                "".join(
                    f'[table.t{t}]\nedition = "icelandic"\nplayers = ["Anna", "Jón"]\njournal = "m{number}-{t}.db"\n'
                    for t in range(TABLES_EACH)
                )
            )
            options = ("--config", tables, "--publish", address, "--machine", f"m{number}")
            machine = ServeProcess(folder / f"m{number}.log", *options).launch()
            stack.callback(machine.stop)
            machines.append(machine)
            servers.append(machine.server)  # one after the other: they start faster so
        hub = ServeProcess(
            folder / "hub.log", "--hub", address, "--max-viewers", str(max_viewers + 100)
        ).launch()
        stack.callback(hub.stop)
        wait_until(lambda: len(list(hub.lines())) == MACHINES * TABLES_EACH, 120.0)
        yield Hall(broker=broker, machines=machines, servers=servers, hub=hub, port=hub.server.port)


async def open_viewers(hall: Hall, number: int) -> Viewers:
    """Open connections, spread over the tables."""
    viewers = Viewers(port=hall.port)
    for count, table in zip(range(number), itertools.cycle(hall.tables), strict=False):
        try:
            await viewers.connect(table)
        except OSError:
            break  # the system allows no more
        if count % 20 == 19:
            await asyncio.sleep(20 / OPENED_A_SECOND)
    await asyncio.sleep(3.0)
    return viewers


async def change_tables(hall: Hall, seconds: float) -> dict[tuple[str, int], float]:
    """Send commands to the machines; when each was sent, by table and journal entry."""
    sent: dict[tuple[str, int], float] = {}
    loop = asyncio.get_running_loop()
    start_s, every_s = time.monotonic(), CHANGE_EVERY_S / (MACHINES * TABLES_EACH)
    for count, table in enumerate(itertools.cycle(hall.tables)):
        due_s = start_s + count * every_s
        if due_s > start_s + seconds:
            return sent
        await asyncio.sleep(max(0.0, due_s - time.monotonic()))
        machine, name = table.split(".")
        sent_s = time.monotonic()
        text = f"title {count}" if count % 3 == 0 else "pass"
        server = hall.servers[int(machine[1:])]
        status, answer = await loop.run_in_executor(None, server.send_command, name, text)
        if status == 200:
            sent[table, answer["sequence"]] = sent_s
    return sent


async def measure_one(hall: Hall, number: int, seconds: float) -> list[str]:
    """Measure with this number of viewers; a line of the table."""
    viewers = await open_viewers(hall, number)
    reached = len(viewers.open)
    viewers.arrived.clear()
    processes = hall.processes()
    before = [sum(process.cpu_times()[:2]) for process in processes]
    start_s = time.monotonic()
    sent = await change_tables(hall, seconds)
    tables = hall.tables
    due = sum((reached - tables.index(table) - 1) // len(tables) + 1 for table, _ in sent) if reached else 0
    until_s = time.monotonic() + MAX_WAIT_S
    while (missed := due - sum((t, n) in sent for t, n, _ in viewers.arrived)) and time.monotonic() < until_s:
        await asyncio.sleep(1.0)
    took_s = time.monotonic() - start_s
    cpu = [(sum(p.cpu_times()[:2]) - b) / took_s for p, b in zip(processes, before, strict=True)]
    memory = [process.memory_info().rss / 1e6 for process in processes]
    delays = [(at - sent[t, n]) * 1000 for t, n, at in viewers.arrived if (t, n) in sent]
    viewers.is_closing = True
    for transport in list(viewers.open):
        transport.close()
    await asyncio.sleep(2.0)
    shown = f"{len(tables)}, {reached:,}" + (
        "" if reached == number else f" (of {number:,}: no more could be opened)"
    )
    p50, p95, last = (percentile(delays, share) for share in (0.5, 0.95, 1.0))
    return [
        shown,
        f"{cpu[0]:.1%}; {cpu[0] / len(tables):.2%} a table",
        f"{memory[0]:.0f} MB",
        f"{cpu[1]:.1%}, {memory[1]:.0f} MB",
        f"{cpu[2]:.1%}, {memory[2]:.0f} MB",
        f"{p50:.0f} / {p95:.0f} / {last:.0f} ms" if delays else "no viewer",
        f"{missed} of {due:,}; {viewers.reconnected}",
    ]


def measure(numbers: Sequence[int] = VIEWERS, seconds: float = SECONDS) -> list[list[str]]:
    """Measure with each number of viewers."""
    if find_mosquitto() is None:
        raise SystemExit(MISSING)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, hard), hard))
    with (
        tempfile.TemporaryDirectory(prefix="tilesight-hub-") as name,
        open_hall(Path(name), max(numbers)) as hall,
    ):
        return [asyncio.run(measure_one(hall, number, seconds)) for number in numbers]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--viewers", default=",".join(map(str, VIEWERS)), help="numbers of viewers")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time of each measurement")
    options = parser.parse_args()
    numbers = [int(number) for number in options.viewers.split(",")]
    print(format_table(HEAD, measure(numbers, options.seconds)))


if __name__ == "__main__":
    main()
