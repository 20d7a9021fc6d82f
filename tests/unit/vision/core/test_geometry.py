"""Homographies and grids: algebra, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vision.core.boards import rectified_from_image
from vision.core.geometry import Grid, Homography, runs_counterclockwise
from vision.errors import SettingsError
from vision.rectification import rectify

SQUARE = [(0, 0), (1000, 0), (1000, 1000), (0, 1000)]
offsets = st.tuples(*[st.tuples(st.floats(-200, 200), st.floats(-200, 200)) for _ in range(4)])


def shaken(moves: tuple[tuple[float, float], ...]) -> np.ndarray:
    corners: np.ndarray = np.array(SQUARE, float) + np.array(moves)
    return corners


@given(offsets)
def test_a_homography_and_its_inverse_are_the_identity(moves: tuple[tuple[float, float], ...]) -> None:
    there = Homography.from_points(SQUARE, shaken(moves))
    points = np.random.default_rng(1).uniform(0, 1000, (20, 2))
    np.testing.assert_allclose(there.inverse.apply(there.apply(points)), points, atol=1e-6)
    np.testing.assert_allclose((there.inverse @ there).apply(points), points, atol=1e-6)


@given(offsets)
def test_a_homography_takes_its_points_where_they_belong(moves: tuple[tuple[float, float], ...]) -> None:
    there = Homography.from_points(SQUARE, shaken(moves))
    np.testing.assert_allclose(there.apply(SQUARE), shaken(moves), atol=1e-6)


@given(offsets, st.integers(-5, 5))
def test_turning_a_grid_permutes_its_corners(moves: tuple[tuple[float, float], ...], turns: int) -> None:
    grid = Grid.from_corners(shaken(moves), 15, 17)
    np.testing.assert_allclose(
        grid.rotate(turns).corners_px, np.roll(grid.corners_px, -(turns % 4), axis=0), atol=1e-6
    )
    np.testing.assert_allclose(grid.rotate(turns).rotate(-turns).corners_px, grid.corners_px, atol=1e-6)


def test_a_turned_rectangular_grid_swaps_rows_and_columns() -> None:
    grid = Grid.from_corners(SQUARE, 9, 21)
    assert (grid.rotate(1).rows, grid.rotate(1).columns) == (21, 9)


@pytest.mark.parametrize(
    "points",
    [[(0, 0), (1, 1), (2, 2), (0, 5)], [(0, 0), (0, 0), (5, 5), (0, 5)], [(3, 3)] * 4],
    ids=["three on a line", "two coincide", "all coincide"],
)
def test_degenerate_points_are_refused(points: list[tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match="one line"):
        Homography.from_points(points, SQUARE)


def test_a_singular_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match="singular"):
        Homography(matrix=np.ones((3, 3)))


def test_arrays_of_values_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Homography(matrix=np.eye(3)).matrix[0, 0] = 2


@pytest.mark.parametrize(
    "corners",
    [
        [(0, 0), (10, 10), (10, 0), (0, 10)],
        [(0, 0), (0, 10), (10, 10), (10, 0)],
        [(0, 0), (10, 0), (20, 0), (0, 10)],
        [(0, 0), (10, 0), (float("nan"), 10), (0, 10)],
    ],
    ids=["crossing", "anticlockwise", "flat", "not a number"],
)
def test_corners_that_are_no_board_are_refused(corners: list[tuple[float, float]]) -> None:
    with pytest.raises(SettingsError, match="corners"):
        Grid.from_corners(corners, 15, 15)


def test_corners_with_huge_numbers_are_refused_without_a_warning() -> None:
    with np.errstate(all="raise"), pytest.raises(SettingsError, match="expected four x,y pairs"):
        Grid.from_corners(np.array(SQUARE) * 1e300, 15, 15)
    with np.errstate(all="raise"):
        assert not runs_counterclockwise(np.array(SQUARE)[::-1] * 1e300)
    assert runs_counterclockwise(SQUARE[::-1])


@given(offsets)
def test_rectifying_takes_corners_to_the_margin(moves: tuple[tuple[float, float], ...]) -> None:
    grid = Grid.from_corners(shaken(moves), 15, 15)
    assume(grid.cell_px > 20)
    corners = rectified_from_image(grid, 32, 16).apply(grid.corners_px)
    np.testing.assert_allclose(
        corners, [(15.5, 15.5), (495.5, 15.5), (495.5, 495.5), (15.5, 495.5)], atol=1e-5
    )


@pytest.mark.parametrize("scale", [8, 20, 33, 70, 150])
def test_rectified_cells_hold_the_pixels_of_their_squares(scale: int) -> None:
    """A checkerboard seen at any size comes out with every cell's centre in its own colour."""
    cells = (np.indices((15, 15)).sum(axis=0) % 2 * 255).astype(np.uint8)
    margin = 40
    image = np.full((15 * scale + 2 * margin,) * 2, 128, np.uint8)
    image[margin:-margin, margin:-margin] = np.kron(cells, np.ones((scale, scale), np.uint8))
    low, high = margin - 0.5, margin + 15 * scale - 0.5
    grid = Grid.from_corners([(low, low), (high, low), (high, high), (low, high)], 15, 15)
    board = rectify(np.dstack([image] * 3), grid, cell_px=32, margin_px=16)
    for row in range(15):
        for column in range(15):
            inner = board.cell(row, column)[8:-8, 8:-8]
            assert abs(float(inner.mean()) - float(cells[row, column])) < 2
    assert board.cell(0, 0, context_px=16).shape == (64, 64, 3)
