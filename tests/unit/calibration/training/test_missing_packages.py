"""Training commands without the extra `train`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from calibration.training import report_missing_package
from vision.errors import ExitCode


@pytest.mark.parametrize("missing", ["torch", "onnx"])
def test_a_missing_package_is_one_line_with_its_command(checkout: Path, tmp_path: Path, missing: str) -> None:
    for name in ("torch", "onnx"):
        text = f"raise ModuleNotFoundError(name={name!r})\n" if name == missing else ""
        (tmp_path / f"{name}.py").write_text(text)
    command = "train_squares" if missing == "torch" else "fit_pooling"
    done = subprocess.run(
        [sys.executable, "-m", f"calibration.training.{command}", "--help"],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": f"{checkout}{os.pathsep}{tmp_path}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == (
        f"the Python package {missing} is missing; in the checkout, run: "
        ".venv/bin/python -m pip install -e '.[train]'\n"
    )
    assert done.returncode == ExitCode.MISSING_PROGRAM


def test_other_errors_keep_their_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    error = ModuleNotFoundError("No module named 'nothing'", name="nothing")
    report_missing_package(type(error), error, None)
    assert "No module named 'nothing'" in capsys.readouterr().err
