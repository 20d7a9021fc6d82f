"""Lines for people beside the results: always on standard error, always with the program's name."""

from __future__ import annotations

import sys

__all__ = ["say"]


def say(message: str) -> None:
    """One line on standard error, at once."""
    print(f"tilesight: {message}", file=sys.stderr, flush=True)
