"""A tile that lies askew is read by a turned crop."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from samples import RenderedPhoto
from scoring import Edition, Game, load_edition
from tests.benchmarks.bench_reading import reader_of
from tests.sets.club_boards import club_photo
from vision.core import Frame, Grid, Homography, Image, Occupancy, Square, SquareProbabilities
from vision.pipeline import GameContext, read_photo
from vision.pipeline.displaced_tiles import read_displaced_tiles
from vision.rectification import read_squares


def shown(reading: SquareProbabilities, row: int, column: int) -> str:
    """What a square shows; a tile without its letter is a blank."""
    kind = reading.occupancy[row, column].argmax()
    letter = reading.tokens[reading.letters[row, column].argmax()]
    return letter if kind == Occupancy.TILE else "?" if kind == Occupancy.BLANK else "."


def turn_about(square: Square, turn_deg: float) -> Homography:
    """The turn of a grid about the middle of a square."""
    turn = cv2.getRotationMatrix2D((square[1] + 0.5, square[0] + 0.5), turn_deg, 1.0)
    return Homography(matrix=np.vstack([turn, [0.0, 0.0, 1.0]]))


def lay_askew(photo: RenderedPhoto, squares: list[Square], turn_deg: float) -> Image:
    """The picture with tiles turned on their squares."""
    grid, picture = Grid.from_corners(photo.corners_px, 15, 15).image_from_grid, photo.image_bgr
    face = np.array([[0.04, 0.04], [0.96, 0.04], [0.96, 0.96], [0.04, 0.96]])
    for square in squares:
        turn = turn_about(square, turn_deg)
        outline = (grid @ turn).apply(face + square[::-1])
        tile = cv2.fillConvexPoly(np.zeros(picture.shape[:2], np.uint8), np.rint(outline).astype(np.int32), 1)
        turned = cv2.warpPerspective(picture, (grid @ turn @ grid.inverse).matrix, picture.shape[1::-1])
        picture = np.where(tile[..., None] > 0, turned, picture).astype(np.uint8)
    return picture


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
        turned = straight.image_from_grid @ turn_about((row, column), turn_deg)
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


def askew_photo(seed: int = 6001, turn_deg: float = -20.0) -> tuple[Frame, RenderedPhoto]:
    """A photo in which five letters lie askew, and what it was made of."""
    photo = club_photo("english", seed, 40.0)
    letters = [(row, column) for row, column in np.ndindex(15, 15) if photo.rows[row][column].isupper()]
    picture = lay_askew(photo, letters[:: len(letters) // 5][:5], turn_deg)
    return Frame(image_bgr=picture, source="", index=0, time_s=0.0), photo


def count_misread(frame: Frame, photo: RenderedPhoto) -> int:
    context = GameContext(edition=load_edition("english"), recognizer=reader_of("english"))
    board = read_photo(frame, context, corners_px=photo.corners_px.tolist()).decoded.board
    return int((np.array(board.rows) != np.array(photo.rows)).sum())


def test_tiles_that_lie_askew_in_a_photo_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    photos = [
        askew_photo(seed, turn_deg)
        for seed in (6001, 6002, 6005, 6007, 6008, 6011)
        for turn_deg in (-20.0, 20.0)
    ]
    left = sum(count_misread(*photo) for photo in photos)
    monkeypatch.setattr("vision.pipeline.photo.read_unclear_tiles", lambda reading, *_: reading)
    misread = sum(count_misread(*photo) for photo in photos)
    assert misread > 15
    assert left <= misread / 3


def test_tiles_that_are_seen_from_near_the_table_are_not_read_by_turned_crops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    photo = askew_photo()
    in_usual_view = count_misread(*photo)
    monkeypatch.setattr("vision.pipeline.displaced_tiles.reading_heights", lambda *_: (0.1, 0.2))
    assert count_misread(*photo) > in_usual_view


def test_the_edition_is_chosen_by_what_turned_crops_show_too() -> None:
    frame, photo = askew_photo()
    english, chosen_by = load_edition("english"), list[SquareProbabilities]()

    def choose(reading: SquareProbabilities) -> Edition:
        chosen_by.append(reading)
        return english

    context = GameContext(edition=english, recognizer=reader_of("english"))
    found = read_photo(frame, context, corners_px=photo.corners_px.tolist(), choose_edition=choose)
    assert len(chosen_by) > 1
    assert chosen_by[-1] is found.probabilities


def test_a_clear_photo_is_not_read_by_turned_crops(monkeypatch: pytest.MonkeyPatch) -> None:
    photo, crops = club_photo("english", 6001, 40.0), list[object]()
    monkeypatch.setattr("vision.pipeline.displaced_tiles.read_squares", lambda *crop: crops.append(crop))
    context = GameContext(edition=load_edition("english"), recognizer=reader_of("english"))
    frame = Frame(image_bgr=photo.image_bgr, source="", index=0, time_s=0.0)
    read_photo(frame, context, corners_px=photo.corners_px.tolist())
    assert crops == []
