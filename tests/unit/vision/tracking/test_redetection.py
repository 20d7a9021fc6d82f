"""Why the board of a game is not found: it may be another one, or be covered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import Game, load_edition
from tests.unit.vision.tracking.test_board_tracker import GRID, BrightnessReader, draw_table
from vision.capture import Frame
from vision.core import Mask, Occupancy, RectifiedBoard, SquareProbabilities
from vision.pipeline import GameContext, VideoTracker, track_video
from vision.rectification import read_board
from vision.tracking import BoardTracker, Redetector
from vision.tracking.monitors.unrest import HIDDEN

GAME = Game(edition=load_edition("icelandic"), players=("Anna", "Jón")).with_play("8D HRAKI")
OTHER = "is it the board of this game?"


class HandReader(BrightnessReader):
    """Takes the first squares of row 8 for covered."""

    def __init__(self, covered: int) -> None:
        self.covered = covered

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
        reading = super().read(rectified, squares)
        occupancy = reading.occupancy.copy()
        occupancy[7, : self.covered] = 0.01
        occupancy[7, : self.covered, Occupancy.COVERED] = 0.97
        return replace(reading, occupancy=occupancy)


def frame(number: int = 0) -> Frame:
    return Frame(image_bgr=draw_table(), source="film", index=number, time_s=0.5 * number)


@pytest.mark.parametrize(("covered", "refusal"), [(5, OTHER), (6, HIDDEN), (15, HIDDEN)])
def test_tiles_under_a_hand_do_not_speak_for_another_board(covered: int, refusal: str) -> None:
    redetector = Redetector(HandReader(covered), None)
    redetector.refusal = OTHER
    assert not redetector.shows_game(frame(), GRID, GAME)
    assert redetector.refusal == refusal


@pytest.mark.parametrize(
    ("game", "n_frames", "reported_s"),
    [(GAME, 60, 9.5), (GAME, 10, 4.5), (Game(edition=GAME.edition, players=GAME.players), 60, 0.0)],
)
def test_a_resumed_game_waits_for_its_board_before_it_says_why_it_is_not_found(
    game: Game, n_frames: int, reported_s: float
) -> None:
    tracker = VideoTracker(game, GameContext(edition=game.edition, recognizer=HandReader(5)))
    batches = [*track_video((frame(number) for number in range(n_frames)), tracker)]
    ((time_s, message),) = [(batch.time_s, notice.message) for batch in batches for notice in batch.notices]
    assert time_s == reported_s
    assert message.startswith("no board found")


def test_another_board_is_reported_once_the_hand_has_left() -> None:
    tracker = BoardTracker(read_board(draw_table(), GRID, BrightnessReader()), frame())
    told = []
    for number in range(1, 60):
        tracker.note_place(HIDDEN if number < 25 else OTHER)
        tracker.observe(frame(number))
        if tracker.unrest_message is not None:
            told.append((number / 2, tracker.unrest_message))
    assert told == [
        (8.0, f"nothing could be read for 8 s: {HIDDEN}"),
        (20.0, f"nothing could be read for 8 s: {OTHER}"),
    ]
