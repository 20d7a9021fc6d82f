"""The labelled photos: the shipped sample, and the folder ``../shared/boards`` where it exists.

A label file is a list of objects with ``image``, ``edition``, ``corners_px`` (TL TR BR BL) and ``board`` (each row a
string or a list of tokens), or a game with such objects as ``frames``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["BOARDS", "CHECKOUT", "SAMPLE", "is_blank", "label_files", "labels_of", "squares_of"]

CHECKOUT = Path(__file__).resolve().parents[2]
BOARDS = CHECKOUT.parent / "shared" / "boards"
SAMPLE = CHECKOUT / "samples" / "shipped" / "icelandic"


def labels_of(path: Path) -> list[dict[str, Any]]:
    """Read the labels of a ``photos.json`` or a ``game.json``, without photos that show a hand."""
    data = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(data, list):
        return data
    return [{"edition": data["edition"], **frame} for frame in data["frames"] if not frame.get("hand")]


def squares_of(label: dict[str, Any]) -> Iterator[tuple[int, int, str]]:
    """List row, column and token of each square whose label is certain."""
    unsure = {tuple(square) for square in label.get("unsure", [])}
    for row, tokens in enumerate(label["board"]):
        for column, token in enumerate(tokens):
            if token != "#" and (row, column) not in unsure:
                yield row, column, token


def is_blank(token: str) -> bool:
    """Whether the token is a blank tile, its letter known or not."""
    return token == "?" or token != token.upper()


def label_files() -> list[tuple[str, Path]]:
    """List the name and label file of every set that is installed."""
    found = [("shipped sample", SAMPLE / "game.json")]
    for folder in sorted(BOARDS.iterdir()) if BOARDS.is_dir() else []:
        labels = (folder / name for name in ("game.json", "photos.json"))
        found.extend((folder.name, path) for path in labels if path.is_file())
    return found
