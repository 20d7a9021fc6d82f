"""One event after the other: what each changes, and what is odd about it.

`advance` is the whole of it: a state and an event give a step, and a game is the fold of its events.
Nothing is ever refused here. What the rules do not allow is done as far as it can be done, and said:
a recorded game must be readable to its end although somebody made a mistake in it.
"""

from __future__ import annotations

import contextlib
import enum
from collections import Counter
from dataclasses import dataclass, replace

from scoring.board import Board
from scoring.edition import Edition
from scoring.errors import IllegalPlayError, Refusal
from scoring.events import (
    ChallengeEvent,
    ClockPenalty,
    EndBonus,
    EndRack,
    Event,
    ExchangeEvent,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    WithdrawnEvent,
)
from scoring.play import Play, check_play
from scoring.score import ScoredPlay, score_play
from scoring.tiles import BLANK, is_blank

__all__ = ["Ending", "GameProblem", "Irregularity", "LaidPlay", "State", "Step", "advance", "initial_state"]

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

_TURNS = (PlayEvent, PassEvent, ExchangeEvent, NoPlayEvent)


class Ending(enum.Enum):
    """Why a game is over."""

    OUT = "a player has no tiles left"
    BAG_EMPTY = "there is nothing left to draw"
    PASSES = "everybody passed"
    SETTLED = "the tiles left were settled"


class Irregularity(enum.Enum):
    """What is odd about an event."""

    ILLEGAL_PLAY = "illegal play"
    OUT_OF_TURN = "out of turn"
    NOTHING_TO_TAKE_BACK = "nothing to take back"
    LEAVES_FLOATING = "leaves floating tiles"
    NOT_ON_RACK = "not on the rack"
    EXCHANGE_NOT_ALLOWED = "exchange not allowed"
    AFTER_THE_END = "after the end"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameProblem:
    """Something in a game that the rules do not allow, and what was done about it.

    Parameters
    ----------
    index : int
        Which event, counted from 0.
    kind : Irregularity
        What is odd.
    message : str
        The same for people.
    refusal : Refusal or None
        Which rule an illegal play breaks.
    """

    index: int
    kind: Irregularity
    message: str
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidPlay:
    """A play that stands on the board."""

    index: int
    player: int
    play: Play
    score: int
    drawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Where a game stands.

    Parameters
    ----------
    board : Board
        What lies on it.
    totals : tuple of int
        Each player's points.
    turn : int
        Who is to play.
    bag : int or None
        Tiles in the bag; None where the edition does not tell how many there are.
    hands : tuple of int
        Tiles on each rack; full ones as long as `bag` is not known.
    laid : tuple of LaidPlay
        The plays that stand, the latest last.
    passes : int
        How many passes in a row count towards the end of the game.
    scoreless : int
        How many turns in a row scored nothing.
    sits_out : frozenset of int
        Who loses the next turn.
    ending : Ending or None
        Why the game is over, None while it is not.
    """

    board: Board
    totals: tuple[int, ...]
    turn: int
    bag: int | None
    hands: tuple[int, ...]
    laid: tuple[LaidPlay, ...] = ()
    passes: int = 0
    scoreless: int = 0
    sits_out: frozenset[int] = frozenset()
    ending: Ending | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one event did.

    Parameters
    ----------
    index : int
        Which event, counted from 0.
    event : Event
        The event itself.
    before, after : State
        Where the game stood.
    scored : ScoredPlay or None
        The words of a play and what each was worth; None for other events and plays that have no place.
    taken_back : LaidPlay or None
        The play that the event took back, if it took one back.
    problems : tuple of GameProblem
        What is odd about the event.
    """

    index: int
    event: Event
    before: State
    after: State
    scored: ScoredPlay | None = None
    taken_back: LaidPlay | None = None
    problems: tuple[GameProblem, ...] = ()

    @property
    def changes(self) -> tuple[int, ...]:
        """How many points each player gained by the event, or lost."""
        return tuple(b - a for a, b in zip(self.before.totals, self.after.totals, strict=True))

    @property
    def score(self) -> int:
        """How many points the event's player gained or lost."""
        return self.changes[self.event.player]

    @property
    def total(self) -> int:
        """What the event's player has after it."""
        return self.after.totals[self.event.player]


def initial_state(edition: Edition, players: int, board: Board | None = None) -> State:
    """Where a game of so many players stands before its first event."""
    bag = edition.bag_size
    return State(
        board=Board.empty(edition.layout) if board is None else board,
        totals=(0,) * players,
        turn=0,
        bag=None if bag is None else max(0, bag - players * edition.rack_size),
        hands=(edition.rack_size,) * players,
    )


def advance(before: State, event: Event, index: int, edition: Edition) -> Step:
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
    """
    problems = _order_problems(before, event, index)
    scored, taken = None, None
    match event:
        case PlayEvent():
            scored, after, found = _play(before, event, index, edition)
            problems += found
        case PassEvent() | NoPlayEvent() | ExchangeEvent():
            if isinstance(event, ExchangeEvent):
                problems += _exchange_problems(before, event, index, edition)
            passes = before.passes + 1 if _pass_counts(before, event, edition) else 0
            after = _turn_over(replace(before, passes=passes, scoreless=before.scoreless + 1), event.player)
        case WithdrawnEvent():
            taken = _latest(before, event.player)
            after = _take_back(before, taken)
            if not event.turn_lost:
                after = replace(after, turn=event.player)
        case ChallengeEvent(upheld=True):
            taken = _latest(before, event.player)
            after = _take_back(before, taken)
        case ChallengeEvent():
            after = _wrong_challenge(before, event, edition)
        case ClockPenalty():
            after = _with_points(before, event.player, -event.points)
        case EndRack():
            value = sum(map(edition.value_of, event.tiles)) * (2 if event.doubled else 1)
            after = _with_points(before, event.player, value if event.gained else -value)
        case _:  # EndBonus, the last kind
            after = _with_points(before, event.player, event.points)
    if isinstance(event, (WithdrawnEvent, ChallengeEvent)):
        problems += _back_problems(before, after, event, index)
    settled = isinstance(event, (EndRack, EndBonus)) or before.ending is Ending.SETTLED
    after = replace(after, ending=Ending.SETTLED if settled else _ending(after, edition))
    return Step(
        index=index,
        event=event,
        before=before,
        after=after,
        scored=scored,
        taken_back=taken,
        problems=problems,
    )


def _order_problems(before: State, event: Event, index: int) -> tuple[GameProblem, ...]:
    if not isinstance(event, _TURNS):
        return ()
    problems = []
    # a pass after the last play is how a player says that there is no challenge
    if before.ending is not None and not isinstance(event, (PassEvent, NoPlayEvent)):
        message = f"a {event.kind} after the game was over: {before.ending.value}"
        problems.append(GameProblem(index=index, kind=Irregularity.AFTER_THE_END, message=message))
    if event.player != before.turn:
        message = (
            f"player {event.player + 1} had this {event.kind}, but it was player {before.turn + 1}'s turn"
        )
        problems.append(GameProblem(index=index, kind=Irregularity.OUT_OF_TURN, message=message))
    return tuple(problems)


def _play(
    before: State, event: PlayEvent, index: int, edition: Edition
) -> tuple[ScoredPlay | None, State, tuple[GameProblem, ...]]:
    problems, scored, refusal = [], None, None
    try:
        check_play(before.board, event.play, edition)
    except IllegalPlayError as error:
        refusal = error.reason
        problems.append(
            GameProblem(index=index, kind=Irregularity.ILLEGAL_PLAY, message=str(error), refusal=refusal)
        )
    tiles = Counter(BLANK if is_blank(each.token) else each.token for each in event.play)
    if event.rack is not None and (missing := tiles - Counter(event.rack)):
        message = f"{_listed(missing)} was played but is not on the rack {' '.join(event.rack)}"
        problems.append(GameProblem(index=index, kind=Irregularity.NOT_ON_RACK, message=message))
    if refusal in _NO_PLACE:
        after = replace(before, passes=0, scoreless=before.scoreless + 1)
        return None, _turn_over(after, event.player), tuple(problems)
    if refusal not in _NO_WORD:
        with contextlib.suppress(IllegalPlayError):  # a tile that touches nothing forms no word
            scored = score_play(before.board, event.play, edition, check=False)
    points = scored.total if scored is not None else 0
    held = max(0, before.hands[event.player] - len(event.play))
    missing_tiles = edition.rack_size - held
    drawn = missing_tiles if before.bag is None else min(before.bag, missing_tiles)
    laid = LaidPlay(index=index, player=event.player, play=event.play, score=points, drawn=drawn)
    after = replace(
        _with_points(before, event.player, points),
        board=before.board.with_tiles(event.play),
        bag=None if before.bag is None else before.bag - drawn,
        hands=_with_hand(before, event.player, held + drawn),
        laid=(*before.laid, laid),
        passes=0,
        scoreless=0 if points else before.scoreless + 1,
    )
    return scored, _turn_over(after, event.player), tuple(problems)


def _exchange_problems(
    before: State, event: ExchangeEvent, index: int, edition: Edition
) -> tuple[GameProblem, ...]:
    rule, messages = edition.exchange, []
    if not rule.allowed:
        messages.append(f"the {edition.name} rules know no exchange")
    elif before.bag is not None and before.bag < rule.bag_minimum:
        messages.append(f"an exchange needs {rule.bag_minimum} tiles in the bag, which holds {before.bag}")
    problems = [
        GameProblem(index=index, kind=Irregularity.EXCHANGE_NOT_ALLOWED, message=message)
        for message in messages
    ]
    if event.tiles is not None and event.rack is not None:
        missing = Counter(event.tiles) - Counter(event.rack)
        if missing:
            message = f"{_listed(missing)} was exchanged but is not on the rack"
            problems.append(GameProblem(index=index, kind=Irregularity.NOT_ON_RACK, message=message))
    return tuple(problems)


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
    if not rule.valid_turn:
        return after
    after = replace(after, sits_out=after.sits_out | {event.challenger})
    return _turn_over(after, after.turn - 1) if after.turn == event.challenger else after


def _latest(state: State, player: int) -> LaidPlay | None:
    return next((laid for laid in reversed(state.laid) if laid.player == player), None)


def _take_back(before: State, laid: LaidPlay | None) -> State:
    if laid is None:
        return before
    held = before.hands[laid.player] - laid.drawn + len(laid.play)
    return replace(
        _with_points(before, laid.player, -laid.score),
        board=before.board.without(laid.play),
        bag=None if before.bag is None else before.bag + laid.drawn,
        hands=_with_hand(before, laid.player, held),
        laid=tuple(each for each in before.laid if each is not laid),
        scoreless=before.scoreless + 1,
    )


def _back_problems(before: State, after: State, event: Event, index: int) -> tuple[GameProblem, ...]:
    """What is odd about a play that is taken back or challenged."""
    if _latest(before, event.player) is None:
        message = f"player {event.player + 1} has no play on the board that this {event.kind} could mean"
        return (GameProblem(index=index, kind=Irregularity.NOTHING_TO_TAKE_BACK, message=message),)
    if before.board.is_connected() and not after.board.is_connected():
        message = "other tiles hang on the play that was taken back and now touch nothing"
        return (GameProblem(index=index, kind=Irregularity.LEAVES_FLOATING, message=message),)
    return ()


def _listed(tiles: Counter[str]) -> str:
    return " ".join(sorted(tiles.elements()))


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
