"""What a camera reports reaches the game, and what people stated reaches the camera."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.live_games import PLAYS, Script, batch_of, frame, observation_of
from tests.support.on_air import journal_of, open_table, send_commands
from tilesight.live import LiveGame
from tilesight.live.operator.commands import find_uncertain_tiles
from tilesight.live.snapshots import SnapshotCache
from vision.capture import Frame, Interruption
from vision.core.geometry import Grid
from vision.errors import InputError
from vision.game_events.record.commands import parse_command


def test_a_play_that_is_seen_is_reported_with_its_doubts(table: LiveGame, tmp_path: Path) -> None:
    script = Script(table)
    table.attach(script)  # type: ignore[arg-type]
    script.next = [None, batch_of(table, "8D HRAKI", observation_of(table, (7, 3), "H", "N"))]
    table.see(frame(0))
    assert (table.state.sequence, table.state.watching) == (0, True)
    table.see(frame(1))
    (doubt,) = table.state.operator.uncertain_tiles
    assert (doubt.row, doubt.column, doubt.token, doubt.confidence, doubt.others) == (
        7,
        3,
        "H",
        0.6,
        (("N", 0.3),),
    )
    send_commands(table, "letter D8 N")
    assert table.state.operator.uncertain_tiles == ()
    assert script.applied[-1] == table.state.game, "the camera goes on from what people said"
    assert journal_of(table).last_frame_ref.frame == 3
    other = Script(table)
    table.attach(other)  # type: ignore[arg-type]
    assert other.locked == [(7, 3)], "what people said holds after a restart of the camera, too"


def locked_after(folder: Path, table: LiveGame) -> tuple[list[tuple[int, int]], tuple[Any, ...]]:
    """What a camera that begins to follow the journal's game is told to hold on to, and to see removed_by_user."""
    journal_of(table).close()
    other = open_table(folder, clock_s=60.0, now=lambda: 1000.0)
    script = Script(other)
    other.attach(script)  # type: ignore[arg-type]
    journal_of(other).close()
    return script.locked, script.removed_by_user


def test_what_is_confirmed_holds_at_once_and_after_a_restart(table: LiveGame, tmp_path: Path) -> None:
    script = Script(table)
    table.attach(script)  # type: ignore[arg-type]
    script.next = [batch_of(table, "8D HRAKI", observation_of(table, (7, 3), "H", "N"))]
    table.see(frame())
    assert script.locked == [], "the camera's own reading is nobody's word"
    send_commands(table, "confirm D8")
    assert script.locked == [(7, 3)]
    assert locked_after(tmp_path, table) == ([(7, 3)], ())


@pytest.mark.parametrize(
    ("text", "squares"),
    [
        ("letter D8 H", [(7, 3)]),
        ("correct 8D HRAKI", [(7, column) for column in range(3, 8)]),
        ("correct 8D HRAKA", [(7, column) for column in range(3, 8)]),
    ],
)
def test_tiles_that_a_command_names_and_leaves_hold_like_corrected_ones(
    table: LiveGame, tmp_path: Path, text: str, squares: list[tuple[int, int]]
) -> None:
    script = Script(table)
    table.attach(script)  # type: ignore[arg-type]
    script.next = [batch_of(table, "8D HRAKI", observation_of(table, (7, 3), "H", "N"))]
    table.see(frame())
    send_commands(table, text)
    assert script.locked == squares
    assert table.state.operator.uncertain_tiles == ()
    assert locked_after(tmp_path, table)[0] == squares


def test_a_command_that_changes_nothing_is_answered_and_undoes_no_redo(table: LiveGame) -> None:
    send_commands(table, *PLAYS, "undo")
    _, answer = table.apply_command(parse_command("letter D8 H"))
    assert answer == "nothing changes: the record has this already"
    assert table.state.redoable
    state, answer = table.apply_command(parse_command("turn Jón"))
    assert answer == "nothing changes: the record has this already"
    assert state.sequence == 4


def test_a_play_that_was_typed_holds_after_a_restart(table: LiveGame, tmp_path: Path) -> None:
    send_commands(table, "play 8D HRAKI")
    assert locked_after(tmp_path, table)[0] == [(7, column) for column in range(3, 8)]


def test_what_is_taken_back_is_vouched_for_no_more(table: LiveGame, tmp_path: Path) -> None:
    script = Script(table)
    table.attach(script)  # type: ignore[arg-type]
    script.next = [batch_of(table, "8D HRAKI")]
    table.see(frame())
    send_commands(table, "letter H8 T")
    assert script.locked == [(7, 7)]
    send_commands(table, "undo")
    assert script.locked == []
    send_commands(table, "redo")
    assert script.locked == [(7, 7)]
    send_commands(table, "undo")
    assert locked_after(tmp_path, table) == ([], ())


def test_tiles_that_were_challenged_off_are_awaited_after_a_restart(table: LiveGame, tmp_path: Path) -> None:
    send_commands(table, *PLAYS, "challenge")
    locked, removed_by_user = locked_after(tmp_path, table)
    assert locked == [(7, column) for column in range(3, 8)]
    assert [tile.token for tile in removed_by_user] == ["L", "O", "I"]


def test_tiles_that_several_commands_took_off_are_awaited_after_a_restart(
    table: LiveGame, tmp_path: Path
) -> None:
    send_commands(table, *PLAYS, "undo", "undo")
    assert sorted(tile.token for tile in locked_after(tmp_path, table)[1]) == sorted("LOIHRAKI")


def test_a_change_that_cannot_be_kept_reaches_neither_the_camera_nor_the_game(
    table: LiveGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(table)
    table.attach(script)  # type: ignore[arg-type]
    before = table.state

    def full(*_: Any) -> int:
        raise InputError("the disk is full")

    monkeypatch.setattr(table.journal, "record", full)
    with pytest.raises(InputError, match="full"):
        send_commands(table, "play 8D HRAKI")
    assert script.applied == []
    assert script.locked == []
    assert table.state is before


def test_a_play_in_doubt_as_a_whole_asks_for_attention(table: LiveGame) -> None:
    script = Script(table)
    table.attach(script)  # type: ignore[arg-type]
    script.next = [batch_of(table, "8D HRAKI"), batch_of(table, "8D HRAKI")]
    table.see(frame())
    assert table.state.operator.question == "8D is in doubt (70%); compare it with the board"
    send_commands(table, "confirm")
    assert table.state.operator.question == ""


def test_a_blank_that_nobody_can_name_asks_for_attention(table: LiveGame) -> None:
    batch = batch_of(table, "8D HR?KI")
    assert [doubt.token for doubt in find_uncertain_tiles(batch.updates[0], batch)] == ["?"]


def test_what_the_system_says_of_a_camera_is_not_in_the_journal(table: LiveGame) -> None:
    table.attach(Script(table))  # type: ignore[arg-type]
    table.interrupt(Interruption(message="/home/anna/secret.mp4 is gone"))
    table.interrupt(Interruption(message="/home/anna/secret.mp4 is back", over=True))
    assert "secret" not in str(journal_of(table).events)
    assert table.state.status == "the camera is back"
    table.finish()
    assert table.state.status == "the film is over"


def test_nobody_who_only_looks_on_waits_for_the_camera(table: LiveGame) -> None:
    looking, go_on = threading.Event(), threading.Event()

    class Slow(Script):
        def see(self, frame: Frame) -> None:
            looking.set()
            assert go_on.wait(60.0)

    table.attach(Slow(table))  # type: ignore[arg-type]
    camera = threading.Thread(target=table.see, args=(frame(),))
    camera.start()
    try:
        assert looking.wait(60.0)
        answers: list[Any] = []
        asking = threading.Thread(
            target=lambda: answers.extend((table.snapshot, table.events_after(0))), daemon=True
        )
        asking.start()
        asking.join(60.0)
        assert len(answers) == 2
        assert answers[0][0].index == 0, "the newest picture is there before it is reference"
    finally:
        go_on.set()
        camera.join()


def test_pictures_are_made_once_for_each_frame(table: LiveGame) -> None:
    pictures = SnapshotCache(table)
    assert pictures.board() is None
    assert pictures.camera() is None
    script = Script(table)
    table.attach(script)  # type: ignore[arg-type]
    table.see(frame())
    first = pictures.camera()
    assert first is not None
    assert first[:2] == b"\xff\xd8"
    assert pictures.camera() is first
    assert pictures.board() is None, "the board is not found yet"
    script.grid = Grid.from_corners([[5, 5], [70, 5], [70, 55], [5, 55]], 15, 15)
    table.see(frame(1))
    assert pictures.camera() is not first
    assert pictures.board() is not None
