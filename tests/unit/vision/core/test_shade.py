"""Shade is brightened to the light next to it; no pixel gets darker or white."""

from __future__ import annotations

import numpy as np

from vision.core import Image, brighten_shade


def squares_in_the_sun() -> tuple[Image, Image]:
    """Squares of two levels in even light, and with the sun on all but the left of a slanted line."""
    row, column = np.mgrid[:300, :300]
    even = np.where((row // 20 + column // 20) % 2, 180.0, 120.0)[..., None].repeat(3, axis=2)
    shade = np.where(column + 0.3 * row < 160, 0.3, 1.0)[..., None]
    return np.asarray(even, np.uint8), np.asarray(even * shade, np.uint8)


def test_the_edge_of_the_sun_vanishes_and_squares_keep_their_contrast() -> None:
    even, shaded = squares_in_the_sun()
    brightened = brighten_shade(shaded).astype(np.float64)
    dark = shaded < even
    assert 0.29 < shaded[dark].mean() / even[dark].mean() < 0.31
    assert 0.85 < brightened[dark].mean() / even[dark].mean() < 1.15
    assert brightened[dark & (even == 180)].mean() > 1.2 * brightened[dark & (even == 120)].mean()


def test_no_pixel_gets_darker_and_none_gets_white_that_was_not() -> None:
    """White pixels say that light burnt them, see `vision.pipeline.checks`."""
    _, shaded = squares_in_the_sun()
    shaded = shaded.copy()
    shaded[200:220, 200:220], shaded[20:40, 20:40] = 255, 150
    brightened = brighten_shade(shaded)
    assert (brightened >= shaded).all()
    assert brightened[20:40, 20:40].max() > 200
    assert np.array_equal(brightened >= 250, shaded >= 250)


def test_a_picture_of_one_level_stays_as_it_is() -> None:
    plain = np.full((1, 700, 3), 40, np.uint8)
    assert np.array_equal(brighten_shade(plain), plain)
