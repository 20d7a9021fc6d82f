"""Random cameras and lights, as rooms and phones differ."""

from __future__ import annotations

import math

import numpy as np

from samples.chance import between, pick, pick_weighted, toss
from samples.optics import Camera, Glare, Light

__all__ = ["random_camera", "random_light"]


def random_camera(rng: np.random.Generator, *, easy: bool = False) -> Camera:
    """Draw a camera, from above to very oblique; `easy` keeps it near the normal and close."""
    from_above = abs(float(rng.normal(0, 5)))
    tilt = pick_weighted(rng, ((0.36, from_above), (0.42, between(rng, 5, 40)), (0.22, between(rng, 38, 57))))
    near, far = between(rng, 28, 46), math.exp(between(rng, math.log(18), math.log(60)))
    left, top, right, bottom = (between(rng, 0.005, 0.08) for _ in range(4))
    return Camera(
        cell_px=near if easy else far,
        tilt_deg=from_above if easy else tilt,
        azimuth_deg=float(rng.normal(0, 25)) if toss(rng, 0.6) else between(rng, -180, 180),
        roll_deg=float(rng.normal(0, 2 if easy else 8)),
        distance=between(rng, 1.3, 3.5),
        margins=(left, top, right, bottom),
        bow=float(np.clip(rng.normal(0, 0.012), -0.03, 0.03)) if not easy and toss(rng, 0.25) else 0.0,
    )


def random_light(rng: np.random.Generator, *, cell_px: float = 32.0, easy: bool = False) -> Light:
    """Draw the light of a room and the properties of a camera.

    Parameters
    ----------
    rng : numpy.random.Generator
        The same state gives the same light.
    cell_px : float
        Size of a cell in pixels, to which blurs are scaled.
    easy : bool
        Neither dark nor blurred, without glare.
    """
    dark = not easy and toss(rng, 0.12)
    warm, tint = float(rng.normal(0, 0.10)), float(rng.normal(0, 0.07))
    return Light(
        brightness=between(rng, 0.2, 0.5) if dark else between(rng, 0.65, 1.2),
        cast_bgr=(1 - warm, 1 + tint, 1 + warm),
        contrast=between(rng, 0.65, 1.15),
        saturation=between(rng, 0.5, 1.4),
        gradient=abs(float(rng.normal(0, 0.3))),
        gradient_deg=between(rng, 0, 360),
        vignette=between(rng, 0, 0.4) if toss(rng, 0.5) else 0.0,
        direction_deg=between(rng, 0, 360),
        shadow_length=between(rng, 0.1, 1.8),
        shadow_softness=between(rng, 0.02, 0.2),
        shadow_depth=between(rng, 0.1, 0.7),
        glares=_draw_glares(rng) if not easy and toss(rng, 0.25) else (),
        defocus_px=0.0 if easy else min(0.055, float(rng.exponential(0.018))) * cell_px,
        motion_px=between(rng, 0.04, 0.14) * cell_px if not easy and toss(rng, 0.12) else 0.0,
        motion_deg=between(rng, 0, 180),
        noise=float(rng.exponential(2.5)),
        shot_noise=float(rng.exponential(0.25)),
        denoise=pick(rng, (0, 0, 0, 0, 1, 2, 3, 4)),
        sharpen=between(rng, 0.2, 1.2) if toss(rng, 0.35) else 0.0,
        jpeg_quality=int(rng.integers(45, 96)) if toss(rng, 0.8) else None,
    )


def _draw_glares(rng: np.random.Generator) -> tuple[Glare, ...]:
    return tuple(
        Glare(
            centre_xy=(between(rng, 0, 1), between(rng, 0, 1)),
            radii_xy=(between(rng, 0.03, 0.3), between(rng, 0.03, 0.3)),
            strength=between(rng, 0.12, 0.65),
            crumple=between(rng, 0.1, 0.5) if toss(rng, 0.4) else 0.0,
        )
        for _ in range(int(rng.integers(1, 4)))
    )
