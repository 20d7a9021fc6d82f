"""Rendered racks with the sets, lights and typefaces of `club_boards`, which training never saw."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from samples import Camera, RenderedRack, between, render_rack, toss
from scoring import load_edition
from tests.sets.club_boards import club_light, club_style

__all__ = ["club_rack"]

RACKS_BGR = (
    (60, 90, 40),
    (60, 110, 160),
    (40, 60, 90),
    (120, 60, 40),
    (45, 45, 45),
    (40, 50, 150),
    (90, 130, 170),
)
MIN_DIFFERENCE = 60.0
"""Of some colour, between rack and tile: people, too, cannot see blanks on a rack of the tiles' colour."""


def club_rack(edition_name: str, seed: int, cell_px: float = 40.0) -> RenderedRack:
    """Render a rack of an edition; the same seed gives the same picture."""
    edition = load_edition(edition_name)
    rng = np.random.default_rng([zlib.crc32(edition_name.encode()), seed, 7])
    style = club_style(rng, edition)
    bag = [token for token, count in edition.counts.items() for _ in range(count or 2)]
    count = 7 if toss(rng, 0.7) else int(rng.integers(1, 7))
    tiles = [str(token) for token in rng.permutation(bag)[:count]]
    style = replace(style, tiles=replace(style.tiles, gloss=0.0, marked_jokers=0.0))
    body = np.array(style.tiles.body_bgr)
    colours = [each for each in RACKS_BGR if np.abs(body - each).max() > MIN_DIFFERENCE] or [(30, 60, 30)]
    room = 8.6 - count * style.tiles.side
    gaps = [
        float(rng.exponential(0.03)) + (between(rng, 0.1, 0.9) if toss(rng, 0.12) else 0.0) for _ in tiles
    ]
    gaps[0] += between(rng, 0, 1.5)
    scale = min(1.0, room / max(1e-6, sum(gaps)))
    camera = Camera(
        cell_px=cell_px,
        tilt_deg=between(rng, 0, 30),
        azimuth_deg=float(rng.normal(0, 6)),
        roll_deg=float(rng.normal(0, 3)),
        distance=between(rng, 1.5, 3.0),
        margins=(0.06, 0.6, 0.06, 0.6),
    )
    return render_rack(
        tiles,
        edition,
        style=style,
        camera=camera,
        light=club_light(rng, cell_px),
        rack_bgr=colours[int(rng.integers(len(colours)))],
        gaps=[scale * gap for gap in gaps],
        seed=seed,
    )
