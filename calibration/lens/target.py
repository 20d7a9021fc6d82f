"""The calibration target: a chessboard with markers, printed at its exact size."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import check_folder, write_file
from vision.drawing import put_text
from vision.errors import SettingsError

__all__ = ["PAPERS_MM", "Target", "draw_sheet", "encode_sheet", "write_sheet"]

PAPERS_MM = {"a4": (297.0, 210.0), "a3": (420.0, 297.0), "letter": (279.4, 215.9)}
"""Width and height of papers in landscape format."""
DPI = 300
MIN_MARGIN_MM = 8.0
MARKER_SHARE = 0.75
"""Side of a marker as a share of its square's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A chessboard with markers in its white squares.

    Parameters
    ----------
    columns, rows : int
        Number of squares.
    square_mm : float
        Side of a square.
    markers : bool
        Whether the white squares have markers (ChArUco). Then a part of the sheet is enough; a plain chessboard must be
        seen completely.

    References
    ----------
    S. Garrido-Jurado et al.: Automatic generation and detection of highly reliable fiducial markers under occlusion.
    Pattern Recognition 47 (2014); OpenCV's manual, "Detection of ChArUco Boards".
    """

    columns: int = 10
    rows: int = 7
    square_mm: float = 25.0
    markers: bool = True

    def __post_init__(self) -> None:
        if not (4 <= self.columns <= 40 and 4 <= self.rows <= 40 and 2 <= self.square_mm <= 1000):
            raise SettingsError(
                f"target: 4 to 40 squares a side of 2 to 1000 mm, got {self.columns}x{self.rows} of "
                f"{self.square_mm:g} mm; give --squares 10x7 --square-mm 25, as printed on the sheet"
            )

    @classmethod
    def for_paper(cls, paper: str, markers: bool = True) -> Target:
        """Return the default target, its squares as large as the paper allows, in integer millimetres."""
        width, height = PAPERS_MM[paper]
        usable = min((width - 2 * MIN_MARGIN_MM) / 10, (height - 2 * MIN_MARGIN_MM - 8) / 7)
        return cls(square_mm=float(int(usable)), markers=markers)

    @property
    def board(self) -> Any:
        """The target as an OpenCV board."""
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_250)
        return cv2.aruco.CharucoBoard(
            (self.columns, self.rows), self.square_mm, MARKER_SHARE * self.square_mm, dictionary
        )

    @property
    def corners_mm(self) -> NDArray[np.float64]:
        """The inner corners row by row, (n, 3) float64, in the sheet's plane."""
        x, y = np.meshgrid(np.arange(1, self.columns), np.arange(1, self.rows))
        flat = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)
        return np.asarray(flat * self.square_mm, dtype=np.float64)

    def draw(self, square_px: int) -> NDArray[np.uint8]:
        """Draw the pattern without a margin, (rows * square_px, columns * square_px) uint8, grey."""
        size = (self.columns * square_px, self.rows * square_px)
        if self.markers:
            return np.asarray(self.board.generateImage(size, marginSize=0, borderBits=1), np.uint8)
        dark = np.add.outer(np.arange(self.rows), np.arange(self.columns)) % 2 == 0
        return np.kron(np.where(dark, 0, 255), np.ones((square_px, square_px))).astype(np.uint8)


def draw_sheet(target: Target, paper: str) -> NDArray[np.uint8]:
    """Draw the complete sheet at 300 pixels per inch, (height, width, 3) uint8 BGR, with its size in words.

    Raises
    ------
    SettingsError
        If the pattern does not fit the paper.
    """
    if paper not in PAPERS_MM:
        raise SettingsError(f"--paper {paper}: choose {', '.join(PAPERS_MM)}")
    px = DPI / 25.4
    width_mm, height_mm = PAPERS_MM[paper]
    pattern_mm = (target.columns * target.square_mm, target.rows * target.square_mm)
    if pattern_mm[0] + 2 * MIN_MARGIN_MM > width_mm or pattern_mm[1] + 2 * MIN_MARGIN_MM + 8 > height_mm:
        raise SettingsError(
            f"target: {pattern_mm[0]:g} x {pattern_mm[1]:g} mm do not fit {paper} with its margins; "
            "choose smaller squares or --paper a3"
        )
    pattern = target.draw(max(40, round(target.square_mm * px)))
    size = (round(pattern_mm[0] * px), round(pattern_mm[1] * px))
    pattern = np.asarray(cv2.resize(pattern, size, interpolation=cv2.INTER_AREA), np.uint8)
    sheet = np.full((round(height_mm * px), round(width_mm * px), 3), 255, np.uint8)
    x, y = (sheet.shape[1] - size[0]) // 2, (sheet.shape[0] - size[1]) // 2 - round(2 * px)
    sheet[y : y + size[1], x : x + size[0]] = pattern[..., None]
    text = (
        f"Tilesight calibration target, {target.columns}x{target.rows} squares of {target.square_mm:g} mm. "
        "Print at 100% (no scaling), measure one square, glue it onto something flat."
    )
    put_text(sheet, text, x, y + size[1] + round(5.5 * px), round(3.2 * px), (90, 90, 90))
    return sheet


def write_sheet(path: Path, target: Target, paper: str) -> None:
    """Write the sheet as PDF or PNG by the file's suffix; both contain their size in millimetres.

    Raises
    ------
    SettingsError
        If the suffix is another, the folder does not exist, or the pattern does not fit the paper.
    InputError
        If the file cannot be written.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in ("pdf", "png"):
        raise SettingsError(f"{path}: name the sheet .pdf or .png")
    check_folder(path)
    write_file(path, encode_sheet(target, paper, kind))


def encode_sheet(target: Target, paper: str, kind: str) -> bytes:
    """Encode the sheet as a file of kind ``pdf`` or ``png``.

    Raises
    ------
    SettingsError
        If the pattern does not fit the paper.
    """
    from PIL import Image

    sheet = Image.fromarray(draw_sheet(target, paper)[..., 0])
    data = io.BytesIO()
    if kind == "pdf":
        sheet.save(data, "PDF", resolution=DPI, title="Tilesight calibration target")
    else:
        sheet.save(data, "PNG", dpi=(DPI, DPI))
    return data.getvalue()
