"""Contracts of the renderer: exact corners, the same pixels from the same seed, no tile lost or added."""

from __future__ import annotations

import dataclasses
from typing import Any

import cv2
import numpy as np
import pytest

from samples.errors import SpecificationError
from samples.fonts import typefaces
from samples.optics.camera import Camera
from samples.optics.light import Light
from samples.random.styles import random_style
from samples.rendering.photo import RenderedPhoto, render_photo
from samples.style import BoardStyle, Handling, Style, TableStyle, TileStyle
from scoring import load_edition

pytestmark = pytest.mark.slow

WHITE, BLACK, GREY = (255.0, 255.0, 255.0), (0.0, 0.0, 0.0), (128.0, 128.0, 128.0)
CHECKER = tuple("".join("T" if (row + column) % 2 else "." for column in range(15)) for row in range(15))
EMPTY = (("." * 15),) * 15
SHADOWLESS = Light(shadow_depth=0.0)


def plain_style(**handling: Any) -> Style:
    face = typefaces()[0]
    board = BoardStyle(
        plain_bgr=WHITE,
        double_letter_bgr=GREY,
        triple_letter_bgr=GREY,
        double_word_bgr=GREY,
        triple_word_bgr=BLACK,
        line_bgr=None,
        text_face=face,
        speckle=0.0,
        frame_bgr=GREY,
        frame_width=0.5,
    )
    tiles = TileStyle(letter_face=face, value_face=face, body_bgr=(200.0, 225.0, 235.0), ink_bgr=BLACK)
    table = TableStyle(kind="plain", first_bgr=GREY, second_bgr=GREY)
    return Style(tiles=tiles, board=board, table=table, handling=Handling(**handling))


def with_tiles(*tiles: tuple[int, int, str]) -> tuple[tuple[str, ...], ...]:
    rows = [["."] * 15 for _ in range(15)]
    for row, column, token in tiles:
        rows[row][column] = token
    return tuple(map(tuple, rows))


def render(
    rows=EMPTY, edition="icelandic", camera=None, light=SHADOWLESS, style=None, seed=3, **rest
) -> RenderedPhoto:
    return render_photo(
        rows,
        edition,
        style=style or plain_style(),
        camera=camera or Camera(cell_px=40),
        light=light,
        seed=seed,
        **rest,
    )


def analytic_checker(corners_px, height, width, fine=6):
    """The checker of these corners, computed from the projection alone: `fine` x `fine` samples a pixel."""
    square = np.array([[0, 0], [15, 0], [15, 15], [0, 15]], dtype=np.float32)
    grid_from_image = cv2.getPerspectiveTransform(corners_px.astype(np.float32), square)
    total = np.zeros((height, width))
    for dy in (np.arange(fine) + 0.5) / fine - 0.5:
        for dx in (np.arange(fine) + 0.5) / fine - 0.5:
            y, x = np.mgrid[0:height, 0:width] + np.array([dy, dx])[:, np.newaxis, np.newaxis]
            u, v, w = np.tensordot(grid_from_image, np.stack([x, y, np.ones_like(x)]), axes=1)
            column, row = np.floor(u / w), np.floor(v / w)
            outside = (column < 0) | (column > 14) | (row < 0) | (row > 14)
            total += np.where(outside, GREY[0], np.where((column + row) % 2 == 0, 255.0, 0.0))
    return (total / fine**2).astype(np.float32)


@pytest.mark.parametrize(
    "camera",
    [
        Camera(cell_px=24.3),  # no whole number, else each edge would be rounded alike
        Camera(cell_px=20.7, roll_deg=11),
        Camera(cell_px=24, tilt_deg=30, azimuth_deg=25, distance=1.8),
        Camera(cell_px=30, tilt_deg=45, azimuth_deg=200, roll_deg=-7, distance=2.5),
    ],
)
def test_the_corners_are_where_the_pixels_say(camera):
    photo = render(camera=camera, marks=CHECKER)
    grey = cv2.cvtColor(photo.image_bgr, cv2.COLOR_BGR2GRAY).astype(np.float32)
    ideal = analytic_checker(photo.corners_px, *grey.shape)
    mask = np.zeros(grey.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(photo.corners_px).astype(np.int32)], 255)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_COUNT, 40, 1e-7)
    _, photo_from_ideal = cv2.findTransformECC(
        ideal, grey, np.eye(3, dtype=np.float32), cv2.MOTION_HOMOGRAPHY, stop, mask, 5
    )
    seen = cv2.perspectiveTransform(photo.corners_px[:, np.newaxis], photo_from_ideal.astype(np.float64))[
        :, 0
    ]
    assert np.abs(seen - photo.corners_px).max() < 0.05


def test_the_same_seed_gives_the_same_pixels_and_another_seed_does_not():
    rows = with_tiles((7, 7, "A"), (7, 8, "Ð"))
    style, light = plain_style(offset=0.1, turn_deg=3.0), Light(noise=4.0)
    first, again = render(rows, style=style, light=light), render(rows, style=style, light=light)
    other = render(rows, style=style, light=light, seed=4)
    assert np.array_equal(first.image_bgr, again.image_bgr)
    assert not np.array_equal(first.image_bgr, other.image_bgr)


def test_a_tile_stays_where_it_lies_when_others_are_laid():
    style = plain_style(offset=0.1, turn_deg=4.0)
    before = render(with_tiles((7, 7, "A")), style=style)
    after = render(with_tiles((2, 2, "K"), (7, 7, "A")), style=style, moment=1)
    middle = (slice(260, 360), slice(260, 360))
    assert np.array_equal(before.image_bgr[middle], after.image_bgr[middle])
    assert not np.array_equal(before.image_bgr, after.image_bgr)


def test_tokens_values_and_turns_are_those_that_were_asked_for():
    rows = with_tiles((0, 0, "A"), (3, 4, "Þ"), (14, 14, "?"), (9, 9, "k"))
    photo = render(rows)
    icelandic = load_edition("icelandic")
    assert photo.rows == rows
    assert photo.values[0][0] == icelandic.values["A"]
    assert photo.values[3][4] == icelandic.values["Þ"]
    assert photo.values[14][14] is None
    assert photo.values[9][9] is None
    assert sum(value is not None for row in photo.values for value in row) == 2
    assert {turn for row in photo.turns for turn in row} == {0}
    assert photo.edition == "icelandic"


def test_a_tile_changes_its_own_square_and_a_blank_differs_from_an_empty_square():
    empty, blank = render(), render(with_tiles((7, 7, "?")))
    difference = cv2.absdiff(empty.image_bgr, blank.image_bgr).max(axis=2)
    rows, columns = np.nonzero(difference > 12)
    centre = blank.corners_px.mean(axis=0)
    assert difference[round(centre[1]), round(centre[0])] > 12
    assert abs(columns - centre[0]).max() < 1.5 * 40
    assert abs(rows - centre[1]).max() < 1.5 * 40


def test_a_turned_tile_is_the_upright_one_turned():
    style = plain_style(quarter_turns=1.0, offset=0.0, turn_deg=0.0)
    straight = plain_style(offset=0.0, turn_deg=0.0)
    flat = dataclasses.replace(straight.tiles, bevel=0.0, outline=0.0, spread=0.0, thickness=0.0)
    rows = with_tiles((7, 7, "F"))
    upright = render(rows, style=dataclasses.replace(straight, tiles=flat), values=((3,) * 15,) * 15)
    turned = render(rows, style=dataclasses.replace(style, tiles=flat), values=((3,) * 15,) * 15)
    quarters = turned.turns[7][7]
    x, y = (round(v) for v in upright.corners_px.mean(axis=0) - 18)
    cell = (slice(y, y + 36), slice(x, x + 36))
    expected = np.rot90(upright.image_bgr[cell].astype(int), -quarters)
    best = min(
        np.abs(np.roll(expected, (dy, dx), (0, 1)) - turned.image_bgr[cell])[3:-3, 3:-3].mean()
        for dy in (-1, 0, 1)
        for dx in (-1, 0, 1)
    )
    unturned = np.abs(upright.image_bgr[cell].astype(int) - turned.image_bgr[cell])[3:-3, 3:-3].mean()
    assert quarters in {1, 2, 3}
    assert best < 0.5 * unturned


def test_empty_premium_squares_say_which_way_up_their_text_is():
    style = plain_style()
    texts = ("DL", "TL", "DW", "TW")
    printed = dataclasses.replace(style.board, premium_texts=texts, print_turn=3, start_sign="star")
    photo = render(with_tiles((0, 0, "A"), (1, 1, "K")), style=dataclasses.replace(style, board=printed))
    assert not photo.prints[0][0]  # a tile lies on it
    assert not photo.prints[0][1]  # plain
    assert not photo.prints[7][7]  # the star
    assert photo.prints[0][7]
    assert photo.prints[0][3]
    assert photo.turns[0][7] == 3
    assert photo.turns[0][0] == photo.turns[0][1] == photo.turns[7][7] == 0
    assert not any(map(any, render().prints))


def test_covers_hide_squares_and_invent_none():
    rows = tuple(tuple("A" for _ in range(15)) for _ in range(15))
    photo = render(rows, edition="english", covers=2, seed=11)
    shown = {token for row in photo.rows for token in row}
    assert shown == {"A", "#"}
    for tokens, values in zip(photo.rows, photo.values, strict=True):
        assert all((value is None) == (token == "#") for token, value in zip(tokens, values, strict=True))


def test_a_thick_tile_leans_away_from_an_oblique_camera():
    view = Camera(cell_px=40, tilt_deg=40).view(15, 15, 0.5)
    middle = np.array([[7.5, 7.5]])
    ground, raised = view.apply(middle)[0], view.apply(middle, height=0.3)[0]
    assert raised[1] < ground[1] - 4
    assert raised[0] == pytest.approx(ground[0], abs=1e-6)


def test_a_view_from_above_has_square_cells_of_the_size_that_was_asked_for():
    corners = Camera(cell_px=31).view(15, 15, 1.0).corners_px
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    assert sides == pytest.approx([15 * 31] * 4)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (EMPTY[:14], "15 rows of 15 squares, got 14 rows"),
        (with_tiles((0, 0, "SZ")), "tile 'SZ' in row 0, column 0 is not in the edition icelandic"),
    ],
)
def test_what_cannot_be_drawn_is_refused(rows, message):
    with pytest.raises(SpecificationError, match=message):
        render(rows)


@pytest.mark.parametrize("bad", [{"cell_px": 1}, {"tilt_deg": 90}, {"distance": 0.5}])
def test_a_camera_inside_the_board_is_refused(bad):
    with pytest.raises(SpecificationError, match="camera: need"):
        Camera(**bad)


def test_light_and_lens_do_what_they_say():
    rows = with_tiles((7, 7, "A"))
    plain = render(rows).image_bgr.astype(float)
    assert render(rows, light=Light(shadow_depth=0, brightness=0.4)).image_bgr.mean() == pytest.approx(
        0.4 * plain.mean(), rel=0.02
    )
    red = render(rows, light=Light(shadow_depth=0, brightness=0.6, cast_bgr=(0.7, 1.0, 1.3))).image_bgr
    assert red[..., 2].mean() > 1.5 * red[..., 0].mean()
    for light in (
        Light(shadow_depth=0, noise=8.0),
        Light(shadow_depth=0, shot_noise=1.0),
        Light(shadow_depth=0, jpeg_quality=30),
        Light(shadow_depth=0, motion_px=6.0),
        Light(shadow_depth=0, defocus_px=2.0),
        Light(shadow_depth=0, saturation=0.2),
        Light(shadow_depth=0, contrast=0.7),
        Light(shadow_depth=0, sharpen=1.0),
        Light(shadow_depth=0, denoise=1),
        Light(shadow_depth=0, denoise=3),
        Light(shadow_depth=0, gradient=0.5, vignette=0.4),
    ):
        image = render(rows, light=light).image_bgr
        assert image.shape == plain.shape
        assert not np.array_equal(image, plain), light


def test_every_kind_of_style_can_be_drawn():
    rows = with_tiles((7, 7, "A"), (7, 8, "?"), (0, 0, "Ð"))
    seen = set()
    for seed in range(40):
        style = random_style(np.random.default_rng(seed), letters=("A", "Ð"))
        seen |= {
            style.board.premium_shape,
            style.board.teeth,
            style.board.start_sign,
            style.table.kind,
            style.tiles.joker,
        }
        photo = render(rows, style=style, camera=Camera(cell_px=14), seed=seed)
        assert photo.rows == rows
        assert photo.image_bgr.std() > 2
    assert {
        "full",
        "inset",
        "rounded",
        "diamond",
        "none",
        "squares",
        "spikes",
        "star",
        "ring",
        "logo",
    } <= seen
    assert {"plain", "wood", "cloth", "carpet", "pattern", "bare"} <= seen
