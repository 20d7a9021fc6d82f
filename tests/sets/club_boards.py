"""Rendered photos of boards in play that a person can read.

Training sees the complete variety of the renderer, much of it unreadable: ink of nearly the tile's colour, a fifth of
daylight, tiles upside down, glare. A benchmark must count what is readable. These photos have the same variety of
sets, boards, lights and cameras, without what no person could read and no player would do:

* tiles are upright; every set prints its values; no blank has a letter written in pen;
* squares have premium texts and a start sign, but no other print;
* tiles differ from the plain squares by at least 25 levels of some colour, so that a bare blank is visible;
* ink and tile differ by at least 90 grey levels; letters are at least 0.42 and values 0.16 of the tile high;
  no print is lighter than its font;
* the camera is tilted by at most 35 degrees, on the players' side of the table;
* the light is at least 0.7 of daylight with a contrast of 0.8, without glare, motion blur or hands; the blur is
  at most 0.025 of a cell, the noise at most 6 grey levels, the JPEG quality at least 75.

Boards are positions of random games by the edition's rules: letters are as frequent as in the bag. Typefaces are
those that training never saw.
"""

from __future__ import annotations

import random
import zlib
from dataclasses import replace

import numpy as np

from samples import (
    Camera,
    FontSplit,
    Handling,
    Light,
    RenderedPhoto,
    Style,
    TileStyle,
    between,
    random_light,
    random_style,
    render_photo,
    toss,
)
from scoring import Board, Edition, load_edition
from tests.support.random_games import random_game

__all__ = ["club_board", "club_photo"]

MIN_CONTRAST = 90.0
MIN_DIFFERENCE = 25.0
GREY_FROM_BGR = np.array([0.114, 0.587, 0.299])


def club_photo(edition_name: str, seed: int, cell_px: float) -> RenderedPhoto:
    """Render a board in play; the same seed gives the same board, set and light at every resolution.

    Parameters
    ----------
    edition_name : str
        A shipped edition.
    seed : int
        Of board, set, light and camera.
    cell_px : float
        Size in pixels of a cell in the middle of the board, before foreshortening.
    """
    edition = load_edition(edition_name)
    rng = np.random.default_rng([zlib.crc32(edition_name.encode()), seed])
    style = club_style(rng, edition)
    camera = club_camera(rng, cell_px)
    return render_photo(
        club_board(edition, seed).rows,
        edition,
        style=style,
        camera=camera,
        light=club_light(rng, cell_px),
        seed=seed,
    )


def club_board(edition: Edition, seed: int) -> Board:
    """Draw a position of a random game, early or late; its blanks are not designated."""
    chances = random.Random(f"{edition.name} {seed}")
    board = random_game(chances, edition, turns=chances.randint(10, 40)).board
    # a blank's face does not show its letter
    return Board.from_rows(["?" if token.islower() else token for token in row] for row in board.rows)


def readable_style(rng: np.random.Generator, edition: Edition, fonts: FontSplit) -> Style:
    """Draw a set that a person can read, without clutter on the board and without letters in pen on blanks.

    Parameters
    ----------
    rng : numpy.random.Generator
        The source of chance.
    edition : Edition
        The edition, for its letters.
    fonts : {"train", "heldout"}
        The typefaces.
    """
    while True:
        style = random_style(rng, fonts=fonts, letters=edition.tokens)
        if measure_contrast(style.tiles) >= MIN_CONTRAST and measure_difference(style) >= MIN_DIFFERENCE:
            break
    tiles = replace(
        style.tiles,
        letter_height=max(0.42, style.tiles.letter_height),
        value_height=max(0.16, style.tiles.value_height),
        stroke=max(0.0, style.tiles.stroke),
        marked_jokers=0.0,
    )
    return replace(style, tiles=tiles, board=replace(style.board, clutter=0.0))


def club_style(rng: np.random.Generator, edition: Edition) -> Style:
    """Draw a readable set with values, in a typeface that training never saw, whose tiles are placed with care."""
    style = readable_style(rng, edition, "heldout")
    handling = Handling(
        offset=style.handling.offset, shift_xy=style.handling.shift_xy, turn_deg=style.handling.turn_deg
    )
    return replace(style, tiles=replace(style.tiles, value_shown=True), handling=handling)


def measure_contrast(tiles: TileStyle) -> float:
    """Compute the grey levels between a tile's body and its print."""
    body, ink = (float(GREY_FROM_BGR @ np.array(colour)) for colour in (tiles.body_bgr, tiles.ink_bgr))
    return abs(body - ink) * tiles.ink_opacity


def measure_difference(style: Style) -> float:
    """Compute the largest difference of a colour channel between a tile's body and a plain square."""
    return max(abs(a - b) for a, b in zip(style.tiles.body_bgr, style.board.plain_bgr, strict=True))


def club_camera(rng: np.random.Generator, cell_px: float) -> Camera:
    """Draw a camera above the table or at the players' side."""
    tilt = abs(float(rng.normal(0, 6))) if toss(rng, 0.5) else between(rng, 5, 35)
    return Camera(
        cell_px=cell_px,
        tilt_deg=min(35.0, tilt),
        azimuth_deg=float(rng.normal(0, 20)),
        roll_deg=float(rng.normal(0, 4)),
        distance=between(rng, 1.3, 3.5),
    )


def club_light(rng: np.random.Generator, cell_px: float) -> Light:
    """Draw the light of a playing room, and a camera that is held still."""
    light = random_light(rng, cell_px=cell_px)
    return replace(
        light,
        brightness=max(0.7, light.brightness),
        contrast=max(0.8, light.contrast),
        gradient=min(0.5, light.gradient),
        glares=(),
        defocus_px=min(0.025 * cell_px, light.defocus_px),
        motion_px=0.0,
        noise=min(6.0, light.noise),
        shot_noise=min(0.6, light.shot_noise),
        denoise=min(2, light.denoise),
        jpeg_quality=None if light.jpeg_quality is None else max(75, light.jpeg_quality),
    )
