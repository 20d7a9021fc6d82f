"""A real RTSP server that is killed, stopped and started again: its film goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator

import pytest

from tests.support.ports import free_port
from vision.capture import Frame, Interruption
from vision.capture.live import ReconnectPolicy, open_stream

PYTHON = "/usr/bin/python3"  # Debian's GStreamer bindings belong to Debian's Python
NEEDED = "gir1.2-gst-rtsp-server-1.0 python3-gi gstreamer1.0-plugins-good"
SERVER = """
import sys
import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer
Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch("( videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=160,height=120,"
                   "framerate=20/1 ! jpegenc ! rtpjpegpay name=pay0 pt=26 )")
factory.set_shared(True)
server.get_mount_points().add_factory("/board", factory)
server.attach(None)
print("ready", flush=True)
GLib.MainLoop().run()
"""


def start(port: int) -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [PYTHON, "-c", SERVER, str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert server.stdout is not None
    if server.stdout.readline().strip() != "ready":
        server.kill()
        pytest.skip(f"no RTSP server here: apt-get install {NEEDED}")
    return server


@pytest.fixture
def port() -> int:
    if not os.path.exists(PYTHON):
        pytest.skip(f"no RTSP server here: apt-get install {NEEDED}")
    return free_port()


def until(items: Iterator[Frame | Interruption], kind: type) -> Frame | Interruption:
    deadline = time.monotonic() + 60
    for item in items:
        if isinstance(item, kind):
            return item
        assert time.monotonic() < deadline, f"no {kind.__name__} in a minute"
    raise AssertionError("a live source does not end")


@pytest.mark.slow
def test_a_stream_that_is_killed_or_stopped_goes_on(port: int) -> None:
    server = start(port)
    try:
        patience = ReconnectPolicy(open_s=10, stall_s=1.0, first_pause_s=0.1, longest_pause_s=0.3)
        items = open_stream(f"rtsp://127.0.0.1:{port}/board", patience).frames()
        assert isinstance(until(items, Frame), Frame)
        server.kill()
        server.wait()
        gone = until(items, Interruption)
        assert isinstance(gone, Interruption)
        assert "waiting" in gone.message
        server = start(port)
        assert isinstance(until(items, Frame), Frame)
        server.send_signal(signal.SIGSTOP)
        stalled = until(items, Interruption)
        assert isinstance(stalled, Interruption)
        assert not stalled.over
        server.send_signal(signal.SIGCONT)
        assert isinstance(until(items, Frame), Frame)
        items.close()  # type: ignore[attr-defined]
    finally:
        server.send_signal(signal.SIGCONT)
        server.kill()
        server.wait()
