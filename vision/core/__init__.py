"""Values and helpers that every stage may use."""

from vision.core.arrays import Matrix, frozen, median
from vision.core.boards import (
    Candidate,
    DecodedBoard,
    Doubt,
    DoubtReason,
    Occupancy,
    RectifiedBoard,
    SquareProbabilities,
    rectified_from_image,
)
from vision.core.files import check_folder, check_picture_path, write_file, write_picture
from vision.core.frames import Frame, Interruption, grid_from_corners
from vision.core.geometry import Grid, Homography, inverted, projected
from vision.core.imaging import four_channels, halved, warped
from vision.core.timing import Stopwatch

__all__ = [
    "Candidate",
    "DecodedBoard",
    "Doubt",
    "DoubtReason",
    "Frame",
    "Grid",
    "Homography",
    "Interruption",
    "Matrix",
    "Occupancy",
    "RectifiedBoard",
    "SquareProbabilities",
    "Stopwatch",
    "check_folder",
    "check_picture_path",
    "four_channels",
    "frozen",
    "grid_from_corners",
    "halved",
    "inverted",
    "median",
    "projected",
    "rectified_from_image",
    "warped",
    "write_file",
    "write_picture",
]
