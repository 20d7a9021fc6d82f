"""The operator's commands for clocks, racks, uncertain tiles and the title, and what the events hold for an operator.

The events of the camera hold uncertain tiles, and messages that name no files. Commands that change the game itself are
those of `vision.game_events.apply_command`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType

from scoring import Game, ScoringError, capitalize, format_square, parse_square, parse_tokens, unseen_tiles
from tilesight.live.clocks import Clocks, parse_clock
from tilesight.live.operator.state import SETTINGS, OperatorState
from tilesight.output import (
    BY_OPERATOR,
    ClocksEvent,
    ConfirmedEvent,
    CountdownEvent,
    RackEvent,
    TitleEvent,
    UncertainTile,
    UpdateEvent,
    to_event,
)
from vision.errors import SettingsError
from vision.game_events import (
    MIN_CONFIDENCE,
    Command,
    GameUpdate,
    Notice,
    NoticeKind,
    UpdateBatch,
    UpdateKind,
    Verb,
    expect_words,
    find_player,
    is_printable,
    named_squares,
    parse_player,
)

__all__ = [
    "MAX_TITLE",
    "OPERATOR_VERBS",
    "OperatorEvent",
    "confirm_named",
    "convert_command",
    "find_uncertain_tiles",
    "to_events",
]

OperatorEvent = ClocksEvent | RackEvent | ConfirmedEvent | TitleEvent | CountdownEvent

MAX_TITLE = 120
"""Characters of a title; chosen."""


def convert_command(command: Command, game: Game, state: OperatorState, now_s: float) -> OperatorEvent:
    """Convert a command whose verb is in `OPERATOR_VERBS` to its event.

    Parameters
    ----------
    command : Command
        The command.
    game : Game
        The game as it is.
    state : OperatorState
        The state before the command.
    now_s : float
        Seconds since 1970.

    Raises
    ------
    SettingsError
        If the command does not fit the game or the state.
    """
    try:
        return _CONVERTERS[command.verb](command.words, game, state, now_s)
    except ScoringError as error:
        raise SettingsError(f"{command}: {error}") from error


def confirm_named(command: Command, before: Game, after: Game) -> list[ConfirmedEvent]:
    """Return the event of the tiles that ``letter`` or ``correct`` names and leaves as they are; none for no tiles.

    Parameters
    ----------
    command : Command
        The command.
    before, after : Game
        The game before and after it.
    """
    named = sorted(named_squares(command, after))
    squares = tuple(square for square in named if before.board[square] == after.board[square])
    return [ConfirmedEvent(squares=squares, by=BY_OPERATOR)] if squares else []


def _start(words: Sequence[str], game: Game, state: OperatorState, now_s: float) -> ClocksEvent:
    player = find_player(" ".join(words), game, f"start {game.players[0]}") if words else game.turn
    if state.clocks is None:
        raise SettingsError(f"start: the clocks show no time; write time {game.players[player]} 25:00 first")
    return state.clocks.run(player, now_s).to_event()


def _stop(words: Sequence[str], game: Game, state: OperatorState, now_s: float) -> ClocksEvent:
    expect_words(tuple(words), 0, "stop")
    return _clocks(state, game).run(None, now_s).to_event()


def _set_time(words: Sequence[str], game: Game, state: OperatorState, now_s: float) -> ClocksEvent:
    example = f"time {game.players[0]} 25:00"
    player, rest = parse_player(tuple(words), game, example)
    expect_words(rest, 1, example)
    return _clocks(state, game).with_left(player, parse_clock(rest[0]), now_s).to_event()


def _clocks(state: OperatorState, game: Game) -> Clocks:
    return state.clocks or Clocks(left_s=(0.0,) * len(game.players))


def _set_rack(words: Sequence[str], game: Game, _: OperatorState, now_s: float) -> RackEvent:
    edition, example = game.edition, f"rack {game.players[0]} ABC?"
    player, rest = parse_player(tuple(words), game, example)
    expect_words(rest[1:], 0, example)
    tiles = parse_tokens(capitalize(rest[0], edition), edition.tokens) if rest else ()
    if len(tiles) > edition.rack_size or any(tile not in edition.values for tile in tiles):
        raise SettingsError(f"rack {rest[0]}: a rack holds up to {edition.rack_size} tiles of {edition.name}")
    unseen = unseen_tiles(game.board, edition)
    if unseen is not None and (missing := " ".join((Counter(tiles) - Counter(unseen)).elements())):
        raise SettingsError(
            f"rack {rest[0]}: {missing} is too much; the board has the other tiles of these letters"
        )
    return RackEvent(player=game.players[player], tiles=tuple(tiles), at_s=round(now_s, 3))


def _confirm(words: Sequence[str], _game: Game, state: OperatorState, _now_s: float) -> ConfirmedEvent:
    if not words:
        return ConfirmedEvent(squares=())
    if tuple(words) == ("question",):
        return ConfirmedEvent(squares=(), question=True)
    expect_words(tuple(words), 1, "confirm H8")
    square = parse_square(words[0])
    if square not in {(tile.row, tile.column) for tile in state.uncertain_tiles}:
        raise SettingsError(f"confirm {words[0]}: nothing is in doubt on {format_square(*square)}")
    return ConfirmedEvent(squares=(square,))


def _set_title(words: Sequence[str], _game: Game, _state: OperatorState, _now_s: float) -> TitleEvent:
    text = " ".join(words)
    if len(text) > MAX_TITLE or not is_printable(text):
        raise SettingsError(f"title: up to {MAX_TITLE} characters that can be printed, got {len(text)}")
    return TitleEvent(text=text)


def _set_countdown(words: Sequence[str], _game: Game, _state: OperatorState, now_s: float) -> CountdownEvent:
    if not words:
        return CountdownEvent(until_s=None)
    if words[0] == "at":
        expect_words(tuple(words), 2, "countdown at 19:30")
        return CountdownEvent(until_s=find_next_time(words[1], now_s))
    expect_words(tuple(words), 1, "countdown 10:00")
    left_s = parse_clock(words[0])
    if left_s <= 0:
        raise SettingsError(f"countdown {words[0]}: write a time to come, such as countdown 10:00")
    return CountdownEvent(until_s=round(now_s + left_s, 3))


def find_next_time(text: str, now_s: float) -> float:
    """Return the next moment at which the clock on the wall shows a time, in seconds since 1970.

    Raises
    ------
    SettingsError
        If it is no time of a day.
    """
    found = re.fullmatch(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", text)
    if found is None:
        raise SettingsError(f"{text:.20}: no time of a day; write hours and minutes, such as 19:30")
    now = datetime.fromtimestamp(now_s)
    then = now.replace(hour=int(found[1]), minute=int(found[2]), second=0, microsecond=0)
    return (then if then > now else then + timedelta(days=1)).timestamp()


_CONVERTERS: Mapping[Verb, Callable[[Sequence[str], Game, OperatorState, float], OperatorEvent]] = (
    MappingProxyType(
        {
            Verb.START: _start,
            Verb.STOP: _stop,
            Verb.TIME: _set_time,
            Verb.RACK: _set_rack,
            Verb.CONFIRM: _confirm,
            Verb.TITLE: _set_title,
            Verb.COUNTDOWN: _set_countdown,
        }
    )
)
OPERATOR_VERBS = frozenset(_CONVERTERS)
"""The verbs that `convert_command` takes."""


CAMERA_MESSAGES = {
    NoticeKind.INTERRUPTED: "no picture",
    NoticeKind.UNREADABLE: "no picture",
    NoticeKind.RETURNED: "frames come again",
}
"""What the journal of an operated game says of these. The system's own words name files and cameras."""


def to_events(batch: UpdateBatch, *, for_operator: bool) -> list[UpdateEvent]:
    """Return the events of what a camera saw; for an operator with doubts, and with messages that name no files.

    Parameters
    ----------
    batch : UpdateBatch
        The updates and notices of one moment.
    for_operator : bool
        Whether an operator checks the game.
    """
    return [_to_event(item, batch, for_operator=for_operator) for item in batch.items]


def _to_event(item: GameUpdate | Notice, batch: UpdateBatch, *, for_operator: bool) -> UpdateEvent:
    event = to_event(item, batch.source, batch.index, batch.time_s)
    if not for_operator:
        return event
    if isinstance(item, Notice):
        return replace(event, message=CAMERA_MESSAGES.get(item.kind, event.message))
    return replace(event, uncertain_tiles=find_uncertain_tiles(item, batch))


def find_uncertain_tiles(update: GameUpdate, batch: UpdateBatch) -> tuple[UncertainTile, ...]:
    """Find the tiles of a play that may have been misread, and blanks without a letter."""
    if update.kind is not UpdateKind.PLAY or update.step is None or update.step.scored is None:
        return ()
    found = []
    decoded = batch.observation.decoded if batch.observation is not None else None
    for tile in update.step.scored.play:
        square = (tile.row, tile.column)
        others: tuple[tuple[str, float], ...] = ()
        confidence = 1.0
        if decoded is not None:
            candidates = {each.token: each.probability for each in decoded.alternatives.get(square, ())}
            confidence = candidates.pop(tile.token, float(decoded.confidence[square]))
            others = tuple(
                (token, round(p, 4)) for token, p in candidates.items() if p >= SETTINGS.min_alternative
            )
        if confidence < MIN_CONFIDENCE or tile.token == "?":
            found.append(
                UncertainTile(
                    row=tile.row,
                    column=tile.column,
                    token=tile.token,
                    confidence=round(confidence, 4),
                    others=others,
                )
            )
    return tuple(found)
