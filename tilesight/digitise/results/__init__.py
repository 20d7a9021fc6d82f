"""The folder of results: the store, corrections by people, and the files that are written.

The names are loaded when they are first used, so that `open_index` does not load what reads pictures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_MODULES = {
    **dict.fromkeys(
        (
            "BoardOrientation",
            "Corrections",
            "apply_correction",
            "check_corners",
            "check_squares",
            "merge_corrections",
            "remove_board",
            "unknown_edition",
        ),
        "tilesight.digitise.results.corrections",
    ),
    **dict.fromkeys(
        (
            "add_orientations",
            "load_corrections",
            "load_kept_corrections",
            "save_corrections",
        ),
        "tilesight.digitise.results.corrections_file",
    ),
    **dict.fromkeys(
        (
            "BOARDS",
            "GAMES",
            "THUMBNAILS",
            "WORK",
            "holds_results",
            "os_errors_as_input_errors",
        ),
        "tilesight.digitise.results.folder",
    ),
    **dict.fromkeys(
        (
            "TABLE",
            "check_parquet",
        ),
        "tilesight.digitise.results.parquet",
    ),
    **dict.fromkeys(("Store",), "tilesight.digitise.results.result_store"),
    **dict.fromkeys(
        (
            "FoundPhoto",
            "FoundPlay",
            "Query",
            "open_index",
        ),
        "tilesight.digitise.results.search_index",
    ),
    **dict.fromkeys(
        (
            "PhotoOutput",
            "Summary",
            "picture_files",
            "write_files",
        ),
        "tilesight.digitise.results.writer",
    ),
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value
