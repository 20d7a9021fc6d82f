"""Render the shipped sample: the five plays of the Icelandic sheet, a photo each.

``python -m samples.rendering.icelandic_sample [FOLDER]`` writes it to FOLDER, by default to the shipped one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from samples.optics import Camera, Light
from samples.rendering.icelandic_set import ICELANDIC_PLAYS, icelandic_style
from samples.rendering.photographed_game import render_game
from scoring import load_edition, parse_play

__all__ = ["FOLDER", "main"]

FOLDER = Path(__file__).resolve().parents[1] / "shipped" / "icelandic"
"""Folder of the shipped sample."""
SEED = 20
"""Decides every pixel of the sample; chosen."""


def main(folder: Path = FOLDER) -> None:
    """Render the sample into `folder`."""
    edition = load_edition("icelandic")
    turns = [parse_play(text, edition.tokens) for text in ICELANDIC_PLAYS]
    camera = Camera(
        cell_px=72, tilt_deg=17, azimuth_deg=-4, roll_deg=1.5, distance=2.3, margins=(0.05, 0.05, 0.05, 0.05)
    )
    lights = [
        Light(
            brightness=0.99 + 0.02 * (index % 2),
            cast_bgr=(0.97, 1.0, 1.02),
            gradient=0.22,
            gradient_deg=-130,
            vignette=0.12,
            direction_deg=-125,
            shadow_length=0.75,
            shadow_softness=0.07,
            shadow_depth=0.5,
            defocus_px=0.7,
            noise=1.2,
            shot_noise=0.08,
        )
        for index in range(len(turns))
    ]
    render_game(
        folder,
        turns,
        edition,
        style=icelandic_style(),
        camera=camera,
        lights=lights,
        seed=SEED,
        jpeg_quality=80,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="by default the shipped one")
    main(parser.parse_args().folder)
