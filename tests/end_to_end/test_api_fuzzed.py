"""The whole API against what its description allows and what it does not: no answer is the server's own error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from scoring import load_edition
from tests.support.on_air import BEARER, RunningServer, journal_of, open_table, send_commands, serve_tables
from tilesight.digitise.reading import PhotoRecord, PhotoStatus, ReadOptions, Result
from tilesight.digitise.workers import PictureProcess
from tilesight.web.photo import PhotoService

schemathesis = pytest.importorskip("schemathesis", reason="the API's fuzzing needs schemathesis")
pytestmark = pytest.mark.slow


class NoReading(PictureProcess):
    """Reads no photo: what is asked for is fuzzed here, not the decoders."""

    def read(self, data: bytes, name: str, options: ReadOptions) -> Result:
        return Result(record=PhotoRecord(status=PhotoStatus.UNREADABLE, message=f"{len(data)} bytes"), ms={})


@pytest.fixture(scope="module")
def air(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    from tilesight.web.access import security
    from tilesight.web.settings import WebSettings

    patch = pytest.MonkeyPatch()
    patch.setattr(security, "SETTINGS", WebSettings(read_limit=(1e6, 1e6), change_limit=(1e6, 1e6)))
    table = send_commands(open_table(tmp_path_factory.mktemp("fuzzed"), "final"), "play 8D HRAKI")
    photos = PhotoService([load_edition("english"), load_edition("hungarian")], NoReading())
    with serve_tables(table, photos=photos) as running:
        yield running
    patch.undo()


def operations(air: RunningServer) -> Iterator[Any]:
    """Everything that can be asked; events never end, and have tests of their own."""
    described = schemathesis.openapi.from_url(f"{air.address}/openapi.json")
    for found in described.exclude(path_regex="/events$").get_all_operations():
        yield found.ok()


def test_nothing_that_is_asked_ends_in_an_error_of_the_server(air: RunningServer) -> None:
    checks = [schemathesis.checks.not_a_server_error]
    asked = []
    for operation in operations(air):

        @settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            if "table" in (case.path_parameters or {}) and len(case.path_parameters["table"]) % 3:
                case.path_parameters["table"] = "final"
            case.call_and_validate(headers=BEARER, timeout=20, checks=checks)

        ask()
        asked.append(operation.label)
    assert len(asked) > 10


def test_the_journal_says_what_the_table_shows_after_all_that(air: RunningServer) -> None:
    table = air.tables["final"]
    assert journal_of(table).entries == air.json("/api/tables/final")["sequence"]
    assert journal_of(table).game(table.state.edition).events == table.state.game.events
