"""Specifications of the square networks: their crops, models and outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from calibration.training.data import CELLS, GLANCE, TILES, CropSpec
from calibration.training.models import CellNetwork, GlanceNetwork, SquareModel, TileNetwork
from vision.recognition import CELL_OUTPUTS, GLANCE_OUTPUTS, TILE_OUTPUTS

__all__ = ["CELL_SPEC", "GLANCE_SPEC", "SPECS", "TILE_SPEC", "NetworkSpec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSpec:
    """One of the square networks.

    Parameters
    ----------
    name : str
        Name of its files.
    crop : CropSpec
        What it sees of a square.
    network : callable
        Builds it for a number of letters and a number of values.
    outputs : tuple of str
        Names of its outputs, in the order of the labels' columns.
    rare_values : bool
        Whether a value is weighted the more the rarer it is with its letter.
    occupancy_weights : tuple of four float
        Weight of each kind of occupancy in the loss.
    floating : tuple of str
        Modules of the network that stay in floating point.
    """

    name: str
    crop: CropSpec
    network: Callable[[int, int], SquareModel]
    outputs: tuple[str, ...]
    rare_values: bool
    occupancy_weights: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    floating: tuple[str, ...] = ()


_COMPARISON = ("narrow", "comparisons", "compared", "outputs", "Add")
"""Modules that compare squares; their matrices are small."""

GLANCE_SPEC = NetworkSpec(
    name="glance",
    crop=GLANCE,
    network=GlanceNetwork,
    outputs=GLANCE_OUTPUTS,
    rare_values=False,
    occupancy_weights=(1.0, 1.0, 4.0, 1.0),  # a blank that `glance` passes over is lost
)
CELL_SPEC = NetworkSpec(
    name="cells",
    crop=CELLS,
    network=CellNetwork,
    outputs=CELL_OUTPUTS,
    rare_values=True,
    floating=_COMPARISON,
)
TILE_SPEC = NetworkSpec(
    name="tiles",
    crop=TILES,
    network=TileNetwork,
    outputs=TILE_OUTPUTS,
    rare_values=False,
    floating=_COMPARISON,
)
SPECS = {spec.name: spec for spec in (GLANCE_SPEC, CELL_SPEC, TILE_SPEC)}
