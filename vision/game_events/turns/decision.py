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

from scoring import EMPTY, Board, Game, Placement, is_tile
from vision.core import Mask, Square, squares_in
from vision.game_events.catching_up import note_first_seen
from vision.game_events.placements import squares_of
from vision.game_events.player_sides import PlayerSides
from vision.game_events.record import (
    BoardDifference,
    Command,
    RecordMonitor,
    caution_settled,
    find_removed_plays,
    is_restorable,
    named_squares,
    take_board,
    unchanged_message,
    unresolved_squares,
)
from vision.game_events.stray_tiles import detached_squares
from vision.game_events.turn_state import RemovedTiles, StableBoard, TurnDecision, TurnState
from vision.game_events.turns.case import Case, Outcome, notify_once
from vision.game_events.turns.rules import RULES, accept
from vision.game_events.updates import GameUpdate, Notice, NoticeKind, UpdateKind, count_plays

__all__ = ["LABEL_WITHIN_S", "TurnDetector", "decide"]

LABEL_WITHIN_S = 10.0
"""Seconds after a withdrawal that was seen, in which challenge and withdraw say why it was; chosen."""


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
    before, settled = state.game, caution_settled(state.game.events)
    case = Case(stable=stable, state=state, trusted=stable.decoded)
    outcome: Outcome | None = None
    for rule in RULES:
        result = rule(case)
        if isinstance(result, Outcome):
            outcome = result
            break
        case = result
    decision, state = outcome or accept(case)
    if settled and count_plays(decision.updates):
        decision = replace(decision, notices=(*decision.notices, Notice(NoticeKind.UNCLEAR, settled)))
    state = replace(state, first_seen_s=note_first_seen(stable, state))
    if decision.is_resolved:
        state = replace(state, may_replay=False, resolved_s=stable.time_s)
        if (before.events or not stable.is_first) and not decision.is_taken_over:
            unresolved = unresolved_squares(stable, before.board, state.game.board)
            if stable.is_first:  # print that looks like tiles was there before
                unresolved -= detached_squares(unresolved, state.game)
            decision = replace(decision, unresolved_squares=unresolved)
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
        self._monitor = RecordMonitor(game.board)

    @property
    def game(self) -> Game:
        """The game so far."""
        return self._state.game

    @property
    def locked_squares(self) -> frozenset[Square]:
        """The squares whose tiles users stated."""
        return self._state.locked_squares

    @property
    def uncertain_squares(self) -> Mask:
        """(rows, columns) the squares whose tiles were reported with low confidence."""
        return self._state.uncertain.mark_squares(self.game.board)

    @property
    def certain_board(self) -> Board:
        """The game's board without those tiles: a new read of them must not depend on the first one."""
        return self._state.uncertain.remove_from(self.game.board)

    @property
    def expected_board(self) -> Board:
        """The game's board with the tiles that users took out of the record and that nobody has lifted yet."""
        removed = self._state.removed.tiles
        return self.game.board.with_tiles(tile for tile in removed if self.game.board[tile.square] == EMPTY)

    def decide(self, stable: StableBoard) -> TurnDecision:
        """Decide what a board means, and go on from there."""
        decision, self._state = decide(stable, self._state)
        self._monitor.observe(stable, self.game, decision)
        return decision

    def note_short_rest(self, filled: Mask, began_s: float) -> None:
        """Take in which squares seem to hold a tile in a rest that may be too short for a decision.

        Parameters
        ----------
        filled : (rows, columns) bool
            The squares that changed and hold a tile that the game does not have.
        began_s : float
            Time at which the board came to rest.
        """
        before = self._state.short_rest_seen_s
        short_rest_seen_s = {square: before.get(square, round(began_s, 3)) for square in squares_in(filled)}
        self._state = replace(self._state, short_rest_seen_s=short_rest_seen_s)

    def notify(self, message: str) -> tuple[Notice, ...]:
        """Return the message as a notice, unless it was the last one reported."""
        notices, self._state = notify_once(self._state, message)
        return notices

    def apply_external(self, updates: tuple[GameUpdate, ...]) -> tuple[Notice, ...]:
        """Take in what users stated; return the question whether tiles that left the record are on the board."""
        before, game, state, seen = self.game, updates[-1].game, self._state, self._monitor.seen
        plays = find_removed_plays(before, game, seen, state.removed.plays)
        restored = (state.removed.restored or before) if plays else None
        removed = RemovedTiles(
            tiles=tuple(
                tile
                for tile in dict.fromkeys((*before.board.tiles(), *state.removed.tiles))
                if game.board[tile.square] == EMPTY and is_tile(seen[tile.square])
            ),
            plays=plays,
            restored=replace(restored, players=game.players)
            if restored is not None and is_restorable(game, restored)
            else None,
        )
        self._state = replace(state, game=game, last_message=None, removed=removed)
        known = (state.removed.restored, before)
        players = {placed.play: placed.player for each in known if each for placed in each.state.plays}
        if any(players.get(placed.play, placed.player) != placed.player for placed in game.state.plays):
            self._forget_sides()  # hands were learned as those of the wrong players
        stated = (tile for tile in game.board.tiles() if before.board[tile.square] != tile.token)
        self.lock_squares(self.locked_squares | squares_of(stated))
        is_undo = any(update.kind is UpdateKind.UNDONE for update in updates)
        return self._monitor.ask(self._difference) if is_undo else ()

    def confirm(self, command: Command, updates: tuple[GameUpdate, ...]) -> tuple[Notice, ...]:
        """Lock the tiles that an applied command names, changed or not; return a notice where nothing changes."""
        self.lock_squares(self.locked_squares | named_squares(command, self.game))
        message = unchanged_message(command, updates)
        return (Notice(NoticeKind.UNCLEAR, message),) if message else ()

    def end_turn(self) -> None:
        """Take the last play as finished: what follows in its line is the next player's, unless a hand hid it."""
        self._state = replace(self._state, is_turn_over=True)

    def notice_rotation(self) -> None:
        """Take in that the board was turned: the last player's turn is over, and hands come from other sides now."""
        self._forget_sides()
        self.end_turn()

    def _forget_sides(self) -> None:
        sides = PlayerSides.unknown(len(self.game.players))
        self._state = replace(self._state, sides=sides, has_reported_sides=False)

    def lock_squares(self, locked: Iterable[Square]) -> None:
        """Take the tiles on these squares, and on these only, as stated by users: certain, and corrected by no read."""
        locked = frozenset(locked)
        self._state = replace(
            self._state, locked_squares=locked, uncertain=self._state.uncertain.without(locked)
        )

    def restart(self, game: Game) -> TurnDetector:
        """Return the detector of a game that was read anew; stated tiles that are the same in it stay locked."""
        turns, before = TurnDetector(game), self.game.board
        turns.lock_squares(square for square in self.locked_squares if game.board[square] == before[square])
        return turns

    def expect_removal(self, tiles: Iterable[Placement]) -> None:
        """Take these tiles as withdrawn by a user, though they may stay until somebody lifts them."""
        removed = tuple(tiles)
        self._monitor.expect(removed)
        self._state = replace(self._state, removed=RemovedTiles(tiles=removed))

    # The record and the board

    @property
    def difference(self) -> BoardDifference | None:
        """Where the board and the record differ, if users are to see that now."""
        return self._monitor.alarm(self._difference)

    @property
    def _difference(self) -> BoardDifference:
        return self._monitor.difference(self.game, self._state.removed.tiles)

    def observe_unchanged(self) -> None:
        """Take in that the board looks as it did when it was last resolved."""
        self._monitor.observe_unchanged()

    def check_record(self, time_s: float, *, is_settled: bool, is_last: bool = False) -> tuple[Notice, ...]:
        """Let time pass, and return the notices of a difference between the board and the record."""
        return self._monitor.update(self._difference, time_s, is_settled=is_settled, is_last=is_last)

    def has_just_withdrawn(self, time_s: float) -> bool:
        """Whether a withdrawal was seen so shortly before that users may say what it was."""
        return time_s - self._state.withdrawn_s <= LABEL_WITHIN_S

    def await_removal(self) -> None:
        """Be silent for a while about a difference: a user said that the tiles are being taken off."""
        self._monitor.wait(self._difference)

    def take_board(self) -> tuple[GameUpdate, ...]:
        """Return the updates after which the record has the tiles of the board.

        Raises
        ------
        SettingsError
            If the board cannot be one of this game.
        """
        state = self._state
        return take_board(state.game, self._monitor.seen, state.removed)
