"""A reader for JSON objects that checks the type of each entry and names the place of a fault."""

from __future__ import annotations

import base64
import binascii
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.core import Image, decode_image
from vision.errors import SettingsError

__all__ = ["JsonPart"]

_ROUNDING = 1e-5
"""Excess over 1 that a calculated probability may have."""


class JsonPart:
    """A JSON object whose entries are read by type.

    Parameters
    ----------
    value : object
        The parsed JSON.
    path : Path
        Its file, for messages.
    place : str
        Place of this object in the file, for messages; empty for the outermost.

    Raises
    ------
    SettingsError
        If it is not an object; its methods raise the same for entries that are missing or of another type.
    """

    def __init__(self, value: Any, path: Path, place: str) -> None:
        self.path, self.place = path, place
        if not isinstance(value, dict):
            raise self.fault("an object", value)
        self.value: dict[str, Any] = value

    def fault(self, expected: str, found: Any, key: str = "") -> SettingsError:
        """Return the error for an entry that is not what was expected.

        Parameters
        ----------
        expected : str
            What the entry should be.
        found : object
            What it is.
        key : str
            Its key; empty for this object itself.
        """
        shown = repr(found)
        place = f"{self.place}.{key}".strip(".")
        return SettingsError(
            f"{self.path}: {place or 'the file'}: expected {expected}, got {shown[:60]}; restore it, or calibrate again"
        )

    def part(self, key: str) -> JsonPart | None:
        """Return the object under `key`; None if it is null or missing."""
        found = self.value.get(key)
        return None if found is None else JsonPart(found, self.path, f"{self.place}.{key}".strip("."))

    def text(self, key: str) -> str:
        """Return the text under `key`."""
        found = self.value.get(key)
        if not isinstance(found, str):
            raise self.fault("a text", found, key)
        return found

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of texts under `key`."""
        found = self.value.get(key)
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise self.fault("a list of texts", found, key)
        return tuple(found)

    def number(self, key: str, low: float = -math.inf, high: float = math.inf) -> float:
        """Return the finite number under `key`, which must be from `low` to `high`."""
        found = self.value.get(key)
        if found is None or not _is_number(found) or not low <= found <= high:
            between = f" from {low:g} to {high:g}" if math.isfinite(low + high) else ""
            raise self.fault(f"a number{between}", found, key)
        return float(found)

    def numbers(self, key: str, count: int | None = None) -> tuple[float, ...]:
        """Return the list of finite numbers under `key`, which must be `count` unless that is None."""
        found = self.value.get(key)
        if not isinstance(found, list) or not all(map(_is_number, found)) or count not in (None, len(found)):
            raise self.fault("numbers" if count is None else f"{count} numbers", found, key)
        return tuple(float(each) for each in found)

    def named_numbers(self, key: str) -> dict[str, float]:
        """Return the finite numbers under `key`, by name."""
        found = self.value.get(key)
        if not isinstance(found, dict) or not all(map(_is_number, found.values())):
            raise self.fault("numbers by name", found, key)
        return {name: float(each) for name, each in found.items()}

    def size(self, key: str) -> tuple[int, int]:
        """Return the width and height in pixels under `key`."""
        width, height = self.numbers(key, 2)
        if not (16 <= width <= 100_000 and 16 <= height <= 100_000) or width % 1 or height % 1:
            raise self.fault("width and height in pixels", [width, height], key)
        return int(width), int(height)

    def array(self, key: str, *shape: int) -> NDArray[np.float32]:
        """Return the array of finite numbers under `key`; one length of its shape may be -1."""
        data = self.data(key)
        try:
            array = np.frombuffer(data, dtype="<f4").reshape(shape).astype(np.float32)
        except ValueError:
            raise self.fault(f"{' x '.join(map(str, shape))} numbers", f"{len(data)} bytes", key) from None
        if not np.isfinite(array).all():
            raise self.fault("finite numbers", "not a number", key)
        return array

    def probabilities(self, key: str, *shape: int) -> NDArray[np.float32]:
        """Return the same as `array`, checked to be from 0 to 1."""
        array = self.array(key, *shape)
        outside = array[(array < 0) | (array > 1 + _ROUNDING)]
        if outside.size:
            raise self.fault("numbers from 0 to 1", float(outside[0]), key)
        return array

    def picture(self, key: str) -> Image:
        """Return the picture (height, width, 3) under `key`, BGR."""
        image = decode_image(self.data(key))
        if image is None:
            raise self.fault("a picture", "bytes that are none", key)
        return image

    def data(self, key: str) -> bytes:
        """Return the bytes under `key`, which are encoded in base64."""
        try:
            data = base64.b64decode(self.text(key), validate=True)
        except (binascii.Error, ValueError):
            raise self.fault("base64", self.value.get(key), key) from None
        return data


def _is_number(value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # JSON's integers have no bound
        return False
