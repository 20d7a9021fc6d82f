"""Evaluate networks on fonts held out of training: temperatures before export, metrics after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from calibration.training.data import LEGIBLE_PX, CropSpec, Labels, ShardFolder, downscale_cells
from calibration.training.metrics import accuracy, expected_calibration_error, fit_temperature
from calibration.training.models import SquareModel
from calibration.training.network_specs import CELL_SPEC, NetworkSpec
from vision.core import Occupancy
from vision.recognition import OnnxModel, space_to_depth

__all__ = ["evaluate_network", "fit_temperatures"]

Cells = NDArray[np.uint8]


def _half(shards: ShardFolder, first: int, crop: CropSpec) -> list[tuple[Cells, Labels]]:
    """Return the cells of every second board as the network takes them, with their labels, board by board."""
    batches = []
    for board in range(first, shards.boards, 2):
        cells, labels = shards.take(shards.board(board))
        batches.append((downscale_cells(cells, crop.side_px, crop.shrink), labels))
    return batches


def fit_temperatures(
    network: SquareModel, shards: ShardFolder, spec: NetworkSpec = CELL_SPEC
) -> dict[str, float]:
    """Fit the temperature of each output on every second board of `shards`."""
    batches = _half(shards, 0, spec.crop)
    network.eval()
    with torch.inference_mode():
        outputs = [network(torch.from_numpy(cells)) for cells, _ in batches]
    labels = np.concatenate([batch for _, batch in batches])
    temperatures = {}
    for column, name in enumerate(spec.outputs):
        logits = torch.cat([output[column] for output in outputs]).numpy()
        known = labels[:, column] >= 0
        temperatures[name] = fit_temperature(logits[known], labels[known, column])
    return temperatures


def evaluate_network(weights: Path, shards: ShardFolder, spec: NetworkSpec = CELL_SPEC) -> dict[str, Any]:
    """Measure how an exported network reads the other boards of `shards`.

    Returns
    -------
    dict
        By output: number of cells, accuracy, expected calibration error, and the accuracy in photos with at least
        `LEGIBLE_PX` pixels per square, where values are legible.
    """
    network = OnnxModel.load(weights, spec.outputs)
    batches = _half(shards, 1, spec.crop)
    outputs = [network.probabilities(space_to_depth(cells)) for cells, _ in batches]
    labels = np.concatenate([batch for _, batch in batches])
    result = {}
    for column, name in enumerate(spec.outputs):
        known = labels[:, column] >= 0
        probabilities = np.concatenate([output[column] for output in outputs])[known]
        # It is exported for real boards: restore the frequencies of turned letters and blanks of these boards.
        if name == "turn":
            probabilities = probabilities * np.bincount(labels[known, column], minlength=4)
        elif name == "occupancy":
            probabilities[:, Occupancy.BLANK] *= np.exp(-network.card["blank_correction"])
        probabilities = probabilities / probabilities.sum(axis=1, keepdims=True)
        target, fine = labels[known, column], labels[known, 4] >= LEGIBLE_PX
        result[name] = {
            "cells": len(target),
            "accuracy": round(accuracy(probabilities, target), 5),
            "calibration_error": round(expected_calibration_error(probabilities, target), 5),
            f"accuracy_from_{LEGIBLE_PX}_px": round(accuracy(probabilities[fine], target[fine]), 5),
        }
    return result
