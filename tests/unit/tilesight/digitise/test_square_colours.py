"""The colours of squares: whose game a photo is of."""

from __future__ import annotations

import numpy as np

from tilesight.digitise.reading.square_colours import (
    colour_distance,
    format_colours,
    measure_square_colours,
    parse_colours,
)
from vision.core.boards import RectifiedBoard


class TestColours:
    def test_print_and_what_leans_over_an_edge_do_not_count(self) -> None:
        image = np.full((2 * 48 + 16, 3 * 48 + 16, 3), 100, np.uint8)
        image[8 + 48 : 8 + 96, 8 : 8 + 48] = 200
        image[8 + 48 + 20 : 8 + 48 + 28, 8 : 8 + 48] = 10  # a stroke over a sixth of the square
        image[8 + 48 : 8 + 96, 8 : 8 + 8] = 30  # another tile's edge
        seen = measure_square_colours(
            RectifiedBoard(image_bgr=image, rows=2, columns=3, cell_px=48, margin_px=8)
        )
        assert seen.shape == (2, 3, 3)
        assert seen[1, 0].tolist() == [200, 200, 200]
        assert np.delete(seen.reshape(6, 3), 3, axis=0).tolist() == [[100, 100, 100]] * 5
        assert np.array_equal(parse_colours(format_colours(seen), 2, 3), seen)

    def test_light_makes_no_difference_and_another_board_does(self) -> None:
        rng = np.random.default_rng(1)
        board = rng.integers(60, 180, (15, 15, 3)).astype(np.uint8)
        dusk = (board * np.array([1.1, 0.8, 0.7]) * np.linspace(0.8, 1.1, 15)[:, None, None]).astype(np.uint8)
        bare = np.ones((15, 15), bool)
        assert colour_distance(board, dusk, bare) < 0.05
        assert colour_distance(board, rng.permutation(board), bare) > 0.2
        assert np.isnan(colour_distance(board, dusk, rng.random((15, 15)) < 0.02))
        assert colour_distance(board, dusk[:13, :13], bare) == float("inf")
