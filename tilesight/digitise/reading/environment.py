"""The fingerprint of the software that reads pictures: if it differs, the same picture may give another board."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from vision.errors import SettingsError
from vision.recognition import installed_version

__all__ = ["check_environment", "environment_fingerprint"]

PACKAGES = ("tilesight", "numpy", "opencv-python", "onnxruntime", "pillow", "pi-heif")
"""Packages whose version may change a pixel or a probability, or which pictures can be opened."""


@functools.cache
def environment_fingerprint() -> Mapping[str, str]:
    """Return versions of the packages, and checksums of the code, the networks' weights and the shipped editions.

    Raises
    ------
    MissingProgramError
        If Tesseract is installed but does not answer.
    """
    root = Path(__file__).parents[3]
    vision, scoring = root / "vision", root / "scoring"
    versions = {name: installed(name) for name in PACKAGES}
    versions["tesseract"] = installed_version() or "missing"
    # the version changes with releases only, the code of a checkout at any time
    versions["code"] = checksum(
        sorted(
            path
            for part in (vision, scoring, root / "tilesight" / "digitise", root / "tilesight" / "output")
            for path in part.rglob("*.py")
        )
    )
    versions["weights"] = checksum(sorted((vision / "weights").glob("*.*")))
    versions["editions"] = checksum(sorted((scoring / "editions" / "data").glob("*.*")))
    return versions


def check_environment(expected: Mapping[str, str]) -> None:
    """Refuse to read with other software than the run began with.

    Parameters
    ----------
    expected : mapping of str to str
        The fingerprint of the process that began the run.

    Raises
    ------
    SettingsError
        If this process has another one.
    """
    mine = environment_fingerprint()
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
    """Return the version of a package, or ``missing``."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def checksum(paths: list[Path]) -> str:
    """Return a short checksum of these files' names and contents."""
    total = hashlib.sha256()
    for path in paths:
        total.update(path.name.encode() + b"\0")
        total.update(path.read_bytes())
    return total.hexdigest()[:16]
