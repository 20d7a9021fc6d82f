"""The thread that follows a source: failures, stops, and the next game."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scoring import COVERED, Board, Placement, load_edition
from tests.support.lens_sections import lens_section
from tests.support.live_games import PLAYS, FakeSource, frame, no_context
from tests.support.on_air import journal_of, send_commands
from tests.support.serving import wait_until
from tilesight.live import GameSettings, LiveGame, RackWorker, Tournament, VideoWorker
from tilesight.live.feeds import video
from tilesight.live.journal import FrameRef
from tilesight.live.workers import SOURCE_TIMEOUT_S, Backoff
from vision.capture import Frame, Interruption
from vision.core.files import write_picture
from vision.errors import InputError, SettingsError
from vision.pipeline.rack import RackReading
from vision.profile.lens import Lens, LensModel
from vision.profile.profile import Profile


def test_a_table_that_fails_begins_again_and_says_why(table: LiveGame) -> None:
    opened: list[FakeSource | Exception] = [
        InputError("no camera"),
        FakeSource([ValueError("a bug")]),
        FakeSource([frame(), frame(1)]),
    ]

    def open_it(_: str, __: float | None) -> FakeSource:
        item = opened.pop(0)
        if isinstance(item, Exception):
            raise item
        return item

    notes: list[str] = []
    worker = VideoWorker(
        table,
        GameSettings(name="final", source="0"),
        no_context,
        open_it=open_it,
        backoff=Backoff(first_s=0.01, longest_s=0.05),
        notify=notes.append,
    )
    worker.start()
    wait_until(lambda: table.state.status == "the film is over")
    worker.stop()
    assert "no camera; trying again" in notes[0]
    assert "a bug" in notes[1]


def test_pictures_that_do_not_fit_the_profile_are_the_tables_status(table: LiveGame) -> None:
    lens = Lens(
        model=LensModel.RADIAL,
        focal_px=(80.0, 80.0),
        centre_px=(30.0, 40.0),
        distortion=(-0.2, 0.0, 0.0, 0.0),
        size_px=(60, 80),
    )
    profile = Profile(size_px=(60, 80), lens=lens_section(lens), name="club.json")
    worker = VideoWorker(
        table,
        GameSettings(name="final", source="0"),
        lambda: no_context(profile),
        open_it=lambda *_: FakeSource([frame()]),
        notify=lambda _: None,
    )
    worker.start()
    wait_until(lambda: "this one has 80x60, turned by a quarter; set the camera" in table.state.status)
    worker.stop()
    assert not table.state.watching


LAST = Board.empty(load_edition("icelandic").layout).with_tiles(
    Placement(row=row, column=column, token="HRAKI"[column % 5])
    for row in (3, 5, 7, 9)
    for column in range(15)
)


def covered(board: Board, n: int) -> Board:
    hidden = list(board.tiles())[:n]
    return board.without(hidden).with_tiles(replace(tile, token=COVERED) for tile in hidden)


def cleared(n_left: int) -> Board:
    return LAST.without(list(LAST.tiles())[n_left:])


@pytest.mark.parametrize(
    ("seen", "followed_from"),
    [
        pytest.param([cleared(n) for n in (60, 45, 30, 15, 4, 2, 0)], 7, id="it is being cleared"),
        pytest.param([covered(LAST, 45), covered(LAST, 45), cleared(0), cleared(0)], 4, id="a hand hides it"),
        pytest.param([cleared(0), LAST, LAST, cleared(0), cleared(0)], 5, id="one reading is wrong"),
        pytest.param(
            [cleared(0).with_tiles(replace(tile, token="E") for tile in LAST.tiles())] * 2,
            2,
            id="another game's tiles",
        ),
    ],
)
def test_the_next_game_is_followed_once_the_last_board_is_cleared(
    table: LiveGame, monkeypatch: pytest.MonkeyPatch, seen: list[Board], followed_from: int
) -> None:
    readings = iter(seen)

    def read(*_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(decoded=SimpleNamespace(board=next(readings)))

    monkeypatch.setattr(video, "read_photo", read)
    table._recorder.state = replace(table.state, last_board=LAST)
    frames = iter([frame(number * 10) for number in range(len(seen) + 1)])
    followed = next(video.skip_until_clear(table, frames, no_context()))
    assert isinstance(followed, Frame)
    assert followed.index == followed_from * 10


def test_a_camera_that_is_lost_is_reported_while_the_last_board_is_waited_for(tmp_path: Path) -> None:
    lost = Interruption(message="the camera gives no pictures")
    notes: list[str] = []
    settings = GameSettings(name="final", source="0", edition="icelandic", players=("Anna", "Jón"))
    with Tournament(notify=notes.append).open_table(settings, tmp_path / "final.db") as table:
        send_commands(table, *PLAYS, "new-game as-is")
        worker = VideoWorker(
            table, settings, no_context, open_it=lambda *_: FakeSource([lost]), notify=notes.append
        )
        worker.start()
        wait_until(lambda: notes)
        worker.stop()
    assert notes == ["table final: the camera gives no pictures"]


def test_a_film_of_which_the_journal_knows_nothing_is_reported(table: LiveGame) -> None:
    class Other(FakeSource):
        def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
            return -1

    game, notes = table.state.game, list[str]()
    journal_of(table).record(game, game, [], FrameRef(frame=7, time_s=3.5, file="first.mp4"))
    worker = VideoWorker(
        table,
        GameSettings(name="final", source="second.mp4"),
        no_context,
        open_it=lambda *_: Other([frame()], live=False),
        notify=notes.append,
    )
    worker.start()
    wait_until(lambda: table.state.status == "the film is over")
    worker.stop()
    assert len(notes) == 1
    assert "last event was seen in first.mp4 at 3.5 s" in notes[0]


def test_a_recorded_film_takes_its_own_time_and_can_be_stopped(table: LiveGame) -> None:
    frames = [frame(number) for number in range(0, 600, 100)]
    notes: list[str] = []
    worker = VideoWorker(
        table,
        GameSettings(name="final", source="film.mp4"),
        no_context,
        open_it=lambda *_: FakeSource(frames, live=False),
        notify=notes.append,
    )
    worker.start()
    wait_until(lambda: table.snapshot is not None)
    worker.stop()
    wait_until(lambda: not worker._thread.is_alive(), 30.0)  # the film takes a minute
    assert table.state.status != "the film is over"
    assert notes == []


def test_silent_sources_are_left_together_within_a_second(table: LiveGame) -> None:
    is_over = threading.Event()
    opened: list[str] = []

    class Silent(FakeSource):
        def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
            opened.append("frames")
            is_over.wait(60)
            yield frame()

    def open_it(name: str, _: float | None) -> FakeSource:
        opened.append(name)
        if name == "deaf":
            is_over.wait(60)
        return Silent([])

    corners = ((0.0, 0.0), (70.0, 0.0), (70.0, 10.0), (0.0, 10.0))
    settings = GameSettings(name="final", source="0")
    racks = replace(settings, rack_source="1", racks_px=(corners, None))
    kinds: list[tuple[Any, GameSettings]] = [
        (VideoWorker, settings),
        (VideoWorker, replace(settings, source="deaf")),
        (RackWorker, racks),
    ]
    workers = [kind(table, each, no_context, open_it=open_it, notify=pytest.fail) for kind, each in kinds * 4]
    for worker in workers:
        worker.start()
    wait_until(lambda: sorted(opened) == sorted(["0", "1", "deaf", "frames", "frames"] * 4))
    began_s = time.monotonic()
    for worker in workers:
        worker.request_stop()
    for worker in workers:
        worker.stop()
    assert time.monotonic() - began_s < len(workers) * SOURCE_TIMEOUT_S
    is_over.set()


def test_a_stop_waits_until_the_frame_is_read(table: LiveGame, monkeypatch: pytest.MonkeyPatch) -> None:
    began, read = threading.Event(), list[bool]()

    def read_it(*_: Any, **__: Any) -> RackReading:
        began.set()
        time.sleep(1.5)
        read.append(True)
        return RackReading(tiles=(), corners_px=np.zeros((4, 2)))

    monkeypatch.setattr("tilesight.live.workers.read_rack", read_it)
    corners = ((0.0, 0.0), (70.0, 0.0), (70.0, 10.0), (0.0, 10.0))
    worker = RackWorker(
        table,
        GameSettings(name="final", source="0", rack_source="1", racks_px=(corners, None)),
        no_context,
        open_it=lambda *_: FakeSource([frame(0), frame(20)]),
        notify=pytest.fail,
    )
    worker.start()
    assert began.wait(60.0)
    worker.stop()
    assert read == [True]


def test_a_folder_without_a_play_at_a_table_may_be_photos_of_turns(table: LiveGame, tmp_path: Path) -> None:
    write_picture(tmp_path / "1.jpg", np.zeros((120, 160, 3), np.uint8))
    notes: list[str] = []
    settings = GameSettings(name="final", source=str(tmp_path))
    worker = VideoWorker(table, settings, no_context, notify=notes.append)
    worker.start()
    wait_until(lambda: notes)
    worker.stop()
    assert len(notes) == 1
    assert "no play was seen in its pictures" in notes[0]
    assert "tilesight watch --every turn" in notes[0]


def test_a_table_goes_on_with_the_profile_that_was_just_made(table: LiveGame) -> None:
    lens = Lens(
        model=LensModel.RADIAL,
        focal_px=(80.0, 80.0),
        centre_px=(40.0, 30.0),
        distortion=(-0.2, 0.0, 0.0, 0.0),
        size_px=(80, 60),
    )
    profile = Profile(size_px=(80, 60), lens=lens_section(lens), name="club.json")
    loaded: list[str] = []

    class Camera(FakeSource):
        def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
            yield frame()
            wait_until(lambda: worker.newest is not None)
            worker.use_profile(profile, lambda: loaded.append("again") or no_context(profile))  # type: ignore[func-returns-value]
            yield frame(1)
            yield frame(2)

    worker = VideoWorker(
        table,
        GameSettings(name="final", source="0"),
        no_context,
        open_it=lambda *_: Camera([]),
        notify=lambda _: None,
    )
    worker.start()
    wait_until(lambda: table.state.status == "the film is over")
    worker.stop()
    assert loaded == ["again"]
    assert worker.newest is not None
    assert worker.newest.image_bgr.shape == (60, 80, 3), "the camera's own picture"
    assert table.snapshot is not None
    assert table.snapshot[0].index == 2
    assert table.snapshot[0].image_bgr.shape != (60, 80, 3), "straight, as the profile has it"
    cornered = VideoWorker(
        table,
        GameSettings(name="final", source="0", corners_px=((0, 0), (9, 0), (9, 9), (0, 9))),
        no_context,
        notify=lambda _: None,
    )
    with pytest.raises(SettingsError, match="leave out corners or profile"):
        cornered.use_profile(profile, no_context)
    with pytest.raises(SettingsError, match="leave out corners or profile"):
        cornered.check_profile(Path("club.json"))
    worker.check_profile(Path("club.json"))
