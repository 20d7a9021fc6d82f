"""Tilesight: read word boards in photos, follow filmed games, and score recorded ones.

>>> import tilesight
>>> photo = tilesight.read("samples/shipped/icelandic/turn-01.jpg", edition="icelandic")
>>> photo.decoded.board.rows[7][3:8]
('H', 'R', 'A', 'K', 'I')

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

    try:
        value = getattr(importlib.import_module(_MODULES[name]), name)
    except ImportError as error:
        from tilesight.start import explain_name_clash

        clash = explain_name_clash()
        if clash:
            raise ImportError(clash) from error
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
