"""Train the network that proposes where a board's corners are, on rendered boards alone.

Example::

    python -m calibration.training.train_corners --out training/corners --pictures 14000 --steps 9000

The command renders pictures into ``training/corners/views`` (with several processes by ``--renderers``) and trains on
what is there. It writes a checkpoint every few hundred steps and resumes from the last one. The result is
``training/corners/corners.onnx`` with ``corners.json``: how it was trained, and how near its proposals come on boards
in unseen typefaces.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import torch
import typer
from torch import Tensor, nn

from calibration.training.data import CornerView, augment_view, render_views, target_maps
from calibration.training.export import quantise, save_onnx
from calibration.training.loop import TrainingConfig, render_in_parallel, train_network
from calibration.training.models import CornerModel
from samples import FontSplit
from vision.detection import CornerNetwork, network_input

__all__ = ["CornerConfig", "evaluate_network", "finish", "train"]

SHAPES = (
    (0.3, (144, 192)),
    (0.12, (192, 144)),
    (0.12, (192, 192)),
    (0.1, (160, 192)),
    (0.1, (128, 192)),
    (0.06, (112, 192)),
    (0.06, (192, 160)),
    (0.07, (176, 192)),
    (0.07, (192, 176)),
)
"""Share of the batches with pictures of each (height, width); chosen."""

LIMITS_CELLS = (0.2, 0.4, 1.0)
"""Distances in cells: the card has the share of pictures whose worst corner is within each."""
LAST_LAYER = "/maps/Conv"
"""It stays in floating point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CornerSettings:
    """Settings of the training and the export; chosen."""

    range_views: int = 64
    """Pictures from which the ranges of the 8-bit numbers are taken."""
    max_grad_norm: float = 5.0


SETTINGS = CornerSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class CornerConfig(TrainingConfig):
    """What decides the training of the corner network.

    Parameters
    ----------
    pictures, heldout : int
        Pictures that are rendered to train on, and to measure with.
    """

    steps: int = 9_000
    batch: int = 32
    pictures: int = 14_000
    heldout: int = 600


DEFAULT = CornerConfig()


@dataclass(slots=True)
class CornerSampler:
    """Draws the batch of a step: augmented pictures of one size, and their target maps.

    Parameters
    ----------
    folder : Path
        Folder of the rendered pictures.
    batch : int
        Pictures of a batch.
    """

    folder: Path
    batch: int
    files: list[Path] = field(default_factory=list, init=False)

    def __call__(self, step: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
        """Draw the batch of a step."""
        if not self.files:
            self.files = sorted(self.folder.glob("train-*.npz"))
        shares = np.array([share for share, _ in SHAPES])
        height, width = SHAPES[rng.choice(len(SHAPES), p=shares)][1]
        views = [
            augment_view(CornerView.load(self.files[index]), height, width, rng)
            for index in rng.integers(0, len(self.files), self.batch)
        ]
        pictures = np.concatenate([network_input(view.image_bgr) for view in views])
        maps = np.stack([target_maps(view.corners_px, height, width) for view in views])
        return torch.from_numpy(pictures), torch.from_numpy(maps)


def _loss(maps: Tensor, wanted: Tensor) -> Tensor:
    """Return the loss of corners as in "Objects as Points", of their offsets, and of the mask of the grid.

    References
    ----------
    Zhou, Wang and Krähenbühl, "Objects as Points" (2019), equations 1 and 2.
    """
    corner, near, is_corner = maps[:, 0], wanted[:, 0], wanted[:, 5]
    seen = torch.sigmoid(corner)
    found = is_corner * (1 - seen) ** 2 * -nn.functional.logsigmoid(corner)
    elsewhere = (1 - is_corner) * (1 - near) ** 4 * seen**2 * -nn.functional.logsigmoid(-corner)
    off = (maps[:, 1:3] - wanted[:, 1:3]).abs().sum(dim=1) * wanted[:, 4]
    on_grid = nn.functional.binary_cross_entropy_with_logits(maps[:, 3], wanted[:, 3])
    return (found + elsewhere).sum() / is_corner.sum() + off.sum() / wanted[:, 4].sum() + on_grid


def train(config: CornerConfig, out: Path, threads: int = 1, checkpoint_every: int = 500) -> CornerModel:
    """Train on the pictures in ``out/views``, and resume from ``out/checkpoint.pt`` if it exists.

    Parameters
    ----------
    config : CornerConfig
        What decides the training.
    out : Path
        Folder of the pictures and the checkpoint.
    threads : int
        Threads of the arithmetic; one more process prepares batches.
    checkpoint_every : int
        Steps between checkpoints.

    Returns
    -------
    CornerModel
        With the exponential moving average of the weights.
    """
    torch.set_num_threads(threads)
    torch.manual_seed(config.seed)
    network = CornerModel().to(memory_format=torch.channels_last)

    def loss_of(batch: tuple[Tensor, Tensor]) -> Tensor:
        pictures, wanted = batch
        with torch.autocast("cpu", dtype=torch.bfloat16):
            maps = network(pictures.to(memory_format=torch.channels_last))
        return _loss(maps.float(), wanted)

    result: CornerModel = train_network(
        network,
        out,
        CornerSampler(out / "views", config.batch),
        loss_of,
        config,
        warm_up=min(200, max(1, config.steps // 20)),
        checkpoint_every=checkpoint_every,
        max_grad_norm=SETTINGS.max_grad_norm,
    )
    return result


def finish(network: CornerModel, out: Path, recipe: dict[str, Any]) -> dict[str, float]:
    """Export the network as ``corners.onnx`` with 8-bit arithmetic and its card, and measure it.

    Parameters
    ----------
    network : CornerModel
        The trained network.
    out : Path
        Folder of the result; the pictures are in its folder ``views``.
    recipe : dict
        How it was trained, for the card.

    Returns
    -------
    dict
        See `evaluate_network`.
    """
    file = out / "corners.onnx"
    save_onnx(
        network,
        torch.zeros(1, 3, 144, 192),
        file,
        inputs=["pictures"],
        outputs=["maps"],
        dynamic_axes={
            "pictures": {0: "pictures", 2: "height", 3: "width"},
            "maps": {0: "pictures", 2: "rows", 3: "columns"},
        },
    )
    typical = (network_input(view.image_bgr) for view in _views(out / "views", "train", SETTINGS.range_views))
    quantise(file, file, typical, input_name="pictures", floating=(LAST_LAYER,))
    metrics = evaluate_network(file, out / "views")
    card = {"recipe": recipe, "metrics": metrics}
    file.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return metrics


def evaluate_network(weights: Path, views: Path, fonts: FontSplit = "heldout") -> dict[str, float]:
    """Measure the first proposals of an exported network on rendered pictures.

    Returns
    -------
    dict
        Number of pictures; shares of them in which all corners are within `LIMITS_CELLS`; and the median error of the
        worst corner, in cells.
    """
    network = CornerNetwork.load(weights)
    off = np.array([_cells_off(network, view) for view in _views(views, fonts)])
    shares = {f"within_{cells}": round(float((off < cells).mean()), 4) for cells in LIMITS_CELLS}
    return {"pictures": len(off), **shares, "median": round(float(np.median(off)), 3)}


def _cells_off(network: CornerNetwork, view: CornerView) -> float:
    """Return the error of the worst corner of the first proposal, in fifteenths of the board's mean side."""
    found = network.outline(view.image_bgr)
    if found is None:
        return math.inf
    cell_px = (
        float(np.linalg.norm(np.roll(view.corners_px, -1, axis=0) - view.corners_px, axis=1).mean()) / 15
    )
    turned = (np.roll(found, turn, axis=0) for turn in range(4))
    return min(float(np.abs(outline - view.corners_px).max()) for outline in turned) / cell_px


def _views(folder: Path, fonts: FontSplit, most: int | None = None) -> Iterator[CornerView]:
    yield from (CornerView.load(file) for file in sorted(folder.glob(f"{fonts}-*.npz"))[:most])


def _render(job: tuple[Path, FontSplit, int, range]) -> None:
    cv2.setNumThreads(1)
    render_views(*job)


def main(
    out: Annotated[Path, typer.Option(help="Folder for pictures, checkpoint and result.")] = Path("training"),
    seed: Annotated[int, typer.Option(help="Decides everything that is random.")] = DEFAULT.seed,
    pictures: Annotated[int, typer.Option(help="Pictures to train on.")] = DEFAULT.pictures,
    heldout: Annotated[int, typer.Option(help="Pictures to measure with.")] = DEFAULT.heldout,
    steps: Annotated[int, typer.Option(help="Steps of 32 pictures.")] = DEFAULT.steps,
    renderers: Annotated[int, typer.Option(help="Processes that render.")] = 1,
    threads: Annotated[int, typer.Option(help="Threads that train.")] = 1,
) -> None:
    """Render boards, train the corner network on them, measure it in unseen fonts, and export it."""
    config = CornerConfig(seed=seed, pictures=pictures, heldout=heldout, steps=steps)
    wanted: tuple[tuple[FontSplit, int], ...] = (("heldout", heldout), ("train", pictures))
    jobs = [
        (out / "views", fonts, seed, range(first, min(first + 50, number)))
        for fonts, number in wanted
        for first in range(0, number, 50)
    ]
    render_in_parallel(_render, jobs, renderers)
    network = train(config, out, threads)
    for name, number in finish(network, out, config.to_record()).items():
        typer.echo(f"{name}: {number}")


if __name__ == "__main__":
    typer.run(main)
