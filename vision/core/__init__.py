"""Values and helpers that every stage may use."""

from vision.core.arrays import Matrix, freeze, median
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
from vision.core.geometry import Grid, Homography, invert_matrix, project_points
from vision.core.imaging import halve_image, to_four_channels, warp_image
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
    "freeze",
    "grid_from_corners",
    "halve_image",
    "invert_matrix",
    "median",
    "project_points",
    "rectified_from_image",
    "to_four_channels",
    "warp_image",
    "write_file",
    "write_picture",
]
