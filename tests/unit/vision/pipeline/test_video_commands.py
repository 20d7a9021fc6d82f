"""Commands at a followed video: what users state, and the board as it was seen."""

from __future__ import annotations

from typing import Any

import pytest

from scoring import Game, load_edition
from vision.errors import SettingsError
from vision.game_events import NoticeKind, UpdateBatch, UpdateKind, parse_command
from vision.pipeline import GameContext, VideoTracker

EDITION = load_edition("icelandic")


def tracker_of(*plays: str) -> VideoTracker:
    """A tracker of a game whose plays are on the board."""
    game = Game(edition=EDITION, players=("Anna", "Jón"))
    for text in plays:
        game = game.with_play(text)
    nothing: Any = object()
    return VideoTracker(game, GameContext(edition=EDITION, recognizer=nothing))


def send(tracker: VideoTracker, text: str) -> UpdateBatch | None:
    return tracker.apply_command(parse_command(text))


def test_undo_asks_and_board_takes_the_tiles_back() -> None:
    tracker = tracker_of("8D HRAKI", "G6 LO.I")
    undone = send(tracker, "undo")
    assert undone is not None
    assert [update.kind for update in undone.updates] == [UpdateKind.UNDONE]
    (notice,) = undone.notices
    assert (notice.kind, notice.message[:37]) == (
        NoticeKind.BOARD_DIFFERS,
        "still on the board: G6 G7 G9, which t",
    )
    assert tracker.difference is not None
    taken = send(tracker, "board")
    assert taken is not None
    assert taken.game.totals == (28, 15)
    assert tracker.difference is None
    again = send(tracker, "board")
    assert again is not None
    assert not again.updates, "they agree already"


@pytest.mark.parametrize("text", ["turn Anna", "board", "name Anna Anna", "letter H8 I", "correct 8D HRAKI"])
def test_a_command_that_changes_nothing_is_answered(text: str) -> None:
    answer = send(tracker_of("8D HRAKI", "G6 LO.I"), text)
    assert answer is not None
    assert [notice.message for notice in answer.notices] == ["nothing changes: the record has this already"]


def test_a_command_that_makes_no_sense_is_answered() -> None:
    tracker = tracker_of("8D HRAKI")
    for text in ("board now", "insert 9 pass", "challenge won"):
        answer = send(tracker, text)
        assert answer is not None
        assert answer.notices[0].kind is NoticeKind.UNCLEAR
    with pytest.raises(SettingsError):
        tracker.explain_command(parse_command("board now"))


def test_who_waits_is_not_asked() -> None:
    tracker = tracker_of("8D HRAKI")
    send(tracker, "undo")
    assert send(tracker, "board wait") is None
    assert tracker.difference is None
