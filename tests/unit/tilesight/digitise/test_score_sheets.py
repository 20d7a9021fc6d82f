"""Score sheets: what they say, which photos they name, and which game each is of."""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Literal
from unittest.mock import MagicMock

import numpy as np
import pytest

from tilesight.digitise.games import Photo
from tilesight.digitise.score_sheets.file import (
    Sheet,
    SheetTurn,
    find_unmatched_patterns,
    load_kept_sheets,
    load_sheets,
    match_photos,
    save_sheets,
)
from tilesight.digitise.score_sheets.matching import GameCandidate, SheetMatch, assign_sheets, list_candidates
from vision.errors import InputError, SettingsError

TURNS = (
    SheetTurn(player=0, points=28),
    SheetTurn(player=1, points=15),
    SheetTurn(player=0, points=0, is_pass=True),
    SheetTurn(player=1, points=0, exchanged=3),
    SheetTurn(player=0, points=74),
)


@pytest.mark.parametrize(
    "turns",
    [
        '[[28, "pass", 74], [15, "x3"]]',
        '[["28", "Pass", 74], [15, "X3"]]',
        '"game.csv"',
        '"semicolons.csv"',
        '"empty_cells.csv"',
    ],
)
def test_a_score_sheet_names_photos_players_and_turns(tmp_path: Path, turns: str) -> None:
    path = tmp_path / "sheets.toml"
    path.write_text(f'[[game]]\nphotos = "club/*.jpg"\nplayers = ["Anna", "Jón"]\nturns = {turns}\n')
    (tmp_path / "game.csv").write_text("player,points\nAnna,28\nJón, 15\n\nAnna,pass\nJón,x3\nAnna,74\n")
    (tmp_path / "semicolons.csv").write_text("\nAnna;28\nJón;15\nAnna;pass\nJón;x3\nAnna;74\n")
    (tmp_path / "empty_cells.csv").write_text(
        '"Anna",28,""\n"Jón",15,\nAnna,pass,,\nJón,x3\n"Anna","74",""\n,,\n'
    )
    (sheet,) = load_sheets(path)
    assert (sheet.players, sheet.turns) == (("Anna", "Jón"), TURNS)
    assert match_photos(sheet.photos, ["x.jpg", "club/3.jpg"]) == {"club/3.jpg"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("game = 3", "[[game]]"),
        ("[[game]]\nphotos = 'a'\n", "needs photos and players"),
        ("[[game]]\nphotos = 'a'\nplayers = ['A']\ncolour = 1\n", "nothing else"),
        ("[[game]]\nphotos = 'a'\nplayers = 'A'\n", "lists of texts"),
        ("[[game]]\nphotos = 'a'\nplayers = ['A', 'A']\n", "s.toml: game 1: two players have one name"),
        ("[[game]]\nphotos = 'a'\nplayers = ['', 'B']\n", "s.toml: game 1: a player's name is empty"),
        ("[[game]]\nphotos = 'a'\nplayers = ['A', 'B', 'C', 'D', 'E']\n", "game 1: a game has 1 to 4"),
        ("[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = [[1]]\n", "a list for each of 2 players"),
        ("[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = 3\n", "a list for each of 2 players"),
        (
            "[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = [[1], [2, 3]]\n",
            "the players have 1, 2 turns",
        ),
        (
            "[[game]]\nphotos = 'a'\nplayers = ['A', 'B', 'C']\nturns = [[1, 2, 3], [1, 2], [1]]\n",
            "the players have 3, 2, 1 turns",
        ),
        ("[[game]]\nphotos = 'a'\nplayers = ['B', 'C']\nturns = 'bad.csv'\n", "row 1: 'A,1' is no turn of B"),
        ("[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = [[1], [-2]]\n", "B, turn 1: -2 is no turn"),
        (
            "[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = [[1, -6], [2]]\n",
            "leave out the points for racks at the end",
        ),
        (
            "[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = [[true], [2]]\n",
            "A, turn 1: True is no turn",
        ),
        (
            "[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = [['x0'], [2]]\n",
            "write the points of a turn",
        ),
        ("[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = 'bad.csv'\n", "row 3: 'C,3' is no turn of A"),
        (
            "[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = 'empty.csv'\n",
            "holds no turn ('player,points' is none",
        ),
        ("[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = 'zero.csv'\n", "row 1: 'x0' is no turn"),
        (
            "[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = 'long.csv'\n",
            "long.csv: is no table in CSV",
        ),
        (
            "[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = 'left-out.csv'\n",
            "left-out.csv: row 4: 'A,2' is no turn of B; write a row player,points for each turn in the order of play",
        ),
        (
            "[[game]]\nphotos = 'a'\nplayers = ['A', 'B']\nturns = 'columns.csv'\n",
            "columns.csv: row 1: 'A;B' is no turn of A; write a row player,points for each turn",
        ),
        ("[[game", "not valid TOML"),
    ],
)
def test_a_score_sheet_that_makes_no_sense_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "s.toml").write_text(text)
    (tmp_path / "bad.csv").write_text("A,1\nB,2\nC,3\n")
    (tmp_path / "left-out.csv").write_text("player,points\nA,1\n\nA,2\nB,3\n")
    (tmp_path / "columns.csv").write_text("A;B\n28;15\n20;19\n")
    (tmp_path / "empty.csv").write_text("player,points\n\n")
    (tmp_path / "zero.csv").write_text("A;x0\nB;2 points\n")
    (tmp_path / "long.csv").write_text("A," + "9" * 200_000)
    with pytest.raises(SettingsError, match=re.escape(words)):
        load_sheets(tmp_path / "s.toml")
    with pytest.raises(InputError, match="cannot be read"):
        load_sheets(tmp_path / "none.toml")


@pytest.mark.parametrize("name", ["folder", "/dev/zero"])
def test_a_folder_or_a_device_is_no_score_sheet(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        load_sheets(tmp_path / name)


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 5000])
def test_numbers_and_lists_without_end_are_no_toml(tmp_path: Path, value: str) -> None:
    (tmp_path / "sheets.toml").write_text(f"game = {value}")
    with pytest.raises(SettingsError, match="not valid TOML"):
        load_sheets(tmp_path / "sheets.toml")


def test_a_name_with_a_null_character_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "sheets.toml"
    path.write_text('[[game]]\nphotos = "a.jpg"\nplayers = ["A"]\nturns = "a\\u0000.csv"\n')
    with pytest.raises(InputError, match="cannot be read"):
        load_sheets(path)


def test_score_sheets_that_are_kept_are_those_that_were_loaded(tmp_path: Path) -> None:
    kept = tmp_path / "sheets.json"
    assert load_kept_sheets(kept) == ()
    sheets = (sheet_of("A/Þór *.jpg"), Sheet(photos=("b.jpg", "c.jpg"), players=("Anna",)))
    save_sheets(kept, sheets)
    assert load_kept_sheets(kept) == sheets
    kept.write_text('[{"photos": ["a.jpg"]}]')
    with pytest.raises(InputError, match=r"is damaged .* with --sheets"):
        load_kept_sheets(kept)


def test_a_score_sheet_may_begin_with_a_mark_of_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "sheets.toml"
    path.write_text('[[game]]\nphotos = "a.jpg"\nplayers = ["Þór"]\n', encoding="utf-8-sig")
    assert load_sheets(path)[0].players == ("Þór",)


@pytest.mark.parametrize(
    "before",
    [";\n", "sep=;\n", "sep=;\n;\nplayer;points\n", "Club;\nplayer;points\n", '"a, b, c";points\n', ""],
)
def test_a_table_of_a_spreadsheet_may_have_rows_before_the_turns_and_commas_in_names(
    tmp_path: Path, before: str
) -> None:
    path = tmp_path / "sheets.toml"
    path.write_text('[[game]]\nphotos = "a.jpg"\nplayers = ["Smith, Anna, Jr", "Jón"]\nturns = "game.csv"\n')
    rows = '"Smith, Anna, Jr";28\nJón;15\n"Smith, Anna, Jr";pass\nJón;x3\n"Smith, Anna, Jr";74\n'
    for text in (before + rows, (before + rows).replace('"', ""), (before + rows).replace(";", "\t")):
        (tmp_path / "game.csv").write_text(text)
        assert load_sheets(path)[0].turns == TURNS
        cells = "\t\t" if "\t" in text else ";;"
        (tmp_path / "game.csv").write_text(text.replace("\n", cells + "\n"))
        assert load_sheets(path)[0].turns == TURNS
    commas = rows.replace(";", ",")
    for text in ("Club\n" + commas, "Anna; Jón\nplayer,points\n" + commas, commas.replace("15\n", "15\t\n")):
        (tmp_path / "game.csv").write_text(text)
        assert load_sheets(path)[0].turns == TURNS


PHOTOS = [
    "final.jpg",
    "A/final.jpg",
    "A/final [1].jpg",
    "A/final 1.jpg",
    "club [2014]/a.jpg",
    "club [2014]/b.jpg",
    "club 2/a.jpg",
    "B/13-1.jpg",
    "B/3-1.jpg",
    "B/3-2.jpg",
]


@pytest.mark.parametrize(
    ("pattern", "photos"),
    [
        ("final.jpg", {"final.jpg"}),  # a whole name
        ("*/final.jpg", {"A/final.jpg"}),
        ("f*.jpg", {"final.jpg", "A/final.jpg", "A/final [1].jpg", "A/final 1.jpg"}),
        ("3-*.jpg", {"B/3-1.jpg", "B/3-2.jpg"}),
        ("A/final [1].jpg", {"A/final [1].jpg"}),
        ("final [1].jpg", {"A/final [1].jpg"}),  # its end
        ("final [0-9].jpg", {"A/final 1.jpg"}),
        ("club [2014]/*.jpg", {"club 2/a.jpg"}),
        ("club [2014]/b*.jpg", {"club [2014]/b.jpg"}),  # the brackets of a name
        ("inal.jpg", set()),
        ("", set()),
    ],
)
def test_photos_are_named_by_their_names_by_the_ends_of_these_or_by_patterns(
    pattern: str, photos: set[str]
) -> None:
    assert match_photos([pattern], PHOTOS) == photos
    sheet = Sheet(photos=(pattern, "B/3-1.jpg"), players=("Anna",))
    assert find_unmatched_patterns([sheet], PHOTOS) == ([] if photos else [pattern])


def test_names_match_in_every_form_of_unicode(tmp_path: Path) -> None:
    forms: list[Literal["NFC", "NFD"]] = ["NFC", "NFD"]
    for form, other in itertools.permutations(forms):
        name = unicodedata.normalize(form, "A/Jón.jpg")
        for pattern in ("A/Jón.jpg", "Jón.jpg", "*/J?n.jpg"):
            assert match_photos([unicodedata.normalize(other, pattern)], [name, "A/Jon.jpg"]) >= {name}
        text = '[[game]]\nphotos = "a.jpg"\nplayers = [" Anna ", "Jón"]\nturns = "game.csv"\n'
        (tmp_path / "s.toml").write_text(unicodedata.normalize(other, text))
        (tmp_path / "game.csv").write_text(unicodedata.normalize(form, "Anna,28\nJón,15\n"))
        (sheet,) = load_sheets(tmp_path / "s.toml")
        assert sheet.players == ("Anna", "Jón")


def sheet_of(*photos: str, turns: tuple[SheetTurn, ...] = TURNS) -> Sheet:
    return Sheet(photos=photos, players=("Anna", "Jón"), turns=turns)


def found(*names: str, first: int = 0) -> GameCandidate:
    """A game of these photos, or a board."""
    return {name: first + number for number, name in enumerate(names)}


def test_a_sheet_is_of_the_game_whose_photos_it_names() -> None:
    games = [
        found("A/1.jpg", "A/2.jpg"),
        found("B/1.jpg", first=2),
        found("B/2.jpg", first=3),
    ]
    photos = ["A/1.jpg", "A/2.jpg", "B/1.jpg", "B/2.jpg"]
    sheets = [sheet_of("A/*.jpg"), sheet_of("B/2.jpg"), sheet_of("A/2.jpg")]
    uses, remarks = assign_sheets(sheets, games, 1, photos)
    assert uses == [
        SheetMatch(sheet=sheets[0], photo=0),
        None,
        SheetMatch(sheet=sheets[1], photo=3),
    ]
    assert remarks == []  # two sheets that say the same contradict nothing


def test_sheets_that_contradict_one_another_are_not_used() -> None:
    games, photos = [found("A/1.jpg", "A/2.jpg")], ["A/1.jpg", "A/2.jpg"]
    sheets = [sheet_of("1.jpg"), sheet_of("2.jpg", turns=()), sheet_of("none.jpg")]
    uses, remarks = assign_sheets(sheets, games, 1, photos)
    assert uses == [None]
    assert tuple(remarks) == (
        "game 1 (Anna, Jón) is not used: game 2 says otherwise who played the game of A/1.jpg, or what they had; "
        "keep the right one only",
        "game 2 (Anna, Jón) is not used: game 1 says otherwise who played the game of A/2.jpg, or what they had; "
        "keep the right one only",
    )
    _, remarks = assign_sheets([*sheets[:2], replace(sheets[0], turns=TURNS[:4])], games, 1, photos)
    assert "games 1 and 2 say otherwise" in remarks[2]


def test_a_sheet_that_may_be_of_several_games_is_used_for_none() -> None:
    games = [found("A/final.jpg"), found("B/final.jpg", first=1)]
    photos = ["A/final.jpg", "B/final.jpg"]
    sheets = [sheet_of("final.jpg"), sheet_of("B/final.jpg", turns=TURNS[:2])]
    uses, remarks = assign_sheets(sheets, games, 0, photos)
    assert uses == [None, SheetMatch(sheet=sheets[1], photo=1)]
    assert tuple(remarks) == (
        "game 1 (Anna, Jón) is not used: it names photos of 2 games, A/final.jpg, B/final.jpg; "
        "name those of one game, with their folders",
    )


def test_a_pattern_of_one_folder_is_of_its_only_game() -> None:
    """A photo that could not be joined must not cost the game its players, nor be explained by its turns."""
    strays = [found(f"A/{number}.jpg", first=number) for number in range(3, 8)]
    games = [found("A/1.jpg", "A/2.jpg"), *strays]
    photos = [f"A/{number}.jpg" for number in range(1, 8)]
    uses, remarks = assign_sheets([sheet_of("A/*.jpg")], games, 1, photos)
    assert [use is not None for use in uses] == [True, False, False, False, False, False]
    assert tuple(remarks) == (
        "game 1 (Anna, Jón) is used for the game of A/1.jpg, not for A/3.jpg, A/4.jpg, A/5.jpg and 2 more, "
        "found apart from it",
    )
    uses, _ = assign_sheets([sheet_of("*.jpg")], [*games, found("B/1.jpg", first=9)], 1, [*photos, "B/1.jpg"])
    assert not any(uses)


def test_first_words_on_the_same_squares_are_two_boards_and_photos_with_the_same_tiles_are_one() -> None:
    catalogue = MagicMock(boards=np.array([[0, 2, 3], [0, 2, 4], [0, 2, 3]], np.int8))
    catalogue.__len__.return_value = 3
    catalogue.photos = [Photo(name=f"{index}.jpg", sha256="") for index in range(3)]
    catalogue.copies_of = lambda index: (index,)
    candidates = list_candidates(MagicMock(games=[], game_of={}, catalogue=catalogue))
    assert [list(each) for each in candidates] == [["0.jpg", "2.jpg"], ["1.jpg"]]


def test_a_sheet_whose_photos_show_no_board_is_reported() -> None:
    uses, remarks = assign_sheets([sheet_of("A/1.jpg")], [found("A/2.jpg")], 0, ["A/1.jpg", "A/2.jpg"])
    assert uses == [None]
    assert tuple(remarks) == (
        "game 1 (Anna, Jón) is not used: no tiles were found on A/1.jpg; see the report",
    )
