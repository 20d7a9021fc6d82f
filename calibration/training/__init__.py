"""Train the networks. Offline: needs PyTorch and the renderer, and is not in the wheel."""

from __future__ import annotations

import sys
from types import TracebackType

from vision.errors import ExitCode

EXTRA = ("torch", "onnx", "onnxscript")
"""Packages of the extra `train`, or that one of them needs."""


def report_missing_package(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """Report a missing package of the extra `train` in one line, and other errors as Python does."""
    if isinstance(error, ModuleNotFoundError) and error.name in EXTRA:
        print(
            f"the Python package {error.name} is missing; in the checkout, run: "
            ".venv/bin/python -m pip install -e '.[train]'",
            file=sys.stderr,
        )
        raise SystemExit(ExitCode.MISSING_PROGRAM)
    sys.__excepthook__(kind, error, traceback)


if sys.argv[0] == "-m":  # Python is about to run a module of this package as a command
    sys.excepthook = report_missing_package
