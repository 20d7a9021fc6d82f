"""Which side is up: votes are believed where tiles are read clearly, and else the sides are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samples import Camera, Light, RenderedPhoto, render_photo
from samples.icelandic import icelandic_style
from scoring import load_edition
from vision.geometry import Grid
from vision.photo import Reader, load_reader, looked_at
from vision.readings import BoardReading
from vision.turning import Look, side_up

ICELANDIC = load_edition("icelandic")
ROWS = [["."] * 15 for _ in range(15)]
ROWS[7][4:9] = ["H", "R", "A", "K", "I"]
ROWS[8][4:7] = ["Á", "S", "T"]
ROWS[10][3:9] = ["G", "Æ", "F", "U", "R", "J"]
ROWS[12][2:8] = ["B", "Ý", "L", "T", "A", "K"]


class Eyes:
    """Looks at a board whose sides the votes of its tiles may confuse."""

    def __init__(self, rows: list[list[str]], *, votes: int | None = 0, clear: bool = True) -> None:
        self.photo: RenderedPhoto = render_photo(
            rows, ICELANDIC, style=icelandic_style(), camera=Camera(cell_px=30), light=Light(), seed=1
        )
        self.grid = Grid.from_corners(self.photo.corners_px, 15, 15)
        self.reader: Reader = load_reader("network", ICELANDIC)
        self.votes, self.clear = votes, clear
        self.asked: list[int] = []

    def look(self, turn: int) -> Look:
        self.asked.append(turn)
        rectified, reading = looked_at(self.photo.image_bgr, self.grid.turned(turn), self.reader)
        return Look(rectified, self.confused(reading))

    def confused(self, reading: BoardReading) -> BoardReading:
        silent = np.full_like(reading.turns, 0.25)
        turns = silent if self.votes is None else np.roll(reading.turns, self.votes, axis=-1)
        letters = reading.letters if self.clear else 0.9 * reading.letters + 0.1 / reading.letters.shape[-1]
        return replace(reading, turns=turns, letters=letters.astype(np.float32))


def test_clear_letters_that_stand_upright_are_read_once() -> None:
    eyes = Eyes(ROWS)
    side = side_up(eyes.look(0), eyes.look)
    assert (side.turn, side.sure, eyes.asked) == (0, True, [0])


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_a_board_named_from_another_side_is_turned(turn: int) -> None:
    eyes = Eyes(ROWS)
    eyes.grid = eyes.grid.turned(turn)
    side = side_up(eyes.look(0), eyes.look)
    assert (side.turn, side.sure) == ((4 - turn) % 4, True)
    assert len(eyes.asked) == 2


def test_votes_for_their_heads_are_overruled_by_what_the_letters_are() -> None:
    eyes = Eyes(ROWS, votes=2, clear=False)
    eyes.grid = eyes.grid.turned(2)  # where the votes call it upright
    side = side_up(eyes.look(0), eyes.look)
    assert side.turn == 2


def test_where_no_votes_are_cast_all_sides_are_read() -> None:
    eyes = Eyes(ROWS, votes=None)
    side = side_up(eyes.look(0), eyes.look)
    assert (side.turn, side.sure) == (0, True)
    assert sorted(eyes.asked) == [0, 1, 2, 3]


def test_without_letters_the_side_is_a_guess() -> None:
    eyes = Eyes([["."] * 15 for _ in range(15)])
    side = side_up(eyes.look(0), eyes.look)
    assert (side.turn, side.sure, eyes.asked) == (0, False, [0])
