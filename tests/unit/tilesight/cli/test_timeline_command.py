"""`tilesight timeline`: a recording's time, and what is printed."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.on_air import open_table, send_commands
from tilesight.cli.main import app
from tilesight.cli.timeline import parse_start
from tilesight.live import FrameRef
from vision.errors import SettingsError


def test_the_moves_of_two_games(tmp_path: Path) -> None:
    names = ("first", "second")
    for name in names:
        table = open_table(tmp_path, name, now=lambda: datetime(2026, 11, 23, 20, 0, 5).timestamp())
        send_commands(table, "play 8D HRAKI").close()
    paths = [str(tmp_path / f"{name}.db") for name in names]
    done = CliRunner().invoke(app, ["timeline", *paths, "--start", "19:58", "--format", "csv"])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[1] == "1,1,0:02:05,125.000,2026-11-23 20:00:05,Anna,play,8D,HRAKI,28,28"
    assert lines[2].startswith("2,1,0:02:05,")
    with pytest.raises(SettingsError, match=r"first\.db: no camera followed this game"):
        CliRunner().invoke(app, ["timeline", paths[0]], catch_exceptions=False)


def test_films_with_times_of_their_own_need_a_start(tmp_path: Path) -> None:
    table = open_table(tmp_path)
    assert table.journal is not None
    after = table.state.game
    for file, time_s in (("part-1.mp4", 7.0), ("part-2.mp4", 4.0)):
        before, after = after, after.with_pass()
        table.journal.record(before, after, [], FrameRef(frame=40, time_s=time_s, file=file))
    table.close()
    arguments = ["timeline", str(tmp_path / "final.db")]
    with pytest.raises(SettingsError, match="move 2 of game 1 has the time of another film"):
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    done = CliRunner().invoke(app, [*arguments, "--start", "0:00", "--format", "csv"])
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, 3)


def test_an_edition_that_was_changed_since_is_reported(tmp_path: Path) -> None:
    own = tmp_path / "club.toml"
    for value in (4, 10):
        own.write_text(f'base = "english"\n[tiles]\nH = {{ count = 2, value = {value} }}\n', encoding="utf-8")
        if value == 4:
            send_commands(open_table(tmp_path, edition=str(own)), "play 8G HORN").close()
        done = CliRunner().invoke(
            app, ["timeline", str(tmp_path / "final.db"), "--start", "0:00", "--format", "csv"]
        )
        warning = "final.db: Anna had 14 points when the game was recorded, and has 26 by the rules of club"
        assert (done.exit_code, warning in done.stderr) == (0, value == 10)


def test_the_time_of_a_recording() -> None:
    first_s = datetime(2026, 11, 23, 20, 0).timestamp()
    for text in ("9:58:10", "09:58:10", "2026-11-23 09:58:10", "2026-11-23T09:58:10"):
        assert parse_start(text, [first_s]) == datetime(2026, 11, 23, 9, 58, 10).timestamp()
    for text in ("soon", "25:00", "12:00:61", "", "0001-01-01"):
        with pytest.raises(SettingsError, match="not a time; write 19:58:10"):
            parse_start(text, [first_s])


def test_a_day_is_that_of_the_first_move(tmp_path: Path) -> None:
    moments = [datetime(2026, 11, 21, 22, 0), datetime(2026, 11, 22, 10, 1)]
    table = open_table(tmp_path, "game", now=lambda: moments[0].timestamp())
    send_commands(table, "title Final")
    moments.pop(0)
    send_commands(table, "play 8D HRAKI").close()
    done = CliRunner().invoke(
        app, ["timeline", str(tmp_path / "game.db"), "--start", "9:58:10", "--format", "csv"]
    )
    assert ",0:02:50,170.000,2026-11-22 10:01:00," in done.stdout


def test_a_recording_over_midnight_has_one_beginning(tmp_path: Path) -> None:
    for name, moment in (("one", datetime(2026, 11, 22, 23, 50)), ("two", datetime(2026, 11, 23, 0, 40))):
        table = open_table(tmp_path, name, now=moment.timestamp)
        send_commands(table, "play 8D HRAKI").close()
    paths = [str(tmp_path / f"{name}.db") for name in ("one", "two")]
    done = CliRunner().invoke(app, ["timeline", *paths, "--start", "23:20", "--format", "csv"])
    assert [line.split(",")[2] for line in done.stdout.splitlines()[1:]] == ["0:30:00", "1:20:00"]
    assert done.stderr == ""
    done = CliRunner().invoke(app, ["timeline", paths[1], "--start", "23:20", "--format", "csv"])
    assert ",1:20:00," in done.stdout
    assert "--start 23:20: 2026-11-22 is taken, since all moves are earlier" in done.stderr


@pytest.mark.parametrize("form", ["srt", "csv"])
def test_a_recording_that_began_after_the_game_is_reported(tmp_path: Path, form: str) -> None:
    for name, minute in (("one", 5), ("two", 50)):
        table = open_table(tmp_path, name, now=datetime(2026, 11, 23, 20, minute).timestamp)
        send_commands(table, "play 8D HRAKI").close()
    one, two = (str(tmp_path / f"{name}.db") for name in ("one", "two"))
    late = CliRunner().invoke(app, ["timeline", one, two, "--start", "20:40", "--format", form])
    assert f"{one}: its last move is older than the recording; write the day of --start" in late.stderr
    assert (late.stderr.count("older than"), "00:10:00" in late.stdout or "0:10:00" in late.stdout) == (
        1,
        True,
    )
    late = CliRunner().invoke(app, ["timeline", two, "--start", "2026-11-23 20:55", "--format", form])
    assert "older than the recording" in late.stderr
    done = CliRunner().invoke(app, ["timeline", two, "--start", "2026-11-23 20:45", "--format", form])
    assert ("HRAKI" in done.stdout, done.stderr) == (True, "")
