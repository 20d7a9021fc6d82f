"""Fixtures for all tests."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from samples import fonts
from tilesight.cli.main import main

CHECKOUT = Path(__file__).resolve().parents[1]
DEJAVU = [
    f"DejaVu{face}.ttf" for face in ("Sans", "Sans-Bold", "SansMono", "SansMono-Bold", "Serif", "Serif-Bold")
]
FONT_FILES = {
    "fonts-dejavu-core": [f"truetype/dejavu/{file}" for file in DEJAVU],
    "fonts-urw-base35": ["opentype/urw-base35/*.otf"],
}
"""The fonts of the tests by their package; `make test` installs these packages."""


def pytest_configure(config: pytest.Config) -> None:
    """Show the renderer the same fonts on every machine: with others, it draws other pictures."""
    root = tempfile.TemporaryDirectory(prefix="tilesight-fonts-")
    config.add_cleanup(root.cleanup)
    for package, patterns in FONT_FILES.items():
        paths = [path for pattern in patterns for path in sorted((fonts.ROOT / "fonts").glob(pattern))]
        if not paths:
            text = f"{package} is missing, and tests that draw with it fail; run: apt-get install {package}"
            config.issue_config_time_warning(pytest.PytestConfigWarning(text), stacklevel=2)
        for path in paths:
            link = Path(root.name) / path.relative_to(fonts.ROOT)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
    fonts.ROOT = Path(root.name)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Run long tests without a tracer, and those of photos that users don't have: coverage is the others' matter.

    pytest-cov leaves a tracer in the processes of xdist for tests that are marked `no_cover`.
    """
    trace = sys.gettrace()
    if item.get_closest_marker("no_cover") or item.get_closest_marker("boards"):
        sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(trace)


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the source tree."""
    return CHECKOUT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of labelled photos and rule facts beside the checkout, which users don't have."""
    folder = CHECKOUT.parent / "shared"
    if not (folder / "boards").is_dir():
        pytest.skip("the labelled boards are not beside this checkout (../shared)")
    return folder


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json_lines(self) -> list[dict[str, Any]]:
        """Each line of standard output as a JSON object."""
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def tilesight(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs the command line in this process, through the same door as a user."""

    def run(*arguments: str | Path) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["tilesight", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        code = ended.value.code
        return Outcome(code=int(code or 0), out=printed.out, err=printed.err)

    return run


@pytest.fixture(scope="session")
def icelandic_sample(checkout: Path) -> Path:
    """The folder of the sample that ships: five photos of a game and their truth."""
    return checkout / "samples" / "shipped" / "icelandic"
