"""Tiles that users took out of the record though they may still be on the board, and how they get back into it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scoring import (
    EMPTY,
    Board,
    ChallengeEvent,
    Game,
    InferenceKind,
    Placement,
    Play,
    PlayEvent,
    WithdrawnEvent,
    infer,
    is_tile,
)
from vision.game_events.differences import differing_squares, is_blank_named
from vision.game_events.placements import squares_of
from vision.game_events.turn_state import StableBoard, TurnState
from vision.game_events.updates import GameUpdate, UpdateKind

__all__ = [
    "find_removed_plays",
    "is_removed_only",
    "is_restorable",
    "remaining_tiles",
    "restored_game",
    "restoring_update",
]


def is_restorable(game: Game, earlier: Game) -> bool:
    """Whether a game differs from an earlier state only by what a user took out of the record.

    That is so where events at the end were undone, and where the last play was withdrawn or challenged off.
    """
    if earlier.events[: len(game.events)] == game.events:
        return True
    last = game.events[-1] if game.events else None
    is_taken_back = isinstance(last, WithdrawnEvent) or (isinstance(last, ChallengeEvent) and last.upheld)
    return is_taken_back and game.events[:-1] == earlier.events


def find_removed_plays(
    before: Game, after: Game, seen: Board, earlier: Iterable[Play] = ()
) -> tuple[Play, ...]:
    """Return the plays that users took out of the record though all their tiles are still on the board.

    Parameters
    ----------
    before, after : Game
        The record before and after a command.
    seen : Board
        The board.
    earlier : iterable of Play
        Those of earlier commands.
    """
    plays = dict.fromkeys((*(placed.play for placed in before.state.plays), *earlier))
    return tuple(
        play
        for play in plays
        if all(after.board[tile.square] == EMPTY and is_tile(seen[tile.square]) for tile in play)
    )


def restored_game(state: TurnState, board: Board) -> Game | None:
    """Return the game before tiles left it, where a board has all of them again.

    That is the game before users took plays out of it, where the board has still other tiles; or the one before the
    last play lost tiles that somebody had lifted.

    Parameters
    ----------
    state : TurnState
        What is known of the game.
    board : Board
        The board as it is read.
    """
    restored, removed = state.removed.restored, state.removed.tiles
    if restored is None:
        return None if state.is_turn_over else _unshortened_game(state.game, board)
    if not removed or is_removed_only(state, board):
        return None
    is_there = all(board[tile.square] == tile.token for tile in removed)
    return restored if is_there and squares_of(removed) <= squares_of(restored.board.tiles()) else None


def _unshortened_game(game: Game, board: Board) -> Game | None:
    """Return the game before its last player took back a play and kept some of its tiles, where the others are back.

    None where one play with tiles on other squares explains all new tiles of the board: they may be the next player's.
    """
    if len(game.events) < 2:
        return None
    withdrawn, shorter = game.events[-2:]
    if not isinstance(withdrawn, WithdrawnEvent) or not isinstance(shorter, PlayEvent) or withdrawn.turn_lost:
        return None
    taken = game.steps[-2].taken_back
    if (
        taken is None
        or taken.player != shorter.player
        or not squares_of(shorter.play) < squares_of(taken.play)
    ):
        return None
    tokens = ((tile.token, board[tile.square]) for tile in taken.play)
    if not all(was == now or is_blank_named(was, now) for was, now in tokens):
        return None
    inference = infer(game.board, board, game.edition)
    if inference.kind is InferenceKind.PLAY and not squares_of(inference.added) < squares_of(taken.play):
        return None
    return game.with_events(game.events[:-2])


def is_removed_only(state: TurnState, board: Board) -> bool:
    """Whether a board differs from the game only by tiles that users took out of the record.

    Parameters
    ----------
    state : TurnState
        What is known of the game.
    board : Board
        The board as it is read.
    """
    removed = {tile.square: tile.token for tile in state.removed.tiles}
    differing = differing_squares(state.game.board, board)
    return bool(differing) and all(removed.get(square) == board[square] for square in differing)


def remaining_tiles(stable: StableBoard, state: TurnState) -> Iterator[Placement]:
    """Yield the tiles that users took out of the record and that look as they did then.

    Parameters
    ----------
    stable : StableBoard
        The board.
    state : TurnState
        What is known of the game.
    """
    for tile in state.removed.tiles:
        square = tile.square
        if not stable.changed[square] and stable.decoded.board[square] != EMPTY:
            yield tile


def restoring_update(game: Game, restored: Game) -> GameUpdate:
    """Return the update by which a game becomes an earlier state of it again."""
    kind = UpdateKind.UNDONE if len(restored.events) < len(game.events) else UpdateKind.REDONE
    if kind is UpdateKind.UNDONE and isinstance(game.events[-1], PlayEvent):
        return GameUpdate(
            kind=kind, game=restored, message="lifted tiles are back, so the play counts as before"
        )
    message = "tiles that were taken out of the record are still on the board, so they count again"
    return GameUpdate(kind=kind, game=restored, message=message)
