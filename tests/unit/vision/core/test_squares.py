"""Groups of squares and lines through a square, and positions in a resized image."""

from __future__ import annotations

import numpy as np
import pytest

from vision.core import Homography, connected_groups, lines_through, rescale_pixels

FILLED = np.array([[char == "x" for char in row] for row in ("xx.", ".x.", "..x")])


def test_squares_that_touch_by_their_sides_are_one_group() -> None:
    squares = [(int(row), int(column)) for row, column in np.argwhere(FILLED)]
    groups = connected_groups(squares)
    assert sorted(map(sorted, groups)) == [[(0, 0), (0, 1), (1, 1)], [(2, 2)]]


def test_lines_through_a_square_go_across_and_then_down() -> None:
    assert list(lines_through(FILLED, (0, 1))) == [((0, 0), (0, 1)), ((0, 1), (1, 1))]
    assert list(lines_through(FILLED, (2, 2))) == []


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_the_edge_of_an_image_stays_its_edge_when_it_is_resized(scale: float) -> None:
    points = np.array([[-0.5, -0.5], [9.5, 19.5]])
    assert rescale_pixels(points, scale)[1].tolist() == [10 * scale - 0.5, 20 * scale - 0.5]
    np.testing.assert_allclose(Homography.rescaling(scale).apply(points), rescale_pixels(points, scale))
