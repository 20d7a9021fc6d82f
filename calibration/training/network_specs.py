"""The networks that are trained to read squares: what each is shown, its form, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from calibration.training.data import CELLS, GLANCE, TILES, CropSpec
from calibration.training.models import CellNetwork, GlanceNetwork, SquareModel, TileNetwork
from vision.recognition import BOARD_OUTPUTS, CELL_OUTPUTS, TILE_OUTPUTS

__all__ = ["CELL_SPEC", "GLANCE_SPEC", "SPECS", "TILE_SPEC", "NetworkSpec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSpec:
    """One of the networks.

    Parameters
    ----------
    name : str
        Of its files.
    sight : Sight
        What it is shown of a square.
    network : callable
        Builds it for so many letters and values.
    outputs : tuple of str
        What its outputs say, in the order of the labels' columns.
    rare_values : bool
        Whether a value counts the more the rarer it is beside its letter.
    occupancy_weights : tuple of four float
        How much what lies on a square counts, by its kind.
    boards : int
        From so many boards are the cells of a training step, which are seen together; 0 where each is seen by itself.
    """

    name: str
    sight: CropSpec
    network: Callable[[int, int], SquareModel]
    outputs: tuple[str, ...]
    rare_values: bool
    occupancy_weights: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    boards: int = 0


GLANCE_SPEC = NetworkSpec(
    name="glance",
    sight=GLANCE,
    network=GlanceNetwork,
    outputs=BOARD_OUTPUTS,
    rare_values=False,
    occupancy_weights=(1.0, 1.0, 4.0, 1.0),  # a blank that is passed over is lost
    boards=8,
)
CELL_SPEC = NetworkSpec(
    name="cells",
    sight=CELLS,
    network=CellNetwork,
    outputs=CELL_OUTPUTS,
    rare_values=True,
)
TILE_SPEC = NetworkSpec(
    name="tiles",
    sight=TILES,
    network=TileNetwork,
    outputs=TILE_OUTPUTS,
    rare_values=False,
)
SPECS = {kind.name: kind for kind in (GLANCE_SPEC, CELL_SPEC, TILE_SPEC)}
