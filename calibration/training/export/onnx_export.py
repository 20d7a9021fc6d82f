"""From trained weights to the two files that the reader loads: the ONNX network and its description."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from calibration.training.data import VALUE_LABELS, all_tokens
from calibration.training.models import SquareModel
from calibration.training.network_specs import NetworkSpec
from vision.core import Occupancy

__all__ = ["export_network", "update_card"]

_SCHEMA = 2


class _Probabilities(nn.Module):
    """The network with its temperatures and softmax, so that a reader gets probabilities."""

    def __init__(
        self,
        network: SquareModel,
        temperatures: Mapping[str, float],
        turn_shares: Sequence[float],
        blank_correction: float,
    ) -> None:
        super().__init__()
        self.network = network
        self.temperatures = dict(temperatures)
        self.register_buffer("turn_shares", torch.tensor(turn_shares).log())
        self.register_buffer("rarity", torch.eye(4)[int(Occupancy.BLANK)] * blank_correction)

    def forward(self, cells: Tensor) -> tuple[Tensor, ...]:
        logits = {
            name: each / t
            for each, (name, t) in zip(self.network(cells), self.temperatures.items(), strict=True)
        }
        if "turn" in logits:
            # Under even odds: else each tile that looks alike both ways would vote for upright, as most tiles were.
            logits["turn"] = logits["turn"] - self.turn_shares
        logits["occupancy"] = logits["occupancy"] + self.rarity
        return tuple(torch.softmax(each, dim=1) for each in logits.values())


def export_network(
    network: SquareModel,
    kind: NetworkSpec,
    temperatures: Mapping[str, float],
    path: Path,
    recipe: Mapping[str, Any],
    metrics: Mapping[str, Any],
    turn_shares: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
    blank_correction: float = 0.0,
) -> None:
    """Write `path` (ONNX) and the JSON file beside it.

    Parameters
    ----------
    network : SquareNetwork
        The trained network.
    kind : Kind
        Which one it is.
    temperatures : mapping
        For each of its outputs, by what its logits are divided.
    path : Path
        Where the ONNX file goes.
    recipe, metrics : mapping
        How it was trained and how it measures, for the description.
    turn_shares : sequence of float
        How often letters stood upright and turned by 90, 180 and 270 degrees in training. They are divided
        out, since a board is as likely to be seen from one side as from another.
    blank_correction : float
        Added to the logarithm of the odds of a blank, since training shows many more than there are.
    """
    sight = kind.sight
    model = _Probabilities(
        network, {name: temperatures[name] for name in kind.outputs}, turn_shares, blank_correction
    )
    model.eval()
    example = torch.zeros((2, sight.side_px, sight.side_px, 3), dtype=torch.uint8)
    axes = {name: {0: "squares"} for name in ("cells", *kind.outputs)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        # The older exporter folds batch normalisation and needs no further package; it says that it is old.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (example,),
            str(path),
            input_names=["cells"],
            output_names=list(kind.outputs),
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
    card = {
        "schema": _SCHEMA,
        "tokens": list(all_tokens()),
        "value_labels": list(VALUE_LABELS),
        "cell_px": sight.cell_px,
        "context_px": sight.context_px,
        "temperatures": dict(temperatures),
        "turn_shares": [round(share, 5) for share in turn_shares],
        "blank_correction": round(blank_correction, 5),
        "recipe": dict(recipe),
        "metrics": dict(metrics),
    }
    _write(path, card)


def update_card(path: Path, **entries: Any) -> None:
    """Add entries to the description beside the ONNX file `path`, or replace them."""
    _write(path, json.loads(path.with_suffix(".json").read_text(encoding="utf-8")) | entries)


def _write(path: Path, card: Mapping[str, Any]) -> None:
    text = json.dumps(card, ensure_ascii=False, indent=1) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")
