"""The state of a live game apart from the board: clocks, racks, uncertain tiles and a title.

The state is a fold of the journal's events, as the game is. A command becomes an event, the event is written to disk,
and `OperatorState.after_entry` gives the state after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from scoring import BLANK, EMPTY, Board, Game, Placement, PlayOnBoard, bag_tile, is_tile
from tilesight.live.clocks import Clocks, find_age, find_offset
from tilesight.output import (
    BY_OPERATOR,
    ArchivedEvent,
    ClocksEvent,
    ConfirmedEvent,
    CountdownEvent,
    GameEvent,
    NewGameEvent,
    RackEvent,
    TitleEvent,
    UncertainTile,
    UpdateEvent,
)
from vision.game_events import MIN_CONFIDENCE, NoticeKind, UpdateKind

__all__ = ["SETTINGS", "KnownRack", "OperatorSettings", "OperatorState"]

ANSWERING_KINDS = frozenset(
    {
        UpdateKind.WITHDRAWN,
        UpdateKind.CORRECTION,
        UpdateKind.UNDONE,
        UpdateKind.REDONE,
        UpdateKind.CHALLENGE,
        UpdateKind.EDITED,
        UpdateKind.BOARD_TAKEN,
    }
)
"""Kinds of updates after which an open question to the operator is out of date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSettings:
    """What an operator is asked to check; all numbers are chosen.

    Parameters
    ----------
    min_alternative : float
        Probability of another token from which it is offered as a choice.
    max_racks : int
        Racks of a player that are kept for the delayed display. A rack camera gives one for each tile that moves.
    """

    min_alternative: float = 0.02
    max_racks: int = 40


SETTINGS = OperatorSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRack:
    """The tiles on a rack, and when they were reported.

    Parameters
    ----------
    tiles : tuple of str
        The tiles; empty if they are not known.
    at_s : float
        The moment, in seconds since 1970.
    by : str
        `BY_OPERATOR` or `BY_CAMERA`; empty once tiles were added or removed since.
    offset_s : float
        The offset of the computer's clock at that moment: a rack is not shown early because the clock is set.
    """

    tiles: tuple[str, ...]
    at_s: float
    by: str = ""
    offset_s: float = field(default_factory=find_offset, compare=False, repr=False)

    def age_s(self, now_s: float) -> float:
        """Return the seconds since the tiles were reported; not less than 0, as that moment may be rounded up."""
        return max(0.0, find_age(self.at_s, self.offset_s, now_s))


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorState:
    """The state of a live game apart from the board.

    Parameters
    ----------
    racks : tuple of tuple of KnownRack
        Each player's rack over time, the latest last.
    clocks : Clocks or None
        None for a game without clocks.
    uncertain_tiles : tuple of UncertainTile
        Tiles that the operator should check.
    question : str
        What else the operator should check; empty if nothing.
    title : str
        The line for viewers.
    countdown_s : float or None
        The moment to which the start page and the break page count down, in seconds since 1970.
    locked_tiles : frozenset of (row, column, token)
        Tiles that the operator entered or confirmed: the camera does not correct these.
    removed_tiles : tuple of Placement
        Tiles that the operator's last commands took off the board; they may lie on the real board for a while.
    is_provisional : bool
        Whether the game ends with a play that its player may still go on with.
    """

    racks: tuple[tuple[KnownRack, ...], ...]
    clocks: Clocks | None = None
    uncertain_tiles: tuple[UncertainTile, ...] = ()
    question: str = ""
    title: str = ""
    countdown_s: float | None = None
    locked_tiles: frozenset[tuple[int, int, str]] = frozenset()
    removed_tiles: tuple[Placement, ...] = ()
    is_provisional: bool = False

    def rack(self, player: int, now_s: float, delay_s: float = 0.0) -> tuple[str, ...]:
        """Return a player's rack as reported `delay_s` ago, without tiles played since; empty if not known."""
        known = [rack for rack in self.racks[player] if rack.age_s(now_s) >= delay_s]
        return known[-1].tiles if known else ()

    def next_rack_s(self, now_s: float, delay_s: float) -> float | None:
        """Return when the next delayed rack may be shown; None if none waits."""
        waits = [delay_s - rack.age_s(now_s) for racks in self.racks for rack in racks]
        return min((now_s + wait_s for wait_s in waits if wait_s > 0), default=None)

    def after_entry(self, events: Sequence[GameEvent], before: Game, after: Game) -> OperatorState:
        """Return the state after an entry of the journal.

        Parameters
        ----------
        events : sequence of GameEvent
            The events of the entry.
        before, after : Game
            The game before and after the entry.
        """
        kinds = {event.kind for event in events}
        by_operator = any(event.by == BY_OPERATOR for event in events)
        state = _after_board(
            self, before.board, after.board, by_operator=by_operator, undone=UpdateKind.UNDONE in kinds
        )
        is_replay = not kinds.isdisjoint((UpdateKind.UNDONE, UpdateKind.REDONE, UpdateKind.BOARD_TAKEN))
        replayed = is_replay and UpdateKind.PLAY not in kinds
        goes_on = any(isinstance(event, UpdateEvent) and event.replaced for event in events)
        state = _after_moved_plays(state, before, after, replayed=replayed, corrected=not goes_on)
        if UpdateKind.PLAY in kinds:
            state = replace(state, question="")
        for event in events:
            state = state.after(event, after)
        if before.events != after.events:
            updates = [event for event in events if isinstance(event, UpdateEvent)]
            plays = [event for event in updates if event.kind == UpdateKind.PLAY]
            return replace(state, is_provisional=bool(plays) and plays[-1].is_provisional)
        # A player who starts the other's clock has finished.
        is_started = any(isinstance(event, ClocksEvent) and event.running == after.turn for event in events)
        return replace(state, is_provisional=state.is_provisional and not (is_started and by_operator))

    def after(self, event: GameEvent, game: Game) -> OperatorState:
        """Return the state after one event; `game` is the game after the event's entry."""
        current = tuple(
            tile for tile in self.uncertain_tiles if game.board[tile.row, tile.column] == tile.token
        )
        state = replace(self, uncertain_tiles=current)
        match event:
            case ClocksEvent():
                return replace(state, clocks=_clocks_after(state.clocks, event, game))
            case RackEvent():
                player = game.players.index(event.player)
                known = KnownRack(tiles=event.tiles, at_s=event.at_s, by=event.by)
                return _with_racks(state, player, (*state.racks[player], known))
            case ConfirmedEvent():
                return _after_confirmed(state, event, game)
            case TitleEvent():
                return replace(state, title=event.text)
            case CountdownEvent():
                return replace(state, countdown_s=event.until_s)
            case NewGameEvent() | ArchivedEvent():
                return state
            case UpdateEvent():
                return _after_update(state, event, game)


def _clocks_after(before: Clocks | None, event: ClocksEvent, game: Game) -> Clocks:
    clocks = Clocks(left_s=event.left_s, running=event.running, at_s=event.at_s)
    if before is None or event.running is not None:
        return clocks
    is_end = before.running is not None and game.ending is not None
    return replace(clocks, is_stopped_by_end=is_end or before.is_stopped_by_end)


def _after_board(
    state: OperatorState, before: Board, after: Board, *, by_operator: bool, undone: bool
) -> OperatorState:
    """Update which tiles are locked or were removed by the operator, after a change of the board."""
    if before == after:
        return state
    new = {(t.row, t.column, t.token) for t in after.tiles() if before[t.row, t.column] != t.token}
    locked = frozenset(tile for tile in state.locked_tiles if after[tile[0], tile[1]] == tile[2])
    if by_operator and not undone:
        locked |= new
    # What earlier commands took off may be on the real board as well.
    gone = {
        (t.row, t.column): t
        for t in (*state.removed_tiles, *before.tiles())
        if after[t.row, t.column] == EMPTY
    }
    return replace(state, locked_tiles=locked, removed_tiles=tuple(gone.values()) if by_operator else ())


def _after_moved_plays(
    state: OperatorState, before: Game, after: Game, *, replayed: bool, corrected: bool
) -> OperatorState:
    """Put the tiles of removed plays back on their racks; undo, redo and board also take those of restored plays off.

    A new play, and one that goes on, has an event of its own, a play that these restore has none. A corrected play
    keeps its number; numbers and players of plays that stay change with an insertion or a deletion before them.
    """
    stayed = {placed.play for placed in before.state.plays} & {placed.play for placed in after.state.plays}
    earlier = {placed.index: placed for placed in before.state.plays if placed.play not in stayed}
    later = {placed.index: placed for placed in after.state.plays if placed.play not in stayed}
    for removed in (earlier[index] for index in earlier.keys() - later.keys()):
        returned = tuple(removed.play.tile_counts.elements())
        rack_size = after.edition.rack_size
        racks = tuple(_with_tiles(known, returned, rack_size) for known in state.racks[removed.player])
        state = _with_racks(state, removed.player, racks)
    for index in earlier.keys() & later.keys() if corrected else ():
        state = _after_correction(state, earlier[index], later[index], after)
    for restored in (later[index] for index in later.keys() - earlier.keys()) if replayed else ():
        racks = tuple(
            _without_tiles(known, restored.play.tile_counts) for known in state.racks[restored.player]
        )
        state = _with_racks(state, restored.player, racks)
    return state


def _after_correction(state: OperatorState, was: PlayOnBoard, now: PlayOnBoard, game: Game) -> OperatorState:
    """Exchange the tiles on the rack of a player whose latest play was corrected."""
    if was.player != now.player or now != game.state.latest_of(now.player):
        return state
    tiles, rack_size = (was.play.tile_counts, now.play.tile_counts), game.edition.rack_size
    racks = tuple(_with_correction(known, *tiles, rack_size) for known in state.racks[now.player])
    return _with_racks(state, now.player, racks)


def _after_confirmed(state: OperatorState, event: ConfirmedEvent, game: Game) -> OperatorState:
    if event.question:
        return replace(state, question="")
    squares = event.squares or tuple((tile.row, tile.column) for tile in state.uncertain_tiles)
    # An unknown letter of a blank is not a reading that could be confirmed.
    tokens = ((*square, game.board[square]) for square in squares)
    right = {tile for tile in tokens if is_tile(tile[2]) and tile[2] != BLANK}
    return replace(
        state,
        uncertain_tiles=tuple(t for t in state.uncertain_tiles if (t.row, t.column) not in squares),
        question=state.question if event.squares else "",
        locked_tiles=state.locked_tiles | right,
    )


def _after_update(state: OperatorState, event: UpdateEvent, game: Game) -> OperatorState:
    if event.kind == UpdateKind.PLAY:
        return _after_play(state, event, game)
    if event.kind == UpdateKind.EXCHANGE and event.player is not None:
        # Which tiles were drawn is not known.
        return _with_racks(state, game.players.index(event.player), ())
    if event.kind == NoticeKind.UNCLEAR:
        return replace(state, question=event.message)
    if event.kind in ANSWERING_KINDS:
        return replace(state, question="")
    return state


def _after_play(state: OperatorState, event: UpdateEvent, game: Game) -> OperatorState:
    player = game.players.index(str(event.player))
    placed = event.play.placed if event.play is not None else ()
    played = Counter(bag_tile(token) for _, _, token in placed)
    played -= Counter(bag_tile(token) for _, _, token in event.replaced)
    racks = tuple(_without_tiles(known, played) for known in state.racks[player])
    asked = {(tile.row, tile.column) for tile in event.uncertain_tiles}
    others = tuple(tile for tile in state.uncertain_tiles if (tile.row, tile.column) not in asked)
    return replace(
        _with_racks(state, player, racks),
        uncertain_tiles=(*others, *event.uncertain_tiles),
        question=state.question or _question(event),
    )


def _question(event: UpdateEvent) -> str:
    """Return what the operator should check in a play, where no single tile is uncertain; empty if nothing."""
    if event.alternatives:
        plays = (f"{position} {''.join(word)}" for position, word, _ in event.alternatives[0].plays)
        return f"two plays at once; they may have been {' → '.join(plays)}"
    if event.confidence < MIN_CONFIDENCE and not event.uncertain_tiles:
        position = event.play.position if event.play is not None else "the play"
        return f"{position} is in doubt ({event.confidence:.0%}); compare it with the board"
    return ""


def _with_tiles(known: KnownRack, tiles: tuple[str, ...], rack_size: int) -> KnownRack:
    """Return the rack with tiles put back; unknown if others were drawn since, or if it was not known."""
    joined = (*known.tiles, *tiles)
    is_known = len(joined) <= rack_size and (known.tiles or len(tiles) == rack_size)
    return replace(known, tiles=joined if is_known else (), by="")


def _without_tiles(known: KnownRack, played: Counter[str]) -> KnownRack:
    """Return the rack without the played tiles; a rack that lacks one of them was read after the play."""
    held = Counter(known.tiles)
    if not played <= held:
        return replace(known, by="")
    left, tiles = held - played, []
    for tile in known.tiles:  # keeps their order on the rack
        if left[tile]:
            left[tile] -= 1
            tiles.append(tile)
    return replace(known, tiles=tuple(tiles), by="")


def _with_correction(known: KnownRack, was: Counter[str], now: Counter[str], rack_size: int) -> KnownRack:
    """Return the rack after a play whose tiles were corrected; the same if it was reported since, or does not fit."""
    if known.by or not known.tiles:
        return known
    is_full = len(known.tiles) + was.total() > rack_size  # the play as it was did not fit it
    back, taken = (Counter[str](), now) if is_full else (was - now, now - was)
    tiles = (*known.tiles, *back.elements())
    return _without_tiles(replace(known, tiles=tiles), taken) if taken <= Counter(tiles) else known


def _with_racks(state: OperatorState, player: int, racks: tuple[KnownRack, ...]) -> OperatorState:
    kept = racks[-SETTINGS.max_racks :]
    return replace(state, racks=(*state.racks[:player], kept, *state.racks[player + 1 :]))
