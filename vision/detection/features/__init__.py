"""Measurements on an image: pyramid, edge profiles, cell colours, likelihood of a layout."""

from vision.detection.features.cell_colours import cell_colours, explained_share, hidden_squares
from vision.detection.features.edge_profiles import EdgePeaks, edge_profiles, edge_strengths
from vision.detection.features.layout_classes import LayoutClasses
from vision.detection.features.layout_likelihood import (
    FAINTLY_ALIKE,
    USUALLY_ALIKE,
    as_printed,
    block_leads,
    block_starts,
    layout_nats,
    without_slope,
)
from vision.detection.features.pyramid import ImagePyramid

__all__ = [
    "FAINTLY_ALIKE",
    "USUALLY_ALIKE",
    "EdgePeaks",
    "ImagePyramid",
    "LayoutClasses",
    "as_printed",
    "block_leads",
    "block_starts",
    "cell_colours",
    "edge_profiles",
    "edge_strengths",
    "explained_share",
    "hidden_squares",
    "layout_nats",
    "without_slope",
]
