"""The folder of the documents' pictures."""

from __future__ import annotations

from pathlib import Path

import cv2

from vision.core import write_file
from vision.drawing import Image

__all__ = ["IMAGES", "save_figure"]

IMAGES = Path(__file__).resolve().parents[1] / "images"


def save_figure(name: str, image_bgr: Image, quality: int = 80) -> Path:
    """Write a picture as a JPEG file for the documents; its path."""
    data = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    write_file(IMAGES / name, bytes(data))
    return IMAGES / name
