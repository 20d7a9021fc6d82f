"""The refit, which knows the covered squares, and boards that only a reader makes certain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from scoring import load_edition
from tests.sets import scenes
from tests.sets.scenes import board_scene, compare_corners
from tests.unit.vision.detection.test_detector import STANDARD, photo_of
from tests.unit.vision.detection.test_fitting import (
    CORNERS,
    PATTERN,
    off_by,
    square_colours,
    turned,
    views_of_board,
)
from vision.capture import Frame
from vision.core.geometry import Grid
from vision.detection import Effort, ImagePyramid, detect_boards, detector, needs_refit, refit_grid
from vision.detection.features.layout_likelihood import block_margins
from vision.detection.fitter import HypothesisFitter, HypothesisKind, fit_jointly
from vision.detection.fitting.edge_offsets import EdgeMeasurements
from vision.detection.fitting.occlusion import AlignmentProblem, OcclusionMask
from vision.detection.fitting.refine import refine_jointly, refine_on_lines
from vision.detection.fitting.robust_fit import EdgeKind, EdgeOffsets, inlier_share, jacobian_across
from vision.detection.hypotheses import HypothesisGenerator
from vision.detection.verification import FitScores, FittedGrid, Verdict, score_fit
from vision.errors import BoardNotFoundError
from vision.pipeline.photo import PhotoSettings, read_photo
from vision.pipeline.recognizers import GameContext, load_recognizer

pytestmark = pytest.mark.slow

MARGIN = 2
NOTHING = np.zeros((15, 15), bool)


def worst_corner(grid: Grid) -> float:
    """The worst corner's error in cells, whichever side is named up."""
    matrix = grid.image_from_grid.matrix
    return min(off_by(matrix @ turned(quarters)) for quarters in range(4))


def shifted_grid(cells: float) -> Grid:
    """The grid of the drawn board, shifted along x."""
    grid = Grid.from_corners(CORNERS, 15, 15)
    return Grid.from_corners(
        grid.image_from_grid.apply([[cells, 0], [15 + cells, 0], [15 + cells, 15], [cells, 15]]), 15, 15
    )


def test_lines_are_followed_to_where_they_end() -> None:
    views, matrix = views_of_board()
    start = matrix @ np.array([[1.0, 0.012, 0.15], [-0.01, 1, -0.15], [0, 0, 1]])

    assert off_by(start) > 0.2
    problem = AlignmentProblem.unread(views, PATTERN)
    assert off_by(refine_on_lines(problem, start, problem.occlusion_at(start))) < 0.04


@pytest.mark.parametrize("lines", [0, 2])
def test_the_grid_is_refitted_around_covered_squares(lines: int) -> None:
    image = photo_of(STANDARD, CORNERS, (800, 640), lines=lines, tiles=0.0)
    hidden = NOTHING.copy()
    hidden[3:12, 4:13] = True
    matrix = cv2.getPerspectiveTransform(
        np.array([[4, 3], [13, 3], [13, 12], [4, 12]], np.float32),
        shifted_grid(0.3).image_from_grid.apply([[4, 3], [13, 3], [13, 12], [4, 12]]).astype(np.float32),
    )
    tiles = np.full(
        (9 * 40, 9 * 40, 3), (92, 128, 70), np.uint8
    )  # of the board's own colour, laid carelessly
    tiles[::40] = tiles[:, ::40] = 20
    into = matrix @ np.array([[1 / 40, 0, 4], [0, 1 / 40, 3], [0, 0, 1]])
    laid = cv2.warpPerspective(tiles, into, (800, 640), dst=image.copy(), borderMode=cv2.BORDER_TRANSPARENT)

    grid = refit_grid(ImagePyramid.of(np.asarray(laid, np.uint8)), shifted_grid(0.25), STANDARD, hidden)

    assert worst_corner(grid) < 0.08
    assert grid.fit > 0.2


def test_a_refit_is_needed_where_the_first_fit_missed_covered_squares() -> None:
    views, matrix = views_of_board(tiles=0.3)
    seen = AlignmentProblem.unread(views, PATTERN).occlusion_at(matrix).squares
    clear = replace(shifted_grid(0.0), fit=0.8)
    three_more = seen.copy()
    three_more[tuple(np.argwhere(~seen)[:3].T)] = True

    assert not needs_refit(views, clear, STANDARD, seen)
    assert needs_refit(views, clear, STANDARD, three_more)
    assert needs_refit(views, replace(clear, fit=0.5), STANDARD, seen)


def test_a_board_that_does_not_show_is_refused_with_what_was_tried() -> None:
    plain = np.full((640, 800, 3), (92, 128, 70), np.uint8)

    with pytest.raises(BoardNotFoundError, match="no board found"):
        refit_grid(ImagePyramid.of(plain), shifted_grid(0.0), STANDARD, NOTHING)


def test_a_refit_that_agrees_confirms_a_certain_first_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    views = ImagePyramid.of(photo_of(STANDARD, CORNERS, (800, 640), tiles=0.0))

    def straying(*given: object) -> object:
        found = fit_jointly(*given)  # type: ignore[arg-type]  # passed on as it came
        return replace(found, scores=replace(found.scores, misaligned_squares=5, edge_share=0.5))

    monkeypatch.setattr("vision.detection.refit.fit_jointly", straying)

    assert worst_corner(refit_grid(views, shifted_grid(0.03), STANDARD, NOTHING)) < 0.05
    with pytest.raises(BoardNotFoundError, match="not certain"):
        refit_grid(views, shifted_grid(0.03), STANDARD, NOTHING, uncertain=True)
    with pytest.raises(BoardNotFoundError, match="not certain"):
        refit_grid(views, shifted_grid(0.1), STANDARD, NOTHING)


def test_a_small_uncertain_correction_is_applied_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    image = photo_of(STANDARD, CORNERS, (800, 640), tiles=0.0)
    first = shifted_grid(0.1)
    sure = worst_corner(refit_grid(ImagePyramid.of(image), first, STANDARD, NOTHING))

    def unsure(*given: object) -> object:
        found = fit_jointly(*given)  # type: ignore[arg-type]  # passed on as it came
        return replace(found, scores=replace(found.scores, corner_std_cells=0.09))

    monkeypatch.setattr("vision.detection.refit.fit_jointly", unsure)
    partly = worst_corner(refit_grid(ImagePyramid.of(image), first, STANDARD, NOTHING))

    assert sure < 0.02
    assert 0.02 < partly < 0.06


def test_lines_with_two_edges_each_are_smoothed_more() -> None:
    views, matrix = views_of_board(lines=2)
    blurred = np.asarray(cv2.warpAffine(views.fine_bgr, np.array([[1.0, 0, 9], [0, 1, 0]]), (800, 640)))
    doubled = cv2.addWeighted(views.fine_bgr, 0.5, blurred, 0.5, 0)
    moved = type(views).of(np.asarray(doubled, np.uint8))
    between = np.array([[1.0, 0, 4.5], [0, 1, 0], [0, 0, 1]]) @ matrix

    fit = refine_jointly(AlignmentProblem.unread(moved, PATTERN), between)

    assert off_by(np.array([[1.0, 0, -4.5], [0, 1, 0], [0, 0, 1]]) @ fit[0]) < 0.1


def test_known_covered_squares_are_not_estimated_from_colours() -> None:
    views, matrix = views_of_board(tiles=0.3)
    estimated = AlignmentProblem.unread(views, PATTERN).occlusion_at(matrix)
    known = AlignmentProblem(views, PATTERN, OcclusionMask(NOTHING, is_known=True)).occlusion_at(matrix)

    assert estimated.squares.any()
    assert not known.squares.any()
    assert known.is_known
    assert not estimated.is_known


def test_edges_next_to_tiles_count_less() -> None:
    views, matrix = views_of_board()
    hidden = NOTHING.copy()
    hidden[7, 7] = True

    edges, bare = (
        EdgeMeasurements.of(views, matrix, PATTERN, OcclusionMask(squares=squares, is_known=True))
        for squares in (hidden, NOTHING)
    )

    beside_tile = edges.kinds == EdgeKind.BY_TILE
    assert beside_tile.sum() == 4
    weights, usual = (each.offsets(is_blurred=False).weights for each in (edges, bare))
    assert (weights[beside_tile] < usual[beside_tile]).all()
    np.testing.assert_array_equal(weights[~beside_tile], usual[~beside_tile])


def test_inliers_are_lines_at_their_place_next_to_no_tile() -> None:
    places = np.array([[0.0, 0.5], [1, 0.5], [2, 0.5], [3, 0.5]])
    is_vertical = np.ones(4, bool)
    offsets = EdgeOffsets(
        cells=np.array([0.0, 0.01, 0.2, 0.0]),
        is_vertical=is_vertical,
        weights=np.ones(4),
        jacobian=jacobian_across(places, is_vertical, 15, 15),
        kinds=np.array([1, 1, 1, EdgeKind.BY_TILE]),
    )

    assert inlier_share(offsets, np.zeros(8)) == pytest.approx(2 / 3)
    assert inlier_share(replace(offsets, kinds=None), np.zeros(8)) == pytest.approx(3 / 4)


def test_squares_that_are_known_to_be_covered_are_not_misaligned() -> None:
    colours = square_colours()
    strange = colours.copy()
    strange[13:16, 13:17] = colours[MARGIN, MARGIN]  # tiles of the colour of triple words
    hidden = NOTHING.copy()
    hidden[11:14, 11:15] = True

    masked = block_margins(strange, PATTERN, MARGIN, hidden)
    assert masked.min() >= -1
    assert block_margins(strange, PATTERN, MARGIN, NOTHING).min() < masked.min()


def test_covered_edges_do_not_count() -> None:
    views, matrix = views_of_board(tiles=0.0)
    image = np.array(views.fine_bgr)
    cv2.fillConvexPoly(image, np.array([[150, 120], [600, 100], [620, 300], [150, 300]]), (92, 128, 70))
    hand = type(views).of(image)
    hidden = NOTHING.copy()
    hidden[:8, :13] = True

    masked = AlignmentProblem(hand, PATTERN, OcclusionMask(hidden, is_known=True))
    assert score_fit(masked, matrix).edge_share > 0.85
    assert score_fit(AlignmentProblem.unread(hand, PATTERN), matrix).edge_share < 0.8


def test_an_uncertain_board_is_kept_if_reading_makes_it_certain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = board_scene(100_005)
    edition = load_edition(scene.edition)
    frame = Frame(image_bgr=scene.image_bgr, source="scene", index=0, time_s=0.0)
    reader = load_recognizer("network", edition)
    kinds = HypothesisGenerator.kinds
    monkeypatch.setattr(HypothesisGenerator, "kinds", lambda self, effort: kinds(self, effort)[:1])
    monkeypatch.setattr(detector._Search, "search_parts", lambda _: [])
    monkeypatch.setattr(FitScores, "_has_board_lines", property(lambda self: self.misaligned_squares < 0))

    seen = detect_boards(scene.image_bgr, edition.layout, allow_uncertain=True)
    assert not seen.is_certain
    with monkeypatch.context() as few_lines:
        few_lines.setattr(FitScores, "has_good_lines", property(lambda _: False))
        few_lines.setattr("vision.pipeline.photo.SETTINGS", PhotoSettings(min_lines=1.01))
        with pytest.raises(BoardNotFoundError, match="not certain"):
            read_photo(frame, GameContext(edition=edition, recognizer=reader))
    on_lines = read_photo(
        frame, GameContext(edition=edition, recognizer=reader)
    )  # a second fit at the same place, on lines that show

    monkeypatch.undo()
    monkeypatch.setattr("vision.pipeline.camera.detect_boards", lambda *_, **__: seen)
    accepted = read_photo(frame, GameContext(edition=edition, recognizer=reader))
    truth = np.array([[0, 0], [15, 0], [15, 15], [0, 15]])
    for reading in (on_lines, accepted):
        placed = reading.grid.image_from_grid.inverse.apply(scene.corners_px)
        assert np.abs(placed - truth).max() < 0.1


def kinds_of(fitted: FittedGrid, number: int, made: list[int]) -> Iterator[Iterator[FittedGrid]]:
    """A number of kinds with one fit each; `made` lists those that are used."""
    for kind in range(number):
        made.append(kind)
        yield iter([fitted])


def test_kinds_of_hypotheses_that_are_not_needed_are_not_made() -> None:
    good = FitScores(edge_share=0.5, layout_margin_nats=40.0, line_margin=0.0)
    doubtful = FittedGrid(image_from_grid=views_of_board()[1], classes=PATTERN, scores=good)
    certain = replace(doubtful, scores=replace(good, edge_share=0.7, layout_margin_nats=80.0))
    made: list[int] = []

    assert (good.verdict, certain.scores.verdict) == (Verdict.ACCEPTED, Verdict.CERTAIN)
    assert detector.search_kinds(kinds_of(certain, 5, made)) == [certain]
    assert detector.search_kinds(kinds_of(doubtful, 5, made), stop_early=True) == [doubtful]
    assert made == [0, 0]
    assert detector.search_kinds(iter([iter([doubtful]), iter([certain])])) == [certain]


def test_a_board_whose_first_fit_is_off_is_found_by_another_kind() -> None:
    scene = board_scene(987_201)
    grid = detect_boards(scene.image_bgr, load_edition(scene.edition).layout).grid
    assert compare_corners(grid, scene.corners_px)[0] < 0.1


MISALIGNED = FitScores(
    edge_share=0.7,
    layout_margin_nats=80.0,
    line_margin=0.0,
    misaligned_squares=7,
)


def test_a_fit_that_only_colours_contradict_ends_a_fast_search() -> None:
    misaligned = FittedGrid(image_from_grid=views_of_board()[1], classes=PATTERN, scores=MISALIGNED)
    made: list[int] = []

    assert detector.search_kinds(kinds_of(misaligned, 3, made), stop_early=True) == [misaligned]
    assert made == [0]
    assert detector.search_kinds(kinds_of(misaligned, 3, made)) == [misaligned]
    assert made == [0, 0, 1, 2]


@pytest.mark.parametrize(
    ("other", "alone"),
    [
        ({}, True),
        ({"layout_margin_nats": 20.0}, True),
        ({"layout_margin_nats": 15.0}, False),
        ({"edge_share": 0.5}, False),
    ],
)
def test_it_is_known_when_only_colours_contradict_a_fit(other: dict[str, Any], alone: bool) -> None:
    scores = replace(MISALIGNED, **other)

    assert scores.is_rejected_by_colour_only is alone
    assert scores.verdict < Verdict.ACCEPTED


def test_where_a_refit_rejects_a_fast_detection_the_search_is_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = board_scene(100_005)
    edition = load_edition(scene.edition)
    frame = Frame(image_bgr=scene.image_bgr, source="scene", index=0, time_s=0.0)
    fit_kinds, fitted = HypothesisFitter.fit_kinds, []

    def only_doubted(
        self: HypothesisFitter, kinds: Iterable[HypothesisKind]
    ) -> Iterator[Iterator[FittedGrid]]:
        for fits in map(list, fit_kinds(self, kinds)):
            yield (
                replace(fit, scores=replace(fit.scores, misaligned_squares=6, edge_share=0.7)) for fit in fits
            )
            yield iter(fits)

    def refused(*_: object, **__: object) -> Grid:
        fitted.append(1)
        raise BoardNotFoundError("no board found: its corners are not certain")

    monkeypatch.setattr(HypothesisFitter, "fit_kinds", only_doubted)
    monkeypatch.setattr("vision.pipeline.photo.refit_grid", refused)
    monkeypatch.setattr("vision.pipeline.photo.SETTINGS", PhotoSettings(min_clear_fit=0.0))
    fast = detect_boards(scene.image_bgr, edition.layout, effort=Effort.FAST, allow_uncertain=True)
    assert fast.may_improve
    assert not fast.is_certain

    found = read_photo(frame, GameContext(edition=edition, recognizer=load_recognizer("network", edition)))

    assert len(fitted) == 1
    assert compare_corners(found.grid, scene.corners_px)[0] < 0.1


@pytest.mark.parametrize("bow", [-0.02, 0.02])
def test_the_distortion_of_a_usual_lens_does_not_lose_the_grid(
    monkeypatch: pytest.MonkeyPatch, bow: float
) -> None:
    camera = scenes.scene_camera
    monkeypatch.setattr(scenes, "scene_camera", lambda rng: replace(camera(rng), bow=bow))
    scene = board_scene(100_005)
    edition = load_edition(scene.edition)

    grid = detect_boards(scene.image_bgr, edition.layout).grid

    placed = grid.image_from_grid.inverse.apply(scene.corners_px)
    truth = np.array([[0, 0], [15, 0], [15, 15], [0, 15]])
    errors = [float(np.abs(np.roll(truth, turn, axis=0) - placed).max()) for turn in range(4)]
    assert min(errors) < 0.15
