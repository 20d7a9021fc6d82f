"""Coloured squares that lie elsewhere than the edition's premium squares are told; those that fit are not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from samples import SCREEN_MARKS, Camera, Light, icelandic_style, render_photo
from scoring import Board, Game, load_edition
from tests.support.random_games import random_game
from vision.capture import Frame
from vision.core.boards import RectifiedBoard
from vision.core.geometry import Grid
from vision.pipeline.checks import check_layout
from vision.pipeline.photo_sequence import track_photos
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.pipeline.video import VideoTracker, track_video
from vision.rectification import rectify

ICELANDIC = load_edition("icelandic")
EMPTY = [["."] * 15 for _ in range(15)]
RIM, END = 4 - 0.5, 4 - 0.5 + 15 * 24
CORNERS = [[RIM, RIM], [END, RIM], [END, END], [RIM, END]]
"""Of the grid in a board of `straight`."""


def straight(marks: tuple[str, ...] | None = None, rows: Sequence[Sequence[str]] = EMPTY) -> RectifiedBoard:
    photo = render_photo(
        rows,
        ICELANDIC,
        style=icelandic_style(),
        camera=Camera(cell_px=24),
        light=Light(),
        seed=1,
        marks=marks,
    )
    return rectify(photo.image_bgr, Grid.from_corners(photo.corners_px, 15, 15), cell_px=24, margin_px=4)


def test_a_board_of_the_edition_fits() -> None:
    assert check_layout(straight(), Board.from_rows(EMPTY), ICELANDIC) is None


@pytest.mark.parametrize("layout", SCREEN_MARKS)
def test_premium_squares_that_lie_elsewhere_are_reported(layout: tuple[str, ...]) -> None:
    message = check_layout(straight(layout), Board.from_rows(EMPTY), ICELANDIC)
    assert message is not None
    assert "coloured squares are not where its board has them" in message
    assert "\n" not in message


@pytest.mark.parametrize("seed", range(8))
def test_in_a_game_too_they_are_reported_and_those_of_the_edition_are_not(seed: int) -> None:
    board = random_game(random.Random(seed), ICELANDIC, turns=12).board
    rows = [list(row) for row in board.rows]
    for marks, is_told in ((None, False), *((marks, True) for marks in SCREEN_MARKS)):
        assert (check_layout(straight(marks, rows), board, ICELANDIC) is not None) is is_told


def in_the_sun(board: RectifiedBoard) -> RectifiedBoard:
    """Return the board with a shadow on its left quarter."""
    light = np.where(np.arange(board.image_bgr.shape[1]) < 100, 0.35, 1.0)[:, None]
    return replace(board, image_bgr=np.asarray(board.image_bgr * light, np.uint8))


def test_the_sun_on_a_part_of_the_board_moves_no_premium_square() -> None:
    assert check_layout(in_the_sun(straight()), Board.from_rows(EMPTY), ICELANDIC) is None
    assert check_layout(in_the_sun(straight(SCREEN_MARKS[0])), Board.from_rows(EMPTY), ICELANDIC) is not None


def test_a_lamp_that_burns_squares_to_white_moves_no_premium_square() -> None:
    for marks, is_told in ((None, False), (SCREEN_MARKS[0], True)):
        board = straight(marks)
        glare = np.zeros(board.image_bgr.shape, np.uint8)
        glare[:, :150] = 255
        lit = replace(board, image_bgr=np.maximum(board.image_bgr, glare))
        assert (check_layout(lit, Board.from_rows(EMPTY), ICELANDIC) is not None) is is_told


def test_where_too_few_squares_are_empty_nothing_is_reported() -> None:
    rows = [["A"] * 15 for _ in range(15)]
    rows[7] = ["."] * 15
    assert check_layout(straight(SCREEN_MARKS[0]), Board.from_rows(rows), ICELANDIC) is None


@pytest.mark.parametrize("seed", range(4))
def test_shadows_of_leaves_move_no_premium_square(seed: int) -> None:
    board = straight()
    noise = np.random.default_rng(seed).normal(size=(24, 24)).astype(np.float32)
    spots = cv2.resize(noise, board.image_bgr.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    light = np.where(spots > 0, 1.0, 0.4)[..., None]
    lit = replace(board, image_bgr=np.asarray(board.image_bgr * light, np.uint8))
    assert check_layout(lit, Board.from_rows(EMPTY), ICELANDIC) is None


@pytest.mark.parametrize("falloff", [0.1, 0.2, 0.3])
def test_a_vignette_moves_no_premium_square(falloff: float) -> None:
    board = straight()
    side = np.linspace(-1, 1, len(board.image_bgr))
    light = 1 / (1 + falloff * (side**2 + side[:, None] ** 2)) ** 2
    lit = replace(board, image_bgr=np.asarray(board.image_bgr * light[..., None], np.uint8))
    assert check_layout(lit, Board.from_rows(EMPTY), ICELANDIC) is None


@pytest.mark.parametrize(("down_px", "right_px"), [(24, 0), (0, 24), (0, -24)])
def test_a_board_that_was_pushed_by_a_square_is_reported(down_px: int, right_px: int) -> None:
    board = straight()
    pushed = replace(board, image_bgr=np.roll(board.image_bgr, (down_px, right_px), axis=(0, 1)))
    assert check_layout(pushed, Board.from_rows(EMPTY), ICELANDIC) is not None


def test_in_a_game_of_photos_it_is_reported_once(tmp_path: Path) -> None:
    photos = []
    for number in range(2):
        board = straight(SCREEN_MARKS[0])
        photos.append(tmp_path / f"{number}.png")
        cv2.imwrite(str(photos[-1]), board.image_bgr)
    game = Game(edition=ICELANDIC, players=("Anna", "Jón"))
    seen = list(
        track_photos(
            photos,
            game,
            GameContext(edition=game.edition, recognizer=load_recognizer("network", ICELANDIC)),
            corners_px=CORNERS,
        )
    )
    told = [item.message for batch in seen for item in batch.items]
    assert sum("coloured squares" in message for message in told) == 1


@pytest.mark.parametrize(("marks", "count"), [(None, 0), (SCREEN_MARKS[0], 1)])
def test_on_film_it_is_reported_once(marks: tuple[str, ...] | None, count: int) -> None:
    rows = [list(row) for row in EMPTY]
    rows[7][5:9] = "HEST"
    boards = [straight(marks), straight(marks, rows)]
    rows[8][8] = "Ó"
    boards.append(straight(marks, rows))
    context = GameContext(edition=ICELANDIC, recognizer=load_recognizer("network", ICELANDIC))
    tracker = VideoTracker(Game(edition=ICELANDIC, players=("Anna", "Jón")), context, corners_px=CORNERS)
    frames = (
        Frame(image_bgr=boards[number // 20].image_bgr, source="film", time_s=number / 8)
        for number in range(60)
    )
    told = [item.message for batch in track_video(frames, tracker) for item in batch.items]
    assert len(tracker.game.state.plays) == 2
    assert sum("coloured squares" in message for message in told) == count
