"""The likelihood of the layout, and the fit to lines and colours."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from scoring import Layout, Premium, load_edition
from tests.unit.vision.detection.test_detector import COLOURS, STANDARD, flat_board, photo_of
from vision.core.geometry import invert_matrix, project_points
from vision.detection import detect_boards
from vision.detection.features.illumination import flatten_lights
from vision.detection.features.layout_likelihood import (
    LayoutClasses,
    block_margins,
    layout_log_likelihood_ratio,
    unoccluded_squares,
)
from vision.detection.features.pyramid import ImagePyramid
from vision.detection.fitting.occlusion import AlignmentProblem
from vision.detection.fitting.photometric import photometric_prior
from vision.detection.fitting.refine import refine_jointly
from vision.detection.fitting.robust_fit import (
    EdgeKind,
    EdgeOffsets,
    GaussianPrior,
    fit_increment,
    homography_jacobian,
    jacobian_across,
)
from vision.detection.proposals.outlines import find_outlines, fit_layout_in_outline
from vision.detection.proposals.quads import grey_layer

PATTERN = LayoutClasses.from_layout(STANDARD)
MARGIN = 2
NOTHING = np.zeros((15, 15), bool)
TILE = (235.0, 225.0, 205.0)
CORNERS = np.array([[120.0, 90], [690, 60], [730, 560], [90, 520]])
GRID_CORNERS = np.array([[0.0, 0], [15, 0], [15, 15], [0, 15]])


def square_colours(tiles: float = 0.0, slope: float = 0.0, seed: int = 0) -> NDArray[np.float32]:
    """L*a*b* colours of a board's squares with two more all round, tiles on a share of them, lit from one side."""
    rng = np.random.default_rng(seed)
    names = np.full((19, 19), ".")
    names[2:-2, 2:-2] = [[premium.value for premium in row] for row in STANDARD.premiums]
    bgr = np.array([[COLOURS[name] for name in row] for row in names], np.float64)
    bgr[rng.random(names.shape) < tiles] = TILE
    lab = cv2.cvtColor(np.clip(bgr, 0, 255).astype(np.uint8), cv2.COLOR_BGR2Lab).astype(np.float32)
    lab += np.asarray(rng.normal(0, 2, lab.shape), np.float32)
    lab[..., 0] += slope * np.arange(19, dtype=np.float32)
    return lab


@pytest.mark.parametrize("tiles", [0.0, 0.3, 0.7])
def test_the_likelihood_of_the_layout_has_its_maximum_at_the_right_position(tiles: float) -> None:
    nats = layout_log_likelihood_ratio(square_colours(tiles), PATTERN)

    assert nats.shape == (5, 5)
    assert divmod(int(nats.argmax()), nats.shape[1]) == (MARGIN, MARGIN)
    others = np.delete(nats.ravel(), 12)
    assert nats[MARGIN, MARGIN] > 22 + others.max()


@pytest.mark.parametrize("colours", [np.full((19, 19, 3), 120.0), square_colours(tiles=1.0)])
def test_one_colour_favours_no_position(colours: NDArray[np.float32]) -> None:
    assert layout_log_likelihood_ratio(colours.astype(np.float32), PATTERN).max() < 1


def test_a_chessboard_favours_no_position() -> None:
    y, x = np.mgrid[:19, :19]
    colours = np.where(((x + y) % 2)[..., None], (200.0, 120, 140), (60.0, 130, 120)).astype(np.float32)

    nats = layout_log_likelihood_ratio(colours, PATTERN)

    assert nats[MARGIN, MARGIN] - np.delete(nats.ravel(), 12).max() < 1


def test_illumination_from_one_side_is_flattened() -> None:
    lit = square_colours(tiles=0.2, slope=4.0)
    even = next(flatten_lights(lit, MARGIN))

    plain = np.zeros((19, 19), bool)
    plain[2:-2, 2:-2] = PATTERN.plain
    assert np.ptp(np.median(lit[..., 0], axis=0)) > 40
    assert abs(even[plain][:, 0].std() - square_colours(tiles=0.2)[plain][:, 0].std()) < 3
    assert layout_log_likelihood_ratio(even, PATTERN).max() > layout_log_likelihood_ratio(lit, PATTERN).max()


@pytest.mark.parametrize("lamp", [(2.0, 2.0), (9.0, 9.0), (9.0, 18.0)])
def test_the_light_of_a_near_lamp_is_flattened(lamp: tuple[float, float]) -> None:
    row, column = np.mgrid[:19, :19]
    distance = np.hypot(row - lamp[0], column - lamp[1]) / 15
    light = 0.3 + 0.8 * np.exp(-2 * distance**2)  # a quarter of it in the far corner
    bare = square_colours(tiles=0.2)
    lit = in_light(bare, light)

    even = next(flatten_lights(lit, MARGIN))

    in_even_light, flattened, unchanged = (
        layout_log_likelihood_ratio(colours, PATTERN)[MARGIN, MARGIN] for colours in (bare, even, lit)
    )
    assert flattened > 0.9 * in_even_light
    assert unchanged < 0.85 * in_even_light


def in_light(colours: NDArray[np.float32], light: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return L*a*b* colours (8-bit) in other light, (rows, columns)."""
    no_light = np.array([-40.8, 128, 128])
    return np.asarray(no_light + (colours - no_light) * np.cbrt(light)[..., None], np.float32)


@pytest.mark.parametrize("side", [1, -1])
def test_sun_on_a_part_of_the_board_is_flattened(side: int) -> None:
    row, column = np.mgrid[:19, :19]
    light = np.where(side * (row + 0.5 * column - 14) > 0, 1.0, 0.12)
    bare = square_colours(tiles=0.2)
    lit = in_light(bare, light)

    one_light, two_lights = flatten_lights(lit, MARGIN)

    in_even_light, flattened, by_one_light = (
        layout_log_likelihood_ratio(colours, PATTERN)[MARGIN, MARGIN]
        for colours in (bare, two_lights, one_light)
    )
    assert flattened > 0.75 * in_even_light
    assert by_one_light < 0.5 * in_even_light


def test_one_light_is_not_taken_for_two() -> None:
    assert len(list(flatten_lights(square_colours(tiles=0.4), MARGIN))) == 1


def test_uncovered_squares_are_distinguished_from_tiles() -> None:
    bare, laid = square_colours(), square_colours(tiles=0.4)
    covered = np.abs(bare - laid).max(axis=-1) > 30

    shown = unoccluded_squares(laid[2:-2, 2:-2], PATTERN)

    np.testing.assert_array_equal(shown, ~covered[2:-2, 2:-2])


def test_a_misaligned_part_of_the_board_is_noticed() -> None:
    right = square_colours()
    torn = right.copy()
    torn[12:, 12:] = np.roll(right, 1, axis=1)[12:, 12:]

    assert block_margins(right, PATTERN, MARGIN, NOTHING).min() >= 0
    leads = block_margins(torn, PATTERN, MARGIN, NOTHING)
    assert leads[8] < -2
    assert leads[:8].min() >= -1


def points_on_edges() -> NDArray[np.float64]:
    y, x = np.mgrid[:15, :16]
    return np.stack([x, y + 0.5], axis=-1).reshape(-1, 2).astype(np.float64)


def offsets_of(cells: NDArray[np.float64], places: NDArray[np.float64], **more: object) -> EdgeOffsets:
    """Offsets measured along both axes at the same places."""
    is_vertical = np.arange(len(cells)) < len(places)
    return EdgeOffsets(
        cells=cells,
        is_vertical=is_vertical,
        weights=np.ones(len(cells)),
        jacobian=jacobian_across(np.concatenate([places, places]), is_vertical, 15, 15),
        **more,  # type: ignore[arg-type]
    )


def test_offsets_are_fitted_although_some_lines_are_wrong() -> None:
    numbers = np.array([0.1, 0.02, -0.03, -0.05, 0.01, 0.02, 0.01, -0.01])
    places = points_on_edges()
    along_x, along_y = homography_jacobian(places, 15, 15)
    cells = np.concatenate([along_x @ numbers, along_y @ numbers])
    cells[::7] += 0.3

    found, covariance = fit_increment(offsets_of(cells, places))

    np.testing.assert_allclose(found, numbers, atol=0.005)
    assert np.sqrt(np.diag(covariance)).max() < 0.05


def test_tiles_seen_from_the_side_do_not_pull_the_grid() -> None:
    places = points_on_edges()
    by_tile = np.tile(np.arange(len(places)) % 3 > 0, 2)  # two edges in three stand beside a tile
    cells = np.where(by_tile, 0.2, 0.0)
    kinds = np.where(by_tile, EdgeKind.BY_TILE, EdgeKind.SAME_CLASS)

    pulled, _ = fit_increment(offsets_of(cells, places))
    free, _ = fit_increment(
        offsets_of(cells, places, kinds=kinds, parallax=0.3), GaussianPrior(np.eye(8), np.zeros(8))
    )

    assert abs(pulled[0]) > 0.1
    assert abs(free[0]) < 0.03


def test_the_prior_decides_where_nothing_is_measured() -> None:
    wanted = np.array([0.2, 0, 0, -0.1, 0, 0, 0, 0])
    nothing = offsets_of(np.zeros(0), np.zeros((0, 2)))

    found, covariance = fit_increment(nothing, GaussianPrior(100 * np.eye(8), 100 * wanted))

    np.testing.assert_allclose(found, wanted, atol=1e-3)
    np.testing.assert_allclose(np.diag(covariance), 0.01, rtol=1e-3)


def views_of_board(lines: int = 2, tiles: float = 0.1) -> tuple[ImagePyramid, NDArray[np.float64]]:
    """A photo of a board, and the projection from its grid."""
    image = photo_of(STANDARD, CORNERS, (800, 640), lines=lines, tiles=tiles)
    matrix = cv2.getPerspectiveTransform(GRID_CORNERS.astype(np.float32), CORNERS.astype(np.float32))
    return ImagePyramid.of(image), matrix.astype(np.float64)


def off_by(matrix: NDArray[np.float64]) -> float:
    """The worst corner's error in cells."""
    return float(np.abs(project_points(invert_matrix(matrix), CORNERS) - GRID_CORNERS).max())


@pytest.mark.parametrize("lines", [0, 2])
def test_lines_and_colours_together_find_the_grid_from_a_third_of_a_cell(lines: int) -> None:
    views, matrix = views_of_board(lines)
    start = matrix @ np.array([[1.0, 0, 0.3], [0, 1, -0.25], [0, 0, 1]])

    fit = refine_jointly(AlignmentProblem.unread(views, PATTERN), start)

    assert off_by(fit[0]) < 0.06
    assert 0 < fit[1] < 0.05


def test_there_is_no_photometric_prior_without_premium_squares_in_view() -> None:
    image = np.full((640, 800, 3), COLOURS["."], np.uint8)

    assert (
        photometric_prior(AlignmentProblem.unread(ImagePyramid.of(image), PATTERN), views_of_board()[1])
        is None
    )


def test_an_outline_and_its_margin_locate_a_board_that_shows_no_lines() -> None:
    views, _ = views_of_board(lines=0, tiles=0.4)

    outlines = find_outlines((grey_layer(views.coarse_bgr),), max_count=3)
    places = [fit_layout_in_outline(views.coarse_bgr, outline, PATTERN) for outline in outlines]

    assert places
    errors = [min(off_by(place.image_from_grid @ turned(turn)) for turn in range(4)) for place in places]
    assert min(errors) < 0.4


def turned(quarters: int) -> NDArray[np.float64]:
    """The square grid named from another side."""
    turn = np.array([[0.0, -1, 15], [1, 0, 0], [0, 0, 1]])
    return np.linalg.matrix_power(turn, quarters)


def test_a_plain_picture_has_no_outline() -> None:
    assert find_outlines((np.full((300, 400), 120, np.uint8),), max_count=3) == []


def test_a_second_board_is_counted_and_the_larger_one_taken() -> None:
    table = np.full((640, 1200, 3), (150, 170, 185), np.uint8)
    large, small = flat_board(STANDARD, 34, 0.1, seed=1), flat_board(STANDARD, 26, 0.1, seed=2)
    table[20 : 20 + len(large), 20 : 20 + len(large)] = large
    table[80 : 80 + len(small), 700 : 700 + len(small)] = small

    seen = detect_boards(table, load_edition("english").layout)

    assert seen.n_others == 1
    assert seen.grid.cell_px == pytest.approx(34, abs=0.2)


def test_light_from_one_side_is_no_photometric_prior_of_a_board_without_premium_squares() -> None:
    light = np.linspace(0.3, 1, 800)[None, :, None]
    image = np.asarray(np.full((640, 800, 3), COLOURS["."]) * light, np.uint8)
    no_premiums = LayoutClasses.from_layout(Layout(premiums=((Premium.PLAIN,) * 15,) * 15))

    problem = AlignmentProblem.unread(ImagePyramid.of(image), no_premiums)

    assert photometric_prior(problem, views_of_board()[1]) is None
