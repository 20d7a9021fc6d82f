"""Handwritten capitals and digits, drawn stroke by stroke."""

from __future__ import annotations

import math

import cv2
import numpy as np

from samples.arrays import Floats, Mask

__all__ = ["pen_mark"]


STROKES = {
    "A": ("0840", "4088", "1575"),
    "B": ("0008", "~0060724404", "~0474868808"),
    "C": ("~8160201305182868", "~6070"),
    "D": ("0008", "~00508285487808"),
    "E": ("8000", "0008", "0878", "0464"),
    "F": ("8000", "0008", "0464"),
    "G": ("~81602013051828687885", "8555"),
    "H": ("0008", "8088", "0484"),
    "I": ("4048",),
    "J": ("~6066482806", "2080"),
    "K": ("0008", "8004", "0488"),
    "L": ("0008", "0888"),
    "M": ("0800", "0045", "4580", "8088"),
    "N": ("0800", "0088", "8880"),
    "O": ("~4010041638588572604020",),
    "P": ("0008", "~00507275440504"),
    "Q": ("~4010041638588572604020", "5588"),
    "R": ("0008", "~00607254440404", "4488"),
    "S": ("~8160200244868808",),
    "T": ("0080", "4048"),
    "U": ("~0005184878858480",),
    "V": ("0048", "4880"),
    "W": ("0028", "2843", "4368", "6880"),
    "X": ("0088", "8008"),
    "Y": ("0044", "8044", "4448"),
    "Z": ("0080", "8008", "0888"),
    "0": ("~4010041638588572604020",),
    "1": ("2240", "4048"),
    "2": ("~02106072640808", "0888"),
    "3": ("~01407244", "~4486684807"),
    "4": ("5005", "0585", "5058"),
    "5": ("7020", "2013", "~1363866808"),
    "6": ("~6023061868866434", "~3406"),
    "7": ("0080", "8038"),
    "8": ("~4410407044160868864440",),
    "9": ("~7230051464727068",),
}
"""Strokes as corners "xy" on a grid of 0 to 8, y downwards; "~" starts a rounded stroke."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FINE = 128
"""Pixels of a mark's side while it is drawn; chosen."""
VALUED = 0.6
"""Share of the marks with a value next to the letter; chosen."""


def pen_mark(side_px: int, rng: np.random.Generator) -> Mask:
    """Draw a handwritten capital, mostly with a value, in a square mask of `side_px`."""
    mask = np.zeros((FINE, FINE), np.uint8)
    letter = LETTERS[int(rng.integers(len(LETTERS)))]
    height = float(rng.uniform(0.36, 0.62)) * FINE
    width = height * float(rng.uniform(0.6, 1.05)) * (0.2 if letter == "I" else 1.0)
    thick = float(rng.uniform(0.045, 0.11)) * FINE
    unsteady = float(rng.uniform(0.01, 0.06))
    slant = float(rng.normal(0, 0.12))
    left = (FINE - width) * float(rng.uniform(0.3, 0.6))
    top = (FINE - height) * float(rng.uniform(0.3, 0.6))
    _write(mask, letter, (left, top), (width, height), thick, slant, unsteady, rng)
    if rng.random() < VALUED:
        small = height * float(rng.uniform(0.28, 0.45))
        x = left + width + FINE * float(rng.uniform(0.02, 0.08))
        y = top + height - small * float(rng.uniform(0.3, 0.9))
        for digit in str((1, 2, 3, 4, 5, 8, 10)[int(rng.integers(7))]):
            _write(
                mask, digit, (x, y), (0.6 * small, small), max(2.0, 0.6 * thick), slant, 1.5 * unsteady, rng
            )
            x += 0.8 * small
    return np.asarray(cv2.resize(mask, (side_px, side_px), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _write(
    mask: Mask,
    sign: str,
    place: tuple[float, float],
    size: tuple[float, float],
    thick: float,
    slant: float,
    unsteady: float,
    rng: np.random.Generator,
) -> None:
    """Write one character into the box at `place` of `size` (x, y), into the mask."""
    for stroke in STROKES[sign]:
        corners = np.array([int(digit) for digit in stroke.lstrip("~")], np.float64).reshape(-1, 2) / 8
        corners += rng.normal(0, unsteady, corners.shape)
        points = _round_corners(corners) if stroke.startswith("~") else _bend(corners, unsteady, rng)
        points[:, 0] += slant * (0.5 - points[:, 1])
        pixels = np.round((points * size + place) * 16).astype(np.int32)
        wide = max(1, round(thick * float(rng.uniform(0.85, 1.15))))
        cv2.polylines(mask, [pixels], False, 255, wide, cv2.LINE_AA, shift=4)


def _round_corners(corners: Floats) -> Floats:
    """Round a stroke by cutting its corners three times (Chaikin's algorithm); the ends stay."""
    for _ in range(3):
        first, second = corners[:-1], corners[1:]
        cut = np.stack([0.75 * first + 0.25 * second, 0.25 * first + 0.75 * second], axis=1).reshape(-1, 2)
        corners = np.concatenate([corners[:1], cut, corners[-1:]])
    return corners


def _bend(corners: Floats, unsteady: float, rng: np.random.Generator) -> Floats:
    """Bend a straight stroke slightly, as a hand does."""
    first, last = corners[0], corners[-1]
    along = last - first
    share = np.linspace(0, 1, 7)
    bow = float(rng.normal(0, unsteady)) * np.sin(share * math.pi)
    return np.asarray(first + share[:, np.newaxis] * along + bow[:, np.newaxis] * (along[1], -along[0]))
