"""The JSON object of a read photo, which other programs rely on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring import Edition
from vision.observation import BoardObservation

__all__ = ["build_photo_record", "list_editions_of"]

MIN_EDITION_PROBABILITY = 0.001
"""Less probable editions are left out; chosen."""


def build_photo_record(
    image: str, found: BoardObservation, edition: Edition | None, shares: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """Build the JSON object of a photo: its board, the grid's corners, and the confidence of each square.

    Parameters
    ----------
    image : str
        The picture's name, as the user wrote it.
    found : BoardObservation
        The reading.
    edition : Edition
        The edition that it was read with; None where none was named and no tile shows it.
    shares : mapping of str to float, optional
        The probability of each edition where it was found from the tiles, the most probable first.
    """
    decoded, distortion = found.decoded, found.residual_distortion
    return {
        "image": image,
        "status": "ok",
        "edition": None if edition is None else edition.name,
        **list_editions_of(shares, None if edition is None else edition.name),
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


def list_editions_of(shares: Mapping[str, float] | None, edition: str | None) -> dict[str, Any]:
    """Return the fields on how sure the edition is; both are None where a person named it."""
    if shares is None or edition is None:
        return {"edition_probability": None, "editions": None}
    return {
        "edition_probability": round(shares.get(edition, 0.0), 4),
        "editions": {
            name: round(share, 4) for name, share in shares.items() if share >= MIN_EDITION_PROBABILITY
        },
    }
