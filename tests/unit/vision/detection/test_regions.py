"""Of several boards in view the largest is taken and the others are counted, at no cost where there is no room."""

from __future__ import annotations

import itertools
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from samples import Camera, Light, RenderedPair, RenderedPhoto, icelandic_style, random_pair, render_photo
from scoring import load_edition
from tests.sets.photo_kinds import kind_of_photo
from vision.core.geometry import Grid
from vision.detection import Effort, detect_boards, regions
from vision.detection.features.layout_likelihood import LayoutClasses
from vision.detection.features.pyramid import ImagePyramid
from vision.detection.fitter import HypothesisFitter
from vision.detection.hypotheses import HypothesisGenerator
from vision.errors import BoardNotFoundError

pytestmark = pytest.mark.slow

ICELANDIC = load_edition("icelandic")
ROWS = [["."] * 15 for _ in range(15)]
ROWS[7][4:9] = ["H", "R", "A", "K", "I"]


def board(seed: int, **camera: Any) -> RenderedPhoto:
    return render_photo(
        ROWS, ICELANDIC, style=icelandic_style(), camera=Camera(**camera), light=Light(), seed=seed
    )


def pair(seed: int) -> RenderedPair:
    above = {"cell_px": 40, "distance": 3.5, "margins": (0.0, 0.0, 0.0, 0.0)}
    return random_pair(board(1, **above), board(2, **above), np.random.default_rng(seed))


def off(grid: Grid, corners_px: NDArray[np.float64]) -> float:
    """The worst corner's distance in cells, whichever side is named up."""
    turns = (np.roll(corners_px, turn, axis=0) for turn in range(4))
    return min(float(np.abs(grid.corners_px - corners).max()) for corners in turns) / grid.cell_px


@pytest.mark.parametrize("seed", range(3))
def test_the_larger_of_two_boards_is_taken_and_the_other_counted(seed: int) -> None:
    two = pair(seed)
    seen = detect_boards(two.image_bgr, ICELANDIC.layout)
    assert off(seen.grid, two.corners_px[0]) < 0.15
    assert seen.n_others == 1


@pytest.mark.parametrize("seed", [3003, 3006, 4005, 4009])
def test_another_board_that_only_its_outline_shows_is_counted(seed: int) -> None:
    two = kind_of_photo("two boards", seed)
    assert detect_boards(two.image_bgr, load_edition(two.edition).layout).n_others == 1


def test_the_larger_board_is_found_next_to_the_smaller_one() -> None:
    two = pair(1)
    larger, smaller = two.corners_px
    hidden = two.image_bgr.copy()
    cv2.fillConvexPoly(hidden, np.round(larger).astype(np.int32), (90, 90, 90))
    pattern = LayoutClasses.from_layout(ICELANDIC.layout)
    pyramid = ImagePyramid.of(hidden)
    kinds = HypothesisGenerator(pyramid, pattern).kinds()
    fits = itertools.chain.from_iterable(HypothesisFitter(pyramid).fit_kinds(kinds))
    first = next(fit for fit in fits if fit.scores.is_accepted)
    assert first.contains(smaller.mean(axis=0))

    (second,) = regions.find_additional_boards(ImagePyramid.of(two.image_bgr), pattern, [first])
    assert second.contains(larger.mean(axis=0))
    assert second.size_px > first.size_px


def test_a_larger_board_that_the_smaller_one_hid_from_the_network_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    two = kind_of_photo("two boards", 1)
    monkeypatch.setattr(regions, "textured_parts", lambda *_: [])
    seen = detect_boards(
        two.image_bgr, load_edition(two.edition).layout, effort=Effort.FAST, allow_uncertain=True
    )
    assert off(seen.grid, two.corners_px) < 0.15
    assert seen.n_others == 1


def test_where_there_is_no_room_for_another_board_nothing_is_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def searched(*_: object) -> None:
        raise AssertionError("there is nothing next to the board")

    monkeypatch.setattr(regions, "HypothesisGenerator", searched)
    assert detect_boards(board(3, cell_px=30).image_bgr, ICELANDIC.layout).n_others == 0


def test_a_board_that_fills_a_small_part_is_found_closer_up(monkeypatch: pytest.MonkeyPatch) -> None:
    photo = kind_of_photo("the board is a fifth of the picture's width", 17)
    layout = load_edition(photo.edition).layout
    monkeypatch.setattr(
        HypothesisGenerator, "from_corner_network", lambda *_: iter(())
    )  # the network sees it at once
    assert off(detect_boards(photo.image_bgr, layout).grid, photo.corners_px) < 0.15

    monkeypatch.setattr("vision.detection.detector.textured_parts", lambda *_: [])
    with pytest.raises(BoardNotFoundError):
        detect_boards(photo.image_bgr, layout)
