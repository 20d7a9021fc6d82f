"""Racks: what a camera reads, what an operator enters, and the worker that reads them."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.live_games import PLAYS, FakeSource, Script, frame, no_context
from tests.support.on_air import journal_of, send_commands
from tests.support.serving import wait_until
from tilesight.live import GameSettings, LiveGame, RackWorker
from tilesight.live.workers import Backoff
from vision.errors import SettingsError
from vision.pipeline import GameContext
from vision.pipeline.rack import RackReading, RackTile


def test_what_the_desk_says_of_a_rack_holds(table: LiveGame) -> None:
    seen, said = tuple("AÐRSXÆI"), tuple("AÐRSXÆE")
    table.record_rack(0, seen)
    send_commands(table, "rack Anna AÐRSXÆE")
    table.record_rack(0, seen)
    assert table.state.known_racks(1000.0)[0] == said, "the camera still misreads it"
    table.record_rack(0, seen[1:])
    assert table.state.known_racks(1000.0)[0] == seen[1:], "the rack is another now"


def test_what_the_desk_says_of_a_rack_holds_before_the_camera_read_any(table: LiveGame) -> None:
    send_commands(table, "rack Anna HRAKIEE")
    table.record_rack(0, tuple("HRAKIIE"))
    table.record_rack(0, tuple("HRAKIIE"))
    assert table.state.known_racks(1000.0)[0] == tuple("HRAKIEE")
    send_commands(table, "play 8D HRAKI")
    assert table.state.known_racks(1000.0)[0] == ("E", "E")
    table.record_rack(0, tuple("HRAKIIE"))
    assert table.state.known_racks(1000.0)[0] == tuple("HRAKIIE"), (
        "the player has played; the camera reads on"
    )


def test_a_rack_that_the_desk_leaves_open_is_the_cameras_again(table: LiveGame) -> None:
    table.record_rack(0, ("A", "B"))
    send_commands(table, "rack Anna AÐ", "rack Anna")
    table.record_rack(0, ("A", "B"))
    assert table.state.known_racks(1000.0)[0] == ("A", "B")


def test_racks_follow_plays_that_are_taken_back_and_exchanges(table: LiveGame) -> None:
    send_commands(table, "rack Anna HRAKIEE", "play 8D HRAKI")
    for back in ("undo", "challenge", "withdraw"):
        send_commands(table, back)
        assert sorted(table.state.known_racks(1000.0)[0]) == sorted("HRAKIEE"), back
        send_commands(table, "redo" if back == "undo" else "undo")
        assert table.state.known_racks(1000.0)[0] == ("E", "E"), back
    send_commands(table, "rack Anna HRAKIEE", "challenge")
    assert table.state.known_racks(1000.0)[0] == (), "which of the tiles were drawn is not known"
    send_commands(table, "rack Jón AÐR", "exchange AÐR")
    assert table.state.known_racks(1000.0)[1] == ()


def test_racks_stay_where_an_edited_move_gives_later_plays_other_numbers(table: LiveGame) -> None:
    send_commands(table, "rack Anna HRAKIEE", "rack Jón LOIAÐSX", *PLAYS, "play 9D E")
    for command in ("insert 1 pass", "undo", "redo", "delete 1"):
        send_commands(table, command)
        assert table.state.known_racks(1000.0) == (("E",), ("A", "Ð", "S", "X")), command
    send_commands(table, "delete 2")
    assert [sorted(rack) for rack in table.state.known_racks(1000.0)] == [["E"], sorted("LOIAÐSX")]


def test_racks_that_a_camera_reads_are_reported_once(table: LiveGame) -> None:
    for tiles in (("A", "B"), ("A", "B"), ("A",)):
        table.record_rack(0, tiles)
    assert [event["tiles"] for event in journal_of(table).events] == [["A", "B"], ["A"]]


def test_racks_are_reported_when_two_looks_agree(table: LiveGame, monkeypatch: pytest.MonkeyPatch) -> None:
    readings = ["AB", "ABC", "ABC", "?"]

    def read_it(*_: Any, **__: Any) -> RackReading:
        tokens = readings.pop(0)
        tiles = tuple(RackTile(token=token, probability=0.4 if token == "?" else 0.99) for token in tokens)
        return RackReading(tiles=tiles, corners_px=np.zeros((4, 2)))

    monkeypatch.setattr("tilesight.live.workers.read_rack", read_it)
    corners = ((0.0, 0.0), (70.0, 0.0), (70.0, 10.0), (0.0, 10.0))
    settings = GameSettings(
        name="final", source="0", rack_source="1", racks_px=(None, corners), players=("Anna", "Jón")
    )
    worker = RackWorker(
        table,
        settings,
        no_context,
        open_it=lambda *_: FakeSource([frame(0), frame(1), frame(20), frame(40), frame(60)]),
        notify=pytest.fail,
    )
    worker.start()
    wait_until(lambda: not readings)
    worker.stop()
    assert table.state.known_racks(2000.0) == ((), ("A", "B", "C"))


def test_a_picture_is_read_once_while_the_camera_is_away(
    table: LiveGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Any] = []

    def read_it(image_bgr: Any, *_: Any, **__: Any) -> RackReading:
        read.append(image_bgr)
        return RackReading(tiles=(RackTile(token="A", probability=0.99),), corners_px=np.zeros((4, 2)))

    monkeypatch.setattr("tilesight.live.workers.read_rack", read_it)
    corners = ((0.0, 0.0), (70.0, 0.0), (70.0, 10.0), (0.0, 10.0))
    settings = GameSettings(name="final", source="0", racks_px=(corners, None))
    worker = RackWorker(table, settings, no_context, every_s=0.01, notify=pytest.fail)
    table._camera.snapshot = (frame(0), None)
    worker.start()
    wait_until(lambda: read)
    time.sleep(0.2)
    assert len(read) == 1
    table._camera.snapshot = (frame(1), None)
    wait_until(lambda: len(read) == 2)
    worker.stop()


def test_racks_are_read_with_another_profile_from_the_next_reading_on(
    table: LiveGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_with: list[GameContext] = []

    def read_it(_: Any, context: GameContext, **__: Any) -> RackReading:
        read_with.append(context)
        worker.use_profile(lambda: second)
        return RackReading(tiles=(), corners_px=np.zeros((4, 2)))

    monkeypatch.setattr("tilesight.live.workers.read_rack", read_it)
    first, second = no_context(), no_context()
    corners = ((0.0, 0.0), (70.0, 0.0), (70.0, 10.0), (0.0, 10.0))
    worker = RackWorker(
        table,
        GameSettings(name="final", source="0", rack_source="1", racks_px=(None, corners)),
        lambda: first,
        open_it=lambda *_: FakeSource([frame(0), frame(20)]),
        notify=pytest.fail,
    )
    worker.start()
    wait_until(lambda: len(read_with) == 2)
    worker.stop()
    assert read_with[0] is first
    assert read_with[1] is second


def test_the_frames_a_second_of_a_table_count_for_racks_in_a_folder_only(
    table: LiveGame, tmp_path: Path
) -> None:
    opened: list[tuple[str, float | None]] = []

    def open_it(name: str, fps: float | None) -> FakeSource:
        opened.append((name, fps))
        return FakeSource([])

    corners = ((0.0, 0.0), (70.0, 0.0), (70.0, 10.0), (0.0, 10.0))
    film, folder = str(tmp_path / "racks.mp4"), str(tmp_path)
    for source in (film, folder):
        settings = GameSettings(name="final", source="0", fps=4, rack_source=source, racks_px=(None, corners))
        worker = RackWorker(table, settings, no_context, open_it=open_it, notify=pytest.fail)
        worker.start()
        wait_until(lambda source=source: opened and opened[-1][0] == source)
        worker.stop()
    assert opened == [(film, None), (folder, 4)]


def test_racks_in_the_tables_own_picture_are_looked_at_and_failures_are_reported(
    table: LiveGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[Exception] = [SettingsError("rack: no row"), ValueError("a bug")]
    looked = threading.Event()

    def read_it(*_: Any, **__: Any) -> None:
        if answers:
            raise answers.pop(0)
        looked.set()
        raise SettingsError("enough")

    monkeypatch.setattr("tilesight.live.workers.read_rack", read_it)
    table.attach(Script(table))  # type: ignore[arg-type]
    table.see(frame())
    corners = ((0.0, 0.0), (70.0, 0.0), (70.0, 10.0), (0.0, 10.0))
    notes: list[str] = []
    worker = RackWorker(
        table,
        GameSettings(name="final", source="0", racks_px=(corners, None)),
        no_context,
        every_s=0.01,
        backoff=Backoff(first_s=0.01, longest_s=0.05),
        notify=notes.append,
    )
    worker.start()
    assert looked.wait(60.0)
    worker.stop()
    assert "rack: no row" in notes[0]
    assert "a bug" in notes[1]


@pytest.mark.parametrize("rack_source", [None, "1"])
def test_a_rack_in_the_picture_of_a_mirrored_camera_is_read_in_the_mirror_image(
    table: LiveGame, monkeypatch: pytest.MonkeyPatch, rack_source: str | None
) -> None:
    places: list[Any] = []

    def read_it(*_: Any, corners_px: Any, **__: Any) -> None:
        places.append(np.asarray(corners_px).tolist())
        raise SettingsError("enough")

    monkeypatch.setattr("tilesight.live.workers.read_rack", read_it)
    script = Script(table)
    script.is_mirrored = True
    table.attach(script)  # type: ignore[arg-type]
    corners = ((0.0, 0.0), (70.0, 0.0), (70.0, 10.0), (0.0, 10.0))
    settings = GameSettings(name="final", source="0", rack_source=rack_source, racks_px=(corners, None))
    worker = RackWorker(table, settings, no_context, notify=pytest.fail)
    with pytest.raises(SettingsError, match="enough"):
        worker.read(frame(), no_context())
    mirrored = [[9.0, 0.0], [79.0, 0.0], [79.0, 10.0], [9.0, 10.0]]
    assert places == [mirrored if rack_source is None else [list(corner) for corner in corners]]
