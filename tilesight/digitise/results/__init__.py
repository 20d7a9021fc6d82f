"""The results that a run keeps and writes: the store, corrections by people, the files of the folder."""

from tilesight.digitise.results.corrections import (
    CorrectedTiles,
    Correction,
    Corrections,
    apply_correction,
    check_corrections,
    collect_corrected_tiles,
    count_replaced_squares,
    load_corrections,
    merge_corrections,
    save_corrections,
)
from tilesight.digitise.results.result_store import Store, picture_files
from tilesight.digitise.results.writer import Summary, write_files

__all__ = [
    "CorrectedTiles",
    "Correction",
    "Corrections",
    "Store",
    "Summary",
    "apply_correction",
    "check_corrections",
    "collect_corrected_tiles",
    "count_replaced_squares",
    "load_corrections",
    "merge_corrections",
    "picture_files",
    "save_corrections",
    "write_files",
]
