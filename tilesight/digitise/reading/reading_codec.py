"""Pack what the reader saw in a photo into a few kilobytes: the photos of a game are read together later."""

from __future__ import annotations

import io
import json
from dataclasses import fields
from typing import Any

import numpy as np

from vision.core import Occupancy, SquareProbabilities

__all__ = ["pack_reading", "unpack_reading"]

MIN_FILLED_PROBABILITY = 0.003
"""Squares that hold something with a smaller probability are kept as empty; most squares are (chosen)."""


def pack_reading(reading: SquareProbabilities) -> bytes:
    """Pack the probabilities of the squares that may hold something, in half precision."""
    values: dict[str, Any] = {each.name: getattr(reading, each.name) for each in fields(reading)}
    is_filled = reading.occupancy[..., Occupancy.EMPTY] < 1 - MIN_FILLED_PROBABILITY
    arrays: dict[str, Any] = {
        name: np.where(is_filled[..., None], values.pop(name), 0).astype(np.float16)
        for name, value in [*values.items()]
        if isinstance(value, np.ndarray)
    }
    file = io.BytesIO()
    np.savez_compressed(file, labels=json.dumps(values), is_filled=is_filled, **arrays)
    return file.getvalue()


def unpack_reading(data: bytes) -> SquareProbabilities:
    """Unpack a reading; a square that was not kept is empty."""
    with np.load(io.BytesIO(data)) as file:
        arrays = dict(file)
    is_filled, labels = arrays.pop("is_filled"), json.loads(str(arrays.pop("labels")))
    values: dict[str, Any] = {
        name: tuple(label) if isinstance(label, list) else label for name, label in labels.items()
    }
    for name, array in arrays.items():
        unknown = np.nan if name == "embedding" else 1 / array.shape[-1]
        values[name] = np.where(is_filled[..., None], array.astype(np.float32), unknown).astype(np.float32)
    values["occupancy"][~is_filled] = np.eye(len(Occupancy), dtype=np.float32)[Occupancy.EMPTY]
    return SquareProbabilities(**values)
