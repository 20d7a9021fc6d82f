"""The text fields that streams show: shapes written by hand from what the tools of the field print."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scoring import Game, format_gcg, parse_gcg
from tests.support.on_air import journal_of, open_table, send_commands
from tilesight.live import LiveGame
from tilesight.live.fields import FIELDS, format_field

START = "A" * 9 + " "


@pytest.fixture
def english(tmp_path: Path) -> LiveGame:
    return open_table(tmp_path, edition="english", players=("Ann Lee", "Bo"), clock_s=1500.0, now=lambda: 0.0)


def text(table: LiveGame, field: str, now_s: float = 0.0) -> str:
    return format_field(field, table.state, now_s)


def test_before_the_first_play(english: LiveGame) -> None:
    assert text(english, "score") == "  0 - 0  "
    assert text(english, "p1_score") == "  0"
    assert text(english, "last_play") == "LAST PLAY: (no play yet)"
    assert text(english, "unseen_tiles") == (
        "AAAAAAAAA BB CC DDDD EEEEEEEEEEEE FF GGG HH IIIIIIIII J K LLLL MM NNNNNN OOOOOOOO PP Q RRRRRR SSSS TTTTTT "
        "UUUU VV WW X YY Z ?? "
    )
    assert text(english, "unseen_count") == "100 tiles\n42 vowels | 56 consonants"
    assert text(english, "blank1") == ""
    assert text(english, "blank2") == ""
    assert text(english, "turn") == "Ann Lee"
    assert text(english, "title") == "Ann Lee – Bo"


def test_a_blank_for_a_dotted_i_is_typed_and_shown_with_its_dot_only(tmp_path: Path) -> None:
    own, dotted = tmp_path / "own.toml", "i\u0307"
    own.write_text('base = "english"\n[tiles]\n"İ" = { count = 7, value = 1 }\n', encoding="utf-8")
    table = open_table(tmp_path, edition=str(own), players=("Ann", "Bo"))
    send_commands(table, "play 8G İSİm", "letter J8 M", "letter G8 i", "play J7 ı.A")
    assert text(table, "last_play") == "LAST PLAY: Bo J7 ı(M)A 4 4"
    assert text(table, "blank1") == "iSİM"
    for typed, blank in (("i", dotted), ("ı", "i")):
        send_commands(table, f"letter G8 {typed}")
        board = table.state.game.board
        assert (board[7, 6], board[7, 8], board[6, 9]) == (blank, "İ", "i")
        record = parse_gcg(format_gcg(table.state.game), table.state.edition)
        assert (record.problems, record.game.board) == ((), board)
        journal_of(table).close()
        table = open_table(tmp_path, edition=str(own), players=("Ann", "Bo"))
        assert table.state.game.board == board


def test_after_some_plays(english: LiveGame) -> None:
    send_commands(english, "play 8D hOUSE", "play E7 T.NE")
    assert text(english, "score") == "  8 - 4  "
    assert text(english, "p1_score") == "  8"
    assert text(english, "p2_score") == "  4"
    assert text(english, "p1_name") == "Ann Lee"
    assert text(english, "blank1") == "hOUSE"
    assert text(english, "blank2") == ""


@pytest.mark.parametrize(
    ("commands", "line"),
    [
        (["play 8D HOUSE"], "LAST PLAY: Ann Lee 8D HOUSE 24 24"),
        (["play 8D HoUSE"], "LAST PLAY: Ann Lee 8D HoUSE 22 22"),
        (["play 8D HOUSE", "play E6 CL..N"], "LAST PLAY: Bo E6 CL(O)UN"),
        (["play 8D HOUSE", "pass"], "LAST PLAY: Bo pass 0 0"),
        (["play 8D HOUSE", "exchange QV"], "LAST PLAY: Bo exch QV 0 0"),
        (["play 8D HOUSE", "exchange 3"], "LAST PLAY: Bo exch 3 0 0"),
        (["play 8D HOUSE", "exchange"], "LAST PLAY: Bo exch (unknown) 0 0"),
        (["play 8D HOUSE", "challenge"], "LAST PLAY: Ann Lee CHALLENGED OFF HOUSE"),
        (["play 8D HOUSE", "withdraw"], "LAST PLAY: Ann Lee TAKEN BACK HOUSE"),
        (["play 8D HOUSE", "challenge lost"], "LAST PLAY: Ann Lee 8D HOUSE 24 24"),
        (["play 8D HOUSE", "clock Bo 10"], "LAST PLAY: Ann Lee 8D HOUSE 24 24"),
    ],
)
def test_the_last_play(english: LiveGame, commands: list[str], line: str) -> None:
    if "CL(O)UN" in line:
        commands, line = [commands[0], "play E7 C.N"], "LAST PLAY: Bo E7 C(O)N 5 5"
    send_commands(english, *commands)
    assert text(english, "last_play") == line


def test_a_name_that_runs_from_right_to_left_keeps_its_place(tmp_path: Path) -> None:
    table = open_table(tmp_path, edition="english", players=("שרה כהן", "Zoë"))
    send_commands(table, "play 8G QUIZ")
    assert text(table, "last_play") == "LAST PLAY: \u2068שרה כהן\u2069 8G QUIZ 44 44"
    send_commands(table, "pass")
    assert text(table, "last_play") == "LAST PLAY: Zoë pass 0 0"
    assert text(table, "title") == "\u2068שרה כהן\u2069 – Zoë"


def test_one_of_a_kind_is_no_plural(tmp_path: Path) -> None:
    table = open_table(tmp_path, edition="icelandic")
    send_commands(table, "play 8D HRAKI")
    count = text(table, "unseen_count")
    assert count.splitlines()[0] == "99 tiles"
    assert " vowels | " in count


@pytest.mark.parametrize(
    ("letters", "vowels"),
    [("ΑΒΓΕΖΗΙΚΟΠΥΩ", 7), ("АБВЕЁЖИЙОУЫЬЭЮЯ", 10), ("ІЇЄҐЎ", 3)],
)
def test_vowels_of_greek_and_cyrillic(tmp_path: Path, letters: str, vowels: int) -> None:
    own = tmp_path / "own.toml"
    lines = (f'"{letter}" = {{ count = 1, value = 1 }}\n' for letter in letters)
    own.write_text(f"[tiles]\n{''.join(lines)}", encoding="utf-8")
    count = text(open_table(tmp_path, edition=str(own)), "unseen_count")
    assert count.splitlines()[1] == f"{vowels:2d} vowels | {len(letters) - vowels:2d} consonants"


def test_digraphs_and_blanks_of_them(tmp_path: Path) -> None:
    table = open_table(tmp_path, edition="hungarian", players=("Erzsébet", "Bálint"))
    send_commands(table, "play 8G szÉGY")
    assert text(table, "last_play") == "LAST PLAY: Erzsébet 8G szÉGY 14 14"
    assert text(table, "blank1") == "szÉGY"
    assert " SZSZ T" in text(table, "unseen_tiles"), "the blank lies there, no SZ"
    assert text(table, "unseen_tiles").endswith(" ZS ? ")


def test_clocks_and_racks(english: LiveGame) -> None:
    send_commands(english, "rack Bo ABC?", "start")
    assert text(english, "p1_clock", 61.0) == "23:59"
    assert text(english, "p2_clock", 61.0) == "25:00"
    assert text(english, "p1_clock", 1510.0) == "-0:10"
    assert text(english, "p2_rack") == "ABC?"
    assert text(english, "p3_rack") == ""
    assert text(english, "p3_clock") == ""


def test_racks_wait_for_their_delay(tmp_path: Path) -> None:
    table = open_table(tmp_path, rack_delay_s=20.0, now=lambda: 100.0)
    send_commands(table, "rack Anna AÐ")
    assert text(table, "p1_rack", 110.0) == ""
    assert text(table, "p1_rack", 120.0) == "AÐ"


def test_three_players_and_one(tmp_path: Path) -> None:
    three = open_table(tmp_path, "three", players=("A", "B", "C"))
    assert text(three, "score") == "  0 -   0 -   0"
    assert text(three, "p3_name") == "C"


def test_a_bag_that_is_not_known_leaves_its_fields_empty(english: LiveGame) -> None:
    unknown = replace(english.state.game.edition, counts=dict.fromkeys(english.state.game.edition.counts))
    state = replace(english.state, game=Game(edition=unknown, players=("Ann", "Bo")))
    for field in ("unseen_tiles", "unseen_count"):
        assert format_field(field, state, 0.0) == ""


def test_every_field_has_a_text_at_every_moment(english: LiveGame) -> None:
    for commands in ([], ["play 8D HOUSE"], ["pass", "pass", "pass", "pass"], ["end Ann Lee=A Bo="]):
        send_commands(english, *commands)
        assert all(isinstance(text(english, field), str) for field in FIELDS)
    assert text(english, "turn") == ""
