"""When each move happened: subtitles, a table and chapter marks, from the journal."""

from __future__ import annotations

import csv
import io
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from scoring import parse_play
from tests.unit.tilesight.live.tournament.conftest import Hall
from tilesight.live import TIMELINE_FORMATS, LiveGame, check_recording, read_entries, read_timeline
from tilesight.live.journal import FrameRef
from tilesight.live.tournament.timeline import TimedMoment, Timeline, format_chapters
from vision.errors import InputError, SettingsError

MOVES = ("play 8D HRAKIAÐ", "challenge", "play 8D HRAKI", "play I8 ÖXI", "letter I9 x")


@pytest.fixture
def game(hall: Hall) -> LiveGame:
    return hall.play(hall.open(hall.start()), *MOVES)


def read(game: LiveGame, begin_s: float | None) -> Timeline:
    assert game.journal is not None
    return read_timeline(read_entries(game.journal.path), begin_s)


def test_subtitles_begin_with_their_moves_and_never_overlap(game: LiveGame, hall: Hall) -> None:
    text = TIMELINE_FORMATS["srt"]([read(game, hall.now_s - 5 * 60)])
    cues = [cue.split("\n") for cue in text.strip().split("\n\n")]
    assert [cue[0] for cue in cues] == ["1", "2", "3", "4"]
    assert cues[0][1] == "00:01:00,000 --> 00:01:06,000"
    assert cues[0][2].startswith("Anna 8D HRAKIAÐ ")
    assert cues[1][1:] == ["00:02:00,000 --> 00:02:06,000", "Anna CHALLENGED OFF HRAKIAÐ"]
    close = Timeline(game=game.state.game, moves=read(game, hall.now_s - 300).moves[:1] * 2, marks=())
    assert "00:01:00,000 --> 00:01:01,000" in TIMELINE_FORMATS["srt"]([close])


def test_a_table_of_moves_with_the_time_of_the_recording_and_of_the_day(game: LiveGame, hall: Hall) -> None:
    text = TIMELINE_FORMATS["csv"]([read(game, hall.now_s - 4 * 60)])
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["time"] for row in rows] == ["0:00:00", "0:01:00", "0:02:00", "0:03:00"]
    assert [row["kind"] for row in rows] == ["play", "challenge", "play", "play"]
    assert rows[3]["word"] == "ÖxI", "a correction leaves the time of its move"
    assert rows[3]["clock"] == datetime.fromtimestamp(hall.now_s - 60).isoformat(" ", "seconds")
    assert (rows[2]["player"], rows[2]["position"], rows[2]["score"]) == ("Jón", "8D", "28")
    late = TIMELINE_FORMATS["csv"]([read(game, hall.now_s - 90)])
    assert late.split("\r\n")[1].split(",")[2] == "-0:02:30", "before the recording"
    assert "before" not in TIMELINE_FORMATS["srt"]([read(game, hall.now_s + 60)])


@pytest.mark.parametrize(("rule", "changed"), [("5", ("Jón", "-5", "-5")), ("gain-5", ("Anna", "5", "33"))])
def test_a_table_of_moves_has_the_points_of_a_lost_challenge(
    hall: Hall, rule: str, changed: tuple[str, str, str]
) -> None:
    game = hall.open(hall.start(f'challenge = "{rule}"\n'))
    hall.play(game, "play 8D HRAKI", "challenge lost", "pass")
    text = TIMELINE_FORMATS["csv"]([read(game, hall.now_s - 4 * 60)])
    rows = [(row["player"], row["score"], row["total"]) for row in csv.DictReader(io.StringIO(text))]
    assert rows[1] == changed
    assert rows[2][:2] == ("Jón", "0")


def test_chapters_begin_at_zero_and_are_long_enough(game: LiveGame, hall: Hall) -> None:
    lines = TIMELINE_FORMATS["chapters"]([read(game, hall.now_s - 5 * 60)]).splitlines()
    assert lines[0] == "0:00:00 Before the game"
    assert lines[1] == "0:01:00 Anna – Jón"
    assert lines[2].startswith("0:02:00 Challenge: HRAKIAÐ comes off (")
    marks = tuple(TimedMoment(time_s=time_s, title=str(time_s)) for time_s in (-3.0, 4.0, 15.0, 20.0, 3700.0))
    text = format_chapters([Timeline(game=game.state.game, moves=(), marks=marks)])
    assert text == "0:00:00 4.0\n0:00:15 15.0\n1:01:40 3700.0\n"


def test_chapters_name_whose_moment_it_is(hall: Hall) -> None:
    game = hall.open(hall.start())
    journal, before = game.journal, game.state.game
    assert journal is not None
    bingo = before.with_play(parse_play("8D HRAKIAÐ", before.edition.tokens))
    both = bingo.with_play(parse_play("I8 .B", before.edition.tokens))
    journal.record(before, before, [])
    journal.record(before, both, [])
    game.close()
    again = hall.play(hall.open(hall.start()), "challenge lost", "clock Anna 100", "name Anna Eva")
    won, late = both.totals[0], again.state.game.totals
    assert [mark.title for mark in read(again, hall.now_s - 600).marks[1:]] == [
        f"Bingo: Eva HRAKIAÐ {won} ({won} – {both.totals[1]})",
        f"Challenge: AB stays ({won} – {both.totals[1]})",
        f"Jón takes the lead ({late[0]} – {late[1]})",
    ]


def test_what_was_undone_is_no_chapter_and_what_was_redone_is_one(hall: Hall) -> None:
    game = hall.play(hall.open(hall.start()), "play 8D HRAKI", "challenge", "undo", "play G6 LO.I")
    assert [mark.title for mark in read(game, hall.now_s).marks] == ["Anna – Jón"]
    hall.play(game, "end Anna=AAAAAAA Jón=RRRRRRR", "undo", "play 10D REIÐA")
    assert [mark.title for mark in read(game, hall.now_s).marks] == ["Anna – Jón"]
    hall.play(game, "challenge", "undo", "redo")
    assert [mark.title for mark in read(game, hall.now_s).marks[1:]] == [
        "Challenge: REIÐA comes off (28 – 15)"
    ]


def test_a_game_that_was_followed_on_a_film_has_the_times_of_the_film(game: LiveGame) -> None:
    journal = game.journal
    assert journal is not None
    later = game.state.game.with_pass()
    journal.record(game.state.game, later, [{"event": "pass"}], FrameRef(frame=80, time_s=10.5, file="a.mp4"))
    timeline = read(game, None)
    assert [move.time_s for move in timeline.moves] == [10.5] * 5


@pytest.mark.parametrize(
    ("seconds", "file", "fingerprint", "is_refused"),
    [
        (4.0, "b.mp4", "2", True),
        (20.0, "b.mp4", "2", True),
        (20.0, "b.mp4", "", True),
        (4.0, "a.mp4", "", True),
        (20.0, "a.mp4", "", False),
        (4.0, "renamed.mp4", "1", False),
    ],
)
def test_times_of_several_recordings_are_refused(
    hall: Hall, seconds: float, file: str, fingerprint: str, is_refused: bool
) -> None:
    game = hall.open(hall.start())
    journal, before = game.journal, game.state.game
    assert journal is not None
    one, two = before.with_pass(), before.with_pass().with_pass()
    journal.record(before, one, [], FrameRef(frame=80, time_s=10.5, file="a.mp4", fingerprint="1"))
    journal.record(one, two, [], FrameRef(frame=30, time_s=seconds, file=file, fingerprint=fingerprint))
    if not is_refused:
        check_recording([read(game, None)])
        return
    with pytest.raises(SettingsError, match=r"move 2 of game 1 has the time of another film .* --start"):
        check_recording([read(game, None)])


def test_pictures_of_one_folder_are_one_recording(hall: Hall) -> None:
    game = hall.open(hall.start())
    journal, after = game.journal, game.state.game
    assert journal is not None
    for number in (1, 2):
        before, after = after, after.with_pass()
        ref = FrameRef(frame=number, time_s=number, file=f"{number}.jpg", fingerprint=str(number))
        journal.record(before, after, [], ref)
    check_recording([read(game, None)])
    with pytest.raises(SettingsError, match="move 1 of game 2 has the time of another film"):
        check_recording([read(game, None)] * 2)


def test_a_move_that_was_put_in_later_has_the_time_of_the_one_after_it(game: LiveGame, hall: Hall) -> None:
    hall.play(game, "insert 3 Jón pass")
    times = [move.time_s for move in read(game, hall.now_s - 360).moves]
    assert len(times) == 5
    assert times == sorted(times)


@pytest.mark.parametrize("players", [("Anna", "Jón"), ("Anna", "Jón", "Eva")])
@pytest.mark.parametrize(
    ("moves", "edit", "minutes"),
    [
        ("pass, play I8 ÖXI, pass", "insert 2 pass", [1, 2, 2, 3, 4]),
        ("pass, play I8 ÖXI, pass", "insert 1 pass", [1, 1, 2, 3, 4]),
        ("pass, play I8 ÖXI, challenge lost", "insert 2 pass", [1, 2, 2, 3, 4]),
        ("pass, play I8 ÖXI, pass", "delete 2", [1, 3, 4]),
        ("pass, play I8 ÖXI, challenge", "delete 2", [1, 3, 4]),
        ("play I8 ÖXI, exchange 2, withdraw, exchange 3", "delete 2", [1, 3, 5]),
        ("pass, play I8 ÖXI, end Anna=AAAAAAA Jón=RR Eva=RR", "delete 2", [1, 3, 4, 4, 4]),
    ],
)
def test_later_moves_keep_their_times_where_a_move_is_put_in_or_deleted(
    hall: Hall, players: tuple[str, ...], moves: str, edit: str, minutes: list[int]
) -> None:
    table, begin_s = hall.open(hall.start(), players=players), hall.now_s
    if "Eva" not in players:
        moves = moves.replace(" Eva=RR", "")

    def read_minutes() -> list[float]:
        return [move.time_s / 60 for move in read(table, begin_s).moves]

    hall.play(table, "play 8D HRAKI", *moves.split(", "))
    before = read_minutes()
    hall.play(table, edit)
    assert read_minutes() == minutes[: len(table.state.game.events)]
    hall.play(table, "undo")
    assert read_minutes() == before
    hall.play(table, "redo")
    assert read_minutes() == minutes[: len(table.state.game.events)]


def test_moves_that_were_undone_and_redone_keep_their_times(game: LiveGame, hall: Hall) -> None:
    times = [move.time_s for move in read(game, hall.now_s).moves]
    hall.play(game, "undo", "undo", "undo", "redo", "redo", "redo")
    assert [move.time_s + 360 for move in read(game, hall.now_s).moves] == times
    hall.play(game, "delete 2", "undo")
    assert [move.time_s + 480 for move in read(game, hall.now_s).moves] == times
    hall.play(game, "undo", "undo", "undo", "play 8E HRAK", "pass")
    assert [move.time_s for move in read(game, hall.now_s).moves][2:] == [-60, 0], (
        "other moves have new times"
    )


def test_a_move_that_was_undone_and_is_made_later_has_its_own_time(game: LiveGame, hall: Hall) -> None:
    hall.play(game, "pass", "undo", "pass")
    assert read(game, hall.now_s).moves[-1].time_s == 0
    hall.play(game, "undo", "redo")
    assert read(game, hall.now_s).moves[-1].time_s == -120


def test_what_is_missing_is_reported(game: LiveGame, hall: Hall, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no camera followed this game"):
        read(game, None)
    with pytest.raises(InputError, match="there is no such file"):
        read_entries(tmp_path / "nowhere.db")
    other = hall.open(hall.start(), "other")
    with pytest.raises(SettingsError, match="the journal has no moves yet"):
        read(other, hall.now_s)
    database = sqlite3.connect(tmp_path / "another.db")
    database.execute("CREATE TABLE x (y)")
    database.close()
    with pytest.raises(InputError, match="no journal of a game"):
        read_entries(tmp_path / "another.db")
    assert game.journal is not None
    with sqlite3.connect(game.journal.path) as connection:
        connection.execute("UPDATE entry SET at_s = 0")
    with pytest.raises(SettingsError, match="of an older program and has no times of the day"):
        read(game, hall.now_s)
