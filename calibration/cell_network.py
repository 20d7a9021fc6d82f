"""The network that reads one square: its form in PyTorch. Only training needs this module."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["CellNetwork", "normalised"]


def normalised(cells: Tensor) -> Tensor:
    """Cells with their own mean and contrast taken out, channels first.

    Brightness is divided away, so a dark picture looks like a bright one; the floor under the contrast is a
    share of the mean, so a plain square stays plain instead of becoming amplified noise.

    Parameters
    ----------
    cells : (n, side, side, 3) uint8 or float
        BGR, 0 to 255.

    Returns
    -------
    (n, 3, side, side) float32
    """
    values = cells.float()
    mean = values.mean((1, 2, 3), keepdim=True)
    centred = values - mean
    contrast = (centred * centred).mean((1, 2, 3), keepdim=True).sqrt()
    return (centred / torch.maximum(contrast, 0.1 * mean + 2.0)).permute(0, 3, 1, 2)


def _conv(
    channels_in: int, channels_out: int, kernel: int = 3, stride: int = 1, groups: int = 1
) -> nn.Sequential:
    padding = kernel // 2 if groups == 1 else 0
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, kernel, stride, padding, groups=groups, bias=False),
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


class CellNetwork(nn.Module):
    """Occupancy, letter, value and turn of a square, as four vectors of logits.

    Parameters
    ----------
    letters, values : int
        Number of letters and of values.
    width : int
        Features of the hidden layer that the four outputs share.

    Notes
    -----
    10 million multiplications a cell of 48 x 48 pixels. Dense 3 x 3 convolutions on few channels were chosen
    over depthwise ones by measurement: they do more arithmetic with more weights in the same time on one core.
    The last map of 6 x 6 is pooled with weights of its own for each place: the value stands in a corner.
    """

    def __init__(self, letters: int, values: int, width: int = 192) -> None:
        super().__init__()
        self.sizes = (4, letters, values, 4)
        self.features = nn.Sequential(
            _conv(3, 16, stride=2),
            _conv(16, 32, stride=2),
            _Residual(32),
            _conv(32, 64, stride=2),
            _Residual(64),
            _Residual(64),
            _conv(64, width, kernel=1),
            _conv(width, width, kernel=6, groups=width),
            nn.Flatten(),
            nn.Linear(width, width),
            nn.ReLU(),
        )
        self.outputs = nn.Linear(width, sum(self.sizes))

    def forward(self, cells: Tensor) -> tuple[Tensor, ...]:
        """Logits of occupancy, letter, value and turn for cells (n, 48, 48, 3), 0 to 255."""
        logits = self.outputs(self.features(normalised(cells)))
        occupancy, letter, value, turn = torch.split(logits, list(self.sizes), dim=1)
        return occupancy, letter, value, turn
