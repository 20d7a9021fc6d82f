"""The journal: what is recorded comes back, whatever happens to the program or the file."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import signal
import sqlite3
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoring import (
    Board,
    ChallengeEvent,
    ClockPenalty,
    DataFileError,
    EndBonus,
    EndRack,
    Event,
    ExchangeEvent,
    Game,
    NoPlayEvent,
    PassEvent,
    Placement,
    PlayEvent,
    WithdrawnEvent,
    load_edition,
    parse_play,
)
from tilesight.live import open_game
from tilesight.live.journal import SCHEMA, FrameRef, Journal, read_entries
from tilesight.live.serialization import event_from_record, event_to_record
from tilesight.live.tournament.archive import load_archive
from vision.errors import InputError, SettingsError
from vision.game_events import parse_command

EDITION = load_edition("icelandic")
PLAY = parse_play("8D HRAKI", EDITION.tokens)
NEW: dict[str, Any] = {"edition": "icelandic", "players": ("Anna", "Jón")}


def new_game() -> Game:
    return Game(edition=EDITION, players=("Anna", "Jón"))


@pytest.mark.parametrize(
    "event",
    [
        PlayEvent(player=1, play=PLAY, note="two\nlines"),
        PlayEvent(player=0, play=PLAY, rack=("H", "R", "?")),
        PassEvent(player=0),
        ExchangeEvent(player=0, count=3),
        ExchangeEvent(player=1, tiles=("A", "B")),
        NoPlayEvent(player=1),
        WithdrawnEvent(player=0, turn_lost=False),
        ChallengeEvent(player=0, challenger=1, upheld=False),
        ClockPenalty(player=1, points=10),
        EndRack(player=0, tiles=("A",), gained=True),
        EndBonus(player=1, points=5),
    ],
)
def test_an_event_survives_json(event: Event) -> None:
    assert event_from_record(json.loads(json.dumps(event_to_record(event)))) == event


@pytest.mark.parametrize(
    "record", [{}, {"kind": "dance"}, {"kind": "play", "play": [[1]]}, {"kind": "pass", "x": 1}]
)
def test_the_record_of_no_event_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no event's record"):
        event_from_record(record)


def test_a_game_is_found_again_as_it_stood(tmp_path: Path) -> None:
    first = new_game().with_play(PLAY)
    second = first.with_pass()
    rewritten = second.with_correction(0, PlayEvent(player=0, play=parse_play("8D HRAKA", EDITION.tokens)))
    with Journal.open(tmp_path / "game.db", **NEW, source="film.mp4") as journal:
        journal.record(new_game(), first, [{"event": "play"}], FrameRef(frame=12, time_s=0.4), b"png")
        journal.record(first, second, [{"event": "pass"}])
        journal.record(second, rewritten, [{"event": "correction"}], FrameRef(frame=90, time_s=3.0))
        again = journal.game(EDITION)
    assert again.events == rewritten.events
    with Journal.open(tmp_path / "game.db", edition="english", players=("X",)) as journal:
        assert (journal.edition, journal.players, journal.source) == (
            "icelandic",
            ("Anna", "Jón"),
            "film.mp4",
        )
        assert journal.game(EDITION).events == rewritten.events
        assert journal.game(EDITION).totals == rewritten.totals
        assert journal.last_frame_ref == FrameRef(frame=90, time_s=3.0)
        assert journal.entries == 3
        assert [event["event"] for event in journal.events] == ["play", "pass", "correction"]
        assert journal.thumbnail == b"png"


def test_the_journal_of_an_older_program_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    connection = sqlite3.connect(path)
    connection.executescript(FIRST_SCHEMA)
    events = json.dumps([event_to_record(event) for event in new_game().with_play(PLAY).events])
    told = json.dumps([{"event": "play", "source": "turn-01.jpg"}])
    for kept, added, announced in ((0, events, told), (1, "[]", '[{"event": "title"}]')):
        connection.execute(
            "INSERT INTO entry (kept, events, announced, frame, time_s) VALUES (?, ?, ?, 3, 0.5)",
            (kept, added, announced),
        )
    connection.commit()
    connection.close()
    old = FrameRef(frame=3, time_s=0.5, file="turn-01.jpg")
    new = FrameRef(frame=0, file="turn-02.jpg", fingerprint="c0ffee")
    for _ in range(2):  # it is made a new one once
        with Journal.open(path, **NEW) as journal:
            game = journal.game(EDITION)
            assert game.board == new_game().with_play(PLAY).board
            assert journal.frame_refs[-2:] == (old, old)
            journal.record(game, game.with_pass(), [{"event": "pass"}], new)
            assert journal.last_frame_ref == new
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA
    connection.close()


def test_the_file_of_the_last_look_is_known(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "game.db", **NEW) as journal:
        game = new_game().with_play(PLAY)
        seen = [{"event": "play", "source": "first.mp4"}]
        place = FrameRef(frame=12, time_s=0.4, file="first.mp4", fingerprint="c0ffee")
        journal.record(new_game(), game, seen, place)
        journal.record(game, game.with_pass(), [{"event": "pass", "source": ""}])
        assert journal.last_frame_ref == place


def test_the_frame_of_the_last_entry_is_found_without_reading_the_others(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "game.db", **NEW) as journal:
        game, place = new_game(), FrameRef(frame=12, time_s=0.4, file="camera 0")
        steps: list[int] = []
        for ref, count in ((None, 60), (place, 60)):  # before a camera, and with it
            for _ in range(count):
                journal.record(game, game, [{"event": "title"}], ref)
            steps.clear()
            journal._connection.set_progress_handler(lambda: steps.append(1), 100)
            assert journal.last_frame_ref == (ref or FrameRef())
            journal._connection.set_progress_handler(None, 0)
            assert len(steps) < 3


def test_a_board_that_was_not_empty_is_kept_and_can_be_undone(tmp_path: Path) -> None:
    start = Board.empty(EDITION.layout).with_tiles(
        [Placement(row=7, column=7 + n, token=t) for n, t in enumerate("OG")]
    )
    begun = Game(edition=EDITION, players=("Anna", "Jón"), start=start)
    with Journal.open(tmp_path / "game.db", **NEW) as journal:
        journal.record(new_game(), begun, [])
        assert journal.game(EDITION).board == start
        journal.record(begun, new_game(), [{"event": "undone"}])
        assert journal.game(EDITION).board.is_empty
        journal.record(new_game(), begun, [{"event": "redone"}])
        assert journal.game(EDITION).board == start
        played = begun.with_pass()
        corrected = replace(
            played, start=start.without([(7, 7)]).with_tiles([Placement(row=7, column=7, token="Á")])
        )
        journal.record(begun, played, [])
        journal.record(played, corrected, [])
        assert journal.game(EDITION) == corrected


def test_a_new_journal_stands_at_the_beginning(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "game.db", **NEW) as journal:
        assert (journal.entries, journal.last_frame_ref, journal.thumbnail) == (0, FrameRef(), b"")
        assert journal.game(EDITION) == new_game()


def test_two_programs_cannot_write_one_journal(tmp_path: Path) -> None:
    with (
        Journal.open(tmp_path / "game.db", **NEW),
        pytest.raises(InputError, match="another program writes this journal"),
    ):
        Journal.open(tmp_path / "game.db", **NEW)
    Journal.open(tmp_path / "game.db", **NEW).close()


def test_two_names_of_a_journal_are_one_journal(tmp_path: Path) -> None:
    (tmp_path / "other.db").symlink_to("game.db")
    with (
        Journal.open(tmp_path / "other.db", **NEW),
        pytest.raises(InputError, match="another program writes this journal"),
    ):
        Journal.open(tmp_path / "game.db", **NEW)


def test_a_lock_of_the_whole_file_leaves_sqlite_its_own_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lock_as_on_macos(file: int, operation: int) -> None:
        # A lock of an open file is at odds with SQLite's, as all locks are on macOS.
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))

    monkeypatch.setattr(fcntl, "flock", lock_as_on_macos)
    with Journal.open(tmp_path / "game.db", **NEW) as journal:
        journal.record(new_game(), new_game().with_pass(), [{"event": "pass"}])
        with pytest.raises(InputError, match="another program writes this journal"):
            Journal.open(tmp_path / "game.db", **NEW)


def test_a_lock_is_of_the_file_that_the_next_program_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, flock = Journal.open(tmp_path / "game.db", **NEW), fcntl.flock

    def close_first_and_lock(file: int, operation: int) -> None:
        first.close()
        flock(file, operation)

    monkeypatch.setattr(fcntl, "flock", close_first_and_lock)
    with (
        Journal.open(tmp_path / "game.db", **NEW),
        pytest.raises(InputError, match="another program writes this journal"),
    ):
        Journal.open(tmp_path / "game.db", **NEW)
    assert [each.name for each in tmp_path.iterdir()] == ["game.db"], "the lock leaves no file"


def test_a_program_that_was_killed_leaves_no_lock(tmp_path: Path) -> None:
    (tmp_path / "game.db-lock").touch()
    Journal.open(tmp_path / "game.db", **NEW).close()
    assert [each.name for each in tmp_path.iterdir()] == ["game.db"]


def test_a_newer_schema_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    Journal.open(path, **NEW).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version={SCHEMA + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(SettingsError, match="use the newer program"):
        Journal.open(path, **NEW)
    assert path.read_bytes() == before


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    text, other = tmp_path / "notes.txt", tmp_path / "other.db"
    text.write_text("not a database at all\n" * 50)
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE things (name TEXT)")
    connection.close()
    for path, message in ((text, "no journal"), (other, "no journal"), (tmp_path, "a folder")):
        before = path.read_bytes() if path.is_file() else b""
        with pytest.raises(InputError, match=message):
            Journal.open(path, **NEW)
        assert (path.read_bytes() if path.is_file() else b"") == before
    with pytest.raises(InputError, match="choose another place"):
        Journal.open(tmp_path / "missing" / "game.db", **NEW)


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("UPDATE entry SET events = ?", "nonsense"),
        ("UPDATE entry SET events = ?", "5"),
        ("UPDATE entry SET events = ?", '[{"kind": "play", "play": [[7, 3, 5]], "player": 0}]'),
        ("UPDATE entry SET events = ?", "[" * 5000),
        ("UPDATE entry SET announced = ?", "5"),
        ("UPDATE entry SET announced = ?, file = ''", "[3]"),
        ("UPDATE entry SET kept = ?", "x"),
        ("UPDATE entry SET frame = ?", "x"),
        ("UPDATE entry SET start = ?", "5"),
        ("UPDATE game SET players = ?", "[1]"),
        ("UPDATE game SET players = ?", "{"),
        ("UPDATE game SET edition = ?", b"\xff"),
        ("UPDATE game SET source = cast(? AS TEXT)", b"\xff"),
    ],
)
def test_content_that_is_none_of_a_journal_is_damage(tmp_path: Path, change: str, value: object) -> None:
    path = tmp_path / "game.db"
    with Journal.open(path, **NEW) as journal:
        journal.record(new_game(), new_game().with_play(PLAY), [{"event": "play"}])
    with sqlite3.connect(path) as connection:
        connection.execute(change, (value,))
    connection.close()
    with pytest.raises(InputError, match=r"damaged|no journal of a game"):
        read_all(path)


@pytest.mark.parametrize("players", [None, ("Anna", "Jón")])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET announced = '[{}]'",
        'UPDATE entry SET announced = \'[{"event": "play"}]\'',
        """UPDATE game SET players = '["Anna", "Jon"]'""",
    ],
)
def test_a_game_whose_published_events_are_damaged_is_not_resumed(
    tmp_path: Path, change: str, players: tuple[str, ...] | None
) -> None:
    path = tmp_path / "game.db"
    with open_game("game", path, edition="icelandic", players=("Anna", "Jón")) as game:
        game.apply_command(parse_command("pass"))
        game.apply_command(parse_command("play 8D HRAKI"))
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises((InputError, SettingsError), match=r"journal is damaged|journal of another game"):
        open_game("game", path, players=players)


def test_an_archived_game_whose_published_events_are_damaged_is_reported(tmp_path: Path) -> None:
    path, lines = tmp_path / "game.db", list[str]()
    with Journal.open(path, **NEW) as journal:
        journal.record(new_game(), new_game().with_play(PLAY), [{}])
    assert load_archive(tmp_path, lines.append, 0.0) == []
    assert lines == [f"{path}: the journal is damaged ('event'); restore a copy of it, or name another file"]


def test_the_message_about_a_journal_that_is_only_read_names_it(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    with Journal.open(path, **NEW) as journal:
        journal.record(new_game(), new_game().with_play(PLAY), [{"event": "play"}])
    for change in ("UPDATE entry SET events = '5'", f"PRAGMA user_version={SCHEMA + 1}"):
        with sqlite3.connect(path) as connection:
            connection.execute(change)
        connection.close()
        with pytest.raises((InputError, SettingsError), match=f"^{path}: the journal"):
            read_entries(path)


def test_a_journal_that_is_only_read_needs_no_folder_that_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    with Journal.open(path, **NEW) as journal:
        journal.record(new_game(), new_game().with_play(PLAY), [{"event": "play"}])
    before = sorted(tmp_path.iterdir())
    assert read_entries(path)[-1].game.totals == (28, 0)
    assert load_archive(tmp_path, lambda _: None, 0.0) == []
    assert sorted(tmp_path.iterdir()) == before
    (tmp_path / "game.db-wal").mkdir()
    with pytest.raises(InputError, match=r"the journal cannot be read \(.*\); copy it, and the file"):
        read_entries(path)


def read_all(path: Path) -> None:
    """Read everything that a journal keeps."""
    with Journal.open(path, **NEW) as journal:
        assert journal.frame_refs
        assert journal.events
        assert journal.history(EDITION)
    read_entries(path)


def test_a_journal_of_another_edition_is_not_scored(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "game.db", **NEW) as journal:
        journal.record(new_game(), new_game().with_pass(rack=("Ð",)), [])
        with pytest.raises(InputError, match="does not fit the edition"):
            journal.game(load_edition("english"))


def test_a_game_goes_on_whose_edition_file_has_the_name_of_a_shipped_one(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('base = "english"\n[tiles]\nQ = { count = 1, value = 20 }\n', encoding="utf-8")
    path, named = tmp_path / "game.db", own.with_name("english.toml")
    with Journal.open(path, edition=str(own), players=("A", "B")) as journal:
        game = Game(load_edition(own), ("A", "B"))
        journal.record(game, game.with_play("8F CAT"), [])
        journal._connection.execute("UPDATE game SET edition = ?", (str(own.rename(named)),))
        journal._connection.commit()
    assert read_entries(path)[-1].game.edition.values["Q"] == 20
    with open_game("table", path) as live:
        assert live.state.game.edition.values["Q"] == 20
    with pytest.raises(DataFileError, match="rename the file"):
        open_game("table", tmp_path / "new.db", edition=str(named))


def test_a_full_disk_leaves_the_journal_as_it_was(tmp_path: Path) -> None:
    first = new_game().with_play(PLAY)
    with Journal.open(tmp_path / "game.db", **NEW) as journal:
        journal.record(new_game(), first, [{"event": "play"}])
        pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(InputError, match="make room"):
            journal.record(first, first.with_pass(note="x" * 100_000), [{"event": "pass"}])
        assert journal.game(EDITION).events == first.events
    with Journal.open(tmp_path / "game.db", **NEW) as journal:
        assert journal.game(EDITION).events == first.events


@pytest.mark.parametrize("is_possible", [True, False])
def test_a_journal_whose_folder_cannot_be_synced_loses_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_possible: bool
) -> None:
    path, played = tmp_path / "game.db", new_game().with_play(PLAY)

    def fail(handle: int) -> None:
        raise OSError(errno.EIO if is_possible else errno.EINVAL, "of the drive")

    with Journal.open(path, **NEW) as journal:
        journal.record(new_game(), played, [{"event": "play"}])
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            refusal = pytest.raises(InputError, match="of the drive")
            with refusal if is_possible else contextlib.nullcontext():
                journal.archive(tmp_path / "old" / "1.db", **NEW)
        assert journal.game(EDITION).events == (played.events if is_possible else ())
    (kept,) = [path] if is_possible else (tmp_path / "old").iterdir()
    assert read_entries(kept)[-1].game.events == played.events


FIRST_SCHEMA = """
CREATE TABLE game (edition TEXT NOT NULL, players TEXT NOT NULL, source TEXT NOT NULL);
CREATE TABLE entry (
    number INTEGER PRIMARY KEY,
    kept INTEGER NOT NULL,
    events TEXT NOT NULL,
    start TEXT,
    announced TEXT NOT NULL,
    frame INTEGER NOT NULL,
    time_s REAL NOT NULL
);
CREATE TABLE view (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), png BLOB NOT NULL);
INSERT INTO game VALUES ('icelandic', '["Anna", "Jón"]', 'photos');
PRAGMA application_id=1414743892;
PRAGMA user_version=1;
"""
WRITER = """
import sys
from pathlib import Path
from scoring import load_edition
from scoring import Game
from tilesight.live.journal import FrameRef, Journal
edition = load_edition("icelandic")
with Journal.open(Path(sys.argv[1]), edition="icelandic", players=("Anna", "Jón")) as journal:
    game = journal.game(edition)
    while True:
        after = game.with_pass(note=str(len(game.events)))
        journal.record(game, after, [{"number": len(game.events)}], FrameRef(frame=len(game.events)))
        print(len(game.events), flush=True)
        game = after
"""


@pytest.mark.parametrize("after", [1, 3, 8])
def test_a_killed_writer_loses_nothing_that_was_reported(tmp_path: Path, checkout: Path, after: int) -> None:
    path = tmp_path / "game.db"
    said = -1
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True, cwd=checkout
        ) as writer:
            assert writer.stdout is not None
            for _ in range(after):
                said = int(writer.stdout.readline())
            os.kill(writer.pid, signal.SIGKILL)
        with Journal.open(path, **NEW) as journal:
            game = journal.game(EDITION)
            assert len(game.events) > said
            assert [event.note for event in game.events] == [str(n) for n in range(len(game.events))]
            assert [event["number"] for event in journal.events] == list(range(len(game.events)))
