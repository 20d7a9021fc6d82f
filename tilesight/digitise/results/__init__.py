"""The results that a run keeps and writes: the store, corrections by people, the files of the folder."""

from tilesight.digitise.results.corrections import (
    BoardOrientation,
    Correction,
    Corrections,
    apply_correction,
    check_corrections,
    load_corrections,
    load_kept_corrections,
    merge_corrections,
    remove_board,
    save_corrections,
    unknown_edition,
)
from tilesight.digitise.results.result_store import Store, picture_files
from tilesight.digitise.results.writer import (
    Summary,
    write_files,
)

__all__ = [
    "BoardOrientation",
    "Correction",
    "Corrections",
    "Store",
    "Summary",
    "apply_correction",
    "check_corrections",
    "load_corrections",
    "load_kept_corrections",
    "merge_corrections",
    "picture_files",
    "remove_board",
    "save_corrections",
    "unknown_edition",
    "write_files",
]
