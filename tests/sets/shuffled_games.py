"""Rendered games of fifteen photos, one for each play, with a hand-held camera; digitising must restore their order."""

from __future__ import annotations

import random
import zlib
from dataclasses import replace

import cv2
import numpy as np

from samples import RenderedPhoto, render_photo
from scoring import Board, Edition, Play, load_edition
from tests.sets.club_boards import club_camera, club_light, club_style
from tests.support.random_games import random_play

__all__ = ["PLAYS", "game_photos", "play_game"]

PLAYS = 15


def play_game(edition: Edition, seed: int) -> list[Play]:
    """Draw the plays of a random game by the edition's rules and bag."""
    rng = random.Random(f"{edition.name} shuffled {seed}")
    bag = [tile for tile, count in edition.counts.items() for _ in range(count or 4)]
    rng.shuffle(bag)
    board, plays, rack = Board.empty(edition.layout), list[Play](), list[str]()
    while len(plays) < PLAYS:
        rack += [bag.pop() for _ in range(min(len(bag), edition.rack_size - len(rack)))]
        play = random_play(rng, board, edition, rack)
        if play is None:
            break
        for tile in play:
            rack.remove("?" if tile.token == "?" or tile.token.islower() else tile.token)
        board = board.with_tiles(play)
        plays.append(play)
    return plays


def game_photos(edition_name: str, seed: int, cell_px: float = 40.0) -> tuple[list[Play], list[bytes]]:
    """Render a game: its plays, and for each the JPEG file taken after it, each time held a little differently."""
    edition = load_edition(edition_name)
    rng = np.random.default_rng([zlib.crc32(edition_name.encode()), seed, 15])
    style = club_style(rng, edition)
    camera, light = club_camera(rng, cell_px), club_light(rng, cell_px)
    board, photos = Board.empty(edition.layout), list[bytes]()
    plays = play_game(edition, seed)
    for moment, play in enumerate(plays):
        board = board.with_tiles(play)
        held = replace(
            camera,
            tilt_deg=min(35.0, max(0.0, camera.tilt_deg + float(rng.normal(0, 3)))),
            azimuth_deg=camera.azimuth_deg + float(rng.normal(0, 4)),
        )
        shot: RenderedPhoto = render_photo(
            board.rows, edition, style=style, camera=held, light=light, seed=seed, moment=moment
        )
        photos.append(cv2.imencode(".jpg", shot.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes())
    return plays, photos
