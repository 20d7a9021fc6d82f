"""Train the network that guesses where a board's corners lie, on rendered boards alone.

Example::

    python -m calibration.training.train_corners --out training/corners --pictures 14000 --steps 9000

renders pictures into ``training/corners/views`` (several renderers at once with ``--renderers``), trains on what is
there, writes a checkpoint every few hundred steps, goes on from the last one when it is started again, and writes
``training/corners/corners.onnx`` with ``corners.json`` beside it: the recipe, and how near the network's guesses come
on boards printed with typefaces that it has never seen.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import torch
import typer
from numpy.typing import NDArray
from rich.progress import Progress
from torch import Tensor, nn
from torch.utils.data import IterableDataset

from calibration.training.data import CornerView, augment_view, render_views, target_maps
from calibration.training.export import quantise
from calibration.training.loop import learning_rate_at, train_network
from calibration.training.models import CornerModel
from samples import FontSplit
from vision.detection import CornerNetwork, prepared

__all__ = ["TrainingConfig", "evaluate_network", "finish", "train"]

_SHAPES = (
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
"""Heights and widths of pictures, and how often there are such."""

_WITHIN = (0.2, 0.4, 1.0)
"""Cells by which the worst corner of a guess may be off, in the description."""

_RANGE_VIEWS = 64
_STEEPEST = 5.0
_LAST_LAYER = "/maps/Conv"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """What decides a training: together with the renderer's version, all of it.

    Parameters
    ----------
    seed : int
        Seed of rendering, batches and first weights.
    pictures, heldout : int
        How many pictures are rendered to train on, and to measure with.
    steps, batch : int
        Length of training and pictures a step.
    learning_rate, weight_decay : float
        As usual; the rate rises for the first 200 steps and falls on a cosine.
    averaging : float
        Decay of the running mean of the weights, which is what gets exported.
    """

    seed: int = 1
    pictures: int = 14_000
    heldout: int = 600
    steps: int = 9_000
    batch: int = 32
    learning_rate: float = 3e-3
    weight_decay: float = 1e-4
    averaging: float = 0.998


_DEFAULT = TrainingConfig()


class _Batches(IterableDataset[tuple[Tensor, Tensor]]):
    """Batches by their number, so that a training that goes on draws what it would have drawn."""

    def __init__(self, folder: Path, recipe: TrainingConfig, first: int) -> None:
        self.folder, self.recipe, self.first = folder, recipe, first

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        cv2.setNumThreads(1)
        files = sorted(self.folder.glob("train-*.npz"))
        info = torch.utils.data.get_worker_info()
        number, every = (info.id, info.num_workers) if info is not None else (0, 1)
        shares = np.array([share for share, _ in _SHAPES])
        for step in range(self.first + number, self.recipe.steps, every):
            rng = np.random.default_rng([self.recipe.seed, step])
            height, width = _SHAPES[rng.choice(len(_SHAPES), p=shares)][1]
            views = [
                augment_view(CornerView.load(files[k]), height, width, rng)
                for k in rng.integers(0, len(files), self.recipe.batch)
            ]
            pictures = np.concatenate([prepared(view.image_bgr) for view in views])
            maps = np.stack([target_maps(view.corners_px, height, width) for view in views])
            yield torch.from_numpy(pictures), torch.from_numpy(maps)


def _loss(maps: Tensor, wanted: Tensor) -> Tensor:
    """Of corners as in "Objects as Points", of their offsets, and of the places that lie on a grid.

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


def train(recipe: TrainingConfig, out: Path, threads: int = 1, checkpoint_every: int = 500) -> CornerModel:
    """Train on the pictures in ``out/views``, going on from ``out/checkpoint.pt`` where there is one.

    Parameters
    ----------
    recipe : Recipe
        What to do.
    out : Path
        Folder of the pictures and the checkpoint.
    threads : int
        Threads of the arithmetic; one more process prepares batches.
    checkpoint_every : int
        Steps between checkpoints.

    Returns
    -------
    CornerModel
        With the running mean of the weights.
    """
    torch.set_num_threads(threads)
    torch.manual_seed(recipe.seed)
    network = CornerModel().to(memory_format=torch.channels_last)
    warm = min(200, max(1, recipe.steps // 20))

    def loss_of(batch: tuple[Tensor, Tensor]) -> Tensor:
        pictures, wanted = batch
        with torch.autocast("cpu", dtype=torch.bfloat16):
            maps = network(pictures.to(memory_format=torch.channels_last))
        return _loss(maps.float(), wanted)

    result: CornerModel = train_network(
        network,
        out,
        lambda first: _Batches(out / "views", recipe, first),
        loss_of,
        steps=recipe.steps,
        rate=lambda step: learning_rate_at(step, recipe.steps, recipe.learning_rate, warm),
        weight_decay=recipe.weight_decay,
        averaging=recipe.averaging,
        checkpoint_every=checkpoint_every,
        steepest=_STEEPEST,
    )
    return result


def finish(network: CornerModel, out: Path, recipe: dict[str, Any]) -> dict[str, float]:
    """Write ``corners.onnx`` into `out`, its arithmetic in 8 bits, described, and measure it.

    Parameters
    ----------
    network : CornerModel
        The trained network.
    out : Path
        Folder of the result; the pictures lie in ``views`` in it.
    recipe : dict
        How it was trained, for the description.

    Returns
    -------
    dict
        What `evaluate_network` says about it.
    """
    file = out / "corners.onnx"
    network.eval()
    with warnings.catch_warnings():
        # The older exporter folds batch normalisation and needs no further package; it says that it is old.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            (torch.zeros(1, 3, 144, 192),),
            str(file),
            input_names=["pictures"],
            output_names=["maps"],
            dynamic_axes={
                "pictures": {0: "pictures", 2: "height", 3: "width"},
                "maps": {0: "pictures", 2: "rows", 3: "columns"},
            },
            opset_version=17,
            dynamo=False,
        )
    typical = (prepared(view.image_bgr) for view in _views(out / "views", "train", _RANGE_VIEWS))
    quantise(file, file, typical, takes="pictures", left=(_LAST_LAYER,))
    metrics = evaluate_network(file, out / "views")
    card = {"recipe": recipe, "metrics": metrics}
    file.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return metrics


def evaluate_network(weights: Path, views: Path, fonts: FontSplit = "heldout") -> dict[str, float]:
    """How near an exported network's first guesses come to the boards of rendered pictures.

    Returns
    -------
    dict
        How many pictures there are; the shares of them in which all corners are within so many cells; and the median
        of the worst corner, in cells.
    """
    sight = CornerNetwork.load(weights)
    off = np.array([_cells_off(sight, view) for view in _views(views, fonts)])
    shares = {f"within_{cells}": round(float((off < cells).mean()), 4) for cells in _WITHIN}
    return {"pictures": len(off), **shares, "median": round(float(np.median(off)), 3)}


def _cells_off(sight: CornerNetwork, view: CornerView) -> float:
    """The worst corner of the first guess, in fifteenths of the board's mean side."""
    outlines = sight.outlines(view.image_bgr)
    if not outlines:
        return math.inf
    cell_px = (
        float(np.linalg.norm(np.roll(view.corners_px, -1, axis=0) - view.corners_px, axis=1).mean()) / 15
    )
    turned = (np.roll(outlines[0].corners_xy, turn, axis=0) for turn in range(4))
    return min(float(np.abs(outline - view.corners_px).max()) for outline in turned) / cell_px


def _views(folder: Path, fonts: FontSplit, most: int | None = None) -> Iterator[CornerView]:
    yield from (CornerView.load(file) for file in sorted(folder.glob(f"{fonts}-*.npz"))[:most])


def _render(job: tuple[Path, FontSplit, int, range]) -> None:
    cv2.setNumThreads(1)
    render_views(*job)


def main(
    out: Annotated[Path, typer.Option(help="Folder for pictures, checkpoint and result.")] = Path("training"),
    seed: Annotated[int, typer.Option(help="Decides everything that is random.")] = _DEFAULT.seed,
    pictures: Annotated[int, typer.Option(help="Pictures to train on.")] = _DEFAULT.pictures,
    heldout: Annotated[int, typer.Option(help="Pictures to measure with.")] = _DEFAULT.heldout,
    steps: Annotated[int, typer.Option(help="Steps of 32 pictures.")] = _DEFAULT.steps,
    renderers: Annotated[int, typer.Option(help="Processes that render.")] = 1,
    threads: Annotated[int, typer.Option(help="Threads that train.")] = 1,
) -> None:
    """Render boards, train the network that guesses at corners on them, measure it in unseen fonts, and export it."""
    recipe = TrainingConfig(seed=seed, pictures=pictures, heldout=heldout, steps=steps)
    wanted: tuple[tuple[FontSplit, int], ...] = (("heldout", heldout), ("train", pictures))
    jobs = [
        (out / "views", fonts, seed, range(first, min(first + 50, number)))
        for fonts, number in wanted
        for first in range(0, number, 50)
    ]
    with multiprocessing.get_context("spawn").Pool(renderers) as pool, Progress() as progress:
        bar = progress.add_task("rendering", total=len(jobs))
        for _ in pool.imap_unordered(_render, jobs):
            progress.advance(bar)
    network = train(recipe, out, threads)
    for name, number in finish(network, out, asdict(recipe)).items():
        typer.echo(f"{name}: {number}")


if __name__ == "__main__":
    typer.run(main)
