"""Parts of a board that is seen from a chair are read at the height of its tiles."""

from __future__ import annotations

import numpy as np

from tests.benchmarks.bench_reading import reader_of
from tests.sets.low_views import low_view
from vision.core import Grid, Occupancy
from vision.tracking.board_pose import read_squares


def test_a_part_of_a_low_view_is_read() -> None:
    photo = low_view(1001, "usual")  # two letters are wrong at half a tile's height
    window = np.zeros((15, 15), dtype=np.bool_)
    window[4:11, 2:13] = True
    grid = Grid.from_corners(photo.corners_px, 15, 15)
    read = read_squares(photo.image_bgr, grid, reader_of(photo.edition), window)
    seen = [
        read.tokens[read.letters[square].argmax()]
        if read.occupancy[square].argmax() == Occupancy.TILE
        else "."
        for square in zip(*np.nonzero(window), strict=True)
    ]
    truth = [photo.rows[row][column] for row, column in zip(*np.nonzero(window), strict=True)]
    wrong = [(want, got) for want, got in zip(truth, seen, strict=True) if want != got and want != "?"]
    assert sum(want != "." for want in truth) >= 5
    assert wrong == []
    assert np.all(read.letters[0, 0] == read.letters[0, 0, 0]), "nothing was read outside"
