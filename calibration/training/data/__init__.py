"""Rendered training data."""

from calibration.training.data.corner_samples import CornerView, augment_view, render_views, target_maps
from calibration.training.data.square_augmentation import TURNED, augment_squares, shrunk
from calibration.training.data.square_shards import (
    CELLS,
    GLANCE,
    LEGIBLE_PX,
    SIGHTS,
    TILES,
    VALUE_LABELS,
    CropSpec,
    Labels,
    ShardFolder,
    all_tokens,
    cut,
    render_shard,
)

__all__ = [
    "CELLS",
    "GLANCE",
    "LEGIBLE_PX",
    "SIGHTS",
    "TILES",
    "TURNED",
    "VALUE_LABELS",
    "CornerView",
    "CropSpec",
    "Labels",
    "ShardFolder",
    "all_tokens",
    "augment_squares",
    "augment_view",
    "cut",
    "render_shard",
    "render_views",
    "shrunk",
    "target_maps",
]
