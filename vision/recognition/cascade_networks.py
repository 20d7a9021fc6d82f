"""Load the networks of the cascade, and check that they belong together."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from vision.errors import SettingsError
from vision.recognition.embedding import LdaProjection
from vision.recognition.network_outputs import CELL_OUTPUTS, GLANCE_OUTPUTS, TILE_OUTPUTS
from vision.recognition.onnx_model import OnnxModel

__all__ = ["CascadeNetworks", "load_networks"]


class CascadeNetworks(NamedTuple):
    """The networks of a `CascadeReader`, and the projection of what `tile_net` sees."""

    cell_net: OnnxModel
    tile_net: OnnxModel
    glance_net: OnnxModel | None
    projection: LdaProjection


def load_networks(weights: Path, *, features: bool) -> CascadeNetworks:
    """Load ``glance.onnx``, ``cells.onnx`` and ``tiles.onnx`` with their JSON files, and ``appearance.npz``.

    Parameters
    ----------
    weights : Path
        Their folder.
    features : bool
        Whether the networks give features, of every square: then `glance` may skip none.

    Raises
    ------
    SettingsError
        If a file is missing, is not a network of this form, or the networks do not belong together.
    """
    cell_net = OnnxModel.load(weights / "cells.onnx", CELL_OUTPUTS, features=features)
    tile_net = OnnxModel.load(weights / "tiles.onnx", TILE_OUTPUTS, features=True)
    if (cell_net.tokens, cell_net.value_labels) != (tile_net.tokens, tile_net.value_labels):
        raise SettingsError(
            f"network weights: cells.onnx and tiles.onnx in {weights} know different letters or values; "
            "train both again"
        )
    missing = {"trust", "letter_factors", "value_factors"} - tile_net.card.keys()
    if missing:
        raise SettingsError(
            f"network weights: {weights / 'tiles.json'} lacks {', '.join(sorted(missing))}; train again"
        )
    projection = LdaProjection.load(weights)
    if projection.network != tile_net.fingerprint:
        raise SettingsError(
            f"network weights: appearance.npz in {weights} is not of tiles.onnx; make it anew with "
            "python -m calibration.training.train_tile_embedding"
        )
    glance_net = None if features else OnnxModel.load(weights / "glance.onnx", GLANCE_OUTPUTS)
    if glance_net is not None and "trust" not in glance_net.card:
        raise SettingsError(
            f"network weights: {weights / 'glance.json'} lacks trust; "
            "fit it with python -m calibration.training.fit_pooling"
        )
    return CascadeNetworks(cell_net, tile_net, glance_net, projection)
