from __future__ import annotations

import pytest

from scoring import Placement, Play
from vision.game_events.play_sequences import most_likely_orders

PANT = [Placement(row=7, column=4 + n, token=token) for n, token in enumerate("PANT")]
LAST = Placement(row=7, column=8, token="A")
AROUND = [Placement(row=6, column=8, token="J"), Placement(row=8, column=8, token="R")]

WHOLE_FIRST = (Play(placements=(*PANT, LAST)), Play(placements=tuple(AROUND)))
WHOLE_SECOND = (Play(placements=tuple(PANT)), Play(placements=(AROUND[0], LAST, AROUND[1])))


@pytest.mark.parametrize(
    ("last_s", "expected"), [(5.0, WHOLE_FIRST), (10.0, WHOLE_SECOND), (12.0, WHOLE_SECOND)]
)
def test_a_tile_belongs_to_the_play_with_which_it_was_seen(
    last_s: float, expected: tuple[Play, Play]
) -> None:
    seen_s = {(tile.row, tile.column): 5.0 for tile in PANT}
    seen_s |= {
        (6, 8): 10.0,
        (7, 8): last_s,
        (8, 8): 12.0,
    }  # one tile of the second play was seen before the other
    assert most_likely_orders((WHOLE_SECOND, WHOLE_FIRST), seen_s) == (expected,)


def test_of_orders_with_as_many_breaks_the_one_of_the_briefest_plays_is_first() -> None:
    seen_s = {tile.square: 5.0 for tile in PANT} | {(6, 8): 10.0, LAST.square: 11.0, (8, 8): 12.0}
    late = (Play(placements=(*PANT, AROUND[0])), Play(placements=(LAST, AROUND[1])))
    assert most_likely_orders((late, WHOLE_SECOND), seen_s) == (WHOLE_SECOND, late)
