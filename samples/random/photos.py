"""Photos of random boards, for training and for measuring."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from samples.chance import between, toss
from samples.fonts import FontSplit
from samples.optics import Camera, Light
from samples.random.styles import random_style
from samples.random.views import random_camera, random_light
from samples.rendering import RenderedPhoto, render_photo
from samples.style import TileStyle
from scoring import Edition, edition_names, load_edition

__all__ = ["every_letter", "random_photo", "random_rows"]

MIN_VISIBLE = 12.0
"""Grey levels by which letter and tile differ in the photo, at least, in addition to its noise; chosen."""
MAX_LIT = 225.0
"""Grey level of a letter above which glare wipes it away; chosen."""
PRINTED_VALUES = tuple(range(1, 13))
"""Values of tiles that do not have those of the edition."""
RULES_VALUES = 0.3
"""Share of the boards with the edition's values; others have random ones. Chosen."""
BLANKS = 0.12
"""Share of the tiles that are blanks; chosen."""
HARD_LETTERS = frozenset("ILTFEHOQGDUVN")
"""Letters that are drawn twice as often: they are similar, or similar when turned."""
OBLIQUE_DEG = 36.0
"""Tilt in degrees above which thick tiles reach far into their neighbours' squares; chosen."""


@lru_cache(maxsize=1)
def every_letter() -> tuple[str, ...]:
    """List the letters of all shipped editions, digraphs included, sorted."""
    return tuple(sorted({token for name in edition_names() for token in load_edition(name).tokens}))


def random_rows(
    rng: np.random.Generator,
    letters: tuple[str, ...],
    rows: int,
    columns: int,
    density: float,
    blanks: float = BLANKS,
) -> tuple[tuple[str, ...], ...]:
    """Fill a board with random letters, in clumps as words are.

    Parameters
    ----------
    rng : numpy.random.Generator
        The same state gives the same board.
    letters : tuple of str
        The letters to draw from.
    rows, columns : int
        Size of the board.
    density : float
        Share of the squares that hold a tile.
    blanks : float
        Share of the tiles that are blanks.
    """
    coarse = rng.random(((rows + 2) // 3, (columns + 2) // 3))
    clumps = np.kron(coarse, np.ones((3, 3)))[:rows, :columns]
    filled = 0.6 * rng.random((rows, columns)) + 0.4 * clumps
    threshold = float(np.quantile(filled, 1 - density))
    picks = rng.integers(len(letters), size=(rows, columns))
    blank = rng.random((rows, columns)) < blanks
    return tuple(
        tuple(
            "." if filled[r, c] < threshold else "?" if blank[r, c] else letters[int(picks[r, c])]
            for c in range(columns)
        )
        for r in range(rows)
    )


def random_photo(
    rng: np.random.Generator,
    *,
    fonts: FontSplit | None = "train",
    edition: str | None = None,
    density: float | None = None,
    easy: bool = False,
    camera: Camera | None = None,
    things: int = 0,
) -> RenderedPhoto:
    """Render the photo of a random board, for training and measuring.

    Parameters
    ----------
    rng : numpy.random.Generator
        The same state gives the same photo.
    fonts : {"train", "heldout"}, optional
        Which typefaces; one family in eight is held out. None for all.
    edition : str, optional
        Letters and layout of this edition; by default those of a random one, or the letters of all.
    density : float, optional
        Share of squares that hold a tile; by default 0.3 to 0.7.
    easy : bool
        From above, in good light, without covers.
    camera : Camera, optional
        Instead of a random one.
    things : int
        Number of other things around the board. Random cameras show little of the table: give one with wide
        margins too.
    """
    names = edition_names()
    rules: Edition = load_edition(edition or names[int(rng.integers(len(names)))])
    letters = rules.tokens if edition is not None or toss(rng, 0.4) else every_letter()
    rows, columns = rules.layout.rows, rules.layout.columns
    marks = None
    if edition is None and toss(rng, 0.1):
        marks = _random_marks(rng)
        rows, columns = len(marks), len(marks[0])
    share = density if density is not None else float(rng.uniform(0.3, 0.7))
    camera = camera or random_camera(rng, easy=easy)
    style = random_style(rng, fonts=fonts, letters=letters)
    if camera.tilt_deg > OBLIQUE_DEG and toss(rng, 0.6):
        style = replace(style, tiles=replace(style.tiles, thickness=between(rng, 0.25, 0.45)))
    if things > 0:
        style = replace(style, table=replace(style.table, things=things))
    hard = tuple(letter for letter in letters if letter in HARD_LETTERS)
    blanks = BLANKS if style.tiles.marked_jokers == 0 else 0.3
    board = random_rows(rng, letters + hard, rows, columns, share, blanks)
    true_values = rng.random() < RULES_VALUES
    values = tuple(
        tuple(
            rules.values[token]
            if true_values and token in rules.values and token != "?" and not toss(rng, 0.05)
            else PRINTED_VALUES[int(rng.integers(len(PRINTED_VALUES)))]
            for token in row
        )
        for row in board
    )
    return render_photo(
        board,
        rules,
        style=style,
        camera=camera,
        light=_readable_light(rng, style.tiles, camera, easy=easy),
        seed=int(rng.integers(2**31)),
        values=values,
        marks=marks,
        covers=int(rng.integers(1, 4)) if not easy and toss(rng, 0.2) else 0,
    )


def _readable_light(rng: np.random.Generator, tiles: TileStyle, camera: Camera, *, easy: bool) -> Light:
    """Draw a light in which letters differ visibly from bare tiles; an easy light where six draws give none."""
    for _ in range(6):
        light = random_light(rng, cell_px=camera.cell_px, easy=easy)
        if _darkest_when_lit(tiles, light) > MAX_LIT:
            continue
        if _letter_contrast(tiles, camera, light) >= MIN_VISIBLE + light.noise:
            return light
    return random_light(rng, cell_px=camera.cell_px, easy=True)


def _darkest_when_lit(tiles: TileStyle, light: Light) -> float:
    """Compute the grey level of the darker of ink and body where all glares meet."""
    darker = min(sum(tiles.body_bgr), sum(tiles.ink_bgr)) / 3
    plain = (darker * light.contrast + 128 * (1 - light.contrast)) * light.brightness
    return plain * (1 + light.gradient / 2) + 255 * sum(glare.strength for glare in light.glares)


def _letter_contrast(tiles: TileStyle, camera: Camera, light: Light) -> float:
    """Estimate the grey levels between the middle of a letter's stem and the bare tile in the photo."""
    full = abs(sum(tiles.body_bgr) - sum(tiles.ink_bgr)) / 3 * tiles.ink_opacity
    seen_px = camera.cell_px * math.cos(math.radians(camera.tilt_deg))
    stem_px = tiles.letter_face.stem * tiles.letter_height * tiles.side * seen_px
    # standard deviations: a uniform motion blur has nearly a third of its length; so have a pixel and a median
    blurs_px = (0.5, light.defocus_px, light.motion_px / 3.5, 0.8 if light.denoise else 0.0)
    left = math.erf(stem_px / (2 * math.sqrt(2) * math.hypot(*blurs_px)))
    return full * light.brightness * light.contrast * left


def _random_marks(rng: np.random.Generator) -> tuple[str, ...]:
    """Draw the premium marks of a symmetric board of random size and pattern."""
    side = int(rng.choice([11, 13, 15, 15, 15, 17, 19]))
    half = (side + 1) // 2
    quarter = np.array(list(".dtDT"))[rng.choice(5, size=(half, half), p=[0.7, 0.1, 0.08, 0.07, 0.05])]
    quarter = np.where(rng.random((half, half)) < 0.5, quarter, quarter.T)
    top = np.concatenate([quarter, quarter[:, : side - half][:, ::-1]], axis=1)
    whole = np.concatenate([top, top[: side - half][::-1]], axis=0)
    whole[side // 2, side // 2] = "D"
    return tuple("".join(line) for line in whole)
