"""A board on a part of which the sun shines is read also with its shade brightened; one that is clear is read once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samples import Camera, Light, icelandic_style, render_photo
from scoring import load_edition
from tests.sets.altered_photos import sun_on_a_part
from tests.sets.club_boards import club_photo
from vision.capture import Frame
from vision.core import Image, Stopwatch, brighten_shade
from vision.errors import BoardNotFoundError
from vision.observation import BoardObservation
from vision.pipeline import GameContext, hard_light, load_recognizer, read_photo

ICELANDIC = load_edition("icelandic")


def context() -> GameContext:
    return GameContext(edition=ICELANDIC, recognizer=load_recognizer("network", ICELANDIC))


def sunlit_photo() -> tuple[Frame, tuple[tuple[str, ...], ...]]:
    """A board with the sun on a part of it, and what lies on it."""
    seed = 1_005_017
    shown = club_photo("icelandic", seed, 40)
    lit = sun_on_a_part(shown.image_bgr.astype(np.float32), shown.corners_px, np.random.default_rng(seed))
    return Frame(image_bgr=np.clip(lit, 0, 255).astype(np.uint8), source="rendered"), shown.rows


def test_tiles_are_read_on_both_sides_of_the_edge_of_the_sun() -> None:
    """Seven squares are misread in the light as it is."""
    frame, rows = sunlit_photo()
    board = read_photo(frame, context()).decoded.board
    want = ["".join("?" if token.islower() else token for token in row) for row in rows]
    assert ["".join("?" if token.islower() else token for token in row) for row in board.rows] == want


def test_squares_that_brightening_changed_are_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, _ = sunlit_photo()
    brightened = read_photo(frame, context()).decoded
    monkeypatch.setattr(hard_light, "has_uneven_light", lambda board, probabilities, layout: False)
    as_it_is = read_photo(frame, context()).decoded.board
    changed = {square for square in np.ndindex(15, 15) if brightened.board[square] != as_it_is[square]}
    assert len(changed) > 4
    assert changed <= {(doubt.row, doubt.column) for doubt in brightened.doubts}


def test_a_photo_that_is_refused_twice_is_refused_for_what_it_shows_as_it_is() -> None:
    frame = Frame(image_bgr=np.full((300, 400, 3), 90, np.uint8), source="plain")

    def refuse(shown: Frame) -> BoardObservation:
        raise BoardNotFoundError("as it is" if shown is frame else "brightened")

    with pytest.raises(BoardNotFoundError, match=r"^as it is$"):
        hard_light.read_in_hard_light(frame, ICELANDIC.layout, refuse, Stopwatch())


def test_a_refused_photo_is_read_without_shade_only_if_letters_or_print_are_seen_then() -> None:
    """The squares of a chessboard become a grid once their shade is brightened."""
    frame, _ = sunlit_photo()
    seen = read_photo(frame, context())

    def read(found: BoardObservation) -> BoardObservation:
        def refuse_first(shown: Frame) -> BoardObservation:
            if shown is frame:
                raise BoardNotFoundError("as it is")
            return found

        return hard_light.read_in_hard_light(frame, ICELANDIC.layout, refuse_first, Stopwatch())

    assert read(seen) is seen
    with pytest.raises(BoardNotFoundError, match=r"^as it is$"):
        read(replace(seen, is_orientation_certain=False))


def test_a_clear_board_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["."] * 15 for _ in range(15)]
    rows[7][4:9] = ["H", "R", "A", "K", "I"]
    style = icelandic_style()
    shown = render_photo(rows, ICELANDIC, style=style, camera=Camera(cell_px=40), light=Light(), seed=1)

    def fail(image_bgr: Image) -> Image:
        raise AssertionError("the picture was brightened")

    monkeypatch.setattr(hard_light, "brighten_shade", fail)
    found = read_photo(Frame(image_bgr=shown.image_bgr, source="rendered"), context())
    assert found.decoded.board[7, 4] == "H"


def test_an_unclear_board_in_even_light_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(image_bgr: Image) -> Image:
        raise AssertionError("the picture was brightened")

    monkeypatch.setattr(hard_light, "brighten_shade", fail)
    monkeypatch.setattr(hard_light, "has_uneven_light", lambda board, probabilities, layout: False)
    found = read_photo(sunlit_photo()[0], context())
    assert found.decoded.alternatives


def test_a_mirrored_picture_is_brightened_only_once_it_is_mirrored_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame, rows = sunlit_photo()
    brightened = list[Image]()

    def note(image_bgr: Image) -> Image:
        brightened.append(image_bgr)
        return brighten_shade(image_bgr)

    monkeypatch.setattr(hard_light, "brighten_shade", note)
    found = read_photo(frame.mirror(), context())
    assert found.is_mirrored
    assert found.decoded.board.rows[7] == rows[7]
    assert [np.array_equal(each, frame.image_bgr) for each in brightened] == [True]
