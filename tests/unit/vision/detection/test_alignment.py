"""Looks at a guessed grid, and what they spare: a small correction needs no other look, a known board no other fit."""

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
from vision.detection.features.layout_classes import LayoutClasses
from vision.detection.fitting.edge_offsets import OcclusionMask, SeenEdges
from vision.detection.fitting.photometric import colour_pull
from vision.detection.fitting.refine import AlignmentProblem, AlignmentState
from vision.detection.fitting.robust_fit import projection
from vision.detection.hypotheses import FittedGrid, HypothesisGenerator
from vision.detection.proposals.layout_alignment import LayoutPlacement
from vision.detection.verification import score_fit
from vision.pipeline.photo import read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer


@pytest.mark.parametrize("number", range(8))
def test_the_colours_pull_each_number_back(number: int) -> None:
    views, matrix = views_of_board(lines=0, tiles=0.0)
    off = np.zeros(8)
    off[number] = 0.1

    pull = colour_pull(views, matrix @ projection(off, 15, 15), PATTERN)

    assert pull is not None
    pulled = np.linalg.solve(pull.normal, pull.towards)
    assert -0.12 < pulled[number] < -0.03  # the blur of both takes the rest
    assert np.abs(np.delete(pulled, number)).max() < 0.01


def test_lines_are_looked_for_where_a_correction_puts_them() -> None:
    views, matrix = views_of_board(tiles=0.0)
    off = np.array([0.35, 0, 0, 0.0, 0, 0, 0, 0])
    edges = SeenEdges.of(
        views, matrix @ projection(-off, 15, 15), PATTERN, OcclusionMask.on(views, matrix, PATTERN)
    )

    beside, there = edges.offsets(unclear=False), edges.offsets(unclear=False, near=off)

    upright = there.along_x & (there.weights > 0.3)
    assert upright.sum() > 150
    np.testing.assert_allclose(np.median(there.cells[upright]), 0.35, atol=0.02)
    assert np.abs(beside.cells).max() < 0.25


@pytest.mark.parametrize(("shift", "looks"), [(0.03, 1), (0.15, 2)])
def test_a_small_correction_needs_no_other_look(
    shift: float, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    views, matrix = views_of_board(tiles=0.1)
    seen: list[NDArray[np.float64]] = []
    edges_of = SeenEdges.of

    def counted(views: ImagePyramid, matrix: NDArray[np.float64], *more: object) -> SeenEdges:
        seen.append(matrix)
        return edges_of(views, matrix, *more)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(SeenEdges, "of", counted)
    start = matrix @ np.array([[1.0, 0, shift], [0, 1, 0], [0, 0, 1]])
    look = AlignmentState.at(AlignmentProblem(views=views, pattern=PATTERN), start, colours=True)
    for _ in range(6):
        look = look.corrected(unclear=False)

    assert look.settled
    assert off_by(look.image_from_grid) < 0.02
    assert len(seen) == looks


@pytest.mark.parametrize(("colours", "times"), [(True, 2), (False, 0)])
def test_colours_that_said_nothing_are_asked_again_elsewhere(
    colours: bool, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    views, matrix = views_of_board(tiles=0.1)
    asked: list[object] = []
    monkeypatch.setattr("vision.detection.fitting.refine.colour_pull", lambda *where: asked.append(where))
    start = matrix @ np.array([[1.0, 0, 0.15], [0, 1, 0], [0, 0, 1]])
    look = AlignmentState.at(AlignmentProblem(views=views, pattern=PATTERN), start, colours=colours)

    again = look.corrected(unclear=False).corrected(unclear=False)

    assert len(asked) == times
    assert again.without_colours().colours is False


def test_a_large_clear_board_is_found_from_afar() -> None:
    views, _ = views_of_board(tiles=0.1)

    first = next(HypothesisGenerator(views=views, pattern=PATTERN).by_kind())

    assert [candidate.evidence.beyond_doubt for candidate in first] == [True]


def test_a_guess_beside_an_accepted_board_is_not_fitted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    views, matrix = views_of_board(tiles=0.1)
    guesses = HypothesisGenerator(views=views, pattern=PATTERN)
    guess = LayoutPlacement(image_from_grid=matrix, pattern=PATTERN, score=1.0)
    known = guesses._fitted(guess, whole_lines=False)
    assert known.evidence.accepted

    def fitted(*_: object, **__: object) -> None:
        raise AssertionError("it is known")

    monkeypatch.setattr("vision.detection.hypotheses.refined", fitted)
    beside = matrix @ np.array([[1.0, 0, 0.2], [0, 1, 0], [0, 0, 1]])
    assert guesses._fitted(replace(guess, image_from_grid=beside), whole_lines=False) is known
    farther = matrix @ np.array([[1.0, 0, 0.8], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(AssertionError, match="known"):
        guesses._fitted(replace(guess, image_from_grid=farther), whole_lines=False)


@pytest.mark.parametrize(("quarter_turns", "known"), [(0, True), (1, False), (2, False), (3, False)])
def test_a_guess_in_another_turn_is_not_known(quarter_turns: int, known: bool) -> None:
    classes = np.zeros((15, 15), np.int64)
    classes[:4, :3] = 1
    pattern = LayoutClasses(classes=classes)
    views, matrix = views_of_board(tiles=0.1)
    board = FittedGrid(image_from_grid=matrix, pattern=pattern, evidence=score_fit(views, matrix, pattern))

    assert board.near(matrix, pattern.rotate(quarter_turns), 0.1) is known


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
