"""A tile that a hand pushes halfway to the next square is neither taken off nor played again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samples import Film, Shot, random_film
from scoring import BLANK, Board, Game, Placement, Play, load_edition, parse_play
from tests.support.rendered_films import frames_of, tracker_of
from vision.core import Grid, Occupancy, SquareProbabilities
from vision.pipeline import load_recognizer, track_video
from vision.pipeline.displaced_tiles import read_displaced_tiles
from vision.rectification import read_squares

ENGLISH = load_edition("english")
FPS = 8.0
PLAYS = ("8F HOUSE", "8K {}", "G8 .N")
PUSHED = (7, 10)
"""The square of the S."""
REST_S = 3.5
"""Seconds after a play, at most, until a hand comes."""


def film_of_push(token: str, way_xy: tuple[float, float]) -> Film:
    """The plays; under the hand that lays the last one, the S is pushed, or the blank for it."""
    board, plays = Board.empty(ENGLISH.layout), list[Play]()
    for text in PLAYS:
        plays.append(parse_play(text.format(token), ENGLISH.tokens, board))
        board = board.with_tiles(plays[-1])
    film = random_film(np.random.default_rng(1_000_900), plays=plays, cell_px=30.0)
    passed_s, shots = 0.0, list[Shot]()
    for shot in film.shots:
        is_pushed = passed_s > film.events[-2].hands_off_s + REST_S
        shots.append(replace(shot, pushed=((PUSHED, way_xy),) if is_pushed else ()))
        passed_s += shot.seconds
    return replace(film, shots=tuple(shots))


@pytest.mark.parametrize(
    ("token", "way_xy"),
    [("S", (0.5, 0.0)), ("S", (0.0, 0.45)), ("s", (0.5, 0.0))],
    ids=["read nowhere", "read on the next square", "a blank"],
)
def test_a_tile_that_is_pushed_halfway_stays_on_its_square(token: str, way_xy: tuple[float, float]) -> None:
    film = film_of_push(token, way_xy)
    tracker = tracker_of(film)
    updates = [each for batch in track_video(frames_of(film, FPS), tracker) for each in batch.updates]
    reported = [(each.kind, each.step.score) for each in updates if each.step is not None]
    assert reported == [(event.kind, event.score) for event in film.events]
    assert set(tracker.game.board.tiles()) >= {Placement(*PUSHED, token if token.isupper() else BLANK)}


def test_a_new_tile_with_the_letter_of_the_earlier_one_next_to_it_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    picture, reader = np.zeros((450, 450, 3), np.uint8), load_recognizer("network", ENGLISH)
    grid = Grid.from_corners(np.array([[0, 0], [449, 0], [449, 449], [0, 449]]), 15, 15)
    empty = read_squares(picture, grid, reader)

    def show(*tiles: tuple[int, str, float]) -> SquareProbabilities:
        occupancy, letters = np.zeros_like(empty.occupancy), np.zeros_like(empty.letters)
        occupancy[..., Occupancy.EMPTY] = 1.0
        for column, letter, sure in tiles:
            occupancy[7, column] = np.eye(len(Occupancy))[Occupancy.TILE]
            letters[7, column, empty.tokens.index(letter)] = sure
        return replace(empty, occupancy=occupancy, letters=letters)

    crops = iter((show((7, "I", 0.94)), show((7, "I", 0.5)), show((7, "I", 0.9))))
    monkeypatch.setattr("vision.pipeline.displaced_tiles.read_squares", lambda *_: next(crops, show()))
    game = Game(edition=ENGLISH, players=("A", "B")).with_play(parse_play("8H IN", ENGLISH.tokens))
    changed = np.zeros((15, 15), dtype=np.bool_)
    changed[7, 6:8] = True
    reading = show((7, "T", 0.45), (6, "I", 1.0))
    after = read_displaced_tiles(reading, picture, grid, reader, game, changed)
    assert after.occupancy[7, 6].argmax() == Occupancy.TILE
