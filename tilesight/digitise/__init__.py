"""Turn many photos into searchable data that people can check, on one machine or on many.

`sources` finds the pictures, `reading` reads one picture, `workers` does that in processes, `results` keeps what is
done, `games` groups photos into games, `reconstruction` finds the plays of each game, `score_sheets` adds the players,
and `report` makes the page for people. `pipeline` runs these stages.

The names are loaded when they are first used, so that `find` does not load what reads pictures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilesight.digitise.pipeline import OutputOptions, Run, digitise
    from tilesight.digitise.reading import (
        PhotoRecord,
        PhotoStatus,
        ReadOptions,
        Result,
        environment_fingerprint,
    )
    from tilesight.digitise.report import Report
    from tilesight.digitise.results import (
        TABLE,
        FoundPhoto,
        FoundPlay,
        Query,
        Summary,
        check_parquet,
        open_index,
    )
    from tilesight.digitise.score_sheets import find_unmatched_patterns, load_sheets
    from tilesight.digitise.sources import find_source_files
    from tilesight.digitise.workers import Task, run_task

__all__ = [
    "TABLE",
    "FoundPhoto",
    "FoundPlay",
    "OutputOptions",
    "PhotoRecord",
    "PhotoStatus",
    "Query",
    "ReadOptions",
    "Report",
    "Result",
    "Run",
    "Summary",
    "Task",
    "check_parquet",
    "digitise",
    "environment_fingerprint",
    "find_source_files",
    "find_unmatched_patterns",
    "load_sheets",
    "open_index",
    "run_task",
]

_MODULES = {
    **dict.fromkeys(
        (
            "OutputOptions",
            "Run",
            "digitise",
        ),
        "tilesight.digitise.pipeline",
    ),
    **dict.fromkeys(
        (
            "PhotoRecord",
            "PhotoStatus",
            "ReadOptions",
            "Result",
            "environment_fingerprint",
        ),
        "tilesight.digitise.reading",
    ),
    **dict.fromkeys(("Report",), "tilesight.digitise.report"),
    **dict.fromkeys(
        (
            "TABLE",
            "FoundPhoto",
            "FoundPlay",
            "Query",
            "Summary",
            "check_parquet",
            "open_index",
        ),
        "tilesight.digitise.results",
    ),
    **dict.fromkeys(
        (
            "find_unmatched_patterns",
            "load_sheets",
        ),
        "tilesight.digitise.score_sheets",
    ),
    **dict.fromkeys(("find_source_files",), "tilesight.digitise.sources"),
    **dict.fromkeys(
        (
            "Task",
            "run_task",
        ),
        "tilesight.digitise.workers",
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
