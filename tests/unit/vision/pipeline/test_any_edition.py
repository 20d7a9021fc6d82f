"""A photo of which no edition is named: the layouts that are tried, and what ends the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest

from scoring import Edition, load_edition
from tests.sets.club_boards import club_photo
from vision.capture import Frame
from vision.core import Occupancy
from vision.errors import BoardNotFoundError
from vision.pipeline import GameContext, any_edition, load_recognizer

ENGLISH, LARGER = load_edition("english"), load_edition("krydsord")
FRAME = Frame(image_bgr=np.zeros((60, 60, 3), np.uint8), source="a photo", index=0, time_s=0.0)


@dataclass(frozen=True, eq=False)
class Probabilities:
    occupancy: np.ndarray


@dataclass(frozen=True, eq=False)
class Place:
    fit: float


@dataclass(frozen=True, eq=False)
class Observation:
    edition: Edition
    probabilities: Probabilities
    grid: Place
    frame: Frame = FRAME
    shows_layout: bool = True
    mean_letter_probability: float | None = None


def observe(edition: Edition, covered: float = 0.0, fit: float = 1.0) -> Observation:
    """A board of which this share of the rows is covered, and the others are empty; lines fit a share of its edges."""
    layout = edition.layout
    occupancy = np.zeros((layout.rows, layout.columns, len(Occupancy)))
    occupancy[..., Occupancy.EMPTY] = 1.0
    occupancy[: round(covered * layout.rows)] = np.eye(len(Occupancy))[Occupancy.COVERED]
    return Observation(edition, Probabilities(occupancy), Place(fit))


def read(
    monkeypatch: pytest.MonkeyPatch, found: dict[str, Observation | None], *, fits_other: bool = True
) -> Any:
    """Read a photo in which each of these editions finds a board, or none."""

    def read_photo(frame: Frame, edition: Edition, **given: Any) -> Observation:
        observation = found[edition.name]
        if observation is None:
            raise BoardNotFoundError(f"no board of {edition.name}")
        return observation

    monkeypatch.setattr(any_edition, "read_photo", read_photo)
    monkeypatch.setattr(any_edition, "guess_editions", lambda reading, editions: ())
    monkeypatch.setattr(any_edition, "fits_other_layout", lambda image_bgr, known, layout: fits_other)
    return any_edition.read_any_edition(
        FRAME, [ENGLISH, LARGER], lambda editions: cast(GameContext, editions[0])
    ).observation


def test_layouts_are_tried_until_a_board_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LARGER.layout.rows > ENGLISH.layout.rows
    second = observe(LARGER, covered=0.4)
    assert read(monkeypatch, {"english": None, "krydsord": second}) is second


def test_a_grid_of_another_layout_on_which_hardly_a_square_can_be_read_is_no_board(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(BoardNotFoundError, match="no board of english"):
        read(monkeypatch, {"english": None, "krydsord": observe(LARGER, covered=0.9)})


def test_a_board_of_the_first_layout_may_be_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    first = observe(ENGLISH, covered=0.9)
    assert read(monkeypatch, {"english": first, "krydsord": None}) is first


@pytest.mark.parametrize(("first", "second", "chosen"), [(0.9, 1.0, 0), (0.5, 0.9, 1), (0.6, 0.4, 0)])
def test_a_board_of_another_size_is_not_squeezed_into_the_first_layout(
    monkeypatch: pytest.MonkeyPatch, first: float, second: float, chosen: int
) -> None:
    boards = observe(ENGLISH, fit=first), observe(LARGER, fit=second)
    found = read(monkeypatch, dict(zip(("english", "krydsord"), boards, strict=True)))
    assert found is boards[chosen]


def test_a_board_of_clear_letters_is_not_squeezed_though_its_lines_are_not_clear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = replace(observe(ENGLISH, fit=0.5), mean_letter_probability=0.98)
    assert read(monkeypatch, {"english": first, "krydsord": observe(LARGER, fit=0.9)}) is first


def test_an_unclear_board_is_taken_where_no_other_layout_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    first = observe(ENGLISH, fit=0.5)
    assert read(monkeypatch, {"english": first, "krydsord": None}) is first


def test_a_layout_that_does_not_fit_in_the_place_of_the_board_is_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = observe(ENGLISH, fit=0.5), observe(LARGER, fit=0.9)
    assert read(monkeypatch, {"english": first, "krydsord": second}, fits_other=False) is first


def test_a_board_whose_premium_squares_are_seen_comes_before_one_with_lines_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_lines, seen = replace(observe(ENGLISH), shows_layout=False), observe(LARGER, fit=0.5)
    assert read(monkeypatch, {"english": by_lines, "krydsord": seen}) is seen
    assert read(monkeypatch, {"english": by_lines, "krydsord": None}) is by_lines


@pytest.mark.parametrize("edition", [ENGLISH, LARGER])
def test_corners_that_are_given_do_not_say_how_many_squares_lie_between_them(edition: Edition) -> None:
    photo = club_photo(edition.name, 6001, 50.0)

    def load(editions: Sequence[Edition]) -> GameContext:
        return GameContext(edition=editions[0], recognizer=load_recognizer("network", editions[0]))

    found = any_edition.read_any_edition(
        Frame(image_bgr=photo.image_bgr, source="a photo"),
        [ENGLISH, LARGER],
        load,
        corners_px=photo.corners_px.tolist(),
    )
    assert found.edition == edition
    rows = found.observation.decoded.board.rows
    wrong = [
        (seen, true) for seen, true in zip(sum(rows, ()), sum(photo.rows, ()), strict=True) if seen != true
    ]
    assert len(wrong) <= 1
