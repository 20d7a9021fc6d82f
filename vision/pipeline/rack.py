"""Read a rack: find the row of tiles, read windows along it, and cut it where tiles meet.

Tiles on a rack stand in no grid. Windows as wide as the row is high are read at every eighth of their width. All
windows over one tile show its letter, more or less, and where two tiles meet the letter changes. The most probable cut
of the row into tiles and gaps is found as in speech, where sounds have no fixed length either.

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
from vision.core import Grid, freeze
from vision.decoding import token_probabilities
from vision.detection import find_tile_rows
from vision.errors import BoardNotFoundError, SettingsError
from vision.pipeline.recognizers import GameContext
from vision.recognition import SquareReader
from vision.rectification import rectify

__all__ = ["RackReading", "RackTile", "read_rack"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RackSettings:
    """How a row of tiles is scanned and cut. Chosen, where nothing else is said."""

    windows_per_width: int = 8
    """Windows for each width of one, where the row is read."""
    search_windows_per_width: int = 2
    """The same while the row is looked for."""
    tile_windows: tuple[int, ...] = (7, 8, 9, 10)
    """Windows that one tile takes: sets on sale are 0.88 to 1.0 times as wide as high, and a row may be marked too
    high."""
    end_windows: int = 2
    """Windows at each end of a tile that say nothing of its letter: they show its neighbours too."""
    end_margin: float = 1.0
    """Margin that is read beyond each end of the row, in heights: tiles may stand partly outside what was marked."""
    uniform_share: float = 0.08
    """Share of a uniform distribution that is mixed into every window's probabilities."""
    tile_log_odds: float = 4.0
    """Log-odds of one more tile. On rendered racks a tile is overlooked more often than invented."""
    blank_log_odds: float = -4.0
    """The same for a blank: bare wood and a table look like one too."""
    min_length: float = 0.5
    """Length of a row, in heights, at least."""
    max_length: float = 16.0
    """Length of a row, in heights, at most."""


SETTINGS = RackSettings()

NO_ROW = "no row of tiles is seen; show the whole rack, or mark its place with corners"
"""Message for a picture without a rack."""

_WIDE_MOVES = tuple((0.35 * down, 0.06 * slope, 1.0) for down in range(-4, 5) for slope in range(-2, 3))
"""Moves of a row from its marked place: down in heights, tangent of its rotation, scale; chosen."""

_FINE_MOVES = tuple(
    (0.15 * down, 0.03 * slope, scale)
    for scale in (1.0, 0.88, 1.14)
    for down in (0, -1, 1)
    for slope in (0, -1, 1)
)
"""Moves of a row from the best of those places; chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RackTile:
    """One tile of a rack.

    Parameters
    ----------
    token : str
        Its letter, ``"?"`` for a blank.
    probability : float
        Probability of that.
    """

    token: str
    probability: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RackReading:
    """What was read on a rack.

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
        object.__setattr__(self, "corners_px", freeze(self.corners_px, (4, 2), np.float64, "corners_px"))

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
    context: GameContext,
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
) -> RackReading:
    """Read the tiles on a rack.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    context : GameContext
        The edition, whose letters and rack size count, and the recognizer.
    corners_px : four (x, y), optional
        The place for tiles TL TR BR BL as the letters read, as high as a tile. Racks are pushed about, so the row
        may be up to a tile and a half higher or lower, and a little rotated. It may be empty.

    Raises
    ------
    BoardNotFoundError
        If no row of tiles is found.
    SettingsError
        If the corners make no sense or are not in the picture, or the reader does not know a letter of the edition.
    ValueError
        If the picture is none of that shape and type.
    """
    image_bgr = freeze(image_bgr, (None, None, 3), np.uint8, "image_bgr")
    if not image_bgr.size:
        raise BoardNotFoundError(NO_ROW)
    edition, reader = context.edition, context.recognizer
    if corners_px is not None:
        place = Grid.from_corners(corners_px, 1, 1).corners_px
        columns = max(1, round(_row_length(place)))
        Grid.from_corners(place, 1, columns).check_in_picture((image_bgr.shape[1], image_bgr.shape[0]))
        place = _best_place(image_bgr, [move_row(place, *move) for move in _WIDE_MOVES], edition, reader)
    else:
        strips = [side for strip in find_tile_rows(image_bgr) for side in (strip, np.roll(strip, 2, axis=0))]
        if not strips:
            raise BoardNotFoundError(NO_ROW)
        place = _best_place(image_bgr, strips, edition, reader)
    place = _best_place(image_bgr, [move_row(place, *move) for move in _FINE_MOVES], edition, reader)
    reading = _read_row(image_bgr, place, edition, reader)
    if corners_px is None and not reading.tiles:
        raise BoardNotFoundError(NO_ROW)
    return reading


def _best_place(
    image_bgr: NDArray[np.uint8],
    places: Sequence[NDArray[np.float64]],
    edition: Edition,
    reader: SquareReader,
) -> NDArray[np.float64]:
    """Return the place, of several, where most letters are seen."""
    gains = [
        _scan_row(image_bgr, place, edition, reader, SETTINGS.search_windows_per_width).gain
        for place in places
    ]
    return places[int(np.argmax(gains))]


def move_row(corners: NDArray[np.float64], down: float, slope: float, scale: float) -> NDArray[np.float64]:
    """Move a row's corners (4, 2) down by heights, rotate them by the tangent `slope`, and scale them."""
    centre = corners.mean(axis=0)
    side = (corners[3] - corners[0] + corners[2] - corners[1]) / 2
    turn = np.array([[1.0, -slope], [slope, 1.0]]) / math.hypot(1.0, slope)
    result: NDArray[np.float64] = (corners - centre) @ turn.T * scale + centre + down * side
    return result


def _row_length(corners: NDArray[np.float64]) -> float:
    """Return the length of a row in heights."""
    height = (np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])) / 2
    width = (np.linalg.norm(corners[1] - corners[0]) + np.linalg.norm(corners[2] - corners[3])) / 2
    return float(width / height)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _RowScan:
    """A row's windows from left to right.

    `windows` holds the probabilities of `token_probabilities`, `weights` those of `_log_weights`.
    """

    tokens: tuple[str, ...]
    windows: NDArray[np.float64]
    weights: NDArray[np.float64]

    @property
    def gain(self) -> float:
        """Sum of the windows' log-odds of letters against nothing, where positive: large at the right place."""
        return float(np.maximum(0, self.weights[:, 2:].max(axis=1) - self.weights[:, 0]).sum())


def _scan_row(
    image_bgr: NDArray[np.uint8],
    corners: NDArray[np.float64],
    edition: Edition,
    reader: SquareReader,
    windows_per_width: int,
) -> _RowScan:
    """Read windows between four corners, and a little beyond."""
    unit = Grid.from_corners(corners, 1, 1)
    length = _row_length(corners)
    if not SETTINGS.min_length <= length <= SETTINGS.max_length:
        raise SettingsError(
            f"rack: its corners make a row {length:.1f} times as long as it is high; give TL TR BR BL of the place "
            f"for tiles, 1 to {SETTINGS.max_length:.0f} tiles long and one high"
        )
    columns = math.ceil(length + 2 * SETTINGS.end_margin)
    tokens: tuple[str, ...] = ()
    seen, turned = [], []
    for number in range(windows_per_width):
        first = -SETTINGS.end_margin + number / windows_per_width
        x0, x1 = first / length, (first + columns) / length
        row = unit.image_from_grid.apply([[x0, 0], [x1, 0], [x1, 1], [x0, 1]])
        grid = Grid.from_corners(row, 1, columns)
        reading = reader.read(rectify(image_bgr, grid, reader.cell_px, reader.margin_px))
        tokens, probabilities = token_probabilities(reading, edition)
        seen.append(probabilities[0])
        turned.append(reading.turns[0, :, 0])
    windows = np.stack(seen, axis=1).reshape(columns * windows_per_width, -1)
    upright = np.stack(turned, axis=1).reshape(-1)
    return _RowScan(tokens=tokens, windows=windows, weights=_log_weights(windows, upright))


def _read_row(
    image_bgr: NDArray[np.uint8], corners: NDArray[np.float64], edition: Edition, reader: SquareReader
) -> RackReading:
    """Read the tiles between four corners."""
    scan = _scan_row(image_bgr, corners, edition, reader, SETTINGS.windows_per_width)
    pieces = (scan.tokens[1], *scan.tokens[3:])  # what may stand there: a blank, or a letter
    tiles = []
    for first, width, state in _cut_row(scan.weights, edition.rack_size):
        middle = scan.windows[
            first + SETTINGS.end_windows : first + width - SETTINGS.end_windows, state + 2 if state else 1
        ]
        probability = float(np.exp(np.log(np.maximum(middle, 1e-6)).mean()))
        tiles.append(RackTile(token=pieces[state], probability=probability))
    return RackReading(tiles=tuple(tiles), corners_px=corners)


def _log_weights(windows: NDArray[np.float64], upright: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return (windows, 1 + tiles) log-probabilities of nothing, and of each tile with its letter upright.

    The columns of `windows` are those of `token_probabilities`: empty, blank, covered, letters.
    """
    letters = windows[:, 3:] * upright[:, None]
    nothing = windows[:, 0] + windows[:, 2] + windows[:, 3:].sum(axis=1) - letters.sum(axis=1)
    shown = np.column_stack([nothing, windows[:, 1], letters])
    result: NDArray[np.float64] = np.log(
        (1 - SETTINGS.uniform_share) * shown + SETTINGS.uniform_share / shown.shape[1]
    )
    return result


def _cut_row(weights: NDArray[np.float64], max_tiles: int) -> list[tuple[int, int, int]]:
    """Cut a row into at most `max_tiles` tiles and gaps, by dynamic programming over the ends of segments.

    Returns
    -------
    list of (first, width, state)
        Each tile's first window, its width in windows, and which tile it is.
    """
    count = len(weights)
    bonus = np.full(weights.shape[1] - 1, SETTINGS.tile_log_odds)
    bonus[0] = SETTINGS.blank_log_odds
    sums = np.vstack([np.zeros(weights.shape[1]), np.cumsum(weights, axis=0)])
    totals = np.full((max_tiles + 1, count + 1), -np.inf)
    totals[:, 0] = 0.0
    steps: dict[tuple[int, int], tuple[int, int] | None] = {}
    for end in range(1, count + 1):
        for tiles in range(max_tiles + 1):
            best, step = totals[tiles, end - 1] + weights[end - 1, 0], None
            for width in SETTINGS.tile_windows if tiles else ():
                if width <= end:
                    within = sums[end, 1:] - sums[end - width, 1:] + bonus
                    state = int(within.argmax())
                    total = totals[tiles - 1, end - width] + within[state]
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
