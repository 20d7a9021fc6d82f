"""A live game with a journal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.on_air import journal_of, open_table
from tilesight.live import LiveGame


@pytest.fixture
def table(tmp_path: Path) -> Iterator[LiveGame]:
    made = open_table(tmp_path, clock_s=60.0, now=lambda: 1000.0)
    yield made
    journal_of(made).close()
