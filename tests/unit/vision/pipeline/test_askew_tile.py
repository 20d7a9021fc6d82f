"""A tile that lies askew is read by a turned crop."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from scoring import Game, load_edition
from tests.benchmarks.bench_reading import reader_of
from tests.sets.club_boards import club_photo
from vision.core import Grid, Homography, Occupancy, SquareProbabilities
from vision.pipeline.displaced_tiles import read_displaced_tiles
from vision.rectification import read_squares


def shown(reading: SquareProbabilities, row: int, column: int) -> str:
    """What a square shows; a tile without its letter is a blank."""
    kind = reading.occupancy[row, column].argmax()
    letter = reading.tokens[reading.letters[row, column].argmax()]
    return letter if kind == Occupancy.TILE else "?" if kind == Occupancy.BLANK else "."


@pytest.mark.parametrize(
    ("edition", "seed", "turn_deg"),
    [("english", 6001, -20.0), ("english", 6001, 20.0), ("icelandic", 1_000_603, 20.0)],
    ids=["one way", "the other way", "like letters of other editions"],
)
def test_tiles_that_lie_askew_are_read(edition: str, seed: int, turn_deg: float) -> None:
    photo, reader = club_photo(edition, seed, 40.0), reader_of(edition)
    straight = Grid.from_corners(photo.corners_px, 15, 15)
    game, wrong, left = Game(edition=load_edition(edition), players=("A", "B")), list[str](), list[str]()
    for row, column in np.ndindex(15, 15):
        if not (letter := photo.rows[row][column]).isupper():
            continue
        turn = cv2.getRotationMatrix2D((column + 0.5, row + 0.5), turn_deg, 1.0)
        turned = straight.image_from_grid @ Homography(matrix=np.vstack([turn, [0.0, 0.0, 1.0]]))
        grid, window = replace(straight, image_from_grid=turned), np.zeros((15, 15), dtype=np.bool_)
        window[row, column] = True
        reading = read_squares(photo.image_bgr, grid, reader, window)
        wrong += [letter] * (shown(reading, row, column) != letter)
        reading = read_displaced_tiles(reading, photo.image_bgr, grid, reader, game, window)
        left += [letter] * (shown(reading, row, column) != letter)
    assert len(wrong) > 20
    assert len(left) < 0.1 * len(wrong)


@pytest.mark.parametrize(("sure", "shows"), [(0.97, "?"), (0.995, "E")])
def test_a_blank_with_a_letter_in_pen_stays_a_blank(
    monkeypatch: pytest.MonkeyPatch, sure: float, shows: str
) -> None:
    photo, reader = club_photo("english", 6001, 40.0), reader_of("english")
    grid, window = Grid.from_corners(photo.corners_px, 15, 15), np.zeros((15, 15), dtype=np.bool_)
    window[7, 7] = True
    reading = read_squares(photo.image_bgr, grid, reader, window)

    def tile(kind: Occupancy, sure: float) -> SquareProbabilities:
        occupancy, letters = reading.occupancy.copy(), reading.letters.copy()
        occupancy[7, 7], letters[7, 7] = 0.0, 0.0
        occupancy[7, 7, [kind, Occupancy.EMPTY]] = sure, 1 - sure
        letters[7, 7, reading.tokens.index("E")] = 1.0
        return replace(reading, occupancy=occupancy, letters=letters)

    turned = tile(Occupancy.TILE, sure)
    monkeypatch.setattr("vision.pipeline.displaced_tiles.read_squares", lambda *_: turned)
    game = Game(edition=load_edition("english"), players=("A", "B"))
    blank = tile(Occupancy.BLANK, 0.96)
    after = read_displaced_tiles(blank, photo.image_bgr, grid, reader, game, window)
    assert shown(after, 7, 7) == shows
