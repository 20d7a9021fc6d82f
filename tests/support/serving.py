"""`tilesight serve` as processes, as on several machines."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.on_air import TOKEN, RunningServer

__all__ = ["ServeProcess", "wait_until"]

PATIENCE_S = 60.0
CODE = "import sys; from tilesight.start import main; sys.argv[0] = 'tilesight'; main()"


def wait_until(check: Any, patience_s: float = PATIENCE_S) -> Any:
    """Wait until a check gives something true, and return it."""
    until_s = time.monotonic() + patience_s
    while True:
        found = check()
        if found:
            return found
        assert time.monotonic() < until_s, "waited in vain"
        time.sleep(0.05)


class ServeProcess:
    """A process of `tilesight serve`, which can be killed and started again.

    Parameters
    ----------
    log : Path
        Where it prints.
    arguments : str
        What follows ``serve``.
    environment : str
        Further variables.
    """

    def __init__(self, log: Path, *arguments: str | Path, **environment: str) -> None:
        self._log = log
        self._arguments = [str(each) for each in arguments]
        self._environment = environment
        self.process: subprocess.Popen[bytes] | None = None

    def launch(self) -> ServeProcess:
        """Start it, without waiting."""
        environment = {**os.environ, "TILESIGHT_TOKEN": TOKEN, **self._environment}
        self._log.write_text("")
        with self._log.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-c", CODE, "serve", "--port", "0", *self._arguments],
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environment,
            )
        return self

    @property
    def server(self) -> RunningServer:
        """The server, once it listens."""

        def find_port() -> re.Match[str] | None:
            assert self.process is None or self.process.poll() is None, self.printed
            return re.search(r"pages: +http://127\.0\.0\.1:(\d+)/", self.printed)

        pages = wait_until(find_port)
        return RunningServer(port=int(pages[1]), tables={})

    @property
    def printed(self) -> str:
        """What it has printed."""
        return self._log.read_text(encoding="utf-8")

    def kill(self) -> None:
        """Kill it as a power cut does."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Stop it as Ctrl-C does."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                self.kill()

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the tables that it lists."""
        status, _, body = self.server.request("GET", "/api/tables")
        assert status == 200
        yield from json.loads(body)
