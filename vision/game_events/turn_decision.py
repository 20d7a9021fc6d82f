"""Decide what a stable board means for a game: boards in, updates or patience out, no pixels.

A video has no end-of-turn signal. A stable board may be half a play, a play with a misread letter, or one that is put
right a moment later. A play is reported once it is legal, confident and stable. What follows in the same line is the
same play going on, if the hand and the time speak for its player. A change that nothing explains is held back, and
reported only if it stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from scoring import EMPTY, Board, Game, Placement, Play
from vision.core import Mask, Square
from vision.game_events.catching_up import note_first_seen
from vision.game_events.inference import squares
from vision.game_events.player_sides import PlayerSides
from vision.game_events.turn_rules import RULES, Case, Outcome, accept, notify_once, unresolved_squares
from vision.game_events.turn_state import StableBoard, TurnDecision, TurnState
from vision.game_events.updates import GameUpdate, Notice

__all__ = ["TurnDetector", "decide"]


def decide(stable: StableBoard, state: TurnState) -> tuple[TurnDecision, TurnState]:
    """Decide what a stable board means.

    Parameters
    ----------
    stable : StableBoard
        The board.
    state : TurnState
        What is known of the game; it is not changed.

    Returns
    -------
    decision : TurnDecision
        What the board means.
    state : TurnState
        What is known of the game after it.
    """
    case = Case(stable=stable, state=state, trusted=stable.decoded)
    outcome: Outcome | None = None
    for rule in RULES:
        result = rule(case)
        if isinstance(result, Outcome):
            outcome = result
            break
        case = result
    decision, state = outcome or accept(case)
    state = replace(state, first_seen_s=note_first_seen(stable, state))
    if decision.is_resolved:
        state = replace(state, may_replay=False, resolved_s=stable.time_s)
        if not stable.is_first and not decision.is_taken_over:
            decision = replace(decision, unresolved_squares=unresolved_squares(stable, state.game.board))
    return decision, state


class TurnDetector:
    """Decides what stable boards mean for a game, and keeps the state between them.

    Parameters
    ----------
    game : Game
        The game so far.
    last_event_s : float, optional
        Time of its last event, for a game that goes on.
    may_replay : bool
        Whether boards may be shown that the game has had.
    """

    def __init__(self, game: Game, last_event_s: float | None = None, *, may_replay: bool = False) -> None:
        since_s = -math.inf if last_event_s is None else last_event_s
        self._state = TurnState(
            game=game,
            sides=PlayerSides.unknown(len(game.players)),
            may_replay=may_replay,
            played_s=since_s,
            withdrawn_s=since_s,
        )

    @property
    def game(self) -> Game:
        """The game so far."""
        return self._state.game

    @property
    def uncertain_squares(self) -> Mask:
        """(rows, columns) the squares whose tiles were reported with low confidence."""
        return self._state.uncertain.mask(self.game.board)

    @property
    def certain_board(self) -> Board:
        """The game's board without those tiles: a new read of them must not depend on the first one."""
        return self._state.uncertain.remove_from(self.game.board)

    def decide(self, stable: StableBoard) -> TurnDecision:
        """Decide what a board means, and go on from there."""
        decision, self._state = decide(stable, self._state)
        return decision

    def notify(self, message: str) -> tuple[Notice, ...]:
        """Return the message as a notice, unless it was the last one reported."""
        notices, self._state = notify_once(self._state, message)
        return notices

    def apply_external(self, updates: tuple[GameUpdate, ...]) -> None:
        """Take in what users stated."""
        before, after = self.game.board, updates[-1].game.board
        self._state = replace(
            self._state,
            game=updates[-1].game,
            last_message=None,
            locked_squares=self._state.locked_squares
            | squares(tile for tile in after.tiles() if before[tile.row, tile.column] != tile.token),
        )
        self.expect_removal(tile for tile in before.tiles() if after[tile.row, tile.column] == EMPTY)

    def end_turn(self) -> None:
        """Take the last play as finished: what follows in its line is the next player's."""
        self._state = replace(self._state, is_turn_over=True)

    def notice_rotation(self) -> None:
        """Take in that the board was turned: the last player's turn is over, and hands come from other sides now."""
        sides = PlayerSides.unknown(len(self.game.players))
        self._state = replace(self._state, sides=sides, has_reported_sides=False, is_turn_over=True)

    def lock_squares(self, locked: Iterable[Square]) -> None:
        """Let no read correct the tiles on these squares, and on these only: users stated them."""
        self._state = replace(self._state, locked_squares=frozenset(locked))

    def expect_removal(self, tiles: Iterable[Placement]) -> None:
        """Take these tiles as withdrawn by a user, though they may stay until somebody lifts them."""
        removed = tuple(tiles)
        self._state = replace(self._state, removed_by_user=Play(placements=removed) if removed else None)
