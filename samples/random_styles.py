"""Sets of tiles, boards and tables that differ as real ones differ."""

from __future__ import annotations

from typing import Literal

import numpy as np

from samples.chance import Tone, between, chance, hsv_colour, one_of, one_weighted
from samples.fonts import FontSplit, pick_typeface
from samples.glyphs import JokerSign
from samples.style import (
    BoardStyle,
    Colour,
    Handling,
    PremiumShape,
    Style,
    TableKind,
    TableStyle,
    Teeth,
    TileStyle,
)
from scoring import edition_names, load_edition

__all__ = ["random_style"]

Material = Literal["plastic", "wood"]
Point = tuple[float, float]

# Each with its weight: what it is made of, and its colours.
TILE_BODIES: tuple[tuple[float, tuple[Material, Tone]], ...] = (
    (0.34, ("plastic", Tone(hue=(0.09, 0.15), saturation=(0.08, 0.26), value=(0.8, 0.96)))),  # ivory
    (0.18, ("plastic", Tone(saturation=(0.0, 0.06), value=(0.86, 1.0)))),  # white
    (0.32, ("wood", Tone(hue=(0.05, 0.13), saturation=(0.2, 0.68), value=(0.45, 0.95)))),
    (0.06, ("plastic", Tone(saturation=(0.0, 0.6), value=(0.06, 0.3)))),  # dark
    (0.10, ("plastic", Tone(saturation=(0.2, 0.8), value=(0.5, 0.95)))),  # coloured
)
DARK_INK = Tone(saturation=(0.0, 0.3), value=(0.03, 0.3))
LIGHT_INK = Tone(hue=(0.08, 0.16), saturation=(0.0, 0.4), value=(0.75, 1.0))
COLOURED_INKS = (
    Tone(hue=(-0.03, 0.03), saturation=(0.5, 1.0), value=(0.2, 0.55)),
    Tone(hue=(0.57, 0.66), saturation=(0.5, 1.0), value=(0.15, 0.55)),
    Tone(hue=(0.3, 0.45), saturation=(0.5, 1.0), value=(0.15, 0.45)),
    Tone(hue=(0.04, 0.1), saturation=(0.4, 0.8), value=(0.15, 0.4)),  # burnt into wood
)
LEAST_CONTRAST = 58.0  # grey levels between ink and body

BOARDS = (
    (0.28, Tone(hue=(0.29, 0.46), saturation=(0.3, 0.85), value=(0.25, 0.6))),  # green
    (0.24, Tone(hue=(0.07, 0.15), saturation=(0.03, 0.32), value=(0.65, 0.97))),  # beige
    (0.10, Tone(hue=(0.09, 0.15), saturation=(0.6, 0.95), value=(0.75, 0.98))),  # yellow
    (0.07, Tone(hue=(0.52, 0.66), saturation=(0.3, 0.8), value=(0.25, 0.8))),  # blue
    (0.10, Tone(hue=(0.92, 1.03), saturation=(0.5, 0.9), value=(0.3, 0.65))),  # red
    (0.05, Tone(saturation=(0.0, 0.2), value=(0.05, 0.25))),  # black
    (0.08, Tone(value=(0.1, 1.0))),
)
WOODEN_BOARD = Tone(hue=(0.05, 0.12), saturation=(0.2, 0.6), value=(0.4, 0.9))
WOODEN_BOARDS = 0.08  # share
ALIKE = 0.15  # share of the boards in the tiles' own colour, where only relief and shadow tell a blank
LIGHT_LETTER = Tone(hue=(0.5, 0.6), saturation=(0.35, 0.65), value=(0.75, 0.95))
DARK_LETTER = Tone(hue=(0.53, 0.65), saturation=(0.65, 0.95), value=(0.45, 0.8))
LIGHT_WORDS = (
    (0.6, Tone(hue=(0.92, 1.03), saturation=(0.3, 0.6), value=(0.8, 1.0))),  # pink
    (0.2, Tone(hue=(0.1, 0.15), saturation=(0.6, 0.95), value=(0.8, 1.0))),  # yellow
    (0.2, Tone(hue=(0.75, 0.86), saturation=(0.3, 0.6), value=(0.65, 0.95))),  # violet
)
DARK_WORD = Tone(hue=(0.93, 1.03), saturation=(0.7, 1.0), value=(0.5, 0.9))
ANY_PREMIUM = Tone(saturation=(0.2, 1.0), value=(0.3, 1.0))

JOKERS: tuple[JokerSign, ...] = ("face", "star", "question", "heart", "diamond", "scroll")
SHAPES: tuple[PremiumShape, ...] = ("full", "full", "full", "inset", "rounded", "diamond")
TEETH: tuple[Teeth, ...] = ("none", "none", "none", "squares", "spikes")
TABLES: tuple[TableKind, ...] = ("plain", "wood", "wood", "cloth", "carpet", "pattern")
SHORT_TEXTS = (("2x L", "3x L", "2x W", "3x W"), ("DL", "TL", "DW", "TW"), ("2L", "3L", "2W", "3W"))


def random_style(
    rng: np.random.Generator, *, fonts: FontSplit | None = None, letters: tuple[str, ...] = ()
) -> Style:
    """A set of tiles, a board, a table, and how carefully the tiles are laid.

    Parameters
    ----------
    fonts : {"train", "heldout"}, optional
        Only typefaces of this half.
    letters : tuple of str
        What the letters' typeface must draw.

    Raises
    ------
    FontsMissingError
        If no installed typeface draws the letters.
    """
    tiles = _random_tiles(rng, fonts, letters or ("A",))
    return Style(
        tiles=tiles,
        board=_random_board(rng, fonts, like=tiles.body_bgr if chance(rng, ALIKE) else None),
        table=_random_table(rng),
        handling=Handling(
            offset=0.005 + 0.1 * float(rng.beta(1.2, 3)),
            shift_xy=(float(rng.normal(0, 0.04)), float(rng.normal(0, 0.04))),
            turn_deg=0.2 + 4.5 * float(rng.beta(1.2, 3)),
            quarter_turns=between(rng, 0.02, 0.4) if chance(rng, 0.12) else 0.0,
        ),
    )


def _random_tiles(rng: np.random.Generator, fonts: FontSplit | None, letters: tuple[str, ...]) -> TileStyle:
    material, tone = one_weighted(rng, TILE_BODIES)
    wooden = material == "wood"
    body = tone.pick(rng)
    if sum(body) < 260:
        ink = LIGHT_INK.pick(rng)
    else:
        ink = (one_of(rng, COLOURED_INKS) if chance(rng, 0.2) else DARK_INK).pick(rng)
    body, ink = _legible(body, ink)
    letter_face = pick_typeface(rng, fonts, letters)
    value_xy = _value_place(rng)
    return TileStyle(
        letter_face=letter_face,
        value_face=letter_face if chance(rng, 0.75) else pick_typeface(rng, fonts, ("1",)),
        body_bgr=body,
        ink_bgr=ink,
        ink_opacity=between(rng, 0.75, 1.0),
        stroke=float(rng.normal(0, 0.7)) if chance(rng, 0.4) else 0.0,
        spread=between(rng, 0.0, 0.06 if wooden else 0.03),
        grain=between(rng, 0.02, 0.16) if wooden else 0.0,
        cross_grain=one_of(rng, (0.0, 0.5, 1.0)),
        gloss=between(rng, 0.02, 0.2) if chance(rng, 0.25) else 0.0,
        letter_height=between(rng, 0.34, 0.62),
        letter_xy=_letter_place(rng, value_xy),
        letter_stretch=float(np.clip(rng.normal(1.0, 0.08), 0.8, 1.25)),
        barred_i=chance(rng, 0.3),
        low_accents=chance(rng, 0.35),
        value_height=between(rng, 0.13, 0.24),
        value_xy=value_xy,
        value_shown=not chance(rng, 0.06),
        value_circled=chance(rng, 0.06),
        joker="bare" if chance(rng, 0.72) else one_of(rng, JOKERS),
        marked_jokers=between(rng, 0.2, 1.0) if chance(rng, 0.06) else 0.0,
        side=between(rng, 0.8, 1.0),
        thickness=between(rng, 0.06, 0.3),
        corner=between(rng, 0.0, 0.16),
        bevel_width=between(rng, 0.02, 0.08),
        bevel=between(rng, 0.0, 0.5),
        outline=between(rng, 0.0, 0.5),
        dimples=_dimples(rng) if not wooden and chance(rng, 0.2) else (),
        dimple_radius=between(rng, 0.03, 0.08),
        dimple_depth=between(rng, 0.08, 0.35),
    )


def _legible(body: Colour, ink: Colour) -> tuple[Colour, Colour]:
    """The two colours, the body made lighter or darker where nobody could read such a set."""
    weights = np.array([0.114, 0.587, 0.299])
    grey_body, grey_ink = float(np.dot(body, weights)), float(np.dot(ink, weights))
    if abs(grey_body - grey_ink) >= LEAST_CONTRAST:
        return body, ink
    if grey_ink > 128:
        factor = max(0.0, grey_ink - LEAST_CONTRAST) / max(1.0, grey_body)
        return (body[0] * factor, body[1] * factor, body[2] * factor), ink
    lift = grey_ink + LEAST_CONTRAST - grey_body
    return (min(255.0, body[0] + lift), min(255.0, body[1] + lift), min(255.0, body[2] + lift)), ink


def _value_place(rng: np.random.Generator) -> Point:
    """The middle of the value: mostly bottom right, seldom in another corner."""
    near, far = between(rng, 0.12, 0.24), between(rng, 0.74, 0.88)
    low_right = (between(rng, 0.66, 0.9), between(rng, 0.7, 0.9))  # some touch the letter's foot
    return one_weighted(
        rng, ((0.82, low_right), (0.08, (far, near)), (0.06, (near, far)), (0.04, (near, near)))
    )


def _letter_place(rng: np.random.Generator, value_xy: Point) -> Point:
    """The middle of the letter: the tile's, or moved away from the value."""
    if chance(rng, 0.3):
        return 0.5 + float(rng.normal(0, 0.015)), 0.5 + float(rng.normal(0, 0.02))
    away_x, away_y = between(rng, 0, 0.35), between(rng, 0, 0.3)
    return 0.5 + (0.5 - value_xy[0]) * away_x, 0.5 + (0.5 - value_xy[1]) * away_y


def _dimples(rng: np.random.Generator) -> tuple[Point, ...]:
    inset = between(rng, 0.14, 0.28)
    marks = ((inset, inset), (1 - inset, inset), (0.5, 1 - inset * 0.8), (inset, 1 - inset), (0.5, 0.5))
    return marks[: one_of(rng, (1, 2, 3, 3, 4, 5))]


def _random_board(rng: np.random.Generator, fonts: FontSplit | None, like: Colour | None) -> BoardStyle:
    """A board; with `like`, one whose plain squares have nearly that colour."""
    wooden = chance(rng, WOODEN_BOARDS if like is None else 0.4)
    plain = WOODEN_BOARD.pick(rng) if wooden else one_weighted(rng, BOARDS).pick(rng)
    if like is not None:
        shade = float(rng.normal(1.0, 0.1))
        plain = min(255.0, like[0] * shade), min(255.0, like[1] * shade), min(255.0, like[2] * shade)
    tones = (LIGHT_LETTER, DARK_LETTER, one_weighted(rng, LIGHT_WORDS), DARK_WORD)
    if chance(rng, 0.2):  # every colour is somebody's premium square
        tones = (ANY_PREMIUM,) * 4
    pale = 0.7 * float(rng.beta(1.2, 2.0))  # faded or pale print
    double_letter, triple_letter, double_word, triple_word = (_faded(t.pick(rng), plain, pale) for t in tones)
    return BoardStyle(
        plain_bgr=plain,
        double_letter_bgr=double_letter,
        triple_letter_bgr=triple_letter,
        double_word_bgr=double_word,
        triple_word_bgr=triple_word,
        line_bgr=_line_colour(rng, plain),
        line_width=between(rng, 0.015, 0.11),
        text_face=pick_typeface(rng, fonts, ("A",)),
        premium_shape=one_of(rng, SHAPES),
        teeth=one_of(rng, TEETH),
        text_size=between(rng, 0.55, 0.95),
        premium_texts=_premium_texts(rng) if chance(rng, 0.6) else None,
        text_bgr=hsv_colour(0, 0, between(rng, 0, 0.3) if chance(rng, 0.75) else between(rng, 0.8, 1)),
        start_sign=one_of(rng, ("none", "star", "star", "star", "ring", "logo")),
        start_bgr=ANY_PREMIUM.pick(rng) if chance(rng, 0.15) else None,
        relief=between(rng, 0.1, 0.5) if chance(rng, 0.25) else 0.0,
        speckle=between(rng, 0.06, 0.14) if wooden else between(rng, 0, 0.03),
        frame_bgr=plain if chance(rng, 0.4) else Tone(value=(0.1, 1.0)).pick(rng),
        frame_width=between(rng, 0.3, 2.0),
        labels=chance(rng, 0.3),
        title="TILESIGHT" if chance(rng, 0.3) else "",
        print_turn=int(rng.integers(4)) if chance(rng, 0.4) else 0,
        clutter=between(rng, 0.05, 0.5) if chance(rng, 0.15) else 0.0,
        folds=between(rng, 0.1, 0.5) if chance(rng, 0.3) else 0.0,
    )


def _faded(colour: Colour, plain: Colour, share: float) -> Colour:
    """`colour`, in part given way to a pale mixture of the board's own."""
    blue, green, red = (c * (1 - share) + (0.5 * p + 110) * share for c, p in zip(colour, plain, strict=True))
    return blue, green, red


def _line_colour(rng: np.random.Generator, plain: Colour) -> Colour | None:
    kind = one_weighted(
        rng,
        (
            (0.3, "black"),
            (0.33, "white"),
            (0.06, "gilt"),
            (0.12, "darker"),
            (0.12, "lighter"),
            (0.07, "none"),
        ),
    )
    if kind == "black":
        return hsv_colour(0, 0, between(rng, 0.0, 0.25))
    if kind == "white":
        return Tone(hue=(0.12, 0.12), saturation=(0, 0.15), value=(0.8, 1.0)).pick(rng)
    if kind == "gilt":
        return Tone(hue=(0.11, 0.15), saturation=(0.35, 0.65), value=(0.7, 0.95)).pick(rng)
    if kind == "none":
        return None
    shade = between(rng, 0.5, 0.85) if kind == "darker" else between(rng, 1.15, 1.6)
    return min(255.0, plain[0] * shade), min(255.0, plain[1] * shade), min(255.0, plain[2] * shade)


def _premium_texts(rng: np.random.Generator) -> tuple[str, str, str, str]:
    """What the squares DL, TL, DW and TW say: in a language that is known, or in short."""
    printed = [texts for name in edition_names() if (texts := load_edition(name).premium_texts)]
    if not printed or chance(rng, 0.25):
        return one_of(rng, SHORT_TEXTS)
    texts = one_of(rng, printed)
    return texts["DL"], texts["TL"], texts["DW"], texts["TW"]


def _random_table(rng: np.random.Generator) -> TableStyle:
    kind = one_of(rng, TABLES)
    if chance(rng, 0.5):
        any_colour = Tone(saturation=(0, 0.6), value=(0.1, 1.0))
        return TableStyle(kind=kind, first_bgr=any_colour.pick(rng), second_bgr=any_colour.pick(rng))
    hue, saturation, value = between(rng, 0.05, 0.12), between(rng, 0.05, 0.7), between(rng, 0.25, 0.9)
    return TableStyle(
        kind=kind,
        first_bgr=hsv_colour(hue, saturation, value),
        second_bgr=hsv_colour(hue, saturation * 0.9, value * between(rng, 0.6, 0.9)),
    )
