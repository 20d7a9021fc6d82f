"""Films of whole games: a board, hands over it, a camera that is bumped, and the exact truth.

A film is a list of shots, in each of which nothing but a hand moves. The board of a shot is rendered once; the
hand, the light's flicker and the sensor's noise are laid over it frame by frame.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from samples.arrays import Picture
from samples.drawing import Hand, draw_cup, draw_hand
from samples.errors import SpecificationError
from samples.optics import Camera, Light, View
from samples.rendering.photo import render_photo
from samples.style import Style
from scoring import Board, Edition, Play

__all__ = ["Film", "FilmEvent", "Reach", "Shot", "write_film"]

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """A hand that moves during a shot.

    Parameters
    ----------
    player : int
        Whose hand; it decides how it looks and from which side it comes.
    start_xy, end_xy : tuple of float
        Where its fingers are at the shot's start and end, in cells from the grid's top left corner as it lay at
        first, whether the board was turned since or not.
    """

    player: int
    start_xy: Point
    end_xy: Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A part of a film in which nothing but a hand moves.

    Parameters
    ----------
    seconds : float
        How long it is.
    board : Board
        What lies on the board.
    reach : Reach or None
        The hand over it.
    brightness : float
        Factor on the light.
    bump_px : tuple of float
        How far the camera was moved since the film's start.
    bump_deg : float
        How far it was turned.
    turned : bool
        Whether the board was turned half round.
    straightened : bool
        Whether somebody pushed the tiles into their squares.
    cup_xy : tuple of float or None
        Where a cup stands, in the same cells.
    """

    seconds: float
    board: Board
    reach: Reach | None = None
    brightness: float = 1.0
    bump_px: Point = (0.0, 0.0)
    bump_deg: float = 0.0
    turned: bool = False
    straightened: bool = False
    cup_xy: Point | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmEvent:
    """What happened in the game, and when it was done.

    Parameters
    ----------
    kind : {"play", "withdrawn"}
        What it was.
    player : int
        Who did it.
    play : Play
        The tiles laid or taken back.
    score : int
        What it is worth.
    hands_off_s : float
        When the last hand left the board.
    """

    kind: Literal["play", "withdrawn"]
    player: int
    play: Play
    score: int
    hands_off_s: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Film:
    """A rendered film and its truth.

    Parameters
    ----------
    edition : Edition
        Whose letters and layout.
    players : tuple of str
        Their names.
    shots : tuple of Shot
        What is seen.
    events : tuple of FilmEvent
        What happened.
    style, camera, light
        How it looks.
    hands : tuple of Hand
        Each player's.
    seed : int
        Of textures, of how tiles lie, and of the noise.
    flicker : float
        Strength of the light's flicker, as a share.
    """

    edition: Edition
    players: tuple[str, ...]
    shots: tuple[Shot, ...]
    events: tuple[FilmEvent, ...]
    style: Style
    camera: Camera
    light: Light
    hands: tuple[Hand, ...]
    seed: int
    flicker: float = 0.0

    def __post_init__(self) -> None:
        if not self.shots:
            raise SpecificationError("shots: got none; a film needs at least one")

    @property
    def seconds(self) -> float:
        """How long it is."""
        return sum(shot.seconds for shot in self.shots)

    @property
    def totals(self) -> tuple[int, ...]:
        """Each player's points at the end."""
        return tuple(
            sum(event.score for event in self.events if event.player == player)
            for player in range(len(self.players))
        )

    def frames(self, fps: float = 10.0) -> Iterator[tuple[float, Picture]]:
        """The time of every frame and its picture, BGR, all of one size."""
        noise = _noise(self.seed, self._view.height_px, self._view.width_px, self.light)
        start_s, number = 0.0, 0
        for shot in self.shots:
            plate = self._plate(replace(shot, seconds=0.0, reach=None))
            while (time_s := number / fps) < start_s + shot.seconds - 1e-9:
                picture = plate.copy()
                if shot.reach is not None:
                    self._lay_hand(picture, shot, shot.reach, (time_s - start_s) / shot.seconds)
                level = 1.0 + self.flicker * math.sin(2 * math.pi * 7.3 * time_s)
                yield time_s, _exposed(picture, level, noise[number % len(noise)])
                number += 1
            start_s += shot.seconds

    @property
    def _view(self) -> View:
        layout = self.edition.layout
        return self.camera.view(layout.rows, layout.columns, max(self.style.board.frame_width, 0.25))

    def _plate(self, shot: Shot) -> Picture:
        """The scene of a shot without hand and noise."""
        handling = self.style.handling
        if shot.straightened:
            handling = replace(handling, offset=0.4 * handling.offset, turn_deg=0.4 * handling.turn_deg)
        azimuth = self.camera.azimuth_deg + (180.0 if shot.turned else 0.0)
        photo = _rendered(
            shot.board.rows,
            self.edition.name,
            replace(self.style, handling=handling),
            replace(self.camera, azimuth_deg=azimuth),
            replace(
                self.light, brightness=self.light.brightness * shot.brightness, noise=0.0, shot_noise=0.0
            ),
            self.seed,
        )
        picture = photo.copy()
        size = (self._view.width_px, self._view.height_px)
        if picture.shape[1::-1] != size:  # seen from its other side the outline may differ by a few pixels
            picture = np.asarray(cv2.resize(picture, size), dtype=np.uint8)
        if shot.cup_xy is not None:
            middle = self._view.apply(np.array([shot.cup_xy]))[0]
            draw_cup(picture, (float(middle[0]), float(middle[1])), (190, 195, 200), self.camera.cell_px)
        if shot.bump_px != (0.0, 0.0) or shot.bump_deg:
            matrix = cv2.getRotationMatrix2D((size[0] / 2, size[1] / 2), shot.bump_deg, 1.0)
            matrix[:, 2] += np.array(shot.bump_px)
            picture = np.asarray(
                cv2.warpAffine(picture, matrix, size, borderMode=cv2.BORDER_REFLECT), dtype=np.uint8
            )
        return picture

    def _lay_hand(self, picture: Picture, shot: Shot, reach: Reach, share: float) -> None:
        layout = self.edition.layout
        tip = np.array(reach.start_xy) + share * (np.array(reach.end_xy) - np.array(reach.start_xy))
        # Players sit on opposite sides; an arm comes in a little from its own side.
        from_y = layout.rows + 14.0 if reach.player % 2 == 0 else -14.0
        source = np.array([0.5 * tip[0] + 0.25 * layout.columns, from_y])
        points = self._view.apply(np.array([tip, source]))
        draw_hand(
            picture,
            self.hands[reach.player],
            (float(points[0, 0]), float(points[0, 1])),
            (float(points[1, 0]), float(points[1, 1])),
            self.camera.cell_px,
        )


@functools.lru_cache(maxsize=4)
def _rendered(
    rows: tuple[tuple[str, ...], ...], edition: str, style: Style, camera: Camera, light: Light, seed: int
) -> Picture:
    return render_photo(rows, edition, style=style, camera=camera, light=light, seed=seed).image_bgr


def _noise(seed: int, height: int, width: int, light: Light) -> list[tuple[Picture, Picture]]:
    """A few fields of the sensor's noise, what it adds and what it takes, used in turn.

    Drawing one for each frame would take most of the time.
    """
    rng = np.random.default_rng([seed, 1])
    level = light.noise + 5 * light.shot_noise
    fields = [(level * rng.standard_normal((height, width, 1))).astype(np.int16) for _ in range(5)]
    return [(_grey_levels(field), _grey_levels(-field)) for field in fields]


def _grey_levels(levels: NDArray[np.int16]) -> Picture:
    return np.repeat(np.clip(levels, 0, 255).astype(np.uint8), 3, axis=2)


def _exposed(picture: Picture, level: float, noise: tuple[Picture, Picture]) -> Picture:
    exposed = picture if level == 1.0 else cv2.convertScaleAbs(picture, alpha=level)
    return np.asarray(cv2.subtract(cv2.add(exposed, noise[0]), noise[1]), dtype=np.uint8)


def write_film(path: Path, film: Film, fps: float = 10.0) -> dict[str, Any]:
    """Write the film as a motion-JPEG file, and what happened in it as a value for JSON.

    Raises
    ------
    SpecificationError
        If the file cannot be written.
    """
    writer: cv2.VideoWriter | None = None
    for _, picture in film.frames(fps):
        if writer is None:
            writer = cv2.VideoWriter(
                str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (picture.shape[1], picture.shape[0])
            )
            if not writer.isOpened():
                raise SpecificationError(f"{path}: cannot be written as a film; choose a file ending in .avi")
        writer.write(picture)
    assert writer is not None
    writer.release()
    return {
        "edition": film.edition.name,
        "players": list(film.players),
        "totals": list(film.totals),
        "events": [
            {
                "kind": event.kind,
                "player": film.players[event.player],
                "placed": [[tile.row, tile.column, tile.token] for tile in event.play],
                "score": event.score,
                "hands_off_s": round(event.hands_off_s, 3),
            }
            for event in film.events
        ],
    }
