"""What all trainings share: their configuration, seeded batches, rendering in parallel, and the loop itself."""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import cv2
import numpy as np
import torch
from rich.progress import Progress
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

__all__ = ["SeededBatches", "TrainingConfig", "learning_rate_at", "render_in_parallel", "train_network"]

LOSS_EVERY = 20
"""Steps between the losses that are shown."""

Network = TypeVar("Network", bound=nn.Module)
Batch = TypeVar("Batch")
Job = TypeVar("Job")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """What decides a training; together with the renderer's version, all of it.

    Parameters
    ----------
    seed : int
        Seed of rendering, batches and first weights.
    steps : int
        Number of batches.
    batch : int
        Examples of a batch.
    learning_rate : float
        The highest one; it rises first and then falls on a cosine.
    weight_decay : float
        Of AdamW.
    averaging : float
        Decay of the exponential moving average of the weights, which is what gets exported.
    """

    seed: int = 1
    steps: int
    batch: int
    learning_rate: float = 3e-3
    weight_decay: float = 1e-4
    averaging: float = 0.998

    def to_record(self) -> dict[str, Any]:
        """Return the entry ``recipe`` of a network's card."""
        return asdict(self)


class SeededBatches(IterableDataset[Batch], Generic[Batch]):
    """Batches whose random numbers depend on the seed and the step, so that a resumed training draws the same ones.

    Parameters
    ----------
    sampler : callable
        Draws the batch of a step with its random generator; it is sent to another process.
    config : TrainingConfig
        Seed and number of steps.
    first : int
        The first step.
    """

    def __init__(
        self, sampler: Callable[[int, np.random.Generator], Batch], config: TrainingConfig, first: int
    ) -> None:
        self.sampler, self.config, self.first = sampler, config, first

    def __iter__(self) -> Iterator[Batch]:
        cv2.setNumThreads(1)
        info = torch.utils.data.get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        for step in range(self.first + worker, self.config.steps, workers):
            yield self.sampler(step, np.random.default_rng([self.config.seed, step]))


def render_in_parallel(render: Callable[[Job], None], jobs: Iterable[Job], renderers: int) -> None:
    """Run rendering jobs in processes, with a progress bar."""
    jobs = list(jobs)
    with multiprocessing.get_context("spawn").Pool(renderers) as pool, Progress() as progress:
        bar = progress.add_task("rendering", total=len(jobs))
        for _ in pool.imap_unordered(render, jobs):
            progress.advance(bar)


def learning_rate_at(step: int, steps: int, highest: float, warm_up: int) -> float:
    """Return the learning rate: it rises for `warm_up` steps and falls on a cosine."""
    if step < warm_up:
        return highest * (step + 1) / warm_up
    return highest * 0.5 * (1 + math.cos(math.pi * (step - warm_up) / max(1, steps - warm_up)))


def train_network(
    network: Network,
    out: Path,
    sampler: Callable[[int, np.random.Generator], Any],
    loss_of: Callable[[Any], Tensor],
    config: TrainingConfig,
    *,
    warm_up: int,
    checkpoint_every: int,
    max_grad_norm: float = math.inf,
) -> Network:
    """Train a network, and resume from ``out/checkpoint.pt`` if it exists.

    Parameters
    ----------
    network : nn.Module
        With its first weights; it is changed.
    out : Path
        Folder of the checkpoint.
    sampler : callable
        Draws the batch of a step, in one more process.
    loss_of : callable
        The network's loss on a batch.
    config : TrainingConfig
        Length, learning rate, weight decay and averaging.
    warm_up : int
        Steps in which the learning rate rises.
    checkpoint_every : int
        Steps between checkpoints.
    max_grad_norm : float
        Longer gradients are shortened to this norm.

    Returns
    -------
    nn.Module
        With the exponential moving average of the weights.
    """
    mean = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(config.averaging), use_buffers=True
    )
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=config.weight_decay)
    checkpoint, first = out / "checkpoint.pt", 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True, map_location=next(network.parameters()).device)
        network.load_state_dict(state["network"])
        mean.load_state_dict(state["mean"])
        optimiser.load_state_dict(state["optimiser"])
        first = state["step"]
    batches = DataLoader(
        SeededBatches(sampler, config, first),
        batch_size=None,
        num_workers=1,
        prefetch_factor=4,
        multiprocessing_context="spawn",  # a forked worker may wait for ever for a lock of the arithmetic
    )
    network.train()
    with Progress() as progress:
        bar = progress.add_task("training", total=config.steps, completed=first)
        for step, batch in enumerate(batches, start=first):
            for group in optimiser.param_groups:
                group["lr"] = learning_rate_at(step, config.steps, config.learning_rate, warm_up)
            loss = loss_of(batch)
            optimiser.zero_grad()
            loss.backward()
            if max_grad_norm < math.inf:
                nn.utils.clip_grad_norm_(network.parameters(), max_grad_norm)
            optimiser.step()
            mean.update_parameters(network)
            progress.advance(bar)
            if step % LOSS_EVERY == 0:  # reading the loss waits for an accelerator
                progress.update(bar, description=f"training, loss {loss.item():.3f}")
            if (step + 1) % checkpoint_every == 0 or step + 1 == config.steps:
                state = {
                    "network": network.state_dict(),
                    "mean": mean.state_dict(),
                    "optimiser": optimiser.state_dict(),
                    "step": step + 1,
                }
                torch.save(state, checkpoint.with_suffix(".new"))
                checkpoint.with_suffix(".new").replace(checkpoint)
    result: Network = mean.module
    return result
