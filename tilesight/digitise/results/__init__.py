"""The folder of results: the store, corrections by people, and the files that are written."""

from tilesight.digitise.results.corrections import (
    BoardOrientation,
    Corrections,
    apply_correction,
    check_corners,
    check_squares,
    merge_corrections,
    remove_board,
    unknown_edition,
)
from tilesight.digitise.results.corrections_file import (
    add_orientations,
    load_corrections,
    load_kept_corrections,
    save_corrections,
)
from tilesight.digitise.results.folder import (
    BOARDS,
    GAMES,
    THUMBNAILS,
    WORK,
    holds_results,
    os_errors_as_input_errors,
)
from tilesight.digitise.results.parquet import TABLE, check_parquet
from tilesight.digitise.results.result_store import Store
from tilesight.digitise.results.search_index import FoundPhoto, FoundPlay, Query, open_index
from tilesight.digitise.results.writer import PhotoOutput, Summary, picture_files, write_files

__all__ = [
    "BOARDS",
    "GAMES",
    "TABLE",
    "THUMBNAILS",
    "WORK",
    "BoardOrientation",
    "Corrections",
    "FoundPhoto",
    "FoundPlay",
    "PhotoOutput",
    "Query",
    "Store",
    "Summary",
    "add_orientations",
    "apply_correction",
    "check_corners",
    "check_parquet",
    "check_squares",
    "holds_results",
    "load_corrections",
    "load_kept_corrections",
    "merge_corrections",
    "open_index",
    "os_errors_as_input_errors",
    "picture_files",
    "remove_board",
    "save_corrections",
    "unknown_edition",
    "write_files",
]
