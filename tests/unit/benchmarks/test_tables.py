"""Counts and tables of the benchmarks."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from docs.figures.reading_pictures import Misread, draw_confusions, draw_misread, draw_reliability
from samples import Camera, Light, RenderedPhoto, icelandic_style, render_photo
from scoring import Board, load_edition
from tests.benchmarks import bench_scoring, measuring, run
from tests.benchmarks.bench_reading import (
    HEAD,
    Score,
    format_share,
    format_worst_pairs,
    measure_board,
    score_board,
    table_rows,
)
from tests.benchmarks.run import BENCHMARKS, DOCUMENTS, TABLES
from tests.benchmarks.summary import SUMMARIES, marked
from tests.sets.club_boards import (
    MIN_CONTRAST,
    club_board,
    club_light,
    club_style,
    measure_contrast,
)
from vision.capture import Frame
from vision.observation import BoardObservation
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer

ENGLISH = load_edition("english")


def read(photo: RenderedPhoto) -> BoardObservation:
    frame = Frame(image_bgr=photo.image_bgr, source="rendered", index=0, time_s=0.0)
    return read_photo(
        frame,
        GameContext(edition=ENGLISH, recognizer=load_recognizer("network", ENGLISH)),
        corners_px=photo.corners_px.tolist(),
    )


def with_rows(found: BoardObservation, rows: list[list[str]]) -> BoardObservation:
    return replace(found, decoded=replace(found.decoded, board=Board.from_rows(rows)))


@pytest.fixture(scope="module")
def photo() -> RenderedPhoto:
    return render_photo(
        club_board(ENGLISH, 0).rows,
        ENGLISH,
        style=icelandic_style(),
        camera=Camera(cell_px=24),
        light=Light(),
        seed=0,
    )


@pytest.fixture(scope="module")
def found(photo: RenderedPhoto) -> BoardObservation:
    return read(photo)


def test_a_board_read_as_it_is_has_no_mistakes(photo: RenderedPhoto, found: BoardObservation) -> None:
    score = score_board(photo, with_rows(found, [list(row) for row in photo.rows]))
    letters = sum(token not in {".", "?"} for row in photo.rows for token in row)
    blanks = sum(token == "?" for row in photo.rows for token in row)
    assert (score.letters, score.letters_right) == (letters, letters)
    assert (score.blanks, score.blanks_right) == (blanks, blanks)
    assert (score.squares, score.occupancy_right) == (225, 225)
    assert (score.false_tiles, score.boards_right, score.misread) == (0, 1, [])
    assert len(score.confidence) == letters + blanks


def test_each_mistake_is_counted_where_it_belongs(photo: RenderedPhoto, found: BoardObservation) -> None:
    rows = [list(row) for row in photo.rows]
    squares = [(r, c) for r in range(15) for c in range(15)]
    letter, other = [s for s in squares if rows[s[0]][s[1]] not in {".", "?"}][:2]
    empty = next(s for s in squares if rows[s[0]][s[1]] == ".")
    was, gone = rows[letter[0]][letter[1]], rows[other[0]][other[1]]
    wrong = "X" if was != "X" else "Y"
    rows[letter[0]][letter[1]], rows[other[0]][other[1]], rows[empty[0]][empty[1]] = wrong, ".", "x"
    score = score_board(photo, with_rows(found, rows))
    assert score.letters - score.letters_right == 2
    assert (score.false_tiles, score.false_covers, score.boards_without_false_tile) == (1, 0, 0)
    assert score.squares - score.occupancy_right == 2
    assert score.boards_right == 0
    assert score.confusions == Counter({(was, wrong): 1, (gone, "."): 1, (".", "?"): 1})


def test_a_cover_on_an_empty_square_is_no_false_tile(photo: RenderedPhoto, found: BoardObservation) -> None:
    rows = [list(row) for row in photo.rows]
    row, column = next((r, c) for r in range(15) for c in range(15) if rows[r][c] == ".")
    rows[row][column] = "#"
    score = score_board(photo, with_rows(found, rows))
    assert (score.false_tiles, score.false_covers, score.boards_without_false_tile) == (0, 1, 1)
    assert score.boards_right == 0
    assert {(each.want, each.have) for each in score.misread} == set(score.confusions)


def test_scores_add_up(photo: RenderedPhoto, found: BoardObservation) -> None:
    one, both = score_board(photo, found), Score()
    both.add(one)
    both.add(one)
    assert both.letters == 2 * one.letters
    assert both.boards == 2
    assert len(both.confidence) == 2 * len(one.confidence)
    assert both.calibration_error == pytest.approx(one.calibration_error)
    (row,) = table_rows({("english", 24): both})
    assert len(row) == len(HEAD)


def test_sure_and_always_wrong_is_the_worst_calibration() -> None:
    assert Score(confidence=[1.0] * 8, right=[False] * 8).calibration_error == pytest.approx(1)
    assert Score(confidence=[1.0] * 8, right=[True] * 8).calibration_error == pytest.approx(0)


def test_percentages_never_look_better_than_they_are() -> None:
    assert format_share(99_999, 100_000) == "99.99% (1 of 100000 wrong)"
    assert format_share(0, 0) == "none"
    assert format_worst_pairs(Counter({("I", "L"): 3, (".", "?"): 5})) == "`.`>`?` 5, `I`>`L` 3"
    assert format_worst_pairs(Counter()) == "none"


def test_the_same_seed_gives_the_same_score() -> None:
    first, second = (measure_board("danish", 20, 3) for _ in range(2))
    assert first.confidence == second.confidence
    assert first.confusions == second.confusions


def test_club_boards_can_be_read_by_a_person() -> None:
    danish = load_edition("danish")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        style, light = club_style(rng, danish), club_light(rng, 40)
        assert measure_contrast(style.tiles) >= MIN_CONTRAST
        assert style.tiles.letter_face.split == "heldout"
        assert style.handling.quarter_turns == 0
        assert light.brightness >= 0.7
        assert light.glares == ()
    board = club_board(danish, 1)
    assert not any(token.islower() for row in board.rows for token in row)
    counts = Counter(tile.token for tile in board.tiles())
    assert all(count <= (danish.counts[token] or 99) for token, count in counts.items())


def test_every_table_has_one_place_in_the_documents() -> None:
    documents = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    for name in (*TABLES, *SUMMARIES):
        assert len(marked(name).findall(documents)) == 1, name


@pytest.mark.parametrize("name", SUMMARIES)
def test_short_tables_agree_with_the_long_ones(name: str) -> None:
    expected = SUMMARIES[name](BENCHMARKS.read_text(encoding="utf-8"))
    documents = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    found = marked(name).search(documents)
    assert found is not None
    assert found[0].removeprefix(found[1]).removesuffix(found[2]) == expected + "\n"


@pytest.mark.parametrize("name", SUMMARIES)
def test_short_tables_are_written_without_labelled_photos_too(name: str) -> None:
    benchmarks = re.sub(
        r"(?m)^\| (english|german|polish|romanian)-?\S* \|.*\n", "", BENCHMARKS.read_text("utf-8")
    )
    assert "0 of 0" in SUMMARIES["summary"](benchmarks)
    assert SUMMARIES[name](benchmarks)


def test_a_table_that_fails_is_named_and_the_next_one_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written: dict[str, str] = {}
    monkeypatch.setattr(run, "TABLES", {"sides": lambda: str(1 // 0), "editions": lambda: "| measured |"})
    monkeypatch.setattr(run, "put_into_documents", written.__setitem__)
    monkeypatch.setattr(run, "write_summaries", lambda: None)
    monkeypatch.setattr(sys, "argv", ["run.py"])
    with pytest.raises(SystemExit) as ended:
        run.main()
    assert str(ended.value).startswith("sides: not measured: ")
    assert written == {"editions": "| measured |"}
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_times_without_their_list_of_words_are_not_measured_and_the_table_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written: dict[str, str] = {}
    monkeypatch.setattr(bench_scoring, "WORDS", tmp_path / "words")
    monkeypatch.setattr(run, "put_into_documents", written.__setitem__)
    monkeypatch.setattr(sys, "argv", ["run.py", "scoring times"])
    with pytest.raises(SystemExit, match=r"^scoring times: not measured: .*install wamerican-huge"):
        run.main()
    assert written == {}


def test_pictures_show_every_misreading() -> None:
    crop = np.full((48, 48, 3), 120, np.uint8)
    few = draw_misread([Misread(want="I", have="L", crop_bgr=crop)] * 3, "three")
    many = draw_misread([Misread(want="I", have=".", crop_bgr=crop)] * 30, "thirty")
    assert many.shape[0] > few.shape[0]
    assert draw_misread([], "none").shape[0] > 0
    table = draw_confusions(Counter({("I", "L"): 3, ("SZ", "?"): 1}), "two pairs")
    assert table.shape[0] > draw_confusions(Counter(), "none").shape[0]
    plot = draw_reliability({"a": ([0.2, 0.9, 0.95], [False, True, True]), "b": ([], [])}, "three")
    assert plot.shape[0] > 600


def test_the_index_of_the_benchmarks_names_every_module_and_table() -> None:
    folder = Path(measuring.__file__).parent
    text = (folder / "README.md").read_text(encoding="utf-8")
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert [
        module for module in sorted(modules) if f"`{module}`" not in text and f"`{module}.py`" not in text
    ] == []
    assert [name for name in TABLES if f"`{name}`" not in text and not name.startswith("digitising")] == []
