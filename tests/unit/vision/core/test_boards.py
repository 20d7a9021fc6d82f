from __future__ import annotations

import numpy as np
import pytest

from samples import random_photo
from vision.core.geometry import Grid
from vision.rectification import rectify


@pytest.mark.parametrize("quarter_turns", range(4))
@pytest.mark.parametrize("edition", ["icelandic", "krydsord"])
def test_a_turned_board_is_the_turned_grid_straightened(edition: str, quarter_turns: int) -> None:
    photo = random_photo(np.random.default_rng(3), edition=edition)
    grid = Grid.from_corners(photo.corners_px.tolist(), len(photo.rows), len(photo.rows[0]))
    turned = rectify(photo.image_bgr, grid).rotate(quarter_turns)
    again = rectify(photo.image_bgr, grid.rotate(quarter_turns))
    assert (turned.rows, turned.columns) == (again.rows, again.columns)
    assert np.abs(turned.image_bgr.astype(int) - again.image_bgr).max() <= 2
