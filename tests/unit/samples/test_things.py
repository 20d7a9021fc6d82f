"""Things around a board: each kind can be drawn, and none covers the board."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from samples import Camera, Light, TableStyle, random_style, render_photo
from samples.drawing.surfaces import table_texture
from samples.rendering.table_clutter import DRAWINGS, place_things
from scoring import load_edition

ROOMY = Camera(cell_px=14, margins=(0.5, 0.5, 0.5, 0.5))


def test_things_are_next_to_the_board_and_do_not_cover_it():
    edition = load_edition("english")
    rows = ((".",) * edition.layout.columns,) * edition.layout.rows
    style = random_style(np.random.default_rng(5))
    style = replace(style, board=replace(style.board, speckle=0.0, clutter=0.0))
    busy = replace(style, table=replace(style.table, things=8))
    light = Light(shadow_depth=0)
    bare, full = (
        render_photo(rows, edition, style=each, camera=ROOMY, light=light, seed=2) for each in (style, busy)
    )
    changed = cv2.absdiff(bare.image_bgr, full.image_bgr).max(axis=2) > 8
    grid = np.zeros(changed.shape, np.uint8)
    cv2.fillPoly(grid, [np.round(full.corners_px).astype(np.int32)], 1)
    assert changed.mean() > 0.02
    assert not changed[grid > 0].any()


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_every_thing_can_be_drawn(drawing):
    tiles = random_style(np.random.default_rng(1)).tiles
    for seed in range(4):
        thing = drawing(tiles, np.random.default_rng(seed))
        assert thing.image_bgr.shape[:2] == thing.mask.shape
        assert (thing.mask > 127).any()
        assert min(thing.size) > 0.2


def test_things_out_of_sight_change_nothing():
    style = random_style(np.random.default_rng(5))
    style = replace(style, table=replace(style.table, things=6), board=replace(style.board, frame_width=30.0))
    view = Camera(cell_px=14, margins=(0, 0, 0, 0)).view(15, 15, 0.25)
    scene = np.full((view.height_px, view.width_px, 3), 90, np.uint8)
    place_things(scene, view, style, np.random.default_rng(0))
    assert (scene == 90).all()


@pytest.mark.parametrize("kind", ["plain", "wood", "cloth", "carpet", "pattern", "checks", "stripes", "dots"])
def test_every_table_shows_its_two_colours(kind):
    table = TableStyle(kind=kind, first_bgr=(20.0, 40.0, 60.0), second_bgr=(200.0, 220.0, 240.0))
    picture = table_texture(table, np.random.default_rng(3), side_px=256)
    assert picture.shape == (256, 256, 3)
    assert picture.std() > 5
    assert 20 <= picture[..., 0].mean() <= 200
