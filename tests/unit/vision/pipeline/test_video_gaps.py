"""A source that stalls: the seconds without a frame are no rest of the board."""

from __future__ import annotations

import numpy as np
import pytest

from scoring import Game, load_edition
from tests.sets.club_boards import club_photo
from vision.capture import Frame
from vision.pipeline import GameContext, VideoTracker, load_recognizer
from vision.tracking import BoardTracker

EDITION = load_edition("icelandic")


@pytest.mark.parametrize(
    ("intervals_s", "skipped_s"),
    [
        ((*(0.1,) * 12, 4.0), [3.9]),
        ((3.0, *(0.1,) * 10, 4.0), [3.9]),  # the first frames took long to search
        ((*(0.1,) * 9, *(3.0,) * 9), [2.9] * 5),  # a source that has become slow
        ((2.5,) * 8, []),
    ],
)
def test_what_a_stalled_source_did_not_show_is_skipped(
    intervals_s: tuple[float, ...], skipped_s: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    skipped: list[float] = []
    monkeypatch.setattr(BoardTracker, "skip", lambda self, seconds: skipped.append(seconds))
    image_bgr = club_photo("icelandic", 1000, 32.0).image_bgr
    context = GameContext(edition=EDITION, recognizer=load_recognizer("network", EDITION))
    tracker = VideoTracker(Game(edition=EDITION, players=("Anna", "Jón")), context)
    for time_s in np.cumsum((0.0, *intervals_s)):
        tracker.see(Frame(image_bgr=image_bgr, source="film", time_s=float(time_s)))
    assert skipped == pytest.approx(skipped_s)
