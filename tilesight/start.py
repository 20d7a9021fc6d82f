"""The program `tilesight`: runs the command line, or says which other package has taken the name of one of ours."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

__all__ = ["explain_name_clash", "main"]

PACKAGES = ("scoring", "vision", "calibration")
"""Our packages whose names others use too."""
REPEAT_AFTER_S = 0.05
"""Seconds after which a dropped interrupt is repeated: the callback that dropped it has ended by then; chosen."""


def main() -> None:
    """Run the command line; end with one line if another package is in the way (exit code 5) or at Ctrl-C."""
    # Read when NumPy is imported. Our matrices are small: several threads mostly wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Read when OpenCV is imported: pictures inside of profiles and journals have no more pixels than files may have.
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", "120000000")
    sys.unraisablehook = repeat_interrupt
    try:
        from tilesight.cli import main as command_line
    except Exception as error:
        clash = explain_name_clash()
        if not clash:
            raise
        print(f"tilesight: {clash} ({type(error).__name__}: {error})", file=sys.stderr)
        sys.exit(5)
    except KeyboardInterrupt:
        print("tilesight: stopped", file=sys.stderr)
        sys.exit(130)
    command_line.main()


def repeat_interrupt(dropped: UnraisableHookArgs) -> None:
    """Send the signal of Ctrl-C again, if Python has dropped its exception, as in a callback while it imports."""
    if issubclass(dropped.exc_type, KeyboardInterrupt):
        threading.Timer(REPEAT_AFTER_S, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(dropped)


def explain_name_clash() -> str:
    """Name a package that has replaced one of ours, with what helps; empty if all are ours."""
    from importlib.metadata import packages_distributions

    folder = Path(__file__).resolve().parents[1]
    distributions = packages_distributions()
    for name in PACKAGES:
        others = sorted(set(distributions.get(name, ())) - {"tilesight"})
        if others or not _is_next_to(folder, name):
            by = f" of the distribution {' and '.join(others)}" if others else ""
            return (
                f"another package named {name}{by} is in the way; install Tilesight in an environment of its own, "
                "in its checkout with: pipx install --force '.[all]'"
            )
    return ""


def _is_next_to(folder: Path, name: str) -> bool:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve().parents[1] == folder
