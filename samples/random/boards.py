"""Random boards: any colours, and common families (paper, de luxe, travel)."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from samples.arrays import Colour
from samples.chance import Tone, between, hsv_colour, pick, pick_weighted, toss
from samples.fonts import FontSplit, pick_typeface
from samples.style import BoardStyle, PremiumShape, Teeth
from scoring import edition_names, load_edition

__all__ = ["WOODEN_BOARD", "random_board"]

Family = Literal["any", "paper", "de luxe", "travel"]
FAMILIES: tuple[tuple[float, Family], ...] = (
    (0.46, "any"),
    (0.3, "paper"),
    (0.14, "de luxe"),
    (0.1, "travel"),
)
"""Weight of each kind of board; chosen."""
BOARDS = (
    (0.28, Tone(hue=(0.29, 0.46), saturation=(0.3, 0.85), value=(0.25, 0.6))),  # green
    (0.24, Tone(hue=(0.07, 0.15), saturation=(0.03, 0.32), value=(0.65, 0.97))),  # beige
    (0.10, Tone(hue=(0.09, 0.15), saturation=(0.6, 0.95), value=(0.75, 0.98))),  # yellow
    (0.07, Tone(hue=(0.52, 0.66), saturation=(0.3, 0.8), value=(0.25, 0.8))),  # blue
    (0.10, Tone(hue=(0.92, 1.03), saturation=(0.5, 0.9), value=(0.3, 0.65))),  # red
    (0.05, Tone(saturation=(0.0, 0.2), value=(0.05, 0.25))),  # black
    (0.08, Tone(value=(0.1, 1.0))),
)
"""Weights and colours of the ground of boards of any kind; chosen."""
WOODEN_BOARD = Tone(hue=(0.05, 0.12), saturation=(0.2, 0.6), value=(0.4, 0.9))
WOODEN_BOARDS = 0.08
"""Share of the boards that are of wood; chosen."""
PAPERS = (
    (0.5, Tone(hue=(0.05, 0.13), saturation=(0.05, 0.25), value=(0.6, 0.95))),  # beige
    (0.25, Tone(hue=(-0.05, 0.06), saturation=(0.03, 0.16), value=(0.55, 0.85))),  # pinkish grey
    (0.15, Tone(hue=(0.06, 0.1), saturation=(0.2, 0.42), value=(0.4, 0.7))),  # brown
    (0.1, Tone(saturation=(0.0, 0.1), value=(0.75, 1.0))),  # white
)
"""Weights and colours of paper boards; chosen."""
DE_LUXE = (
    (0.4, Tone(hue=(0.93, 1.0), saturation=(0.55, 0.9), value=(0.25, 0.6))),  # dark red
    (0.35, Tone(hue=(0.33, 0.48), saturation=(0.35, 0.85), value=(0.15, 0.5))),  # dark green
    (0.25, Tone(hue=(0.05, 0.14), saturation=(0.1, 0.5), value=(0.4, 0.9))),  # cream to brown
)
"""Weights and colours of de luxe boards; chosen."""
TRAVEL = Tone(hue=(0.36, 0.5), saturation=(0.15, 0.7), value=(0.3, 0.65))
LIGHT_LETTER = Tone(hue=(0.5, 0.6), saturation=(0.35, 0.65), value=(0.75, 0.95))
PALE_LETTER = Tone(hue=(0.5, 0.62), saturation=(0.08, 0.45), value=(0.7, 0.95))
DARK_LETTER = Tone(hue=(0.53, 0.65), saturation=(0.65, 0.95), value=(0.45, 0.8))
PINK = Tone(hue=(0.9, 1.03), saturation=(0.12, 0.55), value=(0.8, 1.0))
LIGHT_WORDS = (
    (0.6, Tone(hue=(0.92, 1.03), saturation=(0.3, 0.6), value=(0.8, 1.0))),  # pink
    (0.2, Tone(hue=(0.1, 0.15), saturation=(0.6, 0.95), value=(0.8, 1.0))),  # yellow
    (0.2, Tone(hue=(0.75, 0.86), saturation=(0.3, 0.6), value=(0.65, 0.95))),  # violet
)
"""Weights and colours of double words; chosen."""
DARK_WORD = Tone(hue=(0.93, 1.03), saturation=(0.7, 1.0), value=(0.5, 0.9))
ANY_PREMIUM = Tone(saturation=(0.2, 1.0), value=(0.3, 1.0))
WHITE = Tone(hue=(0.12, 0.12), saturation=(0, 0.15), value=(0.8, 1.0))
GILT = Tone(hue=(0.11, 0.15), saturation=(0.35, 0.65), value=(0.7, 0.95))
GREY = Tone(saturation=(0.0, 0.15), value=(0.35, 0.85))

SHAPES: tuple[PremiumShape, ...] = ("full", "full", "full", "inset", "rounded", "diamond")
"""Shapes of premium squares, as often as they are drawn."""
TEETH: tuple[Teeth, ...] = ("none", "none", "squares", "spikes", "stamp")
"""Edges of premium squares, as often as they are drawn."""
SHORT_TEXTS = (("2x L", "3x L", "2x W", "3x W"), ("DL", "TL", "DW", "TW"), ("2L", "3L", "2W", "3W"))
"""Short texts of DL, TL, DW and TW."""


def random_board(
    rng: np.random.Generator, fonts: FontSplit | None = None, like: Colour | None = None
) -> BoardStyle:
    """Draw a board.

    Parameters
    ----------
    rng : numpy.random.Generator
        The same state gives the same board.
    fonts : {"train", "heldout"}, optional
        Typefaces of the text; None for all.
    like : Colour, optional
        Colour that the plain squares nearly have.

    Raises
    ------
    FontsMissingError
        If no typeface is installed.
    """
    board = _any_board(rng, fonts)
    family = pick_weighted(rng, FAMILIES)
    if family == "paper":
        board = _make_paper(rng, board)
    elif family == "de luxe":
        board = _make_de_luxe(rng, board)
    elif family == "travel":
        board = _make_travel(rng, board)
    if like is not None:
        shade = float(rng.normal(1.0, 0.1))
        board = replace(
            board,
            plain_bgr=_shade(like, shade),
            speckle=between(rng, 0.06, 0.14) if toss(rng, 0.4) else board.speckle,
        )
    return board


def _any_board(rng: np.random.Generator, fonts: FontSplit | None) -> BoardStyle:
    wooden = toss(rng, WOODEN_BOARDS)
    plain = WOODEN_BOARD.pick(rng) if wooden else pick_weighted(rng, BOARDS).pick(rng)
    tones = (LIGHT_LETTER, DARK_LETTER, pick_weighted(rng, LIGHT_WORDS), DARK_WORD)
    if toss(rng, 0.2):  # premium squares have any colour on some boards
        tones = (ANY_PREMIUM,) * 4
    pale = 0.7 * float(rng.beta(1.2, 2.0))  # faded or pale print
    double_letter, triple_letter, double_word, triple_word = (_fade(t.pick(rng), plain, pale) for t in tones)
    return BoardStyle(
        plain_bgr=plain,
        double_letter_bgr=double_letter,
        triple_letter_bgr=triple_letter,
        double_word_bgr=double_word,
        triple_word_bgr=triple_word,
        line_bgr=_line_colour(rng, plain),
        line_width=between(rng, 0.015, 0.11),
        text_face=pick_typeface(rng, fonts, ("A",)),
        premium_shape=pick(rng, SHAPES),
        teeth=pick(rng, TEETH),
        text_size=between(rng, 0.55, 0.95),
        premium_texts=_premium_texts(rng) if toss(rng, 0.6) else None,
        text_bgr=hsv_colour(0, 0, between(rng, 0, 0.3) if toss(rng, 0.75) else between(rng, 0.8, 1)),
        start_sign=pick(rng, ("none", "star", "star", "star", "ring", "logo")),
        start_bgr=ANY_PREMIUM.pick(rng) if toss(rng, 0.15) else None,
        star_points=pick(rng, (5, 5, 5, 6, 8, 8, 12, 16)),
        star_inner=between(rng, 0.36, 0.7),
        sign_size=between(rng, 0.2, 0.44),
        sign_bgr=ANY_PREMIUM.pick(rng) if toss(rng, 0.2) else None,
        sign_line=between(rng, 0.02, 0.07) if toss(rng, 0.25) else 0.0,
        sign_relief=between(rng, 0.1, 0.5) if toss(rng, 0.15) else 0.0,
        relief=between(rng, 0.1, 0.5) if toss(rng, 0.25) else 0.0,
        speckle=between(rng, 0.06, 0.14) if wooden else between(rng, 0, 0.03),
        frame_bgr=plain if toss(rng, 0.4) else Tone(value=(0.1, 1.0)).pick(rng),
        frame_width=between(rng, 0.3, 2.0),
        labels=toss(rng, 0.3),
        title="TILESIGHT" if toss(rng, 0.3) else "",
        print_turn=int(rng.integers(4)) if toss(rng, 0.4) else 0,
        clutter=between(rng, 0.05, 0.5) if toss(rng, 0.15) else 0.0,
        folds=between(rng, 0.1, 0.5) if toss(rng, 0.35) else 0.0,
        fold_across=toss(rng, 0.5),
        fold_gloss=between(rng, 0.2, 0.9) if toss(rng, 0.5) else 0.0,
    )


def _make_paper(rng: np.random.Generator, board: BoardStyle) -> BoardStyle:
    """Change a board into one of paper: pale squares, which look like bare tiles, between light lines."""
    plain = pick_weighted(rng, PAPERS).pick(rng)
    pale = 0.5 * float(rng.beta(1.0, 2.5))
    letters = (PALE_LETTER if toss(rng, 0.4) else LIGHT_LETTER).pick(rng), DARK_LETTER.pick(rng)
    words = PINK.pick(rng), DARK_WORD.pick(rng)
    return replace(
        board,
        plain_bgr=plain,
        double_letter_bgr=_fade(letters[0], plain, pale),
        triple_letter_bgr=_fade(letters[1], plain, pale),
        double_word_bgr=_fade(words[0], plain, pale),
        triple_word_bgr=_fade(words[1], plain, pale),
        line_bgr=WHITE.pick(rng) if toss(rng, 0.85) else _shade(plain, between(rng, 1.05, 1.3)),
        line_width=between(rng, 0.03, 0.1),
        premium_shape="inset" if toss(rng, 0.3) else "full",
        teeth=pick(rng, ("stamp", "stamp", "squares", "none")),
        premium_texts=_premium_texts(rng) if toss(rng, 0.9) else None,
        text_bgr=hsv_colour(0, 0, between(rng, 0, 0.25)),
        start_sign="star" if toss(rng, 0.85) else board.start_sign,
        star_points=5,
        sign_bgr=None,
        sign_line=0.0,
        sign_relief=0.0,
        start_bgr=None,
        relief=0.0,
        speckle=between(rng, 0.0, 0.05),
        frame_bgr=plain if toss(rng, 0.6) else DARK_WORD.pick(rng),
    )


def _make_de_luxe(rng: np.random.Generator, board: BoardStyle) -> BoardStyle:
    """Change a board into a de luxe one: a moulded grid with shiny ridges, and an embossed star."""
    plain = pick_weighted(rng, DE_LUXE).pick(rng)
    return replace(
        board,
        plain_bgr=plain,
        double_letter_bgr=LIGHT_LETTER.pick(rng),
        triple_letter_bgr=DARK_LETTER.pick(rng),
        double_word_bgr=PINK.pick(rng),
        triple_word_bgr=DARK_WORD.pick(rng),
        line_bgr=pick_weighted(rng, ((0.5, GILT), (0.25, WHITE), (0.25, GREY))).pick(rng),
        line_width=between(rng, 0.04, 0.12),
        relief=between(rng, 0.2, 0.6),
        teeth="spikes" if toss(rng, 0.7) else "none",
        premium_shape="full",
        premium_texts=_premium_texts(rng) if toss(rng, 0.9) else None,
        start_sign="star",
        star_points=pick(rng, (5, 6, 8, 8, 8, 12)),
        start_bgr=PINK.pick(rng) if toss(rng, 0.7) else None,
        sign_bgr=PINK.pick(rng) if toss(rng, 0.5) else DARK_WORD.pick(rng),
        sign_line=between(rng, 0.02, 0.06) if toss(rng, 0.6) else 0.0,
        sign_relief=between(rng, 0.2, 0.8),
    )


def _make_travel(rng: np.random.Generator, board: BoardStyle) -> BoardStyle:
    """Change a board into a travel one: hazy green plastic with grey ridges, and faded premium squares."""
    plain = TRAVEL.pick(rng)
    pale = between(rng, 0.0, 0.6)
    tones = (PALE_LETTER, DARK_LETTER, PINK, DARK_WORD)
    double_letter, triple_letter, double_word, triple_word = (_fade(t.pick(rng), plain, pale) for t in tones)
    return replace(
        board,
        plain_bgr=plain,
        double_letter_bgr=double_letter,
        triple_letter_bgr=triple_letter,
        double_word_bgr=double_word,
        triple_word_bgr=triple_word,
        line_bgr=(GREY if toss(rng, 0.6) else WHITE).pick(rng),
        line_width=between(rng, 0.04, 0.13),
        relief=between(rng, 0.1, 0.5),
        teeth=pick(rng, ("none", "spikes", "squares")),
        premium_texts=_premium_texts(rng) if toss(rng, 0.85) else None,
        sign_relief=between(rng, 0.1, 0.6) if toss(rng, 0.5) else 0.0,
    )


def _shade(colour: Colour, factor: float) -> Colour:
    return min(255.0, colour[0] * factor), min(255.0, colour[1] * factor), min(255.0, colour[2] * factor)


def _fade(colour: Colour, plain: Colour, share: float) -> Colour:
    """Fade a colour by a share towards a pale mixture with the plain squares' colour."""
    blue, green, red = (c * (1 - share) + (0.5 * p + 110) * share for c, p in zip(colour, plain, strict=True))
    return blue, green, red


def _line_colour(rng: np.random.Generator, plain: Colour) -> Colour | None:
    kind = pick_weighted(
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
        return WHITE.pick(rng)
    if kind == "gilt":
        return GILT.pick(rng)
    if kind == "none":
        return None
    return _shade(plain, between(rng, 0.5, 0.85) if kind == "darker" else between(rng, 1.15, 1.6))


def _premium_texts(rng: np.random.Generator) -> tuple[str, str, str, str]:
    """Pick the texts of DL, TL, DW and TW: those of a shipped edition, or short ones."""
    printed = [texts for name in edition_names() if (texts := load_edition(name).premium_texts)]
    if not printed or toss(rng, 0.25):
        return pick(rng, SHORT_TEXTS)
    texts = pick(rng, printed)
    return texts["DL"], texts["TL"], texts["DW"], texts["TW"]
