"""The print of the premium squares tells the side of a board without letters, and only where it can be read."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from samples import Camera, Light, icelandic_style, render_photo
from scoring import load_edition
from vision.capture import Frame
from vision.core import BoardReading, Grid, Mask, Occupancy, RectifiedBoard, SquareProbabilities
from vision.pipeline import GameContext, load_recognizer, read_photo
from vision.recognition import OrientedReading, orient_by_print, vote_by_print
from vision.rectification import rectify

ICELANDIC = load_edition("icelandic")
EMPTY_ROWS = [["."] * 15 for _ in range(15)]
EVERYWHERE: Mask = np.ones((15, 15), bool)


@lru_cache(maxsize=4)
def seen_from_above(texts: tuple[str, str, str, str] | None) -> RectifiedBoard:
    """An empty board with these premium texts, letters upright."""
    style = icelandic_style()
    style = replace(style, board=replace(style.board, premium_texts=texts))
    photo = render_photo(
        EMPTY_ROWS, ICELANDIC, style=style, camera=Camera(cell_px=40.0), light=Light(), seed=1
    )
    return rectify(photo.image_bgr, Grid.from_corners(photo.corners_px, 15, 15), 48, 12)


WORDS = ("TVÖFALT STAFGILDI", "ÞREFALT STAFGILDI", "TVÖFALT ORÐGILDI", "ÞREFALT ORÐGILDI")


@pytest.mark.parametrize("turn", range(4))
def test_words_tell_the_side(turn: int) -> None:
    vote = vote_by_print(seen_from_above(WORDS).rotate(turn), EVERYWHERE, ICELANDIC.layout)
    assert vote.is_clear
    assert vote.quarter_turns == (4 - turn) % 4


def test_abbreviations_tell_the_side_too() -> None:
    vote = vote_by_print(seen_from_above(("2L", "3L", "2W", "3W")).rotate(2), EVERYWHERE, ICELANDIC.layout)
    assert vote.is_clear
    assert vote.quarter_turns == 2


@pytest.mark.parametrize("texts", [None, ("•",) * 4, ("X",) * 4], ids=["none", "dots", "crosses"])
def test_print_that_looks_the_same_from_several_sides_tells_nothing(
    texts: tuple[str, str, str, str] | None,
) -> None:
    assert not vote_by_print(seen_from_above(texts), EVERYWHERE, ICELANDIC.layout).is_clear


def test_nothing_is_reported_without_empty_premium_squares_or_layout() -> None:
    board = seen_from_above(WORDS)
    assert vote_by_print(board, ~EVERYWHERE, ICELANDIC.layout) == (0, 0.0)
    assert vote_by_print(board, EVERYWHERE, None) == (0, 0.0)


class Reader:
    """Reads the same squares on every board, with a letter on some of them."""

    cell_px, margin_px = 48, 12

    def __init__(self, letters: int, turn: int) -> None:
        occupancy = np.zeros((15, 15, 4), np.float32)
        occupancy[..., Occupancy.EMPTY] = 1.0
        occupancy[7, 7 : 7 + letters] = np.eye(4)[Occupancy.TILE]
        self.probabilities = SquareProbabilities(
            reader="fake",
            tokens=("A",),
            value_labels=(None,),
            occupancy=occupancy,
            letters=np.ones((15, 15, 1), np.float32),
            values=np.ones((15, 15, 1), np.float32),
            turns=np.broadcast_to(np.eye(4, dtype=np.float32)[turn], (15, 15, 4)),
        )

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
        return self.probabilities

    def oriented(self, quarter_turns: int = 3) -> OrientedReading:
        """Name the board from its foot, as a guess, by `quarter_turns` from the side that was seen first."""
        upright = Grid.from_corners([(0, 0), (100, 0), (100, 100), (0, 100)], 15, 15)
        reading = BoardReading(
            grid=upright.rotate(2),
            planes=[from_the_foot(upright)],
            probabilities=self.probabilities,
        )
        return OrientedReading(reading=reading, quarter_turns=quarter_turns, is_certain=False)


def from_the_foot(_: Grid) -> RectifiedBoard:
    """Rectify the board whose words are upside down."""
    return seen_from_above(WORDS).rotate(2)


@pytest.mark.parametrize(("letters", "turn"), [(0, 0), (1, 2), (2, 2)])
def test_a_board_is_turned_so_that_its_print_is_upright(letters: int, turn: int) -> None:
    reader = Reader(letters, turn)
    found = orient_by_print(reader.oriented(), reader, ICELANDIC.layout, from_the_foot)
    assert found.is_certain
    assert found.quarter_turns == 1
    assert found.reading.grid.corners_px[0] == pytest.approx((0, 0), abs=1e-6)


def test_print_keeps_that_the_picture_is_mirrored() -> None:
    reader = Reader(0, 0)
    mirrored = replace(reader.oriented(), is_mirrored=True)
    assert orient_by_print(mirrored, reader, ICELANDIC.layout, from_the_foot).is_mirrored


@pytest.mark.parametrize(("letters", "turn"), [(1, 0), (2, 1), (3, 2)])
def test_letters_that_disagree_or_are_many_leave_the_side_as_it_was(letters: int, turn: int) -> None:
    reader = Reader(letters, turn)
    before = reader.oriented()
    assert orient_by_print(before, reader, ICELANDIC.layout, from_the_foot) is before


@pytest.mark.slow
def test_the_side_of_an_empty_board_in_a_photo_is_no_guess() -> None:
    camera = Camera(cell_px=48.0, azimuth_deg=180.0)
    photo = render_photo(EMPTY_ROWS, ICELANDIC, style=icelandic_style(), camera=camera, light=Light(), seed=1)
    frame = Frame(image_bgr=photo.image_bgr, source="empty", index=0, time_s=0.0)
    recognizer = load_recognizer("network", ICELANDIC)
    found = read_photo(frame, GameContext(edition=ICELANDIC, recognizer=recognizer))
    assert found.is_orientation_certain
    assert found.grid.corners_px == pytest.approx(photo.corners_px, abs=4)
    assert found.decoded.board.is_empty
