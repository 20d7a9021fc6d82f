"""The network with small integers says nearly what the trained one says."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (the extra `train`)")
pytest.importorskip("onnx", reason="ONNX is not installed (the extra `train`)")

from calibration.training.data.square_shards import CELLS, TILES, all_tokens  # noqa: E402
from calibration.training.export import quantisation  # noqa: E402
from calibration.training.export.fold_preprocessing import fold_preprocessing  # noqa: E402
from calibration.training.export.onnx_export import export_network  # noqa: E402
from calibration.training.export.quantisation import quantise, render_typical_cells  # noqa: E402
from calibration.training.models.square_networks import CellNetwork  # noqa: E402
from calibration.training.network_specs import CELL_SPEC  # noqa: E402
from vision.recognition.preprocessing import normalize_contrast, space_to_depth  # noqa: E402

SIDE = CELLS.side_px


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A network that was never trained; its sums are those of any."""
    torch.manual_seed(1)
    network = CellNetwork(letters=len(all_tokens()), values=13).eval()
    path = tmp_path / "cells.onnx"
    export_network(network, CELL_SPEC, dict.fromkeys(CELL_SPEC.outputs, 1.0), path, recipe={}, metrics={})
    return path


def test_probabilities_stay_and_the_file_shrinks(trained: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    cells = rng.integers(0, 256, (40, SIDE, SIDE, 3)).astype(np.uint8)
    small = tmp_path / "small.onnx"
    quantise(trained, small, [cells[:20], cells[20:]])
    small.with_suffix(".json").write_bytes(trained.with_suffix(".json").read_bytes())
    assert small.stat().st_size < 0.5 * trained.stat().st_size
    outputs = [session(path).run(None, {"cells": cells}) for path in (trained, small)]
    for exact, near in zip(*outputs, strict=True):
        assert near.shape == exact.shape
        assert np.allclose(near.sum(axis=1), 1, atol=1e-4)
        assert np.abs(near - exact).max() < 0.05


def session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def test_prepared_pixels_give_the_same_answers_in_less_time(trained: Path, tmp_path: Path) -> None:
    cells = next(render_typical_cells(1))[:150]
    small, ready = tmp_path / "small.onnx", tmp_path / "ready.onnx"
    quantise(trained, small, [cells[:20], cells[20:]])
    scale, zero = fold_preprocessing(small, ready)
    pixels = normalize_contrast(space_to_depth(cells), scale, zero)
    expected, found = session(small), session(ready)
    for old, new in zip(
        expected.run(None, {"cells": cells}), found.run(None, {"blocks": pixels}), strict=True
    ):
        assert np.abs(old - new).max() < 0.01
    assert ready.stat().st_size <= small.stat().st_size

    def quickest(run: Callable[[], object]) -> float:
        times = []
        for _ in range(5):
            started = time.process_time()
            run()
            times.append(time.process_time() - started)
        return min(times)

    assert quickest(lambda: found.run(None, {"blocks": pixels})) < quickest(
        lambda: expected.run(None, {"cells": cells})
    )


def test_only_a_quantised_network_is_prepared(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="quantise first"):
        fold_preprocessing(trained, tmp_path / "ready.onnx")


def test_typical_cells_come_a_board_at_a_time_and_from_the_seed() -> None:
    first, again, other = (next(render_typical_cells(1, CELLS, seed)) for seed in (0, 0, 1))
    assert first.shape[1:] == (SIDE, SIDE, 3)
    assert np.array_equal(first, again)
    assert first.shape != other.shape or not np.array_equal(first, other)
    tiles = next(render_typical_cells(1, TILES))
    assert tiles.shape[1:] == (TILES.side_px, TILES.side_px, 3)
    assert len(tiles) < len(first)


def test_the_command_replaces_a_file(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = trained.stat().st_size
    card = json.loads(trained.with_suffix(".json").read_text())
    monkeypatch.setattr(sys, "argv", ["quantisation", str(trained), str(trained), "--boards", "1"])
    quantisation.main()
    assert trained.stat().st_size < 0.5 * before
    assert json.loads(trained.with_suffix(".json").read_text()) == card
