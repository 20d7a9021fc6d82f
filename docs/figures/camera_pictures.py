"""The camera guide's picture: one rendered board in six set-ups, and what became of each.

Run it as ``python -m docs.figures.camera_pictures``.
"""

from __future__ import annotations

import argparse
import textwrap
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from docs.figures.images import save_figure
from samples import Camera, Light, RenderedPhoto, icelandic_style, render_photo
from scoring import load_edition
from tests.sets.club_boards import club_board
from vision.capture import Frame
from vision.errors import BoardNotFoundError
from vision.pipeline import GameContext, load_recognizer, read_photo

__all__ = ["main"]

EDITION = "english"
WIDTH, HEIGHT, TEXT_PX, COLUMNS = 420, 330, 74, 3
GREEN, RED, INK = (60, 140, 40), (40, 40, 200), (30, 30, 30)


def set_ups() -> dict[str, tuple[Camera, Light]]:
    """List the set-ups by their titles."""
    above = Camera(cell_px=52, tilt_deg=12, azimuth_deg=20)
    return {
        "good: from above, 52 px a square": (above, Light()),
        "good: from the side, 40 degrees high": (replace(above, tilt_deg=50, distance=3.0), Light()),
        "bad: 12 degrees above the table": (replace(above, tilt_deg=78, distance=3.0), Light()),
        "bad: far away, 9 px a square": (replace(above, cell_px=9), Light(noise=3.0, jpeg_quality=80)),
        "bad: too dark": (above, Light(brightness=0.015)),
        "bad: out of focus": (above, Light(defocus_px=9.0)),
    }


def outcome(photo: RenderedPhoto, context: GameContext) -> tuple[str, bool]:
    """Read a photo; what came of it, and whether all is right."""
    try:
        found = read_photo(Frame(image_bgr=photo.image_bgr, source="photo", index=0, time_s=0.0), context)
    except BoardNotFoundError as error:
        return str(error), False
    pairs = [
        (want, have)
        for wanted, had in zip(photo.rows, found.decoded.board.rows, strict=True)
        for want, have in zip(wanted, had, strict=True)
        if want != "."
    ]
    right = sum(want == have for want, have in pairs)
    return f"{right} of {len(pairs)} tiles are read correctly", right == len(pairs)


def draw_panel(photo: RenderedPhoto, title: str, text: str, *, is_right: bool) -> NDArray[np.uint8]:
    """Draw a photo with its title and what came of it."""
    panel = np.full((HEIGHT + TEXT_PX, WIDTH, 3), 255, np.uint8)
    image = photo.image_bgr
    scale = min((WIDTH - 10) / image.shape[1], (HEIGHT - 10) / image.shape[0])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    top, left = (HEIGHT - small.shape[0]) // 2, (WIDTH - small.shape[1]) // 2
    panel[top : top + small.shape[0], left : left + small.shape[1]] = small
    lines = [(title, INK), *((line, GREEN if is_right else RED) for line in textwrap.wrap(text, 58)[:3])]
    for number, (line, colour) in enumerate(lines):
        cv2.putText(
            panel,
            line,
            (8, HEIGHT + 14 + 18 * number),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.42,
            colour,
            1,
            cv2.LINE_AA,
        )
    return panel


def main() -> None:
    """Render the set-ups, read them, and write the picture."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    edition = load_edition(EDITION)
    context = GameContext(edition=edition, recognizer=load_recognizer("network", edition))
    rows = club_board(edition, 0).rows
    panels = []
    for title, (camera, light) in set_ups().items():
        photo = render_photo(rows, edition, style=icelandic_style(), camera=camera, light=light, seed=3)
        text, is_right = outcome(photo, context)
        print(f"{title}: {photo.image_bgr.shape[1]}x{photo.image_bgr.shape[0]}: {text}")
        panels.append(draw_panel(photo, title, text, is_right=is_right))
    lines = [np.hstack(panels[first : first + COLUMNS]) for first in range(0, len(panels), COLUMNS)]
    print(save_figure("camera.jpg", np.vstack(lines), quality=82))


if __name__ == "__main__":
    main()
