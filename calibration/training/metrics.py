"""Metrics of probabilities: accuracy, expected calibration error, temperature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.core import softmax

__all__ = ["accuracy", "expected_calibration_error", "fit_temperature"]

Scores = NDArray[np.floating]
Labels = NDArray[np.integer]


def accuracy(probabilities: Scores, labels: Labels) -> float:
    """Return the share of rows (n, k) whose best class is the label (n,); NaN without rows."""
    return float((probabilities.argmax(axis=1) == labels).mean()) if len(labels) else float("nan")


def expected_calibration_error(probabilities: Scores, labels: Labels, bins: int = 15) -> float:
    """Return the mean gap between the best class's probability and its accuracy; NaN without rows.

    References
    ----------
    Guo et al., "On Calibration of Modern Neural Networks", 2017, section 2: bins of equal width.
    """
    if not len(labels):
        return float("nan")
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == labels
    which = np.minimum((confidence * bins).astype(int), bins - 1)
    gap = 0.0
    for index in range(bins):
        inside = which == index
        if inside.any():
            gap += float(inside.mean()) * abs(float(right[inside].mean()) - float(confidence[inside].mean()))
    return gap


def fit_temperature(logits: Scores, labels: Labels) -> float:
    """Fit the temperature under which the labels are most probable, between 0.25 and 4; 1.0 without rows.

    References
    ----------
    Guo et al., 2017, section 4.2: temperature scaling, here by a golden-section search.
    """
    if not len(labels):
        return 1.0
    rows, scores = np.arange(len(labels)), np.asarray(logits, np.float64)

    def loss(log_temperature: float) -> float:
        chosen = softmax(scores / np.exp(log_temperature))[rows, labels]
        return float(-np.log(np.maximum(chosen, 1e-12)).mean())

    low, high = np.log(0.25), np.log(4.0)
    golden = (np.sqrt(5.0) - 1) / 2
    for _ in range(40):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if loss(left) < loss(right):
            high = right
        else:
            low = left
    return float(np.exp((low + high) / 2))
