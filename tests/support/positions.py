"""Short forms for plays, boards and games in tests."""

from __future__ import annotations

from scoring import Board, Edition, Game, GameProblemKind, Placement, Play, load_edition, parse_play

__all__ = ["board_after", "boards_after", "game_of", "play_of", "problem_kinds", "tiles"]

ENGLISH = load_edition("english")
ICELANDIC = load_edition("icelandic")


def play_of(text: str, edition: Edition = ICELANDIC) -> Play:
    """Return the play of a text such as ``8D HRAKI``."""
    return parse_play(text, edition.tokens)


def tiles(word: str, row: int, column: int, down: bool = False) -> list[Placement]:
    """Return the tiles of a word from a square on; a dot is no tile."""
    return [
        Placement(row=row + step * down, column=column + step * (not down), token=letter)
        for step, letter in enumerate(word)
        if letter != "."
    ]


def game_of(*players: str, edition: Edition = ICELANDIC) -> Game:
    """Return a game without events, by default of Anna and Jón."""
    return Game(edition=edition, players=players or ("Anna", "Jón"))


def problem_kinds(game: Game) -> list[GameProblemKind]:
    """Return the kinds of the problems of a game."""
    return [problem.kind for problem in game.problems]


def board_after(*plays: str, edition: Edition = ICELANDIC) -> Board:
    """Return the board after these plays, which need not be legal."""
    return [Board.empty(edition.layout), *boards_after(*plays, edition=edition)][-1]


def boards_after(*plays: str, edition: Edition = ENGLISH) -> list[Board]:
    """Return the board after each of these plays, which need not be legal."""
    board, boards = Board.empty(edition.layout), []
    for text in plays:
        board = board.with_tiles(parse_play(text, edition.tokens, board))
        boards.append(board)
    return boards
