"""Lines for people beside the results: always on standard error, always with the program's name."""

from __future__ import annotations

import sys
import unicodedata

__all__ = ["one_line", "say"]

NOT_SHOWN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of what ends a line, moves a terminal's cursor, or turns its letters around."""


def say(message: str) -> None:
    """One line on standard error, at once."""
    print(f"tilesight: {one_line(message)}", file=sys.stderr, flush=True)


def one_line(text: str) -> str:
    """The text with a sign in place of all that a terminal obeys: names of files come from anywhere."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(sign) in NOT_SHOWN else sign for sign in text
    )
