"""What the reader saw in a photo, packed to be kept: a few kilobytes, for the photos of a game are read together."""

from __future__ import annotations

import json
import zlib

import numpy as np

from vision.core import Occupancy, SquareProbabilities

__all__ = ["packed", "unpacked"]

MAY_HOLD_FROM = 0.003
"""Squares that hold something with less probability are kept as empty; most of a board's are."""
HEAD = b"\n"


def packed(reading: SquareProbabilities) -> bytes:
    """The probabilities of the squares that may hold something, in half precision."""
    rows, columns = reading.occupancy.shape[:2]
    arrays = [reading.occupancy, reading.letters, reading.values, reading.turns]
    if reading.embedding is not None:
        arrays.append(reading.embedding)
    head = {
        "reader": reading.reader,
        "tokens": reading.tokens,
        "values": reading.value_labels,
        "factors": reading.value_factors,
        "letter_factors": reading.letter_factors,
        "size": [rows, columns],
        "lengths": [array.shape[-1] for array in arrays],
    }
    held = reading.occupancy[..., Occupancy.EMPTY] < 1 - MAY_HOLD_FROM
    squares = np.concatenate([each[held] for each in arrays], axis=1).astype(np.float16)
    text = json.dumps(head, ensure_ascii=False).encode()
    return zlib.compress(text + HEAD + np.packbits(held).tobytes() + squares.tobytes(), 1)


def unpacked(data: bytes) -> SquareProbabilities:
    """The reading that `packed` packed; a square that was not kept is empty."""
    text, _, rest = zlib.decompress(data).partition(HEAD)
    head = json.loads(text)
    rows, columns = head["size"]
    count = rows * columns
    bits = np.frombuffer(rest[: -(-count // 8)], np.uint8)
    held = np.unpackbits(bits, count=count).astype(bool).reshape(rows, columns)
    squares = np.frombuffer(rest[len(bits) :], np.float16).reshape(int(held.sum()), -1)
    lengths = head["lengths"]
    arrays = []
    for length, part in zip(lengths, np.split(squares, np.cumsum(lengths)[:-1], axis=1), strict=True):
        array = np.full((rows, columns, length), 1 / length, np.float32)
        array[held] = part
        arrays.append(array)
    occupancy, letters, values, turns, *more = arrays
    for appearance in more:
        appearance[~held] = np.nan
    occupancy[~held] = np.eye(len(Occupancy), dtype=np.float32)[Occupancy.EMPTY]
    return SquareProbabilities(
        reader=head["reader"],
        tokens=tuple(head["tokens"]),
        value_labels=tuple(head["values"]),
        letter_factors=tuple(head.get("letter_factors", ())),  # older versions keep none
        value_factors=tuple(head["factors"]),
        occupancy=occupancy,
        letters=letters,
        values=values,
        turns=turns,
        embedding=more[0] if more else None,
    )
