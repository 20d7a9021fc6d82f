"""Train the networks that read squares, on rendered boards alone.

Example::

    python -m calibration.training.train_squares cells --out training/cells --seed 2 --shards 200 --steps 12000
    python -m calibration.training.train_squares tiles --out training/tiles

The command renders shards of boards into ``training/cells/shards`` (with several processes by ``--renderers``) and
trains on what is there. It writes a checkpoint every few hundred steps and resumes from the last one. The result is
``training/cells/cells.onnx`` with ``cells.json``: how it was trained, and how it reads boards in unseen fonts.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import torch
import typer
from numpy.typing import NDArray
from torch import Tensor, nn

from calibration.training.data import (
    LEGIBLE_PX,
    VALUE_LABELS,
    CropSpec,
    Labels,
    ShardFolder,
    all_tokens,
    render_shard,
)
from calibration.training.evaluation import evaluate_network, fit_temperatures
from calibration.training.export import (
    export_network,
    fold_preprocessing,
    load_shipped_weights,
    quantise,
    render_typical_cells,
    update_card,
)
from calibration.training.fit_pooling import fit_pooling
from calibration.training.loop import TrainingConfig, render_in_parallel, train_network
from calibration.training.models import SquareModel
from calibration.training.network_specs import CELL_SPEC, SPECS, TILE_SPEC, NetworkSpec
from calibration.training.priors import (
    blank_correction,
    letter_factors,
    turn_shares,
    value_factors,
    value_weights,
)
from calibration.training.square_augmentation import augment_squares
from vision.core import Occupancy
from vision.recognition import CELL_OUTPUTS, TILE_OUTPUTS, OnnxModel
from vision.weights import WEIGHTS

__all__ = ["SquareConfig", "finish", "train"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareSettings:
    """Settings that all square networks share; chosen."""

    occupancy_weight: float = 1.0
    """Weight of an output in the loss; letters are the hardest and matter most."""
    letter_weight: float = 1.0
    value_weight: float = 2.0
    turn_weight: float = 0.3
    illegible_weight: float = 0.2
    """Weight of a smudged value: it teaches uncertainty, but must not outweigh the legible ones."""
    min_tiles_shown: float = 0.05
    """Least probability of showing a tile of a board with its bare squares, where they are seen together."""
    max_tiles_shown: float = 1.0
    """Largest such probability; it is drawn board by board."""

    def weight_of(self, output: str) -> float:
        """Return the weight of an output in the loss."""
        return float(getattr(self, f"{output}_weight"))


SETTINGS = SquareSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareConfig(TrainingConfig):
    """What decides the training of a square network.

    Parameters
    ----------
    shards, heldout_shards : int
        Shards that are rendered, in training fonts and in fonts kept back.
    boards_per_shard : int
        Boards of a shard.
    boards : int
        Boards that a batch's squares are drawn from.
    label_smoothing : float
        Of the cross-entropy.
    """

    steps: int = 12000
    batch: int = 256
    boards: int = 16
    shards: int = 200
    boards_per_shard: int = 10
    heldout_shards: int = 6
    label_smoothing: float = 0.03


Batch = tuple[NDArray[np.uint8], Labels, NDArray[np.float32], int]
"""Wide cells (boards, n, side, side, 3) and labels (boards, n, 6) of some boards, padded with unknown squares; what
they do not see of each other (boards, n, n); and the seed of the augmentation."""

_COMPARING = SquareConfig(
    shards=1600,
    steps=10600,
    batch=2304,
    boards=24,
    learning_rate=1.5e-3,
    weight_decay=3e-3,
    averaging=0.999,
)
CONFIGS = {
    "glance": SquareConfig(shards=400, batch=768, boards=8, label_smoothing=0.0, averaging=0.999),
    "cells": _COMPARING,
    "tiles": _COMPARING,
}
"""How each network is trained unless options say otherwise."""


@dataclass(slots=True)
class SquareSampler:
    """Draws the batch of a step: squares of some boards with their labels.

    Parameters
    ----------
    folder : Path
        Folder of the shards.
    config : SquareConfig
        Boards of a batch, and squares of each.
    """

    folder: Path
    config: SquareConfig
    shards: ShardFolder | None = field(default=None, init=False)

    def __call__(self, step: int, rng: np.random.Generator) -> Batch:
        """Draw the batch of a step; shards that were written since are found every 100 steps."""
        if self.shards is None:
            self.shards = ShardFolder(self.folder, "train")
        elif step % 100 == 0:
            self.shards.refresh()
        boards, count = self.config.boards, self.config.batch // self.config.boards
        drawn, is_padding = np.zeros((boards, count), np.int64), np.zeros((boards, count), bool)
        for row, number in enumerate(rng.integers(self.shards.boards, size=boards).tolist()):
            board = self.shards.board(number)
            squares = _draw_squares(self.shards.occupancy[board] != Occupancy.EMPTY, count, rng)
            drawn[row] = np.resize(board[squares], count)
            is_padding[row, len(squares) :] = True
        cells, labels = self.shards.take(drawn.ravel())
        labels[is_padding.ravel()] = -1
        seed = int(rng.integers(2**62))
        return (
            cells.reshape(boards, count, *cells.shape[1:]),
            labels.reshape(boards, count, -1),
            _hide_some(is_padding, rng),
            seed,
        )


def augment_batch(batch: Batch, crop: CropSpec, device: str = "cpu") -> tuple[Tensor, Tensor, Tensor]:
    """Move a batch to a device and augment it there; return cells, labels, and which squares are hidden."""
    cells, labels, hidden = (torch.as_tensor(each).to(device) for each in batch[:3])
    random = torch.Generator(device).manual_seed(batch[3])
    small, labels[..., 3] = augment_squares(cells, labels[..., 3], crop.side_px, crop.shrink, random)
    return small, labels, hidden


def _draw_squares(is_tile: NDArray[np.bool_], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw at most `count` squares of a board, with all of its tiles or few of them, as on real boards."""
    shown = rng.uniform(SETTINGS.min_tiles_shown, SETTINGS.max_tiles_shown)
    weights = np.where(is_tile, shown, 1.0)
    # The smallest of exponential times are a draw without replacement.
    times = rng.standard_exponential(len(is_tile)) / weights
    return np.argsort(times)[:count]


def _hide_some(is_padding: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.float32]:
    """Return -inf where a square does not see another, (boards, n, n): what pads a board, and other groups.

    Half of the boards are divided into groups of any size, as if few tiles were on them.
    """
    boards, count = is_padding.shape
    sizes = np.where(rng.random(boards) < 0.5, count, np.exp(rng.uniform(0, np.log(count), boards)))
    groups = np.arange(count)[None] // np.ceil(sizes)[:, None]
    apart = groups[:, :, None] != groups[:, None, :]
    padding = is_padding[:, None, :] & ~np.eye(count, dtype=bool)
    return np.where(apart | padding, -np.inf, 0).astype(np.float32)


def _loss(
    spec: NetworkSpec,
    outputs: tuple[Tensor, ...],
    labels: Tensor,
    weights_of_values: Tensor,
    smoothing: float,
) -> Tensor:
    """Return the weighted sum of the outputs' cross-entropies."""
    flat = labels.flatten(0, -2)
    total = torch.zeros((), device=labels.device)
    for column, (name, each) in enumerate(zip(spec.outputs, outputs, strict=True)):
        target = flat[:, column]
        weights = (target >= 0).float()
        if name == "occupancy":
            weights = (
                weights * torch.tensor(spec.occupancy_weights, device=labels.device)[target.clamp(min=0)]
            )
        elif name == "value":
            of_letters = weights_of_values[flat[:, 1].clamp(min=0), target.clamp(min=0)]
            weights = weights * torch.where(flat[:, 1] >= 0, of_letters, 1.0)
            weights = torch.where(flat[:, 4] < LEGIBLE_PX, weights * SETTINGS.illegible_weight, weights)
        losses = nn.functional.cross_entropy(
            each.flatten(0, -2).float(), target.clamp(min=0), reduction="none", label_smoothing=smoothing
        )
        total = total + SETTINGS.weight_of(name) * (losses * weights).sum() / weights.sum().clamp(min=1e-6)
    return total


def train(
    config: SquareConfig,
    out: Path,
    spec: NetworkSpec = CELL_SPEC,
    threads: int = 1,
    checkpoint_every: int = 200,
    start: Path | None = None,
    device: str = "cpu",
) -> SquareModel:
    """Train on the shards in ``out/shards``, and resume from ``out/checkpoint.pt`` if it exists.

    Parameters
    ----------
    config : SquareConfig
        What decides the training.
    out : Path
        Folder of the shards and the checkpoint.
    spec : NetworkSpec
        The network.
    threads : int
        Threads of the arithmetic on the processor; one more process draws batches.
    checkpoint_every : int
        Steps between checkpoints.
    start : Path, optional
        First weights in place of random ones: a shipped ONNX file of the network, or its state as ``torch.save``
        writes it.
    device : str
        As PyTorch names it; ``cuda`` is a hundred times as fast as two cores.

    Returns
    -------
    SquareModel
        With the exponential moving average of the weights.
    """
    torch.set_num_threads(threads)
    torch.manual_seed(config.seed)
    network = spec.network(len(all_tokens()), len(VALUE_LABELS))
    sampler = SquareSampler(out / "shards", config)
    if start is not None and start.suffix == ".onnx":
        cells, _, _ = augment_batch(sampler(0, np.random.default_rng(config.seed)), spec.crop)
        load_shipped_weights(network, start, cells.flatten(0, 1))
    elif start is not None:
        network.load_state_dict(torch.load(start, weights_only=True))
    network = network.to(device, memory_format=torch.channels_last)
    weights = torch.ones(len(all_tokens()), len(VALUE_LABELS), device=device)
    if spec.rare_values:
        weights = torch.from_numpy(value_weights(ShardFolder(out / "shards", "train"))).float().to(device)

    def loss_of(batch: Batch) -> Tensor:
        cells, labels, hidden = augment_batch(batch, spec.crop, device)
        # bfloat16 is several times faster on processors with matrix units, and no worse here
        with torch.autocast(torch.device(device).type, dtype=torch.bfloat16):
            opinions = network.opinions(cells, hidden)
        losses = [
            _loss(spec, network.by_output(each), labels, weights, config.label_smoothing) for each in opinions
        ]
        return torch.stack(losses).mean()

    result: SquareModel = train_network(
        network,
        out,
        SquareSampler(out / "shards", config),
        loss_of,
        config,
        warm_up=max(1, config.steps // 20),
        checkpoint_every=checkpoint_every,
    )
    result.cpu()
    return result


def finish(
    network: SquareModel,
    out: Path,
    recipe: dict[str, Any],
    spec: NetworkSpec = CELL_SPEC,
    cells: Path | None = None,
    range_boards: int = 24,
) -> dict[str, Any]:
    """Export a network with 8-bit arithmetic as the ONNX file of its name, with its card, and measure it.

    Parameters
    ----------
    network : SquareModel
        The trained network.
    out : Path
        Folder of the result; the shards are in its folder ``shards``.
    recipe : dict
        How it was trained, for the card.
    spec : NetworkSpec
        The network.
    cells : Path, optional
        For `tiles`: the ONNX file of `cells`; the exponents of their pool are fitted then.
    range_boards : int
        Rendered boards from which the ranges of the 8-bit numbers are taken.

    Returns
    -------
    dict
        See `evaluate_network`.
    """
    heldout, training = (ShardFolder(out / "shards", fonts) for fonts in ("heldout", "train"))
    file = out / f"{spec.name}.onnx"
    recipe = recipe | {
        "cells": len(training),
        "torch": torch.__version__,
        "machine": platform.machine(),
        "quantised": f"calibration.training.export.quantisation, 7-bit weights, ranges from {range_boards} boards",
    }
    export_network(
        network,
        spec,
        fit_temperatures(network, heldout, spec),
        file,
        recipe,
        {},
        turn_shares(training),
        blank_correction(training),
    )
    floating = [f"/network/{part}" for part in spec.floating]
    quantise(file, file, render_typical_cells(range_boards, spec.crop), floating=floating)
    scale, zero = fold_preprocessing(file, file)
    update_card(file, input={"scale": scale, "zero": zero})
    metrics = evaluate_network(file, heldout, spec)
    update_card(file, metrics=metrics)
    if cells is not None:
        first, second = OnnxModel.load(cells, CELL_OUTPUTS), OnnxModel.load(file, TILE_OUTPUTS)
        exponents, both = fit_pooling(first, second, heldout)
        metrics |= {f"{name} of both": numbers for name, numbers in both.items()}
        update_card(
            file,
            trust=exponents,
            letter_factors=letter_factors(training, exponents["letter"]),
            value_factors=value_factors(training),
            metrics=metrics,
        )
    return metrics


def _render(job: tuple[Path, str, int, int, int, CropSpec]) -> None:
    cv2.setNumThreads(1)
    folder, fonts, seed, number, boards, crop = job
    render_shard(folder, "heldout" if fonts == "heldout" else "train", seed, number, boards, crop)


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
    start: Annotated[
        Path | None, typer.Option(help="First weights in place of random ones: .onnx or .pt.")
    ] = None,
    cells: Annotated[Path | None, typer.Option(help="For tiles: the ONNX file of cells.")] = None,
    rate: Annotated[float | None, typer.Option(help="The highest learning rate.")] = None,
    device: Annotated[str, typer.Option(help="Where to train, as PyTorch names it: cpu, cuda.")] = "cpu",
    note: Annotated[str, typer.Option(help="Kept with the weights: what the options do not say.")] = "",
) -> None:
    """Render boards, train a network on them, measure it in unseen fonts, and export it."""
    if name not in SPECS:
        *most, last = SPECS
        listed = f"{', '.join(most)} or {last}"
        raise typer.BadParameter(f"network: {name!r} is unknown; choose {listed}")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise typer.BadParameter(f"device: {device!r} cannot be used here ({reason}); choose cpu") from error
    spec = SPECS[name]
    asked = {"shards": shards, "steps": steps, "learning_rate": rate}
    given: dict[str, Any] = {option: value for option, value in asked.items() if value is not None}
    config = replace(CONFIGS[name], seed=seed, **given)
    folder, boards = out / "shards", config.boards_per_shard
    jobs = [(folder, "heldout", seed, number, boards, spec.crop) for number in range(config.heldout_shards)]
    jobs += [(folder, "train", seed, number, boards, spec.crop) for number in range(config.shards)]
    if render:
        render_in_parallel(_render, jobs, renderers)
    if not fit:
        return
    network = train(config, out, spec, threads, start=start, device=device)
    recipe = config.to_record() | {"start": start.name if start else None, "note": note}
    first = (cells or WEIGHTS / "cells.onnx") if spec is TILE_SPEC else None
    for output, numbers in finish(network, out, recipe, spec, first).items():
        typer.echo(f"{output}: {numbers}")


if __name__ == "__main__":
    typer.run(main)
