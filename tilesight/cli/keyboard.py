"""Commands from standard input: keys of a terminal, or lines of a pipe or file."""

from __future__ import annotations

import codecs
import contextlib
import os
import queue
import re
import threading
from collections.abc import Iterator
from typing import Any, TextIO

from tilesight.cli.messages import say
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
"""Keys that need no Enter. Any other command is a line that begins with a colon, such as ``:correct 8D WORD``."""
_ESCAPE = "\x1b"
_SEQUENCE = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]")
"""What a terminal sends for an arrow and other keys without a letter, which mean nothing here."""
_MAX_READ = 1024
"""Bytes that are read at once, so that a sequence is whole."""


class CommandInput:
    """Collects commands in a thread; use it in a ``with`` block.

    A terminal gives single keys, and lines that begin with a colon. A pipe or a file gives one command a line, which
    may begin with a colon.

    Parameters
    ----------
    stream : TextIO
        The input.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._queue: queue.SimpleQueue[Command | str] = queue.SimpleQueue()
        self._terminal_settings: list[Any] | None = None
        self.typed: str | None = None
        """The line that is being typed after a colon; None while none is."""

    def commands(self) -> Iterator[Command]:
        """Yield the commands since the last call; report lines that are not commands on standard error."""
        while True:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return
            if isinstance(item, Command):
                yield item
            else:
                say(item)

    def __enter__(self) -> CommandInput:
        is_terminal = self._stream.isatty()
        if is_terminal:
            import termios
            import tty

            self._terminal_settings = termios.tcgetattr(self._stream)
            tty.setcbreak(self._stream)
        target = self._read_keys if is_terminal else self._read_lines
        threading.Thread(target=target, name="console", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._terminal_settings is not None:
            import termios

            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._stream, termios.TCSADRAIN, self._terminal_settings)

    def _read_lines(self) -> None:
        with contextlib.suppress(ValueError, OSError):  # the stream was closed
            # A line in another encoding is refused, and must not end the others.
            for line in getattr(self._stream, "buffer", self._stream):
                text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
                if text := text.strip("\ufeff \r\n\t"):
                    self._put(text.removeprefix(":"))  # as it is typed in the view

    def _read_keys(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with contextlib.suppress(ValueError, OSError):
            while keys := os.read(self._stream.fileno(), _MAX_READ):
                for key in _SEQUENCE.sub("", decoder.decode(keys)):
                    self._press(key)

    def _press(self, key: str) -> None:
        line = self.typed
        if line is None:
            if key == ":":
                self.typed = ""
            elif key in KEYS:
                self._queue.put(KEYS[key])
        elif key == "\n":
            self._put(line)
            self.typed = None
        elif key == _ESCAPE:
            self.typed = None
        else:
            self.typed = line[:-1] if key in "\x7f\b" else line + key

    def _put(self, line: str) -> None:
        try:
            self._queue.put(parse_command(line))
        except SettingsError as error:
            self._queue.put(str(error))
