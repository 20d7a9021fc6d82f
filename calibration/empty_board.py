"""The empty board, learnt: where it lies, what it looks like, and a layout for boards that are not standard."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.profile_update import origin_now
from scoring import Layout, Premium
from vision.capture import Frame
from vision.core import Occupancy
from vision.detection import cell_colours
from vision.errors import InputError
from vision.pipeline import CameraModel
from vision.profile import BoardSection, Profile
from vision.recognition import CascadeReader
from vision.rectification import rectify, rectify_at_tile_height

__all__ = ["EMPTY_CELL_PX", "learn_board", "learn_layout"]

EMPTY_CELL_PX = 16
"""Of the empty board that a profile keeps: enough for colours, texts and lines."""

_SURE = 0.9
_MAX_TILES, _MAX_COVERED = 2, 12
"""Squares that may look like tiles on an empty board (a star, a folding edge), or like skin or cloth, as some colours
of premium squares do."""

_COLOUR_STEP = 14.0
"""Levels of L*a*b* between two kinds of squares."""

_KINDS = (
    Premium.TRIPLE_WORD,
    Premium.DOUBLE_WORD,
    Premium.TRIPLE_LETTER,
    Premium.DOUBLE_LETTER,
    Premium.QUADRUPLE_WORD,
    Premium.QUADRUPLE_LETTER,
)


def learn_board(
    frame: Frame,
    layout: Layout,
    network: CascadeReader,
    *,
    fixed: bool,
    profile: Profile | None = None,
    corners_px: Sequence[Sequence[float]] | None = None,
) -> BoardSection:
    """The board section of a profile, from a photo of the empty board.

    Parameters
    ----------
    frame : Frame
        The photo.
    layout : Layout
        The board's layout.
    network : NetworkReader
        Checks that the board is empty.
    fixed : bool
        Whether camera and board stay where they are from now on.
    profile : Profile, optional
        What is known of the lens.
    corners_px : four (x, y), optional
        The grid's corners, where it is not found by itself.

    Raises
    ------
    BoardNotFoundError
        If there is no board in the photo.
    InputError
        If tiles lie on it.
    """
    height, width = frame.image_bgr.shape[:2]
    lens_only = Profile() if profile is None else Profile(size_px=profile.size_px, lens=profile.lens)
    sighted = CameraModel.of(lens_only, (width, height)).find(frame, layout, corners_px)
    reading = network.read(rectify_at_tile_height(sighted.frame.image_bgr, sighted.grid, network))
    tiles = int((reading.occupancy[..., Occupancy.TILE] > _SURE).sum())
    covered = int((reading.occupancy[..., Occupancy.COVERED] > _SURE).sum())
    if tiles > _MAX_TILES or covered > _MAX_COVERED:
        raise InputError(
            f"{frame.source}: {tiles} squares look like tiles, {covered} covered by something; take everything off the "
            "board, and take the photo again"
        )
    flat = rectify(sighted.frame.image_bgr, sighted.grid, cell_px=EMPTY_CELL_PX, margin_px=0)
    corners = sighted.in_photo(sighted.grid.corners_px)
    return BoardSection(
        corners_px=corners if fixed else None,
        empty_bgr=flat.image_bgr,
        rows=layout.rows,
        columns=layout.columns,
        fit=sighted.grid.fit,
        origin=origin_now([frame.source]),
    )


def learn_layout(empty_bgr: NDArray[np.uint8], rows: int, columns: int, like: Layout) -> Layout:
    """The premium squares of an empty board, by their colours.

    Parameters
    ----------
    empty_bgr : (rows * cell, columns * cell, 3) uint8
        The board from above, BGR.
    rows, columns : int
        Its size.
    like : Layout
        Which kind a colour is, is taken from the squares that this layout has it on; other kinds are named in the order
        of their value, the rarest colour first. Check them against the print.

    Raises
    ------
    InputError
        If the squares have no two clearly different colours.
    """
    cell_px = empty_bgr.shape[0] // rows
    colours = cell_colours(empty_bgr, cell_px)
    groups = _groups(colours.reshape(-1, 3).astype(np.float64)).reshape(rows, columns)
    sizes = np.bincount(groups.ravel())
    plain = int(sizes.argmax())
    kinds: dict[int, Premium] = {plain: Premium.PLAIN}
    if (like.rows, like.columns) == (rows, columns):
        marks = np.array([[premium.value for premium in row] for row in like.premiums])
        for kind in _KINDS:
            members = groups[marks == kind.value]
            if not members.size:
                continue
            common = int(np.bincount(members).argmax())
            if common not in kinds and (members == common).mean() > 0.5:
                kinds[common] = kind
    spare = [kind for kind in _KINDS if kind not in kinds.values()]
    for group in np.argsort(sizes, kind="stable"):
        # one odd square is a stain or the start
        if int(group) not in kinds and sizes[group] > 1 and spare:
            kinds[int(group)] = spare.pop(0)
    if len(kinds) < 2:
        raise InputError(
            "board: all squares look alike; light it evenly and look from straight above, "
            "or write the layout file by hand"
        )
    middle = kinds.get(int(groups[rows // 2, columns // 2]))
    premiums = [[kinds.get(int(group), Premium.PLAIN) for group in row] for row in groups]
    if middle is None and (like.rows, like.columns) == (rows, columns):
        premiums[rows // 2][columns // 2] = like.premiums[rows // 2][columns // 2]
    return Layout(premiums=tuple(tuple(row) for row in premiums))


def _groups(colours: NDArray[np.float64]) -> NDArray[np.int64]:
    """A group for each colour (n, 3): the largest one first, each taking what is near its mean."""
    groups = np.full(len(colours), -1, np.int64)
    number = 0
    while (groups < 0).any():
        open_ = np.flatnonzero(groups < 0)
        apart = np.linalg.norm(colours[open_, None] - colours[open_], axis=-1)
        seed = int((apart < _COLOUR_STEP).sum(axis=1).argmax())
        middle = np.median(colours[open_][apart[seed] < _COLOUR_STEP], axis=0)
        members = open_[np.linalg.norm(colours[open_] - middle, axis=1) < _COLOUR_STEP]
        groups[members if len(members) else open_[seed]] = number
        number += 1
    return groups
