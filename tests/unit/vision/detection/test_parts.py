"""The steps of detection, each by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoring import parse_layout
from vision.core.geometry import invert_matrix, project_points
from vision.detection.diagnostics import failure_reason
from vision.detection.features.edge_profiles import find_edge_peaks
from vision.detection.features.layout_likelihood import LayoutClasses, explained_variance
from vision.detection.features.pyramid import ImagePyramid
from vision.detection.fitting.edge_offsets import edge_centres, edge_jacobian
from vision.detection.fitting.occlusion import estimate_occlusion
from vision.detection.fitting.photometric import _pixel_jacobian
from vision.detection.fitting.refine import _line_candidates
from vision.detection.fitting.robust_fit import homography_increment, homography_jacobian
from vision.detection.proposals.lattice import find_lattices
from vision.detection.proposals.quads import QUAD_THRESHOLDS, Quads, distinct_quads, find_quads
from vision.detection.residual_distortion import _fold_model, _increment_from_offsets
from vision.detection.verification import FitScores, Verdict

PATTERN = LayoutClasses.from_layout(parse_layout("T..d..T .D...D. ..t.t.. d..D..d ..t.t.. .D...D. T..d..T"))
LOPSIDED = LayoutClasses.from_layout(parse_layout("TT... .d... ..... ....d"))


def squares_at(cells: NDArray[np.int64], matrix: NDArray[np.float64], share: float = 0.9) -> Quads:
    """Quads on lattice cells as a camera would see them."""
    half = share / 2
    unit = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    return Quads(corners_xy=project_points(matrix, (cells[:, None] + 0.5 + unit).astype(np.float64)))


def grid_cells(columns: int, rows: int) -> NDArray[np.int64]:
    return np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).reshape(-1, 2)


OBLIQUE = np.array([[30.0, 4.0, 100.0], [-3.0, 26.0, 150.0], [1e-4, 9e-3, 1.0]])


def test_a_lattice_is_recovered_up_to_its_origin_and_turn() -> None:
    cells = grid_cells(9, 7)
    shuffled = np.random.default_rng(2).permutation(cells)

    (lattice,) = find_lattices(squares_at(shuffled, OBLIQUE), max_count=3, diagonals=False)

    seen = project_points(invert_matrix(lattice.image_from_lattice) @ OBLIQUE, cells.astype(np.float64))
    np.testing.assert_allclose(seen, seen.round(), atol=0.005)  # means of corners are not quite centres
    assert len(lattice.cells) == len(cells)
    steps = project_points(lattice.image_from_lattice, np.array([[0.0, 0], [1, 0], [0, 1]]))
    assert np.linalg.det(steps[1:] - steps[0]) > 0  # not seen in a mirror


def test_stray_quads_do_not_bend_a_lattice() -> None:
    rng = np.random.default_rng(4)
    board = squares_at(grid_cells(8, 8), OBLIQUE)
    strays = rng.uniform(60, 400, (30, 1, 2)) + rng.uniform(4, 12, (30, 1, 1)) * np.array(
        [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    )

    lattice = find_lattices(distinct_quads([board, Quads(corners_xy=strays)]), max_count=1, diagonals=False)[
        0
    ]

    seen = project_points(
        invert_matrix(lattice.image_from_lattice) @ OBLIQUE, grid_cells(8, 8).astype(np.float64)
    )
    assert np.abs(seen - seen.round()).max() < 0.05


def test_squares_that_meet_at_corners_make_a_lattice_with_diagonals_alone() -> None:
    cells = grid_cells(9, 9)
    checkers = cells[cells.sum(axis=1) % 2 == 0]
    quads = squares_at(checkers, OBLIQUE)

    assert find_lattices(quads, max_count=1, diagonals=False) == []
    (lattice,) = find_lattices(quads, max_count=1, diagonals=True)
    assert len(lattice.cells) == len(checkers)


@pytest.mark.parametrize("count", [0, 1, 7])
def test_few_quads_are_no_lattice(count: int) -> None:
    assert find_lattices(squares_at(grid_cells(count, 1), OBLIQUE), max_count=3, diagonals=True) == []


def test_a_single_row_is_no_lattice() -> None:
    assert find_lattices(squares_at(grid_cells(12, 1), OBLIQUE), max_count=3, diagonals=False) == []


def test_quads_on_one_another_are_found_once() -> None:
    quads = squares_at(grid_cells(3, 3), OBLIQUE)
    smaller = squares_at(grid_cells(3, 3), OBLIQUE, share=0.8)

    assert len(distinct_quads([smaller, quads, quads])) == 9
    np.testing.assert_allclose(distinct_quads([smaller, quads]).areas.sum(), quads.areas.sum())


@pytest.mark.parametrize(("line", "threshold"), [(40, QUAD_THRESHOLDS[0]), (210, QUAD_THRESHOLDS[1])])
def test_cells_between_dark_and_between_light_lines_are_found_with_their_own_sign(
    line: int, threshold: tuple[int, int]
) -> None:
    layer = np.full((404, 404), 128, np.uint8)
    for k in range(0, 404, 40):
        layer[k : k + 4] = layer[:, k : k + 4] = line

    centres = find_quads(layer, threshold).centres_xy

    expected = grid_cells(10, 10) * 40 + 21.5
    nearest = np.linalg.norm(expected[:, None] - centres, axis=-1).min(axis=1)
    assert nearest.max() < 1


def test_lattice_quads_report_their_shape() -> None:
    with pytest.raises(ValueError, match=r"expected shape \(None, 4, 2\), got \(3, 2\)"):
        Quads(corners_xy=np.zeros((3, 2)))


small = st.floats(-0.02, 0.02)


@given(st.lists(small, min_size=8, max_size=8))
def test_a_homography_increment_moves_points_as_its_jacobian_says(numbers: list[float]) -> None:
    places = grid_cells(16, 16).astype(np.float64)
    along_x, along_y = homography_jacobian(places, 15, 15)

    moved = project_points(homography_increment(np.array(numbers), 15, 15), places) - places

    expected = np.stack([along_x @ numbers, along_y @ numbers], axis=1)
    # the rest is of second order
    np.testing.assert_allclose(moved, expected, atol=20 * max(map(abs, numbers)) ** 2 + 1e-9)


def test_what_is_kept_for_all_pictures_cannot_be_changed() -> None:
    kept = (
        *edge_centres(15, 15),
        edge_jacobian(15, 15),
        *_pixel_jacobian(15, 15),
        _fold_model(0, 7.5, 15, 15),
        _increment_from_offsets(15, 15),
        *_line_candidates(15, 16),
    )
    assert not any(array.flags.writeable for array in kept)


@pytest.mark.parametrize(
    "size", [(3000, 4000), (1504, 1504), (1601, 900), (1700, 900), (900, 640), (840, 640), (20_000, 90)]
)
def test_levels_keep_pixel_centres(size: tuple[int, int]) -> None:
    height, width = size
    ramp = np.zeros((height, width, 3), np.uint8)
    ramp[..., 0] = np.linspace(0, 250, width).astype(np.uint8)
    views = ImagePyramid.of(ramp)

    assert max(views.coarse_bgr.shape[:2]) <= 840
    assert max(views.fine_bgr.shape[:2]) < 3200
    for shrunk, matrix in (
        (views.fine_bgr, views.fine_from_image),
        (views.coarse_bgr, views.coarse_from_image),
    ):
        # the outer border of the last pixel that is used stays the border
        x = shrunk.shape[1] / 2
        across = project_points(invert_matrix(matrix), np.array([[-0.5, -0.5], [x, 0.0]]))
        np.testing.assert_allclose(across[0], [-0.5, -0.5], atol=1e-9)
        assert (
            abs(float(shrunk[0, int(x), 0]) - float(across[1, 0]) * 250 / width) < 3 + 500 / shrunk.shape[1]
        )


def test_a_warped_plane_samples_cell_centres() -> None:
    image = np.zeros((120, 120, 3), np.uint8)
    image[40:60, 60:80] = 200  # one cell of 20 px, its border between pixels
    image_from_plane = np.array([[20.0, 0, 19.5], [0, 20, 19.5], [0, 0, 1]])

    flat = ImagePyramid.of(image).warp_plane(image_from_plane, (0, 0, 4, 4), 10)

    expected = np.zeros((40, 40), np.uint8)
    expected[10:20, 20:30] = 200
    np.testing.assert_array_equal(flat[..., 0], expected)


def test_edges_are_found_between_cells_only() -> None:
    flat = np.zeros((60, 60, 3), np.uint8)
    flat[20:40, 20:40] = 255
    shifted = np.roll(flat, 8, axis=(0, 1))

    assert find_edge_peaks(flat, 20).vertical.tolist() == [[False, False], [True, True], [False, False]]
    assert find_edge_peaks(flat, 20).horizontal.tolist() == [[False, True, False], [False, True, False]]
    assert not find_edge_peaks(shifted, 20).vertical[1].any()


def coloured(pattern: LayoutClasses, noise: float = 2.0) -> NDArray[np.float32]:
    rng = np.random.default_rng(5)
    palette = rng.uniform(30, 220, (pattern.class_count, 3))
    return (palette[pattern.classes] + rng.normal(0, noise, (*pattern.classes.shape, 3))).astype(np.float32)


def test_colours_are_explained_at_the_right_place_alone() -> None:
    wide = np.pad(coloured(PATTERN), ((2, 2), (2, 2), (0, 0)), mode="wrap")

    share = explained_variance(wide, PATTERN)

    assert share[2, 2] > 0.95
    assert np.sort(share, axis=None)[-2] < 0.6


def test_a_plain_surface_explains_nothing() -> None:
    assert explained_variance(np.full((7, 7, 3), 90, np.float32), PATTERN)[0, 0] == 0


def test_tiles_are_occluded_squares_even_where_most_of_a_class_is_covered() -> None:
    colours = coloured(PATTERN)
    tiles = np.zeros((7, 7), dtype=bool)
    tiles[3] = True
    tiles[PATTERN.classes == PATTERN.classes[0, 0]] = True  # every triple word
    colours[tiles] = (250, 128, 140)

    np.testing.assert_array_equal(estimate_occlusion(colours, PATTERN), tiles)


def test_rotations_of_a_layout() -> None:
    assert PATTERN.distinct_rotations() == (0,)
    assert LOPSIDED.distinct_rotations() == (0, 1, 2, 3)
    assert (LOPSIDED.rotate(1).rows, LOPSIDED.rotate(1).columns) == (5, 4)
    # turned clockwise, the top left corner comes to the top right
    assert LOPSIDED.rotate(1).classes[0, -1] == LOPSIDED.classes[0, 0]
    np.testing.assert_array_equal(LOPSIDED.rotate(3).rotate(1).classes, LOPSIDED.classes)


def scores(**changes: float) -> FitScores:
    values: dict[str, Any] = {
        "edge_share": 0.9,
        "layout_margin_nats": 150.0,
        "line_margin": 0.1,
    }
    return FitScores(**(values | changes))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(
            {"edge_share": 0.4, "layout_margin_nats": 30.0}, id="few lines, and a layout that hardly shows"
        ),
        pytest.param({"layout_margin_nats": 15.0}, id="the layout fits after a shift as well"),
        pytest.param({"corner_std_cells": 0.2}, id="an uncertain corner"),
    ],
)
def test_each_score_can_reject(changes: dict[str, float]) -> None:
    assert scores().verdict is Verdict.CERTAIN
    assert scores(**changes).verdict < Verdict.ACCEPTED
    assert scores(**changes).rank < scores().rank


def test_a_grid_whose_lines_and_colours_fit_better_after_a_shift_is_not_certain() -> None:
    verdicts = [
        scores(misaligned_squares=count, line_margin=margin).verdict
        for count, margin in ((2, 0.1), (0, -0.1), (2, -0.1))
    ]
    assert verdicts == [Verdict.CERTAIN, Verdict.CERTAIN, Verdict.ACCEPTED]


@pytest.mark.parametrize(
    ("weak", "says"),
    [
        (scores(edge_share=0.9, layout_margin_nats=0.0), "90% of a board's lines are seen, but its"),
        (scores(misaligned_squares=4), "check the edition and its number of squares"),
        (
            scores(edge_share=0.35, layout_margin_nats=0.0),
            "35% of a board's lines are seen, and no premium squares;",
        ),
        (
            scores(edge_share=0.7, corner_std_cells=0.3),
            "a board seems to be there, but its corners are not certain",
        ),
        (None, "no pattern of equal squares"),
    ],
)
def test_a_refusal_names_the_stage_that_failed(weak: FitScores | None, says: str) -> None:
    sharp = np.random.default_rng(0).integers(0, 256, (100, 100, 3)).astype(np.uint8)

    assert says in failure_reason(sharp, weak)


@pytest.mark.parametrize(
    ("levels", "weak", "says"),
    [
        ((0, 20), None, "add light"),
        ((0, 4), None, "black (levels 0 to 3 of 255); uncover the lens"),
        ((10, 70), scores(edge_share=0.7, corner_std_cells=0.3), "add light, come closer"),
        ((250, 256), scores(edge_share=0.7, corner_std_cells=0.3), "expose shorter, come closer"),
        ((248, 256), scores(edge_share=0.35, layout_margin_nats=0.0), "too bright"),
        ((90, 200), scores(edge_share=0.7, corner_std_cells=0.3), "squares); come closer"),
    ],
)
def test_a_refusal_says_what_the_light_should_be(
    levels: tuple[int, int], weak: FitScores | None, says: str
) -> None:
    picture = np.random.default_rng(0).integers(*levels, (100, 100, 3)).astype(np.uint8)

    assert says in failure_reason(picture, weak)
