"""What a live game is tested with: prepared updates, frames and sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from scoring import load_edition
from tests.support.on_air import journal_of, open_table
from tilesight.live import GameState, LiveGame
from vision.capture import Frame, Interruption
from vision.core.boards import Candidate, DecodedBoard, RectifiedBoard
from vision.core.geometry import Grid
from vision.game_events.updates import GameUpdate, Notice, NoticeKind, UpdateBatch, UpdateKind
from vision.observation import BoardObservation
from vision.pipeline import GameContext
from vision.profile.profile import Profile

__all__ = [
    "PLAYS",
    "FakeSource",
    "NoReader",
    "Script",
    "again",
    "batch_of",
    "frame",
    "no_context",
    "observation_of",
]

PLAYS = ("play 8D HRAKI", "play G6 LO.I")


def again(table: LiveGame, folder: Path) -> GameState:
    """The state that a program which starts now finds."""
    journal_of(table).close()
    other = open_table(folder, clock_s=60.0, now=lambda: 1000.0)
    journal_of(other).close()
    return other.state


class Script:
    """A tracker that gives prepared updates, frame by frame."""

    def __init__(self, table: LiveGame) -> None:
        self.table, self.applied, self.locked = table, [], []  # type: ignore[var-annotated]
        self.state, self.reference = "the board rests", None
        self.grid: Grid | None = None
        self.is_mirrored = False
        self.difference = None
        self.next: list[UpdateBatch | None] = []

    def see(self, frame: Frame) -> UpdateBatch | None:
        return self.next.pop(0) if self.next else None

    def interrupt(self, interruption: Interruption) -> UpdateBatch:
        kind = NoticeKind.RETURNED if interruption.over else NoticeKind.INTERRUPTED
        notice = Notice(kind, interruption.message)
        return UpdateBatch(source="camera", index=1, game=self.table.state.game, notices=(notice,))

    def finish(self) -> None:
        return None

    def apply_external(self, updates: tuple[GameUpdate, ...]) -> None:
        self.applied += [update.game for update in updates[-1:]]

    def lock_squares(self, squares: list[tuple[int, int]]) -> None:
        self.locked = list(squares)

    def expect_removal(self, tiles: tuple[Any, ...]) -> None:
        self.removed_by_user = tuple(tiles)


def frame(number: int = 0) -> Frame:
    return Frame(
        image_bgr=np.full((60, 80, 3), 90, np.uint8), source="camera", index=number, time_s=number / 10
    )


def batch_of(table: LiveGame, play: str, view: BoardObservation | None = None) -> UpdateBatch:
    from scoring import parse_play

    game = table.state.game
    game = game.with_play(parse_play(play, game.edition.tokens, game.board))
    update = GameUpdate(kind=UpdateKind.PLAY, game=game, step=game.steps[-1], confidence=0.7)
    return UpdateBatch(source="camera", index=3, game=game, updates=(update,), observation=view, time_s=0.3)


def observation_of(table: LiveGame, square: tuple[int, int], token: str, other: str) -> BoardObservation:
    board = table.state.game.board
    decoded = DecodedBoard(
        board=board,
        confidence=np.ones(board.size),
        alternatives={square: (Candidate(token, 0.6), Candidate(other, 0.3), Candidate(".", 0.001))},
        doubts=(),
    )
    nothing: Any = None
    rectified = RectifiedBoard(
        image_bgr=np.zeros((15 * 8, 15 * 8, 3), np.uint8), rows=15, columns=15, cell_px=8, margin_px=0
    )
    grid = Grid.from_corners([[0, 0], [59, 0], [59, 59], [0, 59]], 15, 15)
    return BoardObservation(
        frame=frame(), grid=grid, get_rectified=lambda: rectified, probabilities=nothing, decoded=decoded
    )


class FakeSource:
    """A source whose frames are given; an error is raised in its turn."""

    name = "fake"

    def __init__(self, items: list[Any], live: bool = True) -> None:
        self.items, self.live = items, live

    def fingerprint(self, file: str) -> str:
        return ""

    def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
        return -1 if self.live else index

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        for item in self.items:
            if isinstance(item, Exception):
                raise item
            yield item


class NoReader:
    cell_px, margin_px = 32, 8


def no_context(profile: Profile | None = None) -> GameContext:
    reader: Any = NoReader()
    return GameContext(edition=load_edition("icelandic"), recognizer=reader, profile=profile)
