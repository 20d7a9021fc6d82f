"""Take a board into the record as it is, for the command `board`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from scoring import EMPTY, Board, Game, Play, PlayEvent, ScoringError, check_play, is_tile
from vision.core import DecodedBoard
from vision.errors import SettingsError
from vision.game_events.differences import find_added_tiles
from vision.game_events.inference import correct_play, explain_board
from vision.game_events.placements import count_pieces, latest_play, replace_tokens, squares_of
from vision.game_events.play_sequences import find_play_orders
from vision.game_events.record.removed_tiles import restoring_update
from vision.game_events.turn_state import RemovedTiles
from vision.game_events.updates import GameUpdate, UpdateKind

__all__ = ["take_board"]


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
        update = replace(restoring_update(game, restored), kind=UpdateKind.BOARD_TAKEN)  # undo takes it back
        return (update, *rest)
    updates: list[GameUpdate] = []
    try:
        if (moved := _move_play(game, seen)) is not None:
            return (moved,)
        explained = None if _is_missing(removed.plays, game.board) else _explain(game, seen)
        if explained is not None:
            return explained
        # a play that was illegal may be legal, and on the record's board, without the others
        while removals := _remove_missing(updates[-1].game if updates else game, seen):
            updates += removals
        updates += _replay(updates[-1].game if updates else game, seen, removed.plays)
        updates += _add_extra(updates[-1].game if updates else game, seen)
    except ScoringError as error:
        raise SettingsError(f"board: {error}; change the list of moves") from error
    after = updates[-1].game if updates else game
    if _occupied(after.board) != _occupied(seen):
        raise SettingsError("board: the board cannot be one of this game; change the list of moves")
    return tuple(updates)


def _occupied(board: Board) -> frozenset[tuple[int, int]]:
    return squares_of(board.tiles())


def _is_missing(plays: Iterable[Play], board: Board) -> bool:
    return any(board[tile.square] == EMPTY for play in plays for tile in play)


def _differs_less(restored: Game, game: Game, seen: Board) -> bool:
    seen_squares = _occupied(seen)
    return len(_occupied(restored.board) ^ seen_squares) < len(_occupied(game.board) ^ seen_squares)


def _move_play(game: Game, seen: Board) -> GameUpdate | None:
    """Move a play that was entered on other squares to those where the board has it; None if that explains nothing.

    Plays since then stay, unless they are parts of the moved one that the camera took for plays of their own.
    """
    missing = _occupied(game.board) - _occupied(seen)
    owners = [placed for placed in game.state.plays if squares_of(placed.play) & missing]
    if len(owners) != 1 or not missing <= squares_of(owners[0].play):
        return None
    index, play = owners[0].index, owners[0].play
    if not all(isinstance(event, PlayEvent) for event in game.events[index:]):
        return None
    before, entered = game.with_events(game.events[:index]), game.with_events(game.events[: index + 1])
    added = find_added_tiles(before.board, seen)
    own = tuple(tile for tile in added if entered.board[tile.square] == game.board[tile.square])
    for record, tiles in ((game, own), (entered, added)):
        orders = find_play_orders(before.board, tiles, game.edition)
        if not orders or len(orders[0]) != 1:
            continue
        after = correct_play(record, index, orders[0][0])
        steps = (game.steps[index], after.steps[index])
        words = {step.scored.main_word.text for step in steps if step.scored}
        is_same = count_pieces(play) == count_pieces(tiles) or len(words) == 1
        if is_same and _occupied(after.board) == _occupied(seen):
            message = "the board was taken as it is: a play was moved to the squares where it is; compare the scores"
            return GameUpdate(kind=UpdateKind.BOARD_TAKEN, game=after, message=message)
    return None


def _explain(game: Game, seen: Board) -> tuple[GameUpdate, ...] | None:
    """Explain the board by what one turn or two may have done."""
    known = [tile for tile in game.board.tiles() if is_tile(seen[tile.square])]
    board = replace_tokens(seen, known)
    decoded = DecodedBoard(board=board, confidence=np.ones(board.size), alternatives={}, doubts=())
    return explain_board(game, board, decoded, 1.0)


def _remove_missing(game: Game, seen: Board) -> list[GameUpdate]:
    """Take the tiles out of the record that are not on the board."""
    missing = _occupied(game.board) - _occupied(seen)
    last = latest_play(game)
    if not missing:
        return []
    if last is not None and squares_of(last) == missing:
        return [GameUpdate.of_last_step(UpdateKind.WITHDRAWN, game.with_withdrawal())]
    indices = {placed.index: placed.play for placed in game.state.plays if squares_of(placed.play) & missing}
    events = list(game.events)
    for index, play in sorted(indices.items(), reverse=True):
        left = [tile for tile in play if tile.square not in missing]
        event = events[index]
        assert isinstance(event, PlayEvent)
        if left:
            events[index] = replace(event, play=Play(placements=tuple(left)), rack=None)
        else:
            del events[index]
    start = game.start
    if start is not None:
        start = start.without(tile for tile in start.tiles() if tile.square in missing)
    after = Game(edition=game.edition, players=game.players, events=events, start=start)
    count = len(missing)
    message = f"the board was taken as it is: {count} tiles that it lacks left the record; compare the scores"
    return [GameUpdate(kind=UpdateKind.BOARD_TAKEN, game=after, message=message)]


def _replay(game: Game, seen: Board, removed: Iterable[Play]) -> list[GameUpdate]:
    """Put plays back that a user took out of the record, in their order, for the players on turn."""
    updates = []
    for play in removed:
        is_there = all(is_tile(seen[tile.square]) for tile in play)
        if not is_there or any(game.board[tile.square] != EMPTY for tile in play):
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
    added = find_added_tiles(game.board, seen)
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
