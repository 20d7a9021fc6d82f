"""A camera that is not bolted down, and light that moves, as functions of time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from samples.arrays import Floats, Picture
from samples.errors import SpecificationError

__all__ = ["CameraMotion", "MovingLight"]

MOTIONS = ("sway", "shake", "vibration", "stabiliser", "hand", "breathing")
"""Kinds of `CameraMotion`."""
LIGHTS = ("bands", "shadow")
"""Kinds of `MovingLight`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraMotion:
    """How a camera moves while it films.

    Parameters
    ----------
    kind : {"sway", "shake", "vibration", "stabiliser", "hand", "breathing"}
        A slow sway; a new place in every frame; 3 Hz; an optical stabiliser that drifts for 5 s and jumps back; a
        camera held in a hand, with rotation, scale and a rolling shutter; a lens that looks for its focus every 6 s.
    amplitude_px : float
        Size of the motion, in pixels.
    seed : int
        Of its phases.
    """

    kind: str
    amplitude_px: float
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in MOTIONS:
            raise SpecificationError(f"kind: got {self.kind!r}; it must be one of {', '.join(MOTIONS)}")
        if self.amplitude_px < 0:
            raise SpecificationError(f"amplitude_px: got {self.amplitude_px}; it must not be negative")

    def matrix(self, time_s: float, size_px: tuple[int, int]) -> Floats:
        """Return the (3, 3) matrix from a frame of a camera at rest, (width, height), to the moved one."""
        width, height = size_px
        dx, dy, degrees, scale, lean = self._pose(time_s, height)
        theta = math.radians(degrees)
        cos, sin = scale * math.cos(theta), scale * math.sin(theta)
        x, y = width / 2, height / 2
        shear = lean * self.amplitude_px / height
        around = np.array([[cos, shear - sin, x + dx], [sin, cos, y + dy], [0, 0, 1]])
        return np.asarray(around @ np.array([[1, 0, -x], [0, 1, -y], [0, 0, 1.0]]))

    def move(self, picture: Picture, time_s: float) -> Picture:
        """Return a frame as the moved camera sees it."""
        height, width = picture.shape[:2]
        moved = cv2.warpPerspective(
            picture, self.matrix(time_s, (width, height)), (width, height), borderMode=cv2.BORDER_REFLECT
        )
        return np.asarray(moved, dtype=np.uint8)

    def _pose(self, time_s: float, height: int) -> tuple[float, float, float, float, float]:
        """The shift in pixels, rotation in degrees, scale, and lean of a rolling shutter in amplitudes."""
        phases = np.random.default_rng([self.seed, 7]).uniform(0, 2 * math.pi, 12)

        def wave(number: int, hertz: float) -> float:
            return math.sin(2 * math.pi * hertz * time_s + phases[number])

        px = self.amplitude_px
        match self.kind:
            case "sway":
                shares = ((0.11, 0.7), (0.43, 0.5), (0.9, 0.3))
                dx = sum(share * wave(n, hertz) for n, (hertz, share) in enumerate(shares))
                dy = sum(share * wave(n + 3, 1.2 * hertz) for n, (hertz, share) in enumerate(shares))
                return px * dx, px * dy, 0.0, 1.0, 0.0
            case "shake":
                rng = np.random.default_rng([self.seed, 8, round(time_s * 1000)])
                dx, dy = rng.normal(0, px, 2)
                return float(dx), float(dy), 0.0, 1.0, 0.0
            case "vibration":
                return px * wave(0, 3.1), px * wave(1, 2.3), 0.0, 1.0, 0.0
            case "stabiliser":
                return px * (time_s % 5 / 5), px * (time_s % 7 / 7 - 0.5), 0.0, 1.0, 0.0
            case "breathing":
                moment = time_s % 6
                grows = math.sin(math.pi * moment) if moment < 1 else 0.0
                return 0.0, 0.0, 0.0, 1 + 2 * px * grows / height, 0.0
            case _:
                dx = 0.6 * wave(0, 0.17) + 0.25 * wave(1, 0.9) + 0.08 * wave(2, 5.3)
                dy = 0.6 * wave(3, 0.13) + 0.25 * wave(4, 1.1) + 0.08 * wave(5, 6.1)
                degrees = 2 * (0.7 * wave(6, 0.21) + 0.3 * wave(7, 1.3))
                scale = 1 + 0.03 * (0.7 * wave(8, 0.11) + 0.3 * wave(9, 0.7))
                return px * dx, px * dy, degrees, scale, 0.15 * wave(10, 4.7)


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingLight:
    """Light that never rests.

    Parameters
    ----------
    kind : {"bands", "shadow"}
        Rolling bands of a lamp on alternating current; the edge of a shadow, of a fan or a tree, that goes to and fro.
    strength : float
        Largest change of the brightness, as a share of it.
    """

    kind: str
    strength: float

    def __post_init__(self) -> None:
        if self.kind not in LIGHTS:
            raise SpecificationError(f"kind: got {self.kind!r}; it must be one of {', '.join(LIGHTS)}")

    def shine(self, picture: Picture, time_s: float) -> Picture:
        """Return a frame in this light."""
        height, width = picture.shape[:2]
        if self.kind == "bands":
            rows = np.arange(height)[:, None, None] / (0.45 * height)
            level = 1 + self.strength * np.sin(2 * math.pi * (rows + 4.44 * time_s))
        else:
            y, x = np.mgrid[0:height, 0:width].astype(np.float32)
            from_edge = x - width * (0.55 + 0.06 * math.sin(5.1 * time_s)) + 0.3 * y
            level = 1 - self.strength / (1 + np.exp(np.clip(-from_edge / 12, -30, 30)))[..., None]
        return np.asarray(np.clip(picture * level, 0, 255), dtype=np.uint8)
