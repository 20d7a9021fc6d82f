"""The network that guesses where a board's corners lie: its form in PyTorch. Only training needs this module."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["CornerNetwork"]

_WIDTHS = (24, 32, 48, 96)


def _conv(channels_in: int, channels_out: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, 3, stride, 1, bias=False),
        nn.BatchNorm2d(channels_out),
        nn.ReLU(),
    )


class _Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.change = nn.Sequential(
            _conv(channels, channels),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, features: Tensor) -> Tensor:
        return torch.relu(features + self.change(features))


class CornerNetwork(nn.Module):
    """Four maps of a quarter of the picture's width and height: corner, its offset along x and y, and board.

    The first and the last are logits: whether a corner of a board's grid lies in this place, and whether the place
    lies on a grid. The others are where in it the corner lies, in places of the map, from the place's middle.

    References
    ----------
    Zhou, Wang and Krähenbühl, "Objects as Points" (2019); Lin et al., "Feature Pyramid Networks" (2017).
    """

    def __init__(self) -> None:
        super().__init__()
        half, quarter, eighth, sixteenth = _WIDTHS
        self.quarter = nn.Sequential(_conv(3, half, 2), _conv(half, quarter, 2))
        self.eighth = nn.Sequential(_conv(quarter, eighth, 2), _Residual(eighth))
        self.sixteenth = nn.Sequential(
            _conv(eighth, sixteenth, 2), _Residual(sixteenth), _Residual(sixteenth)
        )
        self.from_sixteenth = nn.Conv2d(sixteenth, eighth, 1)
        self.among_eighths = _Residual(eighth)
        self.from_eighth = nn.Conv2d(eighth, quarter, 1)
        self.among_quarters = _conv(quarter, quarter)
        self.maps = nn.Conv2d(quarter, 4, 1)
        nn.init.constant_(self.maps.bias, -2.0)

    def forward(self, pictures: Tensor) -> Tensor:
        """(n, 4, height / 4, width / 4) float32 from (n, 3, height, width); both sides are multiples of 16."""
        quarter = self.quarter(pictures)
        eighth = self.eighth(quarter)
        sixteenth = self.sixteenth(eighth)
        wide = nn.functional.interpolate(self.from_sixteenth(sixteenth), scale_factor=2.0, mode="nearest")
        eighth = self.among_eighths(torch.relu(eighth + wide))
        wide = nn.functional.interpolate(self.from_eighth(eighth), scale_factor=2.0, mode="nearest")
        maps: Tensor = self.maps(self.among_quarters(torch.relu(quarter + wide)))
        return maps
