"""Export trained weights as the two files that the reader loads: the ONNX network and its card."""

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

__all__ = ["export_network", "save_onnx", "update_card"]

SCHEMA = 2
"""Version of the cards; `vision.recognition.OnnxModel` reads this one."""


class _Probabilities(nn.Module):
    """The network with its temperatures and softmax: it outputs probabilities."""

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
            # With even odds: otherwise letters that look the same both ways vote for upright, as most tiles were.
            logits["turn"] = logits["turn"] - self.turn_shares
        logits["occupancy"] = logits["occupancy"] + self.rarity
        return tuple(torch.softmax(each, dim=1) for each in logits.values())


def export_network(
    network: SquareModel,
    spec: NetworkSpec,
    temperatures: Mapping[str, float],
    path: Path,
    recipe: Mapping[str, Any],
    metrics: Mapping[str, Any],
    turn_shares: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
    blank_correction: float = 0.0,
) -> None:
    """Export a square network to an ONNX file, and write its card, a JSON file of the same name.

    Parameters
    ----------
    network : SquareModel
        The trained network.
    spec : NetworkSpec
        Which network it is.
    temperatures : mapping
        By output: the divisor of its logits.
    path : Path
        The ONNX file.
    recipe, metrics : mapping
        How it was trained and how well it reads, for the card.
    turn_shares : sequence of float
        Shares of letters that were turned by 0, 90, 180 and 270 degrees in training. They are divided out, since a
        board is as likely to be seen from one side as from another.
    blank_correction : float
        Added to the log-odds of a blank, since training shows many more blanks than there are.
    """
    crop = spec.crop
    model = _Probabilities(
        network, {name: temperatures[name] for name in spec.outputs}, turn_shares, blank_correction
    )
    names = ("cells", *spec.outputs)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_onnx(
        model,
        torch.zeros((2, crop.side_px, crop.side_px, 3), dtype=torch.uint8),
        path,
        inputs=["cells"],
        outputs=list(spec.outputs),
        dynamic_axes={name: {0: "squares"} for name in names},
    )
    card = {
        "schema": SCHEMA,
        "tokens": list(all_tokens()),
        "value_labels": list(VALUE_LABELS),
        "cell_px": crop.cell_px,
        "context_px": crop.context_px,
        "temperatures": dict(temperatures),
        "turn_shares": [round(share, 5) for share in turn_shares],
        "blank_correction": round(blank_correction, 5),
        "recipe": dict(recipe),
        "metrics": dict(metrics),
    }
    _write(path, card)


def save_onnx(
    model: nn.Module,
    example: Tensor,
    path: Path,
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
    dynamic_axes: Mapping[str, Mapping[int, str]],
) -> None:
    """Save a PyTorch model as an ONNX file.

    Parameters
    ----------
    model : nn.Module
        It is set to evaluation.
    example : Tensor
        An input.
    path : Path
        The file.
    inputs, outputs : sequence of str
        Their names.
    dynamic_axes : mapping
        By input and output, the names of the axes whose length may vary.
    """
    model.eval()
    with warnings.catch_warnings():
        # The older exporter folds batch normalisation and needs no further package; it warns that it is old.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (example,),
            str(path),
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes=dynamic_axes,
            opset_version=17,
            dynamo=False,
        )


def update_card(path: Path, **entries: Any) -> None:
    """Add entries to the card of the ONNX file `path`, or replace them."""
    _write(path, json.loads(path.with_suffix(".json").read_text(encoding="utf-8")) | entries)


def _write(path: Path, card: Mapping[str, Any]) -> None:
    text = json.dumps(card, ensure_ascii=False, indent=1) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")
