"""Racks with their tiles, as a camera on the player's side sees them, with exact truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from samples.arrays import Colour, Floats, Picture
from samples.drawing import FlatTiles, TileFace, draw_board, draw_tiles
from samples.errors import SpecificationError
from samples.optics import Camera, Light, photograph
from samples.rendering.scene import compose
from samples.style import BoardStyle, Handling, Style
from scoring import Edition

__all__ = ["RenderedRack", "render_rack"]


LENGTH = 9
"""Length of a rack in widths of a tile: seven tiles, and some room at the ends. Chosen."""
PIXELS_PER_CELL = (16, 96)
"""Lower and upper limit of the pixels a cell of the flat drawings; chosen."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RenderedRack:
    """A picture of a rack and its truth.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    tiles : tuple of str
        The tokens from left to right, ``"?"`` for a blank.
    corners_px : (4, 2) float64
        Corners TL TR BR BL of the rack's ledge, which is as high as a tile and as long as the rack.
    """

    image_bgr: Picture
    tiles: tuple[str, ...]
    corners_px: Floats


def render_rack(
    tiles: Sequence[str],
    edition: Edition,
    *,
    style: Style,
    camera: Camera,
    light: Light,
    rack_bgr: Colour,
    gaps: Sequence[float],
    seed: int,
) -> RenderedRack:
    """Render the picture of a rack.

    Parameters
    ----------
    tiles : sequence of str
        The tokens from left to right; ``"?"`` for a blank.
    edition : Edition
        Letters and printed values.
    style, camera, light
        Look of tiles and table, and how they are photographed.
    rack_bgr : tuple of float
        Colour of the rack, BGR.
    gaps : sequence of float
        Gap before each tile, in widths of a tile.
    seed : int
        Of textures, noise, and the position of each tile.

    Raises
    ------
    SpecificationError
        If a tile is not in the edition, or the tiles do not fit on the rack.
    """
    side = style.tiles.side
    if len(gaps) != len(tiles) or sum(gaps) + len(tiles) * side > LENGTH or min(gaps, default=0.0) < 0:
        raise SpecificationError(
            f"gaps: {len(gaps)} for {len(tiles)} tiles, in all {sum(gaps):.2f}; give one a tile, none below 0, "
            f"so that all fit on {LENGTH} widths of a tile"
        )
    unknown = [tile for tile in tiles if tile not in edition.values]
    if unknown:
        raise SpecificationError(f"tiles: {edition.name} has no {' '.join(unknown)}; use its letters and ?")
    plain = _rack_style(style.board, rack_bgr)
    view = camera.view(1, LENGTH, plain.frame_width)
    low, high = PIXELS_PER_CELL
    cell_px = max(low, min(high, math.ceil(view.largest_cell_px * 1.1)))
    scene_rng = np.random.default_rng(seed)
    rack = draw_board(("." * LENGTH,), frozenset(), plain, cell_px, scene_rng)
    shape = (rack.image_bgr.shape[0], rack.image_bgr.shape[1])
    standing = _draw_standing_tiles(tiles, edition, style, gaps, shape, cell_px, rack.margin_px, light, seed)
    scene = compose(rack, standing, replace(style, board=plain), view, light, scene_rng)
    return RenderedRack(
        image_bgr=photograph(scene, light, np.random.default_rng([seed, 1])),
        tiles=tuple(tiles),
        corners_px=view.corners_px,
    )


def _rack_style(board: BoardStyle, rack_bgr: Colour) -> BoardStyle:
    """Make a rack of a board's style: a ledge of one colour with a rim, without squares."""
    shade = tuple(0.8 * level for level in rack_bgr)
    return replace(
        board,
        plain_bgr=rack_bgr,
        frame_bgr=(shade[0], shade[1], shade[2]),
        frame_width=0.5,
        line_bgr=None,
        premium_texts=None,
        start_sign="none",
        start_bgr=None,
        teeth="none",
        relief=0.0,
        labels=False,
        title="",
        clutter=0.0,
        folds=0.0,
    )


def _draw_standing_tiles(
    tiles: Sequence[str],
    edition: Edition,
    style: Style,
    gaps: Sequence[float],
    shape: tuple[int, int],
    cell_px: int,
    margin_px: int,
    light: Light,
    seed: int,
) -> FlatTiles:
    """Draw the tiles in a row: each is drawn alone, then moved along the ledge to its place."""
    bodies = np.full((*shape, 3), np.minimum(style.tiles.body_bgr, 255), np.uint8)
    faces, footprint = bodies.copy(), np.zeros(shape, np.uint8)
    upright = Handling(offset=0.0, turn_deg=min(style.handling.turn_deg, 1.0))
    at = 0.5 * style.tiles.side
    for number, (tile, gap) in enumerate(zip(tiles, gaps, strict=True)):
        at += gap
        face = TileFace(
            row=0,
            column=number,
            text="" if tile == "?" else tile,
            value=edition.values[tile] if tile != "?" and style.tiles.value_shown else None,
        )
        alone = draw_tiles((face,), style.tiles, upright, shape, cell_px, margin_px, light.direction_xy, seed)
        shift = round((at - (number + 0.5)) * cell_px)
        mask = np.roll(alone.footprint, shift, axis=1)
        new = (mask > footprint)[..., None]
        np.copyto(faces, np.roll(alone.faces_bgr, shift, axis=1), where=new)
        np.copyto(bodies, np.roll(alone.bodies_bgr, shift, axis=1), where=new)
        footprint = np.maximum(footprint, mask)
        at += style.tiles.side
    return FlatTiles(faces_bgr=faces, bodies_bgr=bodies, footprint=footprint)
