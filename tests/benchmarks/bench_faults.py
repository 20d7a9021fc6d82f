"""Streams that stall, break off and come back during a game: fifty faults each over HTTP and RTSP.

``python -m tests.benchmarks.bench_faults`` plays a rendered game in real time from a server process that is killed or
stopped fifty times, and compares the followed game with the truth. The RTSP server needs Debian's packages
gir1.2-gst-rtsp-server-1.0, python3-gi and gstreamer1.0-plugins-good.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from samples import Film, icelandic_style, random_film
from scoring import Game
from tests.support.ports import free_port
from tilesight.output import to_text
from vision.capture import Frame, Interruption
from vision.capture.live import ReconnectPolicy, open_stream
from vision.errors import MissingProgramError
from vision.game_events.updates import UpdateKind
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.pipeline.video import VideoTracker

__all__ = ["HEAD", "FaultResult", "main", "measure", "table_rows"]

FAULTS = 50
FPS = 10.0
HEAD = ("stream", "faults", "interruptions reported", "plays and scores", "extra plays", "totals")
PATIENCE = ReconnectPolicy(open_s=10, stall_s=0.8, report_s=0, first_pause_s=0.1, longest_pause_s=0.3)
THINKING = 8
"""Factor on the pauses of the film: people think longer."""
CALM_S = 4.0
"""Seconds of film after the last fault."""
MJPEG_SERVER = """
import sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
frames, begun = sorted(Path(sys.argv[2]).glob("*.jpg")), time.time() - float(sys.argv[3])
class Stream(BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        while True:
            at = min(int((time.time() - begun) * float(sys.argv[4])), len(frames) - 1)
            data = frames[at].read_bytes()
            self.wfile.write(b"--frame\\r\\nContent-Type: image/jpeg\\r\\n\\r\\n" + data + b"\\r\\n")
            time.sleep(1 / float(sys.argv[4]))
server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Stream)
print("ready", flush=True)
server.serve_forever()
"""
RTSP_SERVER = """
import sys, time
from pathlib import Path
import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer
Gst.init(None)
frames, begun, fps = sorted(Path(sys.argv[2]).glob("*.jpg")), time.time() - float(sys.argv[3]), float(sys.argv[4])
def push(source):
    at = min(int((time.time() - begun) * fps), len(frames) - 1)
    return source.emit("push-buffer", Gst.Buffer.new_wrapped(frames[at].read_bytes())) == Gst.FlowReturn.OK
def begin(factory, media):
    GLib.timeout_add(round(1000 / fps), push, media.get_element().get_child_by_name("film"))
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch("( appsrc name=film is-live=true do-timestamp=true format=time "
                   f"caps=image/jpeg,framerate={round(fps)}/1,width={sys.argv[5]},height={sys.argv[6]} "
                   "! rtpjpegpay name=pay0 pt=26 )")
factory.set_shared(True)
factory.connect("media-configure", begin)
server.get_mount_points().add_factory("/board", factory)
server.attach(None)
print("ready", flush=True)
GLib.MainLoop().run()
"""
SERVERS = {
    "http": (sys.executable, MJPEG_SERVER, "http://127.0.0.1:{}/"),
    "rtsp": ("/usr/bin/python3", RTSP_SERVER, "rtsp://127.0.0.1:{}/board"),
}
"""By kind: the Python that runs it (Debian's has GStreamer's bindings), its source, and its address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultResult:
    """The result of a game whose stream failed repeatedly."""

    kind: str
    faults: int
    interruptions: int
    plays: int
    right: int
    extra: int
    totals_right: bool
    errors: Sequence[str]


class Server:
    """A server that streams a film in real time, also across restarts."""

    def __init__(self, kind: str, folder: Path) -> None:
        self._python, self._text, address = SERVERS[kind]
        self._port = free_port()
        self.address = address.format(self._port)
        self._folder = folder
        first = cv2.imread(str(folder / "00000.jpg"))
        assert first is not None
        height, width = first.shape[:2]
        self._size = (str(width), str(height))
        self._begun_s = time.monotonic()
        self._process = self._start()

    @property
    def film_s(self) -> float:
        """Position in the film."""
        return time.monotonic() - self._begun_s

    def _start(self) -> subprocess.Popen[str]:
        arguments = [str(self._port), str(self._folder), f"{self.film_s:.2f}", str(FPS), *self._size]
        try:
            process = subprocess.Popen(
                [self._python, "-c", self._text, *arguments],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
        except OSError as error:
            raise MissingProgramError(f"{self._python}: cannot be run ({error.strerror})") from error
        assert process.stdout is not None
        if process.stdout.readline().strip() != "ready":
            process.kill()
            raise MissingProgramError(
                "no RTSP server here; run apt-get install gir1.2-gst-rtsp-server-1.0 python3-gi "
                "gstreamer1.0-plugins-good"
            )
        return process

    def break_off(self, seconds: float) -> None:
        """Kill the server, and start it again later."""
        self._process.kill()
        self._process.wait()
        time.sleep(seconds)
        self._process = self._start()

    def stall(self, seconds: float) -> None:
        """Stop the server for a while."""
        self._process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self._process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()


def render_film() -> Film:
    """Render the game with long pauses: a play cannot be seen while the stream is down."""
    film = random_film(np.random.default_rng(8), "icelandic", plays=12, cell_px=28, style=icelandic_style())
    rests = (replace(shot, seconds=THINKING * shot.seconds) for shot in film.shots if shot.reach is None)
    return replace(film, shots=tuple(next(rests) if shot.reach is None else shot for shot in film.shots))


def write_frames(film: Film, folder: Path, seconds: float) -> None:
    """Write the film as numbered JPEG files; the last frame is repeated up to `seconds`."""
    number, image = 0, None
    for number, (_, image) in enumerate(film.frames(FPS)):
        height, width = (side // 16 * 16 for side in image.shape[:2])  # RFC 2435 sends multiples of 8 only
        _, data = cv2.imencode(".jpg", image[:height, :width], [cv2.IMWRITE_JPEG_QUALITY, 90])
        (folder / f"{number:05d}.jpg").write_bytes(data.tobytes())
    last = (folder / f"{number:05d}.jpg").read_bytes()
    for more in range(number + 1, int(seconds * FPS)):
        (folder / f"{more:05d}.jpg").write_bytes(last)


def follow(kind: str, film: Film, folder: Path, faults: int, seconds: float) -> FaultResult:
    """Follow the film while its server fails."""
    server = Server(kind, folder)
    chances = random.Random(f"{kind} {faults}")
    between = max(2.0, 2 * film.seconds / faults - 3.0)  # the last fault comes at about the film's end
    ended = threading.Event()

    def fail() -> None:
        for _ in range(faults):
            time.sleep(chances.uniform(1.0, between))
            harm: Callable[[float], None] = chances.choice((server.break_off, server.stall))
            harm(chances.uniform(0.2, 1.8))
        ended.set()

    watch = VideoTracker(
        Game(edition=film.edition, players=film.players),
        GameContext(edition=film.edition, recognizer=load_recognizer("network", film.edition)),
    )
    reported: list[tuple[str, int]] = []
    lines: list[str] = []
    interruptions = 0
    threading.Thread(target=fail, name="faults", daemon=True).start()
    try:
        frames = open_stream(server.address, PATIENCE).frames()
        calm_from_s = None
        for item in frames:
            batch = watch.interrupt(item) if isinstance(item, Interruption) else watch.see(item)
            interruptions += isinstance(item, Interruption) and item.over
            lines += [
                f"{server.film_s:.1f} s: {to_text(item, kind)}"
                for item in (batch.items if batch is not None else ())
            ]
            reported += [
                (update.game.players[update.step.event.player], update.step.score)
                for update in (batch.updates if batch is not None else ())
                if update.kind is UpdateKind.PLAY and update.step is not None
            ]
            if ended.is_set() and isinstance(item, Frame) and server.film_s > film.seconds:
                calm_from_s = calm_from_s or server.film_s
                if server.film_s > calm_from_s + CALM_S:
                    break
            if server.film_s > seconds - 1:
                break
        frames.close()  # type: ignore[attr-defined]
    finally:
        server.close()
    wanted = [(film.players[event.player], event.score) for event in film.events]
    left = list(reported)
    right = 0
    for play in wanted:
        if play in left:
            left.remove(play)
            right += 1
    return FaultResult(
        kind=kind,
        faults=faults,
        interruptions=interruptions,
        plays=len(wanted),
        right=right,
        extra=len(left),
        totals_right=watch.game.totals == film.totals,
        errors=lines if left or right < len(wanted) else (),
    )


def measure(kinds: Sequence[str] = ("http", "rtsp"), faults: int = FAULTS) -> list[FaultResult]:
    """Measure each kind of stream.

    Raises
    ------
    MissingProgramError
        If a server cannot be run here.
    """
    film = render_film()
    seconds = max(film.seconds, 3.5 * faults) + 60
    with tempfile.TemporaryDirectory() as name:
        write_frames(film, Path(name), seconds)
        return [follow(kind, film, Path(name), faults, seconds) for kind in kinds]


def table_rows(results: Sequence[FaultResult]) -> list[list[str]]:
    """Format a line for each kind of stream."""
    names = {"http": "MJPEG over HTTP", "rtsp": "RTSP"}
    return [
        [
            names[one.kind],
            str(one.faults),
            str(one.interruptions),
            f"{one.right}/{one.plays}",
            str(one.extra),
            "right" if one.totals_right else "wrong",
        ]
        for one in results
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=FAULTS)
    parser.add_argument("kinds", nargs="*", default=["http", "rtsp"], metavar="http|rtsp")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    results = measure(options.kinds, options.faults)
    for line in (line for one in results for line in one.errors):
        print(f"    {line}")
    for row in table_rows(results):
        print(" | ".join(row), flush=True)


if __name__ == "__main__":
    main()
