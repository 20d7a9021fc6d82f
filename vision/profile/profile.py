"""What was measured once of a set-up: its lens, its board, its tiles and its light.

A profile is made by ``tilesight calibrate`` and used by every command that reads pictures. Each section stands alone,
so that a profile may hold a lens only, or nothing but a set of tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core import freeze
from vision.errors import SettingsError
from vision.profile.lens import Lens
from vision.recognition import Prototypes

__all__ = ["BoardSection", "LensSection", "LightSection", "Origin", "Profile", "TilesSection"]

Size = tuple[int, int]

_SAME_SHAPE = 0.005
"""Modes of one camera that show the same differ in the ratio of their sides by rounding only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """When a section was measured, and from what.

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
    """The lens.

    Parameters
    ----------
    lens : Lens
        As fitted.
    error_px : float
        Root mean square distance between points seen and points expected.
    uncertainty : mapping of str to float
        Standard deviation of each fitted number, by its name: ``fx``, ``cx``, ``k1`` ...
    view_errors_px : tuple of float
        The error of each picture that was used.
    residuals_px : (n, 4) float32
        Every point that was seen: x, y, and by how much it lies beside where it was expected.
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
    """The empty board, as the camera sees it.

    Parameters
    ----------
    corners_px : (4, 2) float64 or None
        The grid's outer corners TL TR BR BL in the photo where camera and board stay where they are; None where they
        are moved about.
    empty_bgr : (rows * cell_px, columns * cell_px, 3) uint8
        The empty board from above, BGR.
    rows, columns : int
        Number of squares.
    fit : float
        Share of the grid's edges on which a line was found.
    origin : Origin
        The picture that it was made from.
    """

    corners_px: NDArray[np.float64] | None
    empty_bgr: NDArray[np.uint8]
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

    @property
    def cell_px(self) -> int:
        """Side of a cell of `empty_bgr`."""
        return int(self.empty_bgr.shape[0] // self.rows)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TilesSection:
    """A set of tiles, enrolled by examples.

    Parameters
    ----------
    edition : str
        The edition that the set belongs to.
    prototypes : Prototypes
        Its letters.
    network : str
        Fingerprint of the weights in whose eyes the prototypes are.
    examples_bgr : (n, side, side, 3) uint8
        The enrolled squares, BGR: other weights enrol them anew.
    labels : tuple of n str
        Their letters.
    photos : tuple of n int
        Which of the sources each was cut from.
    letters_right : float
        Share of the examples that are read rightly when their own photo is left out; not a number for one photo.
    network_right : float
        The share that the network alone reads rightly.
    origin : Origin
        The photos.
    """

    edition: str
    prototypes: Prototypes
    network: str
    examples_bgr: NDArray[np.uint8]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LightSection:
    """The light over the table, as it was measured.

    Parameters
    ----------
    measures : mapping of str to float
        Each measure by its name, as `calibration.lighting` explains them.
    advice : tuple of str
        What to change, most important first; empty where all is well.
    origin : Origin
        The pictures.
    """

    measures: Mapping[str, float]
    advice: tuple[str, ...]
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Profile:
    """What is known of a set-up.

    Parameters
    ----------
    camera : str
        Its name, for people.
    size_px : (width, height) or None
        Of the pictures that lens and corners are true for; None where neither is known.
    model : str
        The camera's model as those pictures name it; empty where they do not.
    lens, board, tiles, light : sections or None
        None where that was not calibrated.
    name : str
        What messages call it: its file.
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
        """Whether the profile says anything about places in the picture."""
        return self.lens is not None or (self.board is not None and self.board.corners_px is not None)

    def is_of(self, model: str | None) -> bool:
        """Whether pictures of a camera of that model may be of this one; True where either is unknown."""
        return not (self.depends_on_size and self.model and model) or self.model == model

    def mismatch_message(self, model: str | None) -> str:
        """Why pictures of a camera of that model hardly fit, in one line; empty where they may."""
        if self.is_of(model):
            return ""
        return (
            f"taken with a {model}, {self.name} was made with a {self.model}; its lens hardly fits: calibrate this "
            "camera, or leave the profile out"
        )

    def scale_for(self, size_px: Size) -> float:
        """How much larger pictures of another size are than those of the profile; 1.0 for the same size.

        Raises
        ------
        SettingsError
            If pictures of that size cannot show the same as those of the profile.
        """
        if self.size_px is None or not self.depends_on_size or size_px == self.size_px:
            return 1.0
        own, given = self.size_px, size_px
        if abs(given[0] * own[1] / (given[1] * own[0]) - 1) > _SAME_SHAPE:
            turned = ", turned by a quarter" if (given[1], given[0]) == own else ""
            raise SettingsError(
                f"{self.name}: it was made for pictures of {own[0]}x{own[1]} px, this one has "
                f"{given[0]}x{given[1]}{turned}; set the camera to that size, or calibrate it for this one"
            )
        return given[0] / own[0]
