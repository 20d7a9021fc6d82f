"""Rendered scenes with a board anywhere, as a hand-held camera sees it; localisation is measured on them.

Sets, boards and lights are those of `club_boards`: a person can read them. The camera may be anywhere:

* it is tilted by up to 60 degrees, on any side, and may be rotated by any angle;
* the board fills the picture or a third of its width, and the grid is completely in view;
* a square is 18 to 56 pixels wide from straight above, and at least 11 where it is foreshortened most.

Boards have five styles, a fifth of the scenes each: ``printed`` with lines, with a ``raised`` grid, of ``wood``, of
plain ``paper``, and ``unlined``. Colours, premium texts, shapes, tiles, table and light are random. One scene in
eight has a cover over it.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from samples import (
    WOODEN_BOARD,
    BoardStyle,
    Camera,
    RenderedPhoto,
    Style,
    Tone,
    between,
    pick,
    render_photo,
    toss,
)
from scoring import load_edition
from tests.sets.club_boards import club_board, club_light, club_style, measure_difference
from vision.core.geometry import Grid

__all__ = ["STYLES", "BoardKind", "board_scene", "compare_corners", "scene_kind"]

BoardKind = Literal["printed", "raised", "wood", "paper", "unlined"]
STYLES: tuple[BoardKind, ...] = get_args(BoardKind)
EDITIONS = ("english", "german", "icelandic", "polish", "krydsord")
MIN_CELL_PX = 11.0
COVERED = 0.125
PAPER = Tone(hue=(0.08, 0.16), saturation=(0.0, 0.12), value=(0.82, 1.0))
PREMIUMS = ("double_letter_bgr", "triple_letter_bgr", "double_word_bgr", "triple_word_bgr")
MIN_DIFFERENCE = 25.0


def scene_kind(seed: int) -> BoardKind:
    """Return the style of a scene's board."""
    return STYLES[seed % len(STYLES)]


def board_scene(seed: int) -> RenderedPhoto:
    """Render a scene; the same seed gives the same pixels."""
    rng = np.random.default_rng([zlib.crc32(b"scene"), seed])
    edition = load_edition(EDITIONS[seed // len(STYLES) % len(EDITIONS)])
    style = scene_style(rng, scene_kind(seed), edition.name)
    camera = scene_camera(rng)
    return render_photo(
        club_board(edition, seed).rows,
        edition,
        style=style,
        camera=camera,
        light=club_light(rng, camera.cell_px),
        seed=seed,
        covers=int(toss(rng, COVERED)),
    )


def scene_style(rng: np.random.Generator, kind: BoardKind, edition_name: str) -> Style:
    """Draw a set with this kind of board; tiles and premium squares differ from plain squares."""
    while True:
        style = club_style(rng, load_edition(edition_name))
        style = replace(style, board=restyle_board(style.board, kind, rng))
        if measure_difference(style) >= MIN_DIFFERENCE and has_visible_premiums(style.board):
            return style


def has_visible_premiums(board: BoardStyle) -> bool:
    """Whether the colour of each premium square differs from the plain squares."""
    plain = np.array(board.plain_bgr)
    return all(np.abs(np.array(getattr(board, name)) - plain).max() >= MIN_DIFFERENCE for name in PREMIUMS)


def restyle_board(board: BoardStyle, kind: BoardKind, rng: np.random.Generator) -> BoardStyle:
    """Change a board into one of this kind."""
    blue, green, red = board.plain_bgr
    dark = (0.45 * blue, 0.45 * green, 0.45 * red)
    lined = replace(board, line_bgr=board.line_bgr or dark, line_width=max(0.025, board.line_width))
    match kind:
        case "printed":
            return replace(lined, relief=0.0)
        case "raised":
            return replace(lined, relief=between(rng, 0.2, 0.5))
        case "wood":
            wood = WOODEN_BOARD.pick(rng)
            return replace(lined, plain_bgr=wood, frame_bgr=wood, speckle=between(rng, 0.06, 0.14))
        case "paper":
            return replace(
                board,
                plain_bgr=PAPER.pick(rng),
                frame_bgr=PAPER.pick(rng),
                line_bgr=pick(rng, ((60.0, 60.0, 60.0), (110.0, 110.0, 110.0))),
                line_width=between(rng, 0.02, 0.04),
                relief=0.0,
                speckle=0.0,
            )
        case "unlined":
            return replace(board, line_bgr=None, relief=0.0)


def scene_camera(rng: np.random.Generator) -> Camera:
    """Draw a camera anywhere above the table that still resolves each square."""
    tilt = between(rng, 0, 60)
    least = MIN_CELL_PX / math.cos(math.radians(tilt))
    loose = between(rng, 0.02, 0.08) if toss(rng, 0.5) else between(rng, 0.1, 1.0)
    left, right, top, bottom = (loose * between(rng, 0.2, 1.0) for _ in range(4))
    return Camera(
        cell_px=math.exp(between(rng, math.log(max(18.0, least)), math.log(56))),
        tilt_deg=tilt,
        azimuth_deg=between(rng, -180, 180),
        roll_deg=between(rng, -180, 180) if toss(rng, 0.3) else float(rng.normal(0, 8)),
        distance=between(rng, 1.3, 3.5),
        margins=(left, top, right, bottom),
    )


def compare_corners(grid: Grid, corners_px: NDArray[np.float64]) -> tuple[float, bool]:
    """Compute the worst corner's error in cells, whichever corner is first, and whether another corner is first."""
    columns, rows = grid.columns, grid.rows
    truth = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]])
    placed = grid.image_from_grid.inverse.apply(corners_px)
    by_turn = [float(np.abs(np.roll(truth, turn, axis=0) - placed).max()) for turn in range(4)]
    return min(by_turn), by_turn[0] > min(by_turn)
