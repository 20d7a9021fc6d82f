"""Hypothesis strategies for layouts, boards and legal games."""

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

__all__ = ["PlayedGame", "boards", "editions", "games", "layouts", "tokens_of"]


@dataclass(frozen=True)
class PlayedGame:
    """Legal plays, each with the board before it."""

    edition: Edition
    turns: tuple[tuple[Board, Play], ...]


def editions() -> st.SearchStrategy[Edition]:
    """Any shipped edition."""
    return st.sampled_from(edition_names()).map(load_edition)


@cache
def tokens_of(edition: Edition) -> st.SearchStrategy[str]:
    """Any token of the edition, with blanks, empty and covered squares."""
    return st.sampled_from([*edition.tokens, *map(as_blank, edition.tokens), "?", ".", "#"])


@st.composite
def layouts(draw: st.DrawFn, min_lines: int = 1, max_lines: int = 21) -> Layout:
    """Any rectangular layout, with up to four start squares, by default the middle."""
    rows, columns = draw(st.integers(min_lines, max_lines)), draw(st.integers(min_lines, max_lines))
    row = st.tuples(*[st.sampled_from(Premium)] * columns)
    squares = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
    return Layout(premiums=draw(st.tuples(*[row] * rows)), start=draw(st.frozensets(squares, max_size=4)))


@st.composite
def boards(draw: st.DrawFn, edition: Edition) -> Board:
    """Any board of the size of the edition, possible or not, with up to twelve squares that are not empty."""
    rows, columns = edition.layout.rows, edition.layout.columns
    squares = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
    tokens = [["."] * columns for _ in range(rows)]
    for (row, column), token in draw(st.dictionaries(squares, tokens_of(edition), max_size=12)).items():
        tokens[row][column] = token
    return Board.from_rows(tokens)


@st.composite
def games(draw: st.DrawFn, max_plays: int = 6) -> PlayedGame:
    """Legal plays of arbitrary letters on a random layout."""
    edition = draw(editions())
    layout = draw(layouts(min_lines=5, max_lines=17))
    edition = replace(edition, layout=layout, first_play=FirstPlay(shortest=2, start=StartRule.ANY_TILE))
    letters = st.sampled_from([*edition.tokens, *map(as_blank, edition.tokens[:3]), "?"])
    attempt = st.tuples(
        st.integers(0, 10**6),
        st.sampled_from(Direction),
        st.integers(0, 4),
        st.lists(letters, min_size=1, max_size=edition.rack_size),
    )
    board, turns = Board.empty(layout), []
    for anchor, direction, offset, tokens in draw(st.lists(attempt, min_size=1, max_size=max_plays)):
        play = _place(board, layout, anchor, direction, offset, tokens)
        try:
            check_play(board, play, edition)
        except IllegalPlayError:
            continue
        turns.append((board, play))
        board = board.with_tiles(play)
    return PlayedGame(edition=edition, turns=tuple(turns))


def _place(
    board: Board, layout: Layout, anchor: int, direction: Direction, offset: int, tokens: list[str]
) -> Play:
    """Return the tokens as a play on free squares of a line through a tile or, at first, a start square."""
    squares = [(tile.row, tile.column) for tile in board.tiles()] or sorted(layout.start)
    row, column = squares[anchor % len(squares)]
    down, right = direction.value
    row, column = max(0, row - down * offset), max(0, column - right * offset)
    placements = []
    for token in tokens:
        while board.holds(row, column) and board[row, column] != ".":
            row, column = row + down, column + right
        if not board.holds(row, column):
            break
        placements.append(Placement(row=row, column=column, token=token))
        row, column = row + down, column + right
    return Play(placements=tuple(placements))
