"""Decide whose turn a change of the board belongs to, by the side from which the hand came and by the time.

Two questions are answered by log-odds. Do more tiles in the line of the last play belong to its player? And does a play
belong to the player on turn, or did that player pass or exchange unseen?
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from scoring import Play, PlayEvent, WithdrawnEvent
from vision.game_events.differences import differing_squares
from vision.game_events.turn_state import StableBoard, TurnState
from vision.game_events.updates import GameUpdate, UpdateKind

__all__ = [
    "attribute_play",
    "describe_doubt",
    "same_hand_log_odds",
    "same_turn_log_odds",
    "withdrawer_log_odds",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerSettings:
    """How the side and the time are weighed. All values are chosen."""

    even_pause_s: float = 1.8
    """Pause after a play at which its player and the next one are as likely to go on in its line, where nothing is
    known of the hand. Of 77 plays of three labelled games, 2 lengthen the play before; so the pause is short."""
    max_pause_log_odds: float = 2.5
    """Limit of what the pause says alone: players think for seconds and for minutes."""
    unseen_pass_log_odds: float = -4.6
    """Log-odds that the player on turn passed or exchanged unseen: once in a hundred turns."""
    doubt_log_odds: float = 1.0
    """Log-odds up to which a joined or a separate play is reported as uncertain."""
    doubt_side_log_odds: float = -1.6
    """Log-odds of an unseen pass from which on it is reported that the hand came from another side."""


SETTINGS = OwnerSettings()


def same_turn_log_odds(stable: StableBoard, state: TurnState) -> float:
    """Weigh whether the last play's player made a change, and not the next one.

    Returns
    -------
    float
        Natural logarithm of the odds; above 0 it is the same player.
    """
    event = state.game.events[-1] if state.game.events else None
    if not isinstance(event, PlayEvent):
        return -math.inf
    limit, by_pause = SETTINGS.max_pause_log_odds, _pause_log_odds(stable, state)
    if by_pause == math.inf:
        return limit  # whose hand that was is open, and whether the clock was pressed before it left
    if state.is_turn_over:
        return -math.inf
    return min(max(by_pause, -limit), limit) + same_hand_log_odds(stable, state)


def _pause_log_odds(stable: StableBoard, state: TurnState) -> float:
    """Weigh the same by the pause alone; infinite where all new tiles may have been covered as the play was placed."""
    new = {s for s in differing_squares(state.game.board, stable.decoded.board) if stable.changed[s]}
    if new and new <= state.covered_squares:
        return math.inf
    return math.log(SETTINGS.even_pause_s) - math.log(max(stable.motion_started_s - state.played_s, 1e-3))


def same_hand_log_odds(stable: StableBoard, state: TurnState) -> float:
    """Weigh by the hand alone whether the last play's player made a change, and not the player on turn."""
    plays = state.game.state.plays
    return state.sides.log_odds(plays[-1].player, state.game.turn, stable.hand_direction) if plays else 0.0


def withdrawer_log_odds(stable: StableBoard, state: TurnState) -> float:
    """Weigh by the hand alone whether the player of a play that was withdrawn made a change, and not the next one."""
    event = state.game.events[-1] if state.game.events else None
    if not isinstance(event, WithdrawnEvent):
        return 0.0
    return state.sides.log_odds(event.player, state.game.turn, stable.hand_direction)


def attribute_play(
    updates: tuple[GameUpdate, ...], stable: StableBoard, state: TurnState
) -> tuple[GameUpdate, ...]:
    """Give a play to another player than the one on turn, where the hand clearly came from that player's side.

    Returns
    -------
    tuple of GameUpdate
        The updates; with a turn without a play for everybody who was passed over.
    """
    play = _separate_play(updates, state)
    player, odds = _most_likely_other(stable, state)
    if play is None or odds <= 0.0:
        return updates
    game, confidence = state.game, 1.0 / (1.0 + math.exp(-odds))
    passed: list[GameUpdate] = []
    while game.turn != player:
        game = game.with_no_play()
        passed.append(GameUpdate.of_last_step(UpdateKind.NO_PLAY, game, confidence))
    game = game.with_play(play)
    return (*passed, replace(updates[0], game=game, step=game.steps[-1]))


def describe_doubt(
    updates: tuple[GameUpdate, ...],
    joined: GameUpdate | None,
    stable: StableBoard,
    state: TurnState,
    *,
    was_lifted: bool,
) -> str:
    """Say what is uncertain about the player of a play; empty if nothing is.

    Parameters
    ----------
    updates : tuple of GameUpdate
        What is reported, after `attribute_play`.
    joined : GameUpdate or None
        The last play joined with the new tiles, if the rules allow that.
    stable : StableBoard
        The board.
    state : TurnState
        What was known of the game before.
    was_lifted : bool
        Whether the last play had tiles like the new ones, which were lifted.
    """
    names, on_turn = state.game.players, state.game.players[state.game.turn]
    if updates[0].kind is UpdateKind.NO_PLAY:
        player = names[updates[-1].game.events[-1].player]
        return (
            f"the hand came from {player}'s side: {on_turn} passed or exchanged; if not, give the command undo for "
            "each of these turns, and enter the play"
        )
    is_even = abs(same_turn_log_odds(stable, state)) < SETTINGS.doubt_log_odds
    if joined is not None and (is_even or (was_lifted and updates[0].kind is UpdateKind.PLAY)):
        player = names[state.game.events[-1].player]
        if len(names) == 1 and updates[0].replaces is not None:
            return "the tiles count as a part of the play before; if they are another play, undo and enter both plays"
        if len(names) == 1:
            return "the tiles count as another play; if they belong to the play before, undo and correct that play"
        if updates[0].replaces is not None:
            return f"the tiles count as {player}'s play going on; if {on_turn} placed them, undo and enter both plays"
        return f"the tiles count as {on_turn}'s play; if {player} went on with the play before, undo and correct it"
    same_or_pass = _pause_log_odds(stable, state) - SETTINGS.unseen_pass_log_odds
    goes_on = len(updates) == 1 and updates[0].replaces is not None  # of several, the last is another play
    if len(names) == 2 and goes_on and same_or_pass < SETTINGS.doubt_log_odds:
        player = names[state.game.events[-1].player]
        return (
            f"the tiles count as {player}'s play going on; if {on_turn} passed or exchanged in between, undo and "
            "enter both plays and that turn"
        )
    other, odds = _most_likely_other(stable, state)
    if _separate_play(updates, state) is not None and odds >= SETTINGS.doubt_side_log_odds:
        return (
            f"the hand seems to have come from {names[other]}'s side, though it was {on_turn}'s turn; if {on_turn} "
            f"passed or exchanged, give the commands undo and turn {names[other]}"
        )
    return ""


def _separate_play(updates: tuple[GameUpdate, ...], state: TurnState) -> Play | None:
    """The play of a turn that nothing but the hand tells the owner of."""
    after_withdrawal = bool(state.game.events) and isinstance(state.game.events[-1], WithdrawnEvent)
    is_single = len(updates) == 1 and updates[0].kind is UpdateKind.PLAY and updates[0].replaces is None
    if not is_single or after_withdrawal:
        return None
    event = updates[0].game.events[-1]
    return event.play if isinstance(event, PlayEvent) else None


def _most_likely_other(stable: StableBoard, state: TurnState) -> tuple[int, float]:
    """The player next to the one on turn that the hand speaks for most, and the log-odds against that one."""
    on_turn, players = state.game.turn, len(state.game.players)
    odds = {
        (on_turn + skipped) % players: skipped * SETTINGS.unseen_pass_log_odds
        + state.sides.log_odds((on_turn + skipped) % players, on_turn, stable.hand_direction)
        for skipped in range(1, players)
    }
    return max(odds.items(), key=lambda item: item[1], default=(on_turn, -math.inf))
