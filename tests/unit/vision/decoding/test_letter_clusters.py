"""The letters of tiles, found together by how they look beside one another and by what the bag holds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring import load_edition
from vision.decoding.letter_clusters import TileAppearance, assign_letters, log_ways_to_draw
from vision.recognition.embedding import LdaProjection

ENGLISH = load_edition("english")
COUNTS = [ENGLISH.counts.get(token) for token in ENGLISH.tokens]
M, N = map(ENGLISH.tokens.index, "MN")
PROJECTION = LdaProjection(
    axes=np.eye(8, dtype=np.float32),
    between_letters=np.full(8, 100.0, np.float32),
    between_photos=np.full(8, 1.0, np.float32),
    network="a test's",
)
ODDS = 5.0


def said(first: int, second: int, odds: float = ODDS) -> NDArray[np.float64]:
    """The logarithm of how likely each letter is: the first by these odds before the second."""
    logs = np.full(len(ENGLISH.tokens), -9.0)
    logs[first], logs[second] = 0.0, -np.log(odds)
    return logs


def looks(places: list[float], photos: int = 5) -> TileAppearance:
    """Tiles that lie so far along all directions."""
    rng = np.random.default_rng(3)
    return TileAppearance(
        embeddings=np.array(places)[:, None] + rng.normal(0, 1, (len(places), 8)),
        photos=np.full(len(places), photos),
        projection=PROJECTION,
    )


def test_tiles_that_are_read_alike_and_look_otherwise_are_two_letters() -> None:
    """As in a typeface whose Ms are taken for Ns, though not so surely as its Ns are."""
    likely = np.stack([said(N, M, 1e3), said(N, M, 1e3), said(N, M), said(N, M)])
    assert assign_letters(likely, looks([10, 10, -10, -10]), COUNTS).tolist() == [N, N, M, M]
    assert assign_letters(likely, looks([10, 10, 10, 10]), COUNTS).tolist() == [N, N, N, N]


def test_a_tile_is_what_those_are_that_look_like_it() -> None:
    likely = np.stack([said(M, N, 1e3), said(M, N, 1e3), said(N, M), said(N, M, 1e3)])
    assert assign_letters(likely, looks([10, 10, 10, -10]), COUNTS).tolist() == [M, M, M, N]


def test_tiles_of_which_no_photo_tells_the_looks_stay_what_they_were_read_as() -> None:
    likely = np.stack([said(N, M), said(N, M, 1e3)])
    assert assign_letters(likely, looks([10, -10], photos=0), COUNTS).tolist() == [N, N]
    assert assign_letters(likely, None, COUNTS).tolist() == [N, N]
    assert assign_letters(np.zeros((0, len(COUNTS))), None, COUNTS).tolist() == []


def test_of_a_letter_there_are_seldom_more_than_the_bag_holds() -> None:
    j, i = map(ENGLISH.tokens.index, "JI")  # one J, nine Is
    likely = np.stack([said(j, i, 1e3), said(j, i)])
    assert assign_letters(likely, None, COUNTS).tolist() == [j, i]
    assert assign_letters(likely, None, [None] * len(COUNTS)).tolist() == [j, j]


def test_a_letter_that_is_far_less_likely_is_not_tried() -> None:
    likely = np.stack([said(N, M, 1e4), said(N, M, 1e4), said(N, M, 1e4)])
    assert assign_letters(likely, looks([10, -10, -10]), COUNTS).tolist() == [N, N, N]


def test_an_odd_look_alone_makes_no_new_letter_of_a_tile_that_is_read_surely() -> None:
    """It may lie in a reflex; beside a tile that surely is of that letter, it counts for more."""
    odd = looks([10, 10, -10, -10])
    alone = np.stack([said(N, M, 1e3), said(N, M, 1e3), said(N, M, 200), said(N, M, 200)])
    assert assign_letters(alone, odd, COUNTS).tolist() == [N, N, N, N]
    beside = np.stack([said(N, M, 1e3), said(N, M, 1e3), said(N, M, 200), said(M, N, 1e3)])
    assert assign_letters(beside, odd, COUNTS).tolist() == [N, N, M, M]


@pytest.mark.parametrize(("count", "ways"), [(1, [1, 1]), (3, [1, 3, 3, 1]), (None, [1, 1, 1])])
def test_numbers_are_as_plausible_as_there_are_ways_to_draw_them(count: int | None, ways: list[int]) -> None:
    assert np.exp(log_ways_to_draw(count, len(ways) - 1)) == pytest.approx(ways)


def test_each_tile_more_than_the_bag_holds_is_less_plausible() -> None:
    ways = log_ways_to_draw(2, 5)
    assert (np.diff(ways[2:]) < -2).all()
