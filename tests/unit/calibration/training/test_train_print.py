from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch", reason="PyTorch is of the extra `train`")
pytest.importorskip("onnx", reason="onnx is of the extra `train`")

import typer  # noqa: E402  (after the check that torch is there)

from calibration.training import train_print as training  # noqa: E402
from calibration.training.data.print_samples import render_squares  # noqa: E402
from calibration.training.models.print_network import PrintModel  # noqa: E402
from calibration.training.train_print import PrintConfig, side_logits, train  # noqa: E402
from vision.recognition import PRINT_PX  # noqa: E402

RECIPE = PrintConfig(seed=2, boards=4, heldout=2, steps=4, batch=2)


def test_a_training_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    render_squares(tmp_path / "squares", "train", 2, range(4))
    train(replace(RECIPE, steps=2), tmp_path, checkpoint_every=1)
    assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"] == 2
    network = train(RECIPE, tmp_path)
    assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"] == 4
    assert isinstance(network, PrintModel)


def test_turned_prints_have_turned_logits_and_left_out_prints_do_not_count() -> None:
    torch.manual_seed(1)
    network = PrintModel().eval()
    prints = torch.randn(1, 4, PRINT_PX, PRINT_PX)
    counts = torch.tensor([[True, True, False, True]])
    logits = side_logits(network, prints, counts)
    turned = side_logits(network, torch.rot90(prints, 1, (2, 3)), counts)
    assert torch.allclose(turned[0, :4], torch.roll(logits[0, :4], -1), atol=1e-4)
    prints[:, 2] = 7.0
    assert torch.allclose(side_logits(network, prints, counts), logits, atol=1e-5)
    assert logits[0, 4] == 0


def test_the_command_writes_a_network_with_its_description(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(training.main)
    options = ["--boards", "4", "--heldout", "8", "--steps", "2", "--seed", "2"]
    done = CliRunner().invoke(app, [*options, "--out", str(tmp_path)], catch_exceptions=False)
    assert done.exit_code == 0
    card = json.loads((tmp_path / "print.json").read_text(encoding="utf-8"))
    assert card["recipe"]["boards"] == 4
    assert card["metrics"]["boards"] == 8
    import onnxruntime

    session = onnxruntime.InferenceSession(tmp_path / "print.onnx", providers=["CPUExecutionProvider"])
    (scores,) = session.run(None, {"prints": np.zeros((3, 1, PRINT_PX, PRINT_PX), np.float32)})
    assert scores.shape == (3,)
