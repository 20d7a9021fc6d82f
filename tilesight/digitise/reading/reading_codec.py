"""Pack what the reader saw in a photo into a few kilobytes: the photos of a game are read together later."""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np

from vision.core import Occupancy, SquareProbabilities

__all__ = ["pack_reading", "unpack_reading"]

MIN_FILLED_PROBABILITY = 0.003
"""Squares that hold something with a smaller probability are kept as empty; most squares are (chosen)."""
HEADER_END = b"\n"
LABELS = {
    "reader": "reader",
    "tokens": "tokens",
    "values": "value_labels",
    "factors": "value_factors",
    "letter_factors": "letter_factors",
}
"""The field of a reading that each key of the header holds."""
ARRAYS = ("occupancy", "letters", "values", "turns", "embedding")
"""The fields with numbers for each square; the last one may be missing."""


def pack_reading(reading: SquareProbabilities) -> bytes:
    """Pack the probabilities of the squares that may hold something, in half precision."""
    arrays = [array for name in ARRAYS if (array := getattr(reading, name)) is not None]
    header = {key: getattr(reading, name) for key, name in LABELS.items()}
    header |= {"size": reading.occupancy.shape[:2], "lengths": [array.shape[-1] for array in arrays]}
    is_filled = reading.occupancy[..., Occupancy.EMPTY] < 1 - MIN_FILLED_PROBABILITY
    squares = np.concatenate([array[is_filled] for array in arrays], axis=1).astype(np.float16)
    text = json.dumps(header, ensure_ascii=False).encode()
    return zlib.compress(text + HEADER_END + np.packbits(is_filled).tobytes() + squares.tobytes(), 1)


def unpack_reading(data: bytes) -> SquareProbabilities:
    """Unpack a reading; a square that was not kept is empty."""
    text, _, rest = zlib.decompress(data).partition(HEADER_END)
    header = json.loads(text)
    rows, columns = header["size"]
    count, lengths = rows * columns, header["lengths"]
    bits = np.frombuffer(rest[: -(-count // 8)], np.uint8)
    is_filled = np.unpackbits(bits, count=count).astype(bool).reshape(rows, columns)
    squares = np.frombuffer(rest[len(bits) :], np.float16).reshape(int(is_filled.sum()), sum(lengths))
    fields: dict[str, Any] = {
        name: tuple(header[key]) if isinstance(header[key], list) else header[key]
        for key, name in LABELS.items()
    }
    fields["embedding"] = None
    parts = np.split(squares, np.cumsum(lengths)[:-1], axis=1)
    for name, length, part in zip(ARRAYS, lengths, parts, strict=False):
        fields[name] = np.full(
            (rows, columns, length), np.nan if name == "embedding" else 1 / length, np.float32
        )
        fields[name][is_filled] = part
    fields["occupancy"][~is_filled] = np.eye(len(Occupancy), dtype=np.float32)[Occupancy.EMPTY]
    return SquareProbabilities(**fields)
