"""Compare the scorer with a second, obvious one: a dictionary of squares and the rules as they are written."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import Board, Edition, Play, Scheme, score_play
from tests.support.scoring_strategies import PlayedGame, games

pytestmark = pytest.mark.no_cover

Square = tuple[int, int]


def naive_value(token: str, edition: Edition) -> int:
    if token == "?":
        return 0
    if token in edition.values:
        return edition.values[token]
    return edition.values[token.upper()] if edition.blanks_score else 0


def naive_words(tiles: dict[Square, str], new: set[Square]) -> list[list[Square]]:
    """Return every maximal run of two or more tiles, across or down, with a new one."""
    words = []
    for row, column in tiles:
        for down, right in ((0, 1), (1, 0)):
            if (row - down, column - right) in tiles:
                continue
            run = [(row, column)]
            while (run[-1][0] + down, run[-1][1] + right) in tiles:
                run.append((run[-1][0] + down, run[-1][1] + right))
            if len(run) > 1 and new & set(run):
                words.append(run)
    return words


def naive_word_score(word: list[Square], tiles: dict[Square, str], new: set[Square], edition: Edition) -> int:
    signs = {square: edition.layout[square].value for square in word if square in new}
    letter_times = {".": 1, "d": 2, "t": 3, "q": 4, "D": 1, "T": 1, "Q": 1}
    word_times = {"D": 2, "T": 3, "Q": 4}
    faces = {square: naive_value(tiles[square], edition) for square in word}
    word_squares = [word_times[sign] for sign in signs.values() if sign in word_times]
    letter_squares = [sign for sign in signs.values() if sign in "dtq"]
    new_faces = sum(faces[square] for square in signs)

    def multiplied(points: int) -> int:
        for times in word_squares:
            points = points * times
        return points

    every_new = sum(faces[square] * letter_times[sign] for square, sign in signs.items())
    off_word_squares = sum(
        faces[square] * letter_times[sign] for square, sign in signs.items() if sign not in word_times
    )
    if edition.scheme is Scheme.STANDARD:
        return multiplied(every_new + sum(faces[square] for square in word if square not in new))
    if edition.scheme is Scheme.KRYDSORD_B:
        return multiplied(every_new)
    additive = off_word_squares + sum(times * new_faces for times in word_squares)
    if edition.scheme is Scheme.KRYDSORD_A:
        return additive
    if word_squares and not letter_squares:
        return sum(times * new_faces for times in word_squares)
    return additive


def naive_score(board: Board, play: Play, edition: Edition) -> tuple[Counter[int], int]:
    """Return the scores of all words, and the total."""
    tiles = {
        (row, column): token
        for row, tokens in enumerate(board.rows)
        for column, token in enumerate(tokens)
        if token != "."
    }
    tiles.update({(tile.row, tile.column): tile.token for tile in play})
    new = {(tile.row, tile.column) for tile in play}
    scores = [naive_word_score(word, tiles, new, edition) for word in naive_words(tiles, new)]
    bonus = edition.bonus
    enough = bonus is not None and len(new) >= (bonus.tiles or edition.rack_size)
    return Counter(scores), sum(scores) + (bonus.points if bonus is not None and enough else 0)


@given(games(), st.sampled_from(Scheme), st.booleans())
def test_both_scorers_agree(game: PlayedGame, scheme: Scheme, blanks_score: bool) -> None:
    edition = replace(game.edition, scheme=scheme, blanks_score=blanks_score)
    for before, play in game.turns:
        scored = score_play(before, play, edition)
        assert (Counter(word.score for word in scored.words), scored.total) == naive_score(
            before, play, edition
        )
