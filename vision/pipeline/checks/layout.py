"""Check whether the coloured squares of a board that was read are those of the edition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import Board, Edition
from vision.core import Floats, RectifiedBoard, empty_squares
from vision.detection import LayoutClasses, cell_colours, explained_variance, flatten_lights
from vision.pipeline.checks.exposure import find_white_squares

__all__ = ["check_layout"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutSettings:
    """When the coloured squares are reported as those of another edition. Chosen, where nothing else is said."""

    min_layout_share: float = 0.17
    """Share of the empty squares' colour differences that the edition's layout explains at least. Of 605 photos and
    rendered boards, most of them in difficult light, the least is 0.18; of 191 that were shifted by a square, the most
    is 0.15."""
    max_symmetric_gain: float = 0.15
    """Share that another symmetric layout may explain beyond it. Of the 605 the most is 0.13; of 97 boards with another
    layout 95 have more."""
    light_degree: int = 4
    """Degree of the polynomial that describes what is left of uneven light."""
    min_premium_squares: int = 12
    """Empty premium squares that must be in view."""
    min_plain_squares: int = 30
    """Empty plain squares that must be in view."""
    min_visible: int = 4
    """Empty squares that must be in view of those that lie symmetrically to each other."""


SETTINGS = LayoutSettings()


def check_layout(rectified: RectifiedBoard, board: Board, edition: Edition) -> str | None:
    """Check whether the coloured squares in view are where an edition has its premium squares.

    Another board is known by its symmetry: its colours are alike where squares lie alike, and differ where the edition
    has one premium.

    Parameters
    ----------
    rectified : RectifiedBoard
        The rectified board, letters upright.
    board : Board
        What was read: the squares that are empty show their colours.
    edition : Edition
        The edition that was named.

    Returns
    -------
    str or None
        A line for the user; None where they may be right, or too few show.
    """
    classes = LayoutClasses.from_layout(edition.layout)
    empty = empty_squares(board)
    for square in edition.layout.start:
        empty[square] = False  # many have a sign or a colour of their own
    empty &= ~find_white_squares(rectified, empty)
    n_premium, n_plain = (empty & ~classes.plain).sum(), (empty & classes.plain).sum()
    if n_premium < SETTINGS.min_premium_squares or n_plain < SETTINGS.min_plain_squares:
        return None
    symmetric = classes.finest_symmetric()
    n_visible = np.bincount(symmetric.classes[empty], minlength=symmetric.class_count)
    weights = (empty & (n_visible[symmetric.classes] >= SETTINGS.min_visible)).astype(np.float64)
    flat = [
        _take_off_light(colours, classes, weights)
        for colours in flatten_lights(cell_colours(rectified.interior_bgr, rectified.cell_px), 0)
    ]
    own, best = (
        max(float(explained_variance(colours, each, weights)[0, 0]) for colours in flat)
        for each in (classes, symmetric)
    )
    if own >= SETTINGS.min_layout_share and best - own <= SETTINGS.max_symmetric_gain:
        return None
    return (
        f"edition {edition.name}: the coloured squares are not where its board has them (it explains {own:.0%} of "
        "their colours), so scores may be wrong; choose the edition that is played"
    )


def _take_off_light(
    colours: NDArray[np.float32], classes: LayoutClasses, weights: Floats
) -> NDArray[np.float32]:
    """Take off a polynomial that leaves each class one colour; a vignette or a lamp above would look like a layout."""
    y, x = (at.ravel() for at in np.mgrid[-1 : 1 : classes.rows * 1j, -1 : 1 : classes.columns * 1j])
    degree = SETTINGS.light_degree
    light = np.stack([y**i * x**j for i in range(degree + 1) for j in range(degree + 1 - i) if i + j], axis=1)
    members = np.eye(classes.class_count)[classes.classes.ravel()]
    used, flat = weights.ravel() > 0, colours.reshape(-1, 3).astype(np.float64)
    fit = np.linalg.lstsq(np.hstack([members, light])[used], flat[used])[0]
    return np.asarray((flat - light @ fit[classes.class_count :]).reshape(colours.shape), np.float32)
