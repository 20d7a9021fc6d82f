"""The analyst of a table: best plays, chances to win, and notes where there is nothing to show."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.support.fake_magpie import write_program
from tests.support.on_air import open_table, send_commands
from tilesight.live import Analyst, LiveGame, Magpie, WordList

WORDS = "HRAKI\nRAKI\nHR\nLO\nÍS\nKÁL\nHRAKIN\n"


@pytest.fixture
def words_file(tmp_path: Path) -> Path:
    path = tmp_path / "words.txt"
    path.write_text(WORDS, encoding="utf-8")
    return path


@pytest.fixture
def table(tmp_path: Path, words_file: Path, monkeypatch: pytest.MonkeyPatch) -> LiveGame:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return open_table(tmp_path, rack_delay_s=30.0)


def notes(analyst: Analyst, table: LiveGame) -> tuple[str, str]:
    state, now_s = table.state, time.time()
    return analyst.find_plays(state, now_s).note, analyst.find_chances(state, now_s).note


def test_best_plays_of_the_player_on_turn_come_from_the_undelayed_rack(
    table: LiveGame, words_file: Path
) -> None:
    analyst = Analyst(WordList(words_file, table.state.edition))
    assert notes(analyst, table)[0] == "the rack of Anna is not known"
    send_commands(table, "rack Anna HRAKIAÐ")
    found = analyst.find_plays(table.state, time.time())
    assert (found.player, found.note, found.plays[0].main_word.text) == (0, "", "HRAKI")
    assert found.count > len({play.main_word.text for play in found.plays}) > 1
    assert analyst.find_plays(table.state, time.time()) is found
    send_commands(table, "play 8D HRAKI", "rack Jón ÍSNNNNN")
    found = analyst.find_plays(table.state, time.time())
    assert (found.player, found.plays[0].main_word.text) == (1, "HRAKIN")
    send_commands(table, "end Anna= Jón=AB")
    assert notes(analyst, table)[0] == "the game is over"


def test_a_rack_that_is_known_in_part_earns_no_bonus_for_all_tiles(
    tmp_path: Path, words_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    table = send_commands(open_table(tmp_path, edition="norwegian"), "rack Anna LO")
    found = Analyst(WordList(words_file, table.state.edition)).find_plays(table.state, time.time())
    send_commands(table, "play 8G LO")
    assert {play.total for play in found.plays} == {table.state.game.totals[0]}


def test_what_is_missing_is_a_note(tmp_path: Path, table: LiveGame) -> None:
    send_commands(table, "rack Anna HRAKIAÐ")
    without_list, without_magpie = notes(Analyst(), table)
    assert "no word list is named" in without_list
    assert "MAGPIE is not used" in without_magpie
    program = write_program(tmp_path / "magpie")
    three = send_commands(open_table(tmp_path, "three", players=("Anna", "Jón", "Páll")), "rack Anna HRAKIAÐ")
    assert "two players" in notes(Analyst(magpie=Magpie(program, "X")), three)[1]


def test_chances_are_asked_once_a_position(tmp_path: Path, table: LiveGame) -> None:
    program = write_program(tmp_path / "magpie")
    analyst = Analyst(magpie=Magpie(program, "IS"))
    send_commands(table, "rack Anna HRAKIAÐ")
    found = analyst.find_chances(table.state, time.time())
    assert (found.player, found.plays[0].chance) == (0, 0.6125)
    send_commands(table, "title A title")
    assert analyst.find_chances(table.state, time.time()) is found
    asked = Path(f"{program}.asked").read_text()
    assert asked.count("cgp") == 1
    assert "/15/15 HRAKIAÐ/ 0/0 0 -lex IS" in asked


def test_a_program_that_crashes_leaves_the_table_alone(tmp_path: Path, table: LiveGame) -> None:
    analyst = Analyst(magpie=Magpie(write_program(tmp_path / "magpie", behaviour="sys.exit(3)"), "IS"))
    send_commands(table, "rack Anna HRAKIAÐ")
    assert notes(analyst, table)[1] == "MAGPIE gave no chances for this position"
    assert send_commands(table, "play 8D HRAKI").state.game.totals == (28, 0)


def test_words_of_a_play_are_checked_with_their_blanks(table: LiveGame, words_file: Path) -> None:
    words = WordList(words_file, table.state.edition)
    send_commands(table, "play 8D HRaKI", "play D8 HÚS")
    plays = [step.scored for step in table.state.game.steps if step.scored is not None]
    assert [words.check_play(scored) for scored in plays] == [[True], [False]]
    assert words.contains(["?", "S"]) is False
