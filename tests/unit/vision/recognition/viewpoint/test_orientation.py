"""Which side is up: votes are believed where tiles are read clearly, and else the sides are compared."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from samples import Camera, Light, icelandic_style, render_photo
from scoring import Board, load_edition
from vision.core import Mask
from vision.core.boards import BoardReading, RectifiedBoard, SquareProbabilities
from vision.core.geometry import Grid
from vision.pipeline.recognizers import load_recognizer
from vision.recognition.base import SquareReader
from vision.recognition.viewpoint.orientation import resolve_orientation
from vision.rectification import rectify_at_tile_height

pytestmark = pytest.mark.slow

ICELANDIC = load_edition("icelandic")
ROWS = [["."] * 15 for _ in range(15)]
ROWS[7][4:9] = ["H", "R", "A", "K", "I"]
ROWS[8][4:7] = ["Á", "S", "T"]
ROWS[10][3:9] = ["G", "Æ", "F", "U", "R", "J"]
ROWS[12][2:8] = ["B", "Ý", "L", "T", "A", "K"]


class Eyes:
    """Reads a board whose sides the votes of its tiles may confuse."""

    def __init__(
        self,
        rows: list[list[str]],
        *,
        votes: int | None = 0,
        cell_px: float = 30,
        blur_px: float = 0.0,
        turn: int = 0,
    ) -> None:
        photo = render_photo(
            rows, ICELANDIC, style=icelandic_style(), camera=Camera(cell_px=cell_px), light=Light(), seed=1
        )
        image = photo.image_bgr
        if blur_px:
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), blur_px), np.uint8)
        self.recognizer: SquareReader = load_recognizer("network", ICELANDIC)
        self.cell_px, self.margin_px = self.recognizer.cell_px, self.recognizer.margin_px
        self.votes = votes
        self.asked: list[int] = []
        self.limited: dict[int, int] = {}
        """By side, the number of squares, where not all were asked for."""
        self.grid = Grid.from_corners(photo.corners_px, 15, 15).rotate(turn)
        self.rectified = rectify_at_tile_height(image, self.grid, self)

    def first(self) -> BoardReading:
        return BoardReading(grid=self.grid, planes=[self.rectified], probabilities=self.read(self.rectified))

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
        images = (self.rectified.rotate(turn).image_bgr for turn in range(4))
        (turn,) = (n for n, image in enumerate(images) if np.array_equal(image, rectified.image_bgr))
        self.asked.append(turn)
        if squares is not None:
            self.limited[turn] = int(squares.sum())
        return self.confused(self.recognizer.read(rectified), turn)

    def confused(self, reading: SquareProbabilities, turn: int) -> SquareProbabilities:
        silent = np.full_like(reading.turns, 0.25)
        turns = silent if self.votes is None else np.roll(reading.turns, self.votes, axis=-1)
        return replace(reading, turns=turns)

    def oriented(self, prior_board: Board | None = None) -> tuple[int, bool]:
        """Quarter turns to the side that is up, and whether that is certain."""
        found = resolve_orientation(self.first(), self, prior_board)
        return found.quarter_turns, found.is_certain


def blurred_eyes(*, votes: int | None = 0, turn: int = 0) -> Eyes:
    """Letters that are read more clearly upright than from other sides: sharp ones are read from any side."""
    return Eyes(ROWS, votes=votes, turn=turn, cell_px=18, blur_px=1.2)


def test_clear_letters_that_stand_upright_are_read_once() -> None:
    eyes = Eyes(ROWS)
    assert eyes.oriented() == (0, True)
    assert eyes.asked == [0]


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_a_board_named_from_another_side_is_turned(turn: int) -> None:
    eyes = Eyes(ROWS, turn=turn)
    assert eyes.oriented() == ((4 - turn) % 4, True)
    assert len(eyes.asked) == 2


@pytest.mark.parametrize("turn", range(4))
def test_where_no_votes_are_cast_all_sides_are_read(turn: int) -> None:
    eyes = blurred_eyes(votes=None, turn=turn)
    upright = (4 - turn) % 4
    assert eyes.oriented() == (upright, True)
    # the side that is up is read once more, as a whole
    assert sorted(eyes.asked) == sorted([0, 1, 2, 3, *([upright] if upright else [])])


def test_other_sides_are_read_on_tiles_only() -> None:
    eyes = blurred_eyes(votes=None)
    tiles = sum(token != "." for row in ROWS for token in row)
    assert eyes.oriented() == (0, True)
    assert eyes.limited == {1: tiles, 2: tiles, 3: tiles}


@pytest.mark.parametrize("turn", [0, 2])
def test_where_tiles_vote_for_their_feet_and_heads_no_other_side_is_read(
    monkeypatch: pytest.MonkeyPatch, turn: int
) -> None:
    either = np.array([0.45, 0.01, 0.53, 0.01], np.float32)
    monkeypatch.setattr(
        Eyes,
        "confused",
        lambda _, reading, __: replace(reading, turns=np.broadcast_to(either, reading.turns.shape)),
    )
    eyes = blurred_eyes(turn=turn)
    assert eyes.oriented() == (turn, True)
    assert sorted(eyes.asked) == [0, 2]


@pytest.mark.parametrize("word", ["SOON", "NOSH", "HINS"])
def test_votes_hold_against_letters_that_read_the_same_from_both_sides(word: str) -> None:
    """Blurred, these words read as clearly on their heads, or more so."""
    rows = [["."] * 15 for _ in range(15)]
    rows[7][6:10] = list(word)
    for turn in (0, 2):
        assert Eyes(rows, cell_px=18, blur_px=1.2, turn=turn).oriented()[0] == turn


@pytest.mark.parametrize(("more_unclear", "turn"), [(1.15, 0), (2.0, 2)])
def test_agreed_votes_are_overruled_by_letters_that_are_clearer_by_far_alone(
    monkeypatch: pytest.MonkeyPatch, more_unclear: float, turn: int
) -> None:
    eyes = Eyes(ROWS)
    upright = eyes.first().probabilities

    def confused(_: Eyes, __: SquareProbabilities, asked: int) -> SquareProbabilities:
        """Tiles that vote upright on both sides; on their heads they read more clearly, as other letters."""
        letters = np.full_like(upright.letters, 0.2 * (more_unclear if asked == 0 else 1.0) / 50)
        other = np.roll(upright.letters.argmax(axis=-1), 0 if asked == 0 else 1, axis=-1)
        np.put_along_axis(letters, other[..., None], 1.0, axis=-1)
        letters /= letters.sum(axis=-1, keepdims=True)
        return replace(upright, letters=letters)

    monkeypatch.setattr(Eyes, "confused", confused)
    assert eyes.oriented() == (turn, False)


def test_what_tiles_vote_for_from_every_side_counts_more_than_how_clear_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A camera that moved blurs lines of one direction: letters may be clearer when they lie on their side."""
    eyes = Eyes(ROWS)
    upright = eyes.first().probabilities

    def confused(_: Eyes, __: SquareProbabilities, asked: int) -> SquareProbabilities:
        letters = upright.letters if asked == 1 else 0.9 * upright.letters + 0.1 / len(upright.tokens)
        votes = np.full(4, 0.25 if asked == 0 else 0.1, np.float32)
        votes[-asked] += 0.0 if asked == 0 else 0.6
        return replace(
            upright,
            occupancy=np.rot90(upright.occupancy, asked),
            letters=np.rot90(letters, asked),
            values=np.rot90(upright.values, asked),
            turns=np.broadcast_to(votes, upright.turns.shape),
        )

    monkeypatch.setattr(Eyes, "confused", confused)
    assert eyes.oriented() == (0, False)


@pytest.mark.parametrize("turn", range(4))
def test_a_board_that_is_known_says_which_side_is_up_whatever_tiles_vote(turn: int) -> None:
    eyes = Eyes(ROWS, votes=2, turn=turn)
    assert eyes.oriented(Board.from_rows(ROWS[:12] + ROWS[:3])) == ((4 - turn) % 4, True)


def test_another_board_than_the_known_one_leaves_it_to_the_letters() -> None:
    rows = [["."] * 15 for _ in range(15)]
    rows[3][2:9] = ["M", "O", "L", "D", "V", "I", "Ð"]
    assert Eyes(ROWS, turn=2).oriented(Board.from_rows(rows)) == (2, True)


def test_without_letters_the_side_is_a_guess() -> None:
    eyes = Eyes([["."] * 15 for _ in range(15)])
    assert eyes.oriented() == (0, False)
    assert eyes.asked == [0]


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("word", ["R", "RÁ"])
def test_one_or_two_letters_give_a_guess(word: str, turn: int) -> None:
    rows = [["."] * 15 for _ in range(15)]
    rows[7][7 : 7 + len(word)] = word
    assert Eyes(rows, turn=turn).oriented() == ((4 - turn) % 4, False)
