"""Which way up the letters stand: several of them say it together, or it is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from vision.core.boards import Occupancy, SquareProbabilities
from vision.recognition.viewpoint.orientation import vote_turn


def reading(letters: int, turn: int, surety: float = 0.97, rows: int = 15) -> SquareProbabilities:
    """A board with so many letters in its first row, each standing so."""
    occupancy = np.zeros((rows, 15, 4), np.float32)
    occupancy[..., Occupancy.EMPTY] = 1
    occupancy[0, :letters] = np.eye(4)[Occupancy.TILE]
    turns = np.full((rows, 15, 4), (1 - surety) / 3, np.float32)
    turns[..., turn] = surety
    return SquareProbabilities(
        reader="network",
        tokens=("A",),
        value_labels=(None, 1),
        occupancy=occupancy,
        letters=np.ones((rows, 15, 1), np.float32),
        values=np.full((rows, 15, 2), 0.5, np.float32),
        turns=turns,
    )


@pytest.mark.parametrize("turn", range(4))
def test_several_letters_say_how_they_stand(turn: int) -> None:
    assert vote_turn(reading(5, turn)).clear_turns == turn
    assert vote_turn(reading(5, turn)).is_upright == (turn == 0)


@pytest.mark.parametrize("turn", [1, 3])
def test_a_board_that_is_not_square_is_not_turned_by_a_quarter(turn: int) -> None:
    assert vote_turn(reading(5, turn, rows=10)).clear_turns == 0
    assert not vote_turn(reading(5, turn, rows=10)).is_upright
    assert vote_turn(reading(5, 2, rows=10)).clear_turns == 2


@pytest.mark.parametrize("letters", [0, 1, 2])
def test_too_few_letters_say_nothing(letters: int) -> None:
    assert vote_turn(reading(letters, 2)).clear_turns == 0
    assert not vote_turn(reading(letters, 0)).is_upright


def test_letters_in_doubt_say_nothing() -> None:
    assert vote_turn(reading(4, 2, surety=0.3)).clear_turns == 0


def test_only_the_squares_that_are_asked_count() -> None:
    asked = np.zeros((15, 15), bool)
    asked[:, :2] = True
    assert vote_turn(reading(5, 2), asked).clear_turns == 0
    asked[:, :5] = True
    assert vote_turn(reading(5, 2), asked).clear_turns == 2


def test_fewer_letters_are_heard_where_they_were_seen_to_be_laid() -> None:
    two = reading(2, 2)
    assert vote_turn(two).clear_turns == 0
    assert vote_turn(two, min_letters=1.5).clear_turns == 2
    assert not vote_turn(reading(2, 0)).is_upright
    assert vote_turn(reading(2, 0), min_letters=1.5).is_upright
