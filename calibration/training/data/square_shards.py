"""Shards of labelled squares, cut from rendered boards; training reads them while more are rendered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from samples import RenderedPhoto, random_camera, random_photo, toss
from scoring import edition_names, load_edition
from vision.core import Grid, Occupancy
from vision.recognition import crop_cells
from vision.rectification import elevate_grid, rectify

__all__ = [
    "CELLS",
    "CROPS",
    "GLANCE",
    "LEGIBLE_PX",
    "TILES",
    "TURNED",
    "VALUE_LABELS",
    "CropSpec",
    "Labels",
    "ShardFolder",
    "all_tokens",
    "cut_squares",
    "downscale_cells",
    "render_shard",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CropSpec:
    """What a network sees of a square, and which squares it learns from.

    Parameters
    ----------
    cell_px, context_px : int
        Side of a square, and width of its surroundings on each side, as the network takes them.
    kept_cell_px, kept_margin_px : int
        The same in the shards: finer and wider, for augmentation.
    tiles_kept, empties_kept : float
        Shares of the tiles and of the empty squares of a rendered board that training sees.
    raised : float
        Share of the boards that are cut half a tile's height above the grid, as the reader cuts them.
    tiles_only : bool
        Whether the network reads tiles only, so that squares that are surely empty matter little.
    """

    cell_px: int
    context_px: int
    kept_cell_px: int
    kept_margin_px: int
    tiles_kept: float
    empties_kept: float
    raised: float
    tiles_only: bool

    @property
    def side_px(self) -> int:
        """Side of the network's input, in pixels."""
        return self.cell_px + 2 * self.context_px

    @property
    def shrink(self) -> float:
        """Pixels in a shard per pixel of the network's input."""
        return self.kept_cell_px / self.cell_px


TILES = CropSpec(
    cell_px=48,
    context_px=8,
    kept_cell_px=56,
    kept_margin_px=20,
    tiles_kept=0.85,
    empties_kept=0.2,
    raised=0.7,
    tiles_only=True,
)
"""Crops of squares for `tiles`; chosen."""
CELLS = replace(TILES, cell_px=32, tiles_only=False)
"""Crops for `cells`, from the same shards."""
GLANCE = CropSpec(
    cell_px=16,
    context_px=4,
    kept_cell_px=40,
    kept_margin_px=16,
    tiles_kept=1.0,
    empties_kept=1.0,
    raised=0.0,
    tiles_only=False,
)
"""Crops for `glance`: all squares of a board, at a third of the resolution; chosen."""
CROPS = {"glance": GLANCE, "cells": CELLS, "tiles": TILES}
"""The crops of each network, by its name."""
LEGIBLE_PX = 24
"""Pixels per square from which values are legible: a value is a sixth of a square high."""
MIN_CELL_PX, MAX_CELL_PX = 17.0, 46.0
"""Pixels per square of boards in good light."""
WELL_LIT = 0.6
"""Share of the boards in good light; chosen."""
TURNED = 0.08
"""Share of tiles, and of boards, that training rotates by one, two or three quarters; chosen."""
VALUE_LABELS: tuple[int | None, ...] = (None, *range(1, 13))
"""Printed values that the networks know, by the number of their label; None for no value."""
IGNORED = -1
"""Label of what is not known; the loss leaves it out."""

Cells = NDArray[np.uint8]
Labels = NDArray[np.int64]
Fonts = Literal["train", "heldout"]


def all_tokens() -> tuple[str, ...]:
    """List the letters of all shipped editions, sorted: the order of the network's letter output."""
    tokens = {token for name in edition_names() for token in load_edition(name).tokens}
    return tuple(sorted(tokens - {"?"}))


def cut_squares(
    photo: RenderedPhoto, tokens: Sequence[str], rng: np.random.Generator, crop: CropSpec = CELLS
) -> tuple[Cells, Labels]:
    """Cut the squares of a rendered photo, straightened by corners with errors like those of real ones.

    Parameters
    ----------
    photo : RenderedPhoto
        A photo with its truth.
    tokens : sequence of str
        The letters, in the order of their labels.
    rng : numpy.random.Generator
        Source of the corners' errors.
    crop : CropSpec
        Size of the squares.

    Returns
    -------
    cells : (rows * columns, side, side, 3) uint8
        BGR; side = kept_cell_px + 2 * kept_margin_px.
    labels : (rows * columns, 6) int64
        Occupancy, letter, value and turn, -1 if there is none (a blank's value is None); the pixels per square of the
        photo; and 0, the index of the board.
    """
    rows, columns = len(photo.rows), len(photo.rows[0])
    grid = Grid.from_corners(photo.corners_px, rows, columns)
    spread = rng.choice([0.02, 0.05, 0.08])
    corners = grid.corners_px + rng.normal(0, spread / 1.5, (4, 2)).clip(-spread, spread) * grid.cell_px
    plane = Grid.from_corners(corners, rows, columns)
    if crop.raised > 0 and rng.random() < crop.raised:
        plane = elevate_grid(plane, photo.image_bgr.shape[1], photo.image_bgr.shape[0])
    straight = rectify(photo.image_bgr, plane, crop.kept_cell_px, crop.kept_margin_px)
    index = {token: number for number, token in enumerate(tokens)}
    labels = np.full((rows * columns, 6), IGNORED, np.int64)
    labels[:, 4:] = (round(grid.cell_px), 0)
    for square, token in enumerate(token for row in photo.rows for token in row):
        row, column = divmod(square, columns)
        if token in index:
            value = photo.values[row][column]
            known = VALUE_LABELS.index(value) if value in VALUE_LABELS else IGNORED
            labels[square, :4] = (Occupancy.TILE, index[token], known, photo.turns[row][column])
        else:
            kind = {".": Occupancy.EMPTY, "#": Occupancy.COVERED}.get(token, Occupancy.BLANK)
            labels[square, 0] = kind
            if kind is Occupancy.BLANK:
                labels[square, 2] = VALUE_LABELS.index(None)
    return crop_cells(straight, crop.kept_margin_px), labels


def downscale_cells(cells: Cells, side_px: int, shrink: float) -> Cells:
    """Cut the middle of each cell at 1 / `shrink` of its size, `side_px` wide: `augment_squares` without randomness."""
    halved = shrink >= 2  # plain sampling would miss pixels
    if halved:
        count, height, width, _ = cells.shape
        column = cells.reshape(count * height, width, 3)  # stacked: no 2 x 2 block has pixels of two cells
        half = cv2.resize(column, (width // 2, count * height // 2), interpolation=cv2.INTER_AREA)
        cells = np.asarray(half, np.uint8).reshape(count, height // 2, width // 2, 3)
    scale = shrink / 2 if halved else shrink
    shift = (cells.shape[1] - 1) / 2 - scale * (side_px - 1) / 2
    matrix = np.array([[scale, 0.0, shift], [0.0, scale, shift]])
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    small = [
        cv2.warpAffine(cell, matrix, (side_px, side_px), flags=how, borderMode=cv2.BORDER_REPLICATE)
        for cell in cells
    ]
    return np.asarray(small, np.uint8)


def render_shard(
    folder: Path, fonts: Fonts, seed: int, number: int, boards: int, crop: CropSpec = CELLS
) -> Path:
    """Render boards and write their squares as one shard, unless it exists.

    Parameters
    ----------
    folder : Path
        Folder of the shards.
    fonts : {"train", "heldout"}
        Fonts of the tiles; also the first part of the file's name.
    seed, number : int
        Together they decide every pixel.
    boards : int
        Boards of the shard, one photo each.
    crop : CropSpec
        Size of the squares, and shares that are kept.

    Returns
    -------
    Path
        The file of cells; the labels are in a file next to it.
    """
    cells_file = folder / f"{fonts}-{number:05d}.cells.npy"
    labels_file = folder / f"{fonts}-{number:05d}.labels.npy"
    if cells_file.exists():
        return cells_file
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([seed, number, fonts == "heldout"])
    tokens = all_tokens()
    kept_cells, kept_labels = [], []
    for board in range(boards):
        camera = None
        if easy := bool(rng.random() < WELL_LIT):
            # Like filmed games and photos of clubs: in good light, from above or from a chair, also with few pixels.
            far = math.exp(rng.uniform(math.log(MIN_CELL_PX), math.log(MAX_CELL_PX)))
            camera = replace(random_camera(rng, easy=toss(rng, 0.5)), cell_px=far)
        photo = random_photo(rng, fonts=fonts, easy=easy, camera=camera)
        cells, labels = cut_squares(photo, tokens, rng, crop)
        labels[:, 5] = board
        share = np.where(labels[:, 0] == Occupancy.EMPTY, crop.empties_kept, crop.tiles_kept)
        keep = rng.random(len(labels)) < share
        kept_cells.append(cells[keep])
        kept_labels.append(labels[keep])
    _save(labels_file, np.concatenate(kept_labels))
    _save(cells_file, np.concatenate(kept_cells))  # last: a shard with cells is complete
    return cells_file


def _save(path: Path, array: NDArray[np.generic]) -> None:
    unfinished = path.with_name("." + path.name)
    np.save(unfinished, array)
    unfinished.rename(path)


@dataclass
class ShardFolder:
    """All shards of one kind in a folder, as one list of cells that may grow.

    Parameters
    ----------
    folder : Path
        Folder of the shards.
    fonts : {"train", "heldout"}
        Fonts of the shards.
    """

    folder: Path
    fonts: Fonts

    def __post_init__(self) -> None:
        self._known: set[Path] = set()
        self._cells: list[Cells] = []
        self._labels: list[Labels] = []
        self._starts = np.zeros(1, np.int64)
        self._board_starts = np.zeros(1, np.int64)
        self.refresh()

    def refresh(self) -> None:
        """Add the shards that were written since."""
        for file in sorted(set(self.folder.glob(f"{self.fonts}-*.cells.npy")) - self._known):
            self._known.add(file)
            self._cells.append(np.load(file, mmap_mode="r"))
            self._labels.append(np.load(file.with_name(file.name.replace(".cells.", ".labels."))))
        self._starts = np.cumsum([0, *(len(labels) for labels in self._labels)])
        self.occupancy = np.concatenate([np.zeros(0, np.int64), *(labels[:, 0] for labels in self._labels)])
        squares = [np.bincount(labels[:, 5]) for labels in self._labels]
        self._board_starts = np.cumsum([0, *(count for counts in squares for count in counts if count)])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def turn_counts(self) -> NDArray[np.int64]:
        """Count the letters that are turned by 0 to 3 quarters, (4,)."""
        turns = np.concatenate([labels[:, 3] for labels in self._labels])
        return np.bincount(turns[turns >= 0], minlength=4)

    def blank_odds(self) -> float:
        """Return the number of blanks per tile with a letter."""
        occupancy = np.concatenate([labels[:, 0] for labels in self._labels])
        return float((occupancy == Occupancy.BLANK).sum() / (occupancy == Occupancy.TILE).sum())

    def letter_counts(self, letters: int) -> NDArray[np.int64]:
        """Count the tiles with each letter, (letters,)."""
        shown = np.concatenate([labels[:, 1] for labels in self._labels])
        return np.bincount(shown[shown >= 0], minlength=letters)

    def value_counts(self, letters: int) -> NDArray[np.int64]:
        """Count the tiles with each letter and value, (letters, values)."""
        labels = np.concatenate(self._labels)
        known = labels[(labels[:, 1] >= 0) & (labels[:, 2] >= 0)]
        counts = np.zeros((letters, len(VALUE_LABELS)), np.int64)
        np.add.at(counts, (known[:, 1], known[:, 2]), 1)
        return counts

    @property
    def boards(self) -> int:
        """The number of boards."""
        return len(self._board_starts) - 1

    def board(self, number: int) -> NDArray[np.int64]:
        """Return the indices of a board's cells in the list."""
        return np.arange(*self._board_starts[number : number + 2])

    def take(self, indices: NDArray[np.int64]) -> tuple[Cells, Labels]:
        """Return the cells and labels at these indices of the list."""
        shards = np.searchsorted(self._starts, indices, side="right") - 1
        places = indices - self._starts[shards]
        cells = np.stack([self._cells[s][p] for s, p in zip(shards, places, strict=True)])
        labels = np.stack([self._labels[s][p] for s, p in zip(shards, places, strict=True)])
        return cells, labels
