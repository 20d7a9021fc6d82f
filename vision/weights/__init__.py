"""The networks' weights, as data files, and what runs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vision.errors import SettingsError

__all__ = ["WEIGHTS", "load_session", "one_line", "read_weights"]

WEIGHTS = Path(__file__).parent
"""Where the shipped ones lie."""


def read_weights(path: Path) -> bytes:
    """What an ONNX file holds.

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


def load_session(model: bytes, path: Path, threads: int = 1) -> Any:
    """An ``onnxruntime.InferenceSession`` of a network.

    Parameters
    ----------
    model : bytes
        What `read_weights` gives.
    path : Path
        Where it came from, for people.
    threads : int
        Threads that one run may use.

    Raises
    ------
    SettingsError
        If it is no network.
    """
    import onnxruntime as ort  # slow to import, and not every command reads a picture

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime raises classes of its own that it does not export
        raise SettingsError(
            f"network weights: {path} cannot be loaded ({one_line(error)}); give an ONNX file that `make train` "
            "wrote, or install again"
        ) from error


def one_line(error: Exception) -> str:
    """What an error says, short and without line breaks."""
    return " ".join(str(error).split())[:160]
