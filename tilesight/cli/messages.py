"""Lines for people: beside the results on standard error with the program's name, and safe for a terminal anywhere."""

from __future__ import annotations

import sys
import unicodedata

__all__ = ["one_line", "say"]

NOT_SHOWN = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Unicode's categories of what ends a line or moves a terminal's cursor."""
TURNING = frozenset(map(chr, (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""What turns a line's letters around (Unicode's Bidi_Control); other format characters belong to names as written."""


def say(message: str) -> None:
    """One line on standard error, at once."""
    print(f"tilesight: {one_line(message)}", file=sys.stderr, flush=True)


def one_line(text: str) -> str:
    """The text with a sign in place of all that a terminal obeys: names of files come from anywhere."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if sign in TURNING or unicodedata.category(sign) in NOT_SHOWN else sign
        for sign in text
    )
