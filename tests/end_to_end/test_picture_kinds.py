"""Grey, 16-bit, CMYK and transparent pictures of the shipped sample are read as the colour photo is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.conftest import Outcome

Command = Callable[..., Outcome]
Photo = NDArray[np.uint8]


def save_grey(photo: Photo, folder: Path) -> Path:
    cv2.imwrite(str(folder / "grey.png"), cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY))
    return folder / "grey.png"


def save_grey_jpeg(photo: Photo, folder: Path) -> Path:
    Image.fromarray(cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY)).save(folder / "grey.jpg", quality=92)
    return folder / "grey.jpg"


def save_16_bit_png(photo: Photo, folder: Path) -> Path:
    cv2.imwrite(str(folder / "deep.png"), photo.astype(np.uint16) * 257)
    return folder / "deep.png"


def save_16_bit_tiff(photo: Photo, folder: Path) -> Path:
    cv2.imwrite(str(folder / "deep.tif"), photo.astype(np.uint16) * 257)
    return folder / "deep.tif"


def save_16_bit_grey(photo: Photo, folder: Path) -> Path:
    cv2.imwrite(
        str(folder / "deep-grey.png"), cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY).astype(np.uint16) * 257
    )
    return folder / "deep-grey.png"


def save_cmyk(photo: Photo, folder: Path) -> Path:
    Image.fromarray(cv2.cvtColor(photo, cv2.COLOR_BGR2RGB)).convert("CMYK").save(
        folder / "press.jpg", quality=92
    )
    return folder / "press.jpg"


def save_transparent(photo: Photo, folder: Path) -> Path:
    """Opaque where the board is, clear around it."""
    alpha = np.zeros(photo.shape[:2], np.uint8)
    alpha[20:-20, 20:-20] = 255
    cv2.imwrite(str(folder / "clear.png"), np.dstack([photo, alpha]))
    return folder / "clear.png"


def save_palette(photo: Photo, folder: Path) -> Path:
    Image.fromarray(cv2.cvtColor(photo, cv2.COLOR_BGR2RGB)).quantize(256).save(folder / "palette.png")
    return folder / "palette.png"


@pytest.mark.parametrize(
    "save",
    [
        save_grey,
        save_grey_jpeg,
        save_16_bit_png,
        save_16_bit_tiff,
        save_16_bit_grey,
        save_cmyk,
        save_transparent,
        save_palette,
    ],
)
def test_the_board_is_the_same(
    tilesight: Command, tmp_path: Path, icelandic_sample: Path, save: Callable[[Photo, Path], Path]
) -> None:
    """Corners are given: what is asked here is whether the pixels arrive, not whether grey boards are found."""
    truth = json.loads((icelandic_sample / "game.json").read_text(encoding="utf-8"))["frames"][-1]
    path = save(np.asarray(cv2.imread(str(icelandic_sample / truth["image"])), np.uint8), tmp_path)
    corners = " ".join(f"{x},{y}" for x, y in truth["corners_px"])
    outcome = tilesight("read", path, "--edition", "icelandic", "--format", "json", "--corners", corners)
    assert outcome.code == 0, outcome.err
    (line,) = outcome.json_lines
    assert line["rows"] == [list(row) for row in truth["board"]]


def test_a_format_that_cannot_be_read_is_refused_with_those_that_can(
    tilesight: Command, tmp_path: Path
) -> None:
    Image.new("RGB", (200, 200)).save(tmp_path / "old.pcx")
    outcome = tilesight("read", tmp_path / "old.pcx")
    assert outcome.code == 3
    assert "save it as PNG or JPEG" in outcome.err
    assert "Traceback" not in outcome.err
