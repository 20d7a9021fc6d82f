"""The look of a rendered set: tiles, board, table, and how carefully the tiles are placed.

Colours are BGR, 0 to 255. Lengths are shares of a cell or of a tile's side, as noted. Positions on a tile are
``(x, y)`` shares of its side from its top left corner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from samples.arrays import Colour
from samples.fonts import Typeface

__all__ = [
    "BoardStyle",
    "Handling",
    "JokerSign",
    "PremiumShape",
    "Style",
    "TableKind",
    "TableStyle",
    "Teeth",
    "TileStyle",
]

JokerSign = Literal[
    "bare", "face", "star", "question", "heart", "diamond", "scroll", "dot", "sticker", "small print"
]
PremiumShape = Literal["full", "inset", "rounded", "diamond"]
Teeth = Literal["none", "squares", "spikes", "stamp"]
TableKind = Literal["plain", "wood", "cloth", "carpet", "pattern", "checks", "stripes", "dots"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TileStyle:
    """The tiles of one set.

    Parameters
    ----------
    letter_face, value_face : Typeface
        Typefaces of letters and values.
    body_bgr, ink_bgr : Colour
        Colour of the piece, and of the print.
    ink_opacity : float
        Share of the body's colour that the print hides.
    stroke : float
        Extra weight of the print in hundredths of the tile's side; negative is lighter than the font.
    spread : float
        Standard deviation of the brightness from tile to tile, and of its fall across a tile, as a share.
    grain, cross_grain
        Strength of a wood grain, 0 for plastic; share of the tiles whose grain runs up and down.
    gloss : float
        Share of the tiles that reflect a lamp.
    letter_height : float
        Height of a capital as a share of the tile's side.
    letter_xy : (x, y)
        Middle of a plain capital.
    letter_stretch : float
        Horizontal scale of the letters.
    barred_i, low_accents : bool
        Whether the letter I has bars; whether accented capitals are squeezed to the height of plain ones.
    value_height : float
        Height of the value's digits as a share of the tile's side.
    value_xy : (x, y)
        Middle of the number.
    value_gap : float or None
        Distance of the number from the letter's right edge as a share of the side; None where all numbers
        are at `value_xy`.
    value_shown, value_circled : bool
        Whether values are printed; whether a ring is drawn around them.
    joker : JokerSign
        Sign on a blank.
    joker_bgr : Colour or None
        Colour of the sign; None for the ink's colour.
    marked_jokers : float
        Share of the blanks with a letter written in pen.
    side : float
        Side of a tile as a share of the cell.
    thickness : float
        Height of a tile's face above the board, in cells.
    corner, bevel_width : float
        Radius of the rounded corners and width of the slanted edge, as shares of the side.
    bevel : float
        Contrast of the slanted edge.
    outline : float
        Darkening at the tile's outer edge.
    dimples : tuple of (x, y)
        Moulded round marks.
    dimple_radius, dimple_depth : float
        Radius of the marks as a share of the side, and their contrast.
    """

    letter_face: Typeface
    value_face: Typeface
    body_bgr: Colour
    ink_bgr: Colour
    ink_opacity: float = 1.0
    stroke: float = 0.0
    spread: float = 0.02
    grain: float = 0.0
    cross_grain: float = 0.0
    gloss: float = 0.0
    letter_height: float = 0.48
    letter_xy: tuple[float, float] = (0.48, 0.48)
    letter_stretch: float = 1.0
    barred_i: bool = False
    low_accents: bool = False
    value_height: float = 0.15
    value_xy: tuple[float, float] = (0.83, 0.82)
    value_gap: float | None = None
    value_shown: bool = True
    value_circled: bool = False
    joker: JokerSign = "bare"
    joker_bgr: Colour | None = None
    marked_jokers: float = 0.0
    side: float = 0.92
    thickness: float = 0.2
    corner: float = 0.08
    bevel_width: float = 0.05
    bevel: float = 0.15
    outline: float = 0.15
    dimples: tuple[tuple[float, float], ...] = ()
    dimple_radius: float = 0.05
    dimple_depth: float = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardStyle:
    """The printed board.

    Parameters
    ----------
    plain_bgr, double_letter_bgr, triple_letter_bgr, double_word_bgr, triple_word_bgr : Colour
        Colours of the squares.
    line_bgr : Colour or None
        Colour of the grid's lines; None for no lines.
    line_width : float
        Width of a line in cells.
    premium_shape : PremiumShape
        Shape of a premium square in its cell.
    teeth : Teeth
        Saw-tooth edge of premium squares that reaches into their neighbours.
    premium_texts : tuple of four str, or None
        Texts on the squares DL, TL, DW, TW.
    text_bgr : Colour
        Colour of those texts.
    text_size : float
        Side of the box that a text fills, in cells.
    text_face : Typeface
        Typeface of all of the board's text.
    start_sign : {"none", "star", "ring", "logo"}
        Sign on the start squares.
    star_points, star_inner, sign_size : int, float, float
        Number of a star's points; radius of its inner corners as a share of the outer ones'; radius of the
        sign in cells.
    sign_bgr : Colour or None
        Colour of the sign; None for the text's colour.
    sign_line : float
        Width in cells of the sign's outline; 0 for a filled sign.
    sign_relief : float
        Contrast of an embossed sign; 0 for flat print.
    start_bgr : Colour or None
        Colour of the start squares; None for the colour of their premium.
    relief : float
        Contrast of the lines as lit ridges (boards with a raised grid); 0 for flat print.
    speckle : float
        Strength of the print's or the wood's texture.
    frame_bgr : Colour
        Colour of the rim around the grid.
    frame_width : float
        Width of the rim in cells.
    labels : bool
        Whether the rim shows letters for columns and numbers for rows.
    title : str
        Text on the rim below the grid, unless there are labels; empty for none.
    print_turn : int
        Quarter turns clockwise of the board's own print against the letters.
    clutter : float
        Share of the plain squares that have small print.
    folds : float
        Contrast of a folding board's crease; 0 for a board in one piece.
    fold_across : bool
        Whether the crease runs along the middle row instead of the middle column.
    fold_gloss : float
        Brightness of the shiny places of a worn crease.
    """

    plain_bgr: Colour
    double_letter_bgr: Colour
    triple_letter_bgr: Colour
    double_word_bgr: Colour
    triple_word_bgr: Colour
    line_bgr: Colour | None
    text_face: Typeface
    line_width: float = 0.04
    premium_shape: PremiumShape = "full"
    teeth: Teeth = "none"
    premium_texts: tuple[str, str, str, str] | None = None
    text_bgr: Colour = (30, 30, 30)
    text_size: float = 0.84
    start_sign: Literal["none", "star", "ring", "logo"] = "none"
    start_bgr: Colour | None = None
    star_points: int = 5
    star_inner: float = 0.42
    sign_size: float = 0.36
    sign_bgr: Colour | None = None
    sign_line: float = 0.0
    sign_relief: float = 0.0
    relief: float = 0.0
    speckle: float = 0.02
    frame_bgr: Colour = (60, 100, 60)
    frame_width: float = 1.0
    labels: bool = False
    title: str = ""
    print_turn: int = 0
    clutter: float = 0.0
    folds: float = 0.0
    fold_across: bool = False
    fold_gloss: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStyle:
    """The table under the board.

    Parameters
    ----------
    kind : TableKind
        Material or pattern.
    first_bgr, second_bgr : Colour
        Colours.
    things : int
        Number of other things around the board.
    """

    kind: TableKind
    first_bgr: Colour
    second_bgr: Colour
    things: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Handling:
    """How carefully the tiles are placed.

    Parameters
    ----------
    offset : float
        Standard deviation of a tile's offset in cells, at most 0.25.
    shift_xy : tuple of float
        Offset in cells that all tiles share.
    turn_deg : float
        Standard deviation of a tile's rotation, at most 8 degrees.
    quarter_turns : float
        Share of the tiles that are rotated by 90, 180 or 270 degrees.
    pushed : tuple of ((row, column), (x, y))
        Tiles that something has pushed, each with its way in cells.
    """

    offset: float = 0.03
    shift_xy: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 1.0
    quarter_turns: float = 0.0
    pushed: tuple[tuple[tuple[int, int], tuple[float, float]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The look of tiles, board and table, and how the tiles are placed."""

    tiles: TileStyle
    board: BoardStyle
    table: TableStyle
    handling: Handling = Handling()
