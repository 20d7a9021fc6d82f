"""Scenes that show no word board, among them those that are easily taken for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from samples.chance import one_of
from samples.everyday import (
    draw_brick_wall,
    draw_calendar,
    draw_keyboard,
    draw_page,
    draw_squared_paper,
    draw_table_of_text,
    draw_tiled_floor,
    draw_window,
)
from samples.light import photograph
from samples.lookalikes import (
    draw_chessboard,
    draw_coloured_squares,
    draw_crossword,
    draw_go_board,
    draw_loose_tiles,
    draw_number_grid,
)
from samples.random_styles import random_table
from samples.random_views import random_camera, random_light
from samples.surfaces import table_texture

__all__ = ["SceneWithoutBoard", "no_board_kinds", "random_scene_without_board"]

Picture = NDArray[np.uint8]
Subject = Callable[[np.random.Generator], Picture]
WIDTH = 15.0  # of the subject, in the camera's cells
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
    """A rendered photo in which there is no word board.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The photo, BGR.
    kind : str
        What it shows instead, one of `no_board_kinds`.
    """

    image_bgr: Picture
    kind: str


def no_board_kinds() -> tuple[str, ...]:
    """What scenes without a board may show."""
    return tuple(SUBJECTS)


def random_scene_without_board(rng: np.random.Generator, *, kind: str | None = None) -> SceneWithoutBoard:
    """A photo without a word board.

    Parameters
    ----------
    rng : numpy Generator
        The same state gives the same photo.
    kind : str, optional
        One of `no_board_kinds`, in place of a random one.
    """
    kind = kind or one_of(rng, no_board_kinds())
    subject = SUBJECTS[kind]
    camera = random_camera(rng)
    camera = replace(camera, cell_px=min(camera.cell_px, 48.0), bow=0.0)
    flat = None if subject is None else subject(rng)
    tall = WIDTH if flat is None else WIDTH * flat.shape[0] / flat.shape[1]
    rows, columns = max(1, round(tall)), round(WIDTH)
    view = camera.view(rows, columns, 0.3)
    size = (view.width_px, view.height_px)
    table = table_texture(random_table(rng), rng, pitch_px=float(rng.uniform(2, 7)))
    table_grid = np.array([[0.06, 0, -6.0], [0, 0.06, -6.0], [0, 0, 1]])
    scene = np.asarray(
        cv2.warpPerspective(
            table, view.image_from_plane(-0.3) @ table_grid, size, borderMode=cv2.BORDER_REFLECT
        ),
        np.uint8,
    )
    if flat is not None:
        scale = columns / flat.shape[1]
        grid_from_flat = np.array([[scale, 0, scale / 2], [0, rows / flat.shape[0], scale / 2], [0, 0, 1]])
        image_from_flat = view.image_from_plane(0.0) @ grid_from_flat
        seen = cv2.warpPerspective(flat, image_from_flat, size, borderMode=cv2.BORDER_REPLICATE)
        where = cv2.warpPerspective(np.full(flat.shape[:2], 255, np.uint8), image_from_flat, size)
        np.copyto(scene, np.asarray(seen, np.uint8), where=np.asarray(where)[..., np.newaxis] > 127)
    return SceneWithoutBoard(
        image_bgr=photograph(scene, random_light(rng, cell_px=camera.cell_px), rng), kind=kind
    )
