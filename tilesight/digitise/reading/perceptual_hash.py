"""Whether two files show the same picture: a fingerprint of pixels that survives resizing and compression.

References
----------
N. Krawetz, "Kind of like that", 2013 (the difference hash): whether each point of a small grey picture is brighter
than its right neighbour.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["WORDS", "likeness_bits", "likeness_of_text", "likeness_text", "nearest_before"]

SIDE = 16
WORDS = SIDE * SIDE // 64
"""A fingerprint is so many 64-bit words."""
ALIKE_WITHIN = 16
"""Bits of 256: copies of photos at a quarter to full size, JPEG quality 30 to 75, differed in 5 (median) to 15; photos
taken by hand of other moments in 55 and more."""


def likeness_bits(image_bgr: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The fingerprint of a picture, `WORDS` words.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    """
    small = cv2.resize(image_bgr, (SIDE + 1, SIDE), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return np.packbits(grey[:, 1:] > grey[:, :-1]).view(np.uint64)


def likeness_text(bits: NDArray[np.uint64]) -> str:
    """The fingerprint as hexadecimal text."""
    return bits.tobytes().hex()


def likeness_of_text(text: str) -> NDArray[np.uint64]:
    """The fingerprint of a text that `likeness_text` wrote."""
    return np.frombuffer(bytes.fromhex(text), np.uint64)


def nearest_before(all_bits: NDArray[np.uint64], boards: NDArray[np.uint8], index: int) -> int | None:
    """The first picture before this one that shows the same, None if there is none.

    A camera on a stand makes pictures that are nearly the same of two turns of a game, so tiles must lie on the same
    squares as well. What is on them does not count: a copy that is packed harder may be read otherwise.

    Parameters
    ----------
    all_bits : (pictures, WORDS) uint64
        The fingerprints.
    boards : (pictures, squares) uint8
        The boards as numbers, one a token, 0 for a square without a tile.
    index : int
        Which picture.
    """
    distance = np.bitwise_count(all_bits[:index] ^ all_bits[index]).sum(axis=1)
    near = np.flatnonzero(distance <= ALIKE_WITHIN)
    found = near[((boards[near] > 0) == (boards[index] > 0)).all(axis=1)]
    return int(found[0]) if len(found) else None
