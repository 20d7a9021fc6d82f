"""PyTorch models of the networks."""

from calibration.training.models.corner_network import CornerModel
from calibration.training.models.square_networks import CellNetwork, GlanceNetwork, SquareModel, TileNetwork

__all__ = [
    "CellNetwork",
    "CornerModel",
    "GlanceNetwork",
    "SquareModel",
    "TileNetwork",
]
