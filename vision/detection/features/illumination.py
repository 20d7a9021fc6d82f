"""Even light on the squares of a board: what the colours would be without lamps and shadows."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from vision.core import Floats, Mask, freeze, median
from vision.detection.features.cell_colours import squared_distances
from vision.detection.features.layout_likelihood import SETTINGS as LIKELIHOOD_SETTINGS
from vision.detection.features.layout_likelihood import Colours

__all__ = ["flatten_lights"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IlluminationSettings:
    """Colour tolerances in levels of 8-bit L*a*b*, and limits. All values are chosen."""

    same_light: float = 18.0
    """Distance from the illumination's surface within which a square may have the commonest colour."""
    fits: int = 5
    """Fits of this surface. Each takes in squares where the light changes further; the last one is strict."""
    max_gain: float = 2.5
    """Factor by which L* + 16 may be scaled; the surface says nothing far outside the board."""
    min_light_ratio: float = 1.25
    """Ratio of L* + 16 in two lights from which there are two; L* + 16 is cubic: twice the light."""
    same_light_ratio: float = 1.13
    """Ratio of L* + 16 up to which two squares have the same light."""
    min_lit_squares: int = 12
    """Plain squares that each of two lights must show."""
    nearest: int = 3
    """Plain squares next to a square that show its light."""


SETTINGS = IlluminationSettings()

_NO_LIGHT = np.array([-40.8, 128.0, 128.0])
"""L* = -16, a* = b* = 0 in 8-bit scaling, from where light scales colours."""


def flatten_lights(colours: Colours, margin: int) -> Iterator[Colours]:
    """Yield the colours in even light if one light is on the board and, where the plain squares show two, if two are.

    A surface of the second degree, as a lamp near the board makes it, is fitted to the squares of the commonest colour.
    Colours are then scaled to its median lightness, and lose what is left of its slope in a* and b*: light that is
    warmer on one side.

    Parameters
    ----------
    colours : (rows, columns, 3) float32
        L*a*b* colours of squares.
    margin : int
        Number of squares at each side that are not used for the fit.

    Notes
    -----
    More light scales L* + 16, a* and b* alike, since all three are linear in cube roots of X, Y and Z (CIE 15).
    """
    terms, inner = _illumination_terms(*colours.shape[:2], margin)
    flat = colours.reshape(-1, 3).astype(np.float64) - _NO_LIGHT
    apart = _distances_to_commonest(flat, inner)
    yield _as_colours(_flatten_one_light(flat, terms, inner, apart), colours)
    in_two_lights = _flatten_two_lights(flat, terms, inner, apart, colours.shape[:2])
    if in_two_lights is not None:
        yield _as_colours(in_two_lights, colours)


def _as_colours(flat: Floats, like: Colours) -> Colours:
    """Return (n, 3) colours from `_NO_LIGHT` on as L*a*b* colours of squares."""
    return np.asarray((flat + _NO_LIGHT).reshape(like.shape), dtype=np.float32)


def _flatten_one_light(flat: Floats, terms: Floats, inner: Mask, apart: Floats) -> Floats:
    """Scale colours (n, 3) to the light of the commonest one, from which they are `apart` (n,)."""
    used = inner & (apart < 2 * SETTINGS.same_light)
    for step in range(SETTINGS.fits):
        degree = terms[:, :3] if step == 0 else terms  # a plane first: few squares may hold no surface
        surface = degree @ _solve(degree[used], flat[used])
        last = step == SETTINGS.fits - 1
        tolerance = LIKELIHOOD_SETTINGS.same_colour if last else SETTINGS.same_light
        close = inner & (np.square(flat - surface).sum(axis=1) < tolerance**2)
        if close.sum() < 2 * terms.shape[1]:
            break
        used = close
    gain = median(surface[used, 0]) / np.maximum(surface[:, :1], 1.0)
    gain = np.clip(gain, 1 / SETTINGS.max_gain, SETTINGS.max_gain)
    even, surface = flat * gain, surface * gain
    even[:, 1:] -= surface[:, 1:] - median(surface[used, 1:], axis=0)
    return np.asarray(even)


def _flatten_two_lights(
    flat: Floats, terms: Floats, inner: Mask, apart: Floats, shape: tuple[int, int]
) -> Floats | None:
    """Scale colours (n, 3) to the light of the commonest one, where sun or shade is on a part of the board.

    Squares with the hue of the commonest colour, at another lightness, are taken for plain squares in the other light.
    All squares have the light of the plain squares next to them. None where the plain squares show one light.
    """
    first = inner & (apart < SETTINGS.same_light)
    colour = median(flat[first], axis=0)
    ratio = np.maximum(flat[:, 0] / colour[0], 1e-3)
    has_hue = np.square(flat / ratio[:, None] - colour).sum(axis=1) < LIKELIHOOD_SETTINGS.same_colour**2
    lightness = np.log(ratio)
    other = np.flatnonzero(inner & has_hue & (abs(lightness) > math.log(SETTINGS.min_light_ratio)))
    if len(other) < SETTINGS.min_lit_squares:
        return None
    is_same = abs(lightness[other, None] - lightness[other]) < math.log(SETTINGS.same_light_ratio)
    second = np.zeros_like(first)
    second[other[is_same[is_same.sum(axis=1).argmax()]]] = True
    first &= ~second
    if min(first.sum(), second.sum()) < SETTINGS.min_lit_squares:
        return None
    even = flat.copy()
    is_second = _mean_distance(shape, second) < _mean_distance(shape, first)
    for lit, plain in ((~is_second, first), (is_second, second)):
        surface = terms[lit, :3] @ _solve(terms[plain, :3], even[plain])
        gain = colour[0] / np.maximum(surface[:, :1], 1.0)
        even[lit] *= gain
        even[lit, 1:] -= surface[:, 1:] * gain - colour[1:]
    return even


def _distances_to_commonest(flat: Floats, inner: Mask) -> Floats:
    """Return the distance (n,) of each colour (n, 3) from the commonest one of the inner squares (n,)."""
    small = flat[inner].astype(np.float32)
    close = squared_distances(small, small) < SETTINGS.same_light**2
    commonest = small[int(close.sum(axis=1).argmax())]
    return np.asarray(np.linalg.norm(flat - commonest, axis=1))


def _mean_distance(shape: tuple[int, int], squares: Mask) -> Floats:
    """Return the mean distance (n,) of each square from the nearest ones of some squares (n,)."""
    places = np.argwhere(np.ones(shape, dtype=bool))
    apart = np.linalg.norm(places[:, None] - places[squares], axis=-1)
    return np.asarray(np.partition(apart, SETTINGS.nearest, axis=1)[:, : SETTINGS.nearest].mean(axis=1))


def _solve(terms: Floats, colours: Floats) -> Floats:
    """Fit (terms, 3) coefficients to colours by least squares."""
    normal = terms.T @ terms + 1e-9 * np.eye(terms.shape[1])
    return np.asarray(np.linalg.solve(normal, terms.T @ colours), np.float64)


@functools.lru_cache(maxsize=16)
def _illumination_terms(rows: int, columns: int, margin: int) -> tuple[Floats, Mask]:
    """(n, 6) terms up to the second degree at each square, and (n,) which squares are used for the fit.

    Terms of a square outside are those of the nearest one inside: the surface says nothing there.
    """
    row, column = np.mgrid[:rows, :columns]
    inside = [np.clip(at, margin, side - 1 - margin) for at, side in ((row, rows), (column, columns))]
    inner = (inside[0] == row) & (inside[1] == column)
    y, x = (at.ravel() / side - 0.5 for at, side in zip(inside, (rows, columns), strict=True))
    terms = np.stack([np.ones(x.size), x, y, x * x, x * y, y * y], axis=1)
    return freeze(terms, (None, 6), np.float64, "terms"), freeze(inner.ravel(), (None,), np.bool_, "inner")
