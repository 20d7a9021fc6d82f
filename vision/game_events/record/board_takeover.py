"""Take a board into the record as it is, and restore what a user took out of the record though it is still there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from scoring import (
    EMPTY,
    Board,
    ChallengeEvent,
    Game,
    InferenceKind,
    Placement,
    Play,
    PlayEvent,
    ScoringError,
    WithdrawnEvent,
    check_play,
    infer,
    is_tile,
)
from vision.core import DecodedBoard
from vision.errors import SettingsError
from vision.game_events.differences import differing_squares, is_blank_named
from vision.game_events.inference import explain_board, latest_play, replace_tokens, squares
from vision.game_events.play_sequences import find_play_orders
from vision.game_events.turn_state import RemovedTiles, StableBoard, TurnState
from vision.game_events.updates import GameUpdate, UpdateKind

__all__ = [
    "find_removed_plays",
    "is_removed_only",
    "is_restorable",
    "remaining_tiles",
    "restored_game",
    "restoring_update",
    "take_board",
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
        if all(
            after.board[tile.row, tile.column] == EMPTY and is_tile(seen[tile.row, tile.column])
            for tile in play
        )
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
    is_there = all(board[tile.row, tile.column] == tile.token for tile in removed)
    return restored if is_there and squares(removed) <= squares(restored.board.tiles()) else None


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
    if taken is None or taken.player != shorter.player or not squares(shorter.play) < squares(taken.play):
        return None
    tokens = ((tile.token, board[tile.row, tile.column]) for tile in taken.play)
    if not all(was == now or is_blank_named(was, now) for was, now in tokens):
        return None
    inference = infer(game.board, board, game.edition)
    if inference.kind is InferenceKind.PLAY and not squares(inference.added) < squares(taken.play):
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
    removed = {(tile.row, tile.column): tile.token for tile in state.removed.tiles}
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
        square = (tile.row, tile.column)
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


def take_board(game: Game, seen: Board, removed: RemovedTiles) -> tuple[GameUpdate, ...]:
    """Find the updates after which the record has the tiles of a board, and no others.

    Letters stay as the record has them.

    Parameters
    ----------
    game : Game
        The record.
    seen : Board
        The board.
    removed : RemovedTiles
        What users took out of the record.

    Returns
    -------
    tuple of GameUpdate
        Empty where they agree.

    Raises
    ------
    SettingsError
        If the board cannot be one of this game.
    """
    restored = removed.restored
    if restored is not None and _differs_less(restored, game, seen):
        rest = take_board(restored, seen, replace(removed, restored=None))
        return (restoring_update(game, restored), *rest)
    updates: list[GameUpdate] = []
    try:
        explained = None if _is_missing(removed.plays, game.board) else _explain(game, seen)
        if explained is not None:
            return explained
        updates += _remove_missing(game, seen)
        updates += _replay(updates[-1].game if updates else game, seen, removed.plays)
        updates += _add_extra(updates[-1].game if updates else game, seen)
    except ScoringError as error:
        raise SettingsError(f"board: {error}; change the list of moves") from error
    after = updates[-1].game if updates else game
    if _occupied(after.board) != _occupied(seen):
        raise SettingsError("board: the board cannot be one of this game; change the list of moves")
    return tuple(updates)


def _occupied(board: Board) -> frozenset[tuple[int, int]]:
    return squares(tile for tile in board.tiles() if is_tile(tile.token))


def _is_missing(plays: Iterable[Play], board: Board) -> bool:
    return any(board[tile.row, tile.column] == EMPTY for play in plays for tile in play)


def _differs_less(restored: Game, game: Game, seen: Board) -> bool:
    seen_squares = _occupied(seen)
    return len(_occupied(restored.board) ^ seen_squares) < len(_occupied(game.board) ^ seen_squares)


def _explain(game: Game, seen: Board) -> tuple[GameUpdate, ...] | None:
    """Explain the board by what one turn or two may have done."""
    known = [tile for tile in game.board.tiles() if is_tile(seen[tile.row, tile.column])]
    board = replace_tokens(seen, known)
    decoded = DecodedBoard(board=board, confidence=np.ones(board.size), alternatives={}, doubts=())
    return explain_board(game, board, decoded, 1.0)


def _remove_missing(game: Game, seen: Board) -> list[GameUpdate]:
    """Take the tiles out of the record that are not on the board."""
    missing = _occupied(game.board) - _occupied(seen)
    last = latest_play(game)
    if not missing:
        return []
    if last is not None and squares(last) == missing:
        return [GameUpdate.of_last_step(UpdateKind.WITHDRAWN, game.with_withdrawal())]
    indices = {placed.index: placed.play for placed in game.state.plays if squares(placed.play) & missing}
    events = list(game.events)
    for index, play in sorted(indices.items(), reverse=True):
        left = [tile for tile in play if (tile.row, tile.column) not in missing]
        event = events[index]
        assert isinstance(event, PlayEvent)
        if left:
            events[index] = replace(event, play=Play(placements=tuple(left)), rack=None)
        else:
            del events[index]
    start = game.start
    if start is not None:
        start = start.without(tile for tile in start.tiles() if (tile.row, tile.column) in missing)
    after = Game(edition=game.edition, players=game.players, events=events, start=start)
    count = len(missing)
    message = f"the board was taken as it is: {count} tiles that it lacks left the record; compare the scores"
    return [GameUpdate(kind=UpdateKind.BOARD_TAKEN, game=after, message=message)]


def _replay(game: Game, seen: Board, removed: Iterable[Play]) -> list[GameUpdate]:
    """Put plays back that a user took out of the record, in their order, for the players on turn."""
    updates = []
    for play in removed:
        is_there = all(is_tile(seen[tile.row, tile.column]) for tile in play)
        if not is_there or any(game.board[tile.row, tile.column] != EMPTY for tile in play):
            continue
        try:
            check_play(game.board, play, game.edition)
        except ScoringError:
            continue
        game = game.with_play(play)
        updates.append(GameUpdate.of_last_step(UpdateKind.PLAY, game))
    return updates


def _add_extra(game: Game, seen: Board) -> list[GameUpdate]:
    """Add the tiles of the board that the record lacks: as plays, otherwise as tiles that form no play."""
    added = tuple(
        tile for tile in seen.tiles() if is_tile(tile.token) and game.board[tile.row, tile.column] == EMPTY
    )
    if not added:
        return []
    updates = []
    for play in next(iter(find_play_orders(game.board, added, game.edition)), ()):
        game = game.with_play(play)
        updates.append(GameUpdate.of_last_step(UpdateKind.PLAY, game))
    if updates:
        return updates
    after = game.with_event(PlayEvent(player=game.turn, play=Play(placements=added)))
    message = (
        f"the board was taken as it is: {len(added)} tiles that form no play count as one; compare the scores"
    )
    return [GameUpdate(kind=UpdateKind.BOARD_TAKEN, game=after, message=message)]
