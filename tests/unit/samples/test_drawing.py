"""Drawings on tiles and over boards: handwriting, values next to letters, hands; distortion of a lens."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
import pytest

from samples.drawing.boards import draw_board
from samples.drawing.covers import draw_cover
from samples.drawing.pens import LETTERS, STROKES, pen_mark
from samples.drawing.tiles import TileFace, draw_tiles
from samples.fonts import typefaces
from samples.optics.light import Glare, Light, photograph
from samples.optics.true_lens import bow_image, bow_points
from samples.random.boards import FAMILIES, random_board
from samples.style import Handling, JokerSign, TileStyle

CELL = 64


def drawn(style: TileStyle, text: str, value: int | None) -> np.ndarray:
    face = TileFace(row=0, column=0, text=text, value=value)
    handling = Handling(offset=0.0, turn_deg=0.0)
    tiles = draw_tiles((face,), style, handling, (CELL, CELL), CELL, 0, (1.0, 0.0), seed=1)
    return cv2.cvtColor(tiles.faces_bgr, cv2.COLOR_BGR2GRAY)


def plain_tiles(**changes) -> TileStyle:
    face = typefaces()[0]
    style = TileStyle(
        letter_face=face,
        value_face=face,
        body_bgr=(230.0, 230.0, 230.0),
        ink_bgr=(10.0, 10.0, 10.0),
        spread=0.0,
        bevel=0.0,
        outline=0.0,
    )
    return dataclasses.replace(style, **changes)


def value_left_px(style: TileStyle, letter: str) -> int:
    difference = cv2.absdiff(drawn(style, letter, 8), drawn(style, letter, None))
    return int(np.flatnonzero((difference > 60).any(axis=0))[0])


def test_a_value_with_a_gap_follows_its_letter_and_one_without_stays():
    following, fixed = plain_tiles(value_gap=0.03), plain_tiles(letter_xy=(0.4, 0.48))
    assert value_left_px(following, "I") < value_left_px(following, "M") - 5
    assert value_left_px(fixed, "I") == value_left_px(fixed, "L")


def test_every_pen_sign_has_strokes_within_its_box():
    assert set(LETTERS) | set("0123456789") <= set(STROKES)
    for strokes in STROKES.values():
        for stroke in strokes:
            digits = stroke.lstrip("~")
            assert len(digits) % 2 == 0
            assert len(digits) >= 4
            assert set(digits) <= set("012345678")


def test_pen_marks_differ_and_leave_most_of_the_tile_bare():
    rng = np.random.default_rng(0)
    marks = [pen_mark(48, rng) for _ in range(20)]
    assert all(0.01 < (mark > 127).mean() < 0.5 for mark in marks)
    assert not np.array_equal(marks[0], marks[1])


@pytest.mark.parametrize("kind", ["hand", "sleeve", "pen", "paper"])
def test_a_cover_changes_all_that_its_mask_says(kind):
    image = np.full((300, 300, 3), (0, 255, 0), np.uint8)  # no cover is as green
    mask = draw_cover(image, kind, (150.0, 150.0), 20.0, np.random.default_rng(4))
    core = cv2.erode(mask, np.ones((9, 9), np.uint8)) > 0
    assert core.sum() > 20
    assert np.abs(image[core].astype(int) - (0, 255, 0)).max(axis=1).min() > 10


@pytest.mark.parametrize("bow", [-0.08, 0.02, 0.08])
def test_points_are_bowed_as_pictures_are(bow):
    places = np.array([[60.0, 40.0], [250.0, 30.0], [300.0, 210.0], [160.0, 120.0]])
    picture = np.zeros((240, 320, 3), np.uint8)
    for x, y in places.astype(int):
        cv2.circle(picture, (int(x), int(y)), 4, (255, 255, 255), -1, cv2.LINE_AA)
    bent = bow_image(picture, bow)[..., 0].astype(float)
    for x, y in bow_points(places, bow, (240, 320)):
        top, left = round(y) - 9, round(x) - 9
        part = bent[top : top + 19, left : left + 19]
        yy, xx = np.mgrid[top : top + 19, left : left + 19]
        assert (part * xx).sum() / part.sum() == pytest.approx(x, abs=0.1)
        assert (part * yy).sum() / part.sum() == pytest.approx(y, abs=0.1)


def test_no_bow_changes_nothing():
    picture = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    assert np.array_equal(bow_image(picture, 0.0), picture)
    assert bow_points(np.array([[3.0, 4.0]]), 0.0, (40, 60)) == pytest.approx(np.array([[3.0, 4.0]]))


def test_a_crumpled_glare_is_uneven():
    scene = np.full((120, 120, 3), 60, np.uint8)
    glare = Glare(centre_xy=(0.5, 0.5), radii_xy=(0.4, 0.4), strength=0.4)
    even, rough = (
        photograph(
            scene, Light(glares=(dataclasses.replace(glare, crumple=crumple),)), np.random.default_rng(1)
        )
        for crumple in (0.0, 0.8)
    )
    assert even.mean() > 80
    assert cv2.Laplacian(rough, cv2.CV_32F).std() > cv2.Laplacian(even, cv2.CV_32F).std()


def test_the_mirror_image_of_a_lamp_has_an_edge():
    scene = np.full((120, 120, 3), 60, np.uint8)
    glare = Glare(centre_xy=(0.5, 0.5), radii_xy=(0.3, 0.3), strength=0.4)
    spot, lamp = (
        photograph(
            scene, Light(glares=(dataclasses.replace(glare, sharpness=each),)), np.random.default_rng(1)
        )[60, :, 0].astype(int)
        for each in (1.0, 6.0)
    )
    assert lamp[60] == spot[60] == 162
    assert np.abs(np.diff(lamp)).max() > 3 * np.abs(np.diff(spot)).max()


@pytest.mark.parametrize("sign", ["dot", "sticker", "small print"])
def test_blanks_may_have_a_sign_in_a_colour_of_its_own(sign: JokerSign):
    face = TileFace(row=0, column=0, text="", value=None)
    style = plain_tiles(joker=sign, joker_bgr=(20.0, 20.0, 220.0))
    handling = Handling(offset=0.0, turn_deg=0.0)
    tiles = draw_tiles((face,), style, handling, (CELL, CELL), CELL, 0, (1.0, 0.0), seed=1)
    is_red = np.ptp(tiles.faces_bgr, axis=-1) > 100
    assert 0.002 < is_red.mean() < 0.4
    assert not is_red[:8].any()


def test_random_boards_are_of_every_family():
    assert sum(weight for weight, _ in FAMILIES) == pytest.approx(1.0)
    boards = [random_board(np.random.default_rng(seed)) for seed in range(60)]
    assert {"stamp", "spikes"} <= {board.teeth for board in boards}
    assert sum(board.relief > 0 for board in boards) > 10
    assert sum(min(board.plain_bgr) > 120 for board in boards) > 15  # pale


def test_a_board_can_be_like_the_tiles():
    like = (60.0, 120.0, 180.0)
    for seed in range(20):
        board = random_board(np.random.default_rng(seed), like=like)
        ratio = np.array(board.plain_bgr) / np.array(like)
        assert ratio == pytest.approx(np.full(3, ratio[0]), rel=0.02)
        assert 0.6 < ratio[0] < 1.42


def folded(**changes) -> np.ndarray:
    board = dataclasses.replace(
        random_board(np.random.default_rng(1)), speckle=0.0, clutter=0.0, frame_bgr=(90.0, 90.0, 90.0)
    )
    style = dataclasses.replace(board, **{"folds": 0.0, "fold_across": False, "fold_gloss": 0.0, **changes})
    layout = ("." * 15,) * 15
    return draw_board(layout, frozenset(), style, 20, np.random.default_rng(2)).image_bgr.astype(int)


@pytest.mark.parametrize("across", [False, True])
def test_a_crease_runs_along_the_middle_row_or_column_and_nowhere_else(across):
    changed = np.abs(folded(folds=0.4, fold_across=across) - folded()).max(axis=2) > 0
    rows, columns = np.nonzero(changed)
    along, across_lines = (columns, rows) if across else (rows, columns)
    assert len(set(across_lines)) <= 3
    assert len(set(along)) > 0.9 * changed.shape[0]


def test_a_worn_crease_shines_in_places():
    plain, worn = folded(folds=0.2), folded(folds=0.2, fold_gloss=0.8)
    assert (worn >= plain).all()
    assert 0 < (worn - plain > 60).any(axis=2).mean() < 0.1
