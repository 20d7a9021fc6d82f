"""Rendered photos of empty boards whose premium squares have readable print, or none.

Sets and lights are those of `club_boards`. The camera is at any side of the table. Print is readable where its smallest
capitals are at least 5 px high in the photo, before foreshortening.
"""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from samples import BoardStyle, Camera, RenderedPhoto, between, render_photo, split_premium_text, text_ink
from scoring import Board, load_edition
from tests.sets.club_boards import club_camera, club_light, club_style

__all__ = ["empty_board"]

EDITIONS = ("icelandic", "norwegian", "hungarian", "danish", "english")
CELLS_PX = (40.0, 96.0)
MIN_CAPITALS_PX = 5.0


def empty_board(seed: int, *, has_print: bool = True) -> RenderedPhoto:
    """Render an empty board; the same arguments give the same photo.

    Parameters
    ----------
    seed : int
        Of board, light and camera.
    has_print : bool
        Whether its premium squares have print.
    """
    edition = load_edition(EDITIONS[seed % len(EDITIONS)])
    rng = np.random.default_rng([zlib.crc32(b"empty boards"), seed])
    while True:
        style, cell_px = club_style(rng, edition), between(rng, *CELLS_PX)
        texts = style.board.premium_texts
        if texts is not None and capitals_px(style.board, cell_px) >= MIN_CAPITALS_PX:
            break
    board = replace(style.board, print_turn=0, premium_texts=texts if has_print else None)
    camera: Camera = club_camera(rng, cell_px)
    camera = replace(camera, azimuth_deg=camera.azimuth_deg + 90.0 * int(rng.integers(4)))
    return render_photo(
        Board.empty(edition).rows,
        edition,
        style=replace(style, board=board),
        camera=camera,
        light=club_light(rng, cell_px),
        seed=seed,
    )


def capitals_px(board: BoardStyle, cell_px: float) -> float:
    """Compute the height in pixels of the smallest capitals of a board's premium print."""
    box_px = cell_px * board.text_size
    heights: list[float] = []
    for text in board.premium_texts or ():
        lines = split_premium_text(text)
        widest = max(text_ink(board.text_face, line, 100.0).mask.shape[1] for line in lines)
        of_one_line = 0.86 * board.text_face.cap_height * box_px / len(lines)
        heights.append(min(100.0 * box_px / widest, of_one_line))
    return min(heights)
