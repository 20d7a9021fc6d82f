"""The loop that all networks are trained by: it goes on from a checkpoint, and keeps a running mean of the weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import torch
from rich.progress import Progress
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

__all__ = ["learning_rate_at", "train_network"]

Network = TypeVar("Network", bound=nn.Module)


def learning_rate_at(step: int, steps: int, highest: float, warm: int) -> float:
    """The learning rate: it rises for `warm` steps and falls on a cosine."""
    if step < warm:
        return highest * (step + 1) / warm
    return highest * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def train_network(
    network: Network,
    out: Path,
    batches_from: Callable[[int], IterableDataset[Any]],
    loss_of: Callable[[Any], Tensor],
    *,
    steps: int,
    rate: Callable[[int], float],
    weight_decay: float,
    averaging: float,
    checkpoint_every: int,
    steepest: float = math.inf,
) -> Network:
    """Train a network, going on from ``out/checkpoint.pt`` where there is one.

    Parameters
    ----------
    network : nn.Module
        With its first weights; it is changed.
    out : Path
        Folder of the checkpoint.
    batches_from : callable
        The batches from a step on; one more process prepares them.
    loss_of : callable
        What the network loses on a batch.
    steps : int
        Length of the training.
    rate : callable
        The learning rate at a step.
    weight_decay : float
        As usual.
    averaging : float
        Decay of the running mean of the weights.
    checkpoint_every : int
        Steps between checkpoints.
    steepest : float
        Length of a gradient, beyond which it is shortened.

    Returns
    -------
    nn.Module
        With the running mean of the weights.
    """
    mean = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(averaging), use_buffers=True
    )
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=weight_decay)
    checkpoint, first = out / "checkpoint.pt", 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        network.load_state_dict(state["network"])
        mean.load_state_dict(state["mean"])
        optimiser.load_state_dict(state["optimiser"])
        first = state["step"]
    batches = DataLoader(
        batches_from(first),
        batch_size=None,
        num_workers=1,
        prefetch_factor=4,
        multiprocessing_context="spawn",  # a forked worker may wait for ever for a lock of the arithmetic
    )
    network.train()
    with Progress() as progress:
        bar = progress.add_task("training", total=steps, completed=first)
        for step, batch in enumerate(batches, start=first):
            for group in optimiser.param_groups:
                group["lr"] = rate(step)
            loss = loss_of(batch)
            optimiser.zero_grad()
            loss.backward()
            if steepest < math.inf:
                nn.utils.clip_grad_norm_(network.parameters(), steepest)
            optimiser.step()
            mean.update_parameters(network)
            progress.update(bar, advance=1, description=f"training, loss {loss.item():.3f}")
            if (step + 1) % checkpoint_every == 0 or step + 1 == steps:
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
