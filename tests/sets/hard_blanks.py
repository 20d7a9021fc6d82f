"""Rendered boards on which blanks are hard to tell from empty squares and from letters.

The sets, lights and cameras are those of `club_boards`; each kind makes one thing harder. The two blanks of a set are
on premium squares, where the board alone proves that there is a tile.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samples import (
    WOODEN_BOARD,
    Camera,
    FontSplit,
    Glare,
    JokerSign,
    Light,
    RenderedPhoto,
    Style,
    Tone,
    between,
    pick,
    render_photo,
    toss,
)
from scoring import BLANK, EMPTY, Edition, Premium, is_tile, load_edition
from tests.sets.club_boards import club_board, club_camera, club_light, readable_style

__all__ = ["EDITIONS", "KINDS", "hard_photo"]

EDITIONS = ("icelandic", "norwegian", "hungarian", "danish", "english")
CELLS_PX = (40.0, 24.0)
SIGNS: tuple[JokerSign, ...] = ("dot", "sticker", "sticker", "small print", "star", "bare")
STICKERS = Tone(saturation=(0.4, 1.0), value=(0.4, 1.0))
MAX_LAMP_SHARE = 1 / 6
"""Share of the picture that a lamp's mirror image covers, at most."""

Rng = np.random.Generator
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """What a kind may change."""

    style: Style
    light: Light
    camera: Camera


def hard_photo(kind: str, seed: int, fonts: FontSplit = "heldout") -> RenderedPhoto:
    """Render a board of a kind; the same arguments give the same board.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    seed : int
        Of edition, size, board, set, light and camera.
    fonts : {"train", "heldout"}
        Typefaces: weights are fitted on those of training, and measured on the others.
    """
    edition = load_edition(EDITIONS[seed % len(EDITIONS)])
    rng = np.random.default_rng([zlib.crc32(f"{kind} {fonts}".encode()), seed])
    cell_px = CELLS_PX[seed // len(EDITIONS) % len(CELLS_PX)]
    scene = _Scene(
        style=_style(rng, edition, fonts),
        light=club_light(rng, cell_px),
        camera=club_camera(rng, cell_px),
    )
    scene = KINDS[kind](rng, scene)
    return render_photo(
        _move_blanks(rng, club_board(edition, seed).rows, edition),
        edition,
        style=scene.style,
        camera=scene.camera,
        light=scene.light,
        seed=seed,
    )


def _style(rng: Rng, edition: Edition, fonts: FontSplit) -> Style:
    """Draw a readable set whose tiles are upright."""
    style = readable_style(rng, edition, fonts)
    return replace(style, handling=replace(style.handling, quarter_turns=0.0))


def _move_blanks(rng: Rng, rows: Rows, edition: Edition) -> list[list[str]]:
    """Put two blanks onto premium squares that hold tiles, and letters where blanks were."""
    board = [[pick(rng, edition.tokens) if token == BLANK else token for token in row] for row in rows]
    tiles = [(r, c) for r, row in enumerate(board) for c, token in enumerate(row) if is_tile(token)]
    premium = [square for square in tiles if edition.layout[square] is not Premium.PLAIN]
    for number in rng.permutation(len(premium))[:2]:
        row, column = premium[int(number)]
        board[row][column] = BLANK
    assert any(EMPTY in row for row in board)
    return board


def _tiles_like_squares(rng: Rng, scene: _Scene) -> _Scene:
    """The tiles have the colour of the plain squares."""
    shade = between(rng, 0.94, 1.06)
    blue, green, red = (min(255.0, channel * shade) for channel in scene.style.tiles.body_bgr)
    return replace(
        scene,
        style=replace(scene.style, board=replace(scene.style.board, plain_bgr=(blue, green, red))),
    )


def _wood_on_wood(rng: Rng, scene: _Scene) -> _Scene:
    """Wooden tiles are on a wooden board."""
    tiles = replace(
        scene.style.tiles,
        body_bgr=WOODEN_BOARD.pick(rng),
        ink_bgr=(15.0, 20.0, 25.0),
        grain=between(rng, 0.04, 0.16),
    )
    board = replace(scene.style.board, plain_bgr=WOODEN_BOARD.pick(rng), speckle=between(rng, 0.06, 0.14))
    return replace(scene, style=replace(scene.style, tiles=tiles, board=board))


def _lamp(rng: Rng, scene: _Scene) -> _Scene:
    """A glossy board mirrors a lamp or a window, on up to a sixth of the squares."""
    width, height = between(rng, 0.05, 0.5), between(rng, 0.05, 0.5)
    shrink = min(1.0, (MAX_LAMP_SHARE / (width * height)) ** 0.5)
    glare = Glare(
        centre_xy=(between(rng, 0.1, 0.9), between(rng, 0.1, 0.9)),
        radii_xy=(width * shrink / 2, height * shrink / 2),
        strength=between(rng, 0.2, 0.6),
        crumple=between(rng, 0.1, 0.4) if toss(rng, 0.3) else 0.0,
        sharpness=between(rng, 1.5, 6.0),
    )
    return replace(scene, light=replace(scene.light, glares=(glare,)))


def _signs(rng: Rng, scene: _Scene) -> _Scene:
    """Blanks have a dot, a sticker, small print, a star, or a letter in pen."""
    sign = pick(rng, SIGNS)
    tiles = replace(
        scene.style.tiles,
        joker=sign,
        joker_bgr=STICKERS.pick(rng) if sign in ("dot", "sticker") and toss(rng, 0.8) else None,
        marked_jokers=1.0 if sign == "bare" else 0.0,
    )
    return replace(scene, style=replace(scene.style, tiles=tiles))


def _thin_letters(rng: Rng, scene: _Scene) -> _Scene:
    """The letters are thin and pale."""
    tiles = scene.style.tiles
    tiles = replace(
        tiles,
        stroke=between(rng, -2.5, -1.0),
        ink_opacity=between(rng, 0.45, 0.75),
        letter_height=between(rng, 0.3, 0.5),
    )
    return replace(scene, style=replace(scene.style, tiles=tiles))


def _worn(rng: Rng, scene: _Scene) -> _Scene:
    """The print is faded, the tiles are round and dark at the edges, and hands have darkened some more than others."""
    tiles = replace(
        scene.style.tiles,
        ink_opacity=between(rng, 0.35, 0.75),
        stroke=between(rng, -1.5, 0.5),
        spread=between(rng, 0.05, 0.12),
        grain=max(scene.style.tiles.grain, between(rng, 0.02, 0.1)),
        outline=between(rng, 0.2, 0.5),
        corner=between(rng, 0.1, 0.2),
    )
    return replace(scene, style=replace(scene.style, tiles=tiles))


KINDS: dict[str, Callable[[Rng, _Scene], _Scene]] = {
    "tiles like squares": _tiles_like_squares,
    "wood on wood": _wood_on_wood,
    "lamp": _lamp,
    "signs": _signs,
    "thin letters": _thin_letters,
    "worn tiles": _worn,
}
