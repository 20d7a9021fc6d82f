"""Augment square crops: small random changes of light, position, size, angle and sharpness; edges of light, lamps."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from calibration.training.data import TURNED

__all__ = ["augment_squares"]

Draw = Callable[..., Tensor]
"""Draws random numbers of a shape."""

EDGES = 0.2
"""Share of the boards across which the edge of a shadow or of sunlight runs; chosen."""
STRIPED = 0.3
"""Share of these boards on which the light comes through blinds."""
LAMPS = 0.12
"""Share of the boards in which a lamp is mirrored; chosen."""


def augment_squares(
    cells: Tensor,
    turns: Tensor,
    side_px: int,
    shrink: float,
    random: torch.Generator,
) -> tuple[Tensor, Tensor]:
    """Cut cells from wider ones at a random position, size and angle, and in another light.

    All cells of a board get the same light, and nearly the same position, as from one camera. Some boards are rotated
    by quarters, and some single tiles.

    Parameters
    ----------
    cells : (boards, n, wide, wide, 3) uint8
        The wider cells of some boards, BGR.
    turns : (boards, n) int64
        Quarter turns clockwise of each tile's letter; negative where there is no letter.
    side_px : int
        Side of the result.
    shrink : float
        Pixels of `cells` per pixel of the result.
    random : torch.Generator
        Source of randomness, on the device of `cells`.

    Returns
    -------
    cells : (boards, n, side_px, side_px, 3) float32
        0 to 255.
    turns : (boards, n) int64
        With the rotations added.
    """
    boards, count = cells.shape[:2]
    device = cells.device

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=random, device=device)

    def uniform(*shape: int) -> Tensor:
        return torch.rand(shape, generator=random, device=device)

    def rotated(*shape: int) -> Tensor:
        quarters = torch.randint(1, 4, shape, generator=random, device=device)
        return torch.where(uniform(*shape) < TURNED, quarters, 0)

    quarter = rotated(boards, 1) + torch.where(turns >= 0, rotated(boards, count), 0)
    angle = torch.deg2rad(1.5 * normal(boards, 1) + 1.5 * normal(boards, count)) + quarter * (math.pi / 2)
    size = shrink * torch.exp(0.035 * normal(boards, 1) + 0.015 * normal(boards, count))
    # Mostly like the errors of corners, sometimes like carelessly placed tiles; in pixels of the wider cells.
    careless = torch.where(uniform(boards, 1, 1) < 0.15, 3.0, 0.9)
    shift = (1.3 * normal(boards, 1, 2) + careless * normal(boards, count, 2)).clip(-6, 6)
    # Narrower, wider and slanted letters, as in other typefaces.
    shape = torch.eye(2, device=device) + normal(boards, 1, 2, 2) * torch.tensor(
        [[0.04, 0.03], [0.0, 0.04]], device=device
    )
    cos, sin = size * torch.cos(angle), size * torch.sin(angle)
    # The y axis points down, so that this rotates the content clockwise.
    rotation = torch.stack([torch.stack([cos, sin], dim=-1), torch.stack([-sin, cos], dim=-1)], dim=-2)
    fine = 2 if shrink > 1.5 else 1  # plain sampling would miss pixels
    linear = (shape @ rotation).flatten(0, 1)
    sampled = _sampled(cells.flatten(0, 1), linear, shift.flatten(0, 1), side_px, fine)
    pixels = sampled.unflatten(0, (boards, count))
    sigma = 0.4 + 0.5 * uniform(boards, 1, 1, 1, 1)
    pixels = _blurred(pixels, torch.where(uniform(boards, 1, 1, 1, 1) < 0.2, torch.exp(-0.5 / sigma**2), 0.0))
    tint, level = 0.08 * normal(boards, 1, 3, 1, 1), 2 * normal(boards, 1, 3, 1, 1)
    gain = torch.exp(0.15 * normal(boards, 1, 1, 1, 1) + 0.03 * normal(boards, count, 1, 1, 1) + tint)
    noise = torch.where(uniform(boards, 1, 1, 1, 1) < 0.3, 1 + 7 * uniform(boards, 1, 1, 1, 1), 0.0)
    pixels = _mirror_lamps(_light_in_part(pixels * gain, uniform, normal), uniform, normal)
    pixels = pixels + 6 * normal(boards, 1, 1, 1, 1) + level + noise * normal(*pixels.shape)
    return pixels.clip(0, 255).movedim(2, -1), torch.where(turns >= 0, (turns + quarter) % 4, turns)


def _light_in_part(pixels: Tensor, uniform: Draw, normal: Draw) -> Tensor:
    """Shade a part of some boards (boards, n, 3, side, side), on one side of a line or in stripes as under blinds."""
    boards, count, _, side, _ = pixels.shape
    angle = 2 * math.pi * uniform(boards, 1, 1, 1)
    # In sides of a crop; where a square is on its board is not known here.
    across, down = _offsets(side, pixels.device)
    ahead = torch.cos(angle) * across + torch.sin(angle) * down + 4 * normal(boards, count, 1, 1)
    period = 0.5 + 3 * uniform(boards, 1, 1, 1)
    stripes = torch.sin(2 * math.pi * ahead / period) * period / (2 * math.pi)
    ahead = torch.where(uniform(boards, 1, 1, 1) < STRIPED, stripes, ahead)
    is_lit = torch.sigmoid(ahead / torch.exp(math.log(0.01) + math.log(30) * uniform(boards, 1, 1, 1)))
    shade, light = 0.3 + 0.5 * uniform(boards, 1, 1, 1), 0.8 + 0.5 * uniform(boards, 1, 1, 1)
    level = torch.where(uniform(boards, 1, 1, 1) < EDGES, shade + (light - shade) * is_lit, 1.0)
    return pixels * level[:, :, None]


def _mirror_lamps(pixels: Tensor, uniform: Draw, normal: Draw) -> Tensor:
    """Add the mirror image of a lamp to a few squares of some boards (boards, n, 3, side, side)."""
    boards, count, _, side, _ = pixels.shape
    across, down = _offsets(side, pixels.device)
    centre = 3 * normal(boards, count, 2, 1, 1)
    squared = (across - centre[:, :, 0]).square() + (down - centre[:, :, 1]).square()
    strength = torch.where(uniform(boards, 1, 1, 1) < LAMPS, 60 + 170 * uniform(boards, 1, 1, 1), 0.0)
    lamp = strength * torch.exp(-squared / (0.4 + 1.6 * uniform(boards, 1, 1, 1)).square())
    return pixels + lamp[:, :, None]


def _offsets(side: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return how far each pixel of a crop is right of and below its middle, (1, side) and (side, 1), in its sides."""
    steps = (torch.arange(side, device=device) - (side - 1) / 2) / side
    return steps[None], steps[:, None]


def _sampled(cells: Tensor, linear: Tensor, shift: Tensor, side_px: int, fine: int) -> Tensor:
    """Return cells (n, 3, side_px, side_px), from the middles of wider ones (n, wide, wide, 3)."""
    wide = cells.shape[1]
    steps = (torch.arange(fine * side_px, device=cells.device) - (fine * side_px - 1) / 2) / fine
    down, right = torch.meshgrid(steps, steps, indexing="ij")
    places = torch.einsum("nij,yxj->nyxi", linear, torch.stack([right, down], dim=-1)) + shift[:, None, None]
    pixels = cells.permute(0, 3, 1, 2).float()
    sampled = nn.functional.grid_sample(
        pixels, places * (2 / wide), mode="bilinear", padding_mode="border", align_corners=False
    )
    return nn.functional.avg_pool2d(sampled, fine)


def _blurred(pixels: Tensor, neighbour: Tensor) -> Tensor:
    """Blur along lines and columns, where a neighbour weighs `neighbour` times as much as the pixel itself."""
    for axis in (-1, -2):
        last = pixels.shape[axis] - 1
        before = torch.cat([pixels.narrow(axis, 0, 1), pixels.narrow(axis, 0, last)], dim=axis)
        after = torch.cat([pixels.narrow(axis, 1, last), pixels.narrow(axis, last, 1)], dim=axis)
        pixels = (pixels + neighbour * (before + after)) / (1 + 2 * neighbour)
    return pixels
