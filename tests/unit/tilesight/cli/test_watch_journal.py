"""A watched game continues while its journal, game file or pictures cannot be written, and loses nothing."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from scoring import Game, PlayEvent, format_gcg, load_edition, parse_play
from tests.support.serving import wait_until
from tilesight.cli.main import app
from tilesight.cli.messages import ASSUMED_EDITION
from tilesight.cli.options import Settlement
from tilesight.cli.watch import WatchOptions, open_watched_game
from tilesight.cli.watching import GameFile, WatchReport, choose_video, reporting, try_write
from tilesight.live import Journal, LiveGame, explain_no_play, open_game
from tilesight.live.journal import read_entries
from vision.capture import Frame, PictureFolder
from vision.capture.live import SourceWithoutFile
from vision.core import write_file
from vision.errors import ExitCode, InputError, SettingsError
from vision.game_events.updates import GameUpdate, Notice, NoticeKind, UpdateBatch, UpdateKind

EDITION = load_edition("icelandic")
NEW = Game(edition=EDITION, players=("Anna", "Jón"))
FIRST = NEW.with_play(parse_play("8D HRAKI", EDITION.tokens))
SECOND = FIRST.with_pass()


def seen(game: Game, frame: int) -> UpdateBatch:
    kind = UpdateKind(game.events[-1].kind)
    update = GameUpdate(kind=kind, game=game, step=game.steps[-1])
    return UpdateBatch(source="film", index=frame, game=game, updates=(update,), time_s=float(frame))


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[LiveGame]:
    """The game of `tilesight watch --journal`."""
    with open_watched_game("film", "icelandic", "Anna,Jón", tmp_path / "game.db") as game:
        yield game


def test_names_that_serve_refuses_begin_no_journal(tmp_path: Path) -> None:
    for players, problem in (("x" * 70, "has 70 characters"), ("anna,Anna", "two players have one name")):
        with pytest.raises(SettingsError, match=f"--players: .*{problem}"):
            open_watched_game("film", None, players, tmp_path / "game.db")
    assert not list(tmp_path.iterdir())


def test_what_could_not_be_written_is_written_with_the_next_event(
    watched: LiveGame, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = watched.journal
    assert journal is not None
    with monkeypatch.context() as full:

        def refuse(*_: object) -> int:
            raise InputError("game.db: the journal cannot be written (disk is full); make room")

        full.setattr(Journal, "record", refuse)
        watched.record(seen(FIRST, 10))
    assert "disk is full); make room; the game goes on" in capsys.readouterr().err
    assert not watched.is_written
    assert watched.state.game == FIRST
    assert journal.game(EDITION) == NEW
    watched.record(seen(SECOND, 20))
    assert watched.is_written
    assert journal.game(EDITION) == SECOND
    assert [event["event"] for event in journal.events] == ["play", "pass"]
    assert journal.entries == 2
    assert [ref.frame for ref in journal.frame_refs] == [20, 10]


HALF = FIRST.with_play(parse_play("G6 LO", EDITION.tokens))
WHOLE = FIRST.with_play(parse_play("G6 LO.I", EDITION.tokens))


def goes_on() -> tuple[UpdateBatch, UpdateBatch]:
    """A play that may go on, and the whole play in its place."""
    half, whole = seen(HALF, 20), seen(WHOLE, 30)
    event = HALF.events[-1]
    assert isinstance(event, PlayEvent)
    first = replace(half.updates[0], is_provisional=True)
    joined = replace(whole.updates[0], is_provisional=True, replaces=event.play)
    return replace(half, updates=(first,)), replace(whole, updates=(joined,))


def test_a_play_that_goes_on_survives_the_journal_as_one_play(watched: LiveGame) -> None:
    watched.record(seen(FIRST, 10))
    for batch in goes_on():
        watched.record(batch)
        assert watched.state.operator.is_provisional
        assert watched.state.standing_game == FIRST
    journal = watched.journal
    assert journal is not None
    assert journal.game(EDITION) == WHOLE
    half, whole = journal.events[1:]
    assert (half["provisional"], "replaces" in half) == (True, False)
    assert (whole["event"], whole["replaces"], whole["score"]) == ("play", half["placed"], 15)
    with open_game("again", None, edition="icelandic", players=["Anna", "Jón"]) as other:
        assert not other.state.operator.is_provisional
    resumed = LiveGame("game", EDITION, journal)
    assert resumed.state.operator.is_provisional
    assert resumed.state.game == WHOLE


def test_the_game_file_has_a_play_once_it_stands(watched: LiveGame, tmp_path: Path) -> None:
    out = tmp_path / "game.gcg"
    report = WatchReport(watched, out=GameFile(out, keep=False))
    for batch in (seen(FIRST, 10), *goes_on()):
        watched.record(batch)
        report.add(batch)
        assert "8D" in out.read_text()
        assert "G6" not in out.read_text()
    report.finish()
    assert out.read_text().count("G6") == 1
    assert out.read_text() == format_gcg(WHOLE)


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        ([], "a longer game"),
        ([seen(FIRST, 1)], "a longer game"),
        ([seen(NEW.with_pass(), 1)], "another game"),
        ([seen(FIRST, 1), seen(SECOND, 2)], ""),
        ([seen(FIRST, 1), seen(SECOND, 2), seen(SECOND.with_pass(), 3)], ""),
    ],
)
def test_the_file_of_another_game_of_the_same_players_is_kept(
    watched: LiveGame,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    batches: list[UpdateBatch],
    message: str,
) -> None:
    out = tmp_path / "game.gcg"
    out.write_text(format_gcg(SECOND))
    report = WatchReport(watched, out=GameFile(out, keep=True))
    for batch in batches:
        watched.record(batch)
        report.add(batch)
        assert out.read_text().count(">") >= 2
    code = report.finish()
    told = capsys.readouterr().err
    if message:
        assert (code, told.count("and is kept"), out.read_text()) == (ExitCode.INPUT, 1, format_gcg(SECOND))
        assert message in told
    else:
        assert (code, told, out.read_text()) == (None, "", format_gcg(watched.state.game))


@pytest.mark.parametrize(
    ("held", "is_own"),
    [(NEW.with_pass(), False), (SECOND.with_pass(), False), (FIRST, True), (SECOND, True), (HALF, True)],
)
def test_a_resumed_game_replaces_the_file_of_what_it_was_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: Game, is_own: bool
) -> None:
    journal, out = tmp_path / "game.db", tmp_path / "game.gcg"
    with open_watched_game("film", "icelandic", "Anna,Jón", journal) as game:
        for batch in (seen(FIRST, 1), goes_on()[0], seen(FIRST, 3), seen(SECOND, 4)):
            game.record(batch)
    out.write_text(format_gcg(held))
    monkeypatch.setattr("tilesight.cli.watch.follow_frames", lambda *_: iter(()))
    done = CliRunner().invoke(app, ["watch", "film", "--journal", str(journal), "--out", str(out)])
    assert (done.exit_code == 0, out.read_text()) == (is_own, format_gcg(SECOND if is_own else held))
    assert ("and is kept" in done.stderr) is not is_own


def test_a_resumed_game_is_recorded_in_another_film(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    films: list[Path | None] = []

    def follow(options: WatchOptions, *_: object) -> Iterator[UpdateBatch]:
        films.append(options.video)
        yield from ()

    monkeypatch.setattr("tilesight.cli.watch.follow_frames", follow)
    named, journal = tmp_path / "seen.mp4", tmp_path / "game.db"
    command = ["watch", "film", "--journal", str(journal), "--video", str(named)]
    first, second, third = (tmp_path / name for name in ("seen.mp4", "seen-2.mp4", "seen-3.mp4"))
    for wanted in (first, second, third):
        done = CliRunner().invoke(app, command)
        assert (done.exit_code, films.pop()) == (0, wanted)
        assert (f"{first}: the film so far is kept" in done.stderr) is (wanted == second)
        assert (f"{first}: the film so far cannot be opened" in done.stderr) is (wanted == third)
        writer = cv2.VideoWriter(str(wanted), cv2.VideoWriter.fourcc(*"mp4v"), 10, (120, 120))
        writer.write(np.zeros((120, 120, 3), np.uint8))
        writer.release()
        if wanted == second:
            first.write_bytes(
                first.read_bytes()[:-200]
            )  # as a power cut leaves it, without the index at its end
    assert CliRunner().invoke(app, [*command, "--force"]).exit_code == 0
    assert films.pop() == first
    journal.unlink()
    assert isinstance(CliRunner().invoke(app, command).exception, SettingsError)


@pytest.mark.parametrize("name", ["seen.mp4", "seen.avi", "seen.AVI"])
def test_advice_to_name_a_film_avi_is_for_other_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    broken = tmp_path / name
    broken.write_bytes(b"no film")
    assert choose_video(broken) == broken.with_stem("seen-2")
    message = capsys.readouterr().err
    assert "cannot be opened; perhaps its end was not written" in message
    assert ("is named .avi" in message) is (name == "seen.mp4")


def test_a_game_without_a_gcg_form_goes_on(
    watched: LiveGame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "game.gcg"
    report = WatchReport(watched, out=GameFile(out, keep=False))
    begun = Game(edition=EDITION, players=NEW.players, start=FIRST.board)
    for game in (begun.with_play("E6 PORT"), begun.with_play("E6 PORT").with_pass()):
        watched.record(seen(game, 1))
        report.add(seen(game, 1))
    assert (report.finish(), watched.state.game.events, out.exists()) == (ExitCode.INPUT, game.events, False)
    advice = "has no GCG form; leave its GCG file out, and keep the game in a journal"
    assert capsys.readouterr().err.count(advice) == 1


def test_an_interrupted_watch_prints_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def follow(*_: object) -> Iterator[UpdateBatch]:
        yield seen(FIRST, 10)
        raise KeyboardInterrupt

    monkeypatch.setattr("tilesight.cli.watch.follow_frames", follow)
    done = CliRunner().invoke(app, ["watch", "0", "--edition", "icelandic", "--format", "json"])
    events = [json.loads(line)["event"] for line in done.stdout.splitlines()]
    assert (done.exit_code, events) == (130, ["play", "end"])


def test_a_camera_is_closed_before_an_interrupted_watch_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []

    class Camera(SourceWithoutFile):
        name = "camera 0"

        def frames(self, after: int = -1) -> Iterator[Frame]:
            try:
                yield Frame(np.zeros((90, 90, 3), np.uint8), source=self.name)
            finally:
                closed.append("camera")

    def interrupt(*_: object) -> UpdateBatch:
        raise KeyboardInterrupt

    monkeypatch.setattr("vision.capture.open_source", lambda *_: Camera())
    monkeypatch.setattr(LiveGame, "see", interrupt)
    monkeypatch.setattr(LiveGame, "close", lambda _: closed.append("game"))
    assert CliRunner().invoke(app, ["watch", "0", "--edition", "icelandic"]).exit_code == 130
    assert closed == ["camera", "game"]


def test_commands_that_wait_when_a_watch_is_interrupted_are_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = set(threading.enumerate())

    class Camera(SourceWithoutFile):
        """A camera whose watch is interrupted once the lines are read."""

        name = "camera 0"

        def frames(self, after: int = -1) -> Iterator[Frame]:
            wait_until(
                lambda: not any(each.name == "console" for each in set(threading.enumerate()) - before)
            )
            raise KeyboardInterrupt
            yield

    monkeypatch.setattr("vision.capture.open_source", lambda *_: Camera())
    out = tmp_path / "game.gcg"
    command = [
        "watch",
        "0",
        "--edition",
        "icelandic",
        "--players",
        "Anna,Jón",
        "--commands",
        "--out",
        str(out),
    ]
    done = CliRunner().invoke(app, command, input="play 8D HRAKI\npass\n")
    assert done.exit_code == 130
    assert "total: Anna 28, Jón 0" in done.stdout
    assert len([line for line in out.read_text().splitlines() if line.startswith(">")]) == 2


def test_a_game_without_an_edition_is_english_and_that_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def follow(_: object, game: LiveGame, *__: object) -> Iterator[UpdateBatch]:
        yield UpdateBatch(source="film", index=1, game=game.state.game)

    monkeypatch.setattr("tilesight.cli.watch.follow_frames", follow)
    journal = ["--journal", str(tmp_path / "g.db")]
    begun = CliRunner().invoke(app, ["watch", "0", *journal])
    named = CliRunner().invoke(app, ["watch", "0", "--edition", "english"])
    resumed = CliRunner().invoke(app, ["watch", "0", *journal])
    assert [ASSUMED_EDITION in done.stderr for done in (begun, named, resumed)] == [True, False, False]


def test_a_stream_is_no_folder_of_turns_and_its_password_is_not_shown() -> None:
    done = CliRunner().invoke(app, ["watch", "rtsp://anna:s3cret@camera/1", "--every", "turn"])
    assert isinstance(done.exception, SettingsError)
    assert "a camera or a stream" in str(done.exception)
    assert "s3cret" not in str(done.exception)


def test_a_folder_in_which_nothing_rests_may_be_photos_of_turns(tmp_path: Path, watched: LiveGame) -> None:
    for number in range(3):
        write_file(tmp_path / f"{number}.jpg", b"")
    notes: list[str] = []
    explain_no_play(PictureFolder(path=tmp_path), watched, notes.append)
    (hint,) = notes
    assert "no play was seen in its pictures" in hint
    assert "--every turn" in hint
    watched.record(seen(FIRST, 10))
    explain_no_play(PictureFolder(path=tmp_path), watched, notes.append)
    assert notes == [hint]


def test_the_picture_of_a_play_is_kept_if_the_program_is_stopped_once_it_is_printed(
    watched: LiveGame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    saved: list[int] = []
    monkeypatch.setattr(reporting, "print_text", stop)
    monkeypatch.setattr(reporting, "save_evidence", lambda folder, batch, number: saved.append(number))
    with pytest.raises(KeyboardInterrupt):
        WatchReport(watched, evidence=tmp_path).add(seen(FIRST, 10))
    assert saved == [1]


def test_a_film_that_is_too_short_to_be_read_is_reported(watched: LiveGame) -> None:
    film: Any = SimpleNamespace(name="short.mp4", live=False)
    notes: list[str] = []
    for grid, n_reads in ((None, 0), (object(), 1), (object(), 0)):
        tracker = SimpleNamespace(grid=grid, n_reads=n_reads)
        game: Any = SimpleNamespace(state=watched.state, tracker=tracker)
        explain_no_play(film, game, notes.append)
    other, short = notes
    assert other.startswith("short.mp4: no play was seen; if the film is a time lapse, give the pictures")
    assert short.startswith("short.mp4: the film ended before the board was at rest long enough to be read; ")
    assert "--fps 0.2" in other
    assert "--fps 0.2" in short


def test_each_event_is_one_entry_where_all_is_well(watched: LiveGame) -> None:
    assert watched.journal is not None
    watched.record(seen(FIRST, 10))
    watched.record(seen(SECOND, 20))
    assert watched.journal.entries == 2
    assert watched.journal.game(EDITION) == SECOND


def test_what_changes_nothing_in_the_game_is_no_entry(watched: LiveGame) -> None:
    assert watched.journal is not None
    notice = Notice(NoticeKind.UNCLEAR, "two letters differ")
    watched.record(UpdateBatch(source="film", index=1, game=watched.state.game, notices=(notice,)))
    assert watched.journal.entries == 0


def test_only_what_cannot_be_written_is_forgiven() -> None:
    def break_down() -> None:
        raise ValueError("a mistake of ours")

    assert try_write(lambda: None)
    with pytest.raises(ValueError, match="mistake"):
        try_write(break_down)


def test_a_tournament_settlement_is_resumed_with_the_journal(tmp_path: Path) -> None:
    with open_watched_game("film", "icelandic+tournament", "Anna,Jón", tmp_path / "game.db") as game:
        assert game.state.edition.end.out_doubles
        assert game.state.edition.name == "icelandic"
    with open_watched_game("film", None, None, tmp_path / "game.db") as game:
        assert game.state.edition.end.out_doubles


def test_the_option_for_a_tournament_settlement_names_no_edition_of_a_journal(tmp_path: Path) -> None:
    path, tournament = tmp_path / "game.db", Settlement.TOURNAMENT
    with open_watched_game("film", "icelandic", "Anna,Jón", path, tournament) as game:
        game.record(seen(FIRST, 10))
    with open_watched_game("film", None, None, path, tournament) as game:
        assert game.state.game.events == FIRST.events
        assert game.state.edition.end.out_doubles
    with open_watched_game("film", "icelandic", "Anna,Jón", tmp_path / "usual.db") as game:
        game.record(seen(FIRST, 10))
    with pytest.raises(
        SettingsError, match=r"settlement tournament: the game in .* was begun without it; leave"
    ):
        open_watched_game("film", None, None, tmp_path / "usual.db", tournament)


def test_an_empty_file_is_a_new_journal_also_with_a_tournament_settlement(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    path.touch()
    with open_watched_game("film", None, None, path, Settlement.TOURNAMENT) as game:
        assert game.state.edition.end.out_doubles


@pytest.mark.parametrize("players", ["Anna", "Anna,Jón,Eva", "Anna,Jón,Eva,Ulf"])
def test_a_tournament_settlement_is_refused_where_it_would_change_nothing(
    tmp_path: Path, players: str
) -> None:
    path = tmp_path / "game.db"
    wanted = pytest.raises(
        SettingsError, match=r"settlement of tournaments is for two players, .*; leave out"
    )
    with wanted:
        open_watched_game("film", "icelandic+tournament", players, path)
    assert not path.exists()
    path.touch()
    with wanted:
        open_watched_game("film", "icelandic+tournament", players, path)
    assert not path.stat().st_size
    with open_watched_game("film", "icelandic", players, path):
        pass
    with wanted:
        open_watched_game("film", "icelandic+tournament", None, path)


def test_the_edition_file_of_a_game_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club, moved = tmp_path / "club", tmp_path / "moved"
    club.mkdir()
    (club / "mine.toml").write_text('base = "icelandic"\nrack-size = 8')
    mine = load_edition(club / "mine.toml")
    monkeypatch.chdir(club)
    with open_game("g", club / "g.db", edition="mine.toml+challenge-5", players=FIRST.players) as game:
        game.record(seen(Game(mine, FIRST.players, events=FIRST.events), 10))
    monkeypatch.chdir(tmp_path)
    with open_game("g", club / "g.db", edition="club/mine.toml+challenge-5") as game:
        assert (game.state.edition.rack_size, game.state.edition.challenge.valid_points) == (8, 5)
    assert read_entries(club / "g.db")[-1].game.edition.rack_size == 8
    club.rename(moved)
    assert read_entries(moved / "g.db")[-1].game.edition.rack_size == 8
    with open_game("g", moved / "g.db", edition="moved/mine.toml+challenge-5") as game:
        assert game.state.game.totals == FIRST.totals
    with pytest.raises(SettingsError, match="a journal of another game") as refused:
        open_game("g", moved / "g.db", edition="moved/mine.toml")
    named = re.search(r"\(edition: (.*)\); name another file, or give", str(refused.value))
    assert named is not None
    with open_game("g", moved / "g.db", edition=named[1]) as game:
        assert game.state.game.totals == FIRST.totals
    for players in (("Ida", "Eva"), FIRST.players[::-1]):
        with pytest.raises(
            SettingsError, match=r"\(players: Anna,Jón\); name another file, or give this one its own"
        ):
            open_game("g", moved / "g.db", players=players)
    (moved / "mine.toml").rename(tmp_path / "mine.toml")
    for edition in (None, "mine.toml"):
        with pytest.raises(
            InputError, match=r"moved/g\.db: its edition .*/club/mine\.toml is not there any more"
        ):
            open_game("g", moved / "g.db", edition=edition)
    with pytest.raises(InputError, match=r"moved/g\.db: its edition .*put it next to the journal"):
        read_entries(moved / "g.db")
    (tmp_path / "mine.toml").rename(moved / "mine.toml")
    with open_game("g", moved / "g.db") as game:
        assert game.state.game.totals == FIRST.totals


def test_the_name_of_a_shipped_edition_has_any_case(tmp_path: Path) -> None:
    with open_game("g", tmp_path / "g.db", edition="Icelandic", players=FIRST.players) as game:
        game.record(seen(FIRST, 10))
    with open_game("g", tmp_path / "g.db", edition="icelandic") as game:
        assert game.state.game.totals == FIRST.totals
