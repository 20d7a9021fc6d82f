"""`tilesight score`: what is printed, what it ends with, and bad input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scoring import Game, format_gcg, load_edition, parse_play
from tests.conftest import Outcome

Command = Callable[..., Outcome]


@pytest.fixture
def game() -> Game:
    """A game with a play of each player, an exchange, a play taken back, and the end."""
    edition = load_edition("icelandic")
    game = Game(edition=edition, players=("Anna", "Jón"))
    game = game.with_play(parse_play("8D HRAKI", edition.tokens)).with_play(
        parse_play("G6 LO.I", edition.tokens)
    )
    game = (
        game.with_exchange("ÞÆ")
        .with_play(parse_play("H8 .S", edition.tokens))
        .with_withdrawal()
        .with_exchange(count=2)
        .with_no_play()
    )
    game = game.with_challenge(upheld=False).with_clock_penalty(10, player=1)
    return game.with_settlement({0: "AAAAAAA", 1: "RRRRRRR"})


@pytest.fixture
def gcg(game: Game, tmp_path: Path) -> Path:
    path = tmp_path / "game.gcg"
    path.write_text(format_gcg(game), encoding="utf-8")
    return path


def test_a_right_game_is_reported_word_by_word(tilesight: Command, gcg: Path) -> None:
    outcome = tilesight("score", gcg)
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0].split() == ["line", "player", "event", "score", "total"]
    told = [" ".join(line.split()[1:]) for line in lines[1:11]]
    assert told[:5] == [
        "Anna 8D HRAKI 28 +28 28",
        "Jón G6 LOKI 15 +15 15",
        "Anna exchange ÞÆ +0 28",
        "Jón 9G IS 2 + IS 2 +4 19",
        "Jón withdrawn -4 15",
    ]
    assert told[5:] == [
        "Anna exchange of 2 +0 28",
        "Jón pass or exchange +0 15",
        "Jón challenge failed +0 15",
        "Jón time -10 5",
        "Anna tiles left AAAAAAA -7 21",
    ]
    assert lines[-1] == "every printed score and total is right"
    assert lines[-2].startswith("1. Anna 21, 2. Jón -2 (icelandic); over:")


def test_each_line_that_differs_is_named(tilesight: Command, gcg: Path) -> None:
    text = gcg.read_text(encoding="utf-8").replace("+28 28", "+27 27").replace("+15 15", "+15 16", 1)
    gcg.write_text(text, encoding="utf-8")
    number = 1 + next(index for index, line in enumerate(text.splitlines()) if "HRAKI" in line)
    outcome = tilesight("score", gcg)
    assert outcome.code == 1
    assert outcome.err == ""
    named = [line for line in outcome.out.splitlines() if line.startswith("line ")][1:]
    assert named == [
        f"line {number}, Anna: score printed +27, is +28; total printed 27, is 28",
        f"line {number + 1}, Jón: total printed 16, is 15",
    ]
    table_line = next(line for line in outcome.out.splitlines() if "HRAKI" in line)
    assert "<- score printed +27, is +28" in table_line


def test_a_total_that_carries_an_earlier_error_on_is_reported(tilesight: Command, tmp_path: Path) -> None:
    path = tmp_path / "game.gcg"
    path.write_text("#player1 a Ann\n>a: CAT 8G CAT +12 12\n>a: S 8J S +6 18\n", encoding="utf-8")
    outcome = tilesight("score", path)
    assert outcome.code == 1
    assert "total printed 18, is 16 (carried over from an earlier line)" in outcome.out


def test_json_holds_the_game_its_differences_and_its_problems(
    tilesight: Command, gcg: Path, game: Game
) -> None:
    outcome = tilesight("score", gcg, "--format", "json")
    (found,) = outcome.json_lines
    assert found["right"] is True
    assert found["edition"] == "icelandic"
    assert found["totals"] == {"Anna": 21, "Jón": -2}
    assert found["ending"] == "settled"
    assert (found["differences"], found["problems"]) == ([], [])
    assert [event["event"] for event in found["events"]] == [event.kind for event in game.events]
    first = found["events"][0]
    assert first["position"] == "8D"
    assert first["word"] == list("HRAKI")
    assert first["placed"][0] == [7, 3, "H"]
    assert first["words"] == {"HRAKI": 28}
    assert (first["score"], first["total"], first["printed_score"], first["printed_total"]) == (
        28,
        28,
        28,
        28,
    )

    gcg.write_text(
        gcg.read_text(encoding="utf-8").replace("+28 28", "+27 27") + ">x: what\n", encoding="utf-8"
    )
    outcome = tilesight("score", gcg, "--format", "json")
    assert outcome.code == 3
    (found,) = outcome.json_lines
    assert found["right"] is False
    assert [difference["printed_score"] for difference in found["differences"]] == [27]
    assert [(problem["lost"]) for problem in found["problems"]] == [True]


def test_a_broken_line_is_named_and_the_rest_is_scored(tilesight: Command, gcg: Path) -> None:
    lines = gcg.read_text(encoding="utf-8").splitlines()
    number = 1 + next(index for index, line in enumerate(lines) if "-ÞÆ" in line)
    lines[number - 1] = ">Anna: ÞÆ ??? broken"
    gcg.write_text("\n".join(lines), encoding="utf-8")
    outcome = tilesight("score", gcg)
    assert outcome.code == 3
    assert "HRAKI 28" in outcome.out
    last = outcome.out.splitlines()[-1]
    assert last == "a line could not be read; every score and total printed on the others is right"
    assert outcome.err.startswith(f"tilesight: {gcg}, line {number}: '>Anna: ÞÆ ??? broken' is not an event")
    assert "Traceback" not in outcome.err


def test_several_broken_lines_are_counted(tilesight: Command, gcg: Path) -> None:
    gcg.write_text(gcg.read_text(encoding="utf-8") + ">x: what\n>y: what\n", encoding="utf-8")
    outcome = tilesight("score", gcg)
    assert outcome.code == 3
    assert outcome.out.splitlines()[-1].startswith("2 lines could not be read; every score")


def test_a_joker_of_unknown_letter_makes_a_score_incomplete(tilesight: Command, tmp_path: Path) -> None:
    edition = load_edition("krydsord")
    game = Game(edition=edition, players=("Ann", "Bo")).with_play(parse_play("8I H?N?", edition.tokens))
    path = tmp_path / "game.gcg"
    path.write_text(format_gcg(game), encoding="utf-8")
    assert "#note [tilesight] unknown-blanks J8 L8; score-incomplete J8 L8" in path.read_text(
        encoding="utf-8"
    )
    outcome = tilesight("score", path)
    assert (outcome.code, outcome.err) == (0, "")
    assert "(incomplete: joker on J8, L8)" in outcome.out
    (found,) = tilesight("score", path, "--format", "json").json_lines
    assert found["events"][0]["incomplete"] == ["J8", "L8"]


def test_a_name_that_a_terminal_would_obey(tilesight: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.gcg"
    path.write_text(
        "#character-encoding UTF-8\n#player1 A An\u202ena\n#player2 B Bea\n>A: CAT 8H CAT +10 10\n"
    )
    out = tilesight("score", path, "--edition", "english").out
    assert "\u202e" not in out
    assert "An\ufffdna" in out


def test_a_character_set_that_is_none_is_one_line(tilesight: Command, tmp_path: Path) -> None:
    path = tmp_path / "game.gcg"
    path.write_bytes(b"#character-encoding punycode\n#player1 a Ann\n>a: CAT 8G CAT +10 10\n")
    outcome = tilesight("score", path)
    assert outcome.code == 0
    (line,) = outcome.err.splitlines()
    assert "'punycode' is no character set known here; the text is read as UTF-8" in line


def test_the_edition_that_is_named_counts(tilesight: Command, gcg: Path) -> None:
    outcome = tilesight("score", gcg, "--edition", "icelandic-1990")
    assert outcome.code == 1
    assert "(icelandic-1990)" in outcome.out


def test_a_word_that_one_play_forms_twice_keeps_both_scores(tilesight: Command, tmp_path: Path) -> None:
    path = tmp_path / "game.gcg"
    path.write_text("#player1 a Ann\n>a: ANA 8G ANA\n>a: TOT 9G TOT\n", encoding="utf-8")
    (found,) = tilesight("score", path, "--format", "json").json_lines
    event = found["events"][1]
    assert set(event["words"]) == {"TOT", "AT", "NO"}
    assert sum(event["words"].values()) == event["score"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file"),
        (b"", "no line is a GCG event"),
        (b"\x89PNG\r\n\x1a\n\0\0", "zero bytes"),
        (b"#title nobody\n", "names no player"),
    ],
)
def test_bad_files_end_in_one_line(
    tilesight: Command, tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "game.gcg"
    if content is not None:
        path.write_bytes(content)
    outcome = tilesight("score", path)
    assert outcome.code == 3
    assert outcome.out == ""
    (line,) = outcome.err.splitlines()
    assert line.startswith(f"tilesight: {path}: ")
    assert words in line


def test_an_unknown_edition(tilesight: Command, gcg: Path) -> None:
    outcome = tilesight("score", gcg, "--edition", "icelandik")
    assert outcome.code == 2
    assert "icelandic" in outcome.err
    assert outcome.out == ""


def test_a_folder_has_a_line_for_each_game_and_a_summary(tilesight: Command, gcg: Path) -> None:
    folder = gcg.parent
    (folder / "sub").mkdir()
    text = gcg.read_text(encoding="utf-8")
    (folder / "sub" / "wrong.gcg").write_text(text.replace("+28 28", "+27 27"), encoding="utf-8")
    outcome = tilesight("score", folder)
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.splitlines() == [
        f"{gcg}: Anna 21, Jón -2 (icelandic); right",
        f"{folder}/sub/wrong.gcg: Anna 21, Jón -2 (icelandic); differs: line 5",
        "2 games: 1 right, 1 with other scores, 0 not read or not all of it",
    ]


def test_many_files_of_which_some_cannot_be_read(tilesight: Command, gcg: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gcg"
    broken.write_text(gcg.read_text(encoding="utf-8") + ">x: what\n", encoding="utf-8")
    outcome = tilesight("score", gcg, broken, tmp_path / "none.gcg")
    assert outcome.code == 3
    assert outcome.out.splitlines()[1].endswith("; not read: line 19")
    assert (
        outcome.out.splitlines()[-1] == "3 games: 1 right, 0 with other scores, 2 not read or not all of it"
    )
    assert outcome.err.splitlines() == [
        f"tilesight: {tmp_path}/none.gcg: No such file or directory; give a GCG file that can be read"
    ]
    as_json = tilesight("score", gcg, broken, "--format", "json")
    assert [each["right"] for each in as_json.json_lines] == [True, False]
    assert as_json.err.splitlines()[-1].startswith("tilesight: 2 games: 1 right")


def test_many_files_say_that_another_edition_is_taken(tilesight: Command, gcg: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.gcg"
    own.write_text("#tile-distribution mine\n#player1 a Ann\n>a: CAT 8G CAT +20 20\n", encoding="utf-8")
    alone, many = tilesight("score", own), tilesight("score", gcg, own)
    assert "'#tile-distribution mine' is no edition known here" in alone.err
    assert (many.code, many.err) == (1, alone.err)
    assert f"tilesight: {own}, line 1:" in tilesight("score", gcg, own, "--format", "json").err


def test_a_folder_gives_its_games_whatever_the_case_of_their_endings(
    tilesight: Command, gcg: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for name in ("a.GCG", "b.gcg"):
        (folder / name).write_bytes(gcg.read_bytes())
    assert tilesight("score", folder).out.splitlines()[-1].startswith("2 games: 2 right")


def test_a_folder_without_a_game_is_refused(tilesight: Command, tmp_path: Path) -> None:
    outcome = tilesight("score", tmp_path)
    assert outcome.code == 3
    assert "the folder has no file *.gcg" in outcome.err
