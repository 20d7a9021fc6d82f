"""The commentators' endpoints: everything undelayed, with a token that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlencode

import pytest

from scoring import parse_play
from tests.support.fake_magpie import write_program
from tests.support.on_air import BEARER, TOKEN, RunningServer, open_table, send_commands, serve_tables
from tests.support.serving import wait_until
from tilesight.live import Analyst, Magpie, WordList
from tilesight.web.access.security import ConsoleToken
from vision.game_events import GameUpdate, UpdateBatch, UpdateKind

COMMENTARY = ConsoleToken(TOKEN).commentary
READER = {"Authorization": f"Bearer {COMMENTARY}"}
VIEW = "/api/tables/final/commentary"


@pytest.fixture
def air(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningServer]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "words.txt"
    path.write_text("HRAKI\nRAKI\n", encoding="utf-8")
    final = open_table(tmp_path, rack_delay_s=30.0, delay_s=20.0)
    magpie = Magpie(write_program(tmp_path / "magpie"), "IS")
    analyst = Analyst(WordList(path, final.state.edition), magpie)
    with serve_tables(final, open_table(tmp_path, "left"), analysts={"final": analyst}) as running:
        yield running


def test_commentators_see_racks_and_plays_that_viewers_do_not_see_yet(air: RunningServer) -> None:
    send_commands(air.tables["final"], "play 8D HRAKI", "rack Jón RAKIABÐ", "play D8 HÚ", "rack Anna RAKIABÐ")
    shown = air.json(VIEW, headers=READER)
    assert (shown["players"][0]["rack"], shown["players"][0]["total"]) == (list("RAKIABÐ"), 28)
    assert shown["word_checks"] == [[True], [False]]
    viewers = air.json("/api/tables/final")
    assert (viewers["players"][0]["rack"], viewers["moves"], "word_checks" in viewers) == ([], [], False)
    plays = air.json(f"{VIEW}/plays", headers=READER)
    assert (plays["player"], plays["note"], plays["count"] > 0) == (0, "", True)
    assert set(dict(plays["plays"][0]["words"])) <= {"HRAKI", "RAKI"}
    chances = air.json(f"{VIEW}/chances", headers=READER)
    assert chances["plays"][0] == {"play": "8D HRAKI", "score": 28, "chance": 0.6125}


def test_a_camera_play_that_may_go_on_leaves_the_choice_to_the_next_player(air: RunningServer) -> None:
    table = send_commands(air.tables["final"], "rack Anna HRAKIAÐ", "rack Jón RAKIABÐ")
    game = table.state.game.with_play(parse_play("8D HRAKI", table.state.edition.tokens))
    update = GameUpdate(kind=UpdateKind.PLAY, game=game, step=game.steps[-1], is_provisional=True)
    table.record(UpdateBatch(source="film", index=3, game=game, updates=(update,), time_s=0.5))
    shown = air.json(VIEW, headers=READER)
    assert (shown["moves"][-1]["provisional"], shown["players"][1]["on_turn"]) == (True, True)
    plays = air.json(f"{VIEW}/plays", headers=READER)
    assert (plays["player"], plays["note"]) == (1, "")
    assert "D8 .RAKI" in {play["play"] for play in plays["plays"]}
    assert air.json(f"{VIEW}/chances", headers=READER)["player"] == 1


def test_a_server_that_is_stopped_does_not_wait_for_magpie(tmp_path: Path) -> None:
    table = open_table(tmp_path)
    send_commands(table, "rack Anna RAKIABÐ")
    magpie = Magpie(write_program(tmp_path / "magpie", behaviour="time.sleep(60)"), "IS")
    with (
        ThreadPoolExecutor() as asking,
        serve_tables(table, analysts={"final": Analyst(None, magpie)}) as air,
    ):
        asked = asking.submit(air.json, f"{VIEW}/chances", headers=READER)
        wait_until(lambda: magpie._process is not None)
    assert asked.result()["note"] == "MAGPIE gave no chances for this position"


def test_words_are_checked_in_the_tables_list(air: RunningServer) -> None:
    for who in (READER, BEARER):
        found = air.json(f"{VIEW}/words?words=hraki&words=LO&words=hrak%C3%AC", headers=who)
        assert found == {"words": [["HRAKI", True], ["LO", False], ["HRAKÌ", True]]}
    assert air.json("/api/tables/left/commentary/words?words=LO", headers=READER) == {"words": None}
    assert air.request("GET", f"{VIEW}/words?{'words=A&' * 17}", headers=READER)[0] == 422


def test_words_are_spelled_as_the_tiles_of_the_edition(tmp_path: Path) -> None:
    own = tmp_path / "turkish.toml"
    text = (files("scoring.editions.data") / "hungarian.toml").read_text(encoding="utf-8")
    own.write_text(
        text.replace("[tiles]", '[tiles]\n"İ" = { value = 1 }\n"Ş" = { value = 1 }'), encoding="utf-8"
    )
    list_path = tmp_path / "words.txt"
    list_path.write_text("ışık\niş\nszik\n", encoding="utf-8")
    final = open_table(tmp_path, edition=str(own))
    analyst = Analyst(WordList(list_path, final.state.edition))
    with serve_tables(final, analysts={"final": analyst}) as air:
        query = urlencode([("words", word) for word in ("iş", "IŞIK", "ışık", "[sz]ik", "ß")])
        found = air.json(f"{VIEW}/words?{query}", headers=READER)
    assert found == {"words": [["İŞ", True], ["IŞIK", True], ["IŞIK", True], ["SZİK", True], ["SS", False]]}


def test_what_a_table_lacks_is_a_note(air: RunningServer) -> None:
    notes = [
        air.json(f"/api/tables/left/commentary/{each}", headers=READER)["note"]
        for each in ("plays", "chances")
    ]
    assert notes[0] == "the rack of Anna is not known"
    assert notes[1].startswith("MAGPIE is not used")


def test_the_commentators_token_reads_and_changes_nothing(air: RunningServer) -> None:
    for path in ("", "/plays", "/chances", "/words?words=A", "/events"):
        assert air.request("GET", VIEW + path)[0] == 401
    body = {"verb": "pass", "words": []}
    refused = [
        air.request("GET", "/api/tables/final/desk", headers=READER)[0],
        air.request("GET", "/api/tables/final/desk/events", headers=READER)[0],
        air.request("GET", "/api/tables/final/camera.jpg", headers=READER)[0],
        air.request("POST", "/api/tables/final/commands", body, READER)[0],
        air.request("GET", "/api/session", headers=READER)[0],
        air.request("POST", "/api/session/code", {}, READER)[0],
    ]
    assert refused == [403] * 6
    assert air.tables["final"].state.sequence == 0
    assert TOKEN not in COMMENTARY


def test_the_token_opens_a_session_of_its_own(air: RunningServer) -> None:
    status, headers, _ = air.request("POST", "/api/session", {"token": COMMENTARY})
    assert status == 200
    cookie = {"Cookie": headers["set-cookie"].partition(";")[0]}
    assert air.request("GET", VIEW, headers=cookie)[0] == 200
    assert air.request("POST", "/api/tables/final/commands", {"verb": "pass"}, cookie)[0] == 403
    assert {each["right"] for each in air.json("/api/session", headers=BEARER)} == {"commentator"}


def test_their_events_come_at_once(air: RunningServer) -> None:
    with air.events(f"{VIEW}/events", headers=READER) as events:
        next(events)
        send_commands(air.tables["final"], "rack Anna HRAKIAÐ")
        assert next(events)["state"]["players"][0]["rack"] == list("HRAKIAÐ")
