"""Turn many photos into searchable data that people can check, on one machine or on many.

`sources` finds the pictures, `reading` reads one picture, `workers` does that in processes, `results` keeps what is
done, `games` groups photos into games, `reconstruction` finds the plays of each game, `score_sheets` adds the players,
and `report` makes the page for people. `pipeline` runs these stages.
"""

from tilesight.digitise.pipeline import OutputOptions, Run, digitise
from tilesight.digitise.reading import PhotoRecord, PhotoStatus, ReadOptions, Result, environment_fingerprint
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
