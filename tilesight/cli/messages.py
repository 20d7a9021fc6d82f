"""Messages to the user on standard error, without characters that would control a terminal."""

from __future__ import annotations

import codecs
import contextlib
import json
import sys
import unicodedata
from typing import Any, TextIO

__all__ = ["ASSUMED_EDITION", "LenientStream", "print_json", "sanitize", "say"]

ASSUMED_EDITION = "no edition is named, so english is taken; a line will say if the tiles fit another"
"""Said where a live game begins without --edition."""

CONTROL_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Unicode categories of the characters that end a line or move a terminal's cursor."""
BIDI_CONTROLS = frozenset(map(chr, (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""Characters that reorder a line (Unicode's Bidi_Control). Other format characters can be part of a name."""


def say(message: str) -> None:
    """Print one line on standard error, with the program's name, unbuffered; a full disk there is no error."""
    with contextlib.suppress(OSError):
        print(f"tilesight: {sanitize(message)}", file=sys.stderr, flush=True)


class LenientStream:
    """A stream for progress bars, where a full disk or a closed pipe is no error, as for `say`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text, as far as that is possible."""
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the stream, as far as that is possible."""
        with contextlib.suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def print_json(value: object) -> None:
    """Print one JSON object as a line, unbuffered; in ASCII where the output may lack a letter."""
    is_utf_8 = codecs.lookup(sys.stdout.encoding or "utf-8").name == "utf-8"
    print(json.dumps(value, ensure_ascii=not is_utf_8), flush=True)


def sanitize(text: str) -> str:
    """Replace every character that controls a terminal: names of files come from anywhere."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_control(character) else character for character in text)


def _is_control(character: str) -> bool:
    return character in BIDI_CONTROLS or unicodedata.category(character) in CONTROL_CATEGORIES
