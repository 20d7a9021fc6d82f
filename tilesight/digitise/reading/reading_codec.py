"""Pack what the reader saw in a photo into a few kilobytes: the photos of a game are read together later."""

from __future__ import annotations

import json
import zlib

import numpy as np

from vision.core import Occupancy, SquareProbabilities

__all__ = ["pack_reading", "unpack_reading"]

MIN_FILLED_PROBABILITY = 0.003
"""Squares that hold something with a smaller probability are kept as empty; most squares are (chosen)."""
HEADER_END = b"\n"


def pack_reading(reading: SquareProbabilities) -> bytes:
    """Pack the probabilities of the squares that may hold something, in half precision."""
    rows, columns = reading.occupancy.shape[:2]
    arrays = [reading.occupancy, reading.letters, reading.values, reading.turns]
    if reading.embedding is not None:
        arrays.append(reading.embedding)
    header = {
        "reader": reading.reader,
        "tokens": reading.tokens,
        "values": reading.value_labels,
        "factors": reading.value_factors,
        "letter_factors": reading.letter_factors,
        "size": [rows, columns],
        "lengths": [array.shape[-1] for array in arrays],
    }
    is_filled = reading.occupancy[..., Occupancy.EMPTY] < 1 - MIN_FILLED_PROBABILITY
    squares = np.concatenate([array[is_filled] for array in arrays], axis=1).astype(np.float16)
    text = json.dumps(header, ensure_ascii=False).encode()
    return zlib.compress(text + HEADER_END + np.packbits(is_filled).tobytes() + squares.tobytes(), 1)


def unpack_reading(data: bytes) -> SquareProbabilities:
    """Unpack a reading; a square that was not kept is empty."""
    text, _, rest = zlib.decompress(data).partition(HEADER_END)
    header = json.loads(text)
    rows, columns = header["size"]
    count = rows * columns
    bits = np.frombuffer(rest[: -(-count // 8)], np.uint8)
    is_filled = np.unpackbits(bits, count=count).astype(bool).reshape(rows, columns)
    lengths = header["lengths"]
    squares = np.frombuffer(rest[len(bits) :], np.float16).reshape(int(is_filled.sum()), sum(lengths))
    arrays = []
    for length, part in zip(lengths, np.split(squares, np.cumsum(lengths)[:-1], axis=1), strict=True):
        array = np.full((rows, columns, length), 1 / length, np.float32)
        array[is_filled] = part
        arrays.append(array)
    occupancy, letters, values, turns, *more = arrays
    for appearance in more:
        appearance[~is_filled] = np.nan
    occupancy[~is_filled] = np.eye(len(Occupancy), dtype=np.float32)[Occupancy.EMPTY]
    return SquareProbabilities(
        reader=header["reader"],
        tokens=tuple(header["tokens"]),
        value_labels=tuple(header["values"]),
        letter_factors=tuple(header.get("letter_factors", ())),  # missing in results of older versions
        value_factors=tuple(header["factors"]),
        occupancy=occupancy,
        letters=letters,
        values=values,
        turns=turns,
        embedding=more[0] if more else None,
    )
