"""How a stable board is explained: what of its reading counts, and the updates that lead to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scoring import BLANK, COVERED, Placement, is_tile
from vision.core import DecodedBoard, Square
from vision.game_events.catching_up import explain_missed_plays, join_uncovered, when_seen
from vision.game_events.continued_plays import join_continued_play
from vision.game_events.inference import alternative_boards, best_explanation, merge_repositioned_play
from vision.game_events.placements import latest_play, replace_tokens, squares_of
from vision.game_events.record import remaining_tiles, restored_game, restoring_update
from vision.game_events.turn_state import RemovedTiles, StableBoard, TurnState
from vision.game_events.turns.case import SETTINGS
from vision.game_events.turns.owner import same_hand_log_odds, same_turn_log_odds, withdrawer_log_odds
from vision.game_events.uncertain_tiles import MIN_CONFIDENCE
from vision.game_events.updates import GameUpdate, count_plays

__all__ = ["find_updates", "limit_to_changes"]


def limit_to_changes(stable: StableBoard, state: TurnState, keep: frozenset[Square]) -> DecodedBoard:
    """Limit the reading to what the pixels allow: what looks as it did is what it was.

    Parameters
    ----------
    stable : StableBoard
        The board.
    state : TurnState
        What is known of the game.
    keep : frozenset of (row, column)
        Further squares that stay as the game has them.
    """
    decoded, board = stable.decoded, state.game.board
    held = list(remaining_tiles(stable, state))
    removed, latest = squares_of(held), squares_of(latest_play(state.game) or ())
    for row, column in np.ndindex(*board.size):
        square, was, now = (row, column), board[row, column], decoded.board[row, column]
        if was == now or now == COVERED or square in removed:
            continue
        if is_tile(was) and is_tile(now):
            is_uncertain = square in state.uncertain
            # An earlier tile that is knocked askew looks like a blank, and hardly ever like another letter.
            is_knocked = now == BLANK and not is_uncertain and square not in latest
            is_believed = not (is_knocked or square in keep | state.locked_squares) and _is_correction(
                now, float(decoded.confidence[square]), is_uncertain=is_uncertain
            )
        else:
            is_believed = bool(stable.changed[square]) and square not in keep
        if not is_believed:
            held.append(Placement(row=row, column=column, token=was))
    held_squares = squares_of(held)
    alternatives = {
        square: candidates
        for square, candidates in decoded.alternatives.items()
        if stable.changed[square] and square not in held_squares
    }
    return replace(decoded, board=replace_tokens(decoded.board, held), alternatives=alternatives)


def _is_correction(token: str, confidence: float, *, is_uncertain: bool) -> bool:
    """Whether a read is confident enough to correct a tile of the game; glare makes a blank of any letter."""
    is_easy = is_uncertain and token != BLANK
    return confidence >= (MIN_CONFIDENCE if is_easy else SETTINGS.min_correction_confidence)


def find_updates(
    trusted: DecodedBoard, stable: StableBoard, state: TurnState
) -> tuple[GameUpdate, ...] | None:
    """The updates that lead to a board: none if nothing happened, None if nothing can explain it."""
    if (restored := restored_game(state, trusted.board)) is not None:
        rest = find_updates(trusted, stable, replace(state, game=restored, removed=RemovedTiles()))
        # Tiles that are back alone are the next player's if that hand laid them.
        is_put_back = state.removed.restored is None and same_hand_log_odds(stable, state) >= 0.0
        if rest or (rest is not None and is_put_back):
            return (restoring_update(state.game, restored), *rest)
    game, joined = state.game, join_continued_play(state.game, trusted)
    odds = same_turn_log_odds(stable, state)
    if joined is not None and odds >= 0.0:
        return (joined,)
    is_recent = stable.motion_started_s - state.withdrawn_s <= SETTINGS.relay_s
    game = merge_repositioned_play(game, trusted, withdrawer_log_odds(stable, state), is_recent=is_recent)
    # Readings that were nearly as likely are tried once the board has had time to be read well.
    boards = alternative_boards(trusted) if stable.is_late else iter([(trusted.board, 1.0)])
    updates = best_explanation(
        game,
        boards,
        trusted,
        same_hand_log_odds=same_hand_log_odds(stable, state),
        first_seen_s=when_seen(stable, state),
    )
    is_odd = updates is None or count_plays(updates) > 1
    if joined is not None and is_odd and odds >= SETTINGS.min_odd_log_odds:
        return (joined,)
    whole = join_uncovered(trusted, stable, state, is_earlier=not is_odd)
    if whole is not None:
        rest = find_updates(trusted, stable, replace(state, game=whole.game, covered_squares=frozenset()))
        if rest is not None and count_plays(rest) == 1:
            return (whole, *rest)
    return explain_missed_plays(trusted, stable, state) if updates is None else updates
