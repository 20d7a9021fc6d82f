"""The networks that read one square: their form in PyTorch. Only training needs this module."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = [
    "CellNetwork",
    "GlanceNetwork",
    "Residual",
    "SquareModel",
    "TileNetwork",
    "conv",
    "normalise_cells",
]


def normalise_cells(cells: Tensor) -> Tensor:
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
    # Every fourth line says the same about mean and contrast, in a quarter of the time.
    sample = values[:, ::4]
    mean = sample.mean((1, 2, 3), keepdim=True)
    contrast = (sample - mean).square().mean((1, 2, 3), keepdim=True).sqrt()
    return ((values - mean) / torch.maximum(contrast, 0.1 * mean + 2.0)).permute(0, 3, 1, 2)


def conv(channels_in: int, channels_out: int, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    """A convolution, evened over the batch, of which what is below zero is left out."""
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(channels_out),
        nn.ReLU(),
    )


class Residual(nn.Module):
    """Two convolutions whose result is added to what they were given.

    References
    ----------
    He, Zhang, Ren and Sun, "Deep Residual Learning for Image Recognition" (2016).
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.change = nn.Sequential(
            conv(channels, channels),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, features: Tensor) -> Tensor:
        """The same channels, (n, channels, height, width)."""
        return torch.relu(features + self.change(features))


class _PlacePooling(nn.Conv2d):
    """A weighted sum over all places of a map, with weights of its own for each channel."""

    def __init__(self, channels: int, side: int) -> None:
        super().__init__(channels, channels, side, groups=channels, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        if not self.training:
            return super().forward(features)
        # The same sum; the gradient of the convolution takes a third of a training step.
        return (features * self.weight[:, 0].to(features.dtype)).sum((2, 3), keepdim=True)


class SquareModel(nn.Module):
    """Several vectors of logits for one square, from features that they share.

    Parameters
    ----------
    features : nn.Module
        From (n, 3, s, s) to (n, channels, side, side).
    channels, side : int
        Form of the last map.
    sizes : tuple of int
        How many classes each output has.
    width, anywhere : int
        Features that the outputs share, and how many of the last map's kinds are looked for in any place.

    Notes
    -----
    The last map is pooled twice: with weights of its own for each place, since a letter fills the
    square; and by its largest answers, since a value is small and may stand in any corner.
    """

    def __init__(
        self,
        *,
        features: nn.Module,
        channels: int,
        side: int,
        sizes: tuple[int, ...],
        width: int = 192,
        anywhere: int = 64,
    ) -> None:
        super().__init__()
        self.sizes = sizes
        self.features = features
        self.whole = nn.Sequential(
            conv(channels, width, kernel=1),
            nn.Sequential(_PlacePooling(width, side=side), nn.BatchNorm2d(width), nn.ReLU()),
            nn.Flatten(),
        )
        self.anywhere = nn.Sequential(conv(channels, anywhere, kernel=1), nn.MaxPool2d(side), nn.Flatten())
        self.shared = nn.Sequential(nn.Linear(width + anywhere, width), nn.ReLU())
        self.outputs = nn.Linear(width, sum(sizes))

    def seen(self, cells: Tensor) -> Tensor:
        """What the outputs are made from, (n, width), for cells (n, s, s, 3), 0 to 255."""
        features = self.features(normalise_cells(cells))
        shared: Tensor = self.shared(torch.cat([self.whole(features), self.anywhere(features)], dim=1))
        return shared

    def forward(self, cells: Tensor) -> tuple[Tensor, ...]:
        """Logits of each output for cells (n, s, s, 3), 0 to 255."""
        logits = self.outputs(self.seen(cells))
        parts: tuple[Tensor, ...] = torch.split(logits, list(self.sizes), dim=1)
        return parts


class _Attention(nn.Module):
    """What the squares of a board show that are alike or telling, for each of them.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.width = width // heads
        self.asked = nn.Linear(width, 3 * width)
        self.told = nn.Linear(width, width)

    def forward(self, squares: Tensor) -> Tensor:
        """The same form, (..., squares, width)."""
        parts = self.asked(squares).split(self.width, -1)
        heads = len(parts) // 3
        queries, keys, values = parts[:heads], parts[heads : 2 * heads], parts[2 * heads :]
        answers = []
        for query, key, value in zip(queries, keys, values, strict=True):
            alike = torch.softmax(query @ key.transpose(-1, -2) * self.width**-0.5, dim=-1)
            answers.append(alike @ value)
        told: Tensor = self.told(torch.cat(answers, dim=-1))
        return told


class GlanceNetwork(SquareModel):
    """Occupancy of a board's squares, from 24 x 24 pixels each: enough to tell that most empty ones are empty.

    Whether a plain square is bare or under a blank tile shows beside the others of its board, so it sees them together.

    Parameters
    ----------
    letters, values : int
        Number of letters and of values; it says neither.

    Notes
    -----
    1.0 million multiplications a square, where a board has 225.
    """

    def __init__(self, letters: int, values: int) -> None:
        del letters, values
        features = nn.Sequential(conv(3, 32, stride=2), conv(32, 32, stride=2), conv(32, 32))
        super().__init__(features=features, channels=32, side=6, sizes=(4,), width=64, anywhere=32)
        self.beside = _Attention(64, heads=4)
        self.compared = nn.Sequential(nn.Linear(2 * 64, 64), nn.ReLU())

    def forward(self, cells: Tensor) -> tuple[Tensor, ...]:
        """Logits for the cells of one board (n, s, s, 3), 0 to 255, or of several, (boards, n, s, s, 3)."""
        seen = self.seen(cells.flatten(0, -4))
        if cells.dim() == 5:
            seen = seen.unflatten(0, cells.shape[:2])
        return (self.outputs(self.compared(torch.cat([seen, self.beside(seen)], dim=-1))),)


class CellNetwork(SquareModel):
    """Occupancy, letter, value and turn of any square, from 48 x 48 pixels.

    Parameters
    ----------
    letters, values : int
        Number of letters and of values.

    Notes
    -----
    11 million multiplications a cell. The form was chosen by measuring ONNX Runtime on one
    core: dense 3 x 3 convolutions whose channels are 32 or 64 do twice the arithmetic of depthwise ones, or of
    ones with 16 or 80 channels, in the same time.
    """

    def __init__(self, letters: int, values: int) -> None:
        features = nn.Sequential(
            conv(3, 32, stride=2),
            conv(32, 32, stride=2),
            Residual(32),
            conv(32, 64, stride=2),
            Residual(64),
            Residual(64),
        )
        super().__init__(features=features, channels=64, side=6, sizes=(4, letters, values, 4))


class TileNetwork(SquareModel):
    """Occupancy, letter and value of a square that seems to hold a tile, from 64 x 64 pixels.

    Parameters
    ----------
    letters, values : int
        Number of letters and of values.

    Notes
    -----
    27 million multiplications a tile, a third of them where four pixels are one: there a value's digits, seven
    pixels high, are still told apart.
    """

    def __init__(self, letters: int, values: int) -> None:
        features = nn.Sequential(
            conv(3, 32, stride=2),
            conv(32, 64, stride=2),
            conv(64, 64),
            conv(64, 64, stride=2),
            Residual(64),
            Residual(64),
        )
        super().__init__(
            features=features, channels=64, side=8, sizes=(4, letters, values), width=256, anywhere=128
        )
