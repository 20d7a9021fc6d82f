"""PyTorch model of the corner network. Only training needs this module."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from calibration.training.models.square_networks import Residual, conv

__all__ = ["CornerModel"]

_WIDTHS = (24, 32, 48, 96)
"""Channels at a half, a quarter, an eighth and a sixteenth of the picture's size; chosen."""


class CornerModel(nn.Module):
    """Four maps of a quarter of the picture's width and height: corner, its offset along x and y, and grid.

    The first and the last are logits: of a corner of a grid in this cell, and of the cell being on a grid. The others
    are the corner's offset from the middle of the cell, in cells.

    References
    ----------
    Zhou, Wang and Krähenbühl, "Objects as Points" (2019); Lin et al., "Feature Pyramid Networks" (2017).
    """

    def __init__(self) -> None:
        super().__init__()
        half, quarter, eighth, sixteenth = _WIDTHS
        self.quarter = nn.Sequential(conv(3, half, stride=2), conv(half, quarter, stride=2))
        self.eighth = nn.Sequential(conv(quarter, eighth, stride=2), Residual(eighth))
        self.sixteenth = nn.Sequential(
            conv(eighth, sixteenth, stride=2), Residual(sixteenth), Residual(sixteenth)
        )
        self.from_sixteenth = nn.Conv2d(sixteenth, eighth, 1)
        self.among_eighths = Residual(eighth)
        self.from_eighth = nn.Conv2d(eighth, quarter, 1)
        self.among_quarters = conv(quarter, quarter)
        self.maps = nn.Conv2d(quarter, 4, 1)
        nn.init.constant_(self.maps.bias, -2.0)

    def forward(self, pictures: Tensor) -> Tensor:
        """Return maps (n, 4, height / 4, width / 4) of pictures (n, 3, height, width); sides are multiples of 16."""
        quarter = self.quarter(pictures)
        eighth = self.eighth(quarter)
        sixteenth = self.sixteenth(eighth)
        wide = nn.functional.interpolate(self.from_sixteenth(sixteenth), scale_factor=2.0, mode="nearest")
        eighth = self.among_eighths(torch.relu(eighth + wide))
        wide = nn.functional.interpolate(self.from_eighth(eighth), scale_factor=2.0, mode="nearest")
        maps: Tensor = self.maps(self.among_quarters(torch.relu(quarter + wide)))
        return maps
