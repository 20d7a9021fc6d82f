"""A real MQTT broker, Debian's mosquitto, for tests and benchmarks."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support.ports import free_port

__all__ = ["MISSING", "Mosquitto", "find_mosquitto", "needs_mosquitto"]

MISSING = "the tests of several machines need Debian's mosquitto: apt-get install mosquitto"
START_S = 60.0


def find_mosquitto() -> str | None:
    """Return the broker's program; None if it is not installed."""
    return shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


needs_mosquitto = pytest.mark.skipif(find_mosquitto() is None, reason=MISSING)
"""`make test` installs the broker where it may; users who may not install it have no other one to test with."""


class Mosquitto:
    """A broker on loopback, which can be killed and started again; what it keeps is lost then.

    Parameters
    ----------
    folder : Path
        Where its settings are.
    lines : iterable of str
        Further lines of its settings.
    """

    def __init__(self, folder: Path, lines: Iterable[str] = ("allow_anonymous true",)) -> None:
        self.port = free_port()
        self._settings = folder / "mosquitto.conf"
        text = [f"listener {self.port} 127.0.0.1", "max_connections -1", *lines]
        self._settings.write_text("\n".join(text) + "\n")
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        program = find_mosquitto()
        assert program is not None
        self.process = subprocess.Popen(
            [program, "-c", self._settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until_s = time.monotonic() + START_S
        while time.monotonic() < until_s and self.process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1.0):
                    return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError(f"mosquitto ended with code {self.process.poll()}")

    def kill(self) -> None:
        """Kill it as a power cut does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
