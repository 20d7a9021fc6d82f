from __future__ import annotations

import numpy as np
import pytest

from samples import random_photo
from vision.core import BoardPlanes, Grid, RectifiedBoard
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


def test_a_plane_is_rectified_when_it_is_asked_for_and_once() -> None:
    asked: list[float] = []

    def rectify_at(height: float) -> RectifiedBoard:
        asked.append(height)
        return RectifiedBoard(np.zeros((2, 2, 3), np.uint8), rows=1, columns=1, cell_px=2, margin_px=0)

    planes = BoardPlanes((0.1, 0.2, 0.3), rectify_at)
    turned = BoardPlanes(planes, lambda plane: plane.rotate(1))
    assert len(turned) == 3
    assert asked == []
    assert turned[0] is turned[0]
    assert planes[-1] is planes[2]
    assert asked == [0.1, 0.3]
    assert [each.rows for each in planes[1:]] == [1, 1]
    assert asked == [0.1, 0.3, 0.2]
