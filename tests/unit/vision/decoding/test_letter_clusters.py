"""The letters of tiles, found together by how they look beside one another and by what the bag holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring import load_edition
from vision.core import SquareProbabilities
from vision.decoding import letter_clusters
from vision.decoding.letter_clusters import (
    LetterClusters,
    TileAppearance,
    assign_letters,
    log_ways_to_draw,
    weigh_letters,
)
from vision.decoding.scores import EMPTY_STATE, FIRST_LETTER
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


def test_tiles_that_are_read_the_same_and_look_otherwise_are_two_letters() -> None:
    """As in a typeface whose Ms are taken for Ns, though not so surely as its Ns are."""
    likely = np.stack([said(N, M, 1e3), said(N, M, 1e3), said(N, M), said(N, M)])
    assert assign_letters(likely, looks([10, 10, -10, -10]), COUNTS).tolist() == [N, N, M, M]
    assert assign_letters(likely, looks([10, 10, 10, 10]), COUNTS).tolist() == [N, N, N, N]


def test_a_tile_is_what_those_are_that_look_like_it() -> None:
    likely = np.stack([said(M, N, 1e3), said(M, N, 1e3), said(N, M), said(N, M, 1e3)])
    assert assign_letters(likely, looks([10, 10, 10, -10]), COUNTS).tolist() == [M, M, M, N]


def test_a_gain_is_the_difference_of_the_log_likelihood_of_all_tiles() -> None:
    """It is computed from sums; here from the normal distribution of the tiles of each letter."""
    rng = np.random.default_rng(5)
    likely = np.stack([said(M, N, 1e2) if first else said(N, M, 1e2) for first in rng.integers(2, size=12)])
    appearance = looks([*rng.normal(0, 10, 12)])
    clusters = LetterClusters(likely, appearance, COUNTS)
    clusters.search()
    gains = clusters.gains()
    assert np.isfinite(gains).sum() == 24  # of each tile both letters
    offsets = appearance.embeddings - appearance.embeddings.mean(axis=0)

    def log_likelihood(letters: NDArray[np.intp]) -> float:
        total = float(likely[np.arange(12), letters].sum())
        for letter in (M, N):
            cluster = offsets[letters == letter]
            number = len(cluster)
            covariance = PROJECTION.between_letters[0] * np.ones((number, number)) + 1.2 * np.eye(number)
            quadratic = (cluster * np.linalg.solve(covariance, cluster)).sum()
            likeness = -(quadratic + 8 * np.linalg.slogdet(covariance)[1]) / 2
            total += letter_clusters.SETTINGS.appearance_weight * likeness
            total += log_ways_to_draw(COUNTS[letter], 12, letter_clusters.SETTINGS.surplus_cost)[number]
        return total

    for tile, letter in np.argwhere(np.isfinite(gains)):
        moved = clusters.letters.copy()
        moved[tile] = letter
        expected = log_likelihood(moved) - log_likelihood(clusters.letters)
        assert gains[tile, letter] == pytest.approx(expected)


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
    assert np.exp(log_ways_to_draw(count, len(ways) - 1, 3.0)) == pytest.approx(ways)


def test_each_tile_more_than_the_bag_holds_is_less_plausible() -> None:
    ways = log_ways_to_draw(2, 5, 3.0)
    assert (np.diff(ways[2:]) < -2).all()


class TestBoard:
    """Tiles of a board: three Ms and three Ns, of which the last is read as either."""

    squares = ((7, 4), (7, 5), (7, 6), (7, 7), (7, 8), (7, 9))

    def weights(self, *letters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-weights of all states of the board's squares: tiles with these letters, and empty squares."""
        weights = np.full((15, 15, FIRST_LETTER + len(ENGLISH.tokens)), -20.0)
        weights[..., EMPTY_STATE] = 0.0
        for square, logs in zip(self.squares, letters, strict=True):
            weights[square] = [-20.0, -5.0, -20.0, *logs]
        return weights

    def reading(self, places: list[float], upright: float = 0.9) -> SquareProbabilities:
        """What was read: the embeddings of the tiles, all of which are as upright."""
        embedding = np.full((15, 15, PROJECTION.axes.shape[1]), np.nan, np.float32)
        for square, place in zip(self.squares, looks(places).embeddings, strict=True):
            embedding[square] = place
        turns = np.zeros((15, 15, 4), np.float32)
        turns[..., 0], turns[..., 1] = upright, 1 - upright
        return SquareProbabilities(
            reader="a test's",
            tokens=ENGLISH.tokens,
            value_labels=(None,),
            occupancy=np.zeros((15, 15, 4), np.float32),
            letters=np.zeros((15, 15, len(ENGLISH.tokens)), np.float32),
            values=np.ones((15, 15, 1), np.float32),
            turns=turns,
            embedding=embedding,
        )

    @pytest.fixture(autouse=True)
    def _projection(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(letter_clusters, "shipped_projection", lambda: PROJECTION)

    def test_an_unclear_tile_is_the_letter_of_those_that_look_like_it(self) -> None:
        clear = [said(M, N, 1e3)] * 2 + [said(N, M, 1e3)] * 3
        weights = self.weights(*clear, said(M, N))
        weighed = weigh_letters(weights, self.reading([10, 10, -10, -10, -10, -10]), COUNTS)
        letters = [int(weighed[square].argmax()) - FIRST_LETTER for square in self.squares]
        assert letters == [M, M, N, N, N, N]
        states = np.logaddexp.reduce(weighed[..., FIRST_LETTER:], axis=-1)
        assert states == pytest.approx(np.logaddexp.reduce(weights[..., FIRST_LETTER:], axis=-1))

    def test_a_tile_that_looks_like_its_letter_is_surer_than_its_picture(self) -> None:
        weights = self.weights(*[said(M, N, 1e3)] * 2, *[said(N, M, 1e3)] * 3, said(N, M))
        weighed = weigh_letters(weights, self.reading([10, 10, -10, -10, -10, -10]), COUNTS)[self.squares[-1]]
        assert weighed[FIRST_LETTER + N] - weighed[FIRST_LETTER + M] > np.log(ODDS)

    def test_an_odd_appearance_alone_makes_no_new_letter(self) -> None:
        weights = self.weights(*[said(N, M, 1e3)] * 5, said(N, M, np.exp(5.0)))
        weighed = weigh_letters(weights, self.reading([10, 10, 10, 10, 10, -10]), COUNTS)
        assert weighed[self.squares[-1]].argmax() - FIRST_LETTER == N

    def test_a_turned_tile_is_not_compared(self) -> None:
        weights = self.weights(said(M, N, 1e3), *[said(N, M, 1e3)] * 4, said(M, N))
        weighed = weigh_letters(weights, self.reading([10, *[-10] * 5], upright=0.01), COUNTS)
        assert weighed[self.squares[-1]].argmax() - FIRST_LETTER == M

    def test_without_embeddings_nothing_changes(self) -> None:
        weights = self.weights(*[said(M, N)] * 6)
        reading = replace(self.reading([10] * 6), embedding=None)
        assert weigh_letters(weights, reading, COUNTS) is weights
