from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from samples import random_photo
from vision.detection.proposals.corner_network import (
    CornerNetwork,
    load_corner_network,
    network_input,
    outline_in_maps,
)
from vision.errors import SettingsError

LOW, HIGH = -9.0, 4.0


def maps_of(corners_xy: NDArray[np.float64], rows: int = 36, columns: int = 48) -> NDArray[np.float32]:
    """Maps of a confident network for corners in these places, with a board over all of the image."""
    maps = np.full((4, rows, columns), LOW, np.float32)
    for x, y in corners_xy:
        for row in range(round(y) - 1, round(y) + 2):
            for column in range(round(x) - 1, round(x) + 2):
                maps[0, row, column] = HIGH if (row, column) == (round(y), round(x)) else 0.0
                maps[1:3, row, column] = x - column, y - row
    maps[3] = HIGH
    return maps


def same_outline(one: NDArray[np.float64] | None, other: NDArray[np.float64]) -> float:
    """How far two outlines are apart at most, whichever corner is first."""
    assert one is not None
    return min(float(np.abs(np.roll(one, turn, axis=0) - other).max()) for turn in range(4))


class TestMaps:
    CORNERS = np.array([[5.3, 4.2], [40.1, 6.4], [43.8, 30.6], [3.2, 28.9]])

    def test_four_corners_are_an_outline_going_round_clockwise(self) -> None:
        assert same_outline(outline_in_maps(maps_of(self.CORNERS[[2, 0, 3, 1]])), self.CORNERS) < 0.02

    @pytest.mark.parametrize("number", [0, 1, 3])
    def test_fewer_corners_are_none(self, number: int) -> None:
        assert outline_in_maps(maps_of(self.CORNERS[:number])) is None

    def test_of_five_corners_those_around_the_board_are_its_outline(self) -> None:
        maps = maps_of(np.vstack([self.CORNERS, [[24.0, 16.0]]]))
        maps[0, 16, 24] = 2 * HIGH  # the most probable corner of all
        assert same_outline(outline_in_maps(maps), self.CORNERS) < 0.02

    def test_corners_within_a_triangle_of_others_are_no_outline(self) -> None:
        corners = np.array([[5.0, 5.0], [40.0, 5.0], [22.0, 30.0], [22.0, 12.0]])
        assert outline_in_maps(maps_of(corners)) is None


class TestNetworkInput:
    @pytest.mark.parametrize(
        ("height", "width", "expected"),
        [(600, 800, (144, 192)), (800, 600, (192, 144)), (100, 100, (192, 192)), (60, 840, (32, 192))],
    )
    def test_the_sides_are_what_the_network_halves_four_times(
        self, height: int, width: int, expected: tuple[int, int]
    ) -> None:
        image = np.random.default_rng(0).integers(0, 256, (height, width, 3)).astype(np.uint8)
        assert network_input(image).shape == (1, 3, *expected)

    def test_light_makes_no_difference_and_a_plain_image_stays_plain(self) -> None:
        image = np.random.default_rng(0).integers(60, 120, (144, 192, 3)).astype(np.uint8)
        assert network_input(2 * image) == pytest.approx(network_input(image), abs=1e-3)
        plain = np.full((144, 192, 3), 100, np.uint8)
        plain[::2] = 101
        assert np.abs(network_input(plain)).max() < 0.1


class TestCornerNetwork:
    def test_a_rendered_board_is_found(self) -> None:
        photo = random_photo(np.random.default_rng(2), easy=True, density=0.2)
        outline = load_corner_network().outline(photo.image_bgr)
        side_px = np.linalg.norm(np.roll(photo.corners_px, -1, axis=0) - photo.corners_px, axis=1).mean()
        assert same_outline(outline, photo.corners_px) < 0.5 * side_px / len(photo.rows)

    def test_weights_that_are_missing_or_none_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match="cannot be read"):
            CornerNetwork.load(tmp_path / "corners.onnx")
        (tmp_path / "corners.onnx").write_bytes(b"not a network")
        with pytest.raises(SettingsError, match="cannot be loaded"):
            CornerNetwork.load(tmp_path / "corners.onnx")
