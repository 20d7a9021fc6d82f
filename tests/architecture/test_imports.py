"""Who may import whom, and what must stay out of the start-up."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

PACKAGES = ("scoring", "vision", "calibration", "samples", "tilesight")
MAX_LINES = 450
MAX_MODULES = 15
SLOW = (
    "cv2",
    "numpy",
    "skimage",
    "onnxruntime",
    "pytesseract",
    "PIL",
    "scipy",
    "fastapi",
    "uvicorn",
    "pydantic",
)


def modules_loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_import_rules_hold(checkout: Path) -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([linter, "--no-cache"], cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_command_line_starts_without_the_slow_packages() -> None:
    assert not modules_loaded_by("import tilesight.cli.main") & set(SLOW)


def test_one_module_alone_knows_pytesseract(checkout: Path) -> None:
    users = [
        path.name for path in (checkout / "vision").rglob("*.py") if "import pytesseract" in path.read_text()
    ]
    assert users == ["tesseract.py"]


def modules() -> list[str]:
    found = []
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        found += [package, *(module.name for module in pkgutil.walk_packages(path, f"{package}."))]
    return found


def test_no_package_has_too_many_modules(checkout: Path) -> None:
    sizes = Counter(path.parent for package in PACKAGES for path in (checkout / package).rglob("*.py"))
    assert [str(folder) for folder, size in sizes.items() if size > MAX_MODULES] == []


@pytest.mark.parametrize("name", modules())
def test_every_module_is_documented_short_and_exports_what_exists(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "onnx"):
            raise
        pytest.skip(f"{error.name} is not installed (the extra `train`)")
    assert module.__doc__, f"{name} has no docstring"
    assert module.__file__ is not None
    assert len(Path(module.__file__).read_text().splitlines()) <= MAX_LINES, f"{name} has outgrown one idea"
    for exported in getattr(module, "__all__", []):
        assert hasattr(module, exported), f"{name}.__all__ names {exported}, which is not there"
