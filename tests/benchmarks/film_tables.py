"""The tables of films, each made when it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from tests.benchmarks import bench_faults, bench_film, bench_live, bench_long, film_games

__all__ = ["TABLES"]

Table = tuple[Sequence[str], Sequence[Sequence[str]]]


def games() -> Table:
    """A hundred rendered games; what was followed before in an earlier run counts."""
    results = []
    jobs = min(8, os.cpu_count() or 1)
    for one in film_games.measure(film_games.all_games(), film_games.RESULTS, jobs=jobs):
        results.append(one)
        for at, line in one.blame:
            print(f"{one.edition}:{one.seed}  {at:.1f} s: {line}", file=sys.stderr, flush=True)
    return film_games.HEAD, film_games.table_rows(results)


def frames() -> Table:
    """How long a frame takes."""
    return bench_film.HEAD, bench_film.table_rows(bench_film.measure_film(bench_film.drawn()))


def cameras() -> Table:
    """Four cameras at once."""
    return bench_live.HEAD, bench_live.table_rows(bench_live.measure())


def hours() -> Table:
    """A film of three hours."""
    return bench_long.HEAD, bench_long.table_rows(bench_long.measure())


def faults() -> Table:
    """Streams that fail."""
    return bench_faults.HEAD, bench_faults.table_rows(bench_faults.measure())


TABLES: dict[str, Callable[[], Table]] = {
    "film times": frames,
    "cameras": cameras,
    "faults": faults,
    "long film": hours,
    "film games": games,
}
