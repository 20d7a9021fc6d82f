"""Find the problems of an event: what the rules do not allow, and what contradicts the rest of the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from scoring.board import Board, unseen_tiles
from scoring.edition import Edition
from scoring.errors import IllegalPlayError
from scoring.game.events import (
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
from scoring.game.state import GameProblem, GameProblemKind, State

__all__ = ["find_problems", "missing_tiles"]

_TURNS = {
    PlayEvent: "play",
    PassEvent: "pass",
    ExchangeEvent: "exchange",
    NoPlayEvent: "turn without a play",
}

_Problems = Iterator[tuple[GameProblemKind, str]]


def find_problems(
    before: State,
    event: Event,
    after: State,
    index: int,
    edition: Edition,
    players: Sequence[str],
    refusal: IllegalPlayError | None,
) -> tuple[GameProblem, ...]:
    """Return the problems of an event.

    Parameters
    ----------
    before, after : State
        The states before and after it.
    event : Event
        The event.
    index : int
        Its index in the game, from 0.
    edition : Edition
        The rules.
    players : sequence of str
        The names of the players.
    refusal : IllegalPlayError or None
        Why the rules do not allow a play; None for a legal play and for other events.
    """
    name = players[event.player]
    found = [*_turn_problems(before, event, players), *_rack_problems(before, event, edition, name)]
    match event:
        case PlayEvent():
            found += _play_problems(before, event, refusal, name)
        case ExchangeEvent():
            found += _exchange_problems(before, event, edition, name)
        case WithdrawnEvent() | ChallengeEvent():
            found += _take_back_problems(before, after, event, name)
        case ClockPenalty(points=points) if points < 0:
            message = f"{name} gains {-points} points by the clock, which can only cost some"
            found.append((GameProblemKind.TIME_GAINED, message))
        case EndRack() | EndBonus():
            found += _settlement_problems(before, event, edition, name)
        case _:
            pass
    return tuple(
        GameProblem(
            index=index,
            kind=kind,
            message=message,
            reason=refusal.reason if refusal and kind is GameProblemKind.ILLEGAL_PLAY else None,
        )
        for kind, message in found
    )


def _turn_problems(before: State, event: Event, players: Sequence[str]) -> _Problems:
    turn = _TURNS.get(type(event))
    if turn is None:
        return
    # a pass after the last play is normal: the player does not challenge
    if before.ending is not None and not isinstance(event, (PassEvent, NoPlayEvent)):
        yield (
            GameProblemKind.AFTER_THE_END,
            f"this {turn} came after the game was over: {before.ending.value}",
        )
    if event.player != before.turn:
        yield (
            GameProblemKind.OUT_OF_TURN,
            f"{players[event.player]} had this {turn}, but it was the turn of {players[before.turn]}",
        )


def _rack_problems(before: State, event: Event, edition: Edition, name: str) -> _Problems:
    rack, rack_count = getattr(event, "rack", None), before.rack_counts[event.player]
    if rack and (number := len(rack)) > rack_count:
        message = f"the rack {' '.join(rack)} has {number} tiles, but {name} held {rack_count}"
        yield GameProblemKind.NOT_ON_RACK, message
    if rack and (missing := missing_tiles(rack, before.board, edition)):
        tiles = _format_tiles(missing)
        message = f"the rack {' '.join(rack)} is not in the bag: {tiles} is too much"
        yield GameProblemKind.RACK_NOT_IN_BAG, message


def missing_tiles(rack: Sequence[str], board: Board, edition: Edition) -> Counter[str]:
    """Return the tiles of a rack that the bag cannot give, with the board as it is.

    Parameters
    ----------
    rack : sequence of str
        The rack.
    board : Board
        The board.
    edition : Edition
        The edition, which defines the full bag.
    """
    missing: Counter[str] = Counter()
    for tile in dict.fromkeys(rack):
        count = edition.counts.get(tile)
        if count is not None:
            missing[tile] = rack.count(tile) + board.tile_counts.get(tile, 0) - count
    return +missing


def _play_problems(before: State, event: PlayEvent, refusal: IllegalPlayError | None, name: str) -> _Problems:
    number, rack_count = len(event.play), before.rack_counts[event.player]
    if refusal is not None:
        yield GameProblemKind.ILLEGAL_PLAY, str(refusal)
    elif number > rack_count:
        message = f"{name} played {number} tiles, but the rack held {rack_count}"
        yield GameProblemKind.NOT_ON_RACK, message
    if event.rack is not None and (missing := event.play.tile_counts - Counter(event.rack)):
        message = f"{_format_tiles(missing)} was played but is not on the rack {' '.join(event.rack)}"
        yield GameProblemKind.NOT_ON_RACK, message


def _exchange_problems(before: State, event: ExchangeEvent, edition: Edition, name: str) -> _Problems:
    rule, rack_count, bag = edition.exchange, before.rack_counts[event.player], before.tiles_in_bag
    if not rule.allowed:
        yield GameProblemKind.EXCHANGE_NOT_ALLOWED, f"the {edition.name} rules know no exchange"
    elif bag is not None and bag < rule.bag_minimum:
        message = f"an exchange needs {rule.bag_minimum} tiles in the bag, which holds {bag}"
        yield GameProblemKind.EXCHANGE_NOT_ALLOWED, message
    elif bag == 0:
        yield GameProblemKind.EXCHANGE_NOT_ALLOWED, "the bag is empty, so nothing can be exchanged"
    elif bag is not None and event.count is not None and event.count > bag:
        message = f"{name} exchanged {event.count} tiles, but the bag held {bag}"
        yield GameProblemKind.EXCHANGE_NOT_ALLOWED, message
    if event.count is not None and event.count > rack_count:
        yield (
            GameProblemKind.NOT_ON_RACK,
            f"{name} exchanged {event.count} tiles, but the rack held {rack_count}",
        )
    if event.tiles is not None and event.rack is not None:
        missing = Counter(event.tiles) - Counter(event.rack)
        if missing:
            yield (
                GameProblemKind.NOT_ON_RACK,
                f"{_format_tiles(missing)} was exchanged but is not on the rack",
            )


def _take_back_problems(
    before: State, after: State, event: WithdrawnEvent | ChallengeEvent, name: str
) -> _Problems:
    play = before.latest_of(event.player)
    if play is None:
        done = "be challenged" if isinstance(event, ChallengeEvent) else "be taken back"
        yield GameProblemKind.NOTHING_TO_TAKE_BACK, f"{name} has no play on the board that could {done}"
        return
    if isinstance(event, ChallengeEvent) and not event.upheld:
        return  # takes nothing back; files record its points on two lines, or only after the next play
    latest = before.latest
    if before.settled:
        message = f"the play of {name} was taken back after the tiles left were settled; settle again"
        yield GameProblemKind.AFTER_THE_END, message
    elif isinstance(latest, ChallengeEvent) and latest.player == event.player and not latest.upheld:
        message = f"the play of {name} was taken back after a challenge that found its words valid"
        yield GameProblemKind.TOO_LATE, message
    elif not isinstance(latest, PlayEvent) or latest.play != play.play:
        yield GameProblemKind.TOO_LATE, f"the play of {name} was taken back after a later turn"
    if before.board.is_connected() and not after.board.is_connected():
        message = "other tiles were joined to the play that was taken back and now touch nothing"
        yield GameProblemKind.LEAVES_FLOATING, message


def _settlement_problems(before: State, event: EndRack | EndBonus, edition: Edition, name: str) -> _Problems:
    """Compare the settled tiles with the board and the counts; a correction of an earlier play changes these."""
    if _settlement_key(event) in map(_settlement_key, before.settled):
        yield (
            GameProblemKind.SETTLED_TWICE,
            f"the tiles left of {name} were settled before; remove one of the two",
        )
    own = isinstance(event, EndRack) and not event.gained
    held = before.rack_counts[event.player]
    if not own and before.tiles_in_bag is not None and held:
        message = (
            f"{name} has {held} tiles left, so nothing is added for an empty rack; settle again"
            if held > 1
            else f"{name} has 1 tile left, so nothing is added for an empty rack; settle again"
        )
        yield GameProblemKind.TILES_DO_NOT_ADD_UP, message
    if isinstance(event, EndBonus):
        return
    others = [each.tiles for each in before.settled if own and isinstance(each, EndRack) and not each.gained]
    unseen = unseen_tiles(before.board, edition, others)
    missing = Counter(event.tiles) - Counter(unseen if unseen is not None else event.tiles)
    if missing:
        message = f"{_format_tiles(missing)} cannot be left on a rack, as no such tile is out of sight; settle again"
        yield GameProblemKind.TILES_DO_NOT_ADD_UP, message
    most = held if own else sum(before.rack_counts) - held
    tiles = len(event.tiles)
    if tiles > most or (before.tiles_in_bag is not None and tiles < most):
        whose = name if own else f"the others than {name}"
        if tiles == 1:
            message = f"1 tile is settled for {whose}, but {most} are left there; settle again"
        elif most == 1:
            message = f"{tiles} tiles are settled for {whose}, but 1 is left there; settle again"
        else:
            message = f"{tiles} tiles are settled for {whose}, but {most} are left there; settle again"
        yield GameProblemKind.TILES_DO_NOT_ADD_UP, message


def _settlement_key(event: EndRack | EndBonus) -> tuple[str, int, bool]:
    return event.kind, event.player, isinstance(event, EndRack) and event.gained


def _format_tiles(tiles: Counter[str]) -> str:
    return " ".join(sorted(tiles.elements()))
