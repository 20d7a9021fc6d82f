"""What the events of the camera hold for an operator: uncertain tiles, and messages that name no files."""

from __future__ import annotations

from dataclasses import replace

from tilesight.live.operator_state import SETTINGS
from tilesight.output import UncertainTile, UpdateEvent
from vision.game_events import GameUpdate, Notice, NoticeKind, UpdateBatch, UpdateKind

__all__ = ["find_uncertain_tiles", "for_operator"]

CAMERA_MESSAGES = {
    NoticeKind.INTERRUPTED: "no picture",
    NoticeKind.UNREADABLE: "no picture",
    NoticeKind.RETURNED: "frames come again",
}
"""What the journal of an operated game says of these. The system's own words name files and cameras."""


def for_operator(event: UpdateEvent, item: GameUpdate | Notice, batch: UpdateBatch) -> UpdateEvent:
    """Return the event of an update or a notice as an operated game records it."""
    if isinstance(item, Notice):
        return replace(event, message=CAMERA_MESSAGES.get(item.kind, event.message))
    return replace(event, uncertain_tiles=find_uncertain_tiles(item, batch))


def find_uncertain_tiles(update: GameUpdate, batch: UpdateBatch) -> tuple[UncertainTile, ...]:
    """Find the tiles of a play that may have been misread, and blanks without a letter."""
    if update.kind is not UpdateKind.PLAY or update.step is None or update.step.scored is None:
        return ()
    found = []
    decoded = batch.observation.decoded if batch.observation is not None else None
    for tile in update.step.scored.play:
        square = (tile.row, tile.column)
        others: tuple[tuple[str, float], ...] = ()
        confidence = 1.0
        if decoded is not None:
            candidates = {each.token: each.probability for each in decoded.alternatives.get(square, ())}
            confidence = candidates.pop(tile.token, float(decoded.confidence[square]))
            others = tuple(
                (token, round(p, 4)) for token, p in candidates.items() if p >= SETTINGS.min_alternative
            )
        if confidence < SETTINGS.min_tile_confidence or tile.token == "?":
            found.append(
                UncertainTile(
                    row=tile.row,
                    column=tile.column,
                    token=tile.token,
                    confidence=round(confidence, 4),
                    others=others,
                )
            )
    return tuple(found)
