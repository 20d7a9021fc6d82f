"""Medians by sorting are those of NumPy, and probabilities from logarithms have a sum of 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.core.arrays import log_sum, median, softmax
from vision.core.frames import Frame


@pytest.mark.parametrize("count", [1, 2, 7, 64, 235])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int16])
def test_medians_are_those_of_numpy(count: int, kind: type) -> None:
    values: NDArray[Any] = np.random.default_rng(count).integers(-900, 900, (3, count, 4)).astype(kind)
    for axis, moved in ((1, values), (-1, np.moveaxis(values, 1, -1)), (0, np.moveaxis(values, 1, 0))):
        expected = np.median(moved, axis=axis)
        assert np.array_equal(median(moved, axis), expected)
        assert median(moved, axis).dtype == (
            expected.dtype if count % 2 == 0 or kind is not np.int16 else kind
        )


@pytest.mark.parametrize("kind", ["uint8", "int8", "int16", "int32"])
def test_the_largest_numbers_of_a_kind_have_their_median_too(kind: str) -> None:
    most = int(np.iinfo(kind).max)
    values: NDArray[Any] = np.array([most - 2, most, 0, most], kind)
    assert float(median(values)) == most - 1


def test_nothing_has_no_median() -> None:
    with pytest.raises(IndexError):
        median(np.empty(0))


def test_probabilities_follow_from_logarithms_of_any_size() -> None:
    logs = np.array([[-1e4, -1e4 + np.log(3)], [900.0, -np.inf]])
    assert softmax(logs) == pytest.approx(np.array([[0.25, 0.75], [1.0, 0.0]]))
    assert log_sum(logs) == pytest.approx(np.logaddexp.reduce(logs, axis=-1))


@pytest.mark.parametrize("dtype", [np.float32, np.uint16, np.bool_])
def test_pictures_have_bytes(dtype: type[np.generic]) -> None:
    picture: Any = np.zeros((4, 4, 3), dtype)
    with pytest.raises(ValueError, match="image_bgr: expected uint8 with levels from 0 to 255, got"):
        Frame(image_bgr=picture, source="camera")
