"""The reader for printed and plastic tiles: one small network, all squares of a board in one batch.

The weights are an ONNX file; the JSON file beside it says which letters and values its outputs stand for,
how large its input is, and how it was trained and measured. Running it needs no training package.

ONNX Runtime and not OpenCV's own engine, since on one core it took 37 ms for a board's 225 squares where OpenCV 5.0
took 93, before the arithmetic became one of small integers; now it takes 19 (processor time, while decoding a
1504 px JPEG takes 6.5).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.errors import SettingsError
from vision.reading.colours import occupancy_by_colour
from vision.reading.crops import cell_crops
from vision.readings import BoardReading
from vision.rectified import RectifiedBoard

__all__ = ["NetworkReader"]

_SCHEMA = 1
_OUTPUTS = ("occupancy", "letter", "value", "turn")
_FEATURES = "/network/Concat_output_0"
"""The tensor from which the network computes what its outputs share: what it saw, before it named it."""


@dataclass(frozen=True, slots=True, eq=False)
class NetworkReader:
    """Reads every square of a straightened board with the cell network.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        The loaded network. Input ``cells`` (n, side, side, 3) uint8 BGR; outputs are probabilities.
    tokens : tuple of str
        The letters that the network knows.
    value_labels : tuple of int or None
        The printed values that it knows.
    cell_px, margin_px : int
        The rectification it wants: side of a cell, and pixels of surroundings on each side.
    fingerprint : str
        Tells these weights from others.
    """

    session: Any
    tokens: tuple[str, ...]
    value_labels: tuple[int | None, ...]
    cell_px: int
    margin_px: int
    fingerprint: str = ""

    @classmethod
    def load(cls, path: Path | None = None, threads: int = 1, *, features: bool = False) -> NetworkReader:
        """The network of an ONNX file, with the JSON file of the same name beside it.

        Parameters
        ----------
        path : Path, optional
            The ONNX file; the shipped weights by default.
        threads : int
            Threads that one reading may use.
        features : bool
            Whether `read_with_features` will be asked.

        Raises
        ------
        SettingsError
            If a file is missing, or is not a network of this form.
        """
        import onnxruntime as ort  # slow to import, and not every command reads a picture

        weights = path if path is not None else Path(__file__).parents[1] / "weights" / "cells.onnx"
        card = _read_card(weights.with_suffix(".json"))
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            model = weights.read_bytes()
            session = ort.InferenceSession(
                with_output(model, _FEATURES) if features else model,
                options,
                providers=["CPUExecutionProvider"],
            )
        except Exception as error:  # the runtime raises classes of its own that it does not export
            raise SettingsError(
                f"network weights: {weights} cannot be loaded ({_one_line(error)}); give an ONNX file that "
                "calibration.train wrote, or install again"
            ) from error
        names = tuple(output.name for output in session.get_outputs())
        if names[: len(_OUTPUTS)] != _OUTPUTS:
            raise SettingsError(
                f"network weights: {weights} has outputs {names}, expected {_OUTPUTS}; train it again"
            )
        return cls(
            session=session,
            tokens=tuple(card["tokens"]),
            value_labels=tuple(card["value_labels"]),
            cell_px=int(card["cell_px"]),
            margin_px=int(card["context_px"]),
            fingerprint=hashlib.sha256(model).hexdigest()[:16],
        )

    def read(self, rectified: RectifiedBoard) -> BoardReading:
        """Probabilities for every square of the board.

        Parameters
        ----------
        rectified : RectifiedBoard
            Straightened with this reader's `cell_px` and a margin of at least `margin_px`.

        Raises
        ------
        ValueError
            If the board was straightened to another size.
        """
        return self.read_with_features(rectified)[0]

    def read_with_features(self, rectified: RectifiedBoard) -> tuple[BoardReading, NDArray[np.float32]]:
        """The same, and (rows, columns, n) what the network saw there; n is 0 if it was loaded without features."""
        if rectified.cell_px != self.cell_px:
            raise ValueError(f"rectified: expected cells of {self.cell_px} px, got {rectified.cell_px} px")
        cells = cell_crops(rectified, self.margin_px)
        board = (rectified.rows, rectified.columns, -1)
        occupancy, letters, values, turns, *more = (
            np.asarray(output, dtype=np.float32).reshape(board)
            for output in self.session.run(None, {"cells": cells})
        )
        reading = BoardReading(
            reader="network",
            tokens=self.tokens,
            value_labels=self.value_labels,
            occupancy=occupancy_by_colour(rectified, occupancy),
            letters=letters,
            values=values,
            turns=turns,
        )
        return reading, more[0] if more else np.zeros((*board[:2], 0), np.float32)

    def features(self, cells: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(n, m) what the network sees in single squares (n, side, side, 3), BGR; it was loaded with features."""
        return np.asarray(self.session.run([_FEATURES], {"cells": cells})[0], dtype=np.float32)

    def letters(self, cells: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(n, len(tokens)) probability of each letter in single squares (n, side, side, 3), BGR."""
        return np.asarray(self.session.run(["letter"], {"cells": cells})[0], dtype=np.float32)


def with_output(model: bytes, name: str) -> bytes:
    """An ONNX file that also gives a tensor of its own, by name.

    References
    ----------
    Protocol Buffers, "Last One Wins" and merging: bytes of a message put behind another's are merged into it, so
    that field 7 (graph) of a model with field 12 (output) of a graph with field 1 (name) adds one output.
    """
    return model + _field(7, _field(12, _field(1, name.encode())))


def _field(number: int, content: bytes) -> bytes:
    """A field of bytes, for numbers below 16 and contents below 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def _read_card(path: Path) -> dict[str, Any]:
    """The description of the weights: what their outputs stand for."""
    try:
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if card["schema"] != _SCHEMA:
            raise SettingsError(
                f"network weights: {path} has schema {card['schema']}, expected {_SCHEMA}; train again"
            )
        missing = {"tokens", "value_labels", "cell_px", "context_px"} - card.keys()
    except OSError as error:
        raise SettingsError(
            f"network weights: {path} cannot be read ({error.strerror}); install again"
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise SettingsError(
            f"network weights: {path} is no description of weights ({_one_line(error)}); install again"
        ) from error
    if missing:
        raise SettingsError(f"network weights: {path} lacks {', '.join(sorted(missing))}; train again")
    return card


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:160]
