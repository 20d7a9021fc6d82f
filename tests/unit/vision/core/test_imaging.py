"""Pictures projected through four channels, and halved: the pixels are those that were meant."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tilesight.digitise.reading.photo_reader import downscale
from vision.core.geometry import Grid
from vision.core.imaging import decode_image, halve_image, to_four_channels, warp_image
from vision.rectification import rectify


@pytest.mark.parametrize("closer", [0.3, 1.0, 3.0])
def test_four_channels_show_to_the_bit_what_three_do(closer: float) -> None:
    image = np.random.default_rng(4).integers(0, 255, (90, 120, 3), dtype=np.uint8)
    matrix = np.array([[0.7, 0.05, -8.0], [0.02, 0.6, 5.0], [1e-4, 5e-4, 1.0]]) @ np.diag([closer, closer, 1])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    three = cv2.warpPerspective(image, matrix, (200, 150), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    four = warp_image(to_four_channels(image), matrix, (200, 150))
    assert np.array_equal(four, three)
    assert len(np.unique(four)) > 100


def test_halving_averages_blocks_and_leaves_an_odd_last_line_out() -> None:
    image = np.zeros((5, 7, 3), np.uint8)
    image[2:4, 4:6] = 80
    image[4, :], image[:, 6] = 255, 255
    small = halve_image(image)
    assert small.shape == (2, 3, 3)
    assert small[..., 0].tolist() == [[0, 0, 0], [0, 0, 80]]


def test_bytes_that_claim_too_many_pixels_are_no_image() -> None:
    data = cv2.imencode(".jpg", np.zeros((32, 32, 3), np.uint8))[1].tobytes()
    assert decode_image(data) is not None
    place = data.find(b"\xff\xc0")  # start of frame
    assert decode_image(data[: place + 5] + (65500).to_bytes(2, "big") * 2 + data[place + 9 :]) is None
    assert decode_image(b"") is None


@pytest.mark.parametrize("odd", [0, 1])
def test_a_board_of_many_pixels_is_straightened_in_its_place(odd: int) -> None:
    """Seen at six times the wanted size, so that the picture is halved twice on the way."""
    image = np.full((15 * 48 + 40 + odd, 15 * 48 + 30 + odd, 3), 200, np.uint8)
    for row, column in ((0, 0), (7, 9), (14, 14)):
        image[20 + row * 48 : 20 + (row + 1) * 48, 10 + column * 48 : 10 + (column + 1) * 48] = 30
    corners = np.array([[10, 20], [730, 20], [730, 740], [10, 740]]) - 0.5  # edges lie between pixels
    board = rectify(image, Grid.from_corners(corners.tolist(), 15, 15), cell_px=8, margin_px=4)
    for row, column in ((0, 0), (7, 9), (14, 14)):
        assert board.cell(row, column)[1:-1, 1:-1].max() <= 32
        assert board.cell(row, column - 1 if column else 1)[1:-1, 1:-1].min() >= 198


def test_a_thumbnail_keeps_the_shape_and_enlarges_nothing() -> None:
    assert downscale(np.zeros((1225, 1633, 3), np.uint8), 320).shape == (240, 320, 3)
    assert downscale(np.zeros((3000, 100, 3), np.uint8), 320).shape[0] == 320
    assert downscale(np.zeros((120, 200, 3), np.uint8), 320).shape == (120, 200, 3)
