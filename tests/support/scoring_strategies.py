"""Random layouts, boards and legal games for property tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from hypothesis import strategies as st

from scoring import (
    Board,
    Direction,
    Edition,
    FirstPlay,
    IllegalPlayError,
    Layout,
    Placement,
    Play,
    Premium,
    StartRule,
    as_blank,
    check_play,
    edition_names,
    load_edition,
)

__all__ = ["Game", "boards", "editions", "games", "layouts", "tokens_of"]


@dataclass(frozen=True)
class Game:
    """Legal plays, each with the board before it."""

    edition: Edition
    turns: tuple[tuple[Board, Play], ...]


def editions() -> st.SearchStrategy[Edition]:
    """Any shipped edition."""
    return st.sampled_from(edition_names()).map(load_edition)


@cache
def tokens_of(edition: Edition) -> st.SearchStrategy[str]:
    """Any token of the edition, also blanks, and signs for squares without a tile."""
    return st.sampled_from([*edition.tokens, *map(as_blank, edition.tokens), "?", ".", "#"])


@st.composite
def layouts(draw: st.DrawFn, least: int = 1, most: int = 21) -> Layout:
    """Any layout, rectangular too, with one to four start squares or those of the middle."""
    rows, columns = draw(st.integers(least, most)), draw(st.integers(least, most))
    row = st.tuples(*[st.sampled_from(Premium)] * columns)
    squares = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
    return Layout(premiums=draw(st.tuples(*[row] * rows)), start=draw(st.frozensets(squares, max_size=4)))


@st.composite
def boards(draw: st.DrawFn, edition: Edition) -> Board:
    """Any board of the edition's size, possible or not: mostly empty, with anything here and there."""
    rows, columns = edition.layout.rows, edition.layout.columns
    squares = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
    tokens = [["."] * columns for _ in range(rows)]
    for (row, column), token in draw(st.dictionaries(squares, tokens_of(edition), max_size=12)).items():
        tokens[row][column] = token
    return Board.from_rows(tokens)


@st.composite
def games(draw: st.DrawFn, most: int = 6) -> Game:
    """Legal plays on a random layout; words are any letters, as the rules do not look them up."""
    edition = draw(editions())
    layout = draw(layouts(least=5, most=17))
    edition = replace(edition, layout=layout, first_play=FirstPlay(shortest=2, start=StartRule.ANY_TILE))
    letters = st.sampled_from([*edition.tokens, *map(as_blank, edition.tokens[:3]), "?"])
    attempt = st.tuples(
        st.integers(0, 10**6),
        st.sampled_from(Direction),
        st.integers(0, 4),
        st.lists(letters, min_size=1, max_size=edition.rack_size),
    )
    board, turns = Board.empty(layout), []
    for anchor, direction, back, tokens in draw(st.lists(attempt, min_size=1, max_size=most)):
        play = _laid(board, layout, anchor, direction, back, tokens)
        try:
            check_play(board, play, edition)
        except IllegalPlayError:
            continue
        turns.append((board, play))
        board = board.with_tiles(play)
    return Game(edition=edition, turns=tuple(turns))


def _laid(
    board: Board, layout: Layout, anchor: int, direction: Direction, back: int, tokens: list[str]
) -> Play:
    """The tokens on the free squares of a line through a tile, or through a start square at first."""
    squares = [(tile.row, tile.column) for tile in board.tiles()] or sorted(layout.start)
    row, column = squares[anchor % len(squares)]
    down, right = direction.value
    row, column = max(0, row - down * back), max(0, column - right * back)
    placements = []
    for token in tokens:
        while board.holds(row, column) and board[row, column] != ".":
            row, column = row + down, column + right
        if not board.holds(row, column):
            break
        placements.append(Placement(row=row, column=column, token=token))
        row, column = row + down, column + right
    return Play(placements=tuple(placements))
