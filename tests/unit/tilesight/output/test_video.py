"""The annotated video: its length, its size, and what is drawn into it."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from scoring import Game, load_edition, parse_play
from tilesight.output.video import AnnotatedVideoWriter, annotate, check_video_path, format_last_move
from vision.capture import Frame, Interruption
from vision.core.geometry import Grid
from vision.errors import InputError, SettingsError

EDITION = load_edition("icelandic")
NEW = Game(edition=EDITION, players=("Anna", "Jón"))
PLAYED = NEW.with_play(parse_play("8D HRAKI", EDITION.tokens))
GRID = Grid.from_corners([(100, 40), (400, 40), (400, 340), (100, 340)], 15, 15)


def frames(times_s: Iterable[float], width: int = 500) -> Iterator[Frame]:
    for number, time_s in enumerate(times_s):
        image = np.full((400, width, 3), 90, np.uint8)
        yield Frame(image_bgr=image, source="film", index=number, time_s=time_s)


def recorded(path: Path, items: Iterable[Frame | Interruption]) -> list[np.ndarray]:
    with AnnotatedVideoWriter(path) as video:
        for item in items:
            if isinstance(item, Frame):
                video.add(item, GRID, PLAYED)
    capture = cv2.VideoCapture(str(path))
    found = []
    while (read := capture.read())[0]:
        found.append(read[1])
    return found


@pytest.mark.parametrize("name", ["out.mp4", "out.avi"])
def test_a_second_of_film_is_ten_pictures(name: str, tmp_path: Path) -> None:
    pictures = recorded(tmp_path / name, frames(n / 30 for n in range(31)))
    assert len(pictures) == 11
    assert pictures[0].shape == (400, 500, 3)


def test_slow_frames_are_repeated_and_gaps_are_cut_out(tmp_path: Path) -> None:
    assert len(recorded(tmp_path / "slow.avi", frames([0.0, 0.5, 1.0]))) == 11
    assert len(recorded(tmp_path / "gap.avi", frames([0.0, 3600.0]))) == 2


def test_another_resolution_and_an_interruption_in_mid_film_are_no_end(tmp_path: Path) -> None:
    items: list[Frame | Interruption] = [
        *frames([0.0]),
        Interruption(message="gone"),
        *frames([0.1], width=800),
    ]
    assert [picture.shape for picture in recorded(tmp_path / "out.avi", items)] == [(400, 500, 3)] * 2


def test_a_film_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"name the film \.mp4 or \.avi"):
        check_video_path(tmp_path / "out.txt")
    with pytest.raises(SettingsError, match="a film's name must be UTF-8"):
        check_video_path(tmp_path / os.fsdecode(b"j\xf3n.mp4"))
    with pytest.raises(SettingsError, match="there is no folder"):
        check_video_path(tmp_path / "no" / "out.mp4")
    gone = AnnotatedVideoWriter(tmp_path / "no" / "out.mp4")
    (frame,) = frames([0.0])
    with gone as video, pytest.raises(InputError, match="cannot be written as a film"):
        video.add(frame, GRID, PLAYED)


def test_a_film_whose_name_has_a_colon_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    recorded(Path("game-18:30.avi"), frames([0.0]))
    assert cv2.VideoCapture(str(tmp_path / "game-18:30.avi")).read()[0]


@pytest.mark.parametrize("is_still_full", [False, True])
@pytest.mark.parametrize("name", ["out.mp4", "out.avi"])
def test_a_film_that_a_full_disk_cut_off_is_reported(name: str, is_still_full: bool, tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    noise = np.random.default_rng(1).integers(0, 255, (400, 500, 3), dtype=np.uint8)

    def fill_disk() -> Iterator[Frame]:
        for frame in frames(n / 10 for n in range(60)):
            is_full = frame.index >= 10 and (is_still_full or frame.index < 50)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000 if is_full else limits[0], limits[1]))
            yield replace(frame, image_bgr=noise)

    try:
        with pytest.raises(InputError, match="could not be completed; was the disk full") as refusal:
            recorded(tmp_path / name, fill_disk())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert name in str(refusal.value)


def test_board_newest_tiles_and_score_are_drawn() -> None:
    plain = np.full((400, 500, 3), 90, np.uint8)
    drawn = annotate(plain, GRID, PLAYED)
    changed = (drawn != plain).any(axis=2)
    assert changed[40, 200]  # the board's edge
    assert changed[180, 170]  # above the first tile
    assert not changed[100:160, 200:300].any()
    assert changed[-5:].all()  # the bar with the score
    assert not (annotate(plain, None, NEW) != plain)[:300].any()


def test_a_large_frame_is_made_small_and_even() -> None:
    assert annotate(np.zeros((1081, 1923, 3), np.uint8), None, NEW).shape == (718, 1280, 3)


def test_the_last_move_in_a_few_words() -> None:
    assert format_last_move(NEW) == ""
    assert format_last_move(PLAYED) == "Anna  8D HRAKI  +28"
    assert format_last_move(PLAYED.with_pass()) == "Jón: pass"
    assert format_last_move(PLAYED.with_settlement({0: "A", 1: "R"})) == "Jón: tiles left"
