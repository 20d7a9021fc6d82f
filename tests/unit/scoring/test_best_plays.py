"""Best plays: the examples of the sheets, bad input, and the cache of a word list."""

from __future__ import annotations

import importlib
import time
from pathlib import Path
from typing import Any

import pytest

from scoring import (
    COVERED,
    Board,
    DataFileError,
    IllegalPlayError,
    Lexicon,
    NotationError,
    PlayRule,
    best_plays,
    index_words,
    load_edition,
    load_word_index,
)
from scoring.words import word_index as word_index_module
from tests.support.positions import board_after

best_plays_module = importlib.import_module("scoring.words.best_plays")

ENGLISH = load_edition("english")
HUNGARIAN = load_edition("hungarian")
WORDS = Lexicon.of(["quiz", "quizzes", "zoa", "za", "at", "cat", "cats", "act", "scat", "a", "naïve"])


def texts(board: Board, rack: str, lexicon: Lexicon = WORDS) -> list[str]:
    return [
        f"{each.position} {''.join(p.token for p in each.play)} {each.total}"
        for each in best_plays(board, rack, ENGLISH, lexicon)
    ]


def test_the_first_play_covers_the_start() -> None:
    assert texts(Board.empty(ENGLISH), "QUIZ") == [
        "8E QUIZ 44",
        "8F QUIZ 44",
        "8G QUIZ 44",
        "8H QUIZ 44",
        "H5 QUIZ 44",
        "H6 QUIZ 44",
        "H7 QUIZ 44",
        "H8 QUIZ 44",
    ]


def test_the_first_krydsord_begins_on_a_green_square_and_has_four_letters() -> None:
    edition = load_edition("krydsord")
    found = best_plays(Board.empty(edition), "TALER", edition, Lexicon.of(["tale", "let"]))
    assert {(first.row, first.column) for first, *_ in (each.play for each in found)} == edition.layout.start
    assert {each.words[0].text for each in found} == {"TALE"}
    assert [each.total for each in found] == sorted((each.total for each in found), reverse=True)


@pytest.mark.parametrize(("rack_count", "total"), [(None, 54), (2, 54), (3, 4), (7, 4)])
def test_tiles_of_a_rack_that_is_known_in_part_earn_no_bonus_for_all(
    rack_count: int | None, total: int
) -> None:
    edition = load_edition("norwegian")
    board = Board.empty(edition)
    found = best_plays(board, "AT", edition, WORDS, rack_count=rack_count)
    assert found[0].total == total


def test_no_word_lies_across_a_covered_square() -> None:
    board = board_after("8F CAT", edition=ENGLISH)
    rows = [list(row) for row in board.rows]
    rows[7][8] = COVERED
    assert [each for each in texts(board, "SZA") if each.startswith("8")] == ["8E S 6", "8F S 6"]
    assert [each for each in texts(Board.from_rows(rows), "SZA") if each.startswith("8")] == []


def test_words_across_what_lies_there() -> None:
    board = board_after("8F CAT", edition=ENGLISH)
    found = texts(board, "SZA")
    assert "8F S 6" in found
    assert "8E S 6" in found
    assert all(not each.startswith("1A") for each in found)


def test_a_tile_of_two_words_is_found_once_with_the_longer_one() -> None:
    board = board_after("8F CAT", "7I A", edition=ENGLISH)
    found = texts(board, "S", Lexicon.of(["cats", "as"]))
    assert [each for each in found if each.startswith(("8F", "I7"))] == ["8F S 8"]


def test_a_blank_stands_for_every_letter() -> None:
    board = board_after("8F CAT", edition=ENGLISH)
    found = [
        (each.position, [p.token for p in each.play]) for each in best_plays(board, ["?"], ENGLISH, WORDS)
    ]
    assert ("8F", ["s"]) in found
    assert ("8E", ["s"]) in found


@pytest.mark.parametrize("rack", ["ACTSZ", "ACT?Z", "A?Z?", "??"])
def test_few_words_are_examined_one_by_one_and_many_as_sets(
    rack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = board_after("8F CAT", edition=ENGLISH)
    found = []
    for few_words in (0, 1000):
        monkeypatch.setattr(best_plays_module, "_FEW_WORDS", few_words)
        found.append(sorted(texts(board, rack)))
    assert found[0] == found[1]
    assert len(found[0]) > 5


def test_a_tile_of_two_letters_is_one_or_two() -> None:
    lexicon = Lexicon.of(["szó"])
    board = Board.empty(HUNGARIAN)
    one = best_plays(board, ("SZ", "Ó"), HUNGARIAN, lexicon)
    assert {tuple(p.token for p in each.play) for each in one} == {("SZ", "Ó")}
    two = best_plays(board, ("S", "Z", "Ó"), HUNGARIAN, lexicon)
    assert {tuple(p.token for p in each.play) for each in two} == {("S", "Z", "Ó")}


def test_the_plays_are_a_sequence() -> None:
    found = best_plays(Board.empty(ENGLISH), "QUIZ", ENGLISH, index_words(WORDS, ENGLISH))
    assert found[0].total == max(each.total for each in found)
    assert [each.play for each in found[:3]] == [found[number].play for number in range(3)]
    assert repr(found) == f"<RankedPlays: {len(found)} plays>"
    assert not best_plays(Board.empty(ENGLISH), "Q", ENGLISH, WORDS)


def test_words_of_other_letters_are_left_out() -> None:
    index = index_words(WORDS, ENGLISH)
    assert len(index) == 10
    assert repr(index) == "<WordIndex of 10 words>"
    assert index_words(WORDS, ENGLISH) is index


def test_a_word_of_endless_readings_is_indexed_in_some() -> None:
    index = index_words(Lexicon.of(["sz" * 10]), HUNGARIAN)
    assert 0 < len(index) <= 256
    assert len(index_words(Lexicon.of(["sz" * 21, "sz" * 22, "sz" * 500_000]), HUNGARIAN)) == 1


@pytest.mark.parametrize(
    ("rack", "reason"),
    [
        ("ABCDEFGH", PlayRule.TOO_MANY_TILES),
        (["Ñ"], PlayRule.UNKNOWN_TILE),
        (["a"], PlayRule.UNKNOWN_TILE),
        ("QQ", PlayRule.NOT_IN_BAG),
    ],
)
def test_a_rack_that_cannot_be_is_refused(rack: str | list[str], reason: PlayRule) -> None:
    with pytest.raises(IllegalPlayError) as refused:
        best_plays(Board.empty(ENGLISH), rack, ENGLISH, WORDS)
    assert refused.value.reason is reason


@pytest.mark.parametrize(("words", "played"), [("icelandic", "english"), ("english", "icelandic")])
def test_words_that_were_indexed_for_other_letters_are_refused(words: str, played: str) -> None:
    index = index_words(Lexicon.of(["retain"]), load_edition(words))
    edition = load_edition(played)
    with pytest.raises(NotationError, match="other letters than those of"):
        best_plays(Board.empty(edition.layout), "RETAIN", edition, index)


def test_a_board_of_another_size_is_refused() -> None:
    with pytest.raises(NotationError, match="name the edition"):
        best_plays(Board.from_rows(["..."]), "A", ENGLISH, WORDS)


class TestCache:
    @pytest.fixture
    def words(self, tmp_path: Path) -> Path:
        path = tmp_path / "words"
        path.write_text("quiz\ncat\nszó\n", encoding="utf-8")
        return path

    def test_the_second_load_reads_the_cache(self, words: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        cache = words.parent / "cache"
        first = load_word_index(words, ENGLISH, cache=cache)
        assert len(list(cache.iterdir())) == 1
        monkeypatch.setattr(word_index_module, "parse_words", None)
        assert load_word_index(words, ENGLISH, cache=cache) == first
        assert len(first) == 3

    def test_another_list_or_alphabet_has_its_own(self, words: Path) -> None:
        cache = words.parent / "cache"
        load_word_index(words, ENGLISH, cache=cache)
        load_word_index(words, HUNGARIAN, cache=cache)
        words.write_text("quiz\n", encoding="utf-8")
        assert len(load_word_index(words, ENGLISH, cache=cache)) == 1
        assert len(list(cache.iterdir())) == 3

    @pytest.mark.parametrize(
        "content", [b"", b"nonsense", b"tilesight words 5\n", b"tilesight words 6\nnonsense"]
    )
    def test_a_damaged_cache_is_made_anew(self, words: Path, content: bytes) -> None:
        cache = words.parent / "cache"
        first = load_word_index(words, ENGLISH, cache=cache)
        (file,) = cache.iterdir()
        file.write_bytes(content)
        assert load_word_index(words, ENGLISH, cache=cache) == first
        assert file.read_bytes().startswith(b"tilesight words 6\n")

    def test_a_folder_that_cannot_be_written_is_no_error(self, words: Path) -> None:
        assert len(load_word_index(words, ENGLISH, cache=words / "below")) == 3

    def test_the_users_cache_folder(self, words: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(words.parent / "xdg"))
        load_word_index(words, ENGLISH)
        assert len(list((words.parent / "xdg" / "tilesight").iterdir())) == 1

    def test_a_missing_list_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(DataFileError, match="cannot be read"):
            load_word_index(tmp_path / "none", ENGLISH, cache=tmp_path)


def test_words_that_are_no_lexicon_are_refused_with_what_makes_one() -> None:
    words: Any = ["cab"]
    with pytest.raises(TypeError, match=r"takes a Lexicon, not a list; make one with Lexicon\.of"):
        best_plays(Board.empty(ENGLISH), "ABC", ENGLISH, words)


@pytest.mark.slow
def test_a_large_list_loads_from_its_cache_within_a_second(tmp_path: Path) -> None:
    path = Path("/usr/share/dict/american-english-huge")
    if not path.is_file():
        pytest.skip("the Debian package wamerican-huge is not installed")
    load_word_index(path, ENGLISH, cache=tmp_path)
    started = time.process_time()
    index = load_word_index(path, ENGLISH, cache=tmp_path)
    assert time.process_time() - started < 1
    assert len(index) > 200_000
    found = best_plays(board_after("8E QUIZ", edition=ENGLISH), "RETINAS", ENGLISH, index)
    assert found[0].total >= 60
