"""A board is rectified from the part of the picture that shows it, as from the whole picture."""

from __future__ import annotations

import numpy as np
import pytest

from vision.core import Grid, Homography, halve_image, rectified_from_image, to_four_channels, warp_image
from vision.rectification import rectify

PICTURE = np.kron(
    np.random.default_rng(0).integers(0, 255, (90, 120, 3), np.uint8), np.ones((8, 8, 1), np.uint8)
)


def from_the_whole(image: np.ndarray, grid: Grid, cell_px: int, margin_px: int, halvings: int) -> np.ndarray:
    matrix = rectified_from_image(grid, cell_px, margin_px)
    for _ in range(halvings):
        image, matrix = halve_image(image), matrix @ Homography.rescaling(2.0)
    size = (grid.columns * cell_px + 2 * margin_px, grid.rows * cell_px + 2 * margin_px)
    return warp_image(to_four_channels(image), matrix.inverse.matrix, size)


@pytest.mark.parametrize(
    ("corners_px", "rows", "columns", "halvings"),
    [
        ([(301, 202), (701, 233), (680, 560), (270, 541)], 15, 15, 0),
        ([(301, 202), (701, 233), (680, 560), (270, 541)], 3, 4, 2),
        ([(800, 500), (1100, 520), (1090, 800), (790, 790)], 4, 4, 1),
        ([(1200, 100), (1300, 100), (1300, 200), (1200, 200)], 2, 2, 1),
        ([(430, 300), (530, 300), (900, 700), (60, 700)], 15, 15, 0),
    ],
    ids=["whole", "large cells", "beyond the edge", "out of the picture", "low view"],
)
def test_a_part_of_the_picture_gives_the_same_board(
    corners_px: list[tuple[float, float]], rows: int, columns: int, halvings: int
) -> None:
    grid = Grid.from_corners(corners_px, rows, columns)
    board = rectify(PICTURE, grid, 24, 12)
    expected = from_the_whole(PICTURE, grid, 24, 12, halvings)
    assert np.abs(board.image_bgr.astype(int) - expected).max() <= 1
