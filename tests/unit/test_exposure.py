"""A board that is burnt out is refused with what would help; one that is white by nature is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samples import Camera, Light, render_photo
from samples.icelandic import icelandic_style
from scoring import load_edition
from vision.capture import Frame
from vision.errors import BoardNotFoundError
from vision.exposure import check_exposure
from vision.photo import load_reader, read_frame
from vision.rectified import RectifiedBoard

ICELANDIC = load_edition("icelandic")
ROWS = [["."] * 15 for _ in range(15)]
ROWS[7][4:9] = ["H", "R", "A", "K", "I"]


def photo(brightness: float) -> Frame:
    style = icelandic_style()
    pale = replace(style, board=replace(style.board, plain_bgr=(200.0, 210.0, 215.0)))
    rendered = render_photo(
        ROWS, ICELANDIC, style=pale, camera=Camera(cell_px=30), light=Light(brightness=brightness), seed=1
    )
    return Frame(image_bgr=rendered.image_bgr, source="rendered", index=0, time_s=0.0)


def test_a_burnt_out_board_is_refused_with_what_would_help() -> None:
    reader = load_reader("network", ICELANDIC)
    assert read_frame(photo(1.0), ICELANDIC, reader).decoded.board[7, 4] == "H"
    with pytest.raises(BoardNotFoundError, match="expose shorter"):
        read_frame(photo(4.0), ICELANDIC, reader)


def test_a_white_board_with_dark_print_is_not_burnt_out() -> None:
    image = np.full((15 * 20, 15 * 20, 3), 255, np.uint8)
    with pytest.raises(BoardNotFoundError, match="100% of it"):
        check_exposure(RectifiedBoard(image_bgr=image, rows=15, columns=15, cell_px=20, margin_px=0))
    image[::10, ::4] = 20
    printed = np.ascontiguousarray(image)
    printed[:, ::20] = 30
    check_exposure(RectifiedBoard(image_bgr=printed, rows=15, columns=15, cell_px=20, margin_px=0))
