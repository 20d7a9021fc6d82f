"""The camera of a live game: its tracker, its newest frame, and what tells the file of a frame."""

from __future__ import annotations

from collections.abc import Callable

from tilesight.live.journal import FrameRef
from tilesight.live.operator import OperatorState
from vision.capture import Frame
from vision.core import Grid, escape_name
from vision.game_events import BoardDifference, GameUpdate, UpdateBatch
from vision.pipeline import VideoTracker

__all__ = ["GameCamera", "unmirrored"]


def unmirrored(frame: Frame, tracker: VideoTracker) -> Frame:
    """Return a frame the right way round."""
    return frame.mirror() if tracker.is_mirrored else frame


class GameCamera:
    """The camera of a live game, under the lock of `LiveGame`."""

    def __init__(self) -> None:
        self.tracker: VideoTracker | None = None
        self.fingerprint: Callable[[str], str] = lambda _: ""
        self.snapshot: tuple[Frame, Grid | None] | None = None

    @property
    def difference(self) -> BoardDifference | None:
        """Where the board and the record differ; None without a tracker."""
        return self.tracker.difference if self.tracker is not None else None

    def attach(self, tracker: VideoTracker, operator: OperatorState) -> None:
        """Follow the game with a tracker that was made for its current state."""
        self._lock_tiles(tracker, operator)
        tracker.expect_removal(operator.removed_tiles)
        self.tracker = tracker
        self.snapshot = (self.snapshot[0], None) if self.snapshot is not None else None

    def see(self, frame: Frame, tracker: VideoTracker) -> UpdateBatch | None:
        """Process a frame; return its updates."""
        self.snapshot = (unmirrored(frame, tracker), tracker.grid)
        batch = tracker.see(frame)
        if tracker.grid is not self.snapshot[1]:
            self.snapshot = (unmirrored(frame, tracker), tracker.grid)
        return batch

    def refer(self, batch: UpdateBatch) -> FrameRef:
        """Return the reference to the frame of some updates."""
        return FrameRef(
            frame=batch.index,
            time_s=batch.time_s or 0.0,
            file=escape_name(batch.source),
            fingerprint=self.fingerprint(batch.source),
        )

    def encode_thumbnail(self) -> bytes:
        """Return the board as a small PNG; empty if it is not known."""
        reference = self.tracker.reference if self.tracker is not None else None
        return reference.to_bytes() if reference is not None else b""

    def lock_tiles(self, operator: OperatorState) -> None:
        """Keep the tracker from correcting tiles that an operator entered or confirmed."""
        if self.tracker is not None:
            self._lock_tiles(self.tracker, operator)

    def apply_external(self, updates: tuple[GameUpdate, ...], operator: OperatorState) -> None:
        """Tell the tracker what people changed, once that is on disk."""
        if self.tracker is not None:
            self.tracker.apply_external(updates)
            self.lock_tiles(operator)

    def end_turn(self) -> None:
        """Tell the tracker that the player has finished."""
        if self.tracker is not None:
            self.tracker.end_turn()

    @staticmethod
    def _lock_tiles(tracker: VideoTracker, operator: OperatorState) -> None:
        tracker.lock_squares([(row, column) for row, column, _ in sorted(operator.locked_tiles)])
