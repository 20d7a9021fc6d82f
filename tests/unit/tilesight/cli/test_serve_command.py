"""The command `serve`: what it opens, prints and refuses."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring import edition_names
from tests.conftest import Outcome
from tests.support.fake_magpie import write_program
from tilesight.cli.messages import ASSUMED_EDITION
from tilesight.live import RackWorker, VideoWorker, open_game
from vision.errors import SettingsError
from vision.game_events import parse_command
from vision.profile import LightSection, Origin, Profile, save_profile

Run = Callable[..., Outcome]


def edition_text(name: str) -> str:
    """Return the text of a shipped edition's file."""
    shipped = importlib.util.find_spec("scoring")
    assert shipped is not None
    assert shipped.origin is not None
    return (Path(shipped.origin).parent / "editions" / "data" / f"{name}.toml").read_text(encoding="utf-8")


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Stands in for the server: it is ready at once, and ends."""
    apps: list[Any] = []

    def run_server(app: Any, sock: Any, ready: Callable[[], None], **_: Any) -> None:
        ready()
        apps.append(app)

    monkeypatch.setattr("tilesight.web.run_server", run_server)
    monkeypatch.setenv("TILESIGHT_TOKEN", "a-token-that-is-kept")
    return apps


def test_one_table_is_put_on_air_and_its_addresses_are_printed(
    tilesight: Run, served: list[Any], tmp_path: Path
) -> None:
    done = tilesight("serve", "--port", "0", "--journal", tmp_path / "g.db", "--fields", tmp_path / "obs")
    assert (done.code, len(served)) == (0, 1)
    assert "pages:   http://127.0.0.1:" in done.out
    assert "token:   a-token-that-is-kept" in done.out
    assert "/console#" in done.out
    assert "/console#a-token-that-is-kept" not in done.out, "a browser keeps addresses in its history"
    assert (tmp_path / "obs" / "table" / "score.txt").read_text() == "  0 - 0  "
    assert (tmp_path / "g.db").exists()


def test_without_a_journal_a_warning_is_given(tilesight: Run, served: list[Any]) -> None:
    assert "gone when the program ends" in tilesight("serve", "--port", "0").err


def test_a_camera_without_an_edition_is_read_as_english_and_that_is_reported(
    tilesight: Run, served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VideoWorker, "start", lambda self: None)
    monkeypatch.setattr(VideoWorker, "stop", lambda self: None)
    assert ASSUMED_EDITION in tilesight("serve", "0", "--port", "0").err
    assert ASSUMED_EDITION not in tilesight("serve", "0", "--port", "0", "--edition", "english").err
    assert ASSUMED_EDITION not in tilesight("serve", "--port", "0").err


def test_each_table_with_a_camera_and_without_an_edition_is_read_as_english_and_that_is_reported(
    tilesight: Run, served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VideoWorker, "start", lambda self: None)
    monkeypatch.setattr(VideoWorker, "stop", lambda self: None)
    (tmp_path / "tables.toml").write_text(
        '[table.final]\nsource = "0"\nedition = "icelandic"\n'
        '[table.third-place]\nsource = "1"\n'
        '[table.fifth-place]\nsource = "2"\n'
        "[table.typed]\n"
    )
    lines = tilesight("serve", "--port", "0", "--config", tmp_path / "tables.toml").err.splitlines()
    assert [line for line in lines if ASSUMED_EDITION in line] == [
        f"tilesight: table {name}: {ASSUMED_EDITION}" for name in ("third-place", "fifth-place")
    ]


def test_tables_that_follow_the_same_board_are_reported(
    tilesight: Run, served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VideoWorker, "start", lambda self: None)
    monkeypatch.setattr(VideoWorker, "stop", lambda self: None)
    left, right = ("corners = '0,0 90,0 90,90 0,90'", "corners = '100,0 190,0 190,90 100,90'")
    tables = ["source = '0'", f"source = '1'\n{left}", f"source = '1'\n{right}", "source = 'a.mp4'"]
    tables += [
        "source = 'phone'",
        "source = 'phone'",
        "",
        "",
        "source = 'x/../a.mp4'",
        f"source = '1'\n{left}",
    ]
    (tmp_path / "tables.toml").write_text(
        "\n".join(f"[table.t{number}]\n{text}" for number, text in enumerate(tables))
    )
    lines = tilesight("serve", "--port", "0", "--config", tmp_path / "tables.toml").err.splitlines()
    assert [line for line in lines if "its source" in line] == [
        f"tilesight: table {name}: its source is that of table {owner}, so both follow the same board; "
        "name another source, or give each table the corners of its own board"
        for name, owner in (("t8", "t3"), ("t9", "t1"))
    ]


def test_several_tables_with_cameras_and_racks_are_followed(
    tilesight: Run, served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    for kind in (VideoWorker, RackWorker):
        monkeypatch.setattr(kind, "start", lambda self, kind=kind: started.append(kind.__name__))
        monkeypatch.setattr(kind, "stop", lambda self: None)
    (tmp_path / "words.txt").write_text("HRAKI\n")
    (tmp_path / "tables.toml").write_text(
        """
        [table.final]
        source = "film.mp4"
        lexicon = "words.txt"
        journal = "final.db"
        racks = ["1,1 9,1 9,2 1,2", ""]
        [table.typed]
        journal = "typed.db"
        """
    )
    done = tilesight("serve", "--port", "0", "--config", tmp_path / "tables.toml")
    assert (done.code, started) == (0, ["VideoWorker", "RackWorker"])
    calibrators = served[0]._app.state.context.calibrators
    assert set(calibrators) == {"final"}, "a table that is typed has no camera"
    with pytest.raises(SettingsError, match="give the racks a rack-source"):
        calibrators["final"].state()
    assert calibrators["final"].camera() is None


def test_a_profile_that_is_made_on_the_page_is_used_for_the_racks_too(
    tilesight: Run, served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[str] = []
    for kind in (VideoWorker, RackWorker):
        monkeypatch.setattr(kind, "start", lambda self: None)
        monkeypatch.setattr(kind, "stop", lambda self: None)
        monkeypatch.setattr(kind, "use_profile", lambda self, *_, kind=kind: used.append(kind.__name__))
    tables = '[table.final]\nsource = "0"\nrack-source = "1"\nracks = ["1,1 9,1 9,2 1,2", ""]\n'
    (tmp_path / "tables.toml").write_text(tables)
    assert tilesight("serve", "--port", "0", "--config", tmp_path / "tables.toml").code == 0
    served[0]._app.state.context.calibrators["final"]._use(Profile())
    assert used == ["VideoWorker", "RackWorker"]


def test_a_profile_that_is_not_there_yet_is_made_on_the_page(
    tilesight: Run, served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VideoWorker, "start", lambda self: None)
    monkeypatch.setattr(VideoWorker, "stop", lambda self: None)
    journal, profile = tmp_path / "g.db", tmp_path / "club.json"
    done = tilesight("serve", "0", "--port", "0", "--journal", journal, "--profile", profile)
    assert done.code == 0, done.err
    assert "club.json is not there yet; the page /calibrate makes it" in done.err
    assert served[0]._app.state.context.calibrators["table"].state().profile == "club.json"
    typed = tilesight("serve", "--port", "0", "--journal", tmp_path / "h.db", "--profile", profile)
    assert typed.code == 3, "there is no camera that it could be made with"


def test_a_profile_that_the_page_made_is_used_at_the_next_start(
    tilesight: Run, served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VideoWorker, "start", lambda self: None)
    monkeypatch.setattr(VideoWorker, "stop", lambda self: None)
    monkeypatch.chdir(tmp_path)
    origin = Origin(made="2026-03-01T12:00:00+00:00", sources=())
    save_profile(
        Path("table.profile.json"), Profile(light=LightSection(measures={}, advice=(), origin=origin))
    )
    done = tilesight("serve", "0", "--port", "0", "--journal", "g.db")
    assert done.code == 0, done.err
    assert "table.profile.json is used, which the page /calibrate made" in done.err
    steps = served[0]._app.state.context.calibrators["table"].state().steps
    assert [step.result for step in steps] == ["", "", "", "in the profile since 2026-03-01"]
    corners = 'corners = "0,0 900,0 900,900 0,900"'
    Path("tables.toml").write_text(f'[table.table]\nsource = "0"\njournal = "h.db"\n{corners}\n')
    done = tilesight("serve", "--port", "0", "--config", "tables.toml")
    assert done.code == 0, done.err
    assert "table.profile.json is not used: table table: a profile may know a lens" in done.err
    assert "table.profile.json" not in tilesight("serve", "--port", "0", "--journal", "i.db").err


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--config", "none.toml"], 3, "cannot be read"),
        (["0", "--config", "none.toml"], 2, "leave them out here"),
        (["--players", "A,A"], 2, "two players have one name"),
        (["--edition", "klingon"], 2, "klingon"),
        (["--clock", "soon"], 2, "no time left"),
        (["--clock=-1:00"], 2, "table table: its clock starts in overtime; write a time such as 25:00"),
        (["--allow-host", "http://board.club.example"], 2, "is no host name; write it alone, such as"),
        (["--allow-host", "board.club.example:8000"], 2, "is no host name"),
        (["--allow-host", "http://bücher.example"], 2, "--allow-host http://bücher.example: is no host name"),
        (
            ["--proxy", "localhost"],
            2,
            "--proxy localhost: is no numeric address; write one such as 127.0.0.1",
        ),
        (["--proxy", "10.0.0.0/8"], 2, "is no numeric address"),
        (["--host", "203.0.113.7"], 3, "cannot listen there"),
        (["0", "--hub", "broker"], 2, "shows the tables of other machines; leave out the source"),
        (["--publish", "a", "--hub", "b"], 2, "start two programs"),
        (["--publish", "mqtt://club:secret@broker"], 2, "other users of this machine can see it"),
        (["--machine", "hall-1"], 2, "goes with --publish"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tilesight: Run, served: list[Any], options: list[str], code: int, message: str
) -> None:
    done = tilesight("serve", "--port", "0", *options)
    assert (done.code, served) == (code, [])
    assert message in done.err


def test_names_and_proxies_are_known_as_requests_have_them(tilesight: Run, served: list[Any]) -> None:
    names = ["--allow-host", "Board.club.example", "--allow-host", "192.168.1.20", "--allow-host", "::1"]
    names += ["--allow-host", "Bücher.example", "--allow-host", "straße.example"]
    done = tilesight("serve", "--port", "0", *names, "--proxy", "0:0::1", "--proxy", "::ffff:10.0.0.9")
    assert done.code == 0
    security = served[0]
    assert {"board.club.example", "192.168.1.20", "::1"} <= security._hosts
    assert {"xn--bcher-kva.example", "xn--strae-oqa.example"} <= security._hosts
    assert security._proxies == {"::1", "10.0.0.9"}


@pytest.mark.parametrize(
    "option",
    [
        *("--journal", "--players", "--clock", "--title", "--edition", "--rack-delay"),
        *("--fields", "--event", "--webhook", "--magpie"),
    ],
)
def test_a_hub_has_no_option_of_tables(tilesight: Run, served: list[Any], option: str) -> None:
    done = tilesight("serve", "--port", "0", "--hub", "broker.example", option, "9")
    assert (done.code, served) == (2, [])
    assert f"--hub: shows the tables of other machines; leave out {option}\n" in done.err


def test_photos_and_a_hub_need_no_table(tilesight: Run, served: list[Any]) -> None:
    done = tilesight("serve", "--port", "0", "--photos")
    assert (done.code, len(served)) == (0, 1)
    assert "photos:  http://127.0.0.1:" in done.out
    assert "/photo#" in done.out
    assert "/console#" not in done.out
    assert "token:   a-token-that-is-kept" in done.out
    done = tilesight("serve", "--port", "0", "--hub", "broker.example", "--host", "0.0.0.0")
    assert (done.code, len(served)) == (0, 2)
    assert "/console#" not in done.out
    assert "token" not in done.out + done.err, "a hub has no console"
    assert "journal" not in done.err


def test_photos_without_a_table_have_no_overlay(
    tilesight: Run, served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    done = tilesight("serve", "--port", "0", "--photos", "--tls", "self")
    assert (done.code, len(served)) == (0, 1)
    assert "photos:  https://127.0.0.1:" in done.out
    assert "for OBS:" not in done.out


@pytest.mark.parametrize(
    "option",
    [
        ("--lexicon", "words.txt"),
        ("--profile", "club.json"),
        ("--reader", "tesseract"),
        ("--delay", "60"),
        ("--publish", "broker"),
    ],
)
def test_photos_alone_take_no_option_of_a_table(
    option: tuple[str, str], tilesight: Run, served: list[Any]
) -> None:
    done = tilesight("serve", "--port", "0", "--photos", *option)
    assert done.code == 2
    assert f"{option[0]}: is for a table, and there is none; leave it out, or name a source" in done.err
    assert not served


def test_a_table_that_is_described_is_served_with_photos(tilesight: Run, served: list[Any]) -> None:
    done = tilesight("serve", "--port", "0", "--photos", "--players", "Anna,Jón")
    assert (done.code, len(served)) == (0, 1)
    assert "/photo#" in done.out
    assert "/console#" in done.out


def test_tables_are_published_and_photos_read_next_to_them(
    tilesight: Run, served: list[Any], tmp_path: Path
) -> None:
    done = tilesight(
        "serve", "--port", "0", "--journal", tmp_path / "g.db", "--photos", "--publish", "broker"
    )
    assert (done.code, len(served)) == (0, 1)
    assert "/photo#" in done.out
    assert "/console#" in done.out


@pytest.mark.parametrize("table", [(), ("--players", "Anna,Jón")])
def test_photos_may_be_of_an_edition_of_your_own(
    tilesight: Run, served: list[Any], tmp_path: Path, table: tuple[str, ...]
) -> None:
    (tmp_path / "mine.toml").write_text(edition_text("icelandic"), encoding="utf-8")
    done = tilesight("serve", "--port", "0", "--photos", "--edition", tmp_path / "mine.toml", *table)
    assert done.code == 0, done.err
    names = list(served[0]._app.state.context.photos.editions)
    assert names[0] == "english"
    assert names[-1] == "mine"
    assert len(names) == len(edition_names()) + 1


def test_an_edition_with_unknown_letters_is_left_out_of_photos(
    tilesight: Run, served: list[Any], tmp_path: Path
) -> None:
    text = edition_text("english").replace("\nA = ", '\n"Ċ" = ')
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    done = tilesight("serve", "--port", "0", "--photos", "--edition", tmp_path / "mine.toml")
    assert (
        "edition mine: photos are read without it, since the network does not know its letters Ċ;" in done.err
    )
    assert len(served[0]._app.state.context.photos.editions) == len(edition_names())


def test_an_event_and_its_webhook(tilesight: Run, served: list[Any], tmp_path: Path) -> None:
    event, journal = tmp_path / "event.toml", tmp_path / "g.db"
    event.write_text('challenge = "dubble"\n')
    options = ("serve", "--port", "0", "--journal", journal, "--event", event)
    for extra, message in (
        ((), "event.toml, line 1: challenge: 'dubble' is no rule for challenges; write double"),
        (("--webhook", "ftp://x"), "--webhook: this is no address"),
    ):
        done = tilesight(*options, *extra)
        assert (done.code, journal.exists()) == (2, False), "what cannot begin leaves no journal behind"
        assert message in done.err
    event.write_text('challenge = "double"\n[table.other]\nlabel = "Table 2"\n')
    done = tilesight(*options, "--webhook", "http://127.0.0.1:9/")
    assert (done.code, len(served)) == (0, 1)
    assert "event.toml: there is no table other here; the tables are table" in done.err


def test_a_journal_of_another_game_is_refused(tilesight: Run, served: list[Any], tmp_path: Path) -> None:
    journal = ["--port", "0", "--journal", tmp_path / "g.db"]
    with open_game("table", tmp_path / "g.db") as game:
        game.apply_command(parse_command("play 8G HORN"))
    done = tilesight("serve", *journal, "--players", "Eva,Björn")
    assert (done.code, "another game (players: A,B)" in done.err) == (2, True)


def test_an_edition_that_was_changed_since_is_reported(
    tilesight: Run, served: list[Any], tmp_path: Path
) -> None:
    rules = tmp_path / "club.toml"
    rules.write_text('base = "english"\n[tiles]\nH = { count = 2, value = 4 }\n', encoding="utf-8")
    with open_game("table", tmp_path / "g.db", edition=str(rules)) as game:
        game.apply_command(parse_command("play 8G HORN"))
    command = ["serve", "--port", "0", "--journal", tmp_path / "g.db", "--edition", rules]
    assert "by the rules of" not in tilesight(*command).err
    rules.write_text('base = "english"\n[tiles]\nH = { count = 2, value = 10 }\n', encoding="utf-8")
    assert re.search(
        r"table: A had \d+ points when .* and has \d+ by the rules of club", tilesight(*command).err
    )


def test_a_journal_without_moves_begins_again_with_other_names(
    tilesight: Run, served: list[Any], tmp_path: Path
) -> None:
    journal = ["--port", "0", "--journal", tmp_path / "g.db"]
    with open_game("table", tmp_path / "g.db", players=("Ana", "Ben")) as game:
        game.apply_command(parse_command("rack Ana AB"))
    assert tilesight("serve", *journal, "--players", "Anna,Ben").code == 0
    done = tilesight("serve", *journal, "--players", "Ben,Anna")
    assert (done.code, "the order of play is Anna – Ben: that of the journal" in done.err) == (0, True)
    with open_game("table", tmp_path / "g.db", edition="polish") as game:
        assert (game.state.game.players, game.state.edition.name) == (("Anna", "Ben"), "polish")
        game.apply_command(parse_command("pass"))
        assert game.state.sequence == 2, "no number comes twice"
        game.apply_command(parse_command("undo"))
    done = tilesight("serve", *journal, "--players", "Eva,Ben", "--edition", "polish")
    assert (done.code, "another game" in done.err) == (2, True), "what was undone can be redone"


@pytest.mark.parametrize("option", [("--edition", "english"), ("--players", "A,B"), ("--rack-delay", "5")])
def test_what_a_file_says_for_each_table_is_refused_next_to_it(
    tilesight: Run, served: list[Any], tmp_path: Path, option: tuple[str, str]
) -> None:
    (tmp_path / "tables.toml").write_text("[table.final]\n")
    done = tilesight("serve", "--config", tmp_path / "tables.toml", *option)
    assert (done.code, served) == (2, [])
    assert f"{option[0]} with --config" in done.err
    assert f"write {option[0].removeprefix('--')} there" in done.err


def test_a_rack_camera_that_is_shown_no_rack_is_refused(
    tilesight: Run, served: list[Any], tmp_path: Path
) -> None:
    (tmp_path / "tables.toml").write_text('[table.final]\nrack-source = "rtsp://anna:s3cret@camera/1"\n')
    done = tilesight("serve", "--config", tmp_path / "tables.toml")
    assert (done.code, served) == (2, [])
    assert "racks names no place" in done.err
    assert "s3cret" not in done.err


def test_an_edition_file_is_the_same_however_it_is_named(
    tilesight: Run, served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "house.toml").write_text(edition_text("icelandic"), encoding="utf-8")
    (tmp_path / "tables.toml").write_text('[table.final]\nedition = "house.toml"\njournal = "final.db"\n')
    monkeypatch.chdir(tmp_path)
    for config in ("tables.toml", tmp_path / "tables.toml", "../" + tmp_path.name + "/tables.toml"):
        done = tilesight("serve", "--port", "0", "--config", config)
        assert done.code == 0, done.err
    assert len(served) == 3


def test_a_token_that_could_be_guessed_is_refused(
    tilesight: Run, served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILESIGHT_TOKEN", "1234")
    assert tilesight("serve", "--port", "0").code == 2


def test_without_its_packages_it_says_how_to_get_them(
    tilesight: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "uvicorn" else find(name, *rest)
    )
    done = tilesight("serve")
    assert (done.code, done.err.strip()) == (
        5,
        "tilesight: the Python package uvicorn is missing; install Tilesight again with all parts: "
        "pipx install --force './tilesight[all]' (in a checkout's .venv: .venv/bin/python -m pip install -e '.[all]')",
    )


def test_a_phone_as_source_says_how_it_becomes_the_camera(
    tilesight: Run, served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for kind in (VideoWorker, RackWorker):
        monkeypatch.setattr(kind, "start", lambda self: None)
        monkeypatch.setattr(kind, "stop", lambda self: None)
    done = tilesight("serve", "phone", "--port", "0", "--host", "0.0.0.0", "--tls", "self")
    assert done.code == 0
    assert "phone:   open the console, press 'phone'" in done.out
    assert "for OBS: http://127.0.0.1:" in done.out, "OBS shows no page whose certificate it does not know"
    assert list(served[0]._app.state.context.phones) == ["table"]
    plain = tilesight("serve", "phone", "--port", "0", "--host", "0.0.0.0")
    assert "browsers give the camera to encrypted pages only" in plain.err
    assert "for OBS:" not in plain.out
    here = tilesight("serve", "phone", "--port", "0")
    assert "listens to this machine only" in here.err


def test_the_commentators_address_is_printed_with_a_token_of_its_own(
    tilesight: Run, served: list[Any], tmp_path: Path
) -> None:
    lines = [tilesight("serve", "--port", "0", "--journal", tmp_path / f"{n}.db").out for n in range(2)]
    tokens = {line.partition("/commentary#")[2].split()[0] for line in lines}
    assert len(tokens) == 1, "it stays as long as the console's token"
    assert "a-token-that-is-kept" not in tokens
    assert "(read only)" in lines[0]


def test_lines_of_a_word_list_that_are_no_words_are_reported_once(
    tilesight: Run, served: list[Any], tmp_path: Path
) -> None:
    (tmp_path / "words.txt").write_text("HORN/S\nCAT\n")
    tables = [f'[table.{name}]\nlexicon = "words.txt"\n' for name in ("one", "two")]
    (tmp_path / "tables.toml").write_text("\n".join(tables))
    outcome = tilesight("serve", "--port", "0", "--config", tmp_path / "tables.toml")
    assert outcome.err.count("no words are skipped: 1 of 2, such as 'HORN/S'") == 1


def test_magpie_that_is_not_there_is_a_line(tilesight: Run, served: list[Any], tmp_path: Path) -> None:
    def start(*options: object) -> Outcome:
        return tilesight("serve", "--port", "0", "--journal", tmp_path / "g.db", *options)

    missing = start("--magpie", tmp_path / "none", "--magpie-lexicon", "CSW24")
    assert (missing.code, "none: no program, so commentators see no chances" in missing.err) == (0, True)
    program = write_program(tmp_path / "magpie")
    assert "no program" not in start("--magpie", program, "--magpie-lexicon", "CSW24").err
    assert not Path(f"{program}.asked").exists(), "it runs when commentators ask"
    assert start("--magpie-lexicon", "CSW24 -x").code == 2
    assert start("--language", "fr").code == 2
