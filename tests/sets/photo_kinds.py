"""Rendered photos of difficult kinds: cropped, dark, overexposed, from too low, from too far, of a screen.

Sets, boards and lights are those of `scenes`; each kind changes one thing. Twenty photos of a kind show whether it is
read, refused with a reason, or, which must not happen, read wrongly without a warning.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from samples import (
    Camera,
    Light,
    RenderedPhoto,
    between,
    draw_cover,
    pick,
    random_pair,
    random_screen,
    render_photo,
)
from scoring import load_edition
from tests.sets.club_boards import club_board, club_light, club_style
from tests.sets.scenes import EDITIONS, STYLES, scene_style

__all__ = ["KINDS", "KindOfPhoto", "kind_of_photo", "usual_photo"]

Rng = np.random.Generator
Picture = NDArray[np.uint8]
Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class KindOfPhoto:
    """A photo and its truth.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The photo, BGR.
    corners_px : (4, 2) float64
        Corners TL TR BR BL of the board to read.
    rows : tuple of tuple of str
        Its tokens; ``"#"`` for a hidden square.
    edition : str
        Edition to read it by.
    others : int
        Number of other boards in view.
    """

    image_bgr: Picture
    corners_px: NDArray[np.float64]
    rows: Rows
    edition: str
    others: int = 0


def kind_of_photo(kind: str, seed: int) -> KindOfPhoto:
    """Render a photo of one of `KINDS`; the same seed gives the same photo."""
    return KINDS[kind](np.random.default_rng([zlib.crc32(kind.encode()), seed]), seed)


def render_kind(
    rng: Rng, seed: int, camera: Camera, light: Light | None = None, bend_deg: float = 0.0
) -> RenderedPhoto:
    """Render a board of one of the five styles of `scenes`."""
    edition = load_edition(EDITIONS[seed // len(STYLES) % len(EDITIONS)])
    return render_photo(
        club_board(edition, seed).rows,
        edition,
        style=scene_style(rng, STYLES[seed % len(STYLES)], edition.name),
        camera=camera,
        light=light or club_light(rng, camera.cell_px),
        seed=seed,
        bend_deg=bend_deg,
    )


def usual_camera(rng: Rng) -> Camera:
    """Draw a camera above the table: about two megapixels, with some of the table in view."""
    left, top, right, bottom = (between(rng, 0.05, 0.4) for _ in range(4))
    return Camera(
        cell_px=between(rng, 36, 56),
        tilt_deg=between(rng, 0, 40),
        azimuth_deg=between(rng, -180, 180),
        roll_deg=float(rng.normal(0, 6)),
        margins=(left, top, right, bottom),
    )


def as_kind(photo: RenderedPhoto) -> KindOfPhoto:
    """Convert a photo."""
    return KindOfPhoto(
        image_bgr=photo.image_bgr, corners_px=photo.corners_px, rows=photo.rows, edition=photo.edition
    )


def usual_photo(seed: int) -> RenderedPhoto:
    """Render a good photo of about two megapixels."""
    rng = np.random.default_rng([zlib.crc32(b"usual"), seed])
    return render_kind(rng, seed, usual_camera(rng))


def usual(_: Rng, seed: int) -> KindOfPhoto:
    """Render a good photo."""
    return as_kind(usual_photo(seed))


def half(rng: Rng, seed: int) -> KindOfPhoto:
    """Crop a photo: a third to two thirds of the board are outside."""
    photo = as_kind(render_kind(rng, seed, usual_camera(rng)))
    low, high = photo.corners_px.min(axis=0), photo.corners_px.max(axis=0)
    cut = (low + (high - low) * between(rng, 0.35, 0.65)).astype(int)
    sides: tuple[tuple[slice, slice], ...] = (
        (slice(None), slice(0, int(cut[0]))),
        (slice(None), slice(int(cut[0]), None)),
        (slice(0, int(cut[1])), slice(None)),
        (slice(int(cut[1]), None), slice(None)),
    )
    rows, columns = pick(rng, sides)
    return replace(
        photo,
        image_bgr=np.ascontiguousarray(photo.image_bgr[rows, columns]),
        corners_px=photo.corners_px - [columns.start or 0, rows.start or 0],
    )


def lit(low: float, high: float, noise: float) -> Callable[[Rng, int], KindOfPhoto]:
    """Make a kind of photos whose light is a share of daylight."""

    def photo(rng: Rng, seed: int) -> KindOfPhoto:
        camera = usual_camera(rng)
        light = replace(
            club_light(rng, camera.cell_px), brightness=between(rng, low, high), contrast=1.0, noise=noise
        )
        return as_kind(render_kind(rng, seed, camera, light))

    return photo


def tilted(low: float, high: float) -> Callable[[Rng, int], KindOfPhoto]:
    """Make a kind of photos from an angle in degrees above the table."""

    def photo(rng: Rng, seed: int) -> KindOfPhoto:
        camera = replace(usual_camera(rng), tilt_deg=90 - between(rng, low, high), cell_px=56.0, distance=2.5)
        return as_kind(render_kind(rng, seed, camera))

    return photo


def bowed_lens(rng: Rng, seed: int) -> KindOfPhoto:
    """Render a photo through a lens that bows straight lines by a usual amount."""
    camera = replace(usual_camera(rng), bow=pick(rng, (-1, 1)) * between(rng, 0.02, 0.04))
    return as_kind(render_kind(rng, seed, camera))


def folded(rng: Rng, seed: int) -> KindOfPhoto:
    """Render a folding board that is not flat: its middle or its two sides are raised."""
    bend_deg = pick(rng, (-1, 1)) * between(rng, 2, 6)
    return as_kind(render_kind(rng, seed, usual_camera(rng), bend_deg=bend_deg))


def covered_corner(rng: Rng, seed: int) -> KindOfPhoto:
    """Render a photo with a hand over one corner."""
    photo = as_kind(render_kind(rng, seed, usual_camera(rng)))
    corner, middle = photo.corners_px[int(rng.integers(4))], photo.corners_px.mean(axis=0)
    cell_px = float(np.linalg.norm(photo.corners_px[1] - photo.corners_px[0])) / 15
    tip = corner + (middle - corner) * between(rng, 0.08, 0.25)
    x, y = (int(place) for place in np.round(corner))
    while True:  # a hand from a random side may miss the corner
        image = photo.image_bgr.copy()
        mask = draw_cover(image, "hand", (float(tip[0]), float(tip[1])), cell_px, rng)
        if mask[y, x]:
            return replace(photo, image_bgr=image, rows=cover_tokens(photo, mask))


def cover_tokens(photo: KindOfPhoto, mask: Picture) -> Rows:
    """Replace the token of each square that is partly hidden by ``"#"``."""
    rows, columns = len(photo.rows), len(photo.rows[0])
    flat = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32) * 8
    flat_from_image = cv2.getPerspectiveTransform(photo.corners_px.astype(np.float32), flat)
    seen = cv2.warpPerspective(mask, flat_from_image, (columns * 8, rows * 8))
    hidden = np.asarray(seen).reshape(rows, 8, columns, 8).max(axis=(1, 3)) > 60
    return tuple(
        tuple("#" if hidden[row, column] else token for column, token in enumerate(tokens))
        for row, tokens in enumerate(photo.rows)
    )


def corner_outside(rng: Rng, seed: int) -> KindOfPhoto:
    """Crop a photo: one corner is up to a square outside, everything else is in view."""
    camera = replace(usual_camera(rng), azimuth_deg=0.0, roll_deg=pick(rng, (-1, 1)) * between(rng, 8, 30))
    photo = as_kind(render_kind(rng, seed, camera))
    number = int(photo.corners_px[:, 0].argmin())
    cell_px = float(np.linalg.norm(photo.corners_px[1] - photo.corners_px[0])) / 15
    cut = max(0, round(photo.corners_px[number, 0] + between(rng, 0.1, 0.7) * cell_px))
    mask = np.zeros(photo.image_bgr.shape[:2], np.uint8)
    mask[:, :cut] = 255
    return replace(
        photo,
        image_bgr=np.ascontiguousarray(photo.image_bgr[:, cut:]),
        corners_px=photo.corners_px - [cut, 0],
        rows=cover_tokens(photo, mask),
    )


def fifth(rng: Rng, seed: int) -> KindOfPhoto:
    """Render a board that takes a fifth of the picture's width."""
    left, top = between(rng, 0.5, 3.5), between(rng, 0.5, 3.5)
    camera = replace(
        usual_camera(rng), cell_px=between(rng, 20, 28), tilt_deg=between(rng, 0, 35),
        margins=(left, top, 4.0 - left, 4.0 - top),
    )  # fmt: skip
    return as_kind(render_kind(rng, seed, camera))


def filling(rng: Rng, seed: int) -> KindOfPhoto:
    """Crop a photo: the grid reaches to the picture's edges."""
    photo = as_kind(
        render_kind(
            rng, seed, replace(usual_camera(rng), tilt_deg=between(rng, 0, 8), azimuth_deg=0.0, roll_deg=0.0)
        )
    )
    low = np.maximum(np.floor(photo.corners_px.min(axis=0)).astype(int) - 2, 0)
    high = np.ceil(photo.corners_px.max(axis=0)).astype(int) + 3
    return replace(
        photo,
        image_bgr=np.ascontiguousarray(photo.image_bgr[low[1] : high[1], low[0] : high[0]]),
        corners_px=photo.corners_px - low,
    )


def colourless(rng: Rng, seed: int) -> KindOfPhoto:
    """Render a board whose premium squares have the colour of the plain ones; some have a text."""
    edition = load_edition(EDITIONS[seed % len(EDITIONS)])
    style, camera = club_style(rng, edition), usual_camera(rng)
    plain = style.board.plain_bgr
    board = replace(
        style.board,
        double_letter_bgr=plain,
        triple_letter_bgr=plain,
        double_word_bgr=plain,
        triple_word_bgr=plain,
    )
    return as_kind(
        render_photo(
            club_board(edition, seed).rows,
            edition,
            style=replace(style, board=board),
            camera=camera,
            light=club_light(rng, camera.cell_px),
            seed=seed,
        )
    )


def on_screen(*, own_marks: bool) -> Callable[[Rng, int], KindOfPhoto]:
    """Make a kind of photos of games on a screen, with the edition's premium squares or others."""

    def photo(rng: Rng, seed: int) -> KindOfPhoto:
        edition = load_edition("english")
        screen = random_screen(club_board(edition, seed).rows, edition, rng, own_marks=own_marks)
        return KindOfPhoto(
            image_bgr=screen.image_bgr, corners_px=screen.corners_px, rows=screen.rows, edition="english"
        )

    return photo


def two_boards(rng: Rng, seed: int) -> KindOfPhoto:
    """Render two boards on one table; one is clearly larger in the picture."""
    above = Camera(cell_px=40, distance=3.5, margins=(0.0, 0.0, 0.0, 0.0))
    # editions and styles repeat after 25 seeds
    first, second = (render_kind(rng, 25 * seed + number, above, Light()) for number in range(2))
    pair = random_pair(first, second, rng)
    return KindOfPhoto(
        image_bgr=pair.image_bgr,
        corners_px=pair.corners_px[0],
        rows=first.rows,
        edition=first.edition,
        others=1,
    )


KINDS: dict[str, Callable[[Rng, int], KindOfPhoto]] = {
    "a good photo": usual,
    "the board fills the picture": filling,
    "the board is a fifth of the picture's width": fifth,
    "one corner just outside": corner_outside,
    "a hand over one corner": covered_corner,
    "half of the board outside": half,
    "from 20 to 25 degrees above the table": tilted(20, 25),
    "from 8 to 14 degrees above the table": tilted(8, 14),
    "a lens that bows lines": bowed_lens,
    "a folding board that does not lie flat": folded,
    "a dim room": lit(0.15, 0.3, 3.0),
    "pitch dark": lit(0.005, 0.03, 3.0),
    "overexposed": lit(3.0, 6.0, 1.0),
    "a board without coloured squares": colourless,
    "a game on a screen, the usual premium squares": on_screen(own_marks=False),
    "a game on a screen, other premium squares": on_screen(own_marks=True),
    "two boards": two_boards,
}
"""The kinds by name, and the functions that render them."""
