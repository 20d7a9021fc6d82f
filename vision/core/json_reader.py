"""A reader for JSON objects that checks the type of each entry and names the place of a fault."""

from __future__ import annotations

import base64
import binascii
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.core.arrays import Image
from vision.core.imaging import decode_image
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
    advice : str
        What to do with a file that has a fault, for messages.
    place : str
        Place of this object in the file, for messages; empty for the outermost.

    Raises
    ------
    SettingsError
        If it is not an object; its methods raise the same for entries that are missing or of another type.
    """

    def __init__(self, value: Any, path: Path, advice: str, place: str = "") -> None:
        self.path, self.advice, self.place = path, advice, place
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
        place = self._place_of(key) or "the file"
        return SettingsError(f"{self.path}: {place}: expected {expected}, got {shown[:60]}; {self.advice}")

    def has(self, key: str) -> bool:
        """Whether there is anything but null under `key`."""
        return self.value.get(key) is not None

    def check_keys(self, *known: str) -> None:
        """Check that all keys are among these: a mistyped one would be ignored."""
        for key in self.value:
            if key not in known:
                raise self.fault(f"one of {', '.join(known)}", key)

    def part(self, key: str) -> JsonPart | None:
        """Return the object under `key`; None if it is null or missing."""
        found = self.value.get(key)
        return None if found is None else JsonPart(found, self.path, self.advice, self._place_of(key))

    def parts(self, key: str) -> tuple[JsonPart, ...]:
        """Return the objects of the list under `key`; none if it is null or missing."""
        found = self.value.get(key) if self.has(key) else []
        if not isinstance(found, list):
            raise self.fault("a list", found, key)
        place = self._place_of(key)
        return tuple(
            JsonPart(each, self.path, self.advice, f"{place}.{at}") for at, each in enumerate(found, 1)
        )

    def flag(self, key: str) -> bool:
        """Return the truth value under `key`."""
        found = self.value.get(key)
        if not isinstance(found, bool):
            raise self.fault("true or false", found, key)
        return found

    def integer(self, key: str, low: int, high: int) -> int:
        """Return the whole number under `key`, which must be from `low` to `high`."""
        found = self.value.get(key)
        if not isinstance(found, int) or isinstance(found, bool) or not low <= found <= high:
            raise self.fault(f"a whole number from {low} to {high}", found, key)
        return found

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

    def integers(self, key: str, count: int) -> tuple[int, ...]:
        """Return the list of `count` whole numbers under `key`."""
        found = self.numbers(key, count)
        if not all(each.is_integer() for each in found):
            raise self.fault(f"{count} whole numbers", self.value[key], key)
        return tuple(map(int, found))

    def points(self, key: str, count: int, limit: float) -> tuple[tuple[float, float], ...]:
        """Return the list of `count` points x, y under `key`, whose coordinates are smaller than `limit`."""
        found = self.value.get(key)
        if (
            not isinstance(found, list)
            or len(found) != count
            or not all(isinstance(point, list) and len(point) == 2 for point in found)
            or not all(_is_number(each) and abs(each) < limit for point in found for each in point)
        ):
            raise self.fault(f"{count} points x, y, smaller than {limit:g}", found, key)
        return tuple((float(x), float(y)) for x, y in found)

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

    def _place_of(self, key: str) -> str:
        return f"{self.place}.{key}".strip(".")


def _is_number(value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # JSON's integers have no bound
        return False
