"""The calibration profile of a set-up: its lens, board, tiles and light.

A profile is made by ``tilesight calibrate`` and used by every command that reads pictures. Its sections are
independent: a profile may hold a lens only, or nothing but a tile set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK
from vision.core import Floats, Image, freeze
from vision.errors import PictureMismatchError
from vision.profile.lens import Lens
from vision.recognition import Prototypes

__all__ = ["BoardSection", "LensSection", "LightSection", "Origin", "Profile", "TilesSection"]

Size = tuple[int, int]

_MAX_ASPECT_CHANGE = 0.005
"""Relative difference of the ratio of sides up to which two modes of a camera show the same: rounding only (chosen)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The time and the pictures of a measurement.

    Parameters
    ----------
    made : str
        Date and time, ISO 8601 with its zone.
    sources : tuple of str
        Names of the pictures.
    """

    made: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LensSection:
    """The measured lens.

    Parameters
    ----------
    lens : Lens
        The fitted lens.
    error_px : float
        Root mean square reprojection error.
    uncertainty : mapping of str to float
        Standard deviation of each fitted parameter, by its name: ``fx``, ``cx``, ``k1`` ...
    view_errors_px : tuple of float
        The error of each picture that was used.
    residuals_px : (n, 4) float32
        Of every detected point: x, y, and its residual in x and y.
    origin : Origin
        The pictures that were used, in the same order.
    """

    lens: Lens
    error_px: float
    uncertainty: Mapping[str, float]
    view_errors_px: tuple[float, ...]
    residuals_px: NDArray[np.float32]
    origin: Origin

    def __post_init__(self) -> None:
        residuals = freeze(self.residuals_px, (None, 4), np.float32, "residuals_px")
        object.__setattr__(self, "residuals_px", residuals)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoardSection:
    """The empty board as the camera sees it.

    Parameters
    ----------
    corners_px : (4, 2) float64 or None
        The grid's outer corners TL TR BR BL in the photo, if camera and board are fixed; None if they are moved.
    empty_bgr : (rows * cell_px, columns * cell_px, 3) uint8
        The empty board from above, BGR.
    rows, columns : int
        Number of squares.
    fit : float
        Share of the grid's edges on which a line was found.
    origin : Origin
        The picture that it was measured in.
    """

    corners_px: Floats | None
    empty_bgr: Image
    rows: int
    columns: int
    fit: float
    origin: Origin

    def __post_init__(self) -> None:
        if self.corners_px is not None:
            object.__setattr__(self, "corners_px", freeze(self.corners_px, (4, 2), np.float64, "corners_px"))
        picture = freeze(self.empty_bgr, (None, None, 3), np.uint8, "empty_bgr")
        height, width = picture.shape[:2]
        if height % self.rows or width % self.columns or height // self.rows != width // self.columns:
            raise ValueError(
                f"empty_bgr: expected {self.rows}x{self.columns} square cells, got {width}x{height} px"
            )
        object.__setattr__(self, "empty_bgr", picture)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TilesSection:
    """A tile set, enrolled by examples.

    Parameters
    ----------
    edition : str
        The edition that the set belongs to.
    prototypes : Prototypes
        Its letters.
    network : str
        Fingerprint of the weights whose features the prototypes are fitted to.
    examples_bgr : (n, side, side, 3) uint8
        The enrolled squares, BGR; they are enrolled again for other weights.
    labels : tuple of n str
        Their letters.
    photos : tuple of n int
        Number of the source that each was cut from.
    letters_right : float
        Share of the examples that are read correctly when their own photo is left out, or every other tile of a letter
        where there is one photo; NaN where too few can be left out.
    network_right : float
        The share of the same examples that the network alone reads correctly.
    origin : Origin
        The photos.
    """

    edition: str
    prototypes: Prototypes
    network: str
    examples_bgr: Image
    labels: tuple[str, ...]
    photos: tuple[int, ...]
    letters_right: float
    network_right: float
    origin: Origin

    def __post_init__(self) -> None:
        examples = freeze(self.examples_bgr, (len(self.labels), None, None, 3), np.uint8, "examples_bgr")
        if len(self.photos) != len(self.labels):
            raise ValueError(f"photos: expected {len(self.labels)} numbers, got {len(self.photos)}")
        object.__setattr__(self, "examples_bgr", examples)

    @property
    def letters(self) -> frozenset[str]:
        """The letters that have an example."""
        return frozenset(self.labels) - {BLANK}

    @property
    def is_of_one_photo(self) -> bool:
        """Whether all examples were cut from one photo."""
        return len(set(self.photos)) < 2

    @property
    def warning(self) -> str:
        """What to do where the network alone reads the tiles better than with the set; empty where it does not."""
        if not self.letters_right < self.network_right:
            return ""
        return (
            f"the set makes reading worse: {self.letters_right:.1%} of its tiles are read rightly with it, "
            f"{self.network_right:.1%} without; enrol it again without blanks that are written on, or use a profile "
            "without tiles"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LightSection:
    """The measured light over the table.

    Parameters
    ----------
    measures : mapping of str to float
        Each measure by its name, as `calibration.lighting` explains them.
    advice : tuple of str
        What to change, most important first; empty if nothing.
    origin : Origin
        The pictures.
    """

    measures: Mapping[str, float]
    advice: tuple[str, ...]
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Profile:
    """Everything that was measured of a set-up.

    Parameters
    ----------
    camera : str
        Its name.
    size_px : (width, height) or None
        Size of the pictures that lens and corners are valid for; None if neither is known.
    model : str
        The camera's model as those pictures name it; empty if they do not.
    lens, board, tiles, light : sections or None
        None if that was not calibrated.
    name : str
        Its name in messages: its file.
    """

    camera: str = ""
    size_px: Size | None = None
    model: str = ""
    lens: LensSection | None = None
    board: BoardSection | None = None
    tiles: TilesSection | None = None
    light: LightSection | None = None
    name: str = "profile"

    @property
    def depends_on_size(self) -> bool:
        """Whether the profile holds positions in the picture."""
        return self.lens is not None or (self.board is not None and self.board.corners_px is not None)

    def matches_camera(self, model: str | None) -> bool:
        """Whether a camera of that model may be this one; True if either model is unknown."""
        return not (self.depends_on_size and self.model and model) or self.model == model

    def mismatch_message(self, model: str | None) -> str:
        """Explain in one line why pictures of a camera of that model hardly fit; empty if they may."""
        if self.matches_camera(model):
            return ""
        return (
            f"taken with a {model}, {self.name} was made with a {self.model}; its lens hardly fits: calibrate this "
            "camera, or leave the profile out"
        )

    def scale_for(self, size_px: Size) -> float:
        """Return the scale of pictures of another size relative to those of the profile; 1.0 for the same size.

        Raises
        ------
        PictureMismatchError
            If pictures of that size cannot show the same as those of the profile.
        """
        if self.size_px is None or not self.depends_on_size or size_px == self.size_px:
            return 1.0
        own, given = self.size_px, size_px
        if abs(given[0] * own[1] / (given[1] * own[0]) - 1) > _MAX_ASPECT_CHANGE:
            turned = ", turned by a quarter" if (given[1], given[0]) == own else ""
            raise PictureMismatchError(
                f"{self.name}: it was made for pictures of {own[0]}x{own[1]} px, this one has "
                f"{given[0]}x{given[1]}{turned}; set the camera to that size, or calibrate it for this one"
            )
        return given[0] / own[0]
