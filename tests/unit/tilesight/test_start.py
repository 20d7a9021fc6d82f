"""Another package with the name of one of ours is named, with what helps; and matrices get one thread."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tilesight.start import explain_name_clash
from vision.capture.images import MAX_MEGAPIXELS

COMMAND = "from tilesight.start import main; main()"
LIBRARY = "import tilesight; tilesight.score"


def test_without_another_package_there_is_nothing_to_explain() -> None:
    assert explain_name_clash() == ""


@pytest.mark.parametrize(
    ("name", "text"), [("scoring", ""), ("scoring", "import missing"), ("vision", "import missing")]
)
def test_a_package_in_the_way_is_named(checkout: Path, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text(text)
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{checkout}"}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "--version"],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr.count("\n")) == (5, 1), done.stderr
    assert f"another package named {name} is in the way; install Tilesight in an environment" in done.stderr


def test_python_runs_the_package(checkout: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tilesight", "--version"],
        capture_output=True,
        text=True,
        check=False,
        cwd=checkout,
    )
    assert (done.returncode, done.stdout) == (0, f"tilesight {version('tilesight')}\n"), done.stderr


def test_ctrl_c_while_the_command_line_loads_is_no_traceback(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{checkout}"}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "--version"], env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "tilesight: stopped\n")


def test_ctrl_c_that_python_drops_ends_the_program_too(checkout: Path, tmp_path: Path) -> None:
    callback = "class Callback:\n    def __del__(self):\n        raise KeyboardInterrupt\n"
    (tmp_path / "typer.py").write_text(f"{callback}Callback()\nimport time\ntime.sleep(20)\n")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{checkout}"}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "--version"], env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "tilesight: stopped\n")


def test_the_library_names_it_too(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "scoring").mkdir()
    (tmp_path / "scoring" / "__init__.py").write_text("")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{checkout}"}
    done = subprocess.run(
        [sys.executable, "-c", LIBRARY], env=env, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert "ImportError: another package named scoring is in the way" in done.stderr


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("OPENBLAS_NUM_THREADS", {}, "1"),
        ("OPENBLAS_NUM_THREADS", {"OPENBLAS_NUM_THREADS": "2"}, "2"),
        ("OPENCV_IO_MAX_IMAGE_PIXELS", {}, f"{MAX_MEGAPIXELS}000000"),
    ],
)
def test_matrices_get_one_thread_and_pictures_a_limit_unless_the_user_says_otherwise(
    checkout: Path, name: str, given: dict[str, str], value: str
) -> None:
    code = f"import os, sys\ntry:\n    {COMMAND}\nfinally:\n    print(os.environ[{name!r}])"
    env = {each: text for each, text in os.environ.items() if each != name}
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"],
        env={**env, "PYTHONPATH": str(checkout), **given},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == value, done.stderr
