"""Values and helpers that every stage may use."""

from vision.core.arrays import Floats, Image, Mask, Matrix, Square, freeze, fuse_log_probabilities, median
from vision.core.boards import (
    BoardReading,
    Candidate,
    DecodedBoard,
    Doubt,
    DoubtReason,
    Occupancy,
    RectifiedBoard,
    SquareProbabilities,
    rectified_from_image,
)
from vision.core.files import (
    PICTURE_TRAILER,
    check_folder,
    check_own_picture,
    check_picture_path,
    write_file,
    write_picture,
)
from vision.core.frames import Frame, Interruption
from vision.core.geometry import (
    Grid,
    Homography,
    grid_outline,
    invert_matrix,
    project_points,
    rescale_pixels,
    runs_counterclockwise,
    swap_sides,
)
from vision.core.imaging import contrast_floor, halve_image, to_four_channels, warp_image
from vision.core.squares import connected_groups, lines_through, neighbours, squares_in
from vision.core.timing import Stopwatch

__all__ = [
    "PICTURE_TRAILER",
    "BoardReading",
    "Candidate",
    "DecodedBoard",
    "Doubt",
    "DoubtReason",
    "Floats",
    "Frame",
    "Grid",
    "Homography",
    "Image",
    "Interruption",
    "Mask",
    "Matrix",
    "Occupancy",
    "RectifiedBoard",
    "Square",
    "SquareProbabilities",
    "Stopwatch",
    "check_folder",
    "check_own_picture",
    "check_picture_path",
    "connected_groups",
    "contrast_floor",
    "freeze",
    "fuse_log_probabilities",
    "grid_outline",
    "halve_image",
    "invert_matrix",
    "lines_through",
    "median",
    "neighbours",
    "project_points",
    "rectified_from_image",
    "rescale_pixels",
    "runs_counterclockwise",
    "squares_in",
    "swap_sides",
    "to_four_channels",
    "warp_image",
    "write_file",
    "write_picture",
]
