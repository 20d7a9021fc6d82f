"""Random photos: reproducible, with the requested letters, and never without tiles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samples import random_camera, random_film, random_light, random_photo
from samples.fonts import typefaces
from samples.optics.camera import Camera
from samples.random.photos import every_letter, random_rows
from samples.random.styles import MIN_CONTRAST, random_style
from scoring import load_edition

SMALL = Camera(cell_px=12)
GREY_WEIGHTS = np.array([0.114, 0.587, 0.299])


def test_the_same_generator_state_gives_the_same_photo():
    first, again = (random_photo(np.random.default_rng(5), camera=SMALL) for _ in range(2))
    assert np.array_equal(first.image_bgr, again.image_bgr)
    assert (first.rows, first.values, first.turns) == (again.rows, again.values, again.turns)


@pytest.mark.parametrize("seed", range(12))
def test_the_truth_of_a_random_photo_is_consistent(seed):
    photo = random_photo(np.random.default_rng(seed), camera=SMALL)
    known = set(every_letter()) | {".", "?", "#"}
    rows, columns = len(photo.rows), len(photo.rows[0])
    assert photo.image_bgr.dtype == np.uint8
    assert photo.corners_px.shape == (4, 2)
    assert (photo.corners_px >= 0).all()
    assert (photo.corners_px < [photo.image_bgr.shape[1], photo.image_bgr.shape[0]]).all()
    for tokens, values, turns, prints in zip(
        photo.rows, photo.values, photo.turns, photo.prints, strict=True
    ):
        assert len(tokens) == len(values) == len(turns) == len(prints) == columns
        assert known.issuperset(tokens)
        for token, value, turn, text in zip(tokens, values, turns, prints, strict=True):
            assert value is None or (token.isupper() and value >= 0)
            assert token == "." or not text
            assert turn == 0 or text or token not in {".", "#"}
    assert rows == len(photo.values) == len(photo.turns)


def test_an_edition_gives_its_own_letters_and_layout():
    photo = random_photo(np.random.default_rng(1), edition="hungarian", camera=SMALL, density=0.9, easy=True)
    tokens = {token for row in photo.rows for token in row} - {".", "?"}
    assert tokens <= set(load_edition("hungarian").tokens)
    assert any(len(token) > 1 for token in tokens)
    assert len(photo.rows) == load_edition("hungarian").layout.rows


def test_a_film_takes_an_edition_that_is_not_shipped():
    own = replace(load_edition("english"), name="club", layout=load_edition("krydsord").layout)
    film = random_film(np.random.default_rng(1), own, plays=1, cell_px=12)
    _, picture = next(film.frames())
    assert film.edition is own
    assert picture.shape[0] > 16 * 12


def test_every_letter_holds_the_digraphs_and_accents_of_all_editions():
    assert {"A", "SZ", "LL", "Ð", "Ő", "Ł", "Ñ"} <= set(every_letter())
    assert "?" not in every_letter()


def test_density_and_blanks_are_as_asked():
    rows = random_rows(np.random.default_rng(0), ("A", "B"), 40, 40, density=0.5, blanks=0.2)
    tokens = [token for row in rows for token in row]
    tiles = [token for token in tokens if token != "."]
    assert len(tiles) / len(tokens) == pytest.approx(0.5, abs=0.01)
    assert tiles.count("?") / len(tiles) == pytest.approx(0.2, abs=0.05)


def test_ink_differs_visibly_from_its_tile():
    for seed in range(200):
        tiles = random_style(np.random.default_rng(seed)).tiles
        contrast = abs(float(np.dot(GREY_WEIGHTS, np.subtract(tiles.body_bgr, tiles.ink_bgr))))
        assert contrast >= MIN_CONTRAST - 12, seed


def test_held_out_fonts_are_kept_out_of_training():
    if {typeface.split for typeface in typefaces()} != {"train", "heldout"}:
        pytest.skip("only one half of the fonts is installed here")
    for seed in range(40):
        rng = np.random.default_rng(seed)
        assert random_style(rng, fonts="train").tiles.letter_face.split == "train"
        assert random_style(rng, fonts="heldout").tiles.letter_face.split == "heldout"


def test_easy_views_are_from_above_and_sharp():
    rng = np.random.default_rng(2)
    for _ in range(50):
        assert random_camera(rng, easy=True).tilt_deg < 30
        light = random_light(rng, easy=True)
        assert light.defocus_px == 0
        assert light.glares == ()
