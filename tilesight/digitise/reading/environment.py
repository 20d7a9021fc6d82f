"""What a process reads pictures with: the same everywhere, or the same picture could give two boards."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from vision.errors import SettingsError
from vision.recognition import installed_version

__all__ = ["check_equipment", "equipment"]

PACKAGES = ("tilesight", "numpy", "opencv-python", "onnxruntime", "pillow", "pi-heif")
"""Those whose version may change a pixel or a probability, or which pictures can be opened."""


@functools.cache
def equipment() -> Mapping[str, str]:
    """Versions of what reads, and checksums of its code, the networks' weights and the shipped editions.

    Raises
    ------
    MissingProgramError
        If Tesseract is there but does not answer.
    """
    root = Path(__file__).parents[3]
    vision, scoring = root / "vision", root / "scoring"
    found = {name: installed(name) for name in PACKAGES}
    found["tesseract"] = installed_version() or "missing"
    # a version names what was released; a checkout that is worked on keeps its name for months
    found["code"] = checksum(
        sorted(
            path for part in (vision, scoring, root / "tilesight" / "digitise") for path in part.rglob("*.py")
        )
    )
    found["weights"] = checksum(sorted((vision / "weights").glob("*.*")))
    found["editions"] = checksum(sorted((scoring / "editions" / "data").glob("*.*")))
    return found


def check_equipment(expected: Mapping[str, str]) -> None:
    """Refuses to read with anything else than what the run began with.

    Raises
    ------
    SettingsError
        If something differs.
    """
    mine = equipment()
    other = [
        f"{name} {mine.get(name)} instead of {value}"
        for name, value in expected.items()
        if mine.get(name) != value
    ]
    if other:
        raise SettingsError(
            f"a worker has {', '.join(other)}; install the same on all machines of the cluster"
        )


def installed(name: str) -> str:
    """The version of a package that is installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def checksum(paths: list[Path]) -> str:
    """A short checksum of these files' names and contents."""
    total = hashlib.sha256()
    for path in paths:
        total.update(path.name.encode() + b"\0")
        total.update(path.read_bytes())
    return total.hexdigest()[:16]
