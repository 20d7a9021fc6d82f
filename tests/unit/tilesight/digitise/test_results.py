"""The small parts of digitising: corrections, the search, the report, likeness, EXIF."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from scoring import load_edition
from tests.conftest import Outcome
from tilesight.digitise.games.catalogue import find_duplicate
from tilesight.digitise.reading.photo_reader import Result, hash_picture
from tilesight.digitise.reading.photo_record import PhotoRecord, PhotoStatus
from tilesight.digitise.report.page import as_data, frame_photos, photo_data
from tilesight.digitise.results.corrections import (
    BoardOrientation,
    Correction,
    correct_squares,
    count_replaced_squares,
    load_corrections,
    merge_corrections,
    save_corrections,
)
from tilesight.digitise.results.result_store import Store, picture_files
from tilesight.digitise.results.writer import write_files
from tilesight.digitise.search import find_photos, find_plays
from vision.capture import read_metadata
from vision.errors import InputError, SettingsError

Command = Callable[..., Outcome]
CORNERS = ((1.0, 2.0), (9.0, 2.0), (9.5, 8.0), (1.0, 8.0))
ENGLISH = load_edition("english")
NAME = "</script><img src=x onerror=alert(1)>.jpg"


def record(image: str = "a.jpg", word: Sequence[str] = "CAT", **more: Any) -> dict[str, Any]:
    rows = [["."] * 15 for _ in range(15)]
    rows[7][7 : 7 + len(word)] = list(word)
    confidence = [[1.0] * 15 for _ in range(15)]
    confidence[7][7] = 0.6
    return {
        "image": image,
        "status": "ok",
        "edition": "english",
        "rows": rows,
        "confidence": confidence,
        "doubts": [{"square": [7, 7], "reason": "another reading is likely too"}],
        "alternatives": [{"square": [7, 7], "tokens": {"C": 0.6, "G": 0.4}}],
        "tiles": 3,
        "doubt": 0.4,
        "width": 600,
        "height": 400,
        "taken": None,
        "sha256": "ab",
        "board": None,
        **more,
    }


def photo(image: str = "a.jpg", word: Sequence[str] = "CAT", **more: Any) -> PhotoRecord:
    return PhotoRecord.from_json(record(image, word, **more))


# The search


def test_find_leaves_out_accents_that_no_tile_of_an_own_edition_has(tmp_path: Path) -> None:
    club = replace(ENGLISH, name="club")
    play = dict.fromkeys(("player", "position", "word", "score", "total", "photo"), "CAT") | {
        "words": ["CAT"]
    }
    game = {"game": "1", "edition": "club", "plays": [play], "gaps": []}
    unreadable = PhotoRecord(name="b.jpg", status=PhotoStatus.UNREADABLE)
    photos: list[Any] = [(photo(edition="club"), {}, None), (unreadable, {}, None)]
    write_files(tmp_path, photos, [game], {}, {"club": club, "english": ENGLISH}, progress=lambda _: None)
    assert [each["places"] for each in find_photos(tmp_path, "cát", None)] == [[("CAT", "8H")]]
    assert len(find_plays(tmp_path, "cát", None, None, None)) == 1
    assert find_photos(tmp_path, "cát*s", None) == []


# Corrections


def test_corrections_come_back_as_they_were_kept(tmp_path: Path) -> None:
    kept = {"ab": Correction(edition="english", squares={(7, 7): "G"})}
    new = {
        "ab": Correction(edition=None, squares={(0, 0): "."}),
        "cd": Correction(edition=None, squares={}, turn=0, no_board=False, corners=CORNERS),
        "ef": Correction(
            edition=None, squares={(1, 2): "A"}, orientation=BoardOrientation(turn=3, rows=15, columns=13)
        ),
    }
    both = merge_corrections(kept, new)
    save_corrections(tmp_path, both)
    assert load_corrections(tmp_path / "corrections.json") == both
    assert both["ab"] == Correction(edition="english", squares={(7, 7): "G", (0, 0): "."})


def test_editions_and_squares_have_each_an_order_in_which_the_last_one_counts(tmp_path: Path) -> None:
    english, polish = Correction(edition="english"), Correction(edition="polish")
    squares = Correction(squares={(0, 0): "A"})
    both = merge_corrections({}, {"b": polish, "a": polish, "c": Correction(turn=1)})
    for new in ({"b": english}, {"a": squares}, {"c": squares}, {"a": Correction(no_board=False)}):
        both = merge_corrections(both, new)
        save_corrections(tmp_path, both)
        assert load_corrections(tmp_path / "corrections.json") == both
    assert list(load_corrections(tmp_path / "corrections.json")) == ["b", "a", "c"]
    assert both["b"].edition_order > both["a"].edition_order, "new squares are no new edition"
    assert list(merge_corrections(both, {"a": squares})) == ["b", "c", "a"], "with or without an edition"


def test_kept_editions_without_an_order_have_that_of_their_pictures(tmp_path: Path) -> None:
    pictures = {"b": {"edition": "polish"}, "a": {"edition": "english"}}
    (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": pictures}))
    both = merge_corrections(load_corrections(tmp_path / "c.json"), {"b": Correction(squares={(0, 0): "A"})})
    assert list(both) == ["a", "b"]
    assert both["a"].edition_order > both["b"].edition_order


def test_squares_that_are_corrected_again_are_counted() -> None:
    lay = BoardOrientation(turn=0, rows=15, columns=15)
    kept = {"ab": Correction(squares={(0, 1): "A", (3, 3): "B"}, orientation=lay), "cd": Correction(turn=1)}
    for squares, turn, replaced in (
        ({(0, 1): "A"}, 0, 0),
        ({(0, 1): "C", (5, 5): "D"}, 0, 1),
        ({(13, 0): "A", (11, 3): "E"}, 1, 1),
    ):
        new = {"ab": Correction(squares=squares, orientation=replace(lay, turn=turn))}
        assert count_replaced_squares(kept, merge_corrections(kept, new)) == replaced


def test_a_board_that_is_turned_has_none_of_the_squares_that_it_had() -> None:
    kept = {"ab": Correction(edition="english", squares={(7, 7): "G"}, no_board=True)}
    for turn, squares in ((1, {(0, 0): "A"}), (None, {(7, 7): "G", (0, 0): "A"})):
        both = merge_corrections(kept, {"ab": Correction(edition=None, squares={(0, 0): "A"}, turn=turn)})
        assert both["ab"] == Correction(edition="english", squares=squares, turn=turn, no_board=True)


def test_squares_are_turned_with_an_oblong_board() -> None:
    correction = Correction(
        edition=None,
        squares={(0, 1): "A", (2, 3): "B"},
        orientation=BoardOrientation(turn=1, rows=3, columns=4),
    )
    assert correction.squares_rotated_to(1) == correction.squares
    assert correction.squares_rotated_to(2) == {(2, 0): "A", (0, 2): "B"}
    assert correction.squares_rotated_to(3) == {(2, 2): "A", (0, 0): "B"}
    assert correction.squares_rotated_to(0) == {(1, 2): "A", (3, 0): "B"}


def test_squares_of_a_board_that_lay_otherwise_are_turned_to_the_newer_ones() -> None:
    kept = {
        "ab": Correction(
            edition=None, squares={(0, 1): "A"}, orientation=BoardOrientation(turn=0, rows=15, columns=15)
        )
    }
    now = BoardOrientation(turn=2, rows=15, columns=15)
    both = merge_corrections(kept, {"ab": Correction(edition=None, squares={(3, 3): "B"}, orientation=now)})
    assert both["ab"] == Correction(edition=None, squares={(14, 13): "A", (3, 3): "B"}, orientation=now)


def test_squares_that_do_not_say_how_their_board_lay_join_those_of_the_present_results() -> None:
    now = BoardOrientation(turn=2, rows=15, columns=15)
    kept = {"ab": Correction(edition=None, squares={(0, 1): "A"}, orientation=now)}
    both = merge_corrections(kept, {"ab": Correction(edition=None, squares={(3, 3): "B"})})
    assert both["ab"] == Correction(edition=None, squares={(0, 1): "A", (3, 3): "B"}, orientation=now)


def test_a_board_between_other_corners_has_other_squares_and_sides() -> None:
    kept = {"ab": Correction(edition="english", squares={(7, 7): "G"}, turn=2, corners=CORNERS)}
    moved = tuple((x + 1, y) for x, y in CORNERS)
    for corners, squares, turn in ((CORNERS, {(7, 7): "G"}, 2), (moved, {}, None), ((), {}, None)):
        both = merge_corrections(kept, {"ab": Correction(edition=None, squares={}, corners=corners)})
        assert both["ab"] == Correction(
            edition="english", squares=squares, turn=turn, corners=corners or None
        )


def test_corners_that_are_null_are_taken_back(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"schema": 1, "pictures": {"a": {"corners": null}, "b": {}}}')
    assert [each.corners for each in load_corrections(tmp_path / "c.json").values()] == [(), None]


def test_a_corrected_square_is_sure() -> None:
    result = correct_squares(
        photo(), Correction(edition=None, squares={(7, 7): "B", (7, 10): "s"}), ENGLISH, {}
    ).to_json()
    assert result["text"].splitlines()[7] == ".......BATs...."
    assert (result["doubts"], result["alternatives"], result["doubt"], result["tiles"]) == ([], [], 0.0, 4)
    assert result["corrected"][0] == {"square": (7, 7), "was": "C", "now": "B"}
    assert "7BATs4" in result["cgp"]


def test_tiles_of_a_photo_are_corrected_as_in_its_game_and_the_last_correction_counts() -> None:
    tiles = {((7, 7), "C"): "B", ((7, 8), "A"): "E", ((7, 9), "?"): "?", ((14, 14), "A"): "E"}
    found = correct_squares(photo(word="CAt"), Correction(squares={(7, 7): "G", (7, 8): "."}), ENGLISH, tiles)
    assert found.board is not None
    assert found.board.rows[7][7:10] == ("B", ".", "t")
    assert [(each.was, each.now) for each in found.corrected or ()] == [("C", "B"), ("A", "."), ("t", "t")]
    own = correct_squares(photo(word="CAt"), Correction(squares={(7, 9): "?"}), ENGLISH, tiles)
    assert own.board is not None
    assert own.board.rows[7][9] == "?"
    assert correct_squares(photo(word="DOG"), Correction(), ENGLISH, tiles) == photo(word="DOG")


@pytest.mark.parametrize(
    ("square", "token", "words"), [((15, 0), "A", "no row 15"), ((0, 0), "Þ", "no tile of english")]
)
def test_corrections_that_cannot_be_are_remarked_on_next_to_those_that_can(
    square: tuple[int, int], token: str, words: str
) -> None:
    result = correct_squares(
        photo(), Correction(edition=None, squares={square: token, (7, 7): "B"}), ENGLISH, {}
    ).to_json()
    assert result["text"].splitlines()[7].startswith(".......BA")
    assert [each["square"] for each in result["corrected"]] == [(7, 7)]
    (remark,) = result["remarks"]
    assert words in remark


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        '{"schema": 1, "pictures": {"a": {"turn": 4}}}',
        '{"schema": 1, "pictures": {"a": {"no_board": "yes"}}}',
        '{"schema": 1, "pictures": {"a": {"corners": [[1, 2], [3, 4], [5, 6]]}}}',
        '{"schema": 1, "pictures": {"a": {"corners": [[1, 2], [3, 4], [5, 6], [7, NaN]]}}}',
        '{"schema": 1, "pictures": {"a": {"lay": {"turn": 4, "rows": 15, "columns": 15}}}}',
        '{"schema": 2, "pictures": {}}',
        '{"schema": 1, "pictures": {"a": {"squares": [1]}}}',
        '{"schema": 1, "pictures": {"a": {"squares": [{"square": [3], "token": "A"}]}}}',
        '{"schema": 1, "pictures": {"a": {"squares": [{"square": [1e999, 2], "token": "A"}]}}}',
        '{"schema": 1, "pictures": {"a": {"corners": [[1, 2], [3, 4], [5, 6], [7, 1e300]]}}}',
        "[" * 100_000,
    ],
)
def test_files_that_hold_no_corrections_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(SettingsError, match=r"c\.json.*; save it from the report again$"):
        load_corrections(tmp_path / "c.json")
    with pytest.raises(SettingsError, match="; restore it from a copy, or delete it and give"):
        load_corrections(tmp_path / "c.json", are_kept=True)
    with pytest.raises(InputError, match=r"cannot be read \(No such file or directory\); check the name"):
        load_corrections(tmp_path / "none.json")
    (tmp_path / "c.json").write_bytes(b'{"schema": 1, "pictures": {"\xe9": {}}}')
    with pytest.raises(InputError, match=r"c\.json: is not UTF-8 text; save it as UTF-8$"):
        load_corrections(tmp_path / "c.json")


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (
            '{"squares": [{"square": [3, 4], "token": 7}]}',
            "picture a.squares.1.token: expected a text, got 7",
        ),
        (
            '{"squares": [{"square": [3, 4], "token": "A"}, {"square": ["3", 4], "token": "A"}]}',
            "squares.2.square: expected 2 numbers, got ['3', 4]",
        ),
        ('{"squares": [{"square": [3, true], "token": "A"}]}', "squares.1.square: expected 2 numbers"),
        ('{"squares": [{"square": [3, 4]}]}', "squares.1.token: expected a text, got None"),
        ('{"squares": {"square": 3}}', "squares: expected a list"),
        ('{"edition": 3}', "edition: expected a text, got 3"),
        ('{"turn": true}', "turn: expected a whole number from 0 to 3, got True"),
        ('{"corners": [[1, 2], [3, 4], [5, 6], [7, "8"]]}', "corners: expected 4 points"),
        ('{"lay": {"turn": 1, "rows": 15}}', "picture a.lay.columns: expected a whole number"),
        ("7", "picture a: expected an object, got 7"),
        (
            '{"editon": "polish"}',
            "picture a: expected one of edition, edition_order, turn, no_board, corners, squares, lay, got 'editon'",
        ),
        (
            '{"squares": [{"square": [3, 4], "token": "A", "now": "B"}]}',
            "picture a.squares.1: expected one of square, token, got 'now'",
        ),
    ],
)
def test_a_value_of_the_wrong_type_is_named_with_its_place(tmp_path: Path, picture: str, words: str) -> None:
    (tmp_path / "c.json").write_text(f'{{"schema": 1, "pictures": {{"a": {picture}}}}}')
    with pytest.raises(SettingsError, match=re.escape(words)):
        load_corrections(tmp_path / "c.json")


def test_an_empty_board_is_of_no_edition_unless_one_is_named() -> None:
    editions = {"danish": 0.5, "english": 0.5}
    for word, share, edition in ((".", editions, None), (".", None, "english"), ("C", editions, "english")):
        written = photo(word=word, edition="english", editions=share, edition_probability=0.5)
        read = replace(written, output=None)
        assert read.to_json()["edition"] == "english"  # the store keeps by which letters it was read
        line = written.to_json()
        assert line["edition"] == edition
        assert (line["editions"] is None) == (edition is None or share is None)
        assert photo_data(written).get("edition") == edition


def test_a_damaged_store_is_deleted_and_made_anew(tmp_path: Path) -> None:
    with Store.open(tmp_path):
        pass
    (tmp_path / "photos.jsonl").write_text("")
    database = tmp_path / ".work" / "results.sqlite"
    database.write_bytes(b"no database, but long enough to be one" * 100)
    with (
        pytest.raises(InputError, match="delete this file and run the same command again"),
        Store.open(tmp_path),
    ):
        pass
    database.unlink()
    with Store.open(tmp_path) as store:
        assert store.done("key") == frozenset()


def test_a_picture_is_not_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside.jpg"
    outside.write_bytes(b"of another program")
    result = Result(record=photo(), ms={}, thumbnail_jpeg=b"small")
    with Store.open(tmp_path / "out") as store:
        thumbnail = store.folder / str(picture_files("ab", result.record)[1])
        thumbnail.symlink_to(outside)
        store.keep("ab", "key", result)
        assert store.done("key") == {"ab"}
    assert (thumbnail.is_symlink(), thumbnail.read_bytes()) == (False, b"small")
    assert outside.read_bytes() == b"of another program"


def test_an_editor_s_mark_before_the_corrections_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"schema": 1, "pictures": {"a": {"turn": 1}}}', encoding="utf-8-sig")
    assert load_corrections(tmp_path / "c.json")["a"].turn == 1


# The search


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    play = {
        "player": "Anna",
        "position": "8H",
        "word": "CAT",
        "words": ["CAT"],
        "placed": [[7, 7, "C"], [7, 8, "A"], [7, 9, "SZ"]],
        "score": 10,
        "total": 10,
        "photo": "a.jpg",
    }
    game = {
        "game": "game-0001",
        "plays": [
            play,
            {**play, "player": "Jón", "word": "c[SZ]A", "words": ["c[SZ]A", "B[S]Z"], "score": 62},
            {"player": "Anna", "event": "withdrawn", "score": -62},
            {**play, "player": "Åsa Þórsdóttir", "word": "BÁRSZ", "words": ["BÁRSZ"], "score": 7},
        ],
    }
    photos = (
        photo("a.jpg", "CAT", taken="2014-10-25T16:39:20", game="game-0001"),
        photo("b.jpg", "C?ATS", taken="2015-02-01T10:00:00+02:00"),
        photo("é.jpg", "DÓÞ"),
        photo("greek.jpg", "ΛΟΓΟΣ"),
        photo("line\nfeed\x1b[2J.jpg", ("M", "GY", "S", "?")),
        photo("catalan.jpg", ("H", "L·L", "A", "'", '"')),
        PhotoRecord(status=PhotoStatus.NO_BOARD, name="wall.jpg", message="none"),
    )
    (tmp_path / "photos.jsonl").write_text("".join(json.dumps(each.to_json()) + "\n" for each in photos))
    (tmp_path / "games.jsonl").write_text(json.dumps(game) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    ("query", "images"),
    [
        (["--word", "cat"], ["a.jpg"]),
        (["--word", "COATS"], ["b.jpg"]),  # a blank may be any letter
        (["--pattern", "c*"], ["a.jpg", "b.jpg"]),
        (["--pattern", "?ó?"], ["é.jpg"]),
        (["--pattern", "dor"], []),
        (["--word", "ΛΟΓΟΣ"], ["greek.jpg"]),
        (["--word", "λογος"], ["greek.jpg"]),
        (["--pattern", "λογοσ"], ["greek.jpg"]),
        (["--pattern", "?o\u0301?"], ["é.jpg"]),  # an accent of its own, as some systems type it
        (["--word", "hl·la'\""], ["catalan.jpg"]),
        (["--pattern", "h?a*"], ["catalan.jpg"]),
        (["--pattern", "h??a*"], []),
        (["--word", "mgysz"], ["line\nfeed\x1b[2J.jpg"]),
        (["--word", "mgysgy"], ["line\nfeed\x1b[2J.jpg"]),  # a blank may be a digraph, too
        (["--word", "mgyssz"], []),  # but for one that nobody saw
        (["--pattern", "m??z"], ["line\nfeed\x1b[2J.jpg"]),
        (["--pattern", "m???z"], []),  # a digraph is one tile
        (["--pattern", "mg*"], ["line\nfeed\x1b[2J.jpg"]),
        (["--pattern", "mg?s?"], []),
        (["--pattern", '") OR (a*'], []),
        (["--date", "2014"], ["a.jpg"]),
        (["--date", "2014-11.."], ["b.jpg"]),
        (["--date", "..2015-02-01", "--pattern", "*s"], ["b.jpg"]),
    ],
)
def test_photos_are_found(tilesight: Command, folder: Path, query: list[str], images: list[str]) -> None:
    outcome = tilesight("find", folder, *query, "--format", "json")
    assert outcome.code == 0
    assert [line["image"] for line in outcome.json_lines] == images


@pytest.mark.parametrize(
    ("query", "scores"),
    [
        (["--player", "anna"], [10]),
        (["--score", "50.."], [62]),
        (["--score", "..62"], [10, 62, 7]),
        (["--score", "10"], [10]),
        (["--player", "Jón", "--word", "CSZA"], [62]),
        (["--player", "Jón", "--word", "CAT"], []),
        (["--player", "Jón", "--pattern", "c?a"], [62]),
        (["--player", "Jón", "--pattern", "b??"], [62]),
        (["--player", "Jón", "--pattern", "b?"], []),
        (["--player", "ÅSA"], [7]),
        (["--player", "þO\u0301RSDÓTTIR a\u030asa"], [7]),
        (["--player", "sa"], []),
        (["--player", "x' OR 1=1 --"], []),
        (["--score", "1..", "--date", "2014-10-25"], [10, 62, 7]),
    ],
)
def test_plays_are_found(tilesight: Command, folder: Path, query: list[str], scores: list[int]) -> None:
    assert [
        line["score"] for line in tilesight("find", folder, *query, "--format", "json").json_lines
    ] == scores


def test_what_is_found_is_reported_in_lines(tilesight: Command, folder: Path) -> None:
    assert tilesight("find", folder, "--word", "cat").out == "a.jpg  8H CAT  english  game-0001  2014-10-25\n"
    assert (
        tilesight("find", folder, "--score", "10").out
        == "game-0001 1. Anna   8H CAT  +10  a.jpg  2014-10-25\n"
    )


def test_names_that_a_terminal_would_obey_are_shown_on_one_line(tilesight: Command, folder: Path) -> None:
    outcome = tilesight("find", folder, "--pattern", "mgy*")
    assert outcome.out == "line\ufffdfeed\ufffd[2J.jpg  8H MGYS?  english\n"


def test_that_nothing_was_found_is_reported(tilesight: Command, folder: Path) -> None:
    outcome = tilesight("find", folder, "--word", "dog")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == f"tilesight: {folder}: no match; relax the query, or look at its report.html\n"
    outcome = tilesight("find", folder, "--player", "Zoë")
    assert outcome.err.endswith(
        "no match; relax the query, or name the players by score sheets: without these, they are A and B\n"
    )


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ([], "name what to find"),
        (["--word", "a", "--pattern", "b"], "one of them"),
        (["--word", "a*"], "--pattern"),
        (["--score", "many"], "--score"),
        (["--score", "99999999999999999999.."], "give a number of points"),
        (["--score", "30..20"], "--score '30..20': no score is between"),
        (["--score", ".."], "--score '..': has no end"),
        (["--date", "yesterday"], "--date"),
        (["--date", "２０１４"], "--date '２０１４': give 2014"),
        (["--score", "１０"], "--score"),
        (["--date", "2014-13"], "--date '2014-13': give 2014"),
        (["--date", "2014-02-30..2015"], "--date '2014-02-30..2015': give 2014"),
        (["--date", "2015..2014-12"], "--date '2015..2014-12': no day is between"),
        (["--date", ".."], "--date '..': has no end"),
    ],
)
def test_questions_that_make_no_sense_are_refused(
    tilesight: Command, folder: Path, query: list[str], words: str
) -> None:
    outcome = tilesight("find", folder, *query)
    assert outcome.code == 2
    assert words in outcome.err


def test_a_folder_without_results_or_with_strange_ones(tilesight: Command, tmp_path: Path) -> None:
    assert tilesight("find", tmp_path, "--word", "a").code == 3
    (tmp_path / ".work").mkdir()
    assert "its run has not ended" in tilesight("find", tmp_path, "--word", "a").err
    (tmp_path / "photos.jsonl").write_text("no results")
    assert "damaged" in tilesight("find", tmp_path, "--word", "a").err
    photo, play = '{"image": "a.jpg", "game": "g", "rows": [["A"]]}', ["--score", "1..", "--word", "a"]
    for name, lines, query in (
        (
            "photos.jsonl",
            ["[]", '"text"', '{"image": "a.jpg", "rows": [[7, 8]]}', '{"rows": 7}', "[" * 100_000],
            [],
        ),
        ("photos.jsonl", ["{}", '{"image": [], "game": "g", "rows": [[]]}'], play),
        (
            "games.jsonl",
            ["7", "{}", '{"game": "g", "plays": [{"word": "A", "photo": "a.jpg", "score": "7"}]}'],
            play,
        ),
    ):
        for line in lines:
            (tmp_path / "photos.jsonl").write_text(photo)
            (tmp_path / name).write_text(f"{photo}\n{line}\n" if name == "photos.jsonl" else line)
            outcome = tilesight("find", tmp_path, *(query or ["--word", "a"]))
            assert (outcome.code, f"{name}: line " in outcome.err) == (3, True), line


# The report


def test_names_from_anywhere_cannot_end_the_data() -> None:
    before, after = frame_photos([{"game": NAME, "gaps": []}])
    photos = photo(NAME), PhotoRecord(status=PhotoStatus.UNREADABLE, name="b.jpg", message=NAME)
    page = before + ",".join(as_data(photo_data(each)) for each in photos) + after
    assert NAME not in page
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    content = json.loads(data[1])
    assert [photo["image"] for photo in content["photos"]] == [NAME, "b.jpg"]
    assert content["games"][0]["game"] == NAME
    assert "/*" not in data[1]


def test_the_page_gets_what_is_doubtful() -> None:
    data = photo_data(photo())
    assert data["doubtful"] == [[7, 7, 0.6, "another reading is likely too", ["C", "G"]]]
    assert data["rows"][7] == ". . . . . . . C A T . . . . ."
    assert "doubtful" not in photo_data(photo(), set())  # its game has the same tiles
    unsure = ["C", "G"], "the photos of its game leave it in doubt"
    assert photo_data(photo(), {(7, 7), (7, 8)})["doubtful"] == [
        [7, 7, 0.6, "another reading is likely too", unsure[0]],
        [7, 8, 1.0, unsure[1], []],
    ]
    assert "\\u003c" in as_data("<")
    doubts = [{"square": [7, 7], "reason": reason} for reason in ("one", "two")]
    assert photo_data(photo(doubts=doubts))["doubtful"][0][3] == "one; two"
    assert "corrected" not in data
    assert photo_data(photo(corrected=[]))["corrected"] == []


def test_the_page_names_other_boards_in_a_photo() -> None:
    one = photo()
    assert one.board is not None
    two = replace(one, board=replace(one.board, other_boards=1))
    assert photo_data(two)["message"] == "other boards in view: 1; the largest was read"
    assert "message" not in photo_data(one)


# Likeness and EXIF


def test_a_smaller_copy_is_nearly_the_same_and_another_picture_is_not(icelandic_sample: Path) -> None:
    image = np.asarray(cv2.imread(str(icelandic_sample / "turn-01.jpg")), np.uint8)
    small = cv2.resize(image, None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)
    noise = np.random.default_rng(1).integers(0, 255, image.shape, dtype=np.uint8)
    hashes = [hash_picture(np.asarray(each, np.uint8)) for each in (image, noise, small)]
    bits = np.array([np.frombuffer(bytes.fromhex(each), np.uint64) for each in hashes])
    same = np.zeros((3, 4), np.int8)
    assert find_duplicate(bits, same, 2) == 0
    assert find_duplicate(bits, same, 1) is None
    assert find_duplicate(np.array([bits[0] * 0, bits[0] & 1]), same[:2], 1) is None  # one without a hash
    assert find_duplicate(bits, np.array([[1], [1], [0]], np.int8), 2) is None  # a tile more is another turn
    assert find_duplicate(bits, np.array([[1], [1], [2]], np.int8), 2) == 0  # one letter may be read as two


def test_a_picture_says_when_and_with_what_it_was_taken() -> None:
    exif = Image.Exif()
    exif[0x0110] = "Tilecam 3\0"
    exif.get_ifd(0x8769).update({0x9003: "2014:10:25 16:39:20", 0x9011: "+02:00"})
    file = io.BytesIO()
    Image.new("RGB", (120, 120)).save(file, "JPEG", exif=exif)
    details = read_metadata(file.getvalue())
    assert (details.format, details.taken, details.camera) == (
        "jpeg",
        "2014-10-25T16:39:20+02:00",
        "Tilecam 3",
    )


@pytest.mark.parametrize("taken", ["0000:00:00 00:00:00", "yesterday", ""])
def test_a_clock_that_was_never_set_tells_nothing(taken: str) -> None:
    exif = Image.Exif()
    exif.get_ifd(0x8769).update({0x9003: taken, 0x9011: "nowhere"})
    file = io.BytesIO()
    Image.new("RGB", (120, 120)).save(file, "PNG", exif=exif)
    assert read_metadata(file.getvalue()).taken is None
    assert read_metadata(b"no picture").format is None


def test_heic_has_details_too() -> None:
    data = (Path(__file__).parents[3] / "support" / "data" / "icelandic-1.heic").read_bytes()
    assert read_metadata(data).format == "heif"
    assert read_metadata(data[:600]).format == "heif"


# The command line


def test_without_dask_the_message_says_how_to_get_it(
    tilesight: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, icelandic_sample: Path
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    outcome = tilesight(
        "digitise", icelandic_sample, "--out", tmp_path / "out", "--cluster", "tcp://127.0.0.1:1"
    )
    assert outcome.code == 5
    assert "pipx install --force './tilesight[all]'" in outcome.err


def test_options_that_make_no_sense(tilesight: Command, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("CAT\n")
    outcome = tilesight("digitise", tmp_path, "--out", tmp_path / "out", "--lexicon", tmp_path / "words.txt")
    assert (outcome.code, "--edition" in outcome.err) == (2, True)
    (tmp_path / "empty").mkdir()
    outcome = tilesight("digitise", tmp_path / "empty", "--out", tmp_path / "out")
    assert (outcome.code, "no picture" in outcome.err) == (3, True)
    results = tmp_path / "out" / "games.jsonl"
    results.parent.mkdir()
    results.write_text("an earlier run")
    for name in ("fotos", "fotos/*.jpg"):  # a name that was mistyped
        outcome = tilesight("digitise", tmp_path / name, "--out", tmp_path / "out")
        assert (outcome.code, name in outcome.err) == (3, True)
    assert results.read_text() == "an earlier run"
