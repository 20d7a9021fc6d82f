from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vision.core import Occupancy, SquareProbabilities
from vision.decoding.kinds import weigh_letter_turns, weigh_tile_kinds
from vision.decoding.scores import BLANK_STATE, FIRST_LETTER

LETTERS, CLEAR, UNCLEAR = 26, 0.99, 0.3


def board(
    *, clear: float = CLEAR, no_value: float = 0.02, odd_clear: float = UNCLEAR, odd_no_value: float = 0.9
) -> tuple[np.ndarray, SquareProbabilities]:
    """Nine letters in a row, and next to them a tile that is 70% a letter and otherwise a blank."""
    shape = (1, 10)
    occupancy = np.zeros((*shape, 4), np.float32)
    occupancy[..., Occupancy.TILE] = 0.98
    occupancy[..., Occupancy.BLANK] = 0.02
    occupancy[0, 9, [Occupancy.TILE, Occupancy.BLANK]] = 0.7, 0.3
    letters, values = np.zeros((*shape, LETTERS), np.float32), np.zeros((*shape, 2), np.float32)
    for column in range(10):
        best, missing = (clear, no_value) if column < 9 else (odd_clear, odd_no_value)
        letters[0, column] = (1 - best) / (LETTERS - 1)
        letters[0, column, column] = best
        values[0, column] = missing, 1 - missing
    reading = SquareProbabilities(
        reader="network",
        tokens=tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        value_labels=(None, 1),
        occupancy=occupancy,
        letters=letters,
        values=values,
        turns=np.full((*shape, 4), 0.25, np.float32),
    )
    weights = np.full((*shape, FIRST_LETTER + LETTERS), -12.0)
    weights[..., BLANK_STATE] = np.log(occupancy[..., Occupancy.BLANK])
    weights[..., FIRST_LETTER:] = np.log(occupancy[..., Occupancy.TILE, None] * letters)
    return weights, reading


def blank_share(weights: np.ndarray) -> float:
    tiles = np.exp(weights[0, 9, [BLANK_STATE, *range(FIRST_LETTER, weights.shape[-1])]])
    return float(tiles[0] / tiles.sum())


def test_a_tile_that_is_read_less_clearly_and_without_value_is_a_blank() -> None:
    weights, reading = board()
    assert blank_share(weights) == pytest.approx(0.3)
    assert blank_share(weigh_tile_kinds(weights, reading)) > 0.7


def test_that_there_is_a_tile_stays_as_probable() -> None:
    weights, reading = board()
    after = weigh_tile_kinds(weights, reading)
    assert np.exp(after).sum(axis=-1) == pytest.approx(np.exp(weights).sum(axis=-1))


@pytest.mark.parametrize(
    "changed",
    [
        {"clear": UNCLEAR, "no_value": 0.9},
        {"odd_clear": CLEAR, "odd_no_value": 0.02},
    ],
    ids=["all tiles are unclear", "the tile is as clear as the others"],
)
def test_a_tile_that_is_read_like_the_others_stays_as_it_was(changed: dict[str, float]) -> None:
    weights, reading = board(**changed)
    assert weigh_tile_kinds(weights, reading) == pytest.approx(weights)


def test_few_letters_are_no_comparison() -> None:
    weights, reading = board()
    few = (
        weights[:, 6:],
        SquareProbabilities(
            reader="network",
            tokens=reading.tokens,
            value_labels=reading.value_labels,
            occupancy=reading.occupancy[:, 6:],
            letters=reading.letters[:, 6:],
            values=reading.values[:, 6:],
            turns=reading.turns[:, 6:],
        ),
    )
    assert weigh_tile_kinds(*few) is few[0]


def with_turns(reading: SquareProbabilities, quarter_turns: list[int]) -> SquareProbabilities:
    """The same letters, each upright after this number of quarter turns."""
    return replace(reading, turns=np.eye(4, dtype=np.float32)[[quarter_turns]])


def test_the_only_letter_that_lies_on_its_side_is_rather_a_sign_on_a_blank() -> None:
    weights, reading = board()
    assert blank_share(weigh_letter_turns(weights, with_turns(reading, [0] * 9 + [1]))) > 0.8
    for quarter_turns in ([0] * 10, [1, 3] * 5):
        same = weigh_letter_turns(weights, with_turns(reading, quarter_turns))
        assert blank_share(same) == pytest.approx(0.3, abs=0.15)


def test_a_letter_without_a_direction_is_no_sign() -> None:
    weights, reading = board()
    assert weigh_letter_turns(weights, reading) == pytest.approx(weights)
