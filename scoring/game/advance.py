"""Apply events: each event turns a state into a `Step` with the next state.

A game is the fold of its events by `advance`. No event is refused: what the rules do not allow is done as far
as possible and reported as a problem. So a recorded game can be read to its end even if it has a mistake.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from scoring.board import Board
from scoring.edition import Edition
from scoring.errors import IllegalPlayError, PlayRule
from scoring.game.events import (
    ChallengeEvent,
    ClockPenalty,
    EndRack,
    Event,
    ExchangeEvent,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    WithdrawnEvent,
)
from scoring.game.problems import find_problems
from scoring.game.state import Ending, PlayOnBoard, State, Step
from scoring.play import find_refusal
from scoring.score import ScoredPlay, score_checked

__all__ = ["advance", "initial_state"]

_NO_PLACE = {
    PlayRule.NO_TILES,
    PlayRule.OFF_BOARD,
    PlayRule.SQUARE_TWICE,
    PlayRule.OCCUPIED,
    PlayRule.COVERED,
    PlayRule.UNKNOWN_TILE,
}
"""A play that breaks one of these rules cannot be on the board."""
_NO_WORD = {PlayRule.NOT_ONE_LINE, PlayRule.GAP}
"""A play that breaks one of these rules is on the board but forms no word."""


def initial_state(edition: Edition, players: int, board: Board | None = None) -> State:
    """Return the state of a game before its first event.

    Parameters
    ----------
    edition : Edition
        The edition.
    players : int
        Number of players.
    board : Board, optional
        The board to start from, by default an empty one. Its tiles are not in the bag. If too few tiles are
        left for full racks, the players draw them one by one in turn.
    """
    board = Board.empty(edition.layout) if board is None else board
    bag, racks = edition.bag_size, (edition.rack_size,) * players
    if bag is not None:
        bag = max(0, bag - sum(1 for _ in board.tiles()))
        racks = tuple(
            min(edition.rack_size, (bag + players - 1 - each) // players) for each in range(players)
        )
        bag -= sum(racks)
    return State(board=board, totals=(0,) * players, turn=0, tiles_in_bag=bag, rack_counts=racks)


def advance(before: State, event: Event, index: int, edition: Edition, players: Sequence[str]) -> Step:
    """Apply one event to a state.

    Parameters
    ----------
    before : State
        The state before the event.
    event : Event
        The event; its player must play in this game.
    index : int
        Index of the event in the game, from 0.
    edition : Edition
        The rules.
    players : sequence of str
        The names of the players, for messages.
    """
    scored, taken_back = None, None
    refusal = find_refusal(before.board, event.play, edition) if isinstance(event, PlayEvent) else None
    match event:
        case PlayEvent():
            scored, after = _place(before, event, index, edition, refusal.reason if refusal else None)
        case PassEvent() | NoPlayEvent() | ExchangeEvent():
            passes = before.passes + 1 if _pass_counts(before, event, edition) else 0
            after = replace(before, passes=passes, scoreless_turns=before.scoreless_turns + 1)
            after = _pass_turn(after, event.player)
        case WithdrawnEvent():
            taken_back = before.latest_of(event.player)
            after = _take_back(before, taken_back, index)
            after = after if event.turn_lost else _give_back_turn(after, event.player, taken_back, index)
        case ChallengeEvent(upheld=True):
            taken_back = before.latest_of(event.player)
            after = _take_back(before, taken_back, index)
        case ChallengeEvent():
            after = _penalise_challenger(before, event, edition)
        case ClockPenalty():
            after = _add_points(before, event.player, -event.points)
        case EndRack():
            value = sum(map(edition.value_of, event.tiles)) * (2 if event.doubled else 1)
            after = _add_points(before, event.player, value if event.gained else -value)
            after = replace(after, settled=(*before.settled, event))
        case _:  # EndBonus, the last kind
            after = _add_points(before, event.player, event.points)
            after = replace(after, settled=(*before.settled, event))
    ending = Ending.SETTLED if after.settled else _find_ending(after, edition)
    latest = before.latest if isinstance(event, ClockPenalty) else event
    after = replace(after, ending=ending, latest=latest)
    return Step(
        index=index,
        event=event,
        before=before,
        after=after,
        scored=scored,
        taken_back=taken_back,
        problems=find_problems(before, event, after, index, edition, players, refusal),
    )


def _place(
    before: State, event: PlayEvent, index: int, edition: Edition, refusal: PlayRule | None
) -> tuple[ScoredPlay | None, State]:
    if refusal in _NO_PLACE:
        after = replace(before, passes=0, scoreless_turns=before.scoreless_turns + 1)
        return None, _pass_turn(after, event.player)
    scored = None
    if refusal not in _NO_WORD:
        with contextlib.suppress(IllegalPlayError):  # a single tile that touches nothing forms no word
            rack_count = before.rack_count(event.player)
            scored = score_checked(before.board, event.play, edition, rack_count=rack_count)
    points = scored.total if scored is not None else 0
    held = before.rack_counts[event.player]
    from_rack = min(held, len(event.play))
    drawn = edition.rack_size - (held - from_rack)
    if before.tiles_in_bag is not None:
        drawn = min(before.tiles_in_bag, drawn)
    play = PlayOnBoard(
        index=index,
        player=event.player,
        play=event.play,
        score=points,
        from_rack=from_rack,
        drawn=drawn,
        passes=before.passes,
        scoreless_turns=before.scoreless_turns,
        sits_out=before.sits_out,
    )
    turn, sits_out = _next_turn(before, event.player)
    after = replace(
        before,
        totals=_change(before.totals, event.player, points),
        board=before.board.with_tiles(event.play),
        tiles_in_bag=None if before.tiles_in_bag is None else before.tiles_in_bag - drawn,
        rack_counts=_change(before.rack_counts, event.player, drawn - from_rack),
        plays=(*before.plays, play),
        passes=0,
        scoreless_turns=0 if points else before.scoreless_turns + 1,
        turn=turn,
        sits_out=sits_out,
    )
    return scored, after


def _pass_counts(before: State, event: Event, edition: Edition) -> bool:
    """Return whether the event is a pass that may end the game; a possible exchange is not."""
    bag = before.tiles_in_bag
    is_pass = isinstance(event, PassEvent) or (
        isinstance(event, NoPlayEvent) and not edition.exchange.is_possible(bag)
    )
    return is_pass and (bag == 0 or not edition.end.passes_need_empty_bag)


def _penalise_challenger(before: State, event: ChallengeEvent, edition: Edition) -> State:
    """Apply a challenge of a valid play."""
    rule = edition.challenge
    after = _add_points(before, event.player, event.bonus or 0)
    if event.challenger is None:
        return after
    penalty = rule.valid_points if event.penalty is None else event.penalty
    after = _add_points(after, event.challenger, -penalty)
    if not event.loses_turn(rule):
        return after
    after = replace(after, sits_out=after.sits_out | {event.challenger})
    return _pass_turn(after, after.turn - 1) if after.turn == event.challenger else after


def _take_back(before: State, play: PlayOnBoard | None, index: int) -> State:
    if play is None:
        return before
    scoreless = play.scoreless_turns if play.index == index - 1 else before.scoreless_turns
    return replace(
        _add_points(before, play.player, -play.score),
        board=before.board.without(play.play),
        tiles_in_bag=None if before.tiles_in_bag is None else before.tiles_in_bag + play.drawn,
        rack_counts=_change(before.rack_counts, play.player, play.from_rack - play.drawn),
        plays=tuple(each for each in before.plays if each is not play),
        scoreless_turns=scoreless + 1,
    )


def _give_back_turn(state: State, player: int, play: PlayOnBoard | None, index: int) -> State:
    """Return the state in which a player has the turn again; where the play was the last event, as before it."""
    state = replace(state, turn=player)
    if play is None or play.index != index - 1:
        return state
    return replace(state, passes=play.passes, scoreless_turns=play.scoreless_turns, sits_out=play.sits_out)


def _add_points(state: State, player: int, points: int) -> State:
    return replace(state, totals=_change(state.totals, player, points))


def _change(numbers: tuple[int, ...], player: int, change: int) -> tuple[int, ...]:
    """Return the numbers of all players, with that of one player changed."""
    return (*numbers[:player], numbers[player] + change, *numbers[player + 1 :])


def _pass_turn(state: State, player: int) -> State:
    """Give the turn to the next player after this one who does not sit out."""
    turn, sits_out = _next_turn(state, player)
    return replace(state, turn=turn, sits_out=sits_out)


def _next_turn(state: State, player: int) -> tuple[int, frozenset[int]]:
    """Return the next player after this one who does not sit out, and who sits out after that."""
    players, sits_out = len(state.totals), state.sits_out
    turn = (player + 1) % players
    while turn in sits_out:
        sits_out -= {turn}
        turn = (turn + 1) % players
    return turn, sits_out


def _find_ending(state: State, edition: Edition) -> Ending | None:
    rule = edition.end
    if state.tiles_in_bag == 0 and not rule.rack_empty:
        return Ending.BAG_EMPTY
    if state.tiles_in_bag == 0 and 0 in state.rack_counts:
        return Ending.OUT
    if rule.pass_rounds is not None and state.passes >= rule.pass_rounds * len(state.totals):
        return Ending.PASSES
    return None
