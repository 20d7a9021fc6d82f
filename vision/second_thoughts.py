"""What one player does in one turn though it looks like more: a play in two goes, tiles taken up and laid again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scoring import IllegalPlayError, Play, check_play, infer
from scoring.events import PlayEvent, WithdrawnEvent
from scoring.game import Game
from vision.decoded import DecodedBoard
from vision.follow import latest_play, same_tiles
from vision.happenings import Happening, HappeningKind

__all__ = ["continued", "if_laid_again"]


def continued(game: Game, seen: DecodedBoard) -> tuple[Happening, ...] | None:
    """The last play with more tiles in its line, as one play; None if what is seen is no such thing.

    Parameters
    ----------
    game : Game
        The game, in which the last play was told a moment ago.
    seen : DecodedBoard
        The board now.
    """
    last = latest_play(game)
    event = game.events[-1] if game.events else None
    if last is None or not isinstance(event, PlayEvent):
        return None
    inference = infer(game.board, seen.board, game.edition)
    if inference.removed or not inference.added:
        return None
    whole = Play(placements=(*last, *inference.added))
    try:
        check_play(game.steps[-1].before.board, whole, game.edition)
    except IllegalPlayError:
        return None
    back = game.withdrawn(turn_lost=False)
    again = back.play(whole)
    confidence = float(np.prod([seen.confidence[tile.row, tile.column] for tile in inference.added]))
    return (
        Happening(kind=HappeningKind.WITHDRAWN, game=back, step=back.steps[-1], confidence=confidence),
        Happening(kind=HappeningKind.PLAY, game=again, step=again.steps[-1], confidence=confidence),
    )


def if_laid_again(game: Game, seen: DecodedBoard) -> Game:
    """The game, in which a player who took tiles back and lays them again has not lost the turn.

    Parameters
    ----------
    game : Game
        The game, in which a play was perhaps taken back a moment ago.
    seen : DecodedBoard
        The board now.
    """
    event = game.events[-1] if game.events else None
    if not isinstance(event, WithdrawnEvent) or not event.turn_lost:
        return game
    taken = game.steps[-1].taken_back
    added = infer(game.board, seen.board, game.edition).added
    if taken is None or not added or not same_tiles(taken.play, Play(placements=added)):
        return game
    return game.corrected(len(game.events) - 1, replace(event, turn_lost=False))
