"""One photo of one board, with its exact truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from samples.arrays import Floats, Picture
from samples.drawing import CoverKind, TileFace, draw_board, draw_cover, draw_tiles, marks_of
from samples.errors import SpecificationError
from samples.optics import Camera, Light, View, bow_image, bow_points, fold_image, fold_points, photograph
from samples.rendering.scene import compose
from samples.style import BoardStyle, Style
from scoring import Edition, load_edition

__all__ = ["RenderedPhoto", "Values", "render_photo"]

Values = tuple[tuple[int | None, ...], ...]
Turns = tuple[tuple[int, ...], ...]
Entry = TypeVar("Entry")

COVERED_SHARE = 0.5
"""Share of a square above which it counts as covered; chosen."""
PIXELS_PER_CELL = (10, 96)
"""Lower and upper limit of the pixels a cell of the flat drawings; chosen."""
COVERS: tuple[CoverKind, ...] = ("hand", "hand", "hand", "sleeve", "pen", "paper")
"""Kinds of covers, as often as they are drawn."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RenderedPhoto:
    """A rendered photo and its truth.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The photo, BGR.
    corners_px : (4, 2) float64
        The grid's outer corners TL TR BR BL with the letters upright; the centre of a pixel has integer coordinates.
    rows : tuple of tuple of str
        The token of every square; ``"#"`` for a covered one.
    values : tuple of tuple of (int or None)
        The value printed on the tile; None for no tile or no printed value.
    turns : tuple of tuple of int
        Quarter turns clockwise of the tile's letter, or of the text on an empty premium square; else 0.
    prints : tuple of tuple of bool
        Whether the square is empty and shows a premium text, which tells how the print is turned.
    edition : str
        Name of the edition.
    seed : int
        The seed that it was rendered from.
    """

    image_bgr: Picture
    corners_px: Floats
    rows: tuple[tuple[str, ...], ...]
    values: Values
    turns: Turns
    prints: tuple[tuple[bool, ...], ...]
    edition: str
    seed: int


def render_photo(
    rows: Sequence[Sequence[str]],
    edition: str | Edition,
    *,
    style: Style,
    camera: Camera,
    light: Light,
    seed: int,
    values: Values | None = None,
    marks: tuple[str, ...] | None = None,
    covers: int = 0,
    moment: int = 0,
    bend_deg: float = 0.0,
) -> RenderedPhoto:
    """Render the photo of a board; the same arguments give the same pixels.

    Parameters
    ----------
    rows : sequence of sequence of str
        A token for each square. A lower-case token is drawn as a blank.
    edition : str or Edition
        Layout and printed values.
    style, camera, light
        Look of the set, and how it is photographed.
    seed : int
        Of all that is random: positions of tiles, textures, noise.
    values : tuple of tuple of (int or None), optional
        Printed values instead of the edition's.
    marks : tuple of str, optional
        Premium squares (``. d t D T``) instead of the edition's layout.
    covers : int
        Number of hands, sleeves, pens or sheets over the board.
    moment : int
        Number of the picture in a game: noise and covers differ, everything on the table stays.
    bend_deg : float
        Angle between the halves of a folding board, as of `samples.optics.fold.fold_image`.

    Raises
    ------
    SpecificationError
        If the rows do not fit the layout, or a letter is not in the edition and no values are given.
    """
    edition = load_edition(edition)
    scene_rng, moment_rng = np.random.default_rng(seed), np.random.default_rng([seed, moment])
    own_marks = marks is not None
    marks = marks or marks_of(edition.layout)
    if len(rows) != len(marks) or any(len(a) != len(b) for a, b in zip(rows, marks, strict=True)):
        raise SpecificationError(
            f"rows: the layout has {len(marks)} rows of {len(marks[0])} squares, got {len(rows)} rows of "
            f"{sorted({len(row) for row in rows})}; give one token for each square"
        )
    starts = (
        frozenset({(len(marks) // 2, len(marks[0]) // 2)}) if own_marks else frozenset(edition.layout.start)
    )
    faces, printed, turns = _list_faces(rows, edition, style, values, seed)
    frame = max(style.board.frame_width, 0.25)
    view = camera.view(len(marks), len(marks[0]), frame)
    low, high = PIXELS_PER_CELL
    cell_px = max(low, min(high, math.ceil(view.largest_cell_px * 1.1)))
    board = draw_board(marks, starts, style.board, cell_px, scene_rng)
    tiles = draw_tiles(
        faces,
        style.tiles,
        style.handling,
        (board.image_bgr.shape[0], board.image_bgr.shape[1]),
        cell_px,
        board.margin_px,
        light.direction_xy,
        seed,
    )
    scene = compose(board, tiles, style, view, light, scene_rng)
    shown = [list(row) for row in rows]
    for _ in range(covers):
        _add_cover(scene, view, shown, moment_rng)
    corners_px = view.corners_px
    if bend_deg != 0:
        scene = fold_image(scene, view, bend_deg, across=style.board.fold_across)
        corners_px = fold_points(view.corners, view, bend_deg, across=style.board.fold_across)
    if camera.bow != 0:
        scene = bow_image(scene, camera.bow)
        corners_px = bow_points(corners_px, camera.bow, (view.height_px, view.width_px))
    prints = _find_prints(shown, marks, starts, style.board)
    turns = tuple(
        tuple(style.board.print_turn if text else turn for text, turn in zip(texts, line, strict=True))
        for texts, line in zip(prints, turns, strict=True)
    )
    return RenderedPhoto(
        image_bgr=photograph(scene, light, moment_rng),
        corners_px=corners_px,
        rows=tuple(tuple(row) for row in shown),
        values=_hide(shown, printed, None),
        turns=_hide(shown, turns, 0),
        prints=prints,
        edition=edition.name,
        seed=seed,
    )


def _find_prints(
    shown: list[list[str]], marks: tuple[str, ...], starts: frozenset[tuple[int, int]], board: BoardStyle
) -> tuple[tuple[bool, ...], ...]:
    """Find the squares that show a premium text; a start square may show a sign instead."""
    signs = starts if board.start_sign != "none" or board.start_bgr is not None else frozenset()
    return tuple(
        tuple(
            board.premium_texts is not None and token == "." and mark != "." and (r, c) not in signs
            for c, (token, mark) in enumerate(zip(tokens, line, strict=True))
        )
        for r, (tokens, line) in enumerate(zip(shown, marks, strict=True))
    )


def _hide(
    shown: list[list[str]], table: tuple[tuple[Entry, ...], ...], hidden: Entry
) -> tuple[tuple[Entry, ...], ...]:
    """Replace the entries of covered squares by `hidden`."""
    return tuple(
        tuple(hidden if token == "#" else entry for token, entry in zip(tokens, line, strict=True))
        for tokens, line in zip(shown, table, strict=True)
    )


def _list_faces(
    rows: Sequence[Sequence[str]],
    edition: Edition,
    style: Style,
    values: Values | None,
    seed: int,
) -> tuple[tuple[TileFace, ...], Values, Turns]:
    """List the tiles to draw, with the values printed on the squares and the turns of their letters."""
    faces = []
    printed: list[list[int | None]] = [[None] * len(row) for row in rows]
    turns = [[0] * len(row) for row in rows]
    for r, row in enumerate(rows):
        for c, token in enumerate(row):
            if token in {".", "#"}:
                continue
            blank = token == "?" or token.islower()
            if not blank and style.tiles.value_shown:
                if values is not None:
                    printed[r][c] = values[r][c]
                elif token in edition.values:
                    printed[r][c] = edition.values[token]
                else:
                    raise SpecificationError(
                        f"rows: tile {token!r} in row {r}, column {c} is not in the edition {edition.name}; "
                        "use its letters, or give values"
                    )
            rng = np.random.default_rng([seed, r, c, 1])
            if style.handling.quarter_turns > 0 and rng.random() < style.handling.quarter_turns:
                turns[r][c] = int(rng.integers(1, 4))
            faces.append(
                TileFace(row=r, column=c, text="" if blank else token, value=printed[r][c], turn=turns[r][c])
            )
    return tuple(faces), tuple(map(tuple, printed)), tuple(map(tuple, turns))


def _add_cover(scene: Picture, view: View, shown: list[list[str]], rng: np.random.Generator) -> None:
    """Draw a cover over the board, in place, and mark the covered squares in `shown`."""
    tip_grid = np.array([[rng.uniform(0, view.columns), rng.uniform(0, view.rows)]])
    tip = view.apply(tip_grid)[0]
    mask = draw_cover(
        scene,
        COVERS[int(rng.integers(len(COVERS)))],
        (float(tip[0]), float(tip[1])),
        view.largest_cell_px * 0.9,
        rng,
    )
    inner = (np.arange(5) + 0.5) / 5
    x, y = np.meshgrid(np.arange(view.columns)[:, None] + inner, np.arange(view.rows)[:, None] + inner)
    pixels = np.round(view.apply(np.column_stack([x.ravel(), y.ravel()]))).astype(int)
    inside = (pixels >= 0).all(axis=1) & (pixels[:, 0] < view.width_px) & (pixels[:, 1] < view.height_px)
    hit = np.zeros(len(pixels), bool)
    hit[inside] = mask[pixels[inside, 1], pixels[inside, 0]] > 127
    share = hit.reshape(view.rows, 5, view.columns, 5).mean(axis=(1, 3))
    for row, column in np.argwhere(share > COVERED_SHARE):
        shown[row][column] = "#"
