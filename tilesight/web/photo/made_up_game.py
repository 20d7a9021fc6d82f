"""A game that leads to a given board, with a made-up order of play: GCG can hold a position in no other way."""

from __future__ import annotations

from collections.abc import Iterator

from scoring import COVERED, Board, Edition, Game, GameError, Play, format_square, is_legal

__all__ = ["PLAYERS", "make_up_game"]

Square = tuple[int, int]

PLAYERS = ("A", "B")


def make_up_game(board: Board, edition: Edition) -> Game:
    """Return a game of two players that leads to a board.

    Words are placed whole where that is possible: each turn takes the play that forms the fewest unfinished words, then
    the one with the most tiles.

    Parameters
    ----------
    board : Board
        The board.
    edition : Edition
        Its rules.

    Raises
    ------
    GameError
        If the rules allow no such game; the message says at which square.
    """
    covered = [(row, column) for row, line in enumerate(board.rows) for column, token in enumerate(line)
               if token == COVERED]  # fmt: skip
    if covered:
        raise GameError(f"{format_square(*covered[0])} cannot be seen, so no game leads to this board")
    tokens = {(tile.row, tile.column): tile.token for tile in board.tiles()}
    runs = find_runs(frozenset(tokens))
    game, left = Game(edition, PLAYERS), set(tokens)
    while left:
        plays = [squares for squares in list_plays(runs, left, edition.rack_size)
                 if is_legal(game.board, play_of(squares, tokens), edition)]  # fmt: skip
        if not plays:
            raise GameError(
                f"by the rules of {edition.name} no play leads to the tile on {format_square(*min(left))}; "
                "correct the board, or its edition"
            )
        placed = frozenset(tokens) - left
        best = min(
            plays, key=lambda squares: (count_unfinished(placed, squares, runs), -len(squares), squares)
        )
        game = game.with_play(play_of(best, tokens))
        left -= set(best)
    return game


def play_of(squares: tuple[Square, ...], tokens: dict[Square, str]) -> Play:
    """Return the play of the tiles on these squares."""
    return Play.of((row, column, tokens[row, column]) for row, column in squares)


def find_runs(tiles: frozenset[Square]) -> list[tuple[Square, ...]]:
    """Return the squares of each word of a board, across and down."""
    runs = []
    for down, right in ((0, 1), (1, 0)):
        for row, column in sorted(tiles):
            if (row - down, column - right) in tiles:
                continue
            run = [(row, column)]
            while (after := (run[-1][0] + down, run[-1][1] + right)) in tiles:
                run.append(after)
            if len(run) > 1:
                runs.append(tuple(run))
    return runs


def list_plays(
    runs: list[tuple[Square, ...]], left: set[Square], rack_size: int
) -> Iterator[tuple[Square, ...]]:
    """Yield the squares of possible plays: what is missing of a word, as far as one rack reaches, or one tile."""
    for run in runs:
        new = tuple(square for square in run if square in left)
        for first in range(max(1, len(new) - rack_size + 1) if new else 0):
            yield new[first : first + rack_size]
    for square in sorted(left):
        yield (square,)


def count_unfinished(
    placed: frozenset[Square], squares: tuple[Square, ...], runs: list[tuple[Square, ...]]
) -> int:
    """Return how many words have two or more, but not all of their letters after a play, and have a new one."""
    after, new = placed | set(squares), set(squares)
    return sum(
        1 for run in runs if new.intersection(run) and 1 < sum(square in after for square in run) < len(run)
    )
