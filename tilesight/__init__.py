"""Tilesight: read word boards in photos, follow filmed games, and score recorded ones.

>>> import tilesight
>>> record = tilesight.score("game.gcg")  # doctest: +SKIP
>>> photo = tilesight.read("board.jpg", edition="icelandic")  # doctest: +SKIP
>>> print(photo.decoded.board)  # doctest: +SKIP

The names below are loaded when they are first used, so that ``import tilesight`` loads neither OpenCV nor NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring import Board, Edition, Game, GcgRecord, load_edition, read_gcg
    from tilesight.api import read, score, watch
    from vision.game_events import GameUpdate, Notice, UpdateBatch
    from vision.observation import BoardObservation

__all__ = [
    "Board",
    "BoardObservation",
    "Edition",
    "Game",
    "GameUpdate",
    "GcgRecord",
    "Notice",
    "UpdateBatch",
    "load_edition",
    "read",
    "read_gcg",
    "score",
    "watch",
]

_MODULES = {
    **dict.fromkeys(("Board", "Edition", "Game", "GcgRecord", "load_edition", "read_gcg"), "scoring"),
    **dict.fromkeys(("GameUpdate", "Notice", "UpdateBatch"), "vision.game_events"),
    **dict.fromkeys(("read", "score", "watch"), "tilesight.api"),
    "BoardObservation": "vision.observation",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
