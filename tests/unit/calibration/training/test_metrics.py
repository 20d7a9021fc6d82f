from __future__ import annotations

import numpy as np
import pytest

from calibration.training.data.square_shards import downscale_cells
from calibration.training.metrics import accuracy, expected_calibration_error, fit_temperature
from vision.core import softmax


class TestMeasures:
    def test_accuracy_counts_the_best_class(self) -> None:
        assert accuracy(np.eye(4), np.array([0, 1, 2, 0])) == 0.75
        assert np.isnan(accuracy(np.empty((0, 4)), np.empty(0, int)))

    def test_an_honest_forecaster_has_no_calibration_error(self) -> None:
        rng = np.random.default_rng(3)
        probabilities = rng.dirichlet((1, 1, 1), 40000)
        labels = (probabilities.cumsum(axis=1) < rng.random((40000, 1))).sum(axis=1)
        assert expected_calibration_error(probabilities, labels) < 0.01

    def test_one_who_is_always_sure_and_half_right_is_off_by_a_half(self) -> None:
        probabilities = np.tile([1.0, 0.0], (10, 1))
        assert expected_calibration_error(probabilities, np.arange(10) % 2) == pytest.approx(0.5)
        assert np.isnan(expected_calibration_error(np.empty((0, 2)), np.empty(0, int)))

    @pytest.mark.parametrize("true", [0.5, 1.0, 2.0])
    def test_the_temperature_of_labels_is_found(self, true: float) -> None:
        rng = np.random.default_rng(5)
        logits = rng.normal(0, 2, (20000, 5))
        labels = (softmax(logits / true).cumsum(axis=1) < rng.random((20000, 1))).sum(axis=1)
        assert fit_temperature(logits, labels) == pytest.approx(true, rel=0.05)

    def test_without_labels_the_temperature_is_one(self) -> None:
        assert fit_temperature(np.empty((0, 5)), np.empty(0, int)) == 1.0


class TestDownscaling:
    cells = np.zeros((64, 56, 56, 3), np.uint8)
    cells[:, 10:20, 24:32] = 200  # a mark above the middle

    def test_cells_are_shrunk_one_by_one(self) -> None:
        light = np.repeat(np.array([0, 200], np.uint8), 2)[:, None, None, None]
        cells = np.broadcast_to(light, (4, 10, 10, 3)).copy()
        small = downscale_cells(cells, 4, 2.5)
        assert small.reshape(4, -1).tolist() == [[each] * 48 for each in (0, 0, 200, 200)]

    def test_a_shrunk_cell_is_its_middle_made_smaller(self) -> None:
        small = downscale_cells(self.cells, 40, 1.25)
        assert small.shape == (64, 40, 40, 3)
        y, x = np.nonzero(small[0, :, :, 0] > 100)
        # rows 10 to 20 of 56 are 8 to 18 above the middle; so 6 to 14 above that of 40
        assert (y.min(), y.max()) == pytest.approx((20 - 18 / 1.25 + 0.5, 20 - 8 / 1.25 - 0.5), abs=1)
        assert (x.min(), x.max()) == pytest.approx((20 - 4 / 1.25 + 0.5, 20 + 4 / 1.25 - 0.5), abs=1)
