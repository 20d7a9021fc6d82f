"""Rendered training data: square crops and pictures with corners, with their augmentation."""

from calibration.training.data.corner_samples import CornerView, augment_view, render_views, target_maps
from calibration.training.data.print_samples import (
    PrintedSquares,
    augment_prints,
    random_squares,
    render_squares,
)
from calibration.training.data.square_shards import (
    CELLS,
    CROPS,
    GLANCE,
    LEGIBLE_PX,
    TILES,
    TURNED,
    VALUE_LABELS,
    CropSpec,
    Labels,
    ShardFolder,
    all_tokens,
    cut_squares,
    downscale_cells,
    render_shard,
)

__all__ = [
    "CELLS",
    "CROPS",
    "GLANCE",
    "LEGIBLE_PX",
    "TILES",
    "TURNED",
    "VALUE_LABELS",
    "CornerView",
    "CropSpec",
    "Labels",
    "PrintedSquares",
    "ShardFolder",
    "all_tokens",
    "augment_prints",
    "augment_view",
    "cut_squares",
    "downscale_cells",
    "random_squares",
    "render_shard",
    "render_squares",
    "render_views",
    "target_maps",
]
