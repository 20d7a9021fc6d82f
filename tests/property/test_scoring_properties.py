"""Properties of all tiles, boards and plays: parse and print, conservation, symmetry, inference."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoring import (
    Board,
    BoardProblem,
    Direction,
    Edition,
    InferenceKind,
    Layout,
    Scheme,
    as_blank,
    designated,
    edition_names,
    format_board,
    format_layout,
    format_play,
    format_position,
    format_tokens,
    infer,
    is_blank,
    is_legal,
    load_edition,
    parse_board,
    parse_layout,
    parse_play,
    parse_position,
    parse_tokens,
    score_play,
)
from tests.support.scoring_strategies import PlayedGame, boards, editions, games, layouts, tokens_of

pytestmark = pytest.mark.no_cover


EDITIONS = [load_edition(name) for name in edition_names()]


@given(st.data(), editions())
def test_tokens_are_read_as_they_are_printed(data: st.DataObject, edition: Edition) -> None:
    tokens = tuple(data.draw(st.lists(tokens_of(edition), max_size=15)))
    text = format_tokens(tokens, edition.tokens)
    assert parse_tokens(text, edition.tokens) == tokens


@given(st.data(), editions())
def test_a_bracket_less_would_be_another_word(data: st.DataObject, edition: Edition) -> None:
    tokens = tuple(data.draw(st.lists(tokens_of(edition), max_size=8)))
    text = format_tokens(tokens, edition.tokens)
    for at, sign in enumerate(text):
        if sign == "[":
            close = text.index("]", at)
            bare = text[:at] + text[at + 1 : close] + text[close + 1 :]
            assert parse_tokens(bare, edition.tokens) != tokens


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
def test_a_blank_and_its_letter_are_inverse(edition: Edition) -> None:
    for letter in edition.tokens:
        assert designated(as_blank(letter)) == letter
        assert is_blank(as_blank(letter))
        assert not is_blank(letter)


@given(st.integers(0, 98), st.integers(0, 701), st.sampled_from(Direction))
def test_positions_are_read_as_they_are_printed(row: int, column: int, direction: Direction) -> None:
    assert parse_position(format_position(row, column, direction)) == (row, column, direction)


@given(layouts())
def test_layouts_are_read_as_they_are_printed(layout: Layout) -> None:
    assert parse_layout(format_layout(layout)) == layout
    assert layout.transposed().transposed() == layout


@given(st.data(), editions())
def test_boards_are_read_as_they_are_printed(data: st.DataObject, edition: Edition) -> None:
    board = data.draw(boards(edition))
    assert parse_board(format_board(board, edition.tokens), edition.tokens) == board


@given(games())
def test_plays_are_read_as_they_are_printed(game: PlayedGame) -> None:
    alphabet = game.edition.tokens
    for _, play in game.turns:
        assert parse_play(format_play(play, alphabet), alphabet) == play


@given(games())
def test_legal_plays_make_possible_boards_and_lose_no_tile(game: PlayedGame) -> None:
    placed: Counter[str] = Counter()
    for before, play in game.turns:
        after = before.with_tiles(play)
        placed.update(tile.token for tile in play)
        assert Counter(tile.token for tile in after.tiles()) == placed
        assert after.without(play) == before
        assert after.problems(game.edition) is BoardProblem.NONE


@given(games())
def test_a_play_is_inferred_from_its_two_boards(game: PlayedGame) -> None:
    for before, play in game.turns:
        after = before.with_tiles(play)
        found = infer(before, after, game.edition)
        assert (found.kind, found.plays) == (InferenceKind.PLAY, (play,))
        back = infer(after, before, game.edition, last_play=play)
        assert (back.kind, back.removed) == (InferenceKind.TAKEN_BACK, play.placements)


@given(games())
def test_two_plays_are_always_among_the_splits(game: PlayedGame) -> None:
    for (before, first), (middle, second) in zip(game.turns, game.turns[1:], strict=False):
        found = infer(before, middle.with_tiles(second), game.edition)
        assert found.kind in (InferenceKind.PLAY, InferenceKind.TWO_PLAYS)
        if found.kind is InferenceKind.TWO_PLAYS:
            assert (first, second) in found.splits


@given(games())
def test_a_play_withdrawn_for_another_is_inferred(game: PlayedGame) -> None:
    assume(len(game.turns) > 1)
    (base, last), (before, play) = game.turns[-2:]
    now = base.with_tiles(play)
    found = infer(before, now, game.edition, last_play=last)
    assert found.removed == last.placements
    if is_legal(base, play, game.edition):
        assert (found.kind, found.plays) == (InferenceKind.TAKEN_BACK_AND_PLAY, (play,))
    else:
        assert found.kind in (InferenceKind.NOT_LEGAL, InferenceKind.TAKEN_BACK_AND_TWO_PLAYS)
        assert all(base.with_tiles(one).with_tiles(other) == now for one, other in found.splits)


@given(games(), st.sampled_from(Scheme))
def test_a_score_is_the_same_on_the_transposed_board(game: PlayedGame, scheme: Scheme) -> None:
    edition = replace(game.edition, scheme=scheme)
    turned = replace(edition, layout=edition.layout.transposed())
    for before, play in game.turns:
        one = score_play(before, play, edition)
        other = score_play(before.transposed(), play.transposed(), turned)
        assert one.total == other.total
        assert sorted((word.tokens, word.score) for word in one.words) == sorted(
            (word.tokens, word.score) for word in other.words
        )


@given(games())
def test_scores_are_sums_of_words_that_lie_on_the_board(game: PlayedGame) -> None:
    for before, play in game.turns:
        scored = score_play(before, play, game.edition)
        after = before.with_tiles(play)
        assert scored.total == sum(word.score for word in scored.words) + scored.bonus
        new = {(tile.row, tile.column) for tile in play}
        for word in scored.words:
            down, right = word.direction.value
            squares = [(word.row + down * at, word.column + right * at) for at in range(len(word.tokens))]
            assert tuple(after[square] for square in squares) == word.tokens
            assert new & set(squares)
        main = scored.main_word.direction
        assert {word.direction for word in scored.words[1:]} <= {main.other}


@given(st.data())
def test_any_two_boards_can_be_compared(data: st.DataObject) -> None:
    edition = data.draw(editions())
    before: Board = data.draw(boards(edition))
    after: Board = data.draw(boards(edition))
    found = infer(before, after, edition)
    assert (found.problem is None) == (found.kind is not InferenceKind.NOT_LEGAL)
    if found.kind is InferenceKind.NOTHING:
        assert (found.added, found.removed) == ((), ())
