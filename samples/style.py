"""What a rendered set looks like: its tiles, its board, its table, and how carefully the tiles are laid.

Colours are BGR triples, 0 to 255. Lengths are shares of a cell or of a tile's side, as said; positions on
a tile are ``(x, y)`` shares of its side from its top left corner.
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

JokerSign = Literal["bare", "face", "star", "question", "heart", "diamond", "scroll"]
PremiumShape = Literal["full", "inset", "rounded", "diamond"]
Teeth = Literal["none", "squares", "spikes", "stamp"]
TableKind = Literal["plain", "wood", "cloth", "carpet", "pattern", "checks", "stripes", "dots"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TileStyle:
    """The tiles of one set.

    Parameters
    ----------
    letter_face, value_face : Typeface
        What letters and values are printed with.
    body_bgr, ink_bgr : Colour
        Colour of the piece, and of the print.
    ink_opacity : float
        How much of the body's colour the print hides.
    stroke : float
        How much heavier than its font the print is, in hundredths of the tile's side; negative is lighter.
    spread : float
        Standard deviation of the brightness from tile to tile, and of its fall across a tile, as a share.
    grain, cross_grain
        Strength of a wood grain, 0 for plastic; share of the tiles whose grain runs up and down.
    gloss : float
        Share of the tiles that mirror a lamp.
    letter_height, letter_xy
        Height of a capital as a share of the tile's side, and where the middle of a plain capital lies.
    letter_stretch : float
        Horizontal scale of the letters.
    barred_i, low_accents : bool
        Whether a lone I has bars, and whether accented capitals are squeezed to the height of plain ones.
    value_height, value_xy
        The same of the value's digits; `value_xy` is the middle of the number.
    value_gap : float or None
        Distance of the number from the letter's right edge as a share of the side; None where all numbers
        stand at the same place.
    value_shown, value_circled : bool
        Whether values are printed at all, and with a ring around.
    joker : JokerSign
        What is printed on a blank.
    marked_jokers : float
        Share of the blanks that somebody wrote a letter on with a pen.
    side : float
        Side of a tile as a share of the cell.
    thickness : float
        Height of a tile's face over the board, in cells.
    corner, bevel_width : float
        Radius of the rounded corners and width of the slanted edge, as shares of the side.
    bevel : float
        How strongly the slanted edge is lit.
    outline : float
        Darkening at the tile's outer edge.
    dimples : tuple of (x, y)
        Moulded round marks.
    dimple_radius, dimple_depth : float
        Their radius as a share of the side, and how strongly they show.
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
        Colour of the grid's lines; None where squares meet without a line.
    line_width : float
        Width of a line in cells.
    premium_shape : PremiumShape
        How a premium square fills its cell.
    teeth : Teeth
        The saw-tooth edge of premium squares that reaches into their neighbours.
    premium_texts : tuple of four str, or None
        Text on the squares DL, TL, DW, TW.
    text_bgr, text_size
        Colour of that text, and the side of the box that it fills as a share of the cell.
    text_face : Typeface
        What all of the board's text is printed with.
    start_sign : {"none", "star", "ring", "logo"}
        What is printed on the start squares.
    star_points, star_inner, sign_size : int, float, float
        Number of a star's points, radius of its inner corners as a share of the outer ones', and radius of the
        sign in cells.
    sign_bgr : Colour or None
        Colour of the sign; None where it has the text's.
    sign_line : float
        Width in cells of the line around the sign; 0 where the whole sign is filled.
    sign_relief : float
        How strongly the sign stands out as an embossed one.
    start_bgr : Colour or None
        Colour of the start squares; None where they have their premium's.
    relief : float
        How strongly the lines stand out as lit ridges (boards with a raised grid); 0 for flat print.
    speckle : float
        Strength of the print's or the wood's texture.
    frame_bgr, frame_width
        The rim around the grid, and its width in cells.
    labels : bool
        Whether the rim carries letters of columns and numbers of rows.
    title : str
        A text on the rim below the grid, where no labels are; empty for none.
    print_turn : int
        Quarter turns clockwise of the board's own print against the letters.
    clutter : float
        Share of the plain squares that carry a small print of their own.
    folds : float
        How strongly the crease of a folding board shows; 0 for a board in one piece.
    fold_across : bool
        Whether it runs along the middle row instead of the middle column.
    fold_gloss : float
        How brightly a worn crease shines in places.
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
    """What the board lies on.

    Parameters
    ----------
    kind : TableKind
        Its material or pattern.
    first_bgr, second_bgr : Colour
        Its colours.
    things : int
        How many other things lie on it around the board.
    """

    kind: TableKind
    first_bgr: Colour
    second_bgr: Colour
    things: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Handling:
    """How carefully tiles are laid.

    Parameters
    ----------
    offset : float
        Standard deviation of a tile's place in cells; none lies further off than 0.25.
    shift_xy : tuple of float
        Offset in cells that all tiles share.
    turn_deg : float
        Standard deviation of a tile's turn; none is turned by more than 8 degrees.
    quarter_turns : float
        Share of the tiles that lie turned by 90, 180 or 270 degrees.
    """

    offset: float = 0.03
    shift_xy: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 1.0
    quarter_turns: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """All that can be seen: tiles, board, table, and how the tiles lie."""

    tiles: TileStyle
    board: BoardStyle
    table: TableStyle
    handling: Handling = Handling()
