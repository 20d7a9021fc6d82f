"""Random scenes without a word board, among them subjects that look like one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from samples.arrays import Picture
from samples.chance import ANY_COLOUR, between, pick
from samples.drawing import (
    TileFace,
    draw_brick_wall,
    draw_calendar,
    draw_chessboard,
    draw_coloured_squares,
    draw_crossword,
    draw_go_board,
    draw_keyboard,
    draw_number_grid,
    draw_page,
    draw_squared_paper,
    draw_table_of_text,
    draw_tiled_floor,
    draw_tiles,
    draw_window,
)
from samples.optics import photograph, place_on_table
from samples.random.styles import random_style, random_table
from samples.random.views import random_camera, random_light
from samples.style import Handling

__all__ = ["SceneWithoutBoard", "no_board_kinds", "random_scene_without_board"]


def draw_loose_tiles(rng: np.random.Generator) -> Picture:
    """Draw letter tiles in rows, without a board."""
    rows, columns, cell = int(rng.integers(1, 12)), int(rng.integers(5, 16)), 48
    letters = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    style = random_style(rng, letters=letters)
    share = between(rng, 0.3, 1.0)
    faces = tuple(
        TileFace(row=row, column=column, text=pick(rng, letters), value=int(rng.integers(1, 11)))
        for row, column in np.ndindex(rows, columns)
        if rng.random() < share
    )
    shape = ((rows + 2) * cell, (columns + 2) * cell)
    handling = Handling(offset=between(rng, 0.0, 0.12), turn_deg=between(rng, 0.0, 5.0))
    tiles = draw_tiles(faces, style.tiles, handling, shape, cell, cell, (0.6, -0.8), int(rng.integers(2**31)))
    picture = np.full((*shape, 3), np.clip(ANY_COLOUR.pick(rng), 0, 255), np.uint8)
    np.copyto(picture, tiles.faces_bgr, where=tiles.footprint[..., np.newaxis] > 127)
    return picture


Subject = Callable[[np.random.Generator], Picture]
WIDTH = 15.0
"""Width of a subject, in the camera's cells; chosen."""
SUBJECTS: dict[str, Subject | None] = {
    "brick wall": draw_brick_wall,
    "calendar": draw_calendar,
    "chessboard": draw_chessboard,
    "coloured squares": draw_coloured_squares,
    "crossword": draw_crossword,
    "go board": draw_go_board,
    "keyboard": draw_keyboard,
    "loose tiles": draw_loose_tiles,
    "number grid": draw_number_grid,
    "page": draw_page,
    "squared paper": draw_squared_paper,
    "table": None,
    "table of text": draw_table_of_text,
    "tiled floor": draw_tiled_floor,
    "window": draw_window,
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SceneWithoutBoard:
    """A rendered photo without a word board.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The photo, BGR.
    kind : str
        What it shows, one of `no_board_kinds`.
    """

    image_bgr: Picture
    kind: str


def no_board_kinds() -> tuple[str, ...]:
    """List the kinds of scenes without a board."""
    return tuple(SUBJECTS)


def random_scene_without_board(rng: np.random.Generator, *, kind: str | None = None) -> SceneWithoutBoard:
    """Render a photo without a word board.

    Parameters
    ----------
    rng : numpy.random.Generator
        The same state gives the same photo.
    kind : str, optional
        One of `no_board_kinds`; by default a random one.
    """
    kind = kind or pick(rng, no_board_kinds())
    subject = SUBJECTS[kind]
    camera = random_camera(rng)
    camera = replace(camera, cell_px=min(camera.cell_px, 48.0), bow=0.0)
    flat = None if subject is None else subject(rng)
    scene = place_on_table(flat, random_table(rng), camera, WIDTH, rng).scene_bgr
    return SceneWithoutBoard(
        image_bgr=photograph(scene, random_light(rng, cell_px=camera.cell_px), rng), kind=kind
    )
