"""The totals of a score sheet, with and without the tiles that were left at the end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import Board, EndRule, load_edition
from tilesight.digitise.score_sheets.matching import totals_before_settlement

ENGLISH = load_edition("english")
FEW = replace(ENGLISH, counts={letter: 1 if letter in "CABLEHOP" else 0 for letter in ENGLISH.counts})
"""Eight tiles, so that CABLE leaves three: H 4, O 1, P 3."""


def cable() -> Board:
    rows = [["."] * 15 for _ in range(15)]
    rows[7][3:8] = "CABLE"
    return Board.from_rows(rows)


def test_totals_of_plays_are_taken_as_they_are() -> None:
    assert totals_before_settlement([24, 0], cable(), FEW, settled=False) == ((24, 0),)


def test_the_player_without_tiles_has_the_values_of_the_others() -> None:
    left = 4 + 1 + 3
    assert totals_before_settlement([32, 12], cable(), FEW, settled=True) == (
        (32 - left, 12 + left),
        (32 + left, 12 - left),
    )
    # nobody has fewer than no points for plays
    assert totals_before_settlement([32, 2], cable(), FEW, settled=True) == ((24, 10),)


@pytest.mark.parametrize(
    ("totals", "edition"),
    [
        ([24], FEW),
        ([24, 0, 0], FEW),
        ([24, 0], ENGLISH),  # 95 tiles are not on the board
        ([24, 0], replace(FEW, end=EndRule(rack_empty=False))),
        ([24, 0], replace(FEW, counts={**FEW.counts, "Z": None})),
    ],
)
def test_what_was_left_may_not_be_known(totals: list[int], edition) -> None:
    assert totals_before_settlement(totals, cable(), edition, settled=True) == ()
