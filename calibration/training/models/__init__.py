"""PyTorch models of the networks."""

from calibration.training.models.corner_network import CornerModel
from calibration.training.models.print_network import PrintModel
from calibration.training.models.square_networks import CellNetwork, GlanceNetwork, SquareModel, TileNetwork

__all__ = [
    "CellNetwork",
    "CornerModel",
    "GlanceNetwork",
    "PrintModel",
    "SquareModel",
    "TileNetwork",
]
