"""What lies over the board's edge: a hand that moves or looks like one."""

from __future__ import annotations

import numpy as np

from vision.core.boards import Occupancy, SquareProbabilities
from vision.tracking.changes import ChangeDetector
from vision.tracking.motion import BOARD, MotionState
from vision.tracking.occlusion import OcclusionEstimator
from vision.tracking.thumbnail import CELL_PX, MARGIN_CELLS, BoardThumbnail

SIDE = 15 + 2 * MARGIN_CELLS
EDGE = (slice(MARGIN_CELLS - 2, MARGIN_CELLS + 2), slice(8, 13))
"""Cells on both sides of the upper edge."""
SQUARES = (slice(0, 2), slice(8 - MARGIN_CELLS, 13 - MARGIN_CELLS))
"""Those of them that are squares."""
TEXTURE = np.random.default_rng(0).uniform(60, 180, (SIDE, SIDE))


def view(darker: bool) -> BoardThumbnail:
    cells = TEXTURE.copy()
    if darker:
        cells[EDGE] *= 0.5
    return BoardThumbnail(grey=np.kron(cells, np.ones((CELL_PX, CELL_PX))).astype(np.float32))


def shows(state: Occupancy, probability: float = 0.97) -> SquareProbabilities:
    """A board whose squares at the edge are this, and all others empty."""
    occupancy = np.full((15, 15, 4), 0.01, np.float32)
    occupancy[..., Occupancy.EMPTY] = 0.97
    occupancy[SQUARES] = (1 - probability) / 3
    occupancy[(*SQUARES, state)] = probability
    return SquareProbabilities(
        reader="drawn",
        tokens=("A", "B"),
        value_labels=(None, 1),
        occupancy=occupancy,
        letters=np.full((15, 15, 2), 0.5, np.float32),
        values=np.full((15, 15, 2), 0.5, np.float32),
        turns=np.full((15, 15, 4), 0.25, np.float32),
    )


def is_reached_over(
    probabilities: SquareProbabilities, rest_s: float, after_s: float = 0.0, *, outside_alone: bool = False
) -> bool:
    """Whether something is over the edge, `rest_s` after it moved; it was read `after_s` before, too."""
    changes = ChangeDetector((15, 15), view(darker=False))
    occlusion = OcclusionEstimator(view(darker=False), 0.0)
    for time_s in (20.0, 20.0 + after_s):
        changes.compare(view(darker=True), 5.0)
        cells_s = np.full((SIDE, SIDE), 9.0)
        cells_s[EDGE] = rest_s
        if outside_alone:
            cells_s[BOARD] = 9.0
        motion = MotionState(
            cells_s=cells_s, around_s=rest_s, frames=3, flickering=np.zeros((15, 15), dtype=np.bool_)
        )
        occlusion.estimate(view(darker=True), probabilities, changes, motion, 5.0, time_s)
    return occlusion.reached_over


def test_what_moves_over_the_edge_is_a_hand() -> None:
    assert is_reached_over(shows(Occupancy.EMPTY), rest_s=0.5)


def test_light_that_changed_is_no_hand_where_only_the_table_moves() -> None:
    """A table that lies lower than the board moves in the picture with a camera that is held in a hand."""
    assert not is_reached_over(shows(Occupancy.EMPTY), rest_s=0.5, outside_alone=True)


def test_what_looks_covered_at_the_edge_is_a_hand_though_it_rests() -> None:
    assert is_reached_over(shows(Occupancy.COVERED, 0.4), rest_s=1.5)


def test_light_that_changed_at_the_edge_is_no_hand_once_it_rests() -> None:
    assert not is_reached_over(shows(Occupancy.EMPTY), rest_s=1.5)


def test_a_play_at_the_edge_is_no_hand() -> None:
    assert not is_reached_over(shows(Occupancy.TILE), rest_s=0.5)


def test_what_stays_over_the_edge_is_no_hand_after_some_seconds() -> None:
    assert not is_reached_over(shows(Occupancy.COVERED, 0.4), rest_s=4.5, after_s=4.5)
