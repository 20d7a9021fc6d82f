"""Many photos to searchable, checkable data: the photos of a shoebox, on one machine or on many.

The order of work: `sources` finds the pictures, `reading` turns each into a result, `pool` does that in
processes, `store` keeps what is done, `games` joins photos to games, and `assembly` writes the folder.
"""

from tilesight.digitise.pipeline import Run, digitise
from tilesight.digitise.reading.environment import equipment
from tilesight.digitise.reading.photo_reader import Reading, Result
from tilesight.digitise.report.page import Report
from tilesight.digitise.results.parquet import TABLE, check_parquet
from tilesight.digitise.results.search_index import FoundPhoto, FoundPlay, Query, open_index
from tilesight.digitise.results.writer import Summary, Written
from tilesight.digitise.score_sheets.file import find_unmatched_patterns, load_sheets
from tilesight.digitise.sources.discovery import find_items
from tilesight.digitise.workers.batching import Task
from tilesight.digitise.workers.pool import run_task

__all__ = [
    "TABLE",
    "FoundPhoto",
    "FoundPlay",
    "Query",
    "Reading",
    "Report",
    "Result",
    "Run",
    "Summary",
    "Task",
    "Written",
    "check_parquet",
    "digitise",
    "equipment",
    "find_items",
    "find_unmatched_patterns",
    "load_sheets",
    "open_index",
    "run_task",
]
