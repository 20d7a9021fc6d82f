"""Films of games: a board, hands over it, a camera that is bumped, and the exact truth.

A film is a list of shots, in each of which only a hand moves. The board of a shot is rendered once; the hand, the
light's flicker and the sensor's noise are added frame by frame.
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
from samples.optics import Camera, CameraMotion, Light, MovingLight, View
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
        Number of the player, which decides the hand's look and its side of the board.
    start_xy, end_xy : tuple of float
        Position of the fingers at the shot's start and end, in cells from the grid's top left corner at the film's
        start, whether the board was turned since or not.
    """

    player: int
    start_xy: Point
    end_xy: Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A part of a film in which only a hand moves.

    Parameters
    ----------
    seconds : float
        Duration.
    board : Board
        The tiles on the board.
    reach : Reach or None
        The hand over the board.
    brightness : float
        Factor on the light.
    bump_px : tuple of float
        Movement of the camera since the film's start, as a shift of the picture.
    bump_deg : float
        Rotation of the camera since the film's start.
    turned : bool
        Whether the board is turned by 180 degrees.
    straightened : bool
        Whether the tiles have been pushed into their squares.
    cup_xy : tuple of float or None
        Position of a cup, in the same cells.
    pushed : tuple of ((row, column), (x, y))
        Tiles that a hand has pushed, each with its way in cells.
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
    pushed: tuple[tuple[tuple[int, int], Point], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmEvent:
    """A play or a withdrawal, and its time.

    Parameters
    ----------
    kind : {"play", "withdrawn"}
        What happened.
    player : int
        Number of the player.
    play : Play
        The tiles placed or withdrawn.
    score : int
        Its points, below 0 for a withdrawal.
    hands_off_s : float
        Time at which the last hand left the board.
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
        Letters and layout.
    players : tuple of str
        Names.
    shots : tuple of Shot
        The pictures, in order.
    events : tuple of FilmEvent
        The truth, in order.
    style, camera, light
        Look of the set, and how it is filmed.
    hands : tuple of Hand
        Look of each player's hand.
    seed : int
        Of textures, positions of tiles, and noise.
    flicker : float
        Strength of the light's flicker, as a share of the brightness.
    motion : CameraMotion or None
        How the camera moves; None for one that is bolted down.
    moving_light : MovingLight or None
        Bands or a shadow that move over the board.
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
    motion: CameraMotion | None = None
    moving_light: MovingLight | None = None

    def __post_init__(self) -> None:
        if not self.shots:
            raise SpecificationError("shots: got none; a film needs at least one")

    @property
    def seconds(self) -> float:
        """Duration."""
        return sum(shot.seconds for shot in self.shots)

    @property
    def totals(self) -> tuple[int, ...]:
        """Points of each player at the end."""
        return tuple(
            sum(event.score for event in self.events if event.player == player)
            for player in range(len(self.players))
        )

    def frames(self, fps: float = 10.0) -> Iterator[tuple[float, Picture]]:
        """Render the frames: time in seconds and picture, BGR, all of one size."""
        noise = _draw_noise(self.seed, self._view.height_px, self._view.width_px, self.light)
        start_s, number = 0.0, 0
        for shot in self.shots:
            background = self._render_background(replace(shot, seconds=0.0, reach=None))
            while (time_s := number / fps) < start_s + shot.seconds - 1e-9:
                picture = background.copy()
                if shot.reach is not None:
                    self._draw_hand(picture, shot.reach, (time_s - start_s) / shot.seconds)
                if self.moving_light is not None:
                    picture = self.moving_light.shine(picture, time_s)
                if self.motion is not None:
                    picture = self.motion.move(picture, time_s)
                level = 1.0 + self.flicker * math.sin(2 * math.pi * 7.3 * time_s)
                yield time_s, _expose(picture, level, noise[number % len(noise)])
                number += 1
            start_s += shot.seconds

    @property
    def _view(self) -> View:
        layout = self.edition.layout
        return self.camera.view(layout.rows, layout.columns, max(self.style.board.frame_width, 0.25))

    def _render_background(self, shot: Shot) -> Picture:
        """Render the scene of a shot without hand and noise."""
        handling = replace(self.style.handling, pushed=shot.pushed)
        if shot.straightened:
            handling = replace(handling, offset=0.4 * handling.offset, turn_deg=0.4 * handling.turn_deg)
        azimuth = self.camera.azimuth_deg + (180.0 if shot.turned else 0.0)
        photo = _rendered(
            shot.board.rows,
            self.edition,
            replace(self.style, handling=handling),
            replace(self.camera, azimuth_deg=azimuth),
            replace(
                self.light, brightness=self.light.brightness * shot.brightness, noise=0.0, shot_noise=0.0
            ),
            self.seed,
        )
        picture = photo.copy()
        size = (self._view.width_px, self._view.height_px)
        if picture.shape[1::-1] != size:  # the outline of a turned board may differ by a few pixels
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

    def _draw_hand(self, picture: Picture, reach: Reach, share: float) -> None:
        """Draw the hand at a share of its way, in place."""
        layout = self.edition.layout
        tip = np.array(reach.start_xy) + share * (np.array(reach.end_xy) - np.array(reach.start_xy))
        # players sit on opposite sides
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
    rows: tuple[tuple[str, ...], ...], edition: Edition, style: Style, camera: Camera, light: Light, seed: int
) -> Picture:
    return render_photo(rows, edition, style=style, camera=camera, light=light, seed=seed).image_bgr


def _draw_noise(seed: int, height: int, width: int, light: Light) -> list[tuple[Picture, Picture]]:
    """Draw five fields of sensor noise, its positive and its negative part; frames use them in turn.

    One field for each frame would take most of the time.
    """
    rng = np.random.default_rng([seed, 1])
    level = light.noise + 5 * light.shot_noise
    fields = [(level * rng.standard_normal((height, width, 1))).astype(np.int16) for _ in range(5)]
    return [(_grey_levels(field), _grey_levels(-field)) for field in fields]


def _grey_levels(levels: NDArray[np.int16]) -> Picture:
    return np.repeat(np.clip(levels, 0, 255).astype(np.uint8), 3, axis=2)


def _expose(picture: Picture, level: float, noise: tuple[Picture, Picture]) -> Picture:
    """Apply a brightness and a noise field to a frame."""
    exposed = picture if level == 1.0 else cv2.convertScaleAbs(picture, alpha=level)
    return np.asarray(cv2.subtract(cv2.add(exposed, noise[0]), noise[1]), dtype=np.uint8)


def write_film(path: Path, film: Film, fps: float = 10.0) -> dict[str, Any]:
    """Write a film as a motion-JPEG file.

    Parameters
    ----------
    path : Path
        The file, ending in ``.avi``.
    film : Film
        The film.
    fps : float
        Frames per second.

    Returns
    -------
    dict
        The truth, ready for JSON.

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
