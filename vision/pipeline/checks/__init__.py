"""Check a board that was read: its exposure and light, and whether tiles and premium squares fit the edition."""

from vision.pipeline.checks.edition_mismatches import EditionMismatches
from vision.pipeline.checks.exposure import check_exposure, find_burnt_squares, has_uneven_light
from vision.pipeline.checks.layout import check_layout
from vision.pipeline.checks.tiles import check_tiles

__all__ = [
    "EditionMismatches",
    "check_exposure",
    "check_layout",
    "check_tiles",
    "find_burnt_squares",
    "has_uneven_light",
]
