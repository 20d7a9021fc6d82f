"""Rendered premium squares: the same seed gives the same ones, upright, and augmented as a photo shows them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calibration.training.data.print_samples import (
    PrintedSquares,
    augment_prints,
    random_squares,
    render_squares,
)
from vision.recognition import PRINT_PX


def test_squares_are_kept_with_whether_they_have_a_side(tmp_path: Path) -> None:
    render_squares(tmp_path, "train", 5, range(3))
    kept = PrintedSquares.load(tmp_path / "train-000000.npz")
    drawn = [random_squares(np.random.default_rng([5, number, False])) for number in range(3)]
    assert [each.has_side for each in kept] == [each.has_side for each in drawn]
    assert all(np.array_equal(one.grey, other.grey) for one, other in zip(kept, drawn, strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_augmented_prints_are_normalised_and_look_like_their_squares(seed: int) -> None:
    squares = random_squares(np.random.default_rng(seed))
    prints = augment_prints(squares, np.random.default_rng([seed, 1]))
    assert prints.shape == (4, PRINT_PX, PRINT_PX)
    assert np.abs(prints.mean(axis=(1, 2))).max() < 1e-3
    assert prints.std(axis=(1, 2)).max() < 1.01
