"""Films of plain pictures, and what sources give."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.capture import Frame, Interruption
from vision.capture.live import LiveSource, ReconnectPolicy

__all__ = [
    "PATIENT",
    "QUICK",
    "film",
    "levels",
    "only_frames",
    "picture",
    "taken",
]

QUICK = ReconnectPolicy(stall_s=0.4, report_s=0, first_pause_s=0.02, longest_pause_s=0.1)
PATIENT = replace(QUICK, open_s=60.0, stall_s=60.0)
"""Waits for a server on a busy machine."""


def picture(level: int, side: int = 120) -> np.ndarray:
    return np.full((side, side, 3), level, np.uint8)


def film(path: Path, frames: int = 10, fps: float = 20.0, codec: str = "MJPG") -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), fps, (120, 120))
    for number in range(frames):
        writer.write(picture(20 * number % 240))
    writer.release()
    return path


def levels(items: Any) -> list[int]:
    return [round(float(item.image_bgr.mean()) / 20) for item in items if isinstance(item, Frame)]


def only_frames(items: Iterable[Frame | Interruption]) -> list[Frame]:
    frames = []
    for item in items:
        assert isinstance(item, Frame)
        frames.append(item)
    return frames


def taken(
    source: LiveSource, until: Callable[[list[Frame | Interruption]], bool]
) -> list[Frame | Interruption]:
    found: list[Frame | Interruption] = []
    frames = source.frames()
    assert isinstance(frames, Generator)
    for item in frames:
        found.append(item)
        if until(found) or len(found) > 300:
            break
    frames.close()
    return found
