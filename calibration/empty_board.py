"""Learn the empty board: where it is, what it looks like, and the layout of a board that is not standard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.profile_update import origin_now
from scoring import Layout, Premium, edition_names, load_edition
from vision.capture import Frame
from vision.core import Floats, Grid, Image, Occupancy
from vision.detection import (
    ImagePyramid,
    cell_colours,
    fits_other_layout,
    flatten_lights,
    measure_edge_share,
    measure_residual_distortion,
)
from vision.errors import InputError
from vision.pipeline import CameraModel, continues_outside
from vision.profile import BoardSection, Profile
from vision.recognition import CascadeReader
from vision.rectification import rectify, rectify_at_tile_height

__all__ = ["EMPTY_CELL_PX", "learn_board", "learn_layout"]

EMPTY_CELL_PX = 16
"""Side in pixels of a square of the empty board in a profile: enough for colours, texts and lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSettings:
    """Limits of an empty board; chosen, but for the last one."""

    sure: float = 0.9
    """Probability from which a square counts as a tile or as covered."""
    max_tiles: int = 2
    """Squares of an empty board that may look like tiles, such as a star or a folding edge."""
    max_covered: int = 12
    """Squares of an empty board that may look like skin or cloth, as some premium colours do."""
    same_colour: float = 12.0
    """Distance in L*a*b*, in even light, below which squares have one colour. Of 240 rendered boards, 52 have wrong
    squares with 12, 67 with 14."""


SETTINGS = BoardSettings()

PREMIUMS = (
    Premium.TRIPLE_WORD,
    Premium.DOUBLE_WORD,
    Premium.TRIPLE_LETTER,
    Premium.DOUBLE_LETTER,
    Premium.QUADRUPLE_WORD,
    Premium.QUADRUPLE_LETTER,
)
"""Kinds of premium squares; the rarest colour without a name gets the first that is left."""


def learn_board(
    frame: Frame,
    layout: Layout,
    network: CascadeReader,
    *,
    fixed: bool,
    profile: Profile | None = None,
    corners_px: Sequence[Sequence[float]] | None = None,
    notify: Callable[[str], None] | None = None,
) -> BoardSection:
    """Learn the board section of a profile from a photo of the empty board.

    Parameters
    ----------
    frame : Frame
        The photo.
    layout : Layout
        The board's layout.
    network : CascadeReader
        Checks that the board is empty.
    fixed : bool
        Whether camera and board stay where they are from now on: the corners are kept then.
    profile : Profile, optional
        What is known of the lens.
    corners_px : four (x, y), optional
        The grid's corners, if it is not found automatically.
    notify : callable, optional
        Gets a line where a board that was searched seems to have another number of squares, and one where its lines bow
        and the lens is not known, or break at a fold.

    Raises
    ------
    BoardNotFoundError
        If there is no board in the photo.
    InputError
        If there are tiles on it.
    """
    lens_only = Profile() if profile is None else Profile(size_px=profile.size_px, lens=profile.lens)
    detection = CameraModel.of(lens_only, frame.size_px).find(frame, layout, corners_px)
    reading = network.read(rectify_at_tile_height(detection.frame.image_bgr, detection.grid, network))
    tiles = int((reading.occupancy[..., Occupancy.TILE] > SETTINGS.sure).sum())
    covered = int((reading.occupancy[..., Occupancy.COVERED] > SETTINGS.sure).sum())
    if tiles > SETTINGS.max_tiles or covered > SETTINGS.max_covered:
        raise InputError(
            f"{frame.source}: {tiles} squares look like tiles, {covered} covered by something; take everything off the "
            "board, and take the photo again"
        )
    is_searched = detection.detection.is_searched
    if (
        notify is not None
        and is_searched
        and _has_other_size(detection.frame.image_bgr, detection.grid, layout)
    ):
        notify(
            f"the board seems to have another number of squares than {layout.rows} x {layout.columns}, which were "
            "measured; choose the edition that is played"
        )
    if notify is not None and lens_only.lens is None:
        _report_bent_lines(detection.frame.image_bgr, detection.grid, layout, notify)
    flat = rectify(detection.frame.image_bgr, detection.grid, cell_px=EMPTY_CELL_PX, margin_px=0)
    fit = detection.grid.fit
    if not is_searched:
        fit = measure_edge_share(detection.frame.image_bgr, detection.grid, layout)
    corners = detection.in_photo(detection.grid.corners_px)
    return BoardSection(
        corners_px=corners if fixed else None,
        empty_bgr=flat.image_bgr,
        rows=layout.rows,
        columns=layout.columns,
        fit=fit,
        origin=origin_now([frame.source]),
    )


def _has_other_size(image_bgr: Image, grid: Grid, layout: Layout) -> bool:
    """Whether a board has more squares than a layout, or the lines of a shipped edition's board of another size.

    The share of lines that a grid has does not tell: empty boards without lines have as few as those of another size.
    """
    if continues_outside(ImagePyramid.of(image_bgr), grid):
        return True
    others = {load_edition(name).layout for name in edition_names()}
    return any(other.size != layout.size and fits_other_layout(image_bgr, grid, other) for other in others)


def _report_bent_lines(image_bgr: Image, grid: Grid, layout: Layout, notify: Callable[[str], None]) -> None:
    nothing = np.zeros(layout.size, np.bool_)
    distortion = measure_residual_distortion(ImagePyramid.of(image_bgr), grid, layout, nothing)
    if distortion is None or not distortion.is_reported:
        return
    if distortion.lens is None:
        notify(distortion.remark)
    else:
        notify(
            f"the board's lines bow by {distortion.deviation_cells:.2f} of a square, and photos are not straightened "
            "with a profile that has a board and no lens; measure the lens, then the board again"
        )


def learn_layout(empty_bgr: NDArray[np.uint8], rows: int, columns: int, like: Layout) -> Layout:
    """Learn the premium squares of an empty board from their colours, less what the light makes of them.

    Parameters
    ----------
    empty_bgr : (rows * cell, columns * cell, 3) uint8
        The board from above, BGR.
    rows, columns : int
        Its size in squares.
    like : Layout
        A colour gets the premium that most of its squares have in this layout. Other colours get the remaining premiums
        in the order of their value, the rarest colour first, and must be checked against the print.

    Raises
    ------
    InputError
        If all squares have one colour.
    """
    colours = next(flatten_lights(cell_colours(empty_bgr, empty_bgr.shape[0] // rows), 0))
    groups = _cluster_colours(colours.reshape(-1, 3).astype(np.float64)).reshape(rows, columns)
    sizes = np.bincount(groups.ravel())
    kinds = {int(sizes.argmax()): Premium.PLAIN}
    is_same_size = like.size == (rows, columns)
    if is_same_size:
        kinds = _name_groups(groups, like) | kinds
    spare = [kind for kind in PREMIUMS if kind not in kinds.values()]
    for group in np.argsort(sizes, kind="stable"):
        # A single square of its own colour is a stain or the start.
        if int(group) not in kinds and sizes[group] > 1 and spare:
            kinds[int(group)] = spare.pop(0)
    if len(kinds) < 2:
        raise InputError(
            "board: all squares look alike; light it evenly and look from straight above, "
            "or write the layout file by hand"
        )
    middle = kinds.get(int(groups[rows // 2, columns // 2]))
    premiums = [[kinds.get(int(group), Premium.PLAIN) for group in row] for row in groups]
    if middle is None and is_same_size:
        premiums[rows // 2][columns // 2] = like.premiums[rows // 2][columns // 2]
    start = like.start if is_same_size else frozenset[tuple[int, int]]()
    return Layout(premiums=tuple(tuple(row) for row in premiums), start=start)


def _name_groups(groups: NDArray[np.int64], like: Layout) -> dict[int, Premium]:
    """Name groups of one colour: each has the premium that most squares of that premium in a layout have it for."""
    marks = np.array([[premium.value for premium in row] for row in like.premiums])
    kinds: dict[int, Premium] = {}
    for kind in PREMIUMS:
        members = groups[marks == kind.value]
        if members.size:
            common = int(np.bincount(members).argmax())
            if (members == common).mean() > 0.5:
                kinds.setdefault(common, kind)
    return kinds


def _cluster_colours(colours: Floats) -> NDArray[np.int64]:
    """Cluster colours (n, 3) greedily, the largest cluster first, each with all colours near its median."""
    groups = np.full(len(colours), -1, np.int64)
    count = 0
    while (groups < 0).any():
        unassigned = np.flatnonzero(groups < 0)
        distances = np.linalg.norm(colours[unassigned, None] - colours[unassigned], axis=-1)
        seed = int((distances < SETTINGS.same_colour).sum(axis=1).argmax())
        middle = np.median(colours[unassigned][distances[seed] < SETTINGS.same_colour], axis=0)
        members = unassigned[np.linalg.norm(colours[unassigned] - middle, axis=1) < SETTINGS.same_colour]
        groups[members if len(members) else unassigned[seed]] = count
        count += 1
    return groups
