"""Train the network that tells the side of a board by the print of its premium squares, on rendered squares alone.

Example::

    python -m calibration.training.train_print --out training/print

The command renders premium squares into ``training/print/squares`` (with several processes by ``--renderers``) and
trains on what is there. It writes a checkpoint every few hundred steps and resumes from the last one. The result is
``training/print/print.onnx`` with ``print.json``: how it was trained, and how often it is right in unseen typefaces.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import torch
import typer
from torch import Tensor, nn

from calibration.training.data import PrintedSquares, augment_prints, render_squares
from calibration.training.export import save_onnx
from calibration.training.loop import TrainingConfig, render_in_parallel, train_network
from calibration.training.models import PrintModel
from samples import FontSplit
from vision.recognition import PRINT_PX

__all__ = ["PrintConfig", "evaluate_model", "finish", "train"]

NO_SIDE = 4
"""Target of print that tells no side; print that does is upright, target 0."""
PER_FILE = 250
"""Boards whose squares are rendered into one file; chosen."""
MIRRORED_SHARE = 0.03
"""Share of the prints that are mirrored and so tell no side; chosen."""
DROPPED_SHARE = 0.3
"""Share of the classes that are left out: tiles may lie on all of their squares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintConfig(TrainingConfig):
    """What decides the training of the network for premium print.

    Parameters
    ----------
    boards, heldout : int
        Boards whose squares are rendered to train on, and to measure with.
    """

    steps: int = 20_000
    batch: int = 32
    boards: int = 24_000
    heldout: int = 1_000


DEFAULT = PrintConfig()


@dataclass(slots=True)
class PrintSampler:
    """Draws the batch of a step: prints of boards, which of them count, and the targets.

    Parameters
    ----------
    folder : Path
        Folder of the rendered squares.
    fonts : {"train", "heldout"}
        Which of them.
    batch : int
        Boards of a batch.
    """

    folder: Path
    fonts: FontSplit
    batch: int
    boards: list[PrintedSquares] = field(default_factory=list, init=False)

    def __call__(self, step: int, rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Draw the batch of a step."""
        if not self.boards:
            files = sorted(self.folder.glob(f"{self.fonts}-*.npz"))
            self.boards = [board for file in files for board in PrintedSquares.load(file)]
        drawn = [self.boards[index] for index in rng.integers(0, len(self.boards), self.batch)]
        prints = np.stack([augment_prints(board, rng) for board in drawn])
        targets = np.array([0 if board.has_side else NO_SIDE for board in drawn])
        mirrored = rng.random(self.batch) < MIRRORED_SHARE
        prints[mirrored] = prints[mirrored][..., ::-1]
        targets[mirrored] = NO_SIDE
        counts = rng.random(prints.shape[:2]) >= DROPPED_SHARE
        counts[:, 0] |= ~counts.any(axis=1)
        return torch.from_numpy(prints), torch.from_numpy(counts), torch.from_numpy(targets)


def side_logits(network: nn.Module, prints: Tensor, counts: Tensor) -> Tensor:
    """Return the logits (n, 5) of the four sides, and of print that tells none.

    Parameters
    ----------
    network : nn.Module
        The network.
    prints : (n, classes, side, side) Tensor
        The prints of boards.
    counts : (n, classes) Tensor
        Which of them count.
    """
    counted = prints[counts]
    turned = torch.cat([torch.rot90(counted, turn, (1, 2)) for turn in range(4)])
    scores = network(turned[:, None]).reshape(4, -1).T
    logits = scores.new_zeros((len(prints), NO_SIDE + 1))
    return logits.index_add(0, counts.nonzero()[:, 0], nn.functional.pad(scores, (0, 1)))


def train(config: PrintConfig, out: Path, threads: int = 1, checkpoint_every: int = 500) -> PrintModel:
    """Train on the squares in ``out/squares``, and resume from ``out/checkpoint.pt`` if it exists.

    Parameters
    ----------
    config : PrintConfig
        What decides the training.
    out : Path
        Folder of the squares and the checkpoint.
    threads : int
        Threads of the arithmetic; one more process prepares batches.
    checkpoint_every : int
        Steps between checkpoints.

    Returns
    -------
    PrintModel
        With the exponential moving average of the weights.
    """
    torch.set_num_threads(threads)
    torch.manual_seed(config.seed)
    network = PrintModel().to(memory_format=torch.channels_last)

    def loss_of(batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        prints, counts, targets = batch
        return nn.functional.cross_entropy(side_logits(network, prints, counts), targets)

    result: PrintModel = train_network(
        network,
        out,
        PrintSampler(out / "squares", "train", config.batch),
        loss_of,
        config,
        warm_up=min(200, max(1, config.steps // 20)),
        checkpoint_every=checkpoint_every,
    )
    return result


def finish(network: PrintModel, out: Path, config: PrintConfig) -> dict[str, float]:
    """Export the network as ``print.onnx`` with its card, and measure it.

    Parameters
    ----------
    network : PrintModel
        The trained network.
    out : Path
        Folder of the result; the squares are in its folder ``squares``.
    config : PrintConfig
        How it was trained, for the card.

    Returns
    -------
    dict
        See `evaluate_model`.
    """
    file = out / "print.onnx"
    save_onnx(
        network,
        torch.zeros(1, 1, PRINT_PX, PRINT_PX),
        file,
        inputs=["prints"],
        outputs=["scores"],
        dynamic_axes={"prints": {0: "prints"}, "scores": {0: "prints"}},
    )
    metrics = evaluate_model(network, PrintSampler(out / "squares", "heldout", config.heldout))
    card: dict[str, Any] = {"recipe": config.to_record(), "metrics": metrics}
    file.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return metrics


def evaluate_model(
    network: PrintModel, sampler: PrintSampler, min_confidence: float = 0.85
) -> dict[str, float]:
    """Measure the network on rendered squares, small and blurred ones among them.

    Returns
    -------
    dict
        Number of boards; shares of boards with print whose side is named, and named wrongly, from a probability on;
        the share of boards whose print tells no side of which one is named.
    """
    prints, counts, targets = sampler(0, np.random.default_rng(0))
    network.eval()
    with torch.no_grad():
        posterior = torch.softmax(side_logits(network, prints, counts), dim=1)[:, :NO_SIDE]
    confidence, side = posterior.max(dim=1)
    named, printed = confidence >= min_confidence, targets == 0

    def share(of: Tensor, among: Tensor) -> float:
        return round(float((of & among).sum() / among.sum()), 4)

    return {
        "boards": len(targets),
        "side_right": share(named & (side == 0), printed),
        "side_wrong": share(named & (side != 0), printed),
        "side_without_print": share(named, ~printed),
    }


def _render(job: tuple[Path, FontSplit, int, range]) -> None:
    cv2.setNumThreads(1)
    render_squares(*job)


def main(
    out: Annotated[Path, typer.Option(help="Folder for squares, checkpoint and result.")] = Path("training"),
    seed: Annotated[int, typer.Option(help="Decides everything that is random.")] = DEFAULT.seed,
    boards: Annotated[int, typer.Option(help="Boards to train on.")] = DEFAULT.boards,
    heldout: Annotated[int, typer.Option(help="Boards to measure with.")] = DEFAULT.heldout,
    steps: Annotated[int, typer.Option(help="Steps of 32 boards.")] = DEFAULT.steps,
    renderers: Annotated[int, typer.Option(help="Processes that render.")] = 1,
    threads: Annotated[int, typer.Option(help="Threads that train.")] = 1,
) -> None:
    """Render premium squares, train the network on them, measure it in unseen fonts, and export it."""
    config = PrintConfig(seed=seed, boards=boards, heldout=heldout, steps=steps)
    wanted: tuple[tuple[FontSplit, int], ...] = (("heldout", heldout), ("train", boards))
    jobs = [
        (out / "squares", fonts, seed, range(first, min(first + PER_FILE, number)))
        for fonts, number in wanted
        for first in range(0, number, PER_FILE)
    ]
    render_in_parallel(_render, jobs, renderers)
    network = train(config, out, threads)
    for name, number in finish(network, out, config).items():
        typer.echo(f"{name}: {number}")


if __name__ == "__main__":
    typer.run(main)
