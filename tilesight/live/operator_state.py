"""What lies beside the board: clocks, racks, doubts and a title, as a value that follows from journal events.

The game is a fold of its events; so is the desk. A command becomes an event, the event is on disk, and the desk
after it is `OperatorState.after`. Times are seconds since 1970, so that a clock runs on while a program is restarted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from scoring import (
    BLANK,
    EMPTY,
    Board,
    Game,
    Placement,
    ScoringError,
    format_square,
    is_blank,
    parse_square,
    parse_tokens,
)
from vision.errors import SettingsError
from vision.game_events import Command, Verb, expect, player_named

__all__ = [
    "DESK_VERBS",
    "Clocks",
    "OperatorState",
    "RackSeen",
    "SquareDoubt",
    "event_of_command",
    "format_clock",
]

Event = Mapping[str, Any]

MAX_RACKS_KEPT = 40
"""Racks that are kept for showing them later; a rack camera tells one for each tile that moves."""
SURE_PLAY = 0.9
"""A play of the camera's that is less likely than this asks for a second look."""
LONGEST_TITLE = 120
LONGEST_CLOCK_S = 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """The players' clocks.

    Parameters
    ----------
    left_s : tuple of float
        Seconds that each player has left, at `at_s`; negative once the time is overstepped.
    running : int or None
        Whose clock runs.
    at_s : float
        When that was.
    """

    left_s: tuple[float, ...]
    running: int | None = None
    at_s: float = 0.0

    def at(self, now_s: float) -> Clocks:
        """The clocks at another moment."""
        gone = max(0.0, now_s - self.at_s)
        left = tuple(left - gone * (player == self.running) for player, left in enumerate(self.left_s))
        return replace(self, left_s=left, at_s=now_s)

    def run(self, player: int | None, now_s: float) -> Clocks:
        """The clocks once this player's runs, or none."""
        return replace(self.at(now_s), running=player)

    def with_left(self, player: int, left_s: float, now_s: float) -> Clocks:
        """The clocks with another time left for one player."""
        now = self.at(now_s)
        left = tuple(left_s if each == player else left for each, left in enumerate(now.left_s))
        return replace(now, left_s=left)

    def to_event(self) -> dict[str, Any]:
        """The event that says so."""
        left = [round(left, 3) for left in self.left_s]
        return {"event": "clocks", "left_s": left, "running": self.running, "at_s": round(self.at_s, 3)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RackSeen:
    """The tiles on a rack, and when somebody said so."""

    tiles: tuple[str, ...]
    at_s: float
    by: str = ""
    """``"desk"`` or ``"camera"``, whoever said exactly these; empty once tiles have come or gone since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareDoubt:
    """A tile that may have been misread.

    Parameters
    ----------
    row, column : int
        Its square.
    token : str
        What it was taken for.
    confidence : float
        Probability of that.
    others : tuple of (str, float)
        What else it may be, with probabilities, the likeliest first.
    """

    row: int
    column: int
    token: str
    confidence: float
    others: tuple[tuple[str, float], ...] = ()

    def to_record(self) -> dict[str, Any]:
        """The doubt as a value for JSON."""
        return {
            "square": [self.row, self.column],
            "token": self.token,
            "confidence": round(self.confidence, 4),
            "others": [[token, round(probability, 4)] for token, probability in self.others],
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> SquareDoubt:
        """The doubt that `to_record` wrote."""
        row, column = record["square"]
        others = tuple((token, probability) for token, probability in record["others"])
        return cls(
            row=row, column=column, token=record["token"], confidence=record["confidence"], others=others
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorState:
    """What is known beside the board.

    Parameters
    ----------
    racks : tuple of tuple of RackSeen
        For each player what was said of the rack, the latest last.
    clocks : Clocks or None
        None where the game is played without.
    doubts : tuple of SquareDoubt
        What asks for attention.
    attention : str
        What is the matter, where no square is to blame; empty if nothing is.
    title : str
        The line for viewers.
    vouched : frozenset of (row, column, token)
        Tiles that lie as somebody at the desk said: no look of the camera corrects those.
    lifted : tuple of Placement
        Tiles that the desk took off the game's board last; they may lie on the real one for a while.
    """

    racks: tuple[tuple[RackSeen, ...], ...]
    clocks: Clocks | None = None
    doubts: tuple[SquareDoubt, ...] = ()
    attention: str = ""
    title: str = ""
    locked: frozenset[tuple[int, int, str]] = frozenset()
    removed_by_user: tuple[Placement, ...] = ()

    def rack(self, player: int, now_s: float, delay_s: float = 0.0) -> tuple[str, ...]:
        """A player's rack as it was known `delay_s` ago, without what was laid since; empty if it was not."""
        known = [seen for seen in self.racks[player] if seen.at_s + delay_s <= now_s]
        return known[-1].tiles if known else ()

    def next_rack_s(self, now_s: float, delay_s: float) -> float | None:
        """When the next rack may be shown; None if all that are known may be."""
        waiting = [
            seen.at_s + delay_s for racks in self.racks for seen in racks if seen.at_s + delay_s > now_s
        ]
        return min(waiting, default=None)

    def after_entry(self, events: Sequence[Event], before: Game, after: Game) -> OperatorState:
        """The desk after an entry of the journal, which led from one game to another.

        Parameters
        ----------
        events : sequence of mapping
            What the entry announced.
        before, after : Game
            The game before the entry, and after it.
        """
        kinds = {event["event"] for event in events}
        by_desk = any(event.get("by") == "desk" for event in events)
        desk = _after_boards(self, before.board, after.board, by_desk=by_desk, undone="undone" in kinds)
        desk = _after_plays_moved(desk, before, after, redone=bool(kinds & {"undone", "redone"}))
        if "play" in kinds:
            desk = replace(desk, attention="")
        for event in events:
            desk = desk.after(event, after)
        return desk

    def after(self, event: Event, game: Game) -> OperatorState:
        """The desk after an event of the journal, which led to `game`.

        Parameters
        ----------
        event : mapping
            As it was announced.
        game : Game
            The game after the event's entry.
        """
        desk = replace(self, doubts=tuple(doubt for doubt in self.doubts if _still_there(doubt, game)))
        change = _AFTER.get(event["event"])
        return change(desk, event, game) if change is not None else desk


def _still_there(doubt: SquareDoubt, game: Game) -> bool:
    return game.board[doubt.row, doubt.column] == doubt.token


def _after_boards(
    desk: OperatorState, before: Board, after: Board, *, by_desk: bool, undone: bool
) -> OperatorState:
    """Whose word stands for which tile, once the board is another."""
    if before == after:
        return desk
    fresh = {(t.row, t.column, t.token) for t in after.tiles() if before[t.row, t.column] != t.token}
    locked = frozenset(tile for tile in desk.locked if after[tile[0], tile[1]] == tile[2])
    if by_desk and not undone:
        locked |= fresh
    gone = tuple(tile for tile in before.tiles() if after[tile.row, tile.column] == EMPTY)
    return replace(desk, locked=locked, removed_by_user=gone if by_desk else ())


def _after_plays_moved(desk: OperatorState, before: Game, after: Game, *, redone: bool) -> OperatorState:
    """The racks once plays went back to them; by undo and redo, plays come from them without being told as new."""
    stood = {laid.index: laid for laid in before.state.plays}
    stand = {laid.index: laid for laid in after.state.plays}
    for laid in (stood[index] for index in stood.keys() - stand.keys()):
        back = tuple(_letter_on_rack(tile.token) for tile in laid.play)
        racks = tuple(_with_back(seen, back, after.edition.rack_size) for seen in desk.racks[laid.player])
        desk = _with_racks(desk, laid.player, racks)
    for laid in (stand[index] for index in stand.keys() - stood.keys()) if redone else ():
        tiles = Counter(_letter_on_rack(tile.token) for tile in laid.play)
        desk = _with_racks(
            desk, laid.player, tuple(_without(seen, tiles) for seen in desk.racks[laid.player])
        )
    return desk


def _letter_on_rack(token: str) -> str:
    return BLANK if is_blank(token) else token


def _with_back(seen: RackSeen, tiles: tuple[str, ...], rack_size: int) -> RackSeen:
    """The rack with tiles back on it; not known where others were drawn since, or where it was not known."""
    whole = (*seen.tiles, *tiles)
    known = len(whole) <= rack_size and (seen.tiles or len(tiles) == rack_size)
    return replace(seen, tiles=whole if known else (), by="")


def _after_play(desk: OperatorState, event: Event, game: Game) -> OperatorState:
    player = game.players.index(event["player"])
    laid = Counter(_letter_on_rack(token) for _, _, token in event.get("placed", ()))
    racks = tuple(_without(seen, laid) for seen in desk.racks[player])
    new = tuple(SquareDoubt.from_record(record) for record in event.get("doubts", ()))
    attention = desk.attention or _question(event, bool(new))
    return replace(_with_racks(desk, player, racks), doubts=(*desk.doubts, *new), attention=attention)


def _question(event: Event, squares_doubted: bool) -> str:
    """What to look at in a play, where no square says it; empty if the play is beyond doubt."""
    if event.get("alternatives"):
        other = event["alternatives"][0]["plays"]
        plays = ", then ".join(f"{play['position']} {''.join(play['word'])}" for play in other)
        return f"two plays at one look; they may have been {plays}"
    confidence = event.get("confidence", 1.0)
    if confidence < SURE_PLAY and not squares_doubted:
        return (
            f"{event.get('position', 'the play')} is in doubt ({confidence:.0%}); compare it with the board"
        )
    return ""


def _without(seen: RackSeen, laid: Counter[str]) -> RackSeen:
    """The rack without the tiles that were laid; one that does not hold them all was seen after they were."""
    held = Counter(seen.tiles)
    if not laid <= held:
        return replace(seen, by="")
    left, tiles = held - laid, []
    for tile in seen.tiles:  # in their order on the rack
        if left[tile]:
            left[tile] -= 1
            tiles.append(tile)
    return replace(seen, tiles=tuple(tiles), by="")


def _with_racks(desk: OperatorState, player: int, racks: tuple[RackSeen, ...]) -> OperatorState:
    kept = racks[-MAX_RACKS_KEPT:]
    return replace(desk, racks=(*desk.racks[:player], kept, *desk.racks[player + 1 :]))


def _after_rack(desk: OperatorState, event: Event, game: Game) -> OperatorState:
    player = game.players.index(event["player"])
    seen = RackSeen(tiles=tuple(event["tiles"]), at_s=event["at_s"], by=event.get("by", ""))
    return _with_racks(desk, player, (*desk.racks[player], seen))


def _after_exchange(desk: OperatorState, event: Event, game: Game) -> OperatorState:
    """Nobody knows the rack any more, of which tiles were exchanged."""
    return _with_racks(desk, game.players.index(event["player"]), ())


def _after_clocks(desk: OperatorState, event: Event, _: Game) -> OperatorState:
    clocks = Clocks(left_s=tuple(event["left_s"]), running=event["running"], at_s=event["at_s"])
    return replace(desk, clocks=clocks)


def _after_confirmed(desk: OperatorState, event: Event, _: Game) -> OperatorState:
    squares = [tuple(square) for square in event["squares"]]
    left = tuple(doubt for doubt in desk.doubts if squares and (doubt.row, doubt.column) not in squares)
    # That a blank's letter is not known is no reading to hold on to.
    right = {(d.row, d.column, d.token) for d in desk.doubts if d not in left and d.token != BLANK}
    attention = desk.attention if squares else ""
    return replace(desk, doubts=left, attention=attention, locked=desk.locked | right)


def _after_title(desk: OperatorState, event: Event, _: Game) -> OperatorState:
    return replace(desk, title=event["text"])


def _after_unclear(desk: OperatorState, event: Event, _: Game) -> OperatorState:
    return replace(desk, attention=event["message"])


def _after_change(desk: OperatorState, _event: Event, _game: Game) -> OperatorState:
    return replace(desk, attention="")


_AFTER: dict[str, Callable[[OperatorState, Event, Game], OperatorState]] = {
    "play": _after_play,
    "rack": _after_rack,
    "exchange": _after_exchange,
    "clocks": _after_clocks,
    "confirmed": _after_confirmed,
    "title": _after_title,
    "unclear": _after_unclear,
    **dict.fromkeys(("withdrawn", "correction", "undone", "redone", "challenge"), _after_change),
}


# Commands


def event_of_command(command: Command, game: Game, desk: OperatorState, now_s: float) -> dict[str, Any]:
    """The event that a command at the desk is.

    Raises
    ------
    SettingsError
        If it makes no sense.
    """
    try:
        return _TELL[command.verb](command.words, game, desk, now_s)
    except ScoringError as error:
        raise SettingsError(f"{command}: {error}") from error


def _clocks_of(desk: OperatorState, game: Game) -> Clocks:
    return desk.clocks or Clocks(left_s=(0.0,) * len(game.players))


def _start(words: Sequence[str], game: Game, desk: OperatorState, now_s: float) -> dict[str, Any]:
    player = player_named(words[0], game) if words else game.turn
    if desk.clocks is None:
        raise SettingsError(f"start: the clocks show no time; write time {game.players[player]} 25:00 first")
    return desk.clocks.run(player, now_s).to_event()


def _stop(words: Sequence[str], game: Game, desk: OperatorState, now_s: float) -> dict[str, Any]:
    expect(tuple(words), 0, "stop")
    return _clocks_of(desk, game).run(None, now_s).to_event()


def _time(words: Sequence[str], game: Game, desk: OperatorState, now_s: float) -> dict[str, Any]:
    expect(tuple(words), 2, f"time {game.players[0]} 25:00")
    left_s = parse_clock(words[1])
    return _clocks_of(desk, game).with_left(player_named(words[0], game), left_s, now_s).to_event()


def parse_clock(text: str) -> float:
    """The seconds of ``25:00``, ``-0:07`` or ``1:00:00``.

    Raises
    ------
    SettingsError
        If the text is no such time, or more than a day.
    """
    found = re.fullmatch(r"(-?)(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)", text)
    seconds = int(found[2] or 0) * 3600 + int(found[3]) * 60 + int(found[4]) if found else -1.0
    if found is None or seconds > LONGEST_CLOCK_S:
        raise SettingsError(f"{text!r} is no time left; write minutes and seconds, such as 25:00")
    return -seconds if found[1] else seconds


def format_clock(left_s: float) -> str:
    """The time left as clocks show it: whole seconds, of which none is shown before it is over.

    >>> format_clock(1500), format_clock(59.2), format_clock(-7.5)
    ('25:00', '1:00', '-0:08')
    """
    whole = -int(-left_s // 1) if left_s >= 0 else int(left_s // 1)
    minutes, seconds = divmod(abs(whole), 60)
    return f"{'-' if whole < 0 else ''}{minutes}:{seconds:02d}"


def _rack(words: Sequence[str], game: Game, _: OperatorState, now_s: float) -> dict[str, Any]:
    if len(words) not in (1, 2):
        raise SettingsError(f"rack: write a player and the tiles, such as rack {game.players[0]} ABC?")
    player = player_named(words[0], game)
    edition = game.edition
    tiles = parse_tokens(words[1].upper(), edition.tokens) if len(words) == 2 else ()
    if len(tiles) > edition.rack_size or any(tile not in edition.values for tile in tiles):
        raise SettingsError(
            f"rack {words[1]}: a rack holds up to {edition.rack_size} tiles of {edition.name}"
        )
    return {"event": "rack", "player": game.players[player], "tiles": list(tiles), "at_s": round(now_s, 3)}


def _confirm(words: Sequence[str], _game: Game, desk: OperatorState, _now_s: float) -> dict[str, Any]:
    if not words:
        return {"event": "confirmed", "squares": []}
    expect(tuple(words), 1, "confirm H8")
    square = parse_square(words[0])
    if square not in {(doubt.row, doubt.column) for doubt in desk.doubts}:
        raise SettingsError(f"confirm {words[0]}: nothing is in doubt on {format_square(*square)}")
    return {"event": "confirmed", "squares": [list(square)]}


def _title(words: Sequence[str], _game: Game, _desk: OperatorState, _now_s: float) -> dict[str, Any]:
    text = " ".join(words)
    if len(text) > LONGEST_TITLE or not text.isprintable():
        raise SettingsError(f"title: up to {LONGEST_TITLE} characters that can be printed, got {len(text)}")
    return {"event": "title", "text": text}


_TELL: Mapping[Verb, Callable[[Sequence[str], Game, OperatorState, float], dict[str, Any]]] = (
    MappingProxyType(
        {
            Verb.START: _start,
            Verb.STOP: _stop,
            Verb.TIME: _time,
            Verb.RACK: _rack,
            Verb.CONFIRM: _confirm,
            Verb.TITLE: _title,
        }
    )
)
DESK_VERBS = frozenset(_TELL)
"""What `event_of_command` takes; the game's own commands are `vision.game_events.commands.apply_command`'s."""
