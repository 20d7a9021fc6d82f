"""Read a film's first plays again, once the picture has turned out to be mirrored."""

from __future__ import annotations

import numpy as np

from scoring import Game, Placement, Play, PlayEvent, ScoringError
from vision.core import BoardReading, Frame, Grid, mirror_corners
from vision.game_events import GameUpdate, UpdateKind, joint_confidence, undo_all
from vision.pipeline.photo import decode_board
from vision.pipeline.recognizers import GameContext
from vision.recognition import resolve_orientation
from vision.tracking import Redetector

__all__ = ["reread_plays"]


def reread_plays(
    game: Game, seen_on: Grid, frame: Frame, redetector: Redetector, context: GameContext
) -> tuple[BoardReading | None, tuple[GameUpdate, ...]]:
    """Undo a game that was read in a mirrored picture, and play its first plays as the mirror image shows them.

    Parameters
    ----------
    game : Game
        The game as it was read.
    seen_on : Grid
        The board's grid in the mirrored picture.
    frame : Frame
        The mirror image.
    redetector : Redetector
        Finds the board in it.
    context : GameContext
        What it is read with.

    Returns
    -------
    found : BoardReading or None
        The board in the mirror image; None where it is not found.
    updates : tuple of GameUpdate
        The events undone, the last one first, and the plays up to the first that the mirror image does not confirm.
    """
    updates = list(undo_all(game))
    corners = mirror_corners(seen_on.corners_px, frame.size_px[0])
    mirrored = Grid.from_corners(corners, seen_on.rows, seen_on.columns)
    found = redetector.find_again(frame, mirrored, updates[-1].game)
    if found is None:
        return None, tuple(updates)
    found = resolve_orientation(found, context.recognizer).reading
    decoded = decode_board(found.probabilities, game.edition, context.lexicon)
    for event in game.events:
        if not isinstance(event, PlayEvent):
            break
        middles = [(seen_on.columns - tile.column - 0.5, tile.row + 0.5) for tile in event.play]
        places = found.grid.image_from_grid.inverse.apply(mirrored.image_from_grid.apply(middles))
        squares = np.clip(places[:, ::-1].astype(int), 0, [found.grid.rows - 1, found.grid.columns - 1])
        tiles = [
            Placement(row=row, column=column, token=decoded.board[row, column])
            for row, column in squares.tolist()
        ]
        try:
            played = updates[-1].game.with_play(Play(placements=tuple(tiles)), player=event.player)
        except ScoringError:
            break
        updates.append(GameUpdate.of_last_step(UpdateKind.PLAY, played, joint_confidence(tiles, decoded)))
    return found, tuple(updates)
