"""Go on with a game when more happened than one turn explains: several plays, or a board that nothing explains."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from scoring import (
    BLANK,
    COVERED,
    EMPTY,
    Game,
    InferenceKind,
    Placement,
    Play,
    PlayEvent,
    format_square,
    infer,
    is_tile,
)
from vision.core import DecodedBoard, Square, squares_in
from vision.game_events.continued_plays import join_continued_play
from vision.game_events.differences import find_added_tiles, shows_game
from vision.game_events.placements import joint_confidence, latest_play, squares_of
from vision.game_events.play_sequences import IMPOSSIBLE, find_play_orders, most_likely_orders
from vision.game_events.player_sides import PlayerSides
from vision.game_events.stray_tiles import detached_squares, moved_squares
from vision.game_events.turn_state import StableBoard, TurnState
from vision.game_events.uncertain_tiles import MIN_CONFIDENCE
from vision.game_events.updates import GameUpdate, UpdateKind

__all__ = [
    "Takeover",
    "explain_missed_plays",
    "is_given_up",
    "join_uncovered",
    "note_first_seen",
    "take_over",
    "take_over_photo",
    "was_unread",
    "when_seen",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchingUpSettings:
    """When a board is explained by many plays, or taken over. All values are chosen."""

    many_plays_after_s: float = 4.0
    """Seconds since the board was last explained or at rest, from which on more than two plays may have been made."""
    give_up_after_turns: int = 3
    """Rests, each with new tiles, after which a board that nothing explains is taken over as it is."""


SETTINGS = CatchingUpSettings()

_LEFT_OUT = "other squares do not look as the game has them and are left out; compare the board with the game"


def note_first_seen(stable: StableBoard, state: TurnState) -> Mapping[Square, float]:
    """Return when each tile was first seen that the game does not have, from (row, column) to seconds.

    A tile that was seen before and is covered now is still there.
    """
    board, seen, known = state.game.board, stable.decoded.board, state.first_seen_s
    visible = [square for square in squares_in(stable.changed) if is_tile(seen[square])]
    covered = [square for square in known if seen[square] == COVERED]
    return {
        square: known.get(square, stable.began_s) for square in (*visible, *covered) if board[square] == EMPTY
    }


def when_seen(stable: StableBoard, state: TurnState) -> Mapping[Square, float]:
    """Return when each tile was first seen that the game does not have, in rests of any length."""
    long, short = note_first_seen(stable, state), state.short_rest_seen_s
    return {
        square: min(times[square] for times in (long, short) if square in times)
        for square in {**long, **short}
    }


def was_unread(stable: StableBoard, state: TurnState) -> bool:
    """Whether the board was out of sight or in motion so long that more plays may have been made than show."""
    unread_s = stable.began_s - stable.motion_started_s
    return math.isinf(state.resolved_s) or unread_s >= SETTINGS.many_plays_after_s


def explain_missed_plays(
    trusted: DecodedBoard, stable: StableBoard, state: TurnState
) -> tuple[GameUpdate, ...] | None:
    """Explain a board by the fewest plays in the order in which their tiles were seen.

    Returns
    -------
    tuple of GameUpdate or None
        The plays, after a withdrawal if the last play is gone; None if it is too early, or if no plays explain the
        board.
    """
    is_early = stable.time_s - state.resolved_s < SETTINGS.many_plays_after_s
    if not stable.is_late or is_early or (stable.is_first and not state.game.events):
        return None
    game, updates = state.game, []
    inference = infer(game.board, trusted.board, game.edition)
    if inference.removed:
        last = latest_play(game)
        if last is None or squares_of(last) != squares_of(inference.removed):
            return None
        confidence = joint_confidence(inference.removed, trusted)
        game = game.with_withdrawal()
        updates.append(GameUpdate.of_last_step(UpdateKind.WITHDRAWN, game, confidence))
    orders = most_likely_orders(
        find_play_orders(game.board, inference.added, game.edition), when_seen(stable, state)
    )
    if not orders:
        return None
    ways = max(len(orders), 2)  # more plays than the fewest lead to every board, too
    for play in orders[0]:
        game = game.with_play(play)
        confidence = joint_confidence(play, trusted) / ways
        updates.append(GameUpdate.of_last_step(UpdateKind.PLAY, game, confidence))
    return tuple(updates)


def join_uncovered(
    trusted: DecodedBoard, stable: StableBoard, state: TurnState, *, is_earlier: bool
) -> GameUpdate | None:
    """Join the last play and its tiles that were covered when it was reported; what came after is left out.

    None where there are none, or where they were not seen before the others though `is_earlier` asks for it.
    """
    added, seen_s = find_added_tiles(state.game.board, trusted.board), when_seen(stable, state)
    later = [tile for tile in added if tile.square not in state.covered_squares]
    latest_s = max((seen_s.get(t.square, math.inf) for t in added if t not in later), default=math.inf)
    if is_earlier and latest_s >= min((seen_s.get(t.square, math.inf) for t in later), default=-math.inf):
        return None
    return join_continued_play(state.game, replace(trusted, board=trusted.board.without(later)))


def is_given_up(stable: StableBoard, state: TurnState) -> bool:
    """Whether so many turns were not explained that the board is taken over as it is.

    If the first of them placed more tiles than two plays can, one legal play after it is enough.
    """
    game, seen = state.game, stable.decoded
    if not stable.is_late or not game.events:
        return False
    first_seen_s = note_first_seen(stable, state)
    turns = _turns_of((tile for tile in seen.board.tiles() if tile.square in first_seen_s), first_seen_s)
    if len(turns) != 2 or len(turns[0]) <= 2 * game.edition.rack_size:
        return len(turns) >= SETTINGS.give_up_after_turns
    return _add_plays(_place_without_points(game, turns[0]), turns[1:], seen) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Takeover:
    """How a game goes on from a board that nothing explains.

    Parameters
    ----------
    updates : tuple of GameUpdate
        The plays; not the tiles that are placed without points.
    game : Game
        The game after it.
    message : str
        What was done, and what users can do.
    """

    updates: tuple[GameUpdate, ...]
    game: Game
    message: str


def take_over(trusted: DecodedBoard, stable: StableBoard, state: TurnState) -> Takeover | None:
    """Go on from a board that nothing explains, as far as it can be one of the game.

    Missing and changed tiles stay as the game has them. New tiles that touch the others are explained as plays; where
    that fails, the first ones are placed without points.

    Returns
    -------
    Takeover or None
        None where no new tiles touch the others, or the board cannot be one of this game, as after the game was
        cleared away and another one has begun.
    """
    game = state.game
    new = find_added_tiles(game.board, trusted.board)
    left_out = detached_squares(squares_of(new), game) | moved_squares(trusted, game.board)
    added = tuple(tile for tile in new if tile.square not in left_out)
    board = game.board.with_tiles(added)
    is_sure = all(trusted.confidence[tile.square] >= MIN_CONFIDENCE or tile.token == BLANK for tile in added)
    if not added or not is_sure or board.problems(game.edition) & IMPOSSIBLE:
        return None
    if not shows_game(trusted.board, game.board):
        return None
    turns = _turns_of(added, note_first_seen(stable, state))
    # the tiles of the last turns may be a play each, whatever the first ones are
    splits = [(tuple(itertools.chain(*turns[:n])), turns[n:]) for n in range(1, len(turns) + 1)]
    for first, later in splits:
        reached = replace(trusted, board=game.board.with_tiles(first))
        missed = explain_missed_plays(reached, stable, state)
        plays = _add_plays(missed[-1].game, later, trusted) if missed is not None else None
        if missed is not None and plays is not None:
            updates = (*missed, *plays)
            return Takeover(updates=updates, game=updates[-1].game, message=_LEFT_OUT)
    for first, later in splits:
        after = _place_without_points(game, first)
        plays = _add_plays(after, later, trusted)
        if plays is not None:
            names = " ".join(format_square(*tile.square) for tile in first)
            message = (
                f"no turn explains the tiles on {names}; they are taken over without points, and the game goes on: "
                "undo and enter the plays to score them"
            )
            return Takeover(updates=plays, game=plays[-1].game if plays else after, message=message)
    return None


def _turns_of(
    tiles: Iterable[Placement], first_seen_s: Mapping[Square, float]
) -> list[tuple[Placement, ...]]:
    """Group tiles by the time at which they were first seen, the earliest first; those without a time come last."""
    turns: dict[float, list[Placement]] = {}
    for tile in tiles:
        turns.setdefault(first_seen_s.get(tile.square, math.inf), []).append(tile)
    return [tuple(turns[time_s]) for time_s in sorted(turns)]


def _place_without_points(game: Game, tiles: tuple[Placement, ...]) -> Game:
    """Return the game with tiles that no play explains."""
    return game.with_event(PlayEvent(player=game.turn, play=Play(placements=tiles)))


def _add_plays(
    game: Game, turns: Iterable[tuple[Placement, ...]], seen: DecodedBoard
) -> tuple[GameUpdate, ...] | None:
    """Add a play for each turn; None if the tiles of one are no legal play."""
    updates = []
    for tiles in turns:
        inference = infer(game.board, game.board.with_tiles(tiles), game.edition)
        if inference.kind is not InferenceKind.PLAY:
            return None
        (play,) = inference.plays
        game = game.with_play(play)
        updates.append(GameUpdate.of_last_step(UpdateKind.PLAY, game, joint_confidence(play, seen)))
    return tuple(updates)


def take_over_photo(
    decoded: DecodedBoard, game: Game, first_seen: Mapping[Square, float], number: int
) -> tuple[Mapping[Square, float], Takeover | None]:
    """Go on from a photo that nothing explains, where the photos before it were not explained either.

    Parameters
    ----------
    decoded : DecodedBoard
        The board on the photo.
    game : Game
        The game before it.
    first_seen : mapping of (row, column) to float
        Number of the photo that first showed each tile that the game does not have.
    number : int
        Number of this photo.

    Returns
    -------
    first_seen : mapping of (row, column) to float
        The same after this photo.
    taken : Takeover or None
        As for `take_over`; None where it is too early.
    """
    changed = np.array(decoded.board.rows, dtype=object) != np.array(game.board.rows, dtype=object)
    stable = StableBoard(
        decoded=decoded,
        changed=changed,
        occluded=np.zeros_like(changed),
        reached_over=False,
        rest_s=0.0,
        motion_started_s=float(number),
        time_s=float(number),
        is_first=False,
        is_late=True,
    )
    state = TurnState(game=game, sides=PlayerSides.unknown(len(game.players)), first_seen_s=first_seen)
    taken = take_over(decoded, stable, state) if is_given_up(stable, state) else None
    return note_first_seen(stable, state), taken
