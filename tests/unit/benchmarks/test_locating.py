"""Counting of located scenes and of kinds of photos."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from docs.figures.locating_pictures import describe_offset, draw_misses
from samples import RenderedPhoto
from scoring import load_edition
from tests.benchmarks import bench_locating, bench_photo_kinds, bench_sizes
from tests.benchmarks.bench_locating import NO_BOARD, SceneResult
from tests.benchmarks.bench_photo_kinds import OTHER_SIDE, KindResult, list_errors, list_wrong_squares
from tests.benchmarks.measuring import reader_for
from tests.sets.photo_kinds import cover_tokens, kind_of_photo
from tests.sets.scenes import compare_corners
from vision.capture import Frame, open_picture
from vision.core.geometry import Grid
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext

CORNERS = np.array([[10.0, 10], [160, 10], [160, 160], [10, 160]])
ON_A_SCREEN = "a game on a screen, the usual premium squares"
REFUSED = "no board found: no pattern of equal squares; show the whole board, from above, and larger"


def scene(seed: int, kind: str, **other: object) -> SceneResult:
    known: dict[str, object] = {"shows": "", "corners_px": None, "error_cells": None, "turned": False}
    return SceneResult(
        seed=seed,
        kind=kind,
        **{**known, "refusal": "", "locate_d": 4.0, **other},  # type: ignore[arg-type]
    )


def test_scenes_are_counted_by_what_they_show() -> None:
    results = [
        scene(1, "wood", error_cells=0.02),
        scene(2, "wood", error_cells=0.3, locate_d=10.0),
        scene(3, "paper", refusal=REFUSED),
        scene(1, NO_BOARD, shows="window", refusal=REFUSED),
        scene(2, NO_BOARD, shows="window", error_cells=math.inf),
    ]
    rows = {row[0]: row[1:] for row in bench_locating.table_rows(results)}
    assert list(rows) == ["wood", "paper", "all"]
    assert rows["wood"][:2] == ["2", "1 (50.0%)"]
    assert rows["wood"][4] == "1"
    assert rows["all"][3] == "1: no pattern of equal squares"
    assert rows["all"][-1] == "4.0 / 9.4"
    window, everything = bench_locating.no_board_rows(results)
    assert window == ["window", "2", "1", "4.0 / 4.0"]
    assert everything[0] == "all"


def test_results_of_another_program_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scenes.jsonl"
    monkeypatch.setattr(bench_locating, "RESULTS", path)
    path.write_text('{"program": "another", "seed": 1, "kind": "wood"}\n{"seed": 2, "kind": "wood"}\n')
    assert list(bench_locating.load_results()) == []


def test_kinds_of_photos_are_counted_by_what_was_reported() -> None:
    results = [
        KindResult(kind="a", seed=0, corners_px=None, error_cells=0.01),
        KindResult(kind="a", seed=1, corners_px=None, error_cells=0.01, flagged=("8D A>E",)),
        KindResult(
            kind="a", seed=2, corners_px=None, error_cells=0.01, flagged=("8D A>E",), unflagged=("8E I>J",)
        ),
        KindResult(kind="a", seed=3, corners_px=None, error_cells=0.4, placed="off"),
        KindResult(kind="a", seed=4, corners_px=None, error_cells=0.2, placed="off", is_warned=True),
        KindResult(kind="b", seed=0, corners_px=None, refusal=REFUSED),
    ]
    assert bench_photo_kinds.table_rows(results) == [
        ["a", "5", "1", "1", "1", "0", "1", "1"],
        ["b", "1", "0", "0", "0", "1: no pattern of equal squares", "0", "0"],
    ]
    causes = [result.cause for result in results]
    assert causes[:2] == ["", ""]
    assert "8E I>J" in causes[2]
    assert causes[3] == "placed wrongly: off"
    assert causes[4] == "placed wrongly, and told: off"
    assert causes[5].startswith("no pattern")


def test_a_photo_of_a_kind_is_read_and_compared() -> None:
    """Each thing that is wrong is counted once, as flagged or as not flagged."""
    shown = kind_of_photo(ON_A_SCREEN, 16)
    frame = Frame(image_bgr=shown.image_bgr, source="rendered", index=0, time_s=0.0)
    found = read_photo(
        frame,
        GameContext(edition=load_edition(shown.edition), recognizer=reader_for(shown.edition)),
    )
    assert compare_corners(found.grid, shown.corners_px)[0] < 0.15
    flagged, unflagged = list_wrong_squares(shown, found)
    assert unflagged == ()
    assert flagged  # a blank that shows a letter, for one
    assert list_errors(shown, found, turned=False) == (flagged, unflagged)
    rows = [list(row) for row in shown.rows]
    assert rows[6][6] == found.decoded.board[6, 6] == "A"
    rows[6][6], rows[0][0] = "#", "Q"  # nobody can tell the one, the other was missed
    changed = replace(shown, rows=tuple(tuple(row) for row in rows))
    assert list_wrong_squares(changed, found) == (flagged, ("A1 Q>.",))
    guess, sure = replace(found, is_orientation_certain=False), replace(found, is_orientation_certain=True)
    assert list_errors(shown, guess, turned=True) == ((OTHER_SIDE,), ())
    assert list_errors(shown, sure, turned=True) == ((), (OTHER_SIDE,))
    three = replace(shown, others=2)
    assert list_errors(three, replace(found, other_boards=1), turned=False)[1] == (
        "other boards not counted: 1",
    )
    assert list_errors(three, replace(found, other_boards=2), turned=False) == (flagged, ())


def test_a_line_that_doubts_the_whole_board_tells_of_each_wrong_square(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = kind_of_photo(ON_A_SCREEN, 16)
    frame = Frame(image_bgr=shown.image_bgr, source="rendered", index=0, time_s=0.0)
    found = read_photo(
        frame,
        GameContext(edition=load_edition(shown.edition), recognizer=reader_for(shown.edition)),
    )
    monkeypatch.setattr(bench_photo_kinds, "check_layout", lambda *seen: "the squares lie elsewhere")
    missed = replace(shown, rows=(("Q", *shown.rows[0][1:]), *shown.rows[1:]), others=1)
    flagged, unflagged = list_errors(missed, found, turned=False)
    assert flagged[-1] == "A1 Q>."
    assert unflagged == ("other boards not counted: 1",)
    monkeypatch.undo()
    low = replace(found, is_height_uncertain=True)
    assert list_errors(replace(missed, others=0), low, turned=False) == (flagged, ())


@pytest.mark.parametrize(
    "kind", ["half of the board outside", "one corner just outside", "a hand over one corner"]
)
def test_what_lies_outside_or_under_a_hand_is_known(kind: str) -> None:
    photo = kind_of_photo(kind, 1)
    height, width = photo.image_bgr.shape[:2]
    inside = ((photo.corners_px >= 0) & (photo.corners_px < [width, height])).all(axis=1)
    hidden = sum(row.count("#") for row in photo.rows)
    if kind == "a hand over one corner":
        assert inside.all()
        assert 0 < hidden < 100
    elif kind == "one corner just outside":
        assert inside.sum() == 3
        assert 0 < hidden < 10
    else:
        assert inside.sum() < 4


def test_covered_squares_are_those_under_the_mask() -> None:
    photo = kind_of_photo("the board fills the picture", 0)
    mask = np.zeros(photo.image_bgr.shape[:2], np.uint8)
    assert cover_tokens(photo, mask) == photo.rows
    mask[:] = 255
    assert {token for row in cover_tokens(photo, mask) for token in row} == {"#"}


def test_corners_named_from_another_side_are_right_but_turned() -> None:
    grid = Grid.from_corners(CORNERS, 15, 15)
    for corners, is_turned in ((CORNERS, False), (np.roll(CORNERS, 1, axis=0), True)):
        error, turned = compare_corners(grid, corners)
        assert error == pytest.approx(0)
        assert turned is is_turned
    assert compare_corners(grid, CORNERS + 2)[0] == pytest.approx(0.2)


@pytest.mark.parametrize("turned", [False, True])
def test_a_saved_photo_is_opened_upright(tmp_path: Path, turned: bool) -> None:
    image = np.full((60, 90, 3), 128, np.uint8)
    cv2.circle(image, (20, 15), 8, (0, 0, 255), -1)
    photo = RenderedPhoto(
        image_bgr=image,
        corners_px=CORNERS,
        rows=(),
        values=(),
        turns=(),
        prints=(),
        edition="english",
        seed=0,
    )
    larger, corners = bench_sizes.scale_photo(photo, 4 * 60 * 90 / 1e6)
    assert larger.shape == (120, 180, 3)
    assert np.allclose(corners[0], [20.5, 20.5])
    path = tmp_path / "photo.jpg"
    bench_sizes.save_photo(larger, path, turned=turned)
    opened = open_picture(path).image_bgr
    assert opened.shape == larger.shape
    assert np.abs(opened.astype(int) - larger).mean() < 4


def test_what_went_wrong_is_reported_in_words_and_shown() -> None:
    square = np.array([[100.0, 100], [250, 100], [250, 250], [100, 250]])
    one = square + np.array([[0, 0], [0, 0], [3, 0], [0, 0]])
    assert describe_offset(square, one, 15) == "corner BR is off by 0.30 cells, the others by 0.00 at most"
    assert describe_offset(square, np.roll(one, 1, axis=0), 15) == describe_offset(square, one, 15)
    assert describe_offset(square, square + 3, 15).startswith("several corners are off")
    assert describe_offset(square, square + 200, 15) == "another place was taken for the board"

    image = np.full((300, 400, 3), 90, np.uint8)
    few = draw_misses([(image, square, one, "a"), (image, None, None, "b")], "two")
    more = draw_misses([(image, square, one, "a")] * 3, "three")
    assert more.shape[0] > few.shape[0]
    red = (few[..., 2] > 180) & (few[..., 1] < 90)
    assert red.sum() > 300  # the outline, small and close up
