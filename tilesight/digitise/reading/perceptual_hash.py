"""A hash of a picture that survives resizing and compression.

References
----------
N. Krawetz, "Kind of like that", 2013 (the difference hash): whether each point of a small grey picture is brighter
than its right neighbour.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["HASH_WORDS", "hash_picture", "parse_hash"]

SIDE = 16
"""Side of the grey picture that is hashed, in pixels (chosen)."""
HASH_WORDS = SIDE * SIDE // 64
"""Number of 64-bit words of a hash."""


def hash_picture(image_bgr: NDArray[np.uint8]) -> str:
    """Compute the difference hash of a BGR picture, as hexadecimal text."""
    small = cv2.resize(image_bgr, (SIDE + 1, SIDE), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return np.packbits(grey[:, 1:] > grey[:, :-1]).tobytes().hex()


def parse_hash(text: str) -> NDArray[np.uint64]:
    """Read a hash from its text, (HASH_WORDS,)."""
    return np.frombuffer(bytes.fromhex(text), np.uint64)
