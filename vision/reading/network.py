"""The reader for printed and plastic tiles: one small network, all squares of a board in one batch.

The weights are an ONNX file; the JSON file beside it says which letters and values its outputs stand for,
how large its input is, and how it was trained and measured. Running it needs no training package.

ONNX Runtime and not OpenCV's own engine, since on one core it took 37 ms for a board's 225 squares where OpenCV 5.0
took 93, before the arithmetic became one of small integers; now it takes 19 (processor time, while decoding a
1504 px JPEG takes 6.5).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vision.errors import SettingsError
from vision.reading.colours import occupancy_by_colour
from vision.reading.crops import cell_crops
from vision.readings import BoardReading
from vision.rectified import RectifiedBoard

__all__ = ["NetworkReader"]

_SCHEMA = 1
_OUTPUTS = ("occupancy", "letter", "value", "turn")


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
    """

    session: Any
    tokens: tuple[str, ...]
    value_labels: tuple[int | None, ...]
    cell_px: int
    margin_px: int

    @classmethod
    def load(cls, path: Path | None = None, threads: int = 1) -> NetworkReader:
        """The network of an ONNX file, with the JSON file of the same name beside it.

        Parameters
        ----------
        path : Path, optional
            The ONNX file; the shipped weights by default.
        threads : int
            Threads that one reading may use.

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
            session = ort.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime raises classes of its own that it does not export
            raise SettingsError(
                f"network weights: {weights} cannot be loaded ({_one_line(error)}); give an ONNX file that "
                "calibration.train wrote, or install again"
            ) from error
        names = tuple(output.name for output in session.get_outputs())
        if names != _OUTPUTS:
            raise SettingsError(
                f"network weights: {weights} has outputs {names}, expected {_OUTPUTS}; train it again"
            )
        return cls(
            session=session,
            tokens=tuple(card["tokens"]),
            value_labels=tuple(card["value_labels"]),
            cell_px=int(card["cell_px"]),
            margin_px=int(card["context_px"]),
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
        if rectified.cell_px != self.cell_px:
            raise ValueError(f"rectified: expected cells of {self.cell_px} px, got {rectified.cell_px} px")
        cells = cell_crops(rectified, self.margin_px)
        board = (rectified.rows, rectified.columns, -1)
        occupancy, letters, values, turns = (
            np.asarray(output, dtype=np.float32).reshape(board)
            for output in self.session.run(None, {"cells": cells})
        )
        return BoardReading(
            reader="network",
            tokens=self.tokens,
            value_labels=self.value_labels,
            occupancy=occupancy_by_colour(rectified, occupancy),
            letters=letters,
            values=values,
            turns=turns,
        )


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
