"""A lens and its straight pictures."""

from __future__ import annotations

import dataclasses
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.errors import SettingsError
from vision.profile.lens import Lens, LensModel, UndistortedView

BARREL = Lens(
    model=LensModel.RADIAL,
    focal_px=(600.0, 602.0),
    centre_px=(410.0, 290.0),
    distortion=(-0.25, 0.06, 0.001, -0.0008, 0.0),
    size_px=(800, 600),
)
FISHEYE = dataclasses.replace(
    BARREL, model=LensModel.FISHEYE, focal_px=(420.0, 420.0), distortion=(0.02, -0.01, 0.001, 0.0)
)
RATIONAL = dataclasses.replace(BARREL, distortion=(0.1, 0.02, 0.0, 0.0, 0.0, 0.3, 0.02, 0.001))


@pytest.mark.parametrize("lens", [BARREL, FISHEYE, RATIONAL])
def test_a_lens_projects_as_opencv_says(lens: Lens) -> None:
    rays = np.random.default_rng(0).normal(0, 0.3, (40, 2))
    if lens.model is LensModel.FISHEYE:
        theirs = cv2.fisheye.distortPoints(rays.reshape(-1, 1, 2), lens.matrix, np.array(lens.distortion))
    else:
        solid = np.column_stack([rays, np.ones(len(rays))])
        theirs, _ = cv2.projectPoints(solid, np.zeros(3), np.zeros(3), lens.matrix, np.array(lens.distortion))
    np.testing.assert_allclose(lens.project(rays), theirs.reshape(-1, 2), atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    x=st.floats(0, 799),
    y=st.floats(0, 599),
    lens=st.sampled_from([BARREL, FISHEYE, RATIONAL]),
    px=st.integers(200, 1200),
)
def test_points_come_back_from_the_straight_picture(x: float, y: float, lens: Lens, px: int) -> None:
    np.testing.assert_allclose(lens.project(lens.unproject([[x, y]])), [[x, y]], atol=1e-3)
    view = UndistortedView.of(lens, px)
    np.testing.assert_allclose(view.to_photo(view.from_photo([[x, y]])), [[x, y]], atol=1e-3)


@pytest.mark.parametrize("lens", [BARREL, FISHEYE])
@pytest.mark.parametrize("longest_px", [800, 300])
def test_a_bent_line_is_straight_in_the_straight_picture(lens: Lens, longest_px: int) -> None:
    share = np.linspace(-0.5, 0.5, 200)
    line = lens.project(np.stack([share, 0.3 + 0.2 * share], axis=1))
    photo = np.full((600, 800, 3), 255, np.uint8)
    cv2.polylines(photo, [np.round(line * 16).astype(np.int32)], False, (0, 0, 0), 3, cv2.LINE_AA, 4)
    view = UndistortedView.of(lens, longest_px)
    straight = view.undistort(photo)
    assert straight.shape[:2] == (view.size_px[1], view.size_px[0])
    first, last = view.from_photo(line[[20, -20]])
    columns = np.arange(int(first[0]), int(last[0]))
    dark = 255.0 - straight[..., 0].astype(np.float64)
    rows = (dark[:, columns] * np.arange(len(dark))[:, None]).sum(axis=0) / dark[:, columns].sum(axis=0)
    wanted = first[1] + (columns - first[0]) * (last[1] - first[1]) / (last[0] - first[0])
    assert np.abs(rows - wanted).max() < 0.35


def test_a_photo_whose_sides_are_no_multiple_of_the_reduction_keeps_its_scale() -> None:
    lens = dataclasses.replace(BARREL, centre_px=(403.0, 303.0), size_px=(807, 607))
    photo = np.zeros((607, 807, 3), np.uint8)
    cv2.circle(photo, (750, 550), 12, (255, 255, 255), -1)
    view = UndistortedView.of(lens, 100)
    assert view.shrink == 8
    light = view.undistort(photo)[..., 0].astype(np.float64)
    rows, columns = np.indices(light.shape)
    middle = np.array([(light * columns).sum(), (light * rows).sum()]) / light.sum()
    np.testing.assert_allclose(view.to_photo(middle), [750, 550], atol=1.5)


def test_a_part_is_the_same_picture_larger() -> None:
    view = UndistortedView.of(BARREL, 400)
    corners = np.array([[100.0, 80], [260, 80], [260, 200], [100, 200]])
    part = view.crop(corners, 2.0)
    assert part.size_px == (322, 242)
    in_photo = view.to_photo(corners)
    np.testing.assert_allclose(part.to_photo((corners - [100, 80] + 0.5) * 2 - 0.5), in_photo, atol=1e-6)


def test_a_lens_is_the_same_at_another_size() -> None:
    half = BARREL.rescale((400, 300))
    rays = np.array([[0.1, 0.2], [-0.4, 0.3]])
    np.testing.assert_allclose(half.project(rays), (BARREL.project(rays) + 0.5) / 2 - 0.5, atol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"focal_px": (float("nan"), 600.0)}, "missing or infinite"),
        ({"distortion": (0.1, 0.2, 0.3)}, "4 or 5 or 8 coefficients, got 3"),
        ({"focal_px": (2.0, 600.0)}, "those of no camera"),
        ({"centre_px": (9000.0, 0.0)}, "far outside"),
    ],
)
def test_numbers_of_no_camera_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        dataclasses.replace(BARREL, **change)


def test_a_lens_that_folds_the_picture_is_refused() -> None:
    folding = dataclasses.replace(BARREL, focal_px=(90.0, 90.0), distortion=(-3.0, 0.0, 0.0, 0.0, 0.0))
    with pytest.raises(SettingsError, match="folds the picture"):
        UndistortedView.of(folding, 800)
