"""Alignment of a hypothesis: a small correction needs no new measurement, a known board no new fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring import load_edition
from tests.unit.vision.detection.test_detector import STANDARD, photo_of
from tests.unit.vision.detection.test_fitting import CORNERS, PATTERN, off_by, views_of_board
from vision.capture import Frame
from vision.detection import ImagePyramid, detect_boards
from vision.detection.features.layout_likelihood import LayoutClasses
from vision.detection.fitter import HypothesisFitter
from vision.detection.fitting.edge_offsets import EdgeMeasurements
from vision.detection.fitting.occlusion import AlignmentProblem
from vision.detection.fitting.photometric import photometric_prior
from vision.detection.fitting.refine import AlignmentState
from vision.detection.fitting.robust_fit import homography_increment
from vision.detection.hypotheses import HypothesisGenerator
from vision.detection.verification import FittedGrid, Verdict, score_fit
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer


@pytest.mark.parametrize("number", range(8))
def test_the_photometric_prior_corrects_each_parameter(number: int) -> None:
    views, matrix = views_of_board(lines=0, tiles=0.0)
    off = np.zeros(8)
    off[number] = 0.1

    prior = photometric_prior(
        AlignmentProblem.unread(views, PATTERN), matrix @ homography_increment(off, 15, 15)
    )

    assert prior is not None
    mean = np.linalg.solve(prior.information, prior.information_vector)
    assert -0.12 < mean[number] < -0.03  # the blur of both takes the rest
    assert np.abs(np.delete(mean, number)).max() < 0.01


def test_lines_are_searched_where_a_correction_puts_the_edges() -> None:
    views, matrix = views_of_board(tiles=0.0)
    off = np.array([0.35, 0, 0, 0.0, 0, 0, 0, 0])
    occlusion = AlignmentProblem.unread(views, PATTERN).occlusion_at(matrix)
    edges = EdgeMeasurements.of(views, matrix @ homography_increment(-off, 15, 15), PATTERN, occlusion)

    unshifted, shifted = edges.offsets(is_blurred=False), edges.offsets(is_blurred=False, params=off)

    vertical = shifted.is_vertical & (shifted.weights > 0.3)
    assert vertical.sum() > 150
    np.testing.assert_allclose(np.median(shifted.cells[vertical]), 0.35, atol=0.02)
    assert np.abs(unshifted.cells).max() < 0.25


@pytest.mark.parametrize(("shift", "measurements"), [(0.03, 1), (0.15, 2)])
def test_a_small_correction_needs_no_new_measurement(
    shift: float, measurements: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    views, matrix = views_of_board(tiles=0.1)
    measured_at: list[NDArray[np.float64]] = []
    edges_of = EdgeMeasurements.of

    def counted(views: ImagePyramid, matrix: NDArray[np.float64], *more: object) -> EdgeMeasurements:
        measured_at.append(matrix)
        return edges_of(views, matrix, *more)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(EdgeMeasurements, "of", counted)
    start = matrix @ np.array([[1.0, 0, shift], [0, 1, 0], [0, 0, 1]])
    problem = AlignmentProblem.unread(views, PATTERN)
    state = AlignmentState.measure(problem, start, problem.occlusion_at(start), use_colours=True)
    for _ in range(6):
        state = state.step(is_blurred=False)

    assert state.has_converged
    assert off_by(state.image_from_grid) < 0.02
    assert len(measured_at) == measurements


@pytest.mark.parametrize(("colours", "times"), [(True, 2), (False, 0)])
def test_colours_without_a_prior_are_measured_again_after_a_move(
    colours: bool, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    views, matrix = views_of_board(tiles=0.1)
    asked: list[object] = []
    monkeypatch.setattr(
        "vision.detection.fitting.refine.photometric_prior", lambda *where: asked.append(where)
    )
    start = matrix @ np.array([[1.0, 0, 0.15], [0, 1, 0], [0, 0, 1]])
    problem = AlignmentProblem.unread(views, PATTERN)
    state = AlignmentState.measure(problem, start, problem.occlusion_at(start), use_colours=colours)

    again = state.step(is_blurred=False).step(is_blurred=False)

    assert len(asked) == times
    assert again.without_colours().uses_colours is False


def test_a_clear_board_is_found_by_its_dark_lines() -> None:
    views, _ = views_of_board(tiles=0.1)

    first = next(HypothesisFitter(views).fit_kinds(HypothesisGenerator(views, PATTERN).kinds()))

    assert [fitted.scores.verdict for fitted in first] == [Verdict.CERTAIN]


@pytest.mark.parametrize(("quarter_turns", "known"), [(0, True), (1, False), (2, False), (3, False)])
def test_a_hypothesis_in_another_orientation_is_not_near(quarter_turns: int, known: bool) -> None:
    classes = np.zeros((15, 15), np.int64)
    classes[:4, :3] = 1
    pattern = LayoutClasses(classes=classes)
    views, matrix = views_of_board(tiles=0.1)
    scores = score_fit(AlignmentProblem.unread(views, pattern), matrix)
    board = FittedGrid(image_from_grid=matrix, classes=pattern, scores=scores)

    assert board.is_near(matrix, pattern.rotate(quarter_turns), 0.1) is known


def test_the_views_of_a_photo_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    image = photo_of(STANDARD, CORNERS, (800, 640), tiles=0.2)
    made: list[tuple[int, ...]] = []
    views_of = ImagePyramid.of

    def counted(image_bgr: NDArray[np.uint8], *more: int) -> ImagePyramid:
        made.append(image_bgr.shape)
        return views_of(image_bgr, *more)

    monkeypatch.setattr(ImagePyramid, "of", counted)
    seen = detect_boards(image, STANDARD)
    assert seen.pyramid is not None
    assert made == [image.shape]
    made.clear()
    edition = replace(load_edition("english"), layout=STANDARD)
    frame = Frame(image_bgr=image, source="board", index=0, time_s=0.0)
    read_photo(frame, GameContext(edition=edition, recognizer=load_recognizer("network", edition)))
    assert made == [image.shape]
