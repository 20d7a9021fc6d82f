"""Read word boards in pictures, and follow games: from pixels to what happened in the game.

One function is a stage, and one type flows from each stage to the next::

    Frame               vision.capture        a picture, or a frame of a video
    BoardDetection      vision.detection      where the board's grid is, and how certain that is
    RectifiedBoard      vision.rectification  the board from straight above
    SquareProbabilities vision.recognition    what each square shows
    DecodedBoard        vision.decoding       the most probable board, with its uncertain squares
    BoardObservation    vision.observation    all of these: what a picture showed
    GameUpdate, Notice  vision.game_events    what it means for the game

`vision.pipeline` composes the stages; `vision.tracking` follows one board through a video. Importing `vision` loads
neither NumPy nor OpenCV: the names below are loaded when they are first used.

Examples
--------
Read the board in a photo::

    from pathlib import Path

    from scoring import load_edition
    from vision import GameContext, load_recognizer, read_photo

    edition = load_edition("english")
    context = GameContext(edition=edition, recognizer=load_recognizer("network", edition))
    print(read_photo(Path("board.jpg"), context).decoded.board)
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vision.game_events import GameUpdate, Notice, UpdateBatch
    from vision.observation import BoardObservation
    from vision.pipeline import (
        GameContext,
        VideoTracker,
        load_recognizer,
        read_photo,
        read_rack,
        track_photos,
        track_video,
    )

__all__ = [
    "BoardObservation",
    "GameContext",
    "GameUpdate",
    "Notice",
    "UpdateBatch",
    "VideoTracker",
    "load_recognizer",
    "read_photo",
    "read_rack",
    "track_photos",
    "track_video",
]

# ONNX Runtime would keep an identifier of this machine and send what runs on it; it asks when it is imported
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

_HOMES = {
    "BoardObservation": "vision.observation",
    "GameUpdate": "vision.game_events",
    "Notice": "vision.game_events",
    "UpdateBatch": "vision.game_events",
}


def __getattr__(name: str) -> Any:
    """Load a name of `__all__` when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES.get(name, "vision.pipeline")), name)
