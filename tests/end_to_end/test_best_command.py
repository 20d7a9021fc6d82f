"""`tilesight best`: what is printed, and bad input."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scoring import Board, CgpPosition, format_board, format_cgp, load_edition, parse_play
from tests.conftest import Outcome
from tilesight.cli.best import find_least_rack_count

Command = Callable[..., Outcome]

HUNGARIAN = load_edition("hungarian")
BOARD = Board.empty(HUNGARIAN).with_tiles(parse_play("8F ELADÓ", HUNGARIAN))


@pytest.fixture(autouse=True)
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "words.txt"
    path.write_text("eladó\neladók\nszó\nsó\nkés\n", encoding="utf-8")
    return path


@pytest.fixture
def cgp() -> str:
    return format_cgp(CgpPosition.of_board(BOARD, HUNGARIAN), HUNGARIAN)


def test_the_plays_are_printed_the_best_first(tilesight: Command, words: Path, cgp: str) -> None:
    outcome = tilesight("best", "--board", cgp, "--rack", "KSZ", "--lexicon", words)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines() == [
        "   8  8F .....K             ELADÓK 8",
        "   5  J7 SZ.                SZÓ 5",
    ]
    scores = [int(line.split()[0]) for line in outcome.out.splitlines()]
    assert scores == sorted(scores, reverse=True)
    top = tilesight("best", "--board", cgp, "--rack", "KSZ", "--lexicon", words, "--top", "1")
    assert top.out.splitlines() == outcome.out.splitlines()[:1]


def test_a_list_of_words_with_flags_is_reported(tilesight: Command, words: Path, cgp: str) -> None:
    words.write_text("3\neladó/K\nszó\n", encoding="utf-8")
    for _ in range(2):
        outcome = tilesight("best", "--board", cgp, "--rack", "K", "--lexicon", words)
        assert outcome.code == 0
        report, none = outcome.err.splitlines()
        assert report.endswith(
            "lines that are no words are skipped: 2 of 3, such as '3'; write one word a line"
        )
        assert none == "tilesight: no legal play; pass, or exchange tiles"


def test_board_and_words_may_come_from_pipes(tilesight: Command, words: Path, cgp: str) -> None:
    ends = []
    for content in (cgp.encode(), words.read_bytes()):
        reader, writer = os.pipe()
        os.write(writer, content)
        os.close(writer)
        ends.append(reader)
    board, lexicon = (f"/dev/fd/{end}" for end in ends)
    outcome = tilesight("best", "--board", board, "--rack", "KSZ", "--lexicon", lexicon)
    for end in ends:
        os.close(end)
    assert (outcome.code, len(outcome.out.splitlines())) == (0, 2), outcome.err


def test_json_has_the_fields_of_a_play(tilesight: Command, words: Path, cgp: str) -> None:
    outcome = tilesight("best", "--board", cgp, "--rack", "KSZ", "--lexicon", words, "--format", "json")
    first = outcome.json_lines[0]
    assert first["position"] == "8F"
    assert first["word"] == list("ELADÓK")
    assert first["placed"] == [[7, 10, "K"]]
    assert first["words"] == {"ELADÓK": first["score"]}


def test_a_board_in_a_file(tilesight: Command, words: Path, cgp: str, tmp_path: Path) -> None:
    rows, line = tmp_path / "rows.txt", tmp_path / "line.cgp"
    rows.write_text(format_board(BOARD, HUNGARIAN), encoding="utf-8")
    line.write_text(cgp, encoding="utf-8")
    arguments = ("--rack", "KSZ", "--lexicon", words)
    told = tilesight("best", "--board", line, *arguments).out
    assert told
    assert tilesight("best", "--board", rows, *arguments, "--edition", "hungarian").out == told


def test_a_recorded_game_is_named_as_such(tilesight: Command, words: Path, tmp_path: Path) -> None:
    game = tmp_path / "game.gcg"
    game.write_text("#player1 A Anna\n#player2 B Ben\n>A: HORN 8D HORN +14 14\n")
    outcome = tilesight("best", "--board", game, "--rack", "KSZ", "--lexicon", words)
    assert (outcome.code, outcome.err) == (
        3,
        "tilesight: --board: a recorded game is no position; give a line of CGP, or a file with the rows of its "
        "board\n",
    )


@pytest.mark.parametrize("operations", [" ld hungarian;", " lex HU;ld Hungarian;", ";ld hungarian"])
def test_the_edition_of_a_line_is_taken(tilesight: Command, words: Path, cgp: str, operations: str) -> None:
    line = cgp.partition(" ld ")[0] + operations
    outcome = tilesight("best", "--board", line, "--rack", "KSZ", "--lexicon", words)
    assert (outcome.out, outcome.err) == (
        tilesight("best", "--board", cgp, "--rack", "KSZ", "--lexicon", words).out,
        "",
    )


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (
            "norwegain",
            "'ld norwegain' is no edition known here, so english is taken; did you mean norwegian?",
        ),
        (
            "klingon",
            "'ld klingon' is no edition known here, so english is taken; if it is your own, name its file\n",
        ),
        ("", ""),
    ],
)
def test_an_edition_that_is_not_known_is_named(
    tilesight: Command, words: Path, named: str, message: str
) -> None:
    words.write_text("so\n", encoding="utf-8")
    board = f"{'/'.join(['15'] * 15)} / 0/0 0 ld {named};" if named else "/".join(["15"] * 15) + " / 0/0 0"
    outcome = tilesight("best", "--board", board, "--rack", "OS", "--lexicon", words)
    assert outcome.code == 0
    assert message in outcome.err
    assert ("no edition" in outcome.err) is bool(named)


@pytest.mark.parametrize(
    ("operations", "score", "message"),
    [
        ("lex FISE2;", "20", ""),
        ("-lex FISE2 -s1 score", "20", ""),
        (
            "ld klingon; lex FISE2;",
            "20",
            "'ld klingon' is no edition known here, so spanish is taken; if it is your own, name its file\n",
        ),
        ("lex KLI1;", "30", "'lex KLI1' is no edition known here, so english is taken\n"),
    ],
)
def test_a_line_that_names_its_word_list_only(
    tilesight: Command, words: Path, operations: str, score: str, message: str
) -> None:
    words.write_text("cocha\n", encoding="utf-8")
    board = f"{'/'.join(['15'] * 15)} / 0/0 0 {operations}"
    outcome = tilesight("best", "--board", board, "--rack", "COCHA", "--lexicon", words, "--top", "1")
    assert (outcome.out.split()[0], outcome.err.removeprefix("tilesight: --board: ")) == (score, message)


def test_a_part_of_a_rack_earns_no_bonus_for_all_tiles(tilesight: Command, words: Path) -> None:
    board = "/".join(["15"] * 15) + " / 0/0 0 ld norwegian;"
    words.write_text("as\n", encoding="utf-8")
    outcome = tilesight("best", "--board", board, "--rack", "AS", "--lexicon", words)
    assert outcome.out
    assert "bonus" not in outcome.out


@pytest.mark.parametrize(
    ("tiles", "players", "least"),
    [(0, 2, 7), (86, 2, 7), (88, 2, 5), (93, 2, 0), (79, 3, 7), (80, 3, 6), (93, 1, 7), (96, 1, 4)],
)
def test_a_rack_is_full_unless_the_others_can_hold_what_is_left(tiles: int, players: int, least: int) -> None:
    text = "E" * tiles + "." * (225 - tiles)
    board = Board.from_rows([text[start : start + 15] for start in range(0, 225, 15)])
    position = CgpPosition(board=board, scores=(0,) * players)
    assert find_least_rack_count(position, load_edition("norwegian")) == least
    assert find_least_rack_count(position, load_edition("romanian-rosian")) == 7, "its bag is not known"


def test_no_play_is_reported(tilesight: Command, words: Path, cgp: str) -> None:
    outcome = tilesight("best", "--board", cgp, "--rack", "B", "--lexicon", words)
    assert (outcome.code, outcome.out) == (0, "")
    assert "no legal play" in outcome.err


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        ({"--board": "none.txt"}, 3, "none.txt: No such file or directory; give a line of CGP"),
        ({"--board": "no/none.txt"}, 3, "no/none.txt: No such file or directory; give a line of CGP"),
        ({"--board": "15/15 / 0/0 0"}, 3, "2 rows and 15 columns"),
        ({"--board": "15/15"}, 3, "CGP: expected"),
        ({"--rack": "QQ"}, 2, "'QQ' has no tile at 'Q'"),
        ({"--rack": "KKKKKKKK"}, 2, "8 tiles are given, but a rack holds 7"),
        ({"--lexicon": "none.txt"}, 3, "the word list cannot be read"),
        ({"--edition": "hungarien"}, 2, "did you mean hungarian"),
    ],
)
def test_bad_input_is_named(
    tilesight: Command, words: Path, cgp: str, options: dict[str, str], code: int, text: str
) -> None:
    given = {"--board": cgp, "--rack": "KSZ", "--lexicon": str(words)} | options
    outcome = tilesight("best", *(part for pair in given.items() for part in pair))
    assert outcome.code == code, outcome.err
    assert text in outcome.err
    assert outcome.out == ""
    assert len(outcome.err.splitlines()) == 1
