"""Rendered films of games: readable sets, hands, and mishaps.

Sets, boards and typefaces are those of `tests.sets.club_boards`, which the network never saw, but only usual sets: the
letter in the tile's middle, its value below to the right, blanks bare; a board with lines and filled premium squares.
The camera is on a tripod on the players' side. Games, hands and mishaps are those of `samples.random_film`; most
mishaps occur about once in a game.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace

import numpy as np

from samples import CameraMotion, Film, Mishaps, MovingLight, Style, between, random_film
from scoring import load_edition
from tests.sets.club_boards import club_style

__all__ = ["EDITIONS", "ClubFilm", "club_film"]

EDITIONS = ("icelandic", "norwegian", "danish", "hungarian", "english")
RATES = (10.0, 12.5, 15.0, 20.0, 25.0, 30.0)
TURNTABLES = 0.3
"""Share of the games in which the board is turned to the player."""
PLAYS = 7
CHAIR_CELL_PX = 56.0
"""Side of a cell in the middle of the board, before foreshortening, in a film from a chair."""
CHAIR_THICKNESS = (0.2, 0.4)
OFF_CENTRE = 0.1
"""Largest offset of a letter from the tile's middle, as a share of the side."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ClubFilm:
    """A film and the camera's frames per second."""

    film: Film
    fps: float


def club_film(edition_name: str, seed: int, disturbance: str = "") -> ClubFilm:
    """Film a game; the same edition and seed give the same film.

    Parameters
    ----------
    edition_name : str
        A shipped edition.
    seed : int
        Of the game.
    disturbance : str
        What makes the film harder, as ``KIND:AMOUNT``: a kind of `samples.CameraMotion` with its pixels, one of
        `samples.MovingLight` with its share of the brightness, or ``chair`` with the camera's degrees above the table;
        tiles are then up to 0.4 of a cell thick. Nothing by default.
    """
    rng = np.random.default_rng([zlib.crc32(edition_name.encode()), 4, seed])
    style = club_style(rng, load_edition(edition_name))
    while not is_usual(style):
        style = club_style(rng, load_edition(edition_name))
    mishaps = Mishaps(
        withdraw=0.12,
        misplace=0.15,
        pause=0.2,
        straighten=0.2,
        bump=0.15,
        switch=0.1,
        rotate=0.4 if rng.random() < TURNTABLES else 0.0,
        cup=0.06,
        sweep=0.5,
    )
    film = random_film(
        rng, edition_name, plays=PLAYS, mishaps=mishaps, cell_px=between(rng, 34, 44), style=style
    )
    kind, _, amount = disturbance.partition(":")
    if kind in ("bands", "shadow"):
        film = replace(film, moving_light=MovingLight(kind=kind, strength=float(amount)))
    elif kind == "chair":
        camera = replace(film.camera, tilt_deg=90 - float(amount), cell_px=CHAIR_CELL_PX)
        tiles = replace(film.style.tiles, thickness=between(rng, *CHAIR_THICKNESS))
        film = replace(film, camera=camera, style=replace(film.style, tiles=tiles))
    elif kind:
        film = replace(film, motion=CameraMotion(kind=kind, amplitude_px=float(amount), seed=seed))
    return ClubFilm(film=film, fps=float(rng.choice(RATES)))


def is_usual(style: Style) -> bool:
    """Whether a set is a usual one."""
    tiles, board = style.tiles, style.board
    centred = max(abs(tiles.letter_xy[0] - 0.5), abs(tiles.letter_xy[1] - 0.5)) < OFF_CENTRE
    return (
        centred
        and min(tiles.value_xy) > 0.5
        and not tiles.value_circled
        and tiles.joker == "bare"
        and tiles.letter_height >= 0.45
        and board.premium_shape == "full"
        and board.line_bgr is not None
    )
