"""One event after the other: what each changes, and what is odd about it.

`advance` is the whole of it: a state and an event give a step, and a game is the fold of its events.
Nothing is ever refused here. What the rules do not allow is done as far as it can be done, and said:
a recorded game must be readable to its end although somebody made a mistake in it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from scoring.board import Board
from scoring.edition import Edition
from scoring.errors import IllegalPlayError, Refusal
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
from scoring.play import check_play
from scoring.score import ScoredPlay, score_play

__all__ = ["advance", "initial_state"]

# A play that breaks one of these rules cannot lie on the board at all, ...
_NO_PLACE = {
    Refusal.NO_TILES,
    Refusal.OFF_BOARD,
    Refusal.SQUARE_TWICE,
    Refusal.OCCUPIED,
    Refusal.COVERED,
    Refusal.UNKNOWN_TILE,
}
# ... and one that breaks one of these lies there without forming a word.
_NO_WORD = {Refusal.NOT_ONE_LINE, Refusal.GAP}


def initial_state(edition: Edition, players: int, board: Board | None = None) -> State:
    """Where a game of so many players stands before its first event.

    Parameters
    ----------
    edition : Edition
        Whose bag.
    players : int
        How many play.
    board : Board, optional
        A board that play goes on from. Its tiles are not in the bag, and what is left fills the racks as
        far as it goes, one tile a player in turn.
    """
    board = Board.empty(edition.layout) if board is None else board
    bag, hands = edition.bag_size, (edition.rack_size,) * players
    if bag is not None:
        bag = max(0, bag - sum(1 for _ in board.tiles()))
        hands = tuple(
            min(edition.rack_size, (bag + players - 1 - each) // players) for each in range(players)
        )
        bag -= sum(hands)
    return State(board=board, totals=(0,) * players, turn=0, bag=bag, hands=hands)


def advance(before: State, event: Event, index: int, edition: Edition, players: Sequence[str]) -> Step:
    """What the event, the game's `index`-th, changes, and what is odd about it.

    Parameters
    ----------
    before : State
        Where the game stands.
    event : Event
        What happened; its player must be one of the game's.
    index : int
        Which event of the game it is, counted from 0.
    edition : Edition
        Whose rules.
    players : sequence of str
        Their names, for what is said about odd events.
    """
    scored, taken = None, None
    refusal = _refusal(before, event, edition)
    match event:
        case PlayEvent():
            scored, after = _play(before, event, index, edition, refusal.reason if refusal else None)
        case PassEvent() | NoPlayEvent() | ExchangeEvent():
            passes = before.passes + 1 if _pass_counts(before, event, edition) else 0
            after = _turn_over(replace(before, passes=passes, scoreless=before.scoreless + 1), event.player)
        case WithdrawnEvent():
            taken = before.latest_of(event.player)
            after = _take_back(before, taken)
            after = after if event.turn_lost else replace(after, turn=event.player)
        case ChallengeEvent(upheld=True):
            taken = before.latest_of(event.player)
            after = _take_back(before, taken)
        case ChallengeEvent():
            after = _wrong_challenge(before, event, edition)
        case ClockPenalty():
            after = _with_points(before, event.player, -event.points)
        case EndRack():
            value = sum(map(edition.value_of, event.tiles)) * (2 if event.doubled else 1)
            after = _with_points(before, event.player, value if event.gained else -value)
            after = replace(after, settled=(*before.settled, event))
        case _:  # EndBonus, the last kind
            after = _with_points(before, event.player, event.points)
            after = replace(after, settled=(*before.settled, event))
    after = replace(after, ending=Ending.SETTLED if after.settled else _ending(after, edition))
    return Step(
        index=index,
        event=event,
        before=before,
        after=after,
        scored=scored,
        taken_back=taken,
        problems=find_problems(before, event, after, index, edition, players, refusal),
    )


def _refusal(before: State, event: Event, edition: Edition) -> IllegalPlayError | None:
    if isinstance(event, PlayEvent):
        try:
            check_play(before.board, event.play, edition)
        except IllegalPlayError as error:
            return error
    return None


def _play(
    before: State, event: PlayEvent, index: int, edition: Edition, refusal: Refusal | None
) -> tuple[ScoredPlay | None, State]:
    if refusal in _NO_PLACE:
        after = replace(before, passes=0, scoreless=before.scoreless + 1)
        return None, _turn_over(after, event.player)
    scored = None
    if refusal not in _NO_WORD:
        with contextlib.suppress(IllegalPlayError):  # a tile that touches nothing forms no word
            hand = before.held(event.player)
            scored = score_play(before.board, event.play, edition, check=False, hand=hand)
    points = scored.total if scored is not None else 0
    held = max(0, before.hands[event.player] - len(event.play))
    missing_tiles = edition.rack_size - held
    drawn = missing_tiles if before.bag is None else min(before.bag, missing_tiles)
    laid = PlayOnBoard(index=index, player=event.player, play=event.play, score=points, drawn=drawn)
    after = replace(
        _with_points(before, event.player, points),
        board=before.board.with_tiles(event.play),
        bag=None if before.bag is None else before.bag - drawn,
        hands=_with_hand(before, event.player, held + drawn),
        plays=(*before.plays, laid),
        passes=0,
        scoreless=0 if points else before.scoreless + 1,
    )
    return scored, _turn_over(after, event.player)


def _pass_counts(before: State, event: Event, edition: Edition) -> bool:
    """Whether the event is a pass that may end the game; what may have been an exchange is none."""
    return isinstance(event, PassEvent) and (before.bag == 0 or not edition.end.passes_need_empty_bag)


def _wrong_challenge(before: State, event: ChallengeEvent, edition: Edition) -> State:
    rule = edition.challenge
    after = _with_points(before, event.player, event.bonus or 0)
    if event.challenger is None:
        return after
    after = _with_points(
        after, event.challenger, -(rule.valid_points if event.penalty is None else event.penalty)
    )
    if not (rule.valid_turn if event.turn_lost is None else event.turn_lost):
        return after
    after = replace(after, sits_out=after.sits_out | {event.challenger})
    return _turn_over(after, after.turn - 1) if after.turn == event.challenger else after


def _take_back(before: State, laid: PlayOnBoard | None) -> State:
    if laid is None:
        return before
    held = before.hands[laid.player] - laid.drawn + len(laid.play)
    return replace(
        _with_points(before, laid.player, -laid.score),
        board=before.board.without(laid.play),
        bag=None if before.bag is None else before.bag + laid.drawn,
        hands=_with_hand(before, laid.player, held),
        plays=tuple(each for each in before.plays if each is not laid),
        scoreless=before.scoreless + 1,
    )


def _with_points(state: State, player: int, points: int) -> State:
    totals = tuple(total + points * (each == player) for each, total in enumerate(state.totals))
    return replace(state, totals=totals)


def _with_hand(state: State, player: int, held: int) -> tuple[int, ...]:
    return tuple(held if each == player else hand for each, hand in enumerate(state.hands))


def _turn_over(state: State, player: int) -> State:
    """The turn goes to the next player after this one who does not sit out."""
    players, sits_out = len(state.totals), state.sits_out
    turn = (player + 1) % players
    while turn in sits_out:
        sits_out -= {turn}
        turn = (turn + 1) % players
    return replace(state, turn=turn, sits_out=sits_out)


def _ending(state: State, edition: Edition) -> Ending | None:
    rule = edition.end
    if state.bag == 0 and not rule.rack_empty:
        return Ending.BAG_EMPTY
    if state.bag == 0 and 0 in state.hands:
        return Ending.OUT
    if rule.pass_rounds is not None and state.passes >= rule.pass_rounds * len(state.totals):
        return Ending.PASSES
    return None
