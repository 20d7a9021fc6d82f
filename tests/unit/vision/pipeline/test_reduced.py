"""A large picture is read with fewer pixels, and with all of them where its board is small."""

from __future__ import annotations

import functools
from pathlib import Path

import cv2
import numpy as np
import pytest

from samples import RenderedPhoto
from scoring import load_edition
from tests.sets.club_boards import club_photo
from vision.capture import Frame, open_picture
from vision.errors import BoardNotFoundError
from vision.observation import BoardObservation
from vision.pipeline import GameContext, load_recognizer, photo, read_photo

ENGLISH = load_edition("english")
CONTEXT = GameContext(edition=ENGLISH, recognizer=load_recognizer("network", ENGLISH))


@functools.cache
def board_photo() -> RenderedPhoto:
    return club_photo("english", 1004, 64.0)


def save_large(path: Path, scale: float, size_px: int = 3200) -> np.ndarray:
    """Save the photo, scaled, in the middle of a picture of this size; return its corners there."""
    image = cv2.resize(board_photo().image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    height, width = image.shape[:2]
    left, top = (size_px - width) // 2, (size_px - height) // 2
    picture = np.full((size_px, size_px, 3), 90, np.uint8)
    picture[top : top + height, left : left + width] = image
    assert cv2.imwrite(str(path), picture)
    return np.asarray((board_photo().corners_px + 0.5) * scale - 0.5 + [left, top])


def test_a_board_that_fills_the_picture_is_read_with_fewer_pixels(tmp_path: Path) -> None:
    corners_px = save_large(tmp_path / "large.jpg", 3000 / max(board_photo().image_bgr.shape))
    found = read_photo(open_picture(tmp_path / "large.jpg", may_reduce=True), CONTEXT)
    assert found.frame.size_px == (1600, 1600)
    assert found.decoded.board.rows == board_photo().rows
    assert found.photo_corners_px == pytest.approx(corners_px, abs=6.0)


def test_a_small_board_is_read_with_all_pixels(tmp_path: Path) -> None:
    corners_px = save_large(tmp_path / "small.jpg", 1.0)
    found = read_photo(open_picture(tmp_path / "small.jpg", may_reduce=True), CONTEXT)
    assert found.frame.size_px == (3200, 3200)
    assert found.decoded.board.rows == board_photo().rows
    assert found.photo_corners_px == pytest.approx(corners_px, abs=4.0)


def test_given_corners_are_those_of_the_whole_picture(tmp_path: Path) -> None:
    corners_px = save_large(tmp_path / "large.jpg", 3000 / max(board_photo().image_bgr.shape))
    frame = open_picture(tmp_path / "large.jpg", may_reduce=True)
    found = read_photo(frame, CONTEXT, corners_px=corners_px.tolist())
    assert found.frame.size_px == (3200, 3200)
    assert found.photo_corners_px == pytest.approx(corners_px)
    assert found.decoded.board.rows == board_photo().rows


def test_a_refusal_with_all_pixels_is_in_pixels_of_the_picture_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_large(tmp_path / "small.jpg", 1.0)
    read_frame = photo._read_frame
    tried_px = np.array([[100.5, 100.5], [400.5, 100.5], [400.5, 400.5], [100.5, 400.5]])

    def refuse_all_pixels(picture: Frame, given: photo._Request) -> BoardObservation:
        if picture.reduction is None:
            raise BoardNotFoundError("no board found", tried_px=tried_px)
        return read_frame(picture, given)

    monkeypatch.setattr(photo, "_read_frame", refuse_all_pixels)
    frame = open_picture(tmp_path / "small.jpg", may_reduce=True)
    with pytest.raises(BoardNotFoundError) as refusal:
        read_photo(frame, CONTEXT)
    assert refusal.value.tried_px is not None
    assert frame.to_picture(refusal.value.tried_px) == pytest.approx(tried_px)
