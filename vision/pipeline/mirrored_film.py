"""Read a film's first plays again, once the picture has turned out to be mirrored."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from scoring import EndBonus, EndRack, Game, Placement, Play, PlayEvent, ScoringError, is_tile
from vision.core import BoardReading, DecodedBoard, Frame, Grid, Square, mirror_corners
from vision.game_events import MIN_CONFIDENCE, GameUpdate, UpdateKind, joint_confidence, squares_of, undo_all
from vision.pipeline.photo import decode_board
from vision.pipeline.recognizers import GameContext
from vision.recognition import resolve_orientation
from vision.tracking import Redetector

__all__ = ["reread_plays"]


def reread_plays(
    game: Game,
    locked: frozenset[Square],
    seen_on: Grid,
    frame: Frame,
    redetector: Redetector,
    context: GameContext,
) -> tuple[BoardReading, tuple[GameUpdate, ...]] | None:
    """Undo a game that was read in a mirrored picture, and play its first plays as the mirror image shows them.

    Parameters
    ----------
    game : Game
        The game as it was read.
    locked : frozenset of (row, column)
        Squares whose tiles users stated: plays of these tiles alone stay as they are.
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
    found : BoardReading
        The board in the mirror image.
    updates : tuple of GameUpdate
        The events undone, the last one first, and then again, without the plays that the mirror image does not confirm
        and those that took them back.

    None where the board is not found, or no play or a doubtful one is: what cannot be read is clearer in no mirror.
    """
    updates = list(undo_all(game))
    corners = mirror_corners(seen_on.corners_px, frame.size_px[0])
    mirrored = Grid.from_corners(corners, seen_on.rows, seen_on.columns)
    found = redetector.find_again(frame, mirrored, updates[-1].game)
    if found is None:
        return None
    found = resolve_orientation(found, context.recognizer).reading
    decoded = decode_board(found.probabilities, game.edition, context.lexicon)

    def count_tiles(placements: Iterable[Placement]) -> int:
        return sum(is_tile(decoded.board[tile.row, tile.column]) for tile in placements)

    left_out, confidences = set[int](), list[float]()
    for step in game.steps:
        event, before, confidence = step.event, updates[-1].game, 1.0
        if step.taken_back is not None and step.taken_back.index in left_out:
            continue
        try:
            if not isinstance(event, PlayEvent):
                after = before.with_event(event)
            else:
                tiles = _read_mirrored(event.play, decoded, found.grid, mirrored)
                if squares_of(event.play) <= locked and count_tiles(event.play) >= count_tiles(tiles):
                    tiles = event.play.placements
                else:
                    confidence = joint_confidence(tiles, decoded)
                after = before.with_play(Play(placements=tiles), player=event.player)
                confidences.append(confidence)
        except ScoringError:
            left_out.add(step.index)
            continue
        kind = UpdateKind.SETTLED if isinstance(event, EndRack | EndBonus) else UpdateKind(event.kind)
        updates.append(GameUpdate.of_last_step(kind, after, confidence))
    return (found, tuple(updates)) if min(confidences, default=0.0) >= MIN_CONFIDENCE else None


def _read_mirrored(play: Play, decoded: DecodedBoard, grid: Grid, mirrored: Grid) -> tuple[Placement, ...]:
    """Read the tiles of a play that was seen in the mirrored picture, whose grid this is in the mirror image."""
    middles = [(mirrored.columns - tile.column - 0.5, tile.row + 0.5) for tile in play]
    places = grid.image_from_grid.inverse.apply(mirrored.image_from_grid.apply(middles))
    places = np.clip(places[:, ::-1].astype(int), 0, [grid.rows - 1, grid.columns - 1])
    return tuple(
        Placement(row=row, column=column, token=decoded.board[row, column]) for row, column in places.tolist()
    )
