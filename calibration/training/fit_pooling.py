"""How much each network counts where both have looked at a square, fitted on typefaces that neither has seen."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.training.data import CELLS, LEGIBLE_PX, TILES, Labels, ShardFolder, downscale_cells
from calibration.training.metrics import accuracy, expected_calibration_error
from vision.core import Occupancy
from vision.recognition import CASCADE_SETTINGS, TILE_OUTPUTS, OnnxModel, pool_opinions, space_to_depth

__all__ = ["PoolingExponents", "fit_pooling"]

PoolingExponents = dict[str, tuple[float, float]]
Opinions = dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]]

_BATCH = 512
_FIRST, _SECOND = np.linspace(0, 1, 11), np.linspace(0.2, 1.6, 15)


def fit_pooling(
    cells: OnnxModel, tiles: OnnxModel, shards: ShardFolder
) -> tuple[PoolingExponents, dict[str, Any]]:
    """The exponents of `vision.recognition.cascade.pool_opinions` for each output, and how both together read.

    Parameters
    ----------
    cells, tiles : SquareNetwork
        The first and the second network, as they are shipped.
    shards : ShardFolder
        Squares as the second network is trained on, of boards that neither was trained on; fitted on every second
        one that gets the second look, measured on the others.

    Returns
    -------
    trust : dict
        For each output, what the logarithms of both networks' probabilities are multiplied by.
    metrics : dict
        For each output: number of squares, accuracy of the first network, of the second and of both, and the
        calibration error of both.
    """
    opinions, labels = _opinions(cells, tiles, shards)
    trust: PoolingExponents = {}
    metrics: dict[str, Any] = {}
    for column, name in enumerate(TILE_OUTPUTS):
        first, second = opinions[name]
        known = labels[:, column] >= 0
        fit, rest = np.flatnonzero(known)[::2], np.flatnonzero(known)[1::2]
        target = labels[:, column]
        trust[name] = min(
            ((float(a), float(b)) for a, b in itertools.product(_FIRST, _SECOND)),
            key=lambda pair: _surprise(pool_opinions((first[fit], second[fit]), pair), target[fit]),
        )
        both = pool_opinions((first[rest], second[rest]), trust[name])
        fine = labels[rest, 4] >= LEGIBLE_PX
        metrics[name] = {
            "cells": len(rest),
            "accuracy_of_the_first": round(accuracy(first[rest], target[rest]), 5),
            "accuracy_of_the_second": round(accuracy(second[rest], target[rest]), 5),
            "accuracy": round(accuracy(both, target[rest]), 5),
            "calibration_error": round(expected_calibration_error(both, target[rest]), 5),
            f"accuracy_from_{LEGIBLE_PX}_px": round(accuracy(both[fine], target[rest][fine]), 5),
        }
    return trust, metrics


def _opinions(cells: OnnxModel, tiles: OnnxModel, shards: ShardFolder) -> tuple[Opinions, Labels]:
    """What both say about the squares that the first one does not hold for empty, and these squares' labels."""
    said: dict[str, list[tuple[NDArray[np.float32], NDArray[np.float32]]]] = {
        name: [] for name in TILE_OUTPUTS
    }
    labels = []
    for start in range(0, len(shards), _BATCH):
        kept, batch = shards.take(np.arange(start, min(start + _BATCH, len(shards))))
        first = cells.probabilities(
            space_to_depth(downscale_cells(kept, CELLS.side_px, TILES.kept_cell_px / CELLS.cell_px))
        )
        looked = first[0][:, Occupancy.EMPTY] < CASCADE_SETTINGS.tile_stage_max_empty
        second = tiles.probabilities(
            space_to_depth(downscale_cells(kept[looked], TILES.side_px, TILES.shrink))
        )
        for name, one, other in zip(TILE_OUTPUTS, first, second, strict=False):
            # Both are exported for boards on which blanks are rare; these boards have many.
            said[name].append((_as_rendered(name, one[looked], cells), _as_rendered(name, other, tiles)))
        labels.append(batch[looked])
    opinions = {
        name: (np.concatenate([one for one, _ in pairs]), np.concatenate([other for _, other in pairs]))
        for name, pairs in said.items()
    }
    return opinions, np.concatenate(labels)


def _as_rendered(name: str, probabilities: NDArray[np.float32], network: OnnxModel) -> NDArray[np.float32]:
    if name != "occupancy":
        return probabilities
    result = probabilities.copy()
    result[:, Occupancy.BLANK] *= np.exp(-network.card["blank_correction"])
    return np.asarray(result / result.sum(axis=1, keepdims=True), np.float32)


def _surprise(probabilities: NDArray[np.float32], target: NDArray[np.int64]) -> float:
    chosen = probabilities[np.arange(len(target)), target]
    return float(-np.log(np.maximum(chosen, 1e-9)).mean())
