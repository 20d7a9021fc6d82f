from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is of the extra `train`")
pytest.importorskip("onnx", reason="onnx is of the extra `train`")

from calibration.training.fit_pooling import NetworkOutputs, fit_board_pooling, main, read_random_board
from vision.core.boards import Occupancy
from vision.recognition import CASCADE_SETTINGS
from vision.weights import WEIGHTS

FILES = {name: WEIGHTS / f"{name}.onnx" for name in ("glance", "cells", "tiles")}


def said(occupancy: np.ndarray, right: float, rng: np.random.Generator) -> np.ndarray:
    """Opinions (n, 4) of one who is right so often, and knows how often."""
    named = np.where(rng.random(len(occupancy)) < right, occupancy, rng.integers(0, 4, len(occupancy)))
    sure = right + (1 - right) / 4
    return np.where(np.eye(4, dtype=bool)[named], sure, (1 - sure) / 3).astype(np.float32)


def test_who_is_right_is_trusted() -> None:
    rng = np.random.default_rng(1)
    occupancy = rng.integers(0, 4, (6, 300))
    boards = [
        NetworkOutputs(
            predictions=np.stack([said(each, right, rng) for right in (0.9, 0.5, 0.0)]),
            occupancy=each,
            passed_over=np.array([Occupancy.EMPTY, Occupancy.EMPTY, Occupancy.BLANK]),
        )
        for each in occupancy
    ]
    trust, metrics = fit_board_pooling(boards, blank_weight=1.0)
    for question in ("whether", "which"):
        two, three = trust[question]
        assert len(two) == 2
        assert two[0] > two[1]
        assert three[0] > three[1]
        assert three[2] == 0  # no further than needs be
    assert metrics["squares"] == 900
    bare = int((occupancy == Occupancy.EMPTY).sum())
    assert metrics["bare_passed_over"] == pytest.approx(12 / (12 + bare), abs=1e-4)
    assert (metrics["others_passed_over"], metrics["others"]) == (6, 1800 - bare + 6)
    assert metrics["all"] >= metrics["glance"] > metrics["cells"] > metrics["tiles"]


def test_the_seed_decides_the_board_and_only_squares_that_glance_leaves_open_are_returned() -> None:
    first, again, other = (read_random_board(seed, **FILES) for seed in (3, 3, 4))
    assert np.array_equal(first.predictions, again.predictions)
    assert first.predictions.shape == (3, len(first.occupancy), 4)
    assert first.predictions.sum(axis=2) == pytest.approx(1, abs=1e-3)
    assert (first.predictions[0, :, Occupancy.EMPTY] < CASCADE_SETTINGS.skip_min_empty).all()
    assert first.predictions.shape != other.predictions.shape
    best = first.predictions.prod(axis=0).argmax(axis=1)
    assert (best == first.occupancy).mean() > 0.8  # so what each network is shown is the same square


def test_the_exponents_are_written_into_the_card_of_glance(tmp_path: Path) -> None:
    for suffix in (".onnx", ".json"):
        (tmp_path / f"glance{suffix}").write_bytes(FILES["glance"].with_suffix(suffix).read_bytes())
    main(tmp_path / "glance.onnx", FILES["cells"], FILES["tiles"], boards=4, seed=5, renderers=1)
    card = json.loads((tmp_path / "glance.json").read_text(encoding="utf-8"))
    assert [len(powers) for powers in card["trust"]["whether"]] == [2, 3]
    assert set(card["metrics"]) == {"occupancy", "occupancy of all three"}
