"""From where a hand reaches over the board, on motion of single cells, and what it says of the players."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vision.core.arrays import Mask
from vision.core.geometry import Grid
from vision.game_events.player_sides import PlayerSides
from vision.tracking.motion import BOARD, MotionState
from vision.tracking.reach import ReachEstimator
from vision.tracking.thumbnail import MARGIN_CELLS

SIDE = 15 + 2 * MARGIN_CELLS
EVERYWHERE = np.ones((SIDE, SIDE), dtype=np.bool_)
GRID = Grid.from_corners([(100, 100), (400, 100), (400, 400), (100, 400)], 15, 15)
BELOW, ABOVE, LEFT = (0.0, 1.0), (0.0, -1.0), (-1.0, 0.0)


def motion(*windows: tuple[slice, slice]) -> MotionState:
    """Motion at this moment in these cells, and nowhere else."""
    cells_s = np.full((SIDE, SIDE), 9.0)
    for window in windows:
        cells_s[window] = 0.0
    return MotionState(cells_s=cells_s, around_s=0.0, frames=0, flickering=np.zeros((15, 15), dtype=np.bool_))


def arm(side: tuple[float, float], at: int = 10) -> tuple[slice, slice]:
    """The cells of the margin that an arm crosses."""
    width = slice(at - 1, at + 2)
    if side == LEFT:
        return width, slice(0, MARGIN_CELLS)
    return (slice(0, MARGIN_CELLS) if side == ABOVE else slice(-MARGIN_CELLS, None)), width


def reached(*moves: tuple[MotionState, float], visible: Mask = EVERYWHERE) -> ReachEstimator:
    reach = ReachEstimator(15, 15)
    for state, seconds in moves:
        for _ in range(round(seconds * 10)):
            reach.update(state, 0.1, visible, is_resolved=False)
    return reach


@pytest.mark.parametrize("side", [BELOW, ABOVE, LEFT])
def test_a_hand_comes_from_where_its_arm_crosses_the_margin(side: tuple[float, float]) -> None:
    direction = reached((motion(arm(side)), 1.5)).direction(GRID, [(7, 6), (7, 7), (7, 8)])
    assert direction is not None
    assert np.dot(direction, side) > 0.95
    assert math.hypot(*direction) == pytest.approx(1.0)


def test_a_tile_next_to_the_edge_is_laid_from_there() -> None:
    direction = reached((motion(arm(BELOW, at=6)), 1.0)).direction(GRID, [(13, 3), (14, 3)])
    assert direction is not None
    assert np.dot(direction, BELOW) > 0.8


@pytest.mark.filterwarnings("error")
def test_a_camera_that_pans_over_the_whole_board_says_nothing() -> None:
    reach, left = ReachEstimator(15, 15), np.zeros((SIDE, SIDE), dtype=np.bool_)
    left[:, : SIDE // 2] = True
    for visible in (left, ~left):
        reach.update(motion(arm(BELOW)), 0.5, visible, is_resolved=False)
    assert reach.direction(GRID, [(7, 7)]) is None


def test_two_arms_from_opposite_sides_say_nothing() -> None:
    assert reached((motion(arm(BELOW), arm(ABOVE)), 1.0)).direction(GRID, [(7, 7)]) is None


def test_light_that_changes_all_around_says_nothing_and_hides_no_arm() -> None:
    everywhere = motion((slice(None), slice(None)))
    assert reached((everywhere, 1.0)).direction(GRID, [(7, 7)]) is None
    direction = reached((everywhere, 1.0), (motion(arm(ABOVE)), 1.0)).direction(GRID, [(7, 7)])
    assert direction is not None
    assert np.dot(direction, ABOVE) > 0.95


def test_a_hand_that_left_before_the_next_one_came_is_forgotten() -> None:
    reach = reached((motion(arm(BELOW)), 1.0))
    for _ in range(30):
        reach.update(motion(), 0.1, EVERYWHERE, is_resolved=True)
    for _ in range(10):
        reach.update(motion(arm(ABOVE)), 0.1, EVERYWHERE, is_resolved=False)
    direction = reach.direction(GRID, [(7, 7)])
    assert direction is not None
    assert np.dot(direction, ABOVE) > 0.95
    reach.clear()
    assert reach.direction(GRID, [(7, 7)]) is None


def test_a_camera_that_sees_no_margin_sees_the_arm_on_the_squares_at_the_edge() -> None:
    on_board = (slice(10, SIDE - MARGIN_CELLS), slice(9, 12))
    visible = np.zeros((SIDE, SIDE), dtype=np.bool_)
    visible[BOARD] = True
    direction = reached((motion(on_board), 1.0), visible=visible).direction(GRID, [(7, 7)])
    assert direction is not None
    assert np.dot(direction, BELOW) > 0.95


def test_an_arm_from_a_side_without_margin_outweighs_a_flicker_where_margin_is_seen() -> None:
    visible = np.ones((SIDE, SIDE), dtype=np.bool_)
    visible[-MARGIN_CELLS:] = False
    on_board = (slice(10, SIDE - MARGIN_CELLS), slice(9, 12))
    flicker = (slice(9, 11), slice(MARGIN_CELLS - 1, MARGIN_CELLS))
    moves = ((motion(on_board), 1.0), (motion(flicker), 0.3))
    direction = reached(*moves, visible=visible).direction(GRID, [(7, 7)])
    assert direction is not None
    assert np.dot(direction, BELOW) > 0.9


def test_a_tile_at_the_edge_is_no_arm() -> None:
    tile = (slice(MARGIN_CELLS + 14, MARGIN_CELLS + 15), slice(MARGIN_CELLS + 3, MARGIN_CELLS + 5))
    assert reached((motion(tile), 1.0)).direction(GRID, [(14, 3), (14, 4)]) is None


def test_motion_on_the_board_is_no_arm() -> None:
    assert reached((motion(BOARD), 2.0)).direction(GRID, [(7, 7)]) is None


def test_a_board_named_from_another_side_keeps_the_direction_in_the_frame() -> None:
    reach = reached((motion(arm(BELOW)), 1.0))
    reach.rotate(1)
    direction = reach.direction(GRID.rotate(1), [(7, 7)])
    assert direction is not None
    assert np.dot(direction, BELOW) > 0.95


def test_each_players_side_is_learnt_and_weighed() -> None:
    unknown = PlayerSides.unknown(2)
    assert unknown.log_odds(0, 1, BELOW) == 0.0
    one = unknown.learn(0, BELOW)
    assert 1.0 < one.log_odds(0, 1, BELOW) < 2.0
    both = one.learn(1, ABOVE)
    assert both.log_odds(0, 1, BELOW) > 3.0
    assert both.log_odds(0, 1, ABOVE) == pytest.approx(-both.log_odds(0, 1, BELOW))
    assert abs(both.log_odds(0, 1, LEFT)) < 0.01
    assert both.log_odds(0, 1, None) == 0.0
    assert both.learn(0, BELOW).learn(1, ABOVE).log_odds(0, 1, BELOW) > both.log_odds(0, 1, BELOW)


@pytest.mark.parametrize(("n_later", "is_known"), [(11, True), (12, False)])
def test_a_direction_is_forgotten_after_twelve_others(n_later: int, is_known: bool) -> None:
    sides, settled = PlayerSides.unknown(2).learn(0, LEFT), PlayerSides.unknown(2)
    for _ in range(n_later):
        sides = sides.learn(0, BELOW)
    for _ in range(12):
        settled = settled.learn(0, BELOW)
    assert (sides.log_odds(0, 1, LEFT) > settled.log_odds(0, 1, LEFT)) is is_known


def test_players_who_sit_on_one_side_are_not_distinguished() -> None:
    sides = PlayerSides.unknown(2).learn(0, BELOW).learn(1, BELOW).learn(0, BELOW).learn(1, BELOW)
    assert sides.log_odds(0, 1, BELOW) == pytest.approx(0.0)


def test_the_sides_are_reported_once_every_player_is_known_by_them() -> None:
    names = ("Anna", "Jón")
    one_each = PlayerSides.unknown(2).learn(0, BELOW).learn(1, ABOVE)
    assert one_each.describe(names) == ""
    assert (
        one_each.learn(0, BELOW).learn(1, ABOVE).describe(names)
        == "Anna's from the bottom, Jón's from the top"
    )
    side_by_side = one_each.learn(0, ABOVE).learn(1, BELOW)
    assert side_by_side.describe(names) == ""
    assert PlayerSides.unknown(1).learn(0, BELOW).learn(0, BELOW).describe(("Anna",)) == ""
