"""Measurements on an image: pyramid, edge profiles, cell colours, likelihood of a layout."""

from vision.detection.features.cell_colours import SETTINGS as CELL_COLOUR_SETTINGS
from vision.detection.features.cell_colours import cell_colours, squared_distances
from vision.detection.features.edge_profiles import EdgePeaks, edge_profiles, find_edge_peaks
from vision.detection.features.illumination import flatten_lights
from vision.detection.features.layout_likelihood import SETTINGS as LIKELIHOOD_SETTINGS
from vision.detection.features.layout_likelihood import (
    Colours,
    LayoutClasses,
    block_margins,
    explained_variance,
    layout_log_likelihood_ratio,
    unoccluded_squares,
)
from vision.detection.features.pyramid import ImagePyramid

__all__ = [
    "CELL_COLOUR_SETTINGS",
    "LIKELIHOOD_SETTINGS",
    "Colours",
    "EdgePeaks",
    "ImagePyramid",
    "LayoutClasses",
    "block_margins",
    "cell_colours",
    "edge_profiles",
    "explained_variance",
    "find_edge_peaks",
    "flatten_lights",
    "layout_log_likelihood_ratio",
    "squared_distances",
    "unoccluded_squares",
]
