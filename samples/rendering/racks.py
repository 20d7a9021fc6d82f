"""Racks with their tiles, as a camera on the player's side of the table sees them, with exact truth."""

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
"""A rack in widths of a tile: seven tiles and some room at its ends."""
PIXELS_PER_CELL = (16, 96)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RenderedRack:
    """A picture of a rack and what stands on it.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    tiles : tuple of str
        The tokens from left to right, ``"?"`` for a blank.
    corners_px : (4, 2) float64
        The rack's ledge TL TR BR BL, as high as a tile and as long as the rack.
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
    """The picture of a rack.

    Parameters
    ----------
    tiles : sequence of str
        What stands on it, from left to right; ``"?"`` a blank.
    edition : Edition
        Whose values are printed.
    style, camera, light
        How tiles and table look, from where, and in what light.
    rack_bgr : tuple of float
        The rack's colour.
    gaps : sequence of float
        Free room before each tile, in widths of a tile.
    seed : int
        Of textures and noise, and of how each tile stands.

    Raises
    ------
    SpecificationError
        If a tile is not the edition's, or they don't all fit on the rack.
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
    plain = rack_style(style.board, rack_bgr)
    view = camera.view(1, LENGTH, plain.frame_width)
    low, high = PIXELS_PER_CELL
    cell_px = max(low, min(high, math.ceil(view.largest_cell_px * 1.1)))
    scenery = np.random.default_rng(seed)
    rack = draw_board(("." * LENGTH,), frozenset(), plain, cell_px, scenery)
    shape = (rack.image_bgr.shape[0], rack.image_bgr.shape[1])
    standing = _stood(tiles, edition, style, gaps, shape, cell_px, rack.margin_px, light, seed)
    scene = compose(rack, standing, replace(style, board=plain), view, light, scenery)
    return RenderedRack(
        image_bgr=photograph(scene, light, np.random.default_rng([seed, 1])),
        tiles=tuple(tiles),
        corners_px=view.corners_px,
    )


def rack_style(board: BoardStyle, rack_bgr: Colour) -> BoardStyle:
    """A board without squares: a ledge of one colour with its rim."""
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


def _stood(
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
    """The tiles side by side: each is drawn alone, and moved along the ledge to its place."""
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
