"""Random sets: tiles, a board of `samples.random.boards`, a table, and how tiles are placed."""

from __future__ import annotations

from typing import Literal

import numpy as np

from samples.arrays import Colour
from samples.chance import Tone, between, hsv_colour, pick, pick_weighted, toss
from samples.fonts import FontSplit, pick_typeface
from samples.random.boards import random_board
from samples.style import Handling, JokerSign, Style, TableKind, TableStyle, TileStyle

__all__ = ["random_style", "random_table"]

Material = Literal["plastic", "wood"]
Point = tuple[float, float]

TILE_BODIES: tuple[tuple[float, tuple[Material, Tone]], ...] = (
    (0.3, ("plastic", Tone(hue=(0.09, 0.15), saturation=(0.08, 0.26), value=(0.8, 0.96)))),  # ivory
    (0.18, ("plastic", Tone(saturation=(0.0, 0.06), value=(0.86, 1.0)))),  # white
    (0.06, ("plastic", Tone(hue=(0.13, 0.22), saturation=(0.12, 0.42), value=(0.55, 0.9)))),  # yellowed
    (0.24, ("wood", Tone(hue=(0.05, 0.13), saturation=(0.2, 0.68), value=(0.45, 0.95)))),
    (0.06, ("wood", Tone(hue=(0.02, 0.07), saturation=(0.45, 0.8), value=(0.4, 0.75)))),  # red wood
    (0.08, ("wood", Tone(hue=(0.04, 0.13), saturation=(0.08, 0.3), value=(0.5, 0.85)))),  # grey wood
    (0.06, ("plastic", Tone(saturation=(0.0, 0.6), value=(0.06, 0.3)))),  # dark
    (0.10, ("plastic", Tone(saturation=(0.2, 0.8), value=(0.5, 0.95)))),  # coloured
)
"""Weight, material and colours of the tiles; chosen."""
DARK_INK = Tone(saturation=(0.0, 0.3), value=(0.03, 0.3))
LIGHT_INK = Tone(hue=(0.08, 0.16), saturation=(0.0, 0.4), value=(0.75, 1.0))
COLOURED_INKS = (
    Tone(hue=(-0.03, 0.03), saturation=(0.5, 1.0), value=(0.2, 0.55)),
    Tone(hue=(0.57, 0.66), saturation=(0.5, 1.0), value=(0.15, 0.55)),
    Tone(hue=(0.3, 0.45), saturation=(0.5, 1.0), value=(0.15, 0.45)),
    Tone(hue=(0.04, 0.1), saturation=(0.4, 0.8), value=(0.15, 0.4)),  # burnt into wood
)
"""Other inks, on pale tiles; chosen."""
MIN_CONTRAST = 58.0
"""Grey levels between ink and body, at least; chosen."""

MARKED_PLASTIC, MARKED_WOOD = 0.15, 0.45
"""Shares of the plastic and wooden sets with letters written on blanks; chosen."""
SAME_COLOUR = 0.15
"""Share of the boards in the tiles' colour: only relief and shadow show a blank. Chosen."""
JOKERS: tuple[JokerSign, ...] = ("face", "star", "question", "heart", "diamond", "scroll")
"""Signs on blanks, each equally likely."""
TABLES: tuple[TableKind, ...] = (
    "plain",
    "wood",
    "wood",
    "cloth",
    "carpet",
    "pattern",
    "checks",
    "stripes",
    "dots",
)
"""Kinds of tables, as often as they are drawn."""


def random_style(
    rng: np.random.Generator, *, fonts: FontSplit | None = None, letters: tuple[str, ...] = ()
) -> Style:
    """Draw a set of tiles, a board, a table, and how carefully the tiles are placed.

    Parameters
    ----------
    rng : numpy.random.Generator
        The same state gives the same style.
    fonts : {"train", "heldout"}, optional
        Typefaces; None for all.
    letters : tuple of str
        Tokens that the letters' typeface must draw.

    Raises
    ------
    FontsMissingError
        If no installed typeface draws the letters.
    """
    tiles = _random_tiles(rng, fonts, letters or ("A",))
    return Style(
        tiles=tiles,
        board=random_board(rng, fonts, like=tiles.body_bgr if toss(rng, SAME_COLOUR) else None),
        table=random_table(rng),
        handling=Handling(
            offset=0.005 + 0.1 * float(rng.beta(1.2, 3)),
            shift_xy=(float(rng.normal(0, 0.04)), float(rng.normal(0, 0.04))),
            turn_deg=0.2 + 4.5 * float(rng.beta(1.2, 3)),
            quarter_turns=between(rng, 0.02, 0.5) if toss(rng, 0.18) else 0.0,
        ),
    )


def _random_tiles(rng: np.random.Generator, fonts: FontSplit | None, letters: tuple[str, ...]) -> TileStyle:
    material, tone = pick_weighted(rng, TILE_BODIES)
    wooden = material == "wood"
    body = tone.pick(rng)
    if sum(body) < 260:
        ink = LIGHT_INK.pick(rng)
    else:
        ink = (pick(rng, COLOURED_INKS) if toss(rng, 0.2) else DARK_INK).pick(rng)
    body, ink = _ensure_contrast(body, ink)
    letter_face = pick_typeface(rng, fonts, letters)
    value_xy = _draw_value_xy(rng)
    value_gap = between(rng, 0.01, 0.12) if value_xy[1] > 0.5 < value_xy[0] and toss(rng, 0.35) else None
    flat = toss(rng, 0.45 if wooden else 0.15)  # sawn, not moulded: no bevel, small gaps
    marked = toss(rng, MARKED_WOOD if wooden else MARKED_PLASTIC)
    return TileStyle(
        letter_face=letter_face,
        value_face=letter_face if toss(rng, 0.75) else pick_typeface(rng, fonts, ("1",)),
        body_bgr=body,
        ink_bgr=ink,
        ink_opacity=between(rng, 0.75, 1.0),
        stroke=float(rng.normal(0, 0.7)) if toss(rng, 0.4) else 0.0,
        spread=between(rng, 0.0, 0.06 if wooden else 0.03),
        grain=between(rng, 0.02, 0.16) if wooden else 0.0,
        cross_grain=pick(rng, (0.0, 0.5, 1.0)),
        gloss=between(rng, 0.02, 0.2) if toss(rng, 0.25) else 0.0,
        letter_height=between(rng, 0.34, 0.62),
        letter_xy=_draw_letter_xy(rng, value_xy),
        letter_stretch=float(np.clip(rng.normal(1.0, 0.08), 0.8, 1.25)),
        barred_i=toss(rng, 0.3),
        low_accents=toss(rng, 0.35),
        value_height=between(rng, 0.13, 0.24),
        value_xy=value_xy,
        value_gap=value_gap,
        value_shown=not toss(rng, 0.06),
        value_circled=toss(rng, 0.06),
        joker="bare" if marked or toss(rng, 0.72) else pick(rng, JOKERS),
        marked_jokers=between(rng, 0.3, 1.0) if marked else 0.0,
        side=between(rng, 0.93, 1.0) if flat else between(rng, 0.8, 1.0),
        thickness=between(rng, 0.06, 0.3),
        corner=between(rng, 0.0, 0.05 if flat else 0.16),
        bevel_width=between(rng, 0.02, 0.08),
        bevel=between(rng, 0.0, 0.06 if flat else 0.5),
        outline=between(rng, 0.0, 0.12 if flat else 0.5),
        dimples=_draw_dimples(rng) if not wooden and toss(rng, 0.2) else (),
        dimple_radius=between(rng, 0.03, 0.08),
        dimple_depth=between(rng, 0.08, 0.35),
    )


def _ensure_contrast(body: Colour, ink: Colour) -> tuple[Colour, Colour]:
    """Make the body lighter or darker where the contrast of body and ink is below `MIN_CONTRAST`."""
    weights = np.array([0.114, 0.587, 0.299])
    grey_body, grey_ink = float(np.dot(body, weights)), float(np.dot(ink, weights))
    if abs(grey_body - grey_ink) >= MIN_CONTRAST:
        return body, ink
    if grey_ink > 128:
        factor = max(0.0, grey_ink - MIN_CONTRAST) / max(1.0, grey_body)
        return (body[0] * factor, body[1] * factor, body[2] * factor), ink
    lift = grey_ink + MIN_CONTRAST - grey_body
    return (min(255.0, body[0] + lift), min(255.0, body[1] + lift), min(255.0, body[2] + lift)), ink


def _draw_value_xy(rng: np.random.Generator) -> Point:
    """Draw the middle of the value: mostly bottom right, rarely another corner."""
    near, far = between(rng, 0.12, 0.24), between(rng, 0.74, 0.88)
    low_right = (between(rng, 0.66, 0.9), between(rng, 0.7, 0.9))  # some touch the letter's foot
    return pick_weighted(
        rng, ((0.82, low_right), (0.08, (far, near)), (0.06, (near, far)), (0.04, (near, near)))
    )


def _draw_letter_xy(rng: np.random.Generator, value_xy: Point) -> Point:
    """Draw the middle of the letter: the tile's middle, or away from the value."""
    if toss(rng, 0.3):
        return 0.5 + float(rng.normal(0, 0.015)), 0.5 + float(rng.normal(0, 0.02))
    away_x, away_y = between(rng, 0, 0.35), between(rng, 0, 0.3)
    return 0.5 + (0.5 - value_xy[0]) * away_x, 0.5 + (0.5 - value_xy[1]) * away_y


def _draw_dimples(rng: np.random.Generator) -> tuple[Point, ...]:
    inset = between(rng, 0.14, 0.28)
    marks = ((inset, inset), (1 - inset, inset), (0.5, 1 - inset * 0.8), (inset, 1 - inset), (0.5, 0.5))
    return marks[: pick(rng, (1, 2, 3, 3, 4, 5))]


def random_table(rng: np.random.Generator) -> TableStyle:
    """Draw a table."""
    kind = pick(rng, TABLES)
    if toss(rng, 0.5):
        any_colour = Tone(saturation=(0, 0.6), value=(0.1, 1.0))
        return TableStyle(kind=kind, first_bgr=any_colour.pick(rng), second_bgr=any_colour.pick(rng))
    hue, saturation, value = between(rng, 0.05, 0.12), between(rng, 0.05, 0.7), between(rng, 0.25, 0.9)
    return TableStyle(
        kind=kind,
        first_bgr=hsv_colour(hue, saturation, value),
        second_bgr=hsv_colour(hue, saturation * 0.9, value * between(rng, 0.6, 0.9)),
    )
