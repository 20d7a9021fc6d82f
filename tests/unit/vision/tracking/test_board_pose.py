"""Parts of a board that is seen from a chair are read at the height of its tiles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring import Board, Game, load_edition
from tests.benchmarks.bench_reading import reader_of
from tests.sets.club_boards import club_photo
from tests.sets.low_views import low_view
from vision.core import Grid, Homography, Occupancy
from vision.detection import BoardDetection, DetectionStatus
from vision.errors import BoardNotFoundError
from vision.rectification import read_squares, reading_heights
from vision.tracking.board_pose import find_board, squares_behind


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


def test_faces_hide_their_own_squares_from_above_and_others_from_a_chair() -> None:
    own = np.indices((15, 15))
    above = Grid.from_corners(np.array([[300, 40], [1300, 40], [1300, 1040], [300, 1040]]), 15, 15)
    assert (squares_behind(above, 1600, 1080) == own).all()
    photo = low_view(1001, "usual")
    low = Grid.from_corners(photo.corners_px, 15, 15)
    height_px, width_px = photo.image_bgr.shape[:2]
    heights = reading_heights(low, width_px, height_px)
    highest = squares_behind(low, width_px, height_px)[np.argmax(heights)]
    far_px = low.image_from_grid.apply([[7.5, 0.5]])[0, 1] < low.image_from_grid.apply([[7.5, 14.5]])[0, 1]
    away = highest[0] - own[0] if far_px else own[0] - highest[0]
    assert away.min() == -1
    assert away.max() == 0


@pytest.mark.parametrize("check_mirror", [True, False])
def test_whether_the_picture_is_mirrored_is_found_out_for_those_that_ask(check_mirror: bool) -> None:
    photo, edition = club_photo("english", 6001, 40.0), load_edition("english")
    mirrored = np.ascontiguousarray(photo.image_bgr[:, ::-1])
    other = Game(
        edition=edition, players=("A", "B"), start=Board.from_rows(club_photo("english", 6002, 40.0).rows)
    )
    with pytest.raises(BoardNotFoundError, match="of the tiles that the game has laid") as raised:
        find_board(mirrored, other, reader_of("english"), check_mirror=check_mirror)
    assert raised.value.is_mirrored == check_mirror


@pytest.mark.parametrize("is_near_right", [True, False])
def test_of_two_places_of_a_board_the_one_that_fits_better_is_taken(
    is_near_right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    photo, edition = club_photo("english", 6001, 40.0), load_edition("english")
    right = Grid.from_corners(photo.corners_px, 15, 15)
    wrong = replace(right, image_from_grid=right.image_from_grid @ Homography.translation(0, 1))
    near, found = (right, wrong) if is_near_right else (wrong, right)
    detection = BoardDetection(grid=found, status=DetectionStatus.VERIFIED)
    monkeypatch.setattr("vision.tracking.board_pose.detect_boards", lambda *_: detection)
    game = Game(edition=edition, players=("A", "B"))
    taken = find_board(photo.image_bgr, game, reader_of("english"), near=near).grid
    assert np.abs(taken.corners_px - right.corners_px).max() < 0.01
