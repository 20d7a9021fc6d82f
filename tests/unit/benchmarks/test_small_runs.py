"""Small runs of long benchmarks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks import bench_digitise, bench_long

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]


def test_a_long_film_may_be_as_short_as_its_game() -> None:
    result = bench_long.measure(hours=0.0)
    assert result.errors == 0
    assert result.boards_read > 4
    ((_, _, first, most, last, errors),) = bench_long.table_rows(result)
    assert (first.endswith(" MB"), most, last, errors) == (True, "+0.0 MB", "+0.0 MB", "0")


def test_good_files_are_digitised_among_damaged_ones(tmp_path: Path) -> None:
    rows = list(bench_digitise.PARTS["damaged"](tmp_path, number=5))
    assert rows == [("5 damaged files among 5 good ones", "5 boards, 5 reasons, 0 files elsewhere")]


def test_one_rendered_game_is_digitised(tmp_path: Path) -> None:
    rows = list(bench_digitise.PARTS["games"](tmp_path, number=1, boxes=1))
    assert [row[1] for row in rows] == ["1 of 1", "1 of 1"]
