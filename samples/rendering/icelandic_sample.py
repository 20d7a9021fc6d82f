"""The shipped sample: the five plays of the Icelandic sheet as a filmed game.

``python -m samples.rendering.icelandic_sample`` renders it again; with a FOLDER, it renders it there.
It is drawn with DejaVu alone, which every installation has.

References
----------
The Icelandic sheet's worked example: 28, 15, 20, 19 and 74 points. The colours of its premium squares are
those of its board; the sheet does not say that of the plain squares.
"""

from __future__ import annotations

import sys
from pathlib import Path

from samples.drawing.fonts import Typeface, typefaces
from samples.errors import FontsMissingError
from samples.optics.camera import Camera
from samples.optics.light import Light
from samples.rendering.photographed_game import render_game
from samples.style import BoardStyle, Handling, Style, TableStyle, TileStyle
from scoring import load_edition, parse_play

__all__ = ["FOLDER", "PLAYS", "main"]

FOLDER = Path(__file__).resolve().parents[1] / "shipped" / "icelandic"
# The tiles that are laid; a dot stands for one that lies there already.
PLAYS = ("8D HRAKI", "G6 LO.I", "10D REIÐA", "H7 K.M", "11C JÓÐLIR")
SEED = 20


def _face(style: str) -> Typeface:
    for typeface in typefaces():
        if (typeface.family, typeface.style) == ("DejaVu Sans", style):
            return typeface
    raise FontsMissingError(
        f"DejaVu Sans {style} is not installed: install fonts-dejavu-core, then run again"
    )


def icelandic_style() -> Style:
    """Ivory tiles on a green board with the Icelandic sheet's premium colours and texts, on an oak table."""
    bold, plain = _face("Bold"), _face("Book")
    tiles = TileStyle(
        letter_face=bold,
        value_face=bold,
        body_bgr=(196, 224, 238),
        ink_bgr=(38, 34, 36),
        spread=0.012,
        grain=0.0,
        letter_height=0.44,
        letter_xy=(0.475, 0.5),
        letter_stretch=0.94,
        value_height=0.15,
        value_xy=(0.82, 0.81),
        side=0.93,
        thickness=0.24,
        corner=0.1,
        bevel_width=0.035,
        bevel=0.22,
        outline=0.22,
    )
    board = BoardStyle(
        plain_bgr=(112, 138, 62),
        double_letter_bgr=(226, 190, 140),
        triple_letter_bgr=(172, 96, 34),
        double_word_bgr=(150, 150, 232),
        triple_word_bgr=(48, 40, 190),
        line_bgr=(208, 224, 214),
        line_width=0.035,
        text_face=plain,
        premium_texts=("TVÖFALT STAFGILDI", "ÞREFALT STAFGILDI", "TVÖFALT ORÐGILDI", "ÞREFALT ORÐGILDI"),
        text_bgr=(40, 34, 34),
        start_sign="star",
        frame_bgr=(70, 92, 38),
        frame_width=1.15,
        labels=True,
        title="",
        speckle=0.012,
    )
    table = TableStyle(kind="wood", first_bgr=(118, 158, 196), second_bgr=(84, 122, 164))
    return Style(
        tiles=tiles,
        board=board,
        table=table,
        handling=Handling(offset=0.018, shift_xy=(0.0, 0.01), turn_deg=0.9),
    )


def main(folder: Path = FOLDER) -> None:
    """Render the sample into `folder`."""
    edition = load_edition("icelandic")
    turns = [parse_play(text, edition.tokens) for text in PLAYS]
    camera = Camera(
        cell_px=72, tilt_deg=17, azimuth_deg=-4, roll_deg=1.5, distance=2.3, margins=(0.05, 0.05, 0.05, 0.05)
    )
    lights = [
        Light(
            brightness=0.99 + 0.02 * (index % 2),
            cast_bgr=(0.97, 1.0, 1.02),
            gradient=0.22,
            gradient_deg=-130,
            vignette=0.12,
            direction_deg=-125,
            shadow_length=0.75,
            shadow_softness=0.07,
            shadow_depth=0.5,
            defocus_px=0.7,
            noise=1.2,
            shot_noise=0.08,
        )
        for index in range(len(turns))
    ]
    render_game(
        folder,
        turns,
        edition,
        style=icelandic_style(),
        camera=camera,
        lights=lights,
        seed=SEED,
        jpeg_quality=80,
    )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
