"""Even light on the squares of a board: what the colours would be without lamps and shadows."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from vision.core import Floats, Mask, freeze
from vision.detection.features.cell_colours import squared_distances
from vision.detection.features.layout_likelihood import SETTINGS as LIKELIHOOD_SETTINGS
from vision.detection.features.layout_likelihood import Colours

__all__ = ["flatten_illumination"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IlluminationSettings:
    """Colour tolerances in levels of 8-bit L*a*b*, and limits. All values are chosen."""

    same_light: float = 18.0
    """Distance from the illumination's surface within which a square may have the commonest colour."""
    fits: int = 5
    """Fits of this surface. Each takes in squares where the light changes further; the last one is strict."""
    max_gain: float = 2.5
    """Factor by which L* + 16 may be scaled; the surface says nothing far outside the board."""


SETTINGS = IlluminationSettings()

_NO_LIGHT = np.array([-40.8, 128.0, 128.0])
"""L* = -16, a* = b* = 0 in 8-bit scaling, from where light scales colours."""


def flatten_illumination(colours: Colours, margin: int) -> Colours:
    """Return the colours that the squares would have in even light.

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
    small = flat[inner].astype(np.float32)
    apart = squared_distances(small, small)
    commonest = int((apart < SETTINGS.same_light**2).sum(axis=1).argmax())
    used = np.zeros(len(flat), dtype=bool)
    used[np.flatnonzero(inner)[apart[commonest] < (2 * SETTINGS.same_light) ** 2]] = True
    for step in range(SETTINGS.fits):
        degree = terms[:, :3] if step == 0 else terms  # a plane first: few squares may hold no surface
        surface = degree @ _solve(degree[used], flat[used])
        last = step == SETTINGS.fits - 1
        tolerance = LIKELIHOOD_SETTINGS.same_colour if last else SETTINGS.same_light
        close = inner & (np.square(flat - surface).sum(axis=1) < tolerance**2)
        if close.sum() < 2 * terms.shape[1]:
            break
        used = close
    gain = np.median(surface[used, 0]) / np.maximum(surface[:, :1], 1.0)
    gain = np.clip(gain, 1 / SETTINGS.max_gain, SETTINGS.max_gain)
    flat, surface = flat * gain, surface * gain
    flat[:, 1:] -= surface[:, 1:] - np.median(surface[used, 1:], axis=0)
    return np.asarray((flat + _NO_LIGHT).reshape(colours.shape), dtype=np.float32)


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
