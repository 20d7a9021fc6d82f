"""The networks' weights as data files, and loading them into ONNX Runtime."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from vision.errors import SettingsError, summarize_error

__all__ = ["WEIGHTS", "load_session", "read_weights"]

WEIGHTS = Path(__file__).parent
"""Folder of the shipped weights."""


def read_weights(path: Path) -> bytes:
    """Read an ONNX file.

    Raises
    ------
    SettingsError
        If it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise SettingsError(
            f"network weights: {path} cannot be read ({error.strerror}); install again"
        ) from error


@lru_cache(maxsize=8)  # loading takes as long as reading a photo
def load_session(model: bytes, path: Path) -> Any:
    """Return an ``onnxruntime.InferenceSession`` of a network, the same one for the same network.

    Parameters
    ----------
    model : bytes
        From `read_weights`.
    path : Path
        Its file, for messages.

    Raises
    ------
    SettingsError
        If it is not a network.
    """
    import onnxruntime as ort  # slow to import, and not every command reads a picture

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime raises classes of its own that it does not export
        raise SettingsError(
            f"network weights: {path} cannot be loaded ({summarize_error(error)}); give an ONNX file that "
            "`make train` wrote, or install again"
        ) from error
