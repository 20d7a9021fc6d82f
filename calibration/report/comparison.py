"""Compare readings without and with a profile: of photos, and of the enrolled tiles."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.lens import measure_line_residual
from calibration.report.page import PhotoComparison, TilesComparison
from scoring import BLANK, Edition
from vision.capture import Frame
from vision.drawing import draw_grid
from vision.errors import BoardNotFoundError
from vision.pipeline import GameContext, read_photo
from vision.profile import Profile, TilesSection
from vision.recognition import CascadeReader, SquareReader, enrol_prototypes

__all__ = ["compare_photo", "compare_tiles"]

Rows = tuple[tuple[str, ...], ...]


def compare_photo(
    frame: Frame, edition: Edition, profile: Profile, without: SquareReader, with_it: SquareReader
) -> PhotoComparison:
    """Read a photo without the profile and with it.

    Parameters
    ----------
    frame : Frame
        The photo.
    edition : Edition
        The edition of the board and the letters.
    profile : Profile
        The profile.
    without, with_it : SquareReader
        The readers without the profile's tiles and with them.
    """
    before_bgr, residual_before, rows_before, note_before = _read(frame, edition, without, None)
    after_bgr, residual_after, rows_after, note_after = _read(frame, edition, with_it, profile)
    notes = [f"{when}: {note}" for when, note in (("without", note_before), ("with", note_after)) if note]
    return PhotoComparison(
        name=frame.source,
        before_bgr=before_bgr,
        after_bgr=after_bgr,
        residual_before=residual_before,
        residual_after=residual_after,
        rows_before=rows_before if rows_after else (),
        rows_after=rows_after if rows_before else (),
        note="; ".join(notes),
    )


def _read(
    frame: Frame, edition: Edition, reader: SquareReader, profile: Profile | None
) -> tuple[NDArray[np.uint8], float, Rows, str]:
    try:
        found = read_photo(frame, GameContext(edition=edition, recognizer=reader, profile=profile))
    except BoardNotFoundError as error:
        return frame.image_bgr, math.nan, (), str(error)
    picture = draw_grid(found.frame.image_bgr, found.grid)
    rows = tuple(tuple(row) for row in found.decoded.board.rows)
    return picture, measure_line_residual(found.frame.image_bgr, found.grid), rows, ""


def compare_tiles(tiles: TilesSection, edition: Edition, network: CascadeReader) -> TilesComparison:
    """Read the enrolled tiles by the network alone, and by the prototypes of the others.

    Tiles of letters that the edition lacks are left out: they would be read as other ones.
    """
    kept = [index for index, label in enumerate(tiles.labels) if label in (BLANK, *edition.tokens)]
    labels = [tiles.labels[index] for index in kept]
    foreign = sorted({*tiles.labels} - {*labels})
    note = ""
    if foreign or tiles.edition != edition.name:
        without = f" without {' '.join(foreign)}" if foreign else ""
        note = (
            f"the tiles are of edition {tiles.edition}, and were compared{without} as those of {edition.name}; "
            "name their edition with --edition"
        )
    if len({*labels}) < 2:
        return TilesComparison(truth=(), before=(), after=(), note=note)
    photos = [tiles.photos[index] for index in kept]
    again = enrol_prototypes(tiles.examples_bgr[kept], labels, photos, network, edition.tokens)
    read = dict(again.left_out)
    letters = [index for index, label in enumerate(labels) if label != BLANK]
    return TilesComparison(
        truth=tuple(labels[index] for index in letters),
        before=tuple(again.by_network[index] for index in letters),
        after=tuple(read.get(index, "") for index in letters),
        note=note,
    )
