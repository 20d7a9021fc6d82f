"""Measure `tilesight serve`: delay from a command to the painted page, 1,000 viewers, restarts; and racks.

Run it as ``python -m tests.benchmarks.run "on air"`` or ``python -m tests.benchmarks.bench_serve``. The server is
the program in its own process; times are wall clock times on loopback.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from scoring import load_edition
from tests.benchmarks.measuring import percentile
from tests.sets.club_racks import club_rack
from tests.sets.labelled_photos import BOARDS
from tests.sets.real_racks import FILM_PLACE, FILM_RACKS
from tests.support.browser import CHROMIUM
from vision.capture import open_picture
from vision.pipeline.rack import read_rack
from vision.pipeline.recognizers import GameContext, load_recognizer

__all__ = ["HEAD", "measure"]

HEAD = ["what", "measured", "target"]
TOKEN = "a-token-for-the-benchmark"
CLIENTS, SECONDS, EVENTS_A_SECOND = 1000, 60, 2
RESTARTS = 20
PAINTED = 60
RACKS = 150
WALK = [
    "play 8D HRAKI",
    "pass",
    "play G6 LO.I",
    "letter D8 K",
    "title Another line",
    "undo",
    "redo",
    "challenge",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running `tilesight serve`."""

    process: subprocess.Popen[str]
    port: int

    def send_command(self, text: str) -> int:
        """Send a command to the table; the number of its journal entry."""
        verb, *words = text.split()
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            body = json.dumps({"verb": verb, "words": words})
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
            connection.request("POST", "/api/tables/table/commands", body, headers)
            answer = json.loads(connection.getresponse().read())
        if answer["sequence"] is None:
            raise RuntimeError(f"{text}: {answer['message']}")
        return int(answer["sequence"])

    def state(self) -> dict[str, Any]:
        """Get the table's state."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", "/api/tables/table")
            return dict(json.loads(connection.getresponse().read()))

    @property
    def resident_mb(self) -> float:
        """The largest resident memory of the process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 1024


@contextlib.contextmanager
def run_server(journal: Path, port: int = 0) -> Iterator[Server]:
    """Run the program with one table without a camera; it is killed at the end."""
    code = "from tilesight.cli.main import main; main()"
    options = [
        "--edition",
        "icelandic",
        "--players",
        "Anna,Jón",
        "--journal",
        str(journal),
        "--clock",
        "25:00",
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", code, "serve", *options, "--port", str(port)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TILESIGHT_TOKEN": TOKEN},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r":(\d+)/", line)
        if found is None:
            raise RuntimeError(f"the server did not start: {line!r}")
        yield Server(process=process, port=int(found[1]))
    finally:
        process.kill()
        process.wait()


async def listen(port: int, received: list[tuple[int, float]], until: asyncio.Event) -> None:
    """One viewer: notes every entry's number and when it came."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(b"GET /api/tables/table/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await writer.drain()
    while not until.is_set():
        try:
            line = await asyncio.wait_for(reader.readline(), 1.0)
        except TimeoutError:
            continue
        if line.startswith(b"id: "):
            received.append((int(line[4:]), time.monotonic()))
    writer.close()


async def measure_delays(server: Server, clients: int, seconds: int) -> tuple[list[float], int]:
    """Measure the delay in ms from each command to each viewer, and count missed events."""
    until = asyncio.Event()
    received: list[list[tuple[int, float]]] = [[] for _ in range(clients)]
    tasks = [asyncio.create_task(listen(server.port, each, until)) for each in received]
    while not all(received):
        await asyncio.sleep(0.1)
    sent_s: dict[int, float] = {}
    next_s = time.monotonic()
    for number in range(seconds * EVENTS_A_SECOND):
        next_s += 1 / EVENTS_A_SECOND
        await asyncio.sleep(max(0.0, next_s - time.monotonic()))
        began_s = time.monotonic()
        sent_s[await asyncio.to_thread(server.send_command, f"title Line {number}")] = began_s
    await asyncio.sleep(2.0)
    until.set()
    await asyncio.gather(*tasks)
    delays = [
        1000 * (at_s - sent_s[number]) for each in received for number, at_s in each if number in sent_s
    ]
    return delays, clients * len(sent_s) - len(delays)


def measure_viewers(folder: Path) -> list[list[str]]:
    """Measure a thousand viewers for a minute."""
    with run_server(folder / "crowd.db") as server:
        delays, missed = asyncio.run(measure_delays(server, CLIENTS, SECONDS))
        memory = server.resident_mb
    what = f"{CLIENTS} viewers, {EVENTS_A_SECOND} events a second for {SECONDS} s"
    times = " / ".join(f"{percentile(delays, share):.0f}" for share in (0.5, 0.95, 1.0))
    return [
        [f"{what}: command to viewer, p50 / p95 / worst", f"{times} ms", "p95 under 250 ms"],
        ["the same: events missed", f"{missed} of {missed + len(delays)}", "0"],
        ["the same: the server's memory at most, without a camera", f"{memory:.0f} MB", "under 300 MB"],
    ]


def measure_browser(folder: Path) -> list[list[str]]:
    """Measure the delay from a command to the painted overlay, layout shifts, and restarts."""
    if CHROMIUM is None:
        print("serve: no Chromium, so nothing was measured in a browser", file=sys.stderr)
        return []
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1920, "height": 1080})
        page.add_init_script(
            "window.painted = {}; window.shift = 0;"
            "document.addEventListener('painted', e => { window.painted[e.detail.sequence] ??= Date.now(); });"
            "new PerformanceObserver(list => list.getEntries().forEach(e => { window.shift += e.value; }))"
            ".observe({ type: 'layout-shift', buffered: false });"
        )
        with run_server(folder / "painted.db") as server:
            page.goto(f"http://127.0.0.1:{server.port}/overlay")
            page.wait_for_selector('html[data-sequence="0"]', state="attached")
            page.wait_for_timeout(500)
            page.evaluate("() => { window.shift = 0; }")
            delays = []
            for number in range(PAINTED):
                text = WALK[number] if number < len(WALK) else f"title Line {number}"
                began_ms = time.time() * 1000
                sequence = server.send_command(text)
                page.wait_for_selector(f'html[data-sequence="{sequence}"]', state="attached")
                page.wait_for_timeout(120)
                delays.append(page.evaluate("number => window.painted[number]", sequence) - began_ms)
            shift = page.evaluate("() => window.shift")
        same = count_restarts(page, folder / "restarts.db")
        browser.close()
    times = " / ".join(f"{percentile(delays, share):.0f}" for share in (0.5, 0.95, 1.0))
    target = "p95 100 ms" if percentile(delays, 0.95) <= 100 else "p95 100 ms: missed"
    return [
        ["command to painted overlay, p50 / p95 / worst", f"{times} ms", target],
        ["layout shift over a game", f"{shift:g}", "0"],
        [
            f"killed and started again {RESTARTS} times: title, tiles and points on the page as in the journal",
            f"{same} of {RESTARTS}",
            "all",
        ],
    ]


def count_restarts(page: Any, journal: Path) -> int:
    """Count how often an open page shows the journal's state after the server was killed and restarted."""
    port, same = 0, 0
    for number in range(RESTARTS):
        with run_server(journal, port) as server:
            if not port:
                page.goto(f"http://127.0.0.1:{server.port}/overlay")
            port = server.port
            sequence = server.send_command(WALK[0] if number == 0 else f"title After {number} restarts")
            page.wait_for_selector(f'html[data-sequence="{sequence}"]', state="attached", timeout=20_000)
            state = server.state()
            same += state["sequence"] == sequence and read_page(page) == read_state(state)
    return same


def read_page(page: Any) -> tuple[str, str, list[str]]:
    """Read title, letters and points from the overlay."""
    letters = page.locator("#board .tile .letter").all_text_contents()
    return (
        page.locator("#title p:not(.match)").inner_text(),
        "".join(sorted("".join(letters))),
        page.locator("#players .score").all_text_contents(),
    )


def read_state(state: dict[str, Any]) -> tuple[str, str, list[str]]:
    """Read title, letters and points from the table's state."""
    tiles = [token for row in state["rows"] for token in row if token not in ".#"]
    return (
        state["title"],
        "".join(sorted("".join(tiles).upper())),
        [str(player["total"]) for player in state["players"]],
    )


def measure_racks() -> list[list[str]]:
    """Measure rendered racks with typefaces that training never saw; their place is given."""
    right = tiles = whole = 0
    for seed in range(RACKS):
        name = ("english", "hungarian", "icelandic")[seed % 3]
        edition = load_edition(name)
        rack = club_rack(name, 10_000 + seed)
        read = read_rack(
            rack.image_bgr,
            GameContext(edition=edition, recognizer=load_recognizer("network", edition)),
            corners_px=rack.corners_px.tolist(),
        ).tokens
        match = difflib.SequenceMatcher(None, rack.tiles, read, autojunk=False)
        right += sum(block.size for block in match.get_matching_blocks())
        tiles += len(rack.tiles)
        whole += read == rack.tiles
    return [
        [f"{RACKS} rendered racks: tiles read", f"{100 * right / tiles:.1f}% of {tiles}", "98%"],
        ["the same: whole racks", f"{whole} of {RACKS}", ""],
    ]


def measure_film_rack() -> list[list[str]]:
    """Measure the rack in a real film, where the labelled photos exist."""
    folder = BOARDS / "english-film"
    if not folder.is_dir():
        return []
    edition = load_edition("english")
    reader = load_recognizer("network", edition)
    right = tiles = read_in_all = 0
    for numbers, truth in FILM_RACKS.items():
        for number in numbers.split():
            frame = open_picture(folder / f"frame_{number}.jpg")
            read = read_rack(
                frame.image_bgr, GameContext(edition=edition, recognizer=reader), corners_px=FILM_PLACE
            ).tokens
            match = difflib.SequenceMatcher(None, tuple(truth), read, autojunk=False)
            right += sum(block.size for block in match.get_matching_blocks())
            tiles += len(truth)
            read_in_all += len(read)
    what = "english-film: tiles of the rack that faces the camera, in 28 frames"
    return [[what, f"{100 * right / tiles:.1f}% of {tiles}, {read_in_all - right} too many", "98%"]]


def measure() -> list[list[str]]:
    """Measure all rows of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [*measure_browser(folder), *measure_viewers(folder), *measure_racks(), *measure_film_rack()]


if __name__ == "__main__":
    for row in measure():
        print(" | ".join(row))
