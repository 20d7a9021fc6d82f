"""Registration of views: the motion of the camera, on drawn views with known truth."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.capture import Frame
from vision.core import Grid, Homography
from vision.tracking.registration import ViewRegistrar
from vision.tracking.thumbnail import (
    CELL_PX,
    MARGIN_CELLS,
    BoardThumbnail,
    ShrunkFrame,
    grid_from_thumbnail,
)

CELLS = 15 + 2 * MARGIN_CELLS
SIDE = CELLS * CELL_PX
CORNERS = np.array([[24, 24], [144, 24], [144, 144], [24, 144]], dtype=np.float64)


@pytest.fixture(scope="module")
def scene() -> np.ndarray:
    """A board with lines and letters at four times the size of a view, and a table around it."""
    rng = np.random.default_rng(3)
    big = np.full((4 * SIDE, 4 * SIDE), 150, dtype=np.uint8)
    step = 4 * CELL_PX
    for line in range(MARGIN_CELLS, MARGIN_CELLS + 16):
        cv2.line(big, (line * step, 96), (line * step, 576), 90, 2)
        cv2.line(big, (96, line * step), (576, line * step), 90, 2)
    for row, column in rng.integers(MARGIN_CELLS, MARGIN_CELLS + 15, (60, 2)):
        corner = (int(column * step + 3), int(row * step + 3))
        cv2.rectangle(big, corner, (corner[0] + step - 6, corner[1] + step - 6), 215, -1)
        letter = chr(65 + int(rng.integers(26)))
        cv2.putText(big, letter, (corner[0] + 4, corner[1] + 22), cv2.FONT_HERSHEY_SIMPLEX, 0.7, 40, 2)
    return big


def view_of(scene: np.ndarray, motion: np.ndarray, seed: int = 1, gain: float = 1.0) -> BoardThumbnail:
    """The scene as a camera sees it that moved by a matrix in pixels of the view."""
    scale = np.array([[4, 0, 1.5], [0, 4, 1.5], [0, 0, 1.0]])
    big = cv2.warpPerspective(scene, scale @ motion @ np.linalg.inv(scale), scene.shape[::-1], borderMode=1)
    grey = cv2.resize(big, (SIDE, SIDE), interpolation=cv2.INTER_AREA).astype(np.float32) * gain
    noise = np.random.default_rng(seed).normal(0, 1.0, grey.shape)
    return BoardThumbnail(grey=np.clip(grey + noise, 0, 255).astype(np.float32))


def motion_of(shift: tuple[float, float], degrees: float = 0.0, scale: float = 1.0) -> np.ndarray:
    matrix = np.eye(3)
    matrix[:2] = cv2.getRotationMatrix2D((SIDE / 2, SIDE / 2), degrees, scale)
    matrix[:2, 2] += shift
    return matrix


def error_px(found: Homography, truth: np.ndarray, points: np.ndarray = CORNERS) -> float:
    away = found.apply(points) - Homography(matrix=truth).apply(points)
    return float(np.linalg.norm(away, axis=1).max())


@pytest.mark.parametrize(
    "motion",
    [
        motion_of((0.0, 0.0)),
        motion_of((0.3, -0.2)),
        motion_of((1.5, 1.0), degrees=0.5),
        motion_of((7.0, -5.0), degrees=-0.7, scale=1.01),
        motion_of((4.0, -3.0), degrees=2.0, scale=1.03),
    ],
    ids=["still", "part of a pixel", "small", "a whole square", "in a hand"],
)
def test_the_motion_of_the_camera_is_found_to_a_fraction_of_a_pixel(
    scene: np.ndarray, motion: np.ndarray
) -> None:
    registrar = ViewRegistrar(view_of(scene, np.eye(3)))
    found = registrar.register(view_of(scene, motion, seed=2))
    assert found is not None
    assert error_px(found.view_from_reference, motion) < 0.2
    assert found.matching_share > 0.9


def test_light_and_its_gradient_do_not_matter(scene: np.ndarray) -> None:
    registrar = ViewRegistrar(view_of(scene, np.eye(3)))
    motion = motion_of((0.6, 0.4))
    dim = view_of(scene, motion, seed=2, gain=0.6).grey * np.linspace(0.8, 1.2, SIDE, dtype=np.float32)
    found = registrar.register(BoardThumbnail(grey=dim.astype(np.float32)))
    assert found is not None
    assert error_px(found.view_from_reference, motion) < 0.2


def test_a_hand_over_a_quarter_of_the_board_has_no_say(scene: np.ndarray) -> None:
    registrar = ViewRegistrar(view_of(scene, np.eye(3)))
    motion = motion_of((0.8, -0.5), degrees=0.3)
    grey = view_of(scene, motion, seed=2).grey.copy()
    cv2.ellipse(grey, (105, 120), (30, 48), 20, 0, 360, 120.0, -1)
    found = registrar.register(BoardThumbnail(grey=grey))
    assert found is not None
    assert error_px(found.view_from_reference, motion) < 0.2
    assert 0.5 < found.matching_share < 0.95


def test_what_is_outside_of_the_frame_has_no_say(scene: np.ndarray) -> None:
    registrar = ViewRegistrar(view_of(scene, np.eye(3)))
    motion = motion_of((0.8, -0.5))
    grey = view_of(scene, motion, seed=2).grey.copy()
    is_visible = np.ones((CELLS, CELLS), dtype=np.bool_)
    is_visible[:, 13:] = False
    grey[:, 13 * CELL_PX :] = grey[:, [13 * CELL_PX - 1]]
    found = registrar.register(BoardThumbnail(grey=grey, is_visible=is_visible))
    assert found is not None
    shown = np.minimum(CORNERS, [13 * CELL_PX, SIDE])
    assert error_px(found.view_from_reference, motion, shown) < 0.3


def test_a_part_of_one_colour_next_to_a_texture_gives_no_warning() -> None:
    grey = np.zeros((SIDE, SIDE), dtype=np.float32)
    grey[:96] = np.random.default_rng(0).uniform(0, 255, (96, SIDE))
    view = BoardThumbnail(grey=grey)
    with np.errstate(invalid="raise"):
        assert ViewRegistrar(view).register(view) is not None


def test_another_picture_matches_nothing(scene: np.ndarray) -> None:
    registrar = ViewRegistrar(view_of(scene, np.eye(3)))
    assert registrar.register(view_of(scene, motion_of((0, 0), degrees=35), seed=2)) is None
    assert registrar.register(BoardThumbnail(grey=np.full((SIDE, SIDE), 128, dtype=np.float32))) is None


def test_errors_do_not_add_up_as_tiles_are_laid(scene: np.ndarray) -> None:
    rng = np.random.default_rng(5)
    registrar = ViewRegistrar(view_of(scene, np.eye(3)))
    changing = scene.copy()
    for turn in range(40):
        row, column = rng.integers(MARGIN_CELLS, MARGIN_CELLS + 15, 2)
        x, y = int(column) * 32 + 3, int(row) * 32 + 3
        cv2.rectangle(changing, (x, y), (x + 26, y + 26), int(rng.integers(120, 230)), -1)
        registrar.set_reference(view_of(changing, np.eye(3), seed=turn))
    found = registrar.register(view_of(changing, np.eye(3), seed=99))
    assert found is not None
    assert found.shift_px < 0.1


@pytest.mark.parametrize("cell_px", [22, 31, 42, 47, 63, 75])
def test_thin_lines_do_not_jump_as_the_view_moves(cell_px: int) -> None:
    """Lines narrower than a pixel of the view must not make a motion seem larger than it is."""
    cells = 15 + 2 * MARGIN_CELLS
    frame_bgr = np.full((cells * cell_px, cells * cell_px, 3), 90, dtype=np.uint8)
    rng = np.random.default_rng(2)
    low, high = MARGIN_CELLS * cell_px, (MARGIN_CELLS + 15) * cell_px
    for line in range(MARGIN_CELLS, MARGIN_CELLS + 16):
        cv2.line(frame_bgr, (line * cell_px, low), (line * cell_px, high), (235, 235, 235), 1, cv2.LINE_AA)
        cv2.line(frame_bgr, (low, line * cell_px), (high, line * cell_px), (235, 235, 235), 1, cv2.LINE_AA)
    for row, column in rng.integers(MARGIN_CELLS, MARGIN_CELLS + 15, (60, 2)):
        at = (int((column + 0.2) * cell_px), int((row + 0.7) * cell_px))
        cv2.putText(frame_bgr, "DW", at, cv2.FONT_HERSHEY_SIMPLEX, cell_px / 70, (30, 30, 30), 1, cv2.LINE_AA)
    frame = Frame(image_bgr=frame_bgr, source="drawn", index=0, time_s=0.0)
    to_image = Homography(matrix=np.array([[cell_px, 0, low], [0, cell_px, low], [0, 0, 1.0]]))

    def view(moved: Homography) -> BoardThumbnail:
        grid = Grid(image_from_grid=to_image @ moved, rows=15, columns=15)
        return ShrunkFrame.of(frame, grid).thumbnail(colours=False)

    registrar = ViewRegistrar(view(Homography.translation(0.0, 0.0)))
    for angle in rng.uniform(0, 2 * np.pi, 6):
        shift = (0.03 * float(np.cos(angle)), 0.03 * float(np.sin(angle)))
        found = registrar.register(view(Homography.translation(*shift)))
        assert found is not None
        to_grid = grid_from_thumbnail()
        truth = to_grid.inverse @ Homography.translation(-shift[0], -shift[1]) @ to_grid
        assert error_px(found.view_from_reference, truth.matrix) < 0.15
