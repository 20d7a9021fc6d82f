"""Find the board from which a game goes on that had begun before it came into view."""

from __future__ import annotations

from dataclasses import dataclass

from scoring import Board, BoardProblem, Edition, Game, InferenceKind, Play, Premium, infer
from vision.core import DecodedBoard
from vision.game_events.differences import covered_squares
from vision.game_events.placements import joint_confidence
from vision.game_events.play_sequences import IMPOSSIBLE
from vision.game_events.uncertain_tiles import MIN_CONFIDENCE

__all__ = ["begin_game", "find_opening", "is_hidden_opening"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningSettings:
    """When a board that is not empty is a game. Chosen."""

    min_tiles: int = 3
    """Tiles on plain squares: the texts of premium squares look like tiles."""
    min_plain_share: float = 0.25
    """The same as a share of the tiles."""


SETTINGS = OpeningSettings()


def find_opening(
    decoded: DecodedBoard, first_reading: DecodedBoard | None, edition: Edition
) -> tuple[Board, Play | None] | None:
    """Find the board from which a game goes on.

    Parameters
    ----------
    decoded : DecodedBoard
        The board at its first rest.
    first_reading : DecodedBoard or None
        The board as it came into view, perhaps in mid-play.
    edition : Edition
        The rules.

    Returns
    -------
    start : Board
        The board before the first play that was seen.
    play : Play or None
        That play, if it was laid before the first rest.

    None where only print looks like tiles, or where no game has such a board.
    """
    board = decoded.board
    if not _has_tiles(board, edition) or board.problems(edition) & IMPOSSIBLE:
        return None
    play = _first_play(decoded, first_reading, edition)
    return (board, None) if play is None else (board.without(play), play)


def is_hidden_opening(board: Board, edition: Edition) -> bool:
    """Whether tiles are on the board that hidden ones may connect: a hand covers some squares, and dims others."""
    is_apart = bool(board.problems(edition) & (BoardProblem.FLOATING_TILES | BoardProblem.START_EMPTY))
    return is_apart and bool(covered_squares(board)) and _has_tiles(board, edition)


def begin_game(game: Game, start: Board) -> tuple[Game, str]:
    """Return the game on from a board that is not empty, and what to report of it.

    Parameters
    ----------
    game : Game
        A game without events, for its edition and its players.
    start : Board
        The board before the first play that was seen. What is covered on it is not known, and taken as empty.
    """
    start = start.without(covered_squares(start))
    n_tiles = sum(1 for _ in start.tiles())
    message = (
        f"{n_tiles} tiles are on the board already; the game goes on from there, and the next play counts as "
        f"{game.players[0]}'s; if another player is on turn, give the command turn NAME before it or insert 1 pass "
        "after it, or name the players in another order"
    )
    return Game(edition=game.edition, players=game.players, start=start), message


def _has_tiles(board: Board, edition: Edition) -> bool:
    """Whether more than print is on the board."""
    tiles = list(board.tiles())
    on_plain = sum(edition.layout.premiums[tile.row][tile.column] is Premium.PLAIN for tile in tiles)
    return on_plain >= max(SETTINGS.min_tiles, SETTINGS.min_plain_share * len(tiles))


def _first_play(decoded: DecodedBoard, first_reading: DecodedBoard | None, edition: Edition) -> Play | None:
    if first_reading is None:
        return None
    before = first_reading.board
    if before.is_empty or before.problems(edition) & IMPOSSIBLE:
        return None
    inference = infer(before, decoded.board, edition)
    if inference.kind is not InferenceKind.PLAY:
        return None
    (play,) = inference.plays
    is_sure = min(joint_confidence(play, each) for each in (first_reading, decoded)) >= MIN_CONFIDENCE
    return play if is_sure else None
