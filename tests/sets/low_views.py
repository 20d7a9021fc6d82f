"""Rendered boards seen from a chair: 25 to 40 degrees above the table, with thick tiles or with flat ones.

Sets and lights are those of `club_boards`. The face of a thick tile is a fifth to two fifths of a cell above the board,
so that at the far side of the board it is seen up to 0.85 of a cell away from its square. Flat tiles, as of travel sets
and of boards with raised lines, are level with the grid.
"""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from samples import Camera, RenderedPhoto, between, pick, render_photo
from scoring import load_edition
from tests.sets.club_boards import club_board, club_light, club_style

__all__ = ["CELLS_PX", "EDITIONS", "THICKNESS", "low_view"]

EDITIONS = ("icelandic", "norwegian", "hungarian", "danish", "english")
CELLS_PX = {"coarse": (40.0, 64.0), "usual": (64.0, 96.0)}
"""Smallest and largest side of a cell in the middle of the board, before foreshortening. A phone's photo of 1,500 px or
more shows a board at the usual size or larger; at 25 degrees, a cell of 40 px is 17 px high."""
ELEVATION_DEG = (25.0, 40.0)
THICKNESS = {"thick": (0.2, 0.4), "flat": (0.0, 0.04)}
"""Smallest and largest height of the faces above the board, in cells."""
SEATS_DEG = (0.0, 0.0, 180.0)
"""Where the camera is: two thirds of the photos are taken from the side on which the letters are upright."""


def low_view(seed: int, size: str = "coarse", tiles: str = "thick") -> RenderedPhoto:
    """Render a board from a chair; the same arguments give the same photo.

    Parameters
    ----------
    seed : int
        Of board, set, light and camera.
    size : str
        One of `CELLS_PX`.
    tiles : str
        One of `THICKNESS`.
    """
    edition = load_edition(EDITIONS[seed % len(EDITIONS)])
    rng = np.random.default_rng([zlib.crc32(b"low views"), seed])
    cell_px = between(rng, *CELLS_PX[size])
    style = club_style(rng, edition)
    camera = Camera(
        cell_px=cell_px,
        tilt_deg=90 - between(rng, *ELEVATION_DEG),
        azimuth_deg=pick(rng, SEATS_DEG) + float(rng.normal(0, 20)),
        roll_deg=float(rng.normal(0, 4)),
        distance=between(rng, 1.3, 3.5),
    )
    return render_photo(
        club_board(edition, seed).rows,
        edition,
        style=replace(style, tiles=replace(style.tiles, thickness=between(rng, *THICKNESS[tiles]))),
        camera=camera,
        light=club_light(rng, cell_px),
        seed=seed,
    )
