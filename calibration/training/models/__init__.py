"""The networks as PyTorch modules."""

from calibration.training.models.corner_network import CornerNetwork
from calibration.training.models.square_networks import CellNetwork, GlanceNetwork, SquareNetwork, TileNetwork

__all__ = [
    "CellNetwork",
    "CornerNetwork",
    "GlanceNetwork",
    "SquareNetwork",
    "TileNetwork",
]
