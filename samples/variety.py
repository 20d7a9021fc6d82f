"""Chance: styles, cameras, lights and whole photos that differ as real sets, rooms and phones differ."""

from __future__ import annotations

import colorsys
from functools import lru_cache

import numpy as np
from scoring import Edition, edition_names, load_edition

from samples.camera import Camera
from samples.fonts import FontSplit, pick_typeface
from samples.glyphs import JokerSign
from samples.light import Glare, Light
from samples.photo import RenderedPhoto, render_photo
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

__all__ = ["every_letter", "random_camera", "random_light", "random_photo", "random_rows", "random_style"]

JOKERS: tuple[JokerSign, ...] = ("face", "star", "question", "ring", "heart", "diamond", "scroll")
TABLES: tuple[TableKind, ...] = ("plain", "wood", "wood", "cloth", "carpet", "pattern")
SHAPES: tuple[PremiumShape, ...] = ("full", "full", "full", "inset", "rounded", "diamond")
TEETH: tuple[Teeth, ...] = ("none", "none", "none", "squares", "spikes")
LEAST_CONTRAST = 70.0
STANDARD_VALUES = tuple(range(1, 13))


def _colour(hue: float, saturation: float, value: float) -> Colour:
    red, green, blue = colorsys.hsv_to_rgb(
        hue % 1.0, min(1.0, max(0.0, saturation)), min(1.0, max(0.0, value))
    )
    return (255 * blue, 255 * green, 255 * red)


def _chance(rng: np.random.Generator, share: float) -> bool:
    return bool(rng.random() < share)


def _near(
    rng: np.random.Generator, hue: float, saturation: float, value: float, width: float = 1.0
) -> Colour:
    """A colour about the given one (hue, saturation and value 0 to 1)."""
    return _colour(
        hue + width * rng.normal(0, 0.02),
        saturation + width * rng.normal(0, 0.08),
        value + width * rng.normal(0, 0.07),
    )


@lru_cache(maxsize=1)
def every_letter() -> tuple[str, ...]:
    """The letters of all shipped editions, digraphs included, sorted."""
    return tuple(sorted({token for name in edition_names() for token in load_edition(name).tokens}))


def random_style(
    rng: np.random.Generator, *, fonts: FontSplit | None = None, letters: tuple[str, ...] = ()
) -> Style:
    """A set of tiles, a board and a table.

    Parameters
    ----------
    fonts : {"train", "heldout"}, optional
        Only typefaces of this half.
    letters : tuple of str
        What the letters' typeface must draw.
    """
    tiles = _random_tiles(rng, fonts, letters)
    board = _random_board(rng, fonts)
    table = TableStyle(
        kind=TABLES[int(rng.integers(len(TABLES)))],
        first_bgr=_colour(rng.random(), rng.beta(1.5, 3), rng.uniform(0.1, 1)),
        second_bgr=_colour(rng.random(), rng.beta(1.5, 3), rng.uniform(0.1, 1)),
    )
    if _chance(rng, 0.5):  # most tables are of one hue
        hue, saturation, value = rng.uniform(0.05, 0.12), rng.uniform(0.05, 0.7), rng.uniform(0.25, 0.9)
        table = TableStyle(
            kind=table.kind,
            first_bgr=_colour(hue, saturation, value),
            second_bgr=_colour(hue, saturation * 0.9, value * rng.uniform(0.6, 0.9)),
        )
    careless = rng.beta(1.2, 3)
    handling = Handling(
        offset=0.005 + 0.1 * careless,
        shift_xy=(float(rng.normal(0, 0.04)), float(rng.normal(0, 0.04))),
        turn_deg=0.2 + 4.5 * rng.beta(1.2, 3),
        quarter_turns=float(rng.uniform(0.02, 0.4)) if _chance(rng, 0.12) else 0.0,
    )
    return Style(tiles=tiles, board=board, table=table, handling=handling)


def _legible(body: Colour, ink: Colour) -> tuple[Colour, Colour]:
    """The two colours with enough contrast that a set would be sold: 70 grey levels at least."""
    weights = np.array([0.114, 0.587, 0.299])
    grey_body, grey_ink = float(np.dot(body, weights)), float(np.dot(ink, weights))
    if abs(grey_body - grey_ink) >= LEAST_CONTRAST:
        return body, ink
    if grey_ink > 128:
        factor = max(0.0, grey_ink - LEAST_CONTRAST) / max(1.0, grey_body)
        return (body[0] * factor, body[1] * factor, body[2] * factor), ink
    lift = grey_ink + LEAST_CONTRAST - grey_body
    return (min(255.0, body[0] + lift), min(255.0, body[1] + lift), min(255.0, body[2] + lift)), ink


def _random_tiles(rng: np.random.Generator, fonts: FontSplit | None, letters: tuple[str, ...]) -> TileStyle:
    kind = rng.choice(["ivory", "white", "wood", "dark", "coloured"], p=[0.36, 0.18, 0.3, 0.06, 0.1])
    if kind == "ivory":
        body = _near(rng, 0.12, 0.16, 0.88)
    elif kind == "white":
        body = _near(rng, rng.random(), 0.03, 0.94, 0.6)
    elif kind == "wood":
        body = _near(rng, rng.uniform(0.06, 0.12), rng.uniform(0.25, 0.65), rng.uniform(0.45, 0.92))
    elif kind == "dark":
        body = _near(rng, rng.random(), rng.uniform(0, 0.6), rng.uniform(0.08, 0.3))
    else:
        body = _near(rng, rng.random(), rng.uniform(0.2, 0.8), rng.uniform(0.5, 0.95))
    if kind == "dark":
        ink = _near(rng, 0.12, rng.uniform(0, 0.4), rng.uniform(0.75, 1))
    elif _chance(rng, 0.2):
        ink = _colour(
            rng.choice([0.0, 0.6, 0.33, 0.08]) + rng.normal(0, 0.02),
            rng.uniform(0.5, 1),
            rng.uniform(0.15, 0.5),
        )
    else:
        ink = _colour(rng.random(), rng.uniform(0, 0.3), rng.uniform(0.03, 0.3))
    if kind == "wood" and _chance(rng, 0.15):  # burnt print
        ink = _colour(0.06, 0.6, rng.uniform(0.15, 0.35))
    body, ink = _legible(body, ink)
    face = pick_typeface(rng, fonts, letters or ("A",))
    value_face = face if _chance(rng, 0.75) else pick_typeface(rng, fonts, ("1",))
    dimples: tuple[tuple[float, float], ...] = ()
    if kind != "wood" and _chance(rng, 0.2):
        inset = float(rng.uniform(0.14, 0.28))
        marks = [(inset, inset), (1 - inset, inset), (0.5, 1 - inset * 0.8), (inset, 1 - inset), (0.5, 0.5)]
        dimples = tuple(marks[: int(rng.choice([1, 2, 3, 3, 4, 5]))])
    corner_choice = rng.random()
    if corner_choice < 0.82:
        value_xy = (float(rng.uniform(0.7, 0.9)), float(rng.uniform(0.7, 0.9)))
    elif corner_choice < 0.9:
        value_xy = (float(rng.uniform(0.74, 0.88)), float(rng.uniform(0.12, 0.24)))
    elif corner_choice < 0.96:
        value_xy = (float(rng.uniform(0.12, 0.24)), float(rng.uniform(0.76, 0.88)))
    else:
        value_xy = (float(rng.uniform(0.12, 0.24)), float(rng.uniform(0.12, 0.24)))
    centred = (0.5 + float(rng.normal(0, 0.015)), 0.5 + float(rng.normal(0, 0.02)))
    away = (
        0.5 + (0.5 - value_xy[0]) * float(rng.uniform(0, 0.35)),
        0.5 + (0.5 - value_xy[1]) * float(rng.uniform(0, 0.3)),
    )
    return TileStyle(
        letter_face=face,
        value_face=value_face,
        body_bgr=body,
        ink_bgr=ink,
        ink_opacity=float(rng.uniform(0.7, 1.0)),
        stroke=float(rng.normal(0, 0.7)) if _chance(rng, 0.4) else 0.0,
        spread=float(rng.uniform(0.0, 0.06 if kind == "wood" else 0.03)),
        grain=float(rng.uniform(0.02, 0.16)) if kind == "wood" else 0.0,
        letter_height=float(rng.uniform(0.34, 0.62)),
        letter_xy=centred if _chance(rng, 0.3) else away,
        letter_stretch=float(np.clip(rng.normal(1.0, 0.08), 0.8, 1.25)),
        barred_i=_chance(rng, 0.3),
        low_accents=_chance(rng, 0.35),
        value_height=float(rng.uniform(0.11, 0.22)),
        value_xy=value_xy,
        value_shown=not _chance(rng, 0.04),
        value_circled=_chance(rng, 0.06),
        joker="bare" if _chance(rng, 0.65) else JOKERS[int(rng.integers(len(JOKERS)))],
        side=float(rng.uniform(0.8, 1.0)),
        thickness=float(rng.uniform(0.06, 0.3)),
        corner=float(rng.uniform(0.0, 0.16)),
        bevel_width=float(rng.uniform(0.02, 0.08)),
        bevel=float(rng.uniform(0.0, 0.5)),
        outline=float(rng.uniform(0.0, 0.5)),
        dimples=dimples,
        dimple_radius=float(rng.uniform(0.03, 0.08)),
        dimple_depth=float(rng.uniform(0.08, 0.35)),
    )


def _random_board(rng: np.random.Generator, fonts: FontSplit | None) -> BoardStyle:
    kind = rng.choice(
        ["green", "beige", "yellow", "blue", "red", "black", "wood", "any"],
        p=[0.28, 0.24, 0.1, 0.07, 0.1, 0.05, 0.08, 0.08],
    )
    plain = {
        "green": lambda: _near(rng, rng.uniform(0.3, 0.45), rng.uniform(0.3, 0.8), rng.uniform(0.25, 0.6)),
        "beige": lambda: _near(rng, rng.uniform(0.08, 0.14), rng.uniform(0.05, 0.3), rng.uniform(0.65, 0.95)),
        "yellow": lambda: _near(
            rng, rng.uniform(0.09, 0.15), rng.uniform(0.6, 0.95), rng.uniform(0.75, 0.98)
        ),
        "blue": lambda: _near(rng, rng.uniform(0.52, 0.65), rng.uniform(0.3, 0.8), rng.uniform(0.25, 0.8)),
        "red": lambda: _near(rng, rng.uniform(0.93, 1.02), rng.uniform(0.5, 0.9), rng.uniform(0.3, 0.65)),
        "black": lambda: _near(rng, rng.random(), 0.1, rng.uniform(0.05, 0.25)),
        "wood": lambda: _near(rng, rng.uniform(0.06, 0.12), rng.uniform(0.2, 0.6), rng.uniform(0.4, 0.9)),
        "any": lambda: _colour(rng.random(), rng.random(), rng.uniform(0.1, 1)),
    }[str(kind)]()
    pale = float(rng.beta(1.2, 2.0)) * 0.7  # faded or pale print
    blue, red = float(rng.uniform(0.52, 0.62)), float(rng.uniform(0.93, 1.02))
    premium = [
        _near(rng, blue, 0.5, 0.85),
        _near(rng, blue + 0.03, 0.8, 0.6),
        _near(rng, float(rng.choice([red, red, red, 0.12, 0.8])), 0.45, 0.9),
        _near(rng, red, 0.85, 0.75),
    ]
    if _chance(rng, 0.2):  # every colour is somebody's premium square
        premium = [_colour(rng.random(), rng.uniform(0.2, 1), rng.uniform(0.3, 1)) for _ in range(4)]
    fade = np.array(plain) * 0.5 + 110
    double_letter, triple_letter, double_word, triple_word = (
        tuple(float(v) for v in np.array(colour) * (1 - pale) + fade * pale) for colour in premium
    )
    line_choice = rng.random()
    line: Colour | None
    if line_choice < 0.3:
        line = _colour(0, 0, rng.uniform(0.0, 0.25))
    elif line_choice < 0.65:
        line = _colour(0.12, rng.uniform(0, 0.15), rng.uniform(0.8, 1.0))
    elif line_choice < 0.7:  # gilded
        line = _near(rng, 0.13, 0.5, 0.8)
    elif line_choice < 0.93:
        shade = float(rng.choice([rng.uniform(0.5, 0.85), rng.uniform(1.15, 1.6)]))
        line = tuple(min(255.0, v * shade) for v in plain)  # type: ignore[assignment]
    else:
        line = None
    texts = None
    if _chance(rng, 0.5):
        names = [name for name in edition_names() if load_edition(name).premium_texts]
        if names:
            texts_of = load_edition(names[int(rng.integers(len(names)))]).premium_texts
            texts = (texts_of["DL"], texts_of["TL"], texts_of["DW"], texts_of["TW"])
        if not names or _chance(rng, 0.25):
            texts = ("2x L", "3x L", "2x W", "3x W") if _chance(rng, 0.5) else ("DL", "TL", "DW", "TW")
    frame_same = _chance(rng, 0.4)
    return BoardStyle(
        plain_bgr=plain,
        double_letter_bgr=double_letter,
        triple_letter_bgr=triple_letter,
        double_word_bgr=double_word,
        triple_word_bgr=triple_word,
        line_bgr=line,
        line_width=float(rng.uniform(0.015, 0.11)),
        text_face=pick_typeface(rng, fonts, ("A",)),
        premium_shape=SHAPES[int(rng.integers(len(SHAPES)))],
        teeth=TEETH[int(rng.integers(len(TEETH)))],
        text_size=float(rng.uniform(0.55, 0.95)),
        premium_texts=texts,
        text_bgr=_colour(0, 0, rng.uniform(0, 0.3))
        if _chance(rng, 0.75)
        else _colour(0, 0, rng.uniform(0.8, 1)),
        start_sign=("none", "star", "star", "ring", "logo")[int(rng.integers(5))],  # type: ignore[arg-type]
        relief=float(rng.uniform(0.1, 0.5)) if _chance(rng, 0.25) else 0.0,
        speckle=float(rng.uniform(0.06, 0.14)) if kind == "wood" else float(rng.uniform(0, 0.03)),
        frame_bgr=plain if frame_same else _colour(rng.random(), rng.beta(1.5, 2), rng.uniform(0.1, 1)),
        frame_width=float(rng.uniform(0.3, 2.0)),
        labels=_chance(rng, 0.3),
        title="TILESIGHT" if _chance(rng, 0.3) else "",
        print_turn=int(rng.integers(4)) if _chance(rng, 0.4) else 0,
        clutter=float(rng.uniform(0.05, 0.5)) if _chance(rng, 0.15) else 0.0,
        folds=float(rng.uniform(0.1, 0.5)) if _chance(rng, 0.3) else 0.0,
    )


def random_camera(rng: np.random.Generator, *, easy: bool = False) -> Camera:
    """A camera from above to very oblique; `easy` keeps it near the normal and close."""
    steep = rng.random()
    if easy or steep < 0.4:
        tilt = float(abs(rng.normal(0, 5)))
    elif steep < 0.85:
        tilt = float(rng.uniform(5, 40))
    else:
        tilt = float(rng.uniform(40, 55))
    cell = float(rng.uniform(28, 46)) if easy else float(np.exp(rng.uniform(np.log(18), np.log(56))))
    return Camera(
        cell_px=cell,
        tilt_deg=tilt,
        azimuth_deg=float(rng.normal(0, 25)) if _chance(rng, 0.6) else float(rng.uniform(-180, 180)),
        roll_deg=float(rng.normal(0, 2 if easy else 8)),
        distance=float(rng.uniform(1.3, 3.5)),
        margins=tuple(float(v) for v in rng.uniform(0.005, 0.08, 4)),  # type: ignore[arg-type]
    )


def random_light(rng: np.random.Generator, *, cell_px: float = 32.0, easy: bool = False) -> Light:
    """The light of a room and a camera's picture of it; blurs scale with `cell_px`, the size of a cell."""
    dark = not easy and _chance(rng, 0.12)
    brightness = float(rng.uniform(0.2, 0.5)) if dark else float(rng.uniform(0.65, 1.2))
    warm = rng.normal(0, 0.10)
    tint = rng.normal(0, 0.05)
    glares = ()
    if not easy and _chance(rng, 0.2):
        glares = tuple(
            Glare(
                centre_xy=(float(rng.uniform(0, 1)), float(rng.uniform(0, 1))),
                radii_xy=(float(rng.uniform(0.03, 0.3)), float(rng.uniform(0.03, 0.3))),
                strength=float(rng.uniform(0.15, 0.8)),
            )
            for _ in range(int(rng.integers(1, 4)))
        )
    defocus = 0.0 if easy else float(rng.exponential(0.018)) * cell_px
    return Light(
        brightness=brightness,
        cast_bgr=(float(1 - warm), float(1 + tint), float(1 + warm)),
        contrast=float(rng.uniform(0.65, 1.15)),
        saturation=float(rng.uniform(0.5, 1.4)),
        gradient=float(abs(rng.normal(0, 0.3))),
        gradient_deg=float(rng.uniform(0, 360)),
        vignette=float(rng.uniform(0, 0.4)) if _chance(rng, 0.5) else 0.0,
        direction_deg=float(rng.uniform(0, 360)),
        shadow_length=float(rng.uniform(0.1, 1.8)),
        shadow_softness=float(rng.uniform(0.02, 0.2)),
        shadow_depth=float(rng.uniform(0.1, 0.7)),
        glares=glares,
        defocus_px=min(defocus, 0.055 * cell_px),
        motion_px=float(rng.uniform(0.04, 0.14)) * cell_px if not easy and _chance(rng, 0.12) else 0.0,
        motion_deg=float(rng.uniform(0, 180)),
        noise=float(rng.exponential(2.5)),
        shot_noise=float(rng.exponential(0.25)),
        denoise=int(rng.choice([0, 0, 0, 0, 1, 2, 3, 4])),
        sharpen=float(rng.uniform(0.2, 1.2)) if _chance(rng, 0.35) else 0.0,
        jpeg_quality=int(rng.integers(45, 96)) if _chance(rng, 0.8) else None,
    )


def random_rows(
    rng: np.random.Generator,
    letters: tuple[str, ...],
    rows: int,
    columns: int,
    density: float,
    blanks: float = 0.05,
) -> tuple[tuple[str, ...], ...]:
    """A board filled with random letters, in clumps as words are; `blanks` is the share of blank tiles."""
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
) -> RenderedPhoto:
    """A photo of a random board, for training and measuring.

    Parameters
    ----------
    rng : numpy Generator
        The same state gives the same photo.
    fonts : {"train", "heldout"}, optional
        Which half of the typefaces; None for all.
    edition : str, optional
        Letters and layout of this edition; by default of a random one, or letters of all of them.
    density : float, optional
        Share of squares that hold a tile; by default 0.3 to 0.7.
    easy : bool
        From above, in good light, nothing in the way.
    camera : Camera, optional
        In place of a random one.
    """
    names = edition_names()
    rules: Edition = load_edition(edition or names[int(rng.integers(len(names)))])
    letters = rules.tokens if edition is not None or _chance(rng, 0.4) else every_letter()
    rows, columns = rules.layout.rows, rules.layout.columns
    layout = None
    if edition is None and _chance(rng, 0.1):
        layout = _random_layout(rng)
        rows, columns = len(layout), len(layout[0])
    share = density if density is not None else float(rng.uniform(0.3, 0.7))
    board = random_rows(rng, letters, rows, columns, share)
    true_values = rng.random() < 0.7
    values = tuple(
        tuple(
            rules.values[token]
            if true_values and token in rules.values and token != "?" and not _chance(rng, 0.05)
            else STANDARD_VALUES[int(rng.integers(len(STANDARD_VALUES)))]
            for token in row
        )
        for row in board
    )
    camera = camera or random_camera(rng, easy=easy)
    return render_photo(
        board,
        rules,
        style=random_style(rng, fonts=fonts, letters=letters),
        camera=camera,
        light=random_light(rng, cell_px=camera.cell_px, easy=easy),
        seed=int(rng.integers(2**31)),
        values=values,
        layout=layout,
        covers=int(rng.integers(1, 3)) if not easy and _chance(rng, 0.15) else 0,
    )


def _random_layout(rng: np.random.Generator) -> tuple[str, ...]:
    """A symmetrical board of another size and another pattern."""
    side = int(rng.choice([11, 13, 15, 15, 15, 17, 19]))
    half = (side + 1) // 2
    marks = np.array(list(".dtDT"))[rng.choice(5, size=(half, half), p=[0.7, 0.1, 0.08, 0.07, 0.05])]
    marks = np.where(rng.random((half, half)) < 0.5, marks, marks.T)
    top = np.concatenate([marks, marks[:, : side - half][:, ::-1]], axis=1)
    whole = np.concatenate([top, top[: side - half][::-1]], axis=0)
    whole[side // 2, side // 2] = "D"
    return tuple("".join(line) for line in whole)
