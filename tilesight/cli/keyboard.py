"""The edge where people type: lines or keys of standard input, turned into commands."""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Iterator
from typing import Any, TextIO

from vision.errors import SettingsError
from vision.game_events import Command, Verb, parse_command

__all__ = ["KEYS", "CommandInput"]

KEYS = {
    "p": Command(verb=Verb.PASS),
    "x": Command(verb=Verb.EXCHANGE),
    "c": Command(verb=Verb.CHALLENGE),
    "v": Command(verb=Verb.CHALLENGE, words=("lost",)),
    "w": Command(verb=Verb.WITHDRAW),
    "u": Command(verb=Verb.UNDO),
}
"""Keys that need no Enter. Any other command begins with a colon: ``:correct 8D WORD``."""


class CommandInput:
    """Collects commands while something else runs.

    From a terminal, single keys and lines that begin with a colon; from a pipe or a file, one command a line.

    Parameters
    ----------
    stream : TextIO
        What is typed into.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._waiting: queue.SimpleQueue[Command | str] = queue.SimpleQueue()
        self._restore: list[Any] | None = None

    def commands(self) -> Iterator[Command]:
        """The commands that came since the last call; what is no command is answered on standard error."""
        while True:
            try:
                item = self._waiting.get_nowait()
            except queue.Empty:
                return
            if isinstance(item, Command):
                yield item
            else:
                print(f"tilesight: {item}", file=sys.stderr, flush=True)

    def __enter__(self) -> CommandInput:
        keys = self._stream.isatty()
        if keys:
            import termios
            import tty

            self._restore = termios.tcgetattr(self._stream)
            tty.setcbreak(self._stream)
        target = self._read_keys if keys else self._read_lines
        threading.Thread(target=target, name="console", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._restore is not None:
            import termios

            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._stream, termios.TCSADRAIN, self._restore)

    def _read_lines(self) -> None:
        with contextlib.suppress(ValueError, OSError):  # the stream was closed
            for line in self._stream:
                if line.strip():
                    self._put(line)

    def _read_keys(self) -> None:
        line: str | None = None
        with contextlib.suppress(ValueError, OSError):
            while key := os.read(self._stream.fileno(), 1).decode("utf-8", "replace"):
                if line is None:
                    if key == ":":
                        line = ""
                    elif key in KEYS:
                        self._waiting.put(KEYS[key])
                elif key == "\n":
                    self._put(line)
                    line = None
                else:
                    line = line[:-1] if key in "\x7f\b" else line + key

    def _put(self, line: str) -> None:
        try:
            self._waiting.put(parse_command(line))
        except SettingsError as error:
            self._waiting.put(str(error))
