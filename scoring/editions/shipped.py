"""The shipped data files: editions and layouts by name."""

from __future__ import annotations

import functools
from importlib import resources

__all__ = ["edition_names", "edition_text", "layout_names", "layout_text"]

_DATA = resources.files("scoring.editions.data")


def edition_names() -> tuple[str, ...]:
    """Return the names of the shipped editions, in alphabetical order."""
    return _names(".toml")


def edition_text(name: str) -> str:
    """Return the text of the file of a shipped edition."""
    return (_DATA / f"{name}.toml").read_text(encoding="utf-8")


def layout_names() -> tuple[str, ...]:
    """Return the names of the shipped layouts, in alphabetical order."""
    return _names(".txt")


def layout_text(name: str) -> str:
    """Return the text of the file of a shipped layout."""
    return (_DATA / f"{name}.txt").read_text(encoding="utf-8")


@functools.cache
def _names(ending: str) -> tuple[str, ...]:
    return tuple(
        sorted(file.name.removesuffix(ending) for file in _DATA.iterdir() if file.name.endswith(ending))
    )
