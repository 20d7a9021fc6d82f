"""Pack what the reader saw in a photo into a few kilobytes: the photos of a game are read together later."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import Any

import numpy as np

from vision.core import Occupancy, SquareProbabilities

__all__ = ["pack_reading", "unpack_reading"]

MIN_FILLED_PROBABILITY = 0.003
"""Squares that hold something with a smaller probability are kept as empty; most squares are (chosen)."""
HEADER_END = b"\n"


def pack_reading(reading: SquareProbabilities) -> bytes:
    """Pack the probabilities of the squares that may hold something, in half precision."""
    labels = {each.name: getattr(reading, each.name) for each in fields(reading)}
    arrays = {name: value for name, value in labels.items() if isinstance(value, np.ndarray)}
    shapes = {name: labels.pop(name).shape for name in arrays}
    is_filled = reading.occupancy[..., Occupancy.EMPTY] < 1 - MIN_FILLED_PROBABILITY
    squares = np.concatenate([array[is_filled] for array in arrays.values()], axis=1).astype(np.float16)
    text = json.dumps([labels, shapes], ensure_ascii=False).encode()
    return zlib.compress(text + HEADER_END + np.packbits(is_filled).tobytes() + squares.tobytes(), 1)


def unpack_reading(data: bytes) -> SquareProbabilities:
    """Unpack a reading; a square that was not kept is empty."""
    text, _, rest = zlib.decompress(data).partition(HEADER_END)
    labels, shapes = json.loads(text)
    rows, columns, _ = shapes["occupancy"]
    bits = np.frombuffer(rest[: -(-rows * columns // 8)], np.uint8)
    is_filled = np.unpackbits(bits, count=rows * columns).astype(bool).reshape(rows, columns)
    ends = np.cumsum([length for *_, length in shapes.values()])
    squares = np.frombuffer(rest[len(bits) :], np.float16).reshape(int(is_filled.sum()), ends[-1])
    values: dict[str, Any] = {
        name: tuple(label) if isinstance(label, list) else label for name, label in labels.items()
    }
    for (name, shape), part in zip(shapes.items(), np.split(squares, ends[:-1], axis=1), strict=True):
        values[name] = np.full(shape, np.nan if name == "embedding" else 1 / shape[-1], np.float32)
        values[name][is_filled] = part
    values["occupancy"][~is_filled] = np.eye(len(Occupancy), dtype=np.float32)[Occupancy.EMPTY]
    return SquareProbabilities(**values)
