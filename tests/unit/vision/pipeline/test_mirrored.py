"""A mirrored picture is recognised, and read the right way round."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

from samples import RenderedPhoto
from scoring import load_edition
from tests.sets.club_boards import club_photo
from vision.capture import Frame
from vision.core import mirror_corners
from vision.errors import BoardNotFoundError, SettingsError
from vision.observation import BoardObservation
from vision.pipeline import GameContext, load_recognizer, photo, read_photo

ENGLISH = load_edition("english")
CONTEXT = GameContext(edition=ENGLISH, recognizer=load_recognizer("network", ENGLISH))


@functools.cache
def board_photo() -> RenderedPhoto:
    return club_photo("english", 1004, 32.0)


@pytest.fixture(scope="module")
def both() -> tuple[BoardObservation, BoardObservation]:
    """The board as it is, and in the mirror."""
    frame = Frame(image_bgr=board_photo().image_bgr, source="board.jpg")
    mirrored = Frame(image_bgr=np.ascontiguousarray(board_photo().image_bgr[:, ::-1]), source="mirror.jpg")
    return read_photo(frame, CONTEXT), read_photo(mirrored, CONTEXT)


def test_it_is_reported(both: tuple[BoardObservation, BoardObservation]) -> None:
    usual, mirrored = both
    assert not usual.is_mirrored
    assert mirrored.is_mirrored
    assert usual.remarks == ()
    assert mirrored.remarks == (
        "the picture is mirrored, as webcams show it; it was read the right way round",
    )


def test_the_board_is_the_same(both: tuple[BoardObservation, BoardObservation]) -> None:
    usual, mirrored = both
    assert usual.decoded.board == mirrored.decoded.board
    assert usual.decoded.board.rows == board_photo().rows


def test_the_corners_are_those_of_the_picture(both: tuple[BoardObservation, BoardObservation]) -> None:
    mirrored = both[1]
    width = board_photo().image_bgr.shape[1]
    shown = board_photo().corners_px * np.array([-1, 1]) + np.array([width - 1, 0])
    assert mirrored.photo_corners_px == pytest.approx(shown, abs=2.0)


def test_the_corners_that_are_reported_can_be_given_back(
    both: tuple[BoardObservation, BoardObservation],
) -> None:
    mirrored = Frame(image_bgr=np.ascontiguousarray(board_photo().image_bgr[:, ::-1]), source="mirror.jpg")
    corners_px = both[1].photo_corners_px.tolist()
    again = read_photo(mirrored, CONTEXT, corners_px=corners_px)
    assert again.is_mirrored
    assert again.photo_corners_px == pytest.approx(both[1].photo_corners_px, abs=0.01)
    assert again.decoded.board.rows == board_photo().rows


def test_counterclockwise_corners_are_refused_where_the_letters_are_not_mirrored() -> None:
    top_left, top_right, bottom_right, bottom_left = board_photo().corners_px.tolist()
    wrong = [top_left, bottom_left, bottom_right, top_right]
    with pytest.raises(SettingsError, match="clockwise"):
        read_photo(Frame(image_bgr=board_photo().image_bgr, source="board.jpg"), CONTEXT, corners_px=wrong)


def test_tiles_whose_height_is_uncertain_are_reported_instead_of_a_fold(
    both: tuple[BoardObservation, BoardObservation],
) -> None:
    (remark,) = dataclasses.replace(both[0], is_height_uncertain=True).remarks
    assert remark.startswith("the tiles are seen from near the table and may be read in the wrong squares")


def test_a_refusal_in_the_mirror_is_in_pixels_of_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    read_frame = photo._read_frame
    shown = Frame(image_bgr=np.ascontiguousarray(board_photo().image_bgr[:, ::-1]), source="mirror.jpg")

    def refuse_mirrored(picture: Frame, given: photo._Request) -> BoardObservation:
        if picture is not shown:
            raise BoardNotFoundError("no board found", tried_px=board_photo().corners_px)
        return read_frame(picture, given)

    monkeypatch.setattr(photo, "_read_frame", refuse_mirrored)
    with pytest.raises(BoardNotFoundError) as refusal:
        read_photo(shown, CONTEXT)
    assert refusal.value.tried_px == pytest.approx(mirror_corners(board_photo().corners_px, shown.size_px[0]))
