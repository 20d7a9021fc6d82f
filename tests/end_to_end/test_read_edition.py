"""`tilesight read` without `--edition`: the tiles show which one it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import pytest

from samples import Camera, Light, icelandic_style, render_photo
from scoring import EMPTY
from tests.conftest import Outcome
from tests.sets.club_boards import club_photo

Command = Callable[..., Outcome]
ONE_EDITION = "the tiles are of edition hungarian (100%)"


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A Hungarian board in play, and a board without tiles."""
    folder = tmp_path_factory.mktemp("editions")
    empty = render_photo(
        [[EMPTY] * 15] * 15,
        "icelandic",
        style=icelandic_style(),
        camera=Camera(cell_px=32),
        light=Light(),
        seed=1,
    )
    for name, photo in (("hungarian", club_photo("hungarian", 1002, 32.0)), ("empty", empty)):
        cv2.imwrite(str(folder / f"{name}.png"), photo.image_bgr)
    return {path.stem: path for path in folder.iterdir()}


def test_the_edition_is_found_and_reported(tilesight: Command, photos: dict[str, Path]) -> None:
    outcome = tilesight("read", photos["hungarian"], "--format", "json")
    named = tilesight("read", photos["hungarian"], "--format", "json", "--edition", "hungarian")
    (found,), (same,) = outcome.json_lines, named.json_lines
    assert found["edition"] == "hungarian"
    assert found["rows"] == same["rows"]
    assert found["edition_probability"] == found["editions"]["hungarian"] > 0.99
    assert same["edition_probability"] is same["editions"] is None
    assert outcome.err == f"tilesight: {photos['hungarian']}: {ONE_EDITION}\n"
    assert named.err == ""


def test_an_empty_board_is_of_no_edition(tilesight: Command, photos: dict[str, Path]) -> None:
    outcome = tilesight("read", photos["empty"], "--format", "json")
    fields = ("edition", "edition_probability", "editions")
    assert [outcome.json_lines[0][name] for name in fields] == [None, None, None]
    assert "no tile shows the edition; name it with --edition" in outcome.err
    assert tilesight("read", photos["empty"], "--format", "cgp").out.startswith("15/15/15")


@pytest.mark.parametrize("options", [("--lexicon", "words.txt"), ("--reader", "tesseract")])
def test_what_depends_on_a_language_needs_an_edition(
    tilesight: Command, photos: dict[str, Path], options: tuple[str, str]
) -> None:
    outcome = tilesight("read", photos["hungarian"], *options)
    assert outcome.code == 2
    assert outcome.err.startswith(f"tilesight: {options[0]}")
    assert "name its edition with --edition" in outcome.err
    assert outcome.err.count("\n") == 1
