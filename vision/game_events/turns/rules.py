"""The rules by which a stable board is explained, waited for, or reported.

Each rule takes a `Case` and returns it, with what it found out, or an `Outcome` that ends the decision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scoring import EMPTY, infer, is_tile
from vision.core import Square, neighbours_of
from vision.game_events.catching_up import is_given_up, note_first_seen, take_over, was_unread
from vision.game_events.continued_plays import join_continued_play, may_go_on, word_ends
from vision.game_events.differences import covered_squares, differing_squares, format_differences, shows_game
from vision.game_events.inference import EARLIER, explain_refusal, is_earlier
from vision.game_events.opening import begin_game, find_opening, is_hidden_opening
from vision.game_events.placements import joint_confidence, latest_play, squares_of
from vision.game_events.record import is_removed_only, restored_game
from vision.game_events.stray_tiles import are_moved, detached_squares, moved_squares, unbelieved_squares
from vision.game_events.turn_state import RemovedTiles, StableBoard, TurnDecision
from vision.game_events.turns.case import SETTINGS, Case, Outcome
from vision.game_events.turns.explanation import find_updates, limit_to_changes
from vision.game_events.turns.owner import attribute_play, describe_doubt
from vision.game_events.uncertain_tiles import MIN_CONFIDENCE
from vision.game_events.updates import GameUpdate, Notice, NoticeKind, UpdateKind, count_plays

__all__ = ["RULES", "accept"]


_CLEARED = (
    "the tiles are off the board; the game is as it was: the command end settles it, and another game is to be "
    "started anew"
)

_HIDES_TILES = (
    "tiles are on the board already, but something hides those that connect them; take it away, and the game "
    "goes on"
)

_HAND_LAST = "the last picture shows new tiles and a hand; if they are a complete play, enter it"
_HAND_STAYS = "new tiles are seen, but a hand stays over the board; plays are reported once it has left"


def wait_for_hand(case: Case) -> Case | Outcome:
    """Wait while a hand is over the board."""
    stable = case.stable
    if not (stable.occluded.any() or stable.reached_over):
        return case
    seen_s = [
        since_s
        for square, since_s in note_first_seen(stable, case.state).items()
        if is_tile(stable.decoded.board[square]) and not stable.occluded[square]
    ]
    if seen_s and (stable.is_last or stable.time_s - min(seen_s) >= SETTINGS.hand_stays_s):
        return case.report(_HAND_LAST if stable.is_last else _HAND_STAYS)
    return case.outcome(is_resolved=False)


def fuse_uncertain_tiles(case: Case) -> Case:
    """Fuse the reading with what earlier rests showed of uncertain tiles, and limit it to what changed."""
    stable, state = case.stable, case.state
    decoded, uncertain = state.uncertain.reread(
        stable.decoded, state.game.board, stable.began_s, stable.changed
    )
    stable, state = replace(stable, decoded=decoded), replace(state, uncertain=uncertain)
    return replace(case, stable=stable, state=state, trusted=limit_to_changes(stable, state, frozenset()))


def ignore_replay(case: Case) -> Case | Outcome:
    """Ignore a board that the game has had, where a recording may be shown again."""
    if not (case.state.may_replay and is_earlier(case.trusted.board, case.state.game.board)):
        return case
    return case.report(EARLIER) if case.stable.is_late else case.outcome(is_resolved=False)


def ignore_clearing(case: Case) -> Case | Outcome:
    """Ignore that tiles are taken off once those left were settled: it is not the last play that is taken back."""
    game, seen = case.state.game, case.trusted.board
    taken = differing_squares(game.board, seen)
    is_cleared = (
        bool(taken) and all(seen[square] == EMPTY for square in taken) and shows_game(seen, game.board)
    )
    return case.outcome(is_resolved=True) if game.state.settled and is_cleared else case


def explain(case: Case) -> Case:
    """Explain the board by updates."""
    return replace(case, updates=find_updates(case.trusted, case.stable, case.state))


def drop_detached(case: Case) -> Case:
    """Explain the board without stray squares: a crumb, a rack, or print that looks like tiles, stops no game."""
    stable, state, board = case.stable, case.state, case.trusted.board
    strays, stays = _stray_squares(case), stable.rest_s >= SETTINGS.report_after_s
    if stable.is_late:
        strays |= unbelieved_squares(case.trusted, state.game, is_print=stable.is_first, stays=stays)
    if not strays or (case.updates is not None and count_plays(case.updates) <= 1):
        return case
    apart = board.without(tile for tile in board.tiles() if tile.square not in strays)
    if case.is_opening and is_hidden_opening(apart, state.game.edition):
        return case
    updates = find_updates(limit_to_changes(stable, state, strays), stable, state)
    if updates is None or are_moved(case.trusted, state.game, strays):
        return case
    is_sure = any(case.trusted.confidence[at] >= MIN_CONFIDENCE for at in strays - state.stray_squares)
    if stable.is_first or not is_sure:
        return replace(case, updates=updates)
    # Tiles that are read confidently are left out where the others are one play, and are known from then on.
    if [each.kind for each in updates] != [UpdateKind.PLAY]:
        return case
    return replace(case, state=replace(state, stray_squares=strays), updates=updates)


def keep_moved(case: Case) -> Case:
    """Explain the board by one play and tiles that were moved, such as by a sleeve."""
    stable, state = case.stable, case.state
    moved = moved_squares(case.trusted, state.game.board)
    if case.updates is not None or not moved:
        return case
    updates = find_updates(limit_to_changes(stable, state, moved), stable, state)
    return replace(case, updates=updates) if updates is not None and count_plays(updates) == 1 else case


def accept_unchanged(case: Case) -> Case | Outcome:
    """Resolve a board that is as the game has it."""
    if case.updates is None or case.updates:
        return case
    covered = case.state.covered_squares & covered_squares(case.stable.decoded.board)
    state = replace(case.state, last_message=None, removed=RemovedTiles(), covered_squares=covered)
    return replace(case, state=state).outcome(is_resolved=True)


def wait_for_lifted(case: Case) -> Case | Outcome:
    """Wait for tiles that were taken off and are not the last play: somebody looks at them.

    Those of earlier plays stop no play that comes first.
    """
    stable, state, game = case.stable, case.state, case.state.game
    if stable.rest_s >= SETTINGS.lifted_after_s or not is_earlier(case.trusted.board, game.board):
        return case
    last, lifted = squares_of(latest_play(game) or ()), differing_squares(game.board, case.trusted.board)
    if last and last <= set(lifted):
        return case
    state = replace(state, stray_squares=state.stray_squares.union(lifted) - last)
    return replace(case, state=state).outcome(is_resolved=False)


def catch_up(case: Case) -> Case | Outcome:
    """Go on with a board that nothing has explained for long."""
    stable, state = case.stable, case.state
    if case.updates is not None or not is_given_up(stable, state):
        return case
    if not shows_game(case.trusted.board, state.game.board):
        return case.report(_CLEARED)
    taken = take_over(case.trusted, stable, state)
    if taken is None:
        return case
    notice = Notice(NoticeKind.UNCLEAR, taken.message)
    if taken.updates:
        decision, state = accept(replace(case, updates=taken.updates, notices=(notice,)))
    else:
        decision, state = TurnDecision(is_resolved=True, notices=(notice,)), replace(state, game=taken.game)
    return Outcome(replace(decision, is_taken_over=True), state)


def hold_back_unexplained(case: Case) -> Case | Outcome:
    """Hold back a change that nothing explains."""
    return _unexplained(case) if case.updates is None else case


def wait_for_removal(case: Case) -> Case | Outcome:
    """Do not see plays again that a user took out of the record, before their tiles are lifted."""
    is_waiting = is_removed_only(case.state, case.trusted.board)
    return case.outcome(is_resolved=False) if is_waiting else case


def require_confidence(case: Case) -> Case | Outcome:
    """Wait for plays that are confident enough for the time that the board has been at rest."""
    stable, game = case.stable, case.state.game
    updates = tuple(_require_complete(update, stable) for update in case.updates or ())
    confidence, n_plays = min(update.confidence for update in updates), count_plays(updates)
    if n_plays > 2:  # how many orders are possible says nothing against the tiles
        plays = (update.game.state.plays[-1].play for update in updates if update.kind is UpdateKind.PLAY)
        confidence = min(joint_confidence(play, case.trusted) for play in plays)
    needed = MIN_CONFIDENCE
    # Nobody knows what is new on a board that comes into view.
    if stable.is_late and not (stable.is_first and game.events):
        is_last = _is_last(stable) or n_plays > 2
        needed = SETTINGS.min_last_confidence if is_last else SETTINGS.min_late_confidence
    if confidence < needed:
        return _unexplained(case) if stable.is_late else case.outcome(is_resolved=False)
    return replace(case, updates=updates)


def wait_for_more_tiles(case: Case) -> Case | Outcome:
    """Wait where a player may be fetching the next tile: after few tiles, or when a tile of the play was moved."""
    updates, stable = case.updates or (), case.stable
    plays = [event for update in updates if (event := update.play_event) is not None]
    if len(plays) > 1 and updates[0].kind is UpdateKind.WITHDRAWN and not _is_last(stable):
        return case.outcome(is_resolved=False)
    is_short = any(len(event.play) < SETTINGS.min_prompt_tiles for event in plays)
    return case.outcome(is_resolved=False) if (is_short or len(plays) > 1) and not stable.is_late else case


def assign_player(case: Case) -> Case:
    """Give a play to the player whose hand laid it, and report where that is in doubt."""
    stable, state = case.stable, case.state
    updates = attribute_play(case.updates or (), stable, state)
    joined, board = join_continued_play(state.game, case.trusted), case.trusted.board
    was_lifted = state.removed.restored is None and restored_game(state, board) is not None
    message = describe_doubt(updates, joined, stable, state, was_lifted=was_lifted)
    if (n_plays := count_plays(updates)) > (1 if was_unread(stable, state) else 2):
        message = f"{n_plays} plays were seen at once; their order is in doubt: compare the scores"
    return replace(case, updates=updates, notices=(Notice(NoticeKind.UNCLEAR, message),) if message else ())


RULES: tuple[Callable[[Case], Case | Outcome], ...] = (
    wait_for_hand,
    fuse_uncertain_tiles,
    ignore_replay,
    wait_for_removal,
    ignore_clearing,
    explain,
    drop_detached,
    keep_moved,
    wait_for_lifted,
    catch_up,
    hold_back_unexplained,
    accept_unchanged,
    require_confidence,
    wait_for_more_tiles,
    assign_player,
)
"""The rules in the order in which they are tried; what none of them holds back is accepted."""


def _is_last(stable: StableBoard) -> bool:
    return stable.rest_s >= SETTINGS.last_after_s


def accept(case: Case) -> Outcome:
    """Report the updates; a play is as certain as the older tiles in its words are."""
    stable, state, updates = case.stable, case.state, case.updates or ()
    reported, uncertain = list[GameUpdate](), state.uncertain
    for update in updates:  # a play is weighed with the tiles that were corrected in the same moment
        reported.append(uncertain.weigh(update))
        uncertain = uncertain.with_update(update, stable.decoded, stable.began_s)
    game, last, sides = updates[-1].game, updates[-1].kind, state.sides
    if last is UpdateKind.PLAY:
        reported[-1] = replace(reported[-1], is_provisional=may_go_on(game))
        if count_plays(updates) == 1:
            sides = sides.learn(game.events[-1].player, stable.hand_direction)
    notices, known = case.notices, "" if state.has_reported_sides else sides.describe(game.players)
    if known:
        notices = (*notices, Notice(NoticeKind.SIDES, f"hands seen so far: {known}"))
    state = replace(
        state,
        game=game,
        sides=sides,
        has_reported_sides=state.has_reported_sides or bool(known),
        played_s=stable.began_s if last is UpdateKind.PLAY else state.played_s,
        withdrawn_s=stable.time_s if last is UpdateKind.WITHDRAWN else state.withdrawn_s,
        removed=RemovedTiles(),
        is_turn_over=False,
        covered_squares=covered_squares(stable.decoded.board),
        last_message=None,
        stray_squares=state.stray_squares.intersection(differing_squares(game.board, stable.decoded.board)),
        locked_squares=frozenset(square for square in state.locked_squares if game.board[square] != EMPTY),
        uncertain=uncertain,
    )
    return Outcome(TurnDecision(is_resolved=True, updates=tuple(reported), notices=notices), state)


def _stray_squares(case: Case) -> frozenset[Square]:
    """The squares that nothing explained before, without tiles that were missed: many that touch the game's tiles."""
    strays, decoded = case.state.stray_squares, case.stable.decoded
    detached = detached_squares(squares_of(decoded.board.tiles()), case.state.game)
    missed = {square for square in strays - detached if decoded.confidence[square] >= MIN_CONFIDENCE}
    return strays - missed if len(missed) > SETTINGS.max_stray_squares else strays


def _begin_game(case: Case) -> Outcome:
    """Begin a game on a board that is not empty, or whose print looks like tiles."""
    game = case.state.game
    if case.stable.rest_s < SETTINGS.report_after_s and covered_squares(case.trusted.board):
        return case.outcome(is_resolved=False)
    if is_hidden_opening(case.trusted.board, game.edition):
        return case.report(_HIDES_TILES)
    opening = find_opening(case.trusted, case.stable.first_reading, game.edition)
    if opening is None:
        return case.outcome(is_resolved=True)
    start, play = opening
    game, message = begin_game(game, start)
    case = replace(case, state=replace(case.state, game=game))
    if play is None:
        return case.report(message, is_resolved=True)
    game, confidence = game.with_play(play), joint_confidence(play, case.trusted)
    update = GameUpdate.of_last_step(UpdateKind.PLAY, game, confidence)
    return accept(replace(case, updates=(update,), notices=(Notice(NoticeKind.UNCLEAR, message),)))


def _unexplained(case: Case) -> Outcome:
    """Hold back a board, and report it once it has stayed."""
    stable, state, seen = case.stable, case.state, case.trusted.board
    game, board = state.game, state.game.board
    if stable.is_late and case.is_opening:
        return _begin_game(case)
    if not stable.is_late or stable.rest_s < SETTINGS.report_after_s:
        return case.outcome(is_resolved=False)
    strays, hidden = frozenset(differing_squares(board, seen)), covered_squares(seen)
    apart = detached_squares(strays | hidden, game)  # the others may be of a play with hidden tiles
    left_out = strays & apart if neighbours_of(strays - apart) & hidden else strays
    case = replace(case, state=replace(state, stray_squares=left_out))
    if len(strays) <= SETTINGS.max_stray_squares and all(board[square] == EMPTY for square in strays):
        return case.outcome(is_resolved=True)
    if not shows_game(seen, board):
        return case.report(_CLEARED)
    inference = infer(board, seen, game.edition, last_play=latest_play(game))
    return case.report(f"{explain_refusal(inference)} ({format_differences(board, seen)})")


def _require_complete(update: GameUpdate, stable: StableBoard) -> GameUpdate:
    """Limit the confidence of a play by the squares next to it and to its word: changed ones, and hidden ones."""
    event = update.play_event
    if event is None:
        return update
    board, confidence = stable.decoded.board, stable.decoded.confidence
    ends = word_ends(update.game.board, event.play, event.play.direction)
    near = neighbours_of(squares_of(event.play)) | ends
    limits = [
        float(confidence[square])
        for square in near
        if board.holds(*square) and board[square] == EMPTY and stable.changed[square]
    ]
    hidden = [square for square in near & covered_squares(board) if update.game.board[square] == EMPTY]
    if hidden:
        is_new = any(stable.changed[square] for square in hidden)
        limits.append(SETTINGS.newly_hidden_confidence if is_new else SETTINGS.hidden_confidence)
    return replace(update, confidence=min(update.confidence, *limits)) if limits else update
