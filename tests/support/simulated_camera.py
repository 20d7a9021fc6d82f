"""A camera without pixels: boards are put before it, and it follows them by the same rules as a video is followed."""

from __future__ import annotations

import numpy as np

from scoring import Board
from tilesight.live import LiveGame
from vision.capture import Frame
from vision.core import Grid
from vision.core.boards import DecodedBoard
from vision.game_events import (
    BoardDifference,
    Command,
    GameUpdate,
    Notice,
    StableBoard,
    TurnDetector,
    UpdateBatch,
    Verb,
    apply_command,
)

__all__ = ["SimulatedCamera"]

TICK_S = 0.5
HAND_S = 1.5
"""Seconds for which a hand is over the board before each rest."""


class SimulatedCamera:
    """Follows a table's game by boards instead of frames; it is the table's tracker, too."""

    def __init__(self, table: LiveGame) -> None:
        self.table = table
        self.turns = TurnDetector(table.state.game)
        self.board = self.look = table.state.game.board
        """The board, and how it looked when it was last resolved."""
        self.time_s = 0.0
        self.rest_began_s = 0.0
        self.is_resolved = self.is_first = True
        self.is_reconsidered = False
        self.state, self.reference = "the board rests", None
        self.grid: Grid | None = None
        self.is_mirrored = False
        table.attach(self)  # type: ignore[arg-type]
        self.is_resolved = False
        self.rest(2.0)

    def show(self, board: Board, rest_s: float = 4.0) -> None:
        """Let a hand make this board, and rest."""
        self.board = board
        self.time_s += HAND_S
        self.rest_began_s, self.is_resolved, self.is_reconsidered = self.time_s, False, False
        self.turns.check_record(self.time_s, is_settled=False)
        self.rest(rest_s)

    def rest(self, seconds: float) -> None:
        """Let time pass in which nothing moves."""
        for _ in range(round(seconds / TICK_S)):
            self.time_s += TICK_S
            image = np.zeros((4, 4, 3), np.uint8)
            self.table.see(
                Frame(image_bgr=image, source="camera", index=int(self.time_s), time_s=self.time_s)
            )

    def see(self, frame: Frame) -> UpdateBatch | None:
        updates: tuple[GameUpdate, ...] = ()
        notices: tuple[Notice, ...] = ()
        rest_s = self.time_s - self.rest_began_s
        if (not self.is_resolved or self.is_reconsidered) and rest_s >= 2 * TICK_S:
            updates, notices = self._decide(rest_s)
        notices = (*notices, *self.turns.check_record(self.time_s, is_settled=rest_s >= TICK_S))
        if not updates and not notices:
            return None
        return UpdateBatch(
            source="camera",
            index=frame.index,
            game=self.turns.game,
            updates=updates,
            notices=notices,
            time_s=self.time_s,
        )

    def _decide(self, rest_s: float) -> tuple[tuple[GameUpdate, ...], tuple[Notice, ...]]:
        changed = np.array(
            [
                [a != b for a, b in zip(*rows, strict=True)]
                for rows in zip(self.board.rows, self.look.rows, strict=True)
            ]
        )
        if self.is_first:
            changed[:] = True
        if not changed.any():
            self.is_resolved, self.is_reconsidered = True, False
            self.turns.observe_unchanged()
            return (), ()
        decision = self.turns.decide(
            StableBoard(
                decoded=DecodedBoard(
                    board=self.board, confidence=np.full(self.board.size, 0.99), alternatives={}, doubts=()
                ),
                changed=changed,
                occluded=np.zeros(self.board.size, dtype=np.bool_),
                reached_over=False,
                rest_s=rest_s,
                motion_started_s=self.rest_began_s - HAND_S,
                time_s=self.time_s,
                is_first=self.is_first,
                is_late=rest_s > 1.3,
            )
        )
        if decision.is_resolved:
            rows = [list(row) for row in self.board.rows]
            for row, column in decision.unresolved_squares:
                rows[row][column] = self.look[row, column]
            self.look, self.is_resolved, self.is_first = Board.from_rows(rows), True, False
            self.is_reconsidered = False
        return decision.updates, decision.notices

    # What a table asks of its tracker

    @property
    def difference(self) -> BoardDifference | None:
        return self.turns.difference

    def apply_external(self, updates: tuple[GameUpdate, ...]) -> tuple[Notice, ...]:
        self.is_reconsidered = bool(updates) and self.is_resolved and self.look != self.board
        return self.turns.apply_external(updates) if updates else ()

    def explain_command(self, command: Command) -> tuple[GameUpdate, ...]:
        if command.verb is not Verb.BOARD:
            return apply_command(command, self.turns.game)
        if command.words == ("wait",):
            self.turns.await_removal()
            return ()
        return self.turns.take_board()

    def lock_squares(self, squares: list[tuple[int, int]]) -> None:
        self.turns.lock_squares(squares)

    def expect_removal(self, tiles: tuple[object, ...]) -> None:
        self.turns.expect_removal(tiles)  # type: ignore[arg-type]

    def end_turn(self) -> None:
        self.turns.end_turn()

    def finish(self) -> None:
        return None
