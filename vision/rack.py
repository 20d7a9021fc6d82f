"""Composes a rack: a row of tiles is found, straightened, read at every place, and cut where tiles meet.

Tiles on a rack stand in no grid. Windows as wide as the row is high are read at every eighth of their width. Over one
tile all of them show its letter, more or less, and where two tiles meet the letter changes: the likeliest cut of the
row into tiles and nothing is found as in speech, where sounds have no fixed length either.

References
----------
M. J. Russell, R. K. Moore: Explicit modelling of state occupancy in hidden Markov models. ICASSP 1985: segments with
durations of their own, by dynamic programming.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from vision.decode import square_probabilities
from vision.errors import BoardNotFoundError, SettingsError
from vision.geometry import Grid, frozen
from vision.locating.strips import find_strips
from vision.rectify import rectify
from vision.witnesses import CellReader

__all__ = ["RackReading", "RackTile", "read_rack"]

OFFSETS = 8
"""Windows for each width of one."""
WIDTHS = (7, 8, 9, 10)
"""Windows that one tile takes: sets on sale are 0.88 to 1.0 times as wide as high, and a row may be marked too high."""
ENDS = 1.0
"""The row is looked at so much beyond its ends, in heights: tiles may stand partly outside what was marked."""
DOUBT = 0.08
"""How much of any window's probabilities is taken for chance."""
A_TILE = 4.0
"""Log-odds for one more tile: chosen on rendered racks, where a tile is overlooked more often than invented."""
LONGEST = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class RackTile:
    """One tile of a rack.

    Parameters
    ----------
    token : str
        Its letter, ``"?"`` for a blank.
    probability : float
        Of that.
    centre_xy : tuple of float
        Where its middle is in the picture.
    """

    token: str
    probability: float
    centre_xy: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RackReading:
    """A rack as it was read.

    Parameters
    ----------
    tiles : tuple of RackTile
        From left to right as the letters read.
    corners_px : (4, 2) float64
        The row's corners TL TR BR BL, letters upright.
    """

    tiles: tuple[RackTile, ...]
    corners_px: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners_px", frozen(self.corners_px, (4, 2), np.float64, "corners_px"))

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tiles' tokens."""
        return tuple(tile.token for tile in self.tiles)

    @property
    def confidence(self) -> float:
        """Probability that every tile is what it was read as; 1 of none."""
        return math.prod(tile.probability for tile in self.tiles)


def read_rack(
    image_bgr: NDArray[np.uint8],
    edition: Edition,
    reader: CellReader,
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
) -> RackReading:
    """The tiles on a rack.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    edition : Edition
        Which letters there are, and how many tiles a rack holds.
    reader : CellReader
        What reads the tiles.
    corners_px : four (x, y), optional
        The place for tiles TL TR BR BL as the letters read, as high as a tile; it is then not searched, and may be
        empty.

    Raises
    ------
    BoardNotFoundError
        If no row of tiles is found.
    SettingsError
        If the corners make no sense, or the reader does not know a letter of the edition.
    """
    if corners_px is not None:
        return _read_row(image_bgr, np.asarray(corners_px, np.float64), edition, reader)[0]
    best: tuple[float, RackReading] | None = None
    for strip in find_strips(image_bgr):
        for corners in (strip, np.roll(strip, 2, axis=0)):
            try:
                reading, weight = _read_row(image_bgr, corners, edition, reader)
            except SettingsError:
                continue  # no four-gon that could be a row
            if reading.tiles and (best is None or weight > best[0]):
                best = weight, reading
    if best is None:
        raise BoardNotFoundError(
            "no row of tiles is seen; show the whole rack, or mark its place with corners"
        )
    return best[1]


def _read_row(
    image_bgr: NDArray[np.uint8], corners: NDArray[np.float64], edition: Edition, reader: CellReader
) -> tuple[RackReading, float]:
    """The tiles between four corners, and by how much they are likelier than none."""
    unit = Grid.from_corners(corners, 1, 1)
    height = (np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])) / 2
    length = float(
        (np.linalg.norm(corners[1] - corners[0]) + np.linalg.norm(corners[2] - corners[3])) / 2 / height
    )
    if not 0.5 <= length <= LONGEST:
        raise SettingsError(
            f"rack: its corners make a row {length:.1f} times as long as it is high; give TL TR BR BL of the place "
            f"for tiles, 1 to {LONGEST} tiles long and one high"
        )
    columns = math.ceil(length + 2 * ENDS)
    tokens: tuple[str, ...] = ()
    seen, turned = [], []
    for number in range(OFFSETS):
        first = -ENDS + number / OFFSETS
        x0, x1 = first / length, (first + columns) / length
        row = unit.image_from_grid.apply([[x0, 0], [x1, 0], [x1, 1], [x0, 1]])
        grid = Grid.from_corners(row, 1, columns)
        reading = reader.read(rectify(image_bgr, grid, reader.cell_px, reader.margin_px))
        tokens, probabilities = square_probabilities(reading, edition)
        seen.append(probabilities[0])
        turned.append(reading.turns[0, :, 0])
    windows = np.stack(seen, axis=1).reshape(columns * OFFSETS, -1)
    upright = np.stack(turned, axis=1).reshape(-1)
    weights = _weights(windows, upright)
    pieces = (tokens[1], *tokens[3:])  # what may stand there: a blank, or a letter
    found = _segments(weights, edition.rack_size)
    tiles = []
    for first, width, state in found:
        x = (-ENDS + (first + (width - 1) / 2) / OFFSETS + 0.5) / length
        centre = unit.image_from_grid.apply([[x, 0.5]])[0]
        middle = windows[first + 2 : first + width - 2, state + 2 if state else 1]
        probability = float(np.exp(np.log(np.maximum(middle, 1e-6)).mean()))
        tiles.append(
            RackTile(
                token=pieces[state], probability=probability, centre_xy=(float(centre[0]), float(centre[1]))
            )
        )
    gain = sum(
        weights[first : first + width, state + 1].sum() - weights[first : first + width, 0].sum()
        for first, width, state in found
    )
    return RackReading(tiles=tuple(tiles), corners_px=corners), float(gain)


def _weights(windows: NDArray[np.float64], upright: NDArray[np.float32]) -> NDArray[np.float64]:
    """(windows, 1 + tiles) log-probabilities of nothing, and of each tile with its letter upright.

    The columns of `windows` are those of `square_probabilities`: empty, blank, covered, letters.
    """
    letters = windows[:, 3:] * upright[:, None]
    nothing = windows[:, 0] + windows[:, 2] + windows[:, 3:].sum(axis=1) - letters.sum(axis=1)
    shown = np.column_stack([nothing, windows[:, 1], letters])
    result: NDArray[np.float64] = np.log((1 - DOUBT) * shown + DOUBT / shown.shape[1])
    return result


def _segments(weights: NDArray[np.float64], most: int) -> list[tuple[int, int, int]]:
    """The likeliest cut into tiles and nothing: each tile's first window, its width in windows, and which tile.

    At most so many tiles, by dynamic programming over the ends of segments.
    """
    count = len(weights)
    sums = np.vstack([np.zeros(weights.shape[1]), np.cumsum(weights, axis=0)])
    totals = np.full((most + 1, count + 1), -np.inf)
    totals[:, 0] = 0.0
    steps: dict[tuple[int, int], tuple[int, int] | None] = {}
    for end in range(1, count + 1):
        for tiles in range(most + 1):
            best, step = totals[tiles, end - 1] + weights[end - 1, 0], None
            for width in WIDTHS if tiles else ():
                if width <= end:
                    within = sums[end, 1:] - sums[end - width, 1:]
                    state = int(within.argmax())
                    total = totals[tiles - 1, end - width] + within[state] + A_TILE
                    if total > best:
                        best, step = total, (width, state)
            totals[tiles, end], steps[tiles, end] = best, step
    found, end = [], count
    tiles = int(totals[:, count].argmax())
    while end:
        step = steps[tiles, end]
        if step is None:
            end -= 1
            continue
        width, state = step
        found.append((end - width, width, state))
        tiles, end = tiles - 1, end - width
    return found[::-1]
