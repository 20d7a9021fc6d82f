"""A tile that is exchanged for another one on the board: letters look alike in a thumbnail, and are read again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samples import Film, Reach, random_film
from scoring import Board, Placement, load_edition, parse_play
from tests.support.rendered_films import frames_of, tracker_of
from vision.game_events import UpdateKind
from vision.pipeline import track_video

ENGLISH = load_edition("english")
FPS = 8.0


def film_of_exchange(row: int, column: int, token: str) -> Film:
    """HOUSE is played at 8F; then a hand lays another tile on a square of it."""
    play = parse_play("8F HOUSE", ENGLISH.tokens, Board.empty(ENGLISH.layout))
    film = random_film(np.random.default_rng(5), plays=[play], cell_px=30.0)
    rests = film.shots[-1]
    at_xy = (column + 0.5, row + 0.5)
    reaches = replace(rests, seconds=1.0, reach=Reach(player=0, start_xy=at_xy, end_xy=at_xy))
    old = next(tile for tile in rests.board.tiles() if (tile.row, tile.column) == (row, column))
    after = rests.board.without([old]).with_tiles([Placement(row, column, token)])
    exchange = (
        replace(rests, seconds=3.0),
        reaches,
        replace(reaches, seconds=0.5, board=after),
        replace(rests, seconds=4.0, board=after),
    )
    return replace(film, shots=(*film.shots, *exchange))


@pytest.mark.parametrize(("token", "corrections"), [("N", 1), ("S", 0)])
def test_another_tile_on_the_same_square_corrects_the_letter(token: str, corrections: int) -> None:
    film = film_of_exchange(7, 8, token)
    tracker = tracker_of(film)
    updates = [each for batch in track_video(frames_of(film, FPS), tracker) for each in batch.updates]
    assert [each.kind for each in updates].count(UpdateKind.CORRECTION) == corrections
    assert tracker.game.board[7, 8] == token
