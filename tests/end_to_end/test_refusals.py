"""Pictures that show no board that could be read: a reason that helps, exit code 4, and a picture of it on request."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from samples import Camera, random_photo
from tilesight.cli.main import app
from vision.errors import ExitCode

Image = NDArray[np.uint8]


def board(camera: Camera | None = None) -> Image:
    """A board that is found as it stands here."""
    above = Camera(cell_px=30, tilt_deg=5)
    return random_photo(
        np.random.default_rng(12), edition="english", density=0.2, easy=True, camera=camera or above
    ).image_bgr


def half() -> Image:
    photo = board()
    return np.ascontiguousarray(photo[:, : photo.shape[1] // 2])


def dark() -> Image:
    rng = np.random.default_rng(1)
    return np.clip(board() * 0.015 + rng.normal(0, 2, (*board().shape[:2], 3)), 0, 255).astype(np.uint8)


def overexposed() -> Image:
    return np.clip(board().astype(np.int64) * 6 + 150, 0, 255).astype(np.uint8)


def grazing() -> Image:
    return board(Camera(cell_px=30, tilt_deg=75, distance=2.5))


def blurred() -> Image:
    return np.asarray(cv2.GaussianBlur(board(), (0, 0), 14), dtype=np.uint8)


def online_game() -> Image:
    """The board of a game on a screen, flat and clean, of another layout than the edition's."""
    screen = np.full((900, 900, 3), (60, 44, 36), np.uint8)
    colours = ((235, 240, 245), (190, 150, 60), (90, 170, 90), (60, 90, 200))
    rng = np.random.default_rng(4)
    for row in range(15):
        for column in range(15):
            kind = 0 if rng.random() < 0.7 else int(rng.integers(1, 4))
            x, y = 75 + 50 * column, 75 + 50 * row
            cv2.rectangle(screen, (x + 2, y + 2), (x + 47, y + 47), colours[kind], -1)
    return screen


def read(folder: Path, photo: Image, *options: str) -> tuple[int, str]:
    path = folder / "photo.png"
    cv2.imwrite(str(path), photo)
    result = CliRunner().invoke(app, ["read", str(path), *options], standalone_mode=False)
    code = result.return_value if result.exit_code == 0 else result.exit_code
    return int(code or 0), result.stderr


@pytest.mark.parametrize(
    ("photo", "helps"),
    [
        pytest.param(half, "whole board", id="half a board"),
        pytest.param(dark, "light", id="pitch dark"),
        pytest.param(overexposed, "expose shorter", id="overexposed"),
        pytest.param(grazing, "above", id="seen from 15 degrees"),
        pytest.param(blurred, "hold still", id="blurred"),
        pytest.param(online_game, "edition", id="another game on a screen"),
    ],
)
def test_what_would_help_is_reported(tmp_path: Path, photo: object, helps: str) -> None:
    assert callable(photo)
    code, message = read(tmp_path, photo())

    assert code == ExitCode.BOARD_NOT_FOUND
    assert helps in message


def test_on_request_a_refusal_is_drawn(tmp_path: Path) -> None:
    out = tmp_path / "why.png"

    code, _ = read(tmp_path, online_game(), "--picture", str(out))

    assert code == ExitCode.BOARD_NOT_FOUND
    drawn = cv2.imread(str(out))
    assert drawn is not None
    assert drawn.shape[0] > 760
    red = (drawn[..., 2] > 150) & (drawn[..., 1] < 90) & (drawn[..., 0] < 90)
    assert red.sum() > 500  # the grid that was refused, and the reason
