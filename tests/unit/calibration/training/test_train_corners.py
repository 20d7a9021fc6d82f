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

from calibration.training import train_corners as training  # noqa: E402
from calibration.training.data.corner_samples import (  # noqa: E402
    CornerView,
    augment_view,
    random_view,
    render_views,
    target_maps,
)
from calibration.training.models.corner_network import CornerModel  # noqa: E402
from calibration.training.train_corners import CornerConfig, evaluate_network, train  # noqa: E402
from vision.detection.proposals.corner_network import CornerNetwork, outline_in_maps  # noqa: E402


def marked_view() -> CornerView:
    """A grey picture with a white disc of seven pixels at each corner of a board."""
    image = np.full((216, 288, 3), 90, np.uint8)
    corners = np.array([[60.0, 50.0], [220.0, 60.0], [240.0, 180.0], [40.0, 170.0]])
    y, x = np.mgrid[:216, :288]
    for place_x, place_y in corners:
        image[np.hypot(x - place_x, y - place_y) < 3.6] = 255
    return CornerView(image_bgr=image, corners_px=corners)


class TestViews:
    def test_a_view_is_kept_with_its_corners(self, tmp_path: Path) -> None:
        render_views(tmp_path, "train", 5, range(2))
        drawn = random_view(np.random.default_rng([5, 1, False]))
        kept = CornerView.load(tmp_path / "train-000001.npz")
        assert np.array_equal(kept.corners_px, drawn.corners_px)
        assert np.abs(kept.image_bgr.astype(int) - drawn.image_bgr).mean() < 4
        assert max(kept.image_bgr.shape) <= 288

    @pytest.mark.parametrize("seed", range(12))
    def test_corners_go_with_the_picture(self, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            "calibration.training.data.corner_samples._relit", lambda image_bgr, rng: image_bgr
        )
        seen = augment_view(marked_view(), 144, 192, np.random.default_rng(seed))
        assert seen.image_bgr.shape == (144, 192, 3)
        for x, y in seen.corners_px:
            assert -1 <= x <= 192
            assert -1 <= y <= 144
            row, column = min(max(round(y), 0), 143), min(max(round(x), 0), 191)
            assert seen.image_bgr[row, column].min() > 170

    def test_the_maps_of_a_view_are_its_outline(self) -> None:
        view = marked_view()
        maps = target_maps(view.corners_px, 216, 288)
        said = np.concatenate([np.log(maps[:1] + 1e-4) + 2, maps[1:3], 8 * maps[3:4] - 4])
        outline = outline_in_maps(said.astype(np.float32))
        assert outline is not None
        assert (4 * (outline + 0.5) - 0.5) == pytest.approx(view.corners_px, abs=0.2)
        assert maps[5].sum() == 4


class TestTraining:
    RECIPE = CornerConfig(seed=2, pictures=4, heldout=2, steps=4, batch=2)

    def test_a_training_that_was_interrupted_goes_on(self, tmp_path: Path) -> None:
        render_views(tmp_path / "views", "train", 2, range(4))
        train(replace(self.RECIPE, steps=2), tmp_path, checkpoint_every=1)
        assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"] == 2
        network = train(self.RECIPE, tmp_path)
        assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"] == 4
        assert isinstance(network, CornerModel)

    def test_the_command_writes_a_network_with_its_description(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(training, "SETTINGS", replace(training.SETTINGS, range_views=2))
        app = typer.Typer()
        app.command()(training.main)
        options = ["--pictures", "4", "--heldout", "2", "--steps", "2", "--seed", "2"]
        done = CliRunner().invoke(app, [*options, "--out", str(tmp_path)], catch_exceptions=False)
        assert done.exit_code == 0
        card = json.loads((tmp_path / "corners.json").read_text(encoding="utf-8"))
        assert card["recipe"]["pictures"] == 4
        assert card["metrics"] == evaluate_network(tmp_path / "corners.onnx", tmp_path / "views")
        assert card["metrics"]["pictures"] == 2
        assert (tmp_path / "corners.onnx").stat().st_size < 1_000_000
        CornerNetwork.load(tmp_path / "corners.onnx").outline(np.zeros((300, 500, 3), np.uint8))
