"""PyTorch models of the square networks. Only training needs this module."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from vision.core import contrast_floor

__all__ = [
    "CellNetwork",
    "GlanceNetwork",
    "Residual",
    "SquareModel",
    "TileNetwork",
    "conv",
    "normalise_cells",
]


DROPOUT = 0.15
"""Share of numbers that are dropped where squares are compared: otherwise typefaces are learnt by heart."""


def normalise_cells(cells: Tensor) -> Tensor:
    """Normalise cells by their own mean and contrast; the result has channels first.

    The floor of the contrast is a share of the mean, so that a plain square does not become amplified noise.

    Parameters
    ----------
    cells : (n, side, side, 3) uint8 or float
        BGR, 0 to 255.

    Returns
    -------
    (n, 3, side, side) float32
    """
    values = cells.float()
    # Every fourth line has the same mean and contrast, in a quarter of the time.
    sample = values[:, ::4]
    mean = sample.mean((1, 2, 3), keepdim=True)
    contrast = (sample - mean).square().mean((1, 2, 3), keepdim=True).sqrt()
    return ((values - mean) / torch.maximum(contrast, contrast_floor(mean))).permute(0, 3, 1, 2)


def conv(channels_in: int, channels_out: int, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    """Return a convolution with batch normalisation and ReLU."""
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(channels_out),
        nn.ReLU(),
    )


class Residual(nn.Module):
    """A residual block of two convolutions.

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
        """Return features of the same shape, (n, channels, height, width)."""
        return torch.relu(features + self.change(features))


class _WeightedPooling(nn.Conv2d):
    """A weighted sum over all positions of a map, with weights per channel."""

    def __init__(self, channels: int, side: int) -> None:
        super().__init__(channels, channels, side, groups=channels, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        if not self.training:
            return super().forward(features)
        # The same sum: the gradient of the convolution would take a third of a training step.
        return (features * self.weight[:, 0].to(features.dtype)).sum((2, 3), keepdim=True)


class SquareModel(nn.Module):
    """Several outputs of logits for one square, from shared features.

    Parameters
    ----------
    features : nn.Module
        From (n, 3, s, s) to (n, channels, side, side).
    channels, side : int
        Shape of the last map.
    sizes : tuple of int
        Number of classes of each output.
    width, anywhere : int
        Number of shared features, and of channels that are pooled by their maximum.

    Notes
    -----
    The last map is pooled twice: by a weighted sum, since a letter fills the square, and by its maximum, since a value
    is small and may be in any corner.
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
            nn.Sequential(_WeightedPooling(width, side=side), nn.BatchNorm2d(width), nn.ReLU()),
            nn.Flatten(),
        )
        self.anywhere = nn.Sequential(conv(channels, anywhere, kernel=1), nn.MaxPool2d(side), nn.Flatten())
        self.shared = nn.Sequential(nn.Linear(width + anywhere, width), nn.ReLU())
        self.outputs = nn.Linear(width, sum(sizes))

    def seen(self, cells: Tensor) -> Tensor:
        """Return the shared features, (n, width), of cells (n, s, s, 3), 0 to 255; or of several boards' cells."""
        if cells.dim() == 5:
            return self.seen(cells.flatten(0, 1)).unflatten(0, cells.shape[:2])
        features = self.features(normalise_cells(cells))
        shared: Tensor = self.shared(torch.cat([self.whole(features), self.anywhere(features)], dim=1))
        return shared

    def forward(self, cells: Tensor) -> tuple[Tensor, ...]:
        """Return the logits of each output for cells (n, s, s, 3), 0 to 255; or for several boards' cells."""
        return self.by_output(self.opinions(cells)[-1])

    def opinions(self, cells: Tensor, hidden: Tensor | None = None) -> tuple[Tensor, ...]:
        """Return all logits (..., n, sum(sizes)), once or more often; training counts all, and the last are exported.

        Parameters
        ----------
        cells : (n, s, s, 3) or (boards, n, s, s, 3)
            The cells of one board or of several, BGR, 0 to 255.
        hidden : (boards, n, n), optional
            -inf where a square does not see another, else 0; `CellNetwork` and `TileNetwork` use it.
        """
        del hidden
        return (self.outputs(self.seen(cells)),)

    def by_output(self, logits: Tensor) -> tuple[Tensor, ...]:
        """Split logits (..., sum(sizes)) into those of each output."""
        parts: tuple[Tensor, ...] = torch.split(logits, list(self.sizes), dim=-1)
        return parts


class _Attention(nn.Module):
    """Multi-head self-attention over the squares of a board.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.width = width // heads
        self.query_key_value = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)

    def forward(self, squares: Tensor, hidden: Tensor | None = None) -> Tensor:
        """Return features of the same shape, (..., n, width); `hidden` (..., n, n) is -inf where one sees no other."""
        parts = self.query_key_value(squares).split(self.width, -1)
        heads = len(parts) // 3
        queries, keys, values = parts[:heads], parts[heads : 2 * heads], parts[2 * heads :]
        heads_out = []
        for query, key, value in zip(queries, keys, values, strict=True):
            similar = query @ key.transpose(-1, -2) * self.width**-0.5
            if hidden is not None:
                similar = similar + hidden
            heads_out.append(torch.softmax(similar, dim=-1) @ value)
        output: Tensor = self.projection(torch.cat(heads_out, dim=-1))
        return output


class GlanceNetwork(SquareModel):
    """Occupancy of a board's squares from 24 x 24 pixels each: enough to see that most empty squares are empty.

    It compares the squares of a board: that shows whether a plain square is bare or under a blank tile.

    Parameters
    ----------
    letters, values : int
        Numbers of letters and values; unused.

    Notes
    -----
    1.0 million multiplications a square, where a board has 225.
    """

    def __init__(self, letters: int, values: int) -> None:
        del letters, values
        features = nn.Sequential(conv(3, 32, stride=2), conv(32, 32, stride=2), conv(32, 32))
        super().__init__(features=features, channels=32, side=6, sizes=(4,), width=64, anywhere=32)
        self.attention = _Attention(64, heads=4)
        self.compared = nn.Sequential(nn.Linear(2 * 64, 64), nn.ReLU())

    def opinions(self, cells: Tensor, hidden: Tensor | None = None) -> tuple[Tensor, ...]:
        """Return the logits of each square as compared with all others of its board."""
        del hidden
        seen = self.seen(cells)
        return (self.outputs(self.compared(torch.cat([seen, self.attention(seen)], dim=-1))),)


class _Comparison(nn.Module):
    """A transformer block: attention over the squares of a board, then a small network for each square.

    References
    ----------
    Xiong et al., "On Layer Normalization in the Transformer Architecture" (2020): normalisation before each part.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.normalised = nn.LayerNorm(width)
        self.attention = _Attention(width, heads)
        self.alone = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)
        )
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, squares: Tensor, hidden: Tensor | None) -> Tensor:
        """Return features of the same shape, (..., n, width); `hidden` (..., n, n) is -inf where one sees no other."""
        squares = squares + self.dropout(self.attention(self.normalised(squares), hidden))
        result: Tensor = squares + self.dropout(self.alone(squares))
        return result


class _ComparingModel(SquareModel):
    """A square model that compares the squares of a board.

    In some typefaces an M looks like an N of others, but not like the N next to it.

    Parameters
    ----------
    **shape
        As for `SquareModel`.
    """

    COMPARED = 128
    """Numbers that are compared of a square."""

    def __init__(self, **shape: Any) -> None:
        super().__init__(**shape)
        self.narrow = nn.Sequential(nn.Linear(self.outputs.in_features, self.COMPARED), nn.Dropout(DROPOUT))
        self.comparisons = nn.ModuleList(_Comparison(self.COMPARED, heads=4) for _ in range(2))
        self.compared = nn.Linear(self.COMPARED, sum(self.sizes))
        nn.init.zeros_(self.compared.weight)
        nn.init.zeros_(self.compared.bias)

    def opinions(self, cells: Tensor, hidden: Tensor | None = None) -> tuple[Tensor, ...]:
        """Return the logits of each square by itself, and as compared with the others of its board that it sees."""
        seen = self.seen(cells)
        compared = self.narrow(seen)
        for comparison in self.comparisons:
            compared = comparison(compared, hidden)
        by_itself = self.outputs(seen)
        return by_itself, by_itself + self.compared(compared)


class CellNetwork(_ComparingModel):
    """Occupancy, letter, value and turn of any square of a board, from 48 x 48 pixels each.

    Parameters
    ----------
    letters, values : int
        Number of letters and of values.

    Notes
    -----
    11 million multiplications a cell; 0.3 million for the comparison. The architecture was chosen by measuring ONNX
    Runtime on one core: dense 3 x 3 convolutions with 32 or 64 channels do twice the arithmetic of depthwise ones, or
    of ones with 16 or 80 channels, in the same time.
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
        super().__init__(
            features=features, channels=64, side=6, sizes=(4, letters, values, 4), width=192, anywhere=64
        )


class TileNetwork(_ComparingModel):
    """Occupancy, letter and value of the squares of a board that seem to hold tiles, from 64 x 64 pixels each.

    Parameters
    ----------
    letters, values : int
        Number of letters and of values.

    Notes
    -----
    27 million multiplications a tile, a third of them at half resolution, where a value's digits, seven pixels high,
    are still legible; 0.3 million for the comparison.
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
