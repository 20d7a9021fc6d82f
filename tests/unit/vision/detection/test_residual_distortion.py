"""Residual distortion of a board's lines, relative to the straight grid that was found."""

from __future__ import annotations

import functools
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from samples import Camera, Light, RenderedPhoto, Style, bow_points, fold_points, render_photo
from scoring import load_edition
from tests.sets.club_boards import club_board
from tests.sets.scenes import scene_style
from tilesight.cli.read import format_reading
from tilesight.output.photo_record import build_photo_record
from vision.capture import Frame
from vision.core.geometry import Grid
from vision.detection import (
    DistortionKind,
    ImagePyramid,
    ResidualDistortion,
    detect_boards,
    measure_residual_distortion,
)
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer

SEED = 7
ENGLISH = load_edition("english")
CAMERA = Camera(cell_px=28, tilt_deg=32, azimuth_deg=25, margins=(0.1, 0.1, 0.1, 0.1))
FLAT = {"bow": 0.0, "bend_deg": 0.0}


@functools.cache
def style() -> Style:
    return scene_style(np.random.default_rng(SEED), "printed", "english")


def scene(bow: float, bend_deg: float) -> RenderedPhoto:
    """A board in play through a lens of that bow, or bent along its fold."""
    rows = club_board(ENGLISH, SEED).rows
    camera = replace(CAMERA, bow=bow)
    return render_photo(
        rows, ENGLISH, style=style(), camera=camera, light=Light(), seed=SEED, bend_deg=bend_deg
    )


def true_bow(bow: float, bend_deg: float) -> float:
    """The largest distance, in cells along x or y, of any corner of a square from the best straight grid."""
    view = replace(CAMERA, bow=bow).view(15, 15, max(style().board.frame_width, 0.25))
    places = np.stack(np.meshgrid(np.arange(16.0), np.arange(16.0)), axis=-1).reshape(-1, 2)
    seen_px = fold_points(places, view, bend_deg, across=style().board.fold_across)
    seen_px = bow_points(seen_px, bow, (view.height_px, view.width_px))
    straight, _ = cv2.findHomography(seen_px, places, 0)
    back = cv2.perspectiveTransform(seen_px[None], straight)[0]
    return float(np.abs(back - places).max())


def located(photo: RenderedPhoto) -> tuple[Grid, NDArray[np.bool_]]:
    """The grid that is found, and the squares of it that hold tiles."""
    grid = detect_boards(photo.image_bgr, ENGLISH.layout, allow_uncertain=True).grid
    turns = [grid.rotate(turn) for turn in range(4)]
    grid = min(turns, key=lambda turned: float(np.abs(turned.corners_px - photo.corners_px).max()))
    return grid, np.array([[token != "." for token in row] for row in photo.rows])


@pytest.mark.parametrize(
    ("bow", "bend_deg", "kind"), [(0.1, 0.0, DistortionKind.LENS), (0.0, -5.0, DistortionKind.FOLD)]
)
def test_a_distortion_is_measured_and_classified(bow: float, bend_deg: float, kind: DistortionKind) -> None:
    photo = scene(bow, bend_deg)
    grid, tiles = located(photo)

    seen = measure_residual_distortion(ImagePyramid.of(photo.image_bgr), grid, ENGLISH.layout, tiles)

    assert seen is not None
    assert seen.kind is kind
    assert seen.deviation_cells == pytest.approx(true_bow(bow, bend_deg), abs=0.04)
    assert true_bow(bow, bend_deg) > 0.06
    if kind is DistortionKind.FOLD:
        assert seen.lens is None
    else:
        assert seen.lens is not None
        # Of the radius r in the photo the pinhole shows r (1 + bow r^2).
        assert seen.lens[0] == pytest.approx(-bow, abs=0.03)


def test_a_flat_board_before_a_straight_lens_has_next_to_no_bow() -> None:
    photo = scene(**FLAT)
    grid, tiles = located(photo)

    seen = measure_residual_distortion(ImagePyramid.of(photo.image_bgr), grid, ENGLISH.layout, tiles)

    assert true_bow(**FLAT) < 1e-6
    assert seen is not None
    assert seen.deviation_cells < 0.03
    assert seen.remark == ""


def test_a_board_without_bare_lines_has_no_measured_distortion() -> None:
    photo = scene(**FLAT)
    grid, _ = located(photo)

    assert (
        measure_residual_distortion(
            ImagePyramid.of(photo.image_bgr), grid, ENGLISH.layout, np.ones((15, 15), bool)
        )
        is None
    )


def test_a_photo_reports_that_its_board_is_not_flat() -> None:
    photo = scene(bow=0.0, bend_deg=6.0)
    frame = Frame(image_bgr=photo.image_bgr, source="bent", index=0, time_s=0.0)

    found = read_photo(frame, GameContext(edition=ENGLISH, recognizer=load_recognizer("network", ENGLISH)))

    assert build_photo_record("bent", found, ENGLISH)["bow_cells"] == pytest.approx(
        true_bow(0.0, 6.0), abs=0.04
    )
    assert "press it flat along its fold" in format_reading(found)
    assert build_photo_record("bent", replace(found, residual_distortion=None), ENGLISH)["bow_cells"] is None
    assert "press it flat" not in format_reading(replace(found, residual_distortion=None))


def test_a_lens_is_named_with_what_straightens_it() -> None:
    remark = ResidualDistortion(deviation_cells=0.171, std_cells=0.01, lens=(-0.1, 0.0, 0.0)).remark

    assert "bow by 0.17 of a square" in remark
    assert "tilesight calibrate lens" in remark
