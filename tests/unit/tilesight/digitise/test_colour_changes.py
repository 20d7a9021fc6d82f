"""The colours of squares: whose game a photo is of, and where a blank was laid."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring import load_edition
from tilesight.digitise.reading.square_colours import (
    colour_distance,
    format_colours,
    measure_square_colours,
    parse_colours,
)
from tilesight.digitise.reconstruction.colour_changes import SETTINGS, score_tiles_by_colour
from vision.core.boards import RectifiedBoard

ENGLISH = load_edition("english")
BARE, TILE = np.array([90.0, 140.0, 60.0]), np.array([150.0, 200.0, 215.0])
LETTERED = [(7, column) for column in range(5, 10)]
BLANK = (6, 9)
PHOTOS = 6


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
        assert colour_distance(board, dusk, rng.random((15, 15)) < 0.02) == float("inf")
        assert colour_distance(board, dusk[:13, :13], bare) == float("inf")


def colours(blank_from: int = PHOTOS, level: float = 1.0) -> list[NDArray[np.uint8]]:
    """Photos of a word on a board of one colour, of which one square is nearly of the tiles' from then on."""
    rng = np.random.default_rng(2)
    found = []
    for photo in range(PHOTOS):
        board = np.tile(BARE, (15, 15, 1))
        for square in LETTERED:
            board[square] = TILE
        if photo >= blank_from:
            board[BLANK] = BARE * (TILE / BARE) ** level
        lit = board * rng.uniform(0.7, 1.1) + rng.normal(0, 1.0, board.shape)
        found.append(np.clip(lit, 0, 255).astype(np.uint8))
    return found


def told(photos: list[NDArray[np.uint8] | None], blanks: int = 2) -> NDArray[np.float64]:
    """What colours say of the blank's square, photo by photo."""
    lettered = np.zeros((PHOTOS, 15, 15), bool)
    for row, column in LETTERED:
        lettered[:, row, column] = True
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return np.asarray(
            score_tiles_by_colour(photos, ~lettered, lettered, ENGLISH.layout, blanks)[:, *BLANK]
        )


class TestBlanks:
    def test_a_square_that_changes_its_colour_for_good_holds_a_tile(self) -> None:
        said = told([*colours(blank_from=2)])
        # no more than that: a tile of the square's colour is still seen by its print
        assert said[:2].tolist() == [-SETTINGS.max_against_tile] * 2
        assert (said[2:] > 6).all()

    def test_a_square_that_never_changes_its_colour_is_bare(self) -> None:
        assert (told([*colours()]) < -2).all()

    def test_a_shadow_is_no_tile(self) -> None:
        assert (told([*colours(blank_from=3, level=0.35)])[3:] < 2).all()

    def test_what_is_darker_where_tiles_are_lighter_may_lie_in_shade(self) -> None:
        said = told([*colours(blank_from=2, level=-0.8)])[2:]
        assert (said > 2).all()
        assert (said <= SETTINGS.max_darker_log_odds).all()

    def test_what_comes_and_goes_says_nothing(self) -> None:
        photos = [*colours(blank_from=2)]
        photos[4] = colours()[4]
        assert told([*photos]).tolist() == [0.0] * PHOTOS

    def test_a_square_of_the_tiles_colour_in_all_photos_says_nothing(self) -> None:
        assert told([*colours(blank_from=0)]).tolist() == [0.0] * PHOTOS

    def test_where_no_blanks_are_left_nothing_but_letters_is_a_tile(self) -> None:
        said = told([*colours(blank_from=2)], blanks=0)
        assert (said <= 0).all()

    @pytest.mark.parametrize("known", [0, 1])
    def test_without_colours_nothing_is_said(self, known: int) -> None:
        photos: list[NDArray[np.uint8] | None] = [*colours()[:known], *[None] * (PHOTOS - known)]
        assert told(photos).tolist() == [0.0] * PHOTOS

    def test_tiles_of_the_board_s_colour_say_nothing(self) -> None:
        photos = [np.tile(BARE, (15, 15, 1)).astype(np.uint8) for _ in range(PHOTOS)]
        assert told([*photos]).tolist() == [0.0] * PHOTOS

    def test_letters_are_left_to_the_reader(self) -> None:
        lettered = np.zeros((PHOTOS, 15, 15), bool)
        lettered[:, 7, 5:10] = True
        said = score_tiles_by_colour([*colours(2)], ~lettered, lettered, ENGLISH.layout, 2)
        assert (said[lettered] == 0).all()
