"""The side from which the print of the premium squares is upright, for boards with too few letters to tell.

All empty squares of one class (triple word, double letter) have the same print. Their median is much clearer than each
of them. A small network judges how upright each median print is, as it is seen and from the other three sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import Layout
from vision.core import Mask, RectifiedBoard, median, softmax
from vision.recognition.appearance import square_classes
from vision.weights import WEIGHTS, load_session, read_weights

__all__ = ["PRINT_CELL_PX", "PRINT_PX", "PrintVote", "median_prints", "normalize_print", "vote_by_print"]

PRINT_PX = 44
"""Side in pixels of a print, without the lines around the square."""

PRINT_CELL_PX = 96
"""Side in pixels of the squares of the rectified board: twice `CELL_PX`, so that small print does not alias."""

CELL_PX = 48
"""Side in pixels of the square from whose middle a print is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintSettings:
    """Thresholds of the premium print; chosen."""

    min_squares: int = 3
    """Empty squares of a class from which its print is used."""
    min_contrast: float = 3.0
    """Least standard deviation, in grey levels, to which a print is normalised: texture is no print."""
    min_confidence: float = 0.85
    """Posterior probability from which the print tells the side."""


SETTINGS = PrintSettings()


class PrintVote(NamedTuple):
    """The turn that the premium print votes for.

    Parameters
    ----------
    quarter_turns : int
        0 to 3; `Grid.rotate` with this number names the corners so that the print is upright.
    confidence : float
        Posterior probability of that turn; the rest is for the other turns, and for print that tells no side.
    """

    quarter_turns: int
    confidence: float

    @property
    def is_clear(self) -> bool:
        """Whether the print tells the side."""
        return self.confidence >= SETTINGS.min_confidence


def vote_by_print(rectified: RectifiedBoard, empty: Mask, layout: Layout | None) -> PrintVote:
    """Let the premium print vote for its turn.

    Parameters
    ----------
    rectified : RectifiedBoard
        The rectified board.
    empty : (rows, columns) bool
        The empty squares.
    layout : Layout, optional
        The premium squares. Without it, or where it differs from its sides, nothing is known.
    """
    prints = median_prints(rectified, empty, square_classes(layout, empty.shape))
    if not len(prints):
        return PrintVote(0, 0.0)
    weights = WEIGHTS / "print.onnx"  # most boards have letters and do not need it
    turned = np.concatenate([np.rot90(prints, turn, axes=(1, 2)) for turn in range(4)])
    (scores,) = load_session(read_weights(weights), weights).run(None, {"prints": turned[:, None]})
    logits = np.append(scores.reshape(4, len(prints)).sum(axis=1).astype(np.float64), 0.0)
    if rectified.rows != rectified.columns:  # a quarter turn would change the board's shape
        logits[[1, 3]] = -np.inf
    posterior = softmax(logits)
    best = int(posterior[:4].argmax())
    return PrintVote(best, float(posterior[best]))


def median_prints(rectified: RectifiedBoard, empty: Mask, classes: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return the normalised median print (n, side, side) of each class of premium squares that has empty squares.

    Parameters
    ----------
    rectified : RectifiedBoard
        The rectified board.
    empty : (rows, columns) bool
        The empty squares.
    classes : (rows, columns) int
        From `square_classes`.
    """
    rows, columns = empty.shape
    grey = cv2.cvtColor(rectified.interior_bgr, cv2.COLOR_BGR2GRAY)
    if rectified.cell_px != CELL_PX:
        grey = cv2.resize(grey, (columns * CELL_PX, rows * CELL_PX), interpolation=cv2.INTER_AREA)
    first, last = (CELL_PX - PRINT_PX) // 2, (CELL_PX + PRINT_PX) // 2
    cells = grey.reshape(rows, CELL_PX, columns, CELL_PX).swapaxes(1, 2)[..., first:last, first:last]
    prints = []
    for kind in range(1, int(classes.max())):  # neither plain squares nor those of the start
        squares = cells[empty & (classes == kind)].astype(np.float32)
        if len(squares) >= SETTINGS.min_squares:
            squares -= squares.mean(axis=(1, 2), keepdims=True)
            prints.append(normalize_print(median(np.moveaxis(squares, 0, -1))))
    return np.array(prints, np.float32).reshape(-1, PRINT_PX, PRINT_PX)


def normalize_print(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    """Normalise a print (side, side) by its own mean and contrast."""
    result = grey - grey.mean()
    return np.asarray(result / max(float(result.std()), SETTINGS.min_contrast), np.float32)
