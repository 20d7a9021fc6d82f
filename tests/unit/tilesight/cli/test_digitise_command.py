"""What the command for digitising asks of the machine."""

from __future__ import annotations

import os

import pytest

from tilesight.cli.digitise import count_cores


def test_without_the_cores_of_a_process_all_of_the_machine_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= count_cores() <= (os.cpu_count() or 1)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert count_cores() == 8
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert count_cores() == 1
