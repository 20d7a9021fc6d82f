"""The set of the shipped sample: the plays and the look of the Icelandic sheet's worked example.

It is drawn with DejaVu alone, which every installation has.

References
----------
The Icelandic sheet's worked example: 28, 15, 20, 19 and 74 points. The colours of the premium squares are those of
its board. The sheet does not show the colour of plain squares; it is chosen.
"""

from __future__ import annotations

from samples.errors import FontsMissingError
from samples.fonts import Typeface, typefaces
from samples.style import BoardStyle, Handling, Style, TableStyle, TileStyle

__all__ = ["ICELANDIC_PLAYS", "icelandic_style"]


ICELANDIC_PLAYS = ("8D HRAKI", "G6 LO.I", "10D REIÐA", "H7 K.M", "11C JÓÐLIR")
"""The worked example's plays; a dot is a tile that is on the board already."""


def _face(style: str) -> Typeface:
    for typeface in typefaces():
        if (typeface.family, typeface.style) == ("DejaVu Sans", style):
            return typeface
    raise FontsMissingError(
        f"DejaVu Sans {style} is not installed: install fonts-dejavu-core, then run again"
    )


def icelandic_style() -> Style:
    """Describe the set: ivory tiles, a green board with the sheet's premium colours and texts, an oak table."""
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
