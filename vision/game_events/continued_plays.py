"""Plays that go on: more tiles in the line of the last play, which its player may have laid in the same turn."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace

from scoring import Board, Direction, Game, IllegalPlayError, Placement, Play, PlayEvent, infer, is_tile
from vision.core import DecodedBoard, Square
from vision.game_events.inference import find_corrections
from vision.game_events.placements import joint_confidence, replace_tokens, squares_of
from vision.game_events.updates import GameUpdate, UpdateKind

__all__ = ["join_continued_play", "may_go_on", "word_ends"]


def join_continued_play(game: Game, decoded: DecodedBoard) -> GameUpdate | None:
    """Join the last play, whose tiles may have been exchanged, and more tiles in its line to one play.

    Parameters
    ----------
    game : Game
        The game, whose last event is the play.
    decoded : DecodedBoard
        The board now.

    Returns
    -------
    GameUpdate or None
        The whole play in place of the last one; None if the board does not show such a play.
    """
    event = game.events[-1] if game.events else None
    if not isinstance(event, PlayEvent):
        return None
    exchanged = [each.now for each in find_corrections(game, decoded.board)]
    inference = infer(replace_tokens(game.board, exchanged), decoded.board, game.edition)
    kept = [tile for tile in event.play if tile.square not in squares_of(exchanged)]
    whole = Play(placements=(*kept, *exchanged, *inference.added))
    if inference.removed or not inference.added or whole.direction is None:
        return None
    before = game.with_events(game.events[:-1])
    try:
        joined = before.with_play(whole, player=event.player)
    except IllegalPlayError:
        return None
    new = (*exchanged, *inference.added)
    update = GameUpdate.of_last_step(UpdateKind.PLAY, joined, joint_confidence(new, decoded))
    return replace(update, replaces=event.play)


def may_go_on(game: Game) -> bool:
    """Whether the player of the last play may lay more tiles in its line, by the rules."""
    event = game.events[-1] if game.events else None
    if not isinstance(event, PlayEvent) or game.ending is not None:
        return False
    rack_count = game.steps[-1].before.rack_count(event.player)
    if rack_count is not None and len(event.play) >= rack_count:
        return False
    return bool(word_ends(game.board, event.play, event.play.direction))


def word_ends(
    board: Board, tiles: Iterable[Placement], direction: Direction | None = None
) -> frozenset[Square]:
    """Find the squares of a board next to the ends of the words that hold these tiles, in one direction or in both."""
    ends = set[Square]()
    for tile, line, sign in itertools.product(tiles, (direction,) if direction else Direction, (-1, 1)):
        row, column = tile.square
        while board.holds(row, column) and is_tile(board[row, column]):
            row, column = row + sign * line.value[0], column + sign * line.value[1]
        if board.holds(row, column):
            ends.add((row, column))
    return frozenset(ends)
