"""Live games: commands and cameras change them, the journal keeps them, and the failure of one stays there."""

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

from scoring import COVERED, Board, DataFileError, Placement, format_gcg, load_edition
from tests.support.lens_sections import lens_section
from tests.support.on_air import journal_of, open_table, send_commands
from tests.support.serving import wait_until
from tilesight.languages import LANGUAGES
from tilesight.live import (
    GameSettings,
    GameState,
    LiveGame,
    RackWorker,
    StaleCommandError,
    Tournament,
    VideoWorker,
    load_tables,
    steady_s,
)
from tilesight.live.feeds import video
from tilesight.live.fields import FIELDS, FieldFiles, format_field
from tilesight.live.journal import FrameRef, Journal
from tilesight.live.operator.commands import find_uncertain_tiles
from tilesight.live.snapshots import SnapshotCache
from tilesight.live.workers import SOURCE_TIMEOUT_S, Backoff
from tilesight.web.serializers import serialize_for_operator, serialize_for_viewers
from vision.capture import Frame, Interruption
from vision.core.boards import Candidate, DecodedBoard, RectifiedBoard
from vision.core.files import write_file, write_picture
from vision.core.geometry import Grid
from vision.errors import InputError, SettingsError
from vision.game_events.record.commands import Command, Verb, parse_command
from vision.game_events.updates import GameUpdate, Notice, NoticeKind, UpdateBatch, UpdateKind
from vision.observation import BoardObservation
from vision.pipeline import GameContext
from vision.pipeline.rack import RackReading, RackTile
from vision.profile.lens import Lens, LensModel
from vision.profile.profile import Profile

PLAYS = ("play 8D HRAKI", "play G6 LO.I")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[LiveGame]:
    made = open_table(tmp_path, clock_s=60.0, now=lambda: 1000.0)
    yield made
    journal_of(made).close()


def again(table: LiveGame, folder: Path) -> GameState:
    """The state that a program which starts now finds."""
    journal_of(table).close()
    other = open_table(folder, clock_s=60.0, now=lambda: 1000.0)
    journal_of(other).close()
    return other.state


def test_every_change_is_in_the_journal_and_comes_back(table: LiveGame, tmp_path: Path) -> None:
    send_commands(table, *PLAYS, "rack Anna ABÐ", "start", "title The final", "letter D8 K", "pass", "undo")
    assert table.state.game.totals == (24, 15)
    back = again(table, tmp_path)
    assert back.game.events == table.state.game.events
    for name in ("operator", "sequence", "undoable", "redoable", "title"):
        assert getattr(back, name) == getattr(table.state, name), name


def test_undo_and_redo_go_through_the_record_both_ways(table: LiveGame, tmp_path: Path) -> None:
    send_commands(table, *PLAYS, "letter D8 K", "challenge")
    games = [table.state.game]
    for _ in range(4):
        send_commands(table, "undo")
        games.append(table.state.game)
    assert [len(game.events) for game in games] == [3, 2, 2, 1, 0]
    assert not table.state.undoable
    for game in reversed(games[:-1]):
        send_commands(table, "redo")
        assert table.state.game.events == game.events
    assert not table.state.redoable
    send_commands(table, "undo", "pass")
    assert not table.state.redoable, "what happens after an undo ends what could be done again"
    assert again(table, tmp_path).game.events == table.state.game.events


def test_undo_after_a_restart_goes_on(table: LiveGame, tmp_path: Path) -> None:
    send_commands(table, *PLAYS, "undo")
    journal_of(table).close()
    other = open_table(tmp_path, clock_s=60.0)
    assert (other.state.undoable, other.state.redoable) == (True, True)
    assert send_commands(other, "redo").state.game.totals == (28, 15)
    journal_of(other).close()


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        (["undo"], "nothing is there to undo"),
        (["redo"], "nothing is there to redo"),
        (["undo 3"], "write undo alone"),
    ],
)
def test_what_cannot_be_undone_is_refused(table: LiveGame, commands: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        send_commands(table, *commands)
    assert table.state.sequence == 0


def test_a_command_for_an_earlier_state_is_refused(table: LiveGame) -> None:
    send_commands(table, PLAYS[0])
    with pytest.raises(StaleCommandError, match="moved on"):
        table.apply_command(Command(verb=Verb.UNDO), sequence=0)
    send_commands(table, "rack Anna A", "title The final")
    state, _ = table.apply_command(Command(verb=Verb.UNDO), sequence=1)
    assert state.game.events == (), "the game is as it was then"
    with pytest.raises(StaleCommandError, match="moved on"):
        table.apply_command(Command(verb=Verb.REDO), sequence=99)


def test_the_running_clock_goes_over_with_the_turn_and_stops_at_the_end(tmp_path: Path) -> None:
    now = [0.0]
    table = open_table(tmp_path, clock_s=60.0, now=lambda: now[0])
    send_commands(table, "start")
    now[0] = 10.0
    send_commands(table, PLAYS[0])
    now[0] = 15.0
    clocks = table.state.clocks(now[0])
    assert clocks is not None
    assert (clocks.left_s, clocks.running) == ((50.0, 55.0), 1)
    send_commands(table, "title of no consequence", "pass", "pass", "pass", "pass")
    clocks = table.state.clocks(100.0)
    assert clocks is not None
    assert clocks.running is None, "everybody passed twice: the game is over"
    journal_of(table).close()


SETTLED = ("play 8D HRAKI", "end Anna=A Jón=")
PASSED = ("play 8D HRAKI", *["pass"] * 4)


@pytest.mark.parametrize(
    ("ended", "reopened", "running"),
    [
        (SETTLED, ("undo",), 1),
        (SETTLED, ("challenge", "delete 2"), 1),
        (SETTLED, ("withdraw", "delete 2"), 0),
        (PASSED, ("undo",), 0),
        (PASSED, ("time Anna 0:30", "undo"), 0),
        (PASSED, ("undo", "undo", "redo"), 0),
        (PASSED, ("undo", "stop", "pass", "undo"), None),
        (("stop", *SETTLED), ("undo",), None),
    ],
)
@pytest.mark.parametrize("is_restarted", [False, True])
def test_clocks_that_the_end_stopped_run_again_if_the_game_goes_on(
    tmp_path: Path, ended: tuple[str, ...], reopened: tuple[str, ...], running: int | None, is_restarted: bool
) -> None:
    now = [100.0]
    table = open_table(tmp_path, clock_s=60.0, now=lambda: now[0])
    send_commands(table, "start Anna", *ended)
    now[0] = 150.0
    if is_restarted:
        table.close()
        table = open_table(tmp_path, clock_s=60.0, now=lambda: now[0])
    send_commands(table, *reopened)
    clocks = table.state.clocks(now[0])
    assert clocks is not None
    assert clocks.running == running
    assert min(clocks.left_s) >= 30.0, "no time is taken off while the game was over"
    table.close()


def test_a_step_of_the_computers_clock_takes_nothing_off_a_running_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steady_s, step_s = [500.0], [0.0]
    monkeypatch.setattr("tilesight.live.clocks.steady_s", lambda: steady_s[0])
    monkeypatch.setattr(time, "time", lambda: 1e9 + steady_s[0] + step_s[0])
    table = open_table(tmp_path, clock_s=60.0, now=time.time)

    def left_s() -> tuple[float, ...]:
        clocks = table.state.clocks(time.time())
        assert clocks is not None
        return clocks.left_s

    send_commands(table, "start")
    steady_s[0] += 10
    assert left_s() == (50.0, 60.0)
    for step in (7200.0, -3600.0):
        step_s[0] = step
        assert left_s() == (50.0, 60.0)
    steady_s[0] += 5
    send_commands(table, PLAYS[0])
    steady_s[0] += 5
    assert left_s() == (45.0, 55.0)
    journal_of(table).close()
    table = open_table(tmp_path, clock_s=60.0, now=time.time)  # started again: the clock ran on
    steady_s[0] += 5
    assert left_s() == (45.0, 50.0)
    journal_of(table).close()


def test_the_clocks_run_on_while_the_computer_sleeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    awake_s, boot_s = [500.0], [500.0]
    monkeypatch.setattr(time, "CLOCK_BOOTTIME", 7, raising=False)
    monkeypatch.setattr(time, "clock_gettime", lambda _: boot_s[0], raising=False)
    monkeypatch.setattr(time, "monotonic", lambda: awake_s[0])
    monkeypatch.setattr(time, "time", lambda: 1e9 + boot_s[0])
    table = open_table(tmp_path, clock_s=3600.0, now=time.time)
    send_commands(table, "start")
    boot_s[0] += 600.0  # asleep: only the clock of the computer and the time since its boot run on
    for _ in range(2):
        clocks = table.state.clocks(time.time())
        assert clocks is not None
        assert clocks.left_s == (3000.0, 3600.0)
        journal_of(table).close()
        table = open_table(tmp_path, clock_s=3600.0, now=time.time)  # the same after a restart
    journal_of(table).close()
    monkeypatch.delattr(time, "CLOCK_BOOTTIME")  # as on a Mac
    assert steady_s() == awake_s[0]


def test_listeners_hear_every_state_in_order(table: LiveGame) -> None:
    heard: list[int] = []
    table.add_listener(lambda state: heard.append(state.sequence))
    send_commands(table, *PLAYS, "pass")
    assert heard == [1, 2, 3]


def test_what_was_missed_can_be_told_again(table: LiveGame) -> None:
    send_commands(table, *PLAYS, "rack Anna A")
    state, missed = table.events_after(1)
    assert state.sequence == 3
    assert [(number, [event["event"] for event in events]) for number, events in missed] == [
        (2, ["play"]),
        (3, ["rack"]),
    ]


# The camera


class Script:
    """A tracker that gives prepared updates, frame by frame."""

    def __init__(self, table: LiveGame) -> None:
        self.table, self.applied, self.locked = table, [], []  # type: ignore[var-annotated]
        self.state, self.reference = "the board rests", None
        self.grid: Grid | None = None
        self.is_mirrored = False
        self.difference = None
        self.next: list[UpdateBatch | None] = []

    def see(self, frame: Frame) -> UpdateBatch | None:
        return self.next.pop(0) if self.next else None

    def interrupt(self, interruption: Interruption) -> UpdateBatch:
        kind = NoticeKind.RETURNED if interruption.over else NoticeKind.INTERRUPTED
        notice = Notice(kind, interruption.message)
        return UpdateBatch(source="camera", index=1, game=self.table.state.game, notices=(notice,))

    def finish(self) -> None:
        return None

    def apply_external(self, updates: tuple[GameUpdate, ...]) -> None:
        self.applied += [update.game for update in updates[-1:]]

    def lock_squares(self, squares: list[tuple[int, int]]) -> None:
        self.locked = list(squares)

    def expect_removal(self, tiles: tuple[Any, ...]) -> None:
        self.removed_by_user = tuple(tiles)


def frame(number: int = 0) -> Frame:
    return Frame(
        image_bgr=np.full((60, 80, 3), 90, np.uint8), source="camera", index=number, time_s=number / 10
    )


def batch_of(table: LiveGame, play: str, view: BoardObservation | None = None) -> UpdateBatch:
    from scoring import parse_play

    game = table.state.game
    game = game.with_play(parse_play(play, game.edition.tokens, game.board))
    update = GameUpdate(kind=UpdateKind.PLAY, game=game, step=game.steps[-1], confidence=0.7)
    return UpdateBatch(source="camera", index=3, game=game, updates=(update,), observation=view, time_s=0.3)


def observation_of(table: LiveGame, square: tuple[int, int], token: str, other: str) -> BoardObservation:
    board = table.state.game.board
    decoded = DecodedBoard(
        board=board,
        confidence=np.ones(board.size),
        alternatives={square: (Candidate(token, 0.6), Candidate(other, 0.3), Candidate(".", 0.001))},
        doubts=(),
    )
    nothing: Any = None
    rectified = RectifiedBoard(
        image_bgr=np.zeros((15 * 8, 15 * 8, 3), np.uint8), rows=15, columns=15, cell_px=8, margin_px=0
    )
    grid = Grid.from_corners([[0, 0], [59, 0], [59, 59], [0, 59]], 15, 15)
    return BoardObservation(
        frame=frame(), grid=grid, get_rectified=lambda: rectified, probabilities=nothing, decoded=decoded
    )


def test_a_play_that_is_seen_is_told_with_its_doubts(table: LiveGame, tmp_path: Path) -> None:
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


def test_racks_that_a_camera_reads_are_told_once(table: LiveGame) -> None:
    for tiles in (("A", "B"), ("A", "B"), ("A",)):
        table.record_rack(0, tiles)
    assert [event["tiles"] for event in journal_of(table).events] == [["A", "B"], ["A"]]


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


# What follows a source


class FakeSource:
    """A source whose frames are given; an error is raised in its turn."""

    name = "fake"

    def __init__(self, items: list[Any], live: bool = True) -> None:
        self.items, self.live = items, live

    def fingerprint(self, file: str) -> str:
        return ""

    def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
        return -1 if self.live else index

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        for item in self.items:
            if isinstance(item, Exception):
                raise item
            yield item


class NoReader:
    cell_px, margin_px = 32, 8


def no_context(profile: Profile | None = None) -> GameContext:
    reader: Any = NoReader()
    return GameContext(edition=load_edition("icelandic"), recognizer=reader, profile=profile)


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
    table._state = replace(table.state, last_board=LAST)
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


def test_a_film_of_which_the_journal_knows_nothing_is_told(table: LiveGame) -> None:
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


def test_racks_are_told_when_two_looks_agree(table: LiveGame, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_racks_in_the_tables_own_picture_are_looked_at_and_failures_are_told(
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


# Settings


def written(folder: Path, text: str) -> Path:
    path = folder / "tables.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_edition_file_with_rules_is_found_in_the_folder_of_the_tables(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('base = "icelandic"')
    path = written(tmp_path, '[table.final]\nedition = "mine.toml+tournament"')
    assert load_tables(path)[0].edition == f"{tmp_path / 'mine.toml'}+tournament"


def test_tables_are_read_from_a_file(tmp_path: Path) -> None:
    text = """
    [table.final]
    source = "0"
    edition = "icelandic"
    players = ["Anna", "Jón"]
    journal = "final.db"
    clock = "25:00"
    title = "The final"
    corners = "1,2 9,2 9,9 1,9"
    fps = 10
    paced = false
    rack-source = "rtsp://camera/racks"
    racks = ["1,2 9,2 9,3 1,3", ""]
    rack-delay = 30
    [table.third-place]
    source = "film.mp4"
    """
    final, third = load_tables(written(tmp_path, text))
    assert final == GameSettings(
        name="final",
        source="0",
        edition="icelandic",
        players=("Anna", "Jón"),
        journal=tmp_path / "final.db",
        clock_s=1500,
        title="The final",
        corners_px=((1, 2), (9, 2), (9, 9), (1, 9)),
        fps=10,
        paced=False,
        rack_source="rtsp://camera/racks",
        racks_px=(((1, 2), (9, 2), (9, 3), (1, 3)), None),
        rack_delay_s=30,
    )
    assert third.source == str(tmp_path / "film.mp4")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[table.a]\nplayrs = []", "line 2: unknown key table.a.playrs; did you mean players"),
        ("[table.a]\nfps = 'fast'", "line 2: table.a.fps is 'fast'"),
        ("[tables.a]", "unknown key tables; did you mean table"),
        ("[table", "not valid TOML"),
        (
            '[table.a]\nsource = "C:\\Users\\anna\\film.mp4"',
            "line 2: .*; write paths with / or in single quotes",
        ),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataFileError, match=message):
        load_tables(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names 0 tables"),
        ("[table.Final]", "small letters"),
        ('[table."a/b"]', "small letters"),
        ("[table.lpt1]", "small letters"),
        ("[table.a]\nfps = 0", "0.1 to 1000"),
        ("[table.a]\nrack-delay = -1", "0 to 3600"),
        ("[table.a]\nlanguage = 'xx'", f"language is xx; choose one of {', '.join(LANGUAGES)}"),
        ("[table.a]\nmagpie-lexicon = 'A -b'", "write MAGPIE's name"),
        ("[table.a]\ncorners = '1,2'", "table a: corners"),
        ("[table.a]\nracks = ['']", "1 places for 2 players"),
        ("[table.a]\nclock = 'slow'", "no time left"),
        ("[table.a]\nclock = '-1:00'", "table a: its clock starts in overtime"),
        ('[table.a]\ntitle = "a\\u0007b"', "printable"),
        ('[table.a]\nplayers = ["' + "x" * 80 + '"]', "has 80 characters; write at most 60"),
        ('[table.a]\nplayers = ["J\u202en"]', "with characters that cannot be shown"),
        ('[table.a]\nplayers = ["\u200d"]', "with characters that cannot be shown"),
        ("[table.a]\nplayers = ['anna', 'Anna']", "table a: two players have one name in anna, Anna"),
        (
            "[table.a]\njournal = 'a.db'\n[table.c]\n[table.b]\njournal = 'x/../a.db'",
            "table b: its journal is that of table a; name another file",
        ),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load_tables(written(tmp_path, text))


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_tables(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        load_tables(tmp_path / "bad.toml")


# Fields as files


def test_fields_are_written_to_files_and_follow(table: LiveGame, tmp_path: Path) -> None:
    notes: list[str] = []
    with FieldFiles(tmp_path / "obs", [table], notes.append):
        place = tmp_path / "obs" / "final"
        assert (place / "last_play.txt").read_text() == "LAST PLAY: (no play yet)"
        send_commands(table, PLAYS[0])
        wait_until(lambda: (place / "score.txt").read_text() == " 28 - 0  ")
    assert not [path for path in place.iterdir() if path.suffix != ".txt"], "nothing half written is left"
    assert notes == []


def test_fields_of_one_table_that_cannot_be_written_do_not_stop_those_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    one, two = open_table(tmp_path, "one"), open_table(tmp_path, "two")
    first, second = tmp_path / "obs" / "one", tmp_path / "obs" / "two" / "score.txt"
    is_full = False

    def write(path: Path, data: bytes) -> None:
        if is_full and path.parent == first:
            raise InputError("the disk is full")
        write_file(path, data)

    monkeypatch.setattr("tilesight.live.fields.write_file", write)
    with FieldFiles(tmp_path / "obs", [one, two], notes.append):
        for count in (1, 2):
            is_full = True
            first.rename(tmp_path / f"away-{count}")
            wait_until(lambda count=count: len(notes) == count)
            send_commands(two, PLAYS[0])
            wait_until(lambda: second.read_text() == " 28 - 0  ")
            send_commands(two, "undo")
            wait_until(lambda: second.read_text() == "  0 - 0  ")
            is_full = False
            wait_until(lambda: len(list(first.glob("*.txt"))) == len(FIELDS))
    assert notes == ["the disk is full"] * 2
    one.close()
    two.close()


def test_a_place_for_fields_that_cannot_be_made_is_refused(table: LiveGame, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="name another folder"):
        FieldFiles(tmp_path / "file", [table], pytest.fail)


def test_two_threads_may_change_one_table(table: LiveGame) -> None:
    send_commands(table, PLAYS[0])

    def titles(name: str) -> None:
        for number in range(20):
            table.apply_command(parse_command(f"title {name} {number}"))

    threads = [threading.Thread(target=titles, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert table.state.sequence == 41
    assert isinstance(table.journal, Journal)
    assert journal_of(table).game(load_edition("icelandic")).totals == (28, 0)


@pytest.mark.parametrize(
    ("players", "rule", "command", "shown"),
    [
        ("Anna,Jón", "challenge-10", "challenge lost", (True, 1, 10)),
        ("Anna,Jón", "challenge-double", "challenge lost Jón", (True, 1, 0)),
        ("Anna", "challenge-10", "challenge lost", (True, None, 0)),
        ("Anna,Jón", "challenge-10", "challenge", (False, 1, 0)),
    ],
)
def test_a_challenge_names_its_ruling_and_what_the_challenger_loses(
    tmp_path: Path, players: str, rule: str, command: str, shown: tuple[bool, int | None, int]
) -> None:
    table = open_table(tmp_path, edition=f"english+{rule}", players=players.split(","))
    send_commands(table, "play 8G HORN", command)
    move = serialize_for_viewers(table.state, 0.0).moves[1]
    assert (move.valid, move.challenger, move.lost) == shown
    journal_of(table).close()


def test_viewers_hear_how_many_tiles_were_exchanged_while_racks_are_delayed(tmp_path: Path) -> None:
    for delay_s, shown in ((0.0, "AÐR"), (600.0, "3")):
        table = open_table(tmp_path, f"delayed-{delay_s:.0f}", rack_delay_s=delay_s)
        state = send_commands(table, PLAYS[0], "exchange AÐR").state
        assert format_field("last_play", state, 0.0) == f"LAST PLAY: Jón exch {shown} 0 0"
        assert serialize_for_viewers(state, 0.0).moves[1].text == f"Jón exch {shown} 0 0"
        assert serialize_for_operator(state, 0.0).moves[1].text == "Jón exch AÐR 0 0"
        assert ("AÐR" in format_gcg(state.shown_game)) == (not delay_s)
        journal_of(table).close()


def test_a_renamed_player_has_the_new_name_everywhere_and_after_a_restart(
    table: LiveGame, tmp_path: Path
) -> None:
    send_commands(table, "rack Anna ABÐ", *PLAYS, "name Anna Anna Lind", "name jón Jón Á.", "pass", "undo")
    (renamed, _) = [event for event in journal_of(table).events if event["event"] == "renamed"]
    assert (renamed["player"], renamed["was"], renamed["now"]) == ("Anna Lind", "Anna", "Anna Lind")
    for state in (table.state, again(table, tmp_path)):
        assert state.game.players == ("Anna Lind", "Jón Á.")
        assert (state.title, len(state.game.events)) == ("Anna Lind – Jón Á.", 2)
        assert "#player1 Anna_Lind Anna Lind" in format_gcg(state.game)
        assert [player.name for player in serialize_for_viewers(state, 1000.0).players] == [
            "Anna Lind",
            "Jón Á.",
        ]
        assert format_field("p2_name", state, 1000.0) == "Jón Á."
        assert state.operator == table.state.operator


@pytest.mark.parametrize("name", ["علی\u200cرضا", "👩\u200d🚀"])
def test_a_name_may_have_signs_that_join_letters_or_emoji(table: LiveGame, name: str) -> None:
    assert GameSettings(name="a", players=(name, "Ben"), title=name).players[0] == name
    send_commands(table, f"name Anna {name}", f"title {name}")
    assert table.state.game.players == (name, "Jón")


def test_undo_and_redo_leave_a_new_name_as_it_is(table: LiveGame) -> None:
    send_commands(table, *PLAYS, "undo", "name Anna Eva", "redo", "undo", "undo", "redo")
    assert (table.state.game.players, len(table.state.game.events)) == (("Eva", "Jón"), 1)


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("name Anna jón", "jón is the name of another player"),
        ("name Anna", "a player's name is empty"),
        ("name Eva Anna", "'Eva' does not play"),
        (f"name Anna {'x' * 61}", "name: a player's name has 61 characters; write at most 60"),
        ("name Anna Lind, Anna", "cannot have a comma"),
        ("name Anna J\u202en", "with characters that cannot be shown"),
    ],
)
def test_a_name_that_cannot_be_a_players_is_refused(table: LiveGame, command: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        send_commands(table, command)
    assert table.state.game.players == ("Anna", "Jón")
