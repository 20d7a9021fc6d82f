"""JSON objects whose entries are asked for by kind, so that what is missing or odd is named with its place."""

from __future__ import annotations

import base64
import binascii
import math
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import SettingsError

__all__ = ["JsonPart"]

_ROUNDING = 1e-5
"""By which a probability that was calculated may be above 1."""


class JsonPart:
    """A JSON object.

    Parameters
    ----------
    value : object
        What was read there.
    path : Path
        The file, for messages.
    place : str
        Where in it this object stands, for messages; empty for the whole.

    Raises
    ------
    SettingsError
        If it is no object; its methods raise the same for entries that are missing or of another kind.
    """

    def __init__(self, value: Any, path: Path, place: str) -> None:
        self.path, self.place = path, place
        if not isinstance(value, dict):
            raise self.odd("an object", value)
        self.value: dict[str, Any] = value

    def odd(self, expected: str, found: Any, key: str = "") -> SettingsError:
        """The error that names an entry which is not what was expected."""
        shown = repr(found)
        place = f"{self.place}.{key}".strip(".")
        return SettingsError(
            f"{self.path}: {place or 'the file'}: expected {expected}, got {shown[:60]}; restore it, or calibrate again"
        )

    def part(self, key: str) -> JsonPart | None:
        """The object under `key`; None where it is null or missing."""
        found = self.value.get(key)
        return None if found is None else JsonPart(found, self.path, f"{self.place}.{key}".strip("."))

    def text(self, key: str) -> str:
        """The text under `key`."""
        found = self.value.get(key)
        if not isinstance(found, str):
            raise self.odd("a text", found, key)
        return found

    def texts(self, key: str) -> tuple[str, ...]:
        """The texts listed under `key`."""
        found = self.value.get(key)
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise self.odd("a list of texts", found, key)
        return tuple(found)

    def number(self, key: str, low: float = -math.inf, high: float = math.inf) -> float:
        """The finite number under `key`, within these bounds."""
        found = self.value.get(key)
        if found is None or not _is_number(found) or not low <= found <= high:
            between = f" from {low:g} to {high:g}" if math.isfinite(low + high) else ""
            raise self.odd(f"a number{between}", found, key)
        return float(found)

    def numbers(self, key: str, count: int | None = None) -> tuple[float, ...]:
        """The finite numbers listed under `key`, that many of them."""
        found = self.value.get(key)
        if not isinstance(found, list) or not all(map(_is_number, found)) or count not in (None, len(found)):
            raise self.odd("numbers" if count is None else f"{count} numbers", found, key)
        return tuple(float(each) for each in found)

    def named_numbers(self, key: str) -> dict[str, float]:
        """The finite numbers under `key`, by their names."""
        found = self.value.get(key)
        if not isinstance(found, dict) or not all(map(_is_number, found.values())):
            raise self.odd("numbers by name", found, key)
        return {name: float(each) for name, each in found.items()}

    def size(self, key: str) -> tuple[int, int]:
        """Width and height in pixels, under `key`."""
        width, height = self.numbers(key, 2)
        if not (16 <= width <= 100_000 and 16 <= height <= 100_000) or width % 1 or height % 1:
            raise self.odd("width and height in pixels", [width, height], key)
        return int(width), int(height)

    def array(self, key: str, *shape: int) -> NDArray[np.float32]:
        """An array of finite numbers of this shape, of which at most one length is -1."""
        data = self.data(key)
        try:
            array = np.frombuffer(data, dtype="<f4").reshape(shape).astype(np.float32)
        except ValueError:
            raise self.odd(f"{' x '.join(map(str, shape))} numbers", f"{len(data)} bytes", key) from None
        if not np.isfinite(array).all():
            raise self.odd("finite numbers", "not a number", key)
        return array

    def probabilities(self, key: str, *shape: int) -> NDArray[np.float32]:
        """The same, of numbers from 0 to 1."""
        array = self.array(key, *shape)
        outside = array[(array < 0) | (array > 1 + _ROUNDING)]
        if outside.size:
            raise self.odd("numbers from 0 to 1", float(outside[0]), key)
        return array

    def picture(self, key: str) -> NDArray[np.uint8]:
        """The (height, width, 3) uint8 picture under `key`, BGR."""
        data = self.data(key)
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
        if image is None:
            raise self.odd("a picture", "bytes that are none", key)
        return np.asarray(image, np.uint8)

    def data(self, key: str) -> bytes:
        """The bytes under `key`, written in base64."""
        try:
            data = base64.b64decode(self.text(key), validate=True)
        except (binascii.Error, ValueError):
            raise self.odd("base64", self.value.get(key), key) from None
        return data


def _is_number(value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # JSON's whole numbers have no bound
        return False
