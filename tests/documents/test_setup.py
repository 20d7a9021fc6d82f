"""Setting up a checkout: an older Python, and system packages of which one cannot be installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.documents.pages import CHECKOUT

INSTALL = """
echo "$*" >>"$0.log"
case " $* " in *" install "*" tesseract-ocr-ron "*) exit 100 ;; esac
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Puts a shell script of this name before all programs."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def write(name: str, script: str) -> Path:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return write


def run(*command: str) -> tuple[int, str]:
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_an_older_python_is_refused_before_anything_is_installed(
    tmp_path: Path, program: Callable[[str, str], Path]
) -> None:
    older = program("older", f'exec {sys.executable} -c "import sys; sys.version_info = (3, 10); $2"')
    program("apt-get", "exit 1")
    code, text = run("make", "setup", f"PYTHON={older}", f"VENV={tmp_path / 'venv'}")
    assert code != 0
    assert f"Tilesight needs Python 3.11 or newer, and {older} is an older one" in text
    assert not (tmp_path / "venv").exists()


def test_a_package_that_cannot_be_installed_keeps_no_other_away(program: Callable[[str, str], Path]) -> None:
    log = program("apt-get", INSTALL).with_suffix(".log")
    program("id", "echo 0")
    program("tesseract", "exit 1")
    code, text = run(".ci/system-packages")
    assert code == 0
    assert "install -y --no-install-recommends tesseract-ocr-isl\n" in log.read_text()
    assert "could not be installed here: tesseract-ocr-ron\n" in text


def test_a_browser_of_any_name_will_do_where_there_is_no_headless_shell(
    tmp_path: Path, program: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bash", "grep", "mktemp", "python3", "rm", "tail"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tmp_path))
    program("apt-get", INSTALL)
    program("id", "echo 0")
    program("apt-cache", "exit 1")
    program("tesseract", "exit 1")
    program("chromium-browser", "exit 0")
    code, text = run(".ci/system-packages", "tests")
    assert code == 0
    assert "tesseract-ocr-isl" in text
    assert "chromium" not in text
