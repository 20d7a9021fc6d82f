"""Rendered scenes with a board somewhere in them, as a hand-held camera sees it: what localisation is measured on.

Sets, boards and lights are those of `club_boards`: a person could read them. The camera stands anywhere:

* it looks at up to 60 degrees from the side, from any side, and may be turned by any angle;
* the board fills the picture or a third of its width; nothing of the grid lies outside;
* a square is 18 to 56 pixels wide, seen from straight above, and 11 at least where it is foreshortened most.

Boards come in five styles, a fifth of the scenes each: ``printed`` with lines, with a ``raised`` grid, of ``wood``, of
plain ``paper``, and ``unlined``, where squares meet without a line. In each the colours, premium texts and shapes
differ by chance; so do tiles, table and light. One scene in eight has a hand or a sheet over it.
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
from tests.sets.club_boards import club_board, club_light, club_style, difference
from vision.core.geometry import Grid

__all__ = ["STYLES", "BoardKind", "board_scene", "corners_off", "scene_kind"]

BoardKind = Literal["printed", "raised", "wood", "paper", "unlined"]
STYLES: tuple[BoardKind, ...] = get_args(BoardKind)
EDITIONS = ("english", "german", "icelandic", "polish", "krydsord")
MIN_CELL_PX = 11.0
COVERED = 0.125
PAPER = Tone(hue=(0.08, 0.16), saturation=(0.0, 0.12), value=(0.82, 1.0))
PREMIUMS = ("double_letter_bgr", "triple_letter_bgr", "double_word_bgr", "triple_word_bgr")
MIN_DIFFERENCE = 25.0


def scene_kind(seed: int) -> BoardKind:
    """Which style of board a scene shows."""
    return STYLES[seed % len(STYLES)]


def board_scene(seed: int) -> RenderedPhoto:
    """One scene; the same seed gives the same pixels."""
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
    """A set whose board is of this kind, and whose tiles and premium squares differ from its plain squares."""
    while True:
        style = club_style(rng, load_edition(edition_name))
        style = replace(style, board=of_kind(style.board, kind, rng))
        if difference(style) >= MIN_DIFFERENCE and premiums_show(style.board):
            return style


def premiums_show(board: BoardStyle) -> bool:
    """Whether each premium square's colour can be told from a plain one's."""
    plain = np.array(board.plain_bgr)
    return all(np.abs(np.array(getattr(board, name)) - plain).max() >= MIN_DIFFERENCE for name in PREMIUMS)


def of_kind(board: BoardStyle, kind: BoardKind, rng: np.random.Generator) -> BoardStyle:
    """The board made into one of this kind."""
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
    """A camera anywhere above the table that still sees each square."""
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


def corners_off(grid: Grid, corners_px: NDArray[np.float64]) -> tuple[float, bool]:
    """The worst corner's error in cells, and whether the corners are named from another side."""
    columns, rows = grid.columns, grid.rows
    truth = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]])
    placed = grid.image_from_grid.inverse.apply(corners_px)
    by_turn = [float(np.abs(np.roll(truth, turn, axis=0) - placed).max()) for turn in range(4)]
    return min(by_turn), by_turn[0] > min(by_turn)
