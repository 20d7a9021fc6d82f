"""Boards that come to rest before a turn detector, one after the other."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from scoring import Board, Game, load_edition
from tests.support.positions import tiles
from vision.core.boards import Candidate, DecodedBoard
from vision.game_events.record import apply_command, parse_command
from vision.game_events.turn_state import StableBoard, TurnDecision
from vision.game_events.turns import TurnDetector
from vision.game_events.updates import GameUpdate, UpdateKind

__all__ = [
    "BARE",
    "EARLY_S",
    "EDITION",
    "HRAK",
    "HRAKI",
    "KIND",
    "LOKI",
    "ONE",
    "TWO",
    "WHOLE",
    "Seat",
    "alternating",
    "kinds",
    "opposite",
    "state_command",
    "surely",
    "words",
]

KIND = UpdateKind
EDITION = load_edition("icelandic")
BARE = Board.empty(EDITION.layout)
Squares = set[tuple[int, int]]
EARLY_S = 1.2
"""Seconds of rest after which a play is told, unless it is doubtful or may not be complete."""
HRAKI, LOKI = tiles("HRAKI", 7, 3), tiles("LO.I", 5, 6, down=True)
ONE = BARE.with_tiles(HRAKI)
TWO = ONE.with_tiles(LOKI)


def surely(board: Board) -> DecodedBoard:
    return DecodedBoard(board=board, confidence=np.full(board.size, 0.99), alternatives={}, doubts=())


class Seat:
    """A detector and a clock: boards come to rest before it, one after the other."""

    def __init__(self, players: tuple[str, ...] = ("Anna", "Jón"), game: Game | None = None) -> None:
        self.detector = TurnDetector(game or Game(edition=EDITION, players=players))
        self.time_s = 0.0
        self.first = True
        self.first_reading: Board | None = None

    def sees(
        self,
        board: Board,
        *,
        after_s: float = 20.0,
        rest_s: float = 1.4,
        doubts: Mapping[tuple[int, int], Mapping[str, float]] | None = None,
        unchanged: Squares | None = None,
        hidden: Squares | None = None,
        reached_over: bool = False,
        hand: float | None = None,
        is_last: bool = False,
    ) -> TurnDecision:
        """This board, after a movement that began `after_s` seconds after the last rest; `hand` is its direction."""
        motion_started_s = self.time_s + after_s
        self.time_s = motion_started_s + rest_s
        confidence, alternatives = np.full(board.size, 0.99), {}
        for square, candidates in (doubts or {}).items():
            alternatives[square] = tuple(Candidate(token=t, probability=p) for t, p in candidates.items())
            confidence[square] = candidates.get(board[square], 0.5)
        changed = np.array(
            [
                [now != was for now, was in zip(*rows, strict=True)]
                for rows in zip(board.rows, self.detector.game.board.rows, strict=True)
            ]
        )
        covered = np.zeros(board.size, bool)
        for square in hidden or ():
            covered[square] = changed[square] = True
        for square in doubts or ():
            changed[square] = True
        for square in unchanged or ():
            changed[square] = False
        decision = self.detector.decide(
            StableBoard(
                decoded=DecodedBoard(
                    board=board, confidence=confidence, alternatives=alternatives, doubts=()
                ),
                changed=changed,
                occluded=covered,
                reached_over=reached_over,
                rest_s=rest_s,
                motion_started_s=motion_started_s,
                time_s=self.time_s,
                is_first=self.first,
                first_reading=None if self.first_reading is None else surely(self.first_reading),
                is_late=rest_s > EARLY_S,
                is_last=is_last,
                hand_direction=None
                if hand is None
                else (math.sin(math.radians(hand)), math.cos(math.radians(hand))),
            )
        )
        if decision.is_resolved:
            self.first = False
        return decision


def kinds(decision: TurnDecision) -> list[UpdateKind]:
    return [update.kind for update in decision.updates]


def words(updates: tuple[GameUpdate, ...]) -> list[str]:
    return [h.step.scored.main_word.text for h in updates if h.step is not None and h.step.scored is not None]


HRAK, WHOLE = BARE.with_tiles(tiles("HRAK", 7, 4)), BARE.with_tiles(tiles("HRAKI", 7, 4))


def opposite(first: Board = HRAK) -> Seat:
    """A detector that knows Anna's side (0 degrees) from her first play."""
    seat = Seat()
    seat.sees(BARE)
    assert kinds(seat.sees(first, hand=5)) == [KIND.PLAY]
    return seat


def alternating(plays: int, players: tuple[str, ...] = ("Anna", "Jón")) -> Seat:
    """A detector that saw this number of plays of all players, each from a side of their own."""
    seat = Seat(players)
    seat.sees(BARE)
    board = BARE
    for number in range(plays):
        board = board.with_tiles(tiles("RA" if number else "RAR", 7 - number, 7 - number))
        hand = 360.0 / len(players) * (number % len(players))
        assert kinds(seat.sees(board, hand=hand)) == [KIND.PLAY]
    return seat


def state_command(seat: Seat, text: str) -> None:
    seat.detector.apply_external(apply_command(parse_command(text), seat.detector.game))
