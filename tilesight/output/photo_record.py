"""The JSON object of a read photo, which other programs rely on."""

from __future__ import annotations

from typing import Any

from scoring import Edition
from vision.observation import BoardObservation

__all__ = ["build_photo_record"]


def build_photo_record(image: str, found: BoardObservation, edition: Edition | None) -> dict[str, Any]:
    """Build the JSON object of a photo: its board, the grid's corners, and the confidence of each square.

    Parameters
    ----------
    image : str
        The picture's name, as the user wrote it.
    found : BoardObservation
        The reading.
    edition : Edition
        The edition that it was read with; None where none was named and no tile shows it.
    """
    decoded, distortion = found.decoded, found.residual_distortion
    return {
        "image": image,
        "status": "ok",
        "edition": None if edition is None else edition.name,
        "corners_px": found.photo_corners_px.round(2).tolist(),
        "other_boards": found.other_boards,
        "turn_is_guess": not found.is_orientation_certain,
        "mirrored": found.is_mirrored,
        "remarks": list(found.remarks),
        "bow_cells": None if distortion is None else round(distortion.deviation_cells, 3),
        "rows": [list(row) for row in decoded.board.rows],
        "confidence": decoded.confidence.round(4).tolist(),
        "doubts": [{"square": [doubt.row, doubt.column], "reason": doubt.reason} for doubt in decoded.doubts],
        "ms": {name: round(ms, 1) for name, ms in found.stage_ms.items()},
    }
