"""The scripts that write files of the checkout: help writes nothing."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from tests.documents.pages import CHECKOUT

SCRIPTS = [
    path.relative_to(CHECKOUT).with_suffix("").as_posix().replace("/", ".")
    for folder in ("docs", "samples")
    for path in sorted((CHECKOUT / folder).rglob("*.py"))
    if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
] + ["tests.support.unknown_club"]


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
def test_help_explains_a_script_and_runs_nothing(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [script, "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(script, run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: ")
    assert list(tmp_path.iterdir()) == []
