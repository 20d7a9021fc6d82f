"""A club with an unknown camera, board and set: the pictures that a new user takes, with their truth.

The lens has a known barrel distortion. The tiles have a decorative typeface where one is installed; tests, which use
the same fonts on every machine, have another one.
``python -m tests.support.unknown_club FOLDER`` writes the pictures and prints the board of ``game.jpg``.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.target import Target, draw_sheet
from samples import Camera, Light, RenderedPhoto, TrueLens, fonts, render_photo
from scoring import Edition, load_edition
from tests.sets.exotic_sets import alphabet_rows, random_position, read_typeface, table_style

__all__ = ["BARREL", "SHEET", "Club", "draw_pose", "photograph_board", "photograph_sheet"]

Floats = NDArray[np.float64]

BARREL = TrueLens(
    focal_px=900.0,
    centre_px=(646.0, 471.0),
    distortion=(-0.26, 0.07, 0.0006, -0.0004, 0.0),
    size_px=(1280, 960),
)
SHEET = Target.for_paper("a4")
SHEET_MM = (297.0, 210.0)
FACE = "truetype/dustin/It_wasn_t_me.ttf"
SPARE_FACE = "truetype/dejavu/DejaVuSerif-Bold.ttf"


def draw_pose(
    rng: np.random.Generator,
    lens: TrueLens,
    size: tuple[float, float],
    tilt_deg: tuple[float, float] = (5, 42),
    far: tuple[float, float] = (1.0, 2.0),
) -> tuple[Floats, Floats]:
    """Draw a pose of a sheet that is completely in view: Rodrigues vector and translation.

    Parameters
    ----------
    rng : numpy.random.Generator
        The same state gives the same pose.
    lens : TrueLens
        The camera.
    size : (width, height)
        Size of the sheet, in units.
    tilt_deg : (low, high)
        Range of the angle between the sheet and the picture's plane.
    far : (low, high)
        Range of the distance, as a multiple of the one at which the sheet fills the picture.
    """
    outline = np.array([[0, 0, 0], [size[0], 0, 0], [size[0], size[1], 0], [0, size[1], 0]], np.float64)
    width, height = lens.size_px
    while True:
        tilt, side, roll = np.radians(rng.uniform(*tilt_deg)), rng.uniform(0, 2 * np.pi), rng.normal(0, 0.25)
        leaning, _ = cv2.Rodrigues(np.array([np.cos(side), np.sin(side), 0]) * tilt)
        rolled, _ = cv2.Rodrigues(np.array([0, 0, roll]))
        rotation = leaning @ rolled
        depth = rng.uniform(*far) * lens.focal_px * max(size[0] / width, size[1] / height)
        centre = rng.uniform(-0.36, 0.36, 2) * depth * np.array([width, height]) / lens.focal_px
        place = np.array([*centre, depth]) - rotation @ np.array([size[0] / 2, size[1] / 2, 0])
        turn, _ = cv2.Rodrigues(rotation)
        corners = lens.project(outline, turn.ravel(), place)
        if (corners > 8).all() and (corners < np.array([width, height]) - 8).all():
            return turn.ravel(), place


def photograph_sheet(
    lens: TrueLens, seed: int, target: Target = SHEET, size_mm: tuple[float, float] = SHEET_MM
) -> NDArray[np.uint8]:
    """Photograph the printed sheet."""
    rng = np.random.default_rng([seed, 1])
    turn, place = draw_pose(rng, lens, size_mm)
    sheet = render_sheet(target)
    return lens.photo(sheet, sheet.shape[1] / size_mm[0], turn, place, rng)


@functools.cache
def render_sheet(target: Target) -> NDArray[np.uint8]:
    """Render the sheet with fewer pixels than a printed one, for speed."""
    return np.asarray(
        cv2.resize(draw_sheet(target, "a4"), (1754, 1240), interpolation=cv2.INTER_AREA), np.uint8
    )


def photograph_board(
    lens: TrueLens, board: RenderedPhoto, seed: int, tilt_deg: tuple[float, float] = (0, 20)
) -> tuple[NDArray[np.uint8], Floats]:
    """Photograph a board that was rendered from straight above; the photo and the (256, 2) pixels of its crossings."""
    rng = np.random.default_rng([seed, 2])
    unit_px = float(board.corners_px[1, 0] - board.corners_px[0, 0]) / 15
    size = (board.image_bgr.shape[1] / unit_px, board.image_bgr.shape[0] / unit_px)
    turn, place = draw_pose(rng, lens, size, tilt_deg, (1.0, 1.25))
    image = lens.photo(board.image_bgr, unit_px, turn, place, rng)
    x, y = np.meshgrid(np.arange(16.0), np.arange(16.0))
    flat = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)
    flat[:, :2] += (board.corners_px[0] + 0.5) / unit_px
    return image, lens.project(flat, turn, place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Club:
    """Boards of one club, rendered from straight above.

    Parameters
    ----------
    edition : Edition
        Letters and layout.
    seed : int
        Of board, tiles and table.
    """

    edition: Edition
    seed: int = 3

    @classmethod
    def english(cls, seed: int = 3) -> Club:
        """Make a club that plays in English."""
        return cls(edition=load_edition("english"), seed=seed)

    def above(self, rows: Sequence[Sequence[str]], number: int = 0) -> RenderedPhoto:
        """Render the board with these tiles from straight above, from far away."""
        rng = np.random.default_rng([self.seed, 99])
        found = (fonts.ROOT / "fonts" / face for face in (FACE, SPARE_FACE))
        path = next(path for path in found if path.is_file())
        style = table_style(rng, read_typeface(path, self.edition.tokens))
        camera = Camera(cell_px=56, distance=40, margins=(0.0, 0.0, 0.0, 0.0))
        return render_photo(
            rows, self.edition, style=style, camera=camera, light=Light(), seed=100 * self.seed + number
        )

    def pictures(
        self, folder: Path, lens: TrueLens = BARREL, sheets: int = 12
    ) -> tuple[tuple[str, ...], ...]:
        """Write all pictures that a new user takes; the tokens of the board of ``game.jpg``."""
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(sheets):
            cv2.imwrite(str(folder / f"sheet-{number + 1:02d}.jpg"), photograph_sheet(lens, number))
        empty = [["."] * 15 for _ in range(15)]
        game = random_position(self.edition, self.seed, 0)
        for name, rows, seed in (
            ("empty", empty, 5),
            ("alphabet-1", alphabet_rows(self.edition), 6),
            ("alphabet-2", alphabet_rows(self.edition), 7),
            ("game", game, 8),
        ):
            image, _ = photograph_board(lens, self.above(rows, seed), seed)
            cv2.imwrite(str(folder / f"{name}.jpg"), image)
        rng = np.random.default_rng([self.seed, 98])
        for number in range(3):  # in a row, without moving anything: only the noise differs
            noisy = np.clip(image + rng.normal(0, 1, image.shape), 0, 255)
            cv2.imwrite(str(folder / f"frame-{number + 1}.jpg"), noisy.astype(np.uint8))
        return game


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the pictures are written")
    rows = Club.english().pictures(parser.parse_args().folder)
    print("\n".join(" ".join(row) for row in rows))
