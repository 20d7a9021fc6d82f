"""PyTorch model of the network for premium print. Only training needs this module."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from calibration.training.models.square_networks import conv

__all__ = ["PrintModel"]

_WIDTHS = (16, 32, 32, 48)
"""Channels of the four convolutions; chosen."""


class PrintModel(nn.Module):
    """How upright a print is: one number, to be compared with those of the print turned by 90, 180 and 270 degrees.

    Every letter votes: the last map is averaged over the print. Zero stands for print that tells no side.

    References
    ----------
    Cohen and Welling, "Group Equivariant Convolutional Networks" (2016): weights that are shared among rotations.
    """

    def __init__(self) -> None:
        super().__init__()
        first, second, third, fourth = _WIDTHS
        self.features = nn.Sequential(
            conv(1, first, kernel=5, stride=2),
            conv(first, second, stride=2),
            conv(second, third),
            conv(third, fourth, stride=2),
        )
        self.score = nn.Linear(2 * fourth, 1)

    def forward(self, prints: Tensor) -> Tensor:
        """Return the scores (n,) of prints (n, 1, side, side)."""
        features = self.features(prints)
        pooled = torch.cat([features.mean((2, 3)), features.amax((2, 3))], dim=1)
        score: Tensor = self.score(pooled)[:, 0]
        return score
