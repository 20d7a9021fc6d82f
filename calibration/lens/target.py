"""The calibration target: a chessboard with markers, printed at its exact size and detected in pictures."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from skimage.measure import blur_effect

from vision.core import OWN_MARK, PICTURE_TRAILER, check_folder, check_own_file, freeze, write_file
from vision.drawing import put_text
from vision.errors import InputError, SettingsError

__all__ = ["PAPERS_MM", "Target", "View", "detect_target", "draw_sheet", "encode_sheet", "write_sheet"]

PAPERS_MM = {"a4": (297.0, 210.0), "a3": (420.0, 297.0), "letter": (279.4, 215.9)}
"""Width and height of papers in landscape format."""
DPI = 300
"""Resolution of the printed sheet, in dots an inch; chosen."""
MIN_MARGIN_MM = 8.0
"""White around the pattern, at least, in mm: printers leave the rim of a paper empty. Chosen."""
MARKER_SHARE = 0.75
"""Side of a marker as a share of its square's."""
MAX_MARKERS = 250
"""Markers of the dictionary; every second square has one."""


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
        n_markers = self.columns * self.rows // 2
        if self.markers and n_markers > MAX_MARKERS:
            raise SettingsError(
                f"target: {self.columns}x{self.rows} squares need {n_markers} markers, and there are {MAX_MARKERS}; "
                "give fewer, such as --squares 25x20, or --chess"
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


def write_sheet(path: Path, target: Target, paper: str, *, force: bool = False) -> None:
    """Write the sheet as PDF or PNG by the file's suffix; both contain their size in millimetres.

    Raises
    ------
    SettingsError
        If the suffix is another, the folder does not exist, the pattern does not fit the paper, or a file would be
        overwritten that Tilesight did not write, and `force` is not given.
    InputError
        If the file cannot be written.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in ("pdf", "png"):
        raise SettingsError(f"{path}: name the sheet .pdf or .png")
    check_folder(path)
    check_own_file(path, force=force)
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
        data.write(b"%" + OWN_MARK + b"\n")  # a comment
    else:
        sheet.save(data, "PNG", dpi=(DPI, DPI))
        data.write(PICTURE_TRAILER)
    return data.getvalue()


MIN_POINTS = 12
"""Corners that a view needs; chosen."""
MAX_BLUR = 0.55
"""Blur by Crete et al. at a width of 800 px, above which a picture is called blurred; sharp ones are below 0.4."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class View:
    """The known points of a flat target in one picture.

    Parameters
    ----------
    name : str
        Name of the picture, for messages.
    points : (n, 3) float64
        Coordinates of the points on the target, whose plane is z = 0; any unit.
    pixels : (n, 2) float64
        Coordinates of the points in the picture.
    size_px : (width, height)
        Size of the picture.
    """

    name: str
    points: NDArray[np.float64]
    pixels: NDArray[np.float64]
    size_px: tuple[int, int]

    def __post_init__(self) -> None:
        count = len(self.points)
        object.__setattr__(self, "points", freeze(self.points, (count, 3), np.float64, "points"))
        object.__setattr__(self, "pixels", freeze(self.pixels, (count, 2), np.float64, "pixels"))


def detect_target(image_bgr: NDArray[np.uint8], name: str, target: Target) -> View:
    """Detect the target's corners in a picture.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    name : str
        Name of the picture, for messages.
    target : Target
        The target that was printed.

    Raises
    ------
    InputError
        If the target is not seen well enough. The message says why.
    """
    grey = np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    height, width = grey.shape
    found = _detect_charuco(grey, target) if target.markers else _detect_chessboard(grey, target)
    if found is None or len(found[0]) < MIN_POINTS:
        raise InputError(f"{name}: {_explain_failure(grey, target, 0 if found is None else len(found[0]))}")
    numbers, pixels = found
    return View(name=name, points=target.corners_mm[numbers], pixels=pixels, size_px=(width, height))


def _detect_charuco(
    grey: NDArray[np.uint8], target: Target
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    pixels, numbers, _, _ = cv2.aruco.CharucoDetector(target.board).detectBoard(grey)
    if numbers is None or pixels is None:
        return None
    return np.asarray(numbers, np.int64).ravel(), np.asarray(pixels, np.float64).reshape(-1, 2)


def _detect_chessboard(
    grey: NDArray[np.uint8], target: Target
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    size = (target.columns - 1, target.rows - 1)
    found, pixels = cv2.findChessboardCornersSB(grey, size, flags=cv2.CALIB_CB_ACCURACY)
    if not found:
        return None
    return np.arange(size[0] * size[1]), np.asarray(pixels, np.float64).reshape(-1, 2)


def _explain_failure(grey: NDArray[np.uint8], target: Target, seen: int) -> str:
    """Return why the target is not seen, and what would help."""
    total = (target.columns - 1) * (target.rows - 1)
    if target.markers:
        flipped = _detect_charuco(np.ascontiguousarray(grey[:, ::-1]), target)
        if flipped is not None and len(flipped[0]) >= max(MIN_POINTS, 2 * seen):
            return "the picture is mirrored; switch the camera's mirroring off"
    low, high = np.percentile(grey, [2, 98])
    if high - low < 12:
        return f"one plain surface (grey levels {low:.0f} to {high:.0f}); is the lens covered?"
    shrink = max(1, max(grey.shape) // 800)
    blur = float(blur_effect(grey[::shrink, ::shrink], h_size=11))
    if blur > MAX_BLUR:
        return f"blurred ({blur:.2f}, sharp pictures are below 0.4); hold still, focus, or add light"
    if seen:
        return f"only {seen} of the target's {total} corners are seen; come closer, or show more of it"
    return (
        f"no target of {target.columns}x{target.rows} squares is seen; show the sheet that "
        "'tilesight calibrate target' printed, or give its --squares"
    )
