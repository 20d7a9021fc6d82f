"""Train the networks that read one square, on rendered boards alone.

Example::

    python -m calibration.training.train_squares cells --out training/cells --seed 1 --shards 200 --steps 12000
    python -m calibration.training.train_squares tiles --out training/tiles

renders shards of boards into ``training/cells/shards`` (several renderers at once with ``--renderers``), trains on
what is there, writes a checkpoint every few hundred steps, goes on from the last one when it is started
again, and writes ``training/cells/cells.onnx`` with ``cells.json`` beside it: the recipe, and how the network
reads boards in fonts that it has never seen.
"""

from __future__ import annotations

import math
import multiprocessing
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
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

from calibration.training.data import (
    LEGIBLE_PX,
    TURNED,
    VALUE_LABELS,
    CropSpec,
    Labels,
    ShardFolder,
    all_tokens,
    augment_squares,
    render_shard,
)
from calibration.training.evaluation import evaluate_network, fit_temperatures
from calibration.training.export import (
    export_network,
    fold_preprocessing,
    quantise,
    render_typical_cells,
    update_card,
)
from calibration.training.fit_pooling import fit_pooling
from calibration.training.loop import learning_rate_at, train_network
from calibration.training.models import square_networks
from calibration.training.network_specs import CELL_SPEC, SPECS, TILE_SPEC, NetworkSpec
from scoring import edition_names, load_edition
from vision.core import Occupancy
from vision.recognition import CELL_OUTPUTS, TILE_OUTPUTS, OnnxModel
from vision.weights import WEIGHTS

__all__ = [
    "TrainingConfig",
    "finish",
    "letter_factors",
    "train",
    "turn_shares",
    "value_factors",
    "value_weights",
]

# How much each output counts. Letters are the hardest and matter most.
_LOSS_WEIGHTS = {"occupancy": 1.0, "letter": 1.0, "value": 2.0, "turn": 0.3}
# Smudged values still teach that nothing can be said, but must not drown what the legible ones teach.
_ILLEGIBLE_WEIGHT = 0.2
# By how much bags may make a value more or less frequent than it was in training.
_MAX_FACTOR = 5.0
# On real boards there is about one blank for thirty tiles with a letter.
_BLANK_ODDS = 1 / 30
# How likely a tile of a board is to be shown beside its bare squares, where they are seen together.
_TILES_SHOWN = (0.05, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """What decides a training: together with the renderer's version, all of it.

    Parameters
    ----------
    seed : int
        Seed of rendering, batches and first weights.
    shards, boards_per_shard, heldout_shards : int
        How many boards are rendered, in training fonts and in fonts kept back.
    steps, batch : int
        Length of training and cells a step.
    learning_rate, weight_decay, label_smoothing : float
        As usual; the rate rises for the first twentieth and falls on a cosine.
    averaging : float
        Decay of the running mean of the weights, which is what gets exported.
    """

    seed: int = 1
    shards: int = 200
    boards_per_shard: int = 10
    heldout_shards: int = 6
    steps: int = 12000
    batch: int = 256
    learning_rate: float = 3e-3
    weight_decay: float = 1e-4
    label_smoothing: float = 0.03
    averaging: float = 0.998


_RECIPES = {
    "glance": TrainingConfig(shards=400, batch=768, label_smoothing=0.0, averaging=0.999),
    "cells": TrainingConfig(),
    "tiles": TrainingConfig(shards=420, steps=15800),
}
"""How each network is trained, as far as nothing else is asked for."""


class _Batches(IterableDataset[tuple[NDArray[np.uint8], Labels]]):
    """Batches by their number, so that a training that goes on draws what it would have drawn."""

    def __init__(self, folder: Path, recipe: TrainingConfig, first: int, kind: NetworkSpec) -> None:
        self.folder, self.recipe, self.first, self.kind = folder, recipe, first, kind

    def __iter__(self) -> Iterator[tuple[NDArray[np.uint8], Labels]]:
        cv2.setNumThreads(1)
        shards = ShardFolder(self.folder, "train")
        for step in range(self.first, self.recipe.steps):
            if step % 100 == 0:
                shards.refresh()
            rng = np.random.default_rng([self.recipe.seed, step])
            if self.kind.boards:
                drawn = (self._of_board(shards, rng) for _ in range(self.kind.boards))
                cells, labels = shards.take(np.concatenate(list(drawn)))
                boards = np.repeat(np.arange(self.kind.boards), len(cells) // self.kind.boards)
            else:
                cells, labels = shards.take(rng.integers(0, len(shards), self.recipe.batch))
                boards = None
            sight = self.kind.sight
            cells, turns = augment_squares(cells, labels[:, 3], sight.side_px, sight.shrink, rng, boards)
            labels[:, 3] = np.where(labels[:, 3] >= 0, turns, -1)
            yield cells.reshape(self.kind.boards, -1, *cells.shape[1:]) if self.kind.boards else cells, labels

    def _of_board(self, shards: ShardFolder, rng: np.random.Generator) -> NDArray[np.int64]:
        """Places of cells of one board, with all of its tiles or few of them, as on real boards."""
        places = shards.board(int(rng.integers(shards.boards)))
        tiles = shards.occupancy[places] != Occupancy.EMPTY
        chances = np.where(tiles, rng.uniform(*_TILES_SHOWN), 1.0)
        return rng.choice(places, self.recipe.batch // self.kind.boards, p=chances / chances.sum())


def value_weights(shards: ShardFolder) -> NDArray[np.float64]:
    """What a printed value counts in the loss, (letters, values), for each letter that it stands beside.

    Most sets print the value of the rules, so a letter almost says its value, and a network would guess it. Were
    every value as frequent beside every letter, guessing would be in vain: a value counts the more the rarer it is
    beside its letter, though less than in full proportion, since weights that differ much make for noise.
    """
    counts = shards.value_counts(len(all_tokens())) + 1.0
    shares = counts / counts.sum(axis=1, keepdims=True)
    return np.asarray((len(VALUE_LABELS) * shares) ** -0.8)


def _loss(
    kind: NetworkSpec,
    outputs: tuple[Tensor, ...],
    labels: Tensor,
    weights_of_values: Tensor,
    smoothing: float,
) -> Tensor:
    total = torch.zeros(())
    for column, (name, each) in enumerate(zip(kind.outputs, outputs, strict=True)):
        target, logits = labels[:, column], each.flatten(0, -2)
        known = target >= 0
        if not bool(known.any()):
            continue
        weights = torch.ones(int(known.sum()))
        if name == "occupancy":
            weights = torch.tensor(kind.occupancy_weights)[target[known]]
        elif name == "value":
            weights = weights_of_values[labels[known, 1], target[known]].clone()
            weights[labels[known, 4] < LEGIBLE_PX] *= _ILLEGIBLE_WEIGHT
        losses = nn.functional.cross_entropy(
            logits[known].float(), target[known], reduction="none", label_smoothing=smoothing
        )
        total = total + _LOSS_WEIGHTS[name] * (losses * weights).sum() / weights.sum()
    return total


def turn_shares(shards: ShardFolder) -> list[float]:
    """How often letters stand turned by 0 to 3 quarters in training, after the cells have been turned too."""
    rendered = shards.turn_counts() / shards.turn_counts().sum()
    return [float((1 - TURNED) * rendered[k] + TURNED * (1 - rendered[k]) / 3) for k in range(4)]


def letter_factors(shards: ShardFolder, trust: tuple[float, float]) -> list[float]:
    """How many times as probable as others both networks together hold each letter for, before they look.

    Letters that are hard to tell apart are rendered twice as often, those of few editions seldom. Each network says
    what is probable under these odds, and the pool takes what it says to a power.

    Parameters
    ----------
    shards : ShardFolder
        What the second network was trained on; the first one's letters were as frequent.
    trust : pair of float
        The powers, see `vision.recognition.cascade.pooled`.
    """
    counts = shards.letter_counts(len(all_tokens())) + 1.0
    return [round(float(factor), 4) for factor in (counts / counts.mean()) ** sum(trust)]


def value_factors(shards: ShardFolder) -> list[float]:
    """How much more frequent each value is in the bags of the shipped editions than in training.

    Whether a value is printed at all is left as probable as it was. A factor is at most `_MAX_FACTOR` and at least
    its inverse: sets with other values exist.
    """
    counts = shards.value_counts(len(all_tokens())).sum(axis=0) + 1.0
    in_training = counts[1:] / counts[1:].sum()
    real = np.full(len(in_training), 0.01)
    for name in edition_names():
        edition = load_edition(name)
        tiles = {token: count for token, count in edition.counts.items() if token != "?" and count}
        for token, count in tiles.items():
            if edition.values[token] in VALUE_LABELS:
                real[VALUE_LABELS.index(edition.values[token]) - 1] += count / sum(tiles.values())
    factors = np.clip(real / real.sum() / in_training, 1 / _MAX_FACTOR, _MAX_FACTOR)
    return [1.0, *(round(float(factor), 4) for factor in factors / (factors @ in_training))]


def train(
    recipe: TrainingConfig,
    out: Path,
    kind: NetworkSpec = CELL_SPEC,
    threads: int = 1,
    checkpoint_every: int = 200,
    start: Path | None = None,
) -> square_networks.SquareModel:
    """Train on the shards in ``out/shards``, going on from ``out/checkpoint.pt`` where there is one.

    Parameters
    ----------
    recipe : Recipe
        What to do.
    out : Path
        Folder of the shards and the checkpoint.
    kind : Kind
        Which network.
    threads : int
        Threads of the arithmetic; one more process prepares batches.
    checkpoint_every : int
        Steps between checkpoints.
    start : Path, optional
        First weights in place of random ones: a state of the network as ``torch.save`` writes it.

    Returns
    -------
    SquareNetwork
        With the running mean of the weights.
    """
    torch.set_num_threads(threads)
    torch.manual_seed(recipe.seed)
    network = kind.network(len(all_tokens()), len(VALUE_LABELS))
    network = network.to(memory_format=torch.channels_last)
    if start is not None:
        network.load_state_dict(torch.load(start, weights_only=True))
    weights = torch.ones(len(all_tokens()), len(VALUE_LABELS))
    if kind.rare_values:
        weights = torch.from_numpy(value_weights(ShardFolder(out / "shards", "train"))).float()

    def loss_of(batch: tuple[Tensor, Tensor]) -> Tensor:
        cells, labels = batch
        # bfloat16 is several times faster on processors with matrix units, and no worse here
        with torch.autocast("cpu", dtype=torch.bfloat16):
            outputs = network(cells)
        return _loss(kind, outputs, labels, weights, recipe.label_smoothing)

    result: square_networks.SquareModel = train_network(
        network,
        out,
        lambda first: _Batches(out / "shards", recipe, first, kind),
        loss_of,
        steps=recipe.steps,
        rate=lambda step: learning_rate_at(
            step, recipe.steps, recipe.learning_rate, max(1, recipe.steps // 20)
        ),
        weight_decay=recipe.weight_decay,
        averaging=recipe.averaging,
        checkpoint_every=checkpoint_every,
    )
    return result


def finish(
    network: square_networks.SquareModel,
    out: Path,
    recipe: dict[str, Any],
    kind: NetworkSpec = CELL_SPEC,
    cells: Path | None = None,
    range_boards: int = 24,
) -> dict[str, Any]:
    """Write the ONNX file of the kind's name into `out`, its arithmetic in 8 bits, described, and measure it.

    Parameters
    ----------
    network : SquareNetwork
        The trained network.
    out : Path
        Folder of the result; the shards lie in ``shards`` in it.
    recipe : dict
        How it was trained, for the description.
    kind : Kind
        Which network.
    cells : Path, optional
        The first network's ONNX file, where this is the second one: how much each counts is fitted then.
    range_boards : int
        Rendered boards from which the ranges of the 8-bit numbers are taken.

    Returns
    -------
    dict
        What `evaluate_network` says about it.
    """
    heldout, training = (ShardFolder(out / "shards", fonts) for fonts in ("heldout", "train"))
    file = out / f"{kind.name}.onnx"
    recipe = recipe | {
        "cells": len(training),
        "torch": torch.__version__,
        "machine": platform.machine(),
        "quantised": f"calibration.training.export.quantisation, 7-bit weights, ranges from {range_boards} boards",
    }
    export_network(
        network,
        kind,
        fit_temperatures(network, heldout, kind),
        file,
        recipe,
        {},
        turn_shares(training),
        math.log(_BLANK_ODDS / training.blank_odds()),
    )
    quantise(file, file, render_typical_cells(range_boards, kind.sight))
    scale, zero = fold_preprocessing(file, file)
    update_card(file, input={"scale": scale, "zero": zero})
    metrics = evaluate_network(file, heldout, kind)
    update_card(file, metrics=metrics)
    if cells is not None:
        first, second = OnnxModel.load(cells, CELL_OUTPUTS), OnnxModel.load(file, TILE_OUTPUTS)
        trust, both = fit_pooling(first, second, heldout)
        metrics |= {f"{name} of both": numbers for name, numbers in both.items()}
        update_card(
            file,
            trust=trust,
            letter_factors=letter_factors(training, trust["letter"]),
            value_factors=value_factors(training),
            metrics=metrics,
        )
    return metrics


def _render(job: tuple[Path, str, int, int, int, CropSpec]) -> None:
    cv2.setNumThreads(1)
    folder, fonts, seed, number, boards, sight = job
    render_shard(folder, "heldout" if fonts == "heldout" else "train", seed, number, boards, sight)


def main(
    name: Annotated[
        str, typer.Argument(help="Which network: glance, cells, or tiles.", metavar="NETWORK")
    ] = "cells",
    out: Annotated[Path, typer.Option(help="Folder for shards, checkpoint and result.")] = Path("training"),
    seed: Annotated[int, typer.Option(help="Decides everything that is random.")] = 1,
    shards: Annotated[int | None, typer.Option(help="Shards of ten boards to train on.")] = None,
    steps: Annotated[int | None, typer.Option(help="Steps of training.")] = None,
    renderers: Annotated[int, typer.Option(help="Processes that render.")] = 1,
    threads: Annotated[int, typer.Option(help="Threads that train.")] = 1,
    render: Annotated[bool, typer.Option(help="Render what is missing, or train on what is there.")] = True,
    fit: Annotated[bool, typer.Option(help="Train, or stop after rendering.")] = True,
    start: Annotated[Path | None, typer.Option(help="First weights in place of random ones.")] = None,
    cells: Annotated[Path | None, typer.Option(help="For tiles: the ONNX file of the first network.")] = None,
    rate: Annotated[float | None, typer.Option(help="The highest learning rate.")] = None,
    note: Annotated[str, typer.Option(help="Kept with the weights: what the options do not say.")] = "",
) -> None:
    """Render boards, train a network on them, measure it in unseen fonts, and export it."""
    if name not in SPECS:
        *most, last = SPECS
        listed = f"{', '.join(most)} or {last}"
        raise typer.BadParameter(f"network: {name!r} is unknown; choose {listed}")
    kind = SPECS[name]
    asked = {"shards": shards, "steps": steps, "learning_rate": rate}
    given: dict[str, Any] = {option: value for option, value in asked.items() if value is not None}
    recipe = replace(_RECIPES[name], seed=seed, **given)
    folder, boards = out / "shards", recipe.boards_per_shard
    jobs = [(folder, "heldout", seed, n, boards, kind.sight) for n in range(recipe.heldout_shards)]
    jobs += [(folder, "train", seed, n, boards, kind.sight) for n in range(recipe.shards)]
    if render:
        with multiprocessing.get_context("spawn").Pool(renderers) as pool, Progress() as progress:
            bar = progress.add_task("rendering", total=len(jobs))
            for _ in pool.imap_unordered(_render, jobs):
                progress.advance(bar)
    if not fit:
        return
    network = train(recipe, out, kind, threads, start=start)
    told = asdict(recipe) | {"start": start.name if start else None, "note": note}
    beside = (cells or WEIGHTS / "cells.onnx") if kind is TILE_SPEC else None
    for output, numbers in finish(network, out, told, kind, beside).items():
        typer.echo(f"{output}: {numbers}")


if __name__ == "__main__":
    typer.run(main)
