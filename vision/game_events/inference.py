"""Follows a game by the boards that stand at the end of each turn: boards in, events out, no pixels.

`follow_turn` explains the change since the last turn by the fewest things that can happen: nothing, a play, a
play taken back, both, two plays (a look was missed), all three, or a letter that was misread before. What the rules do
not allow, or would be two plays, is tried again with the readings that were nearly as likely.

What one player does in one turn though it looks like more: a play in two goes, tiles taken up and laid again.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from scoring import (
    BLANK,
    EMPTY,
    Board,
    Game,
    IllegalPlayError,
    Inference,
    InferenceKind,
    Placement,
    Play,
    PlayEvent,
    WithdrawnEvent,
    check_play,
    infer,
    is_blank,
    is_tile,
)
from vision.core import DecodedBoard
from vision.game_events.updates import Correction, GameUpdate, Notice, NoticeKind, UpdateKind

__all__ = [
    "continued",
    "explained",
    "follow_turn",
    "if_laid_again",
    "is_earlier",
    "likeliest",
    "plays_in",
    "readings_of",
]

EARLIER = (
    "tiles of the game are missing and no new ones lie here: this is taken for a look from before the journal's last "
    "event; if the last play was taken back, say so, or the next new tiles will"
)
"""What is said of a recording that may be older than the game's last event."""
RELAID = 0.7
"""Of the tiles taken up and of those laid: so many are the same where one player laid both."""
MAX_SQUARES_RECONSIDERED = 5
MAX_BOARDS_TRIED = 200
"""Both bound the time that an unclear board takes; one with more doubts needs another look."""
SELDOM = 0.05
"""How much less likely two plays at one look are than one: a look at the first one was missed then."""


def follow_turn(game: Game, seen: DecodedBoard) -> tuple[GameUpdate, ...] | Notice:
    """What happened in the turn that led to the board that is seen now.

    Parameters
    ----------
    game : Game
        The game up to the last turn.
    seen : DecodedBoard
        The board at the end of this one, with the alternatives of its doubtful squares.

    Returns
    -------
    tuple of GameUpdate, or Notice
        At least one update, in order; the last one's `game` is the game now. A notice where no turn explains the board.
    """
    updates = likeliest(game, readings_of(seen), seen)
    if updates is None:
        inference = infer(game.board, seen.board, game.edition, last_play=latest_play(game))
        return Notice(NoticeKind.UNCLEAR, why_not(inference))
    if all(update.kind is UpdateKind.CORRECTION for update in updates):
        game = updates[-1].game if updates else game
        idle = game.no_play()
        return (*updates, GameUpdate(kind=UpdateKind.NO_PLAY, game=idle, step=idle.steps[-1]))
    return updates


def likeliest(
    game: Game, boards: Iterable[tuple[Board, float]], seen: DecodedBoard, *, within_turn: bool = False
) -> tuple[GameUpdate, ...] | None:
    """The likeliest way to one of these boards: two plays at one look are seldom. None if no turn explains any.

    Parameters
    ----------
    game : Game
        The game so far.
    boards : iterable of (Board, float)
        What may lie there, with its probability as a share of the decided reading's, the likeliest first.
    seen : DecodedBoard
        The reading that they come from.
    within_turn : bool
        Whether the turn may not be over, as for `explained`.
    """
    best, weight = None, 0.0
    for board, likelihood in boards:
        share = min(likelihood, 1.0)  # the bag may have decided against what a square shows by itself
        if share <= weight:
            break
        updates = explained(game, board, seen, likelihood, within_turn=within_turn)
        if updates is None:
            continue
        odds = share * (SELDOM if plays_in(updates) > 1 else 1.0)
        if odds > weight:
            best, weight = updates, odds
    return best


def plays_in(updates: Iterable[GameUpdate]) -> int:
    """How many plays are told."""
    return sum(update.kind is UpdateKind.PLAY for update in updates)


def why_not(inference: Inference) -> str:
    """One line on a change that no turn explains."""
    reason = str(inference.refusal) if inference.refusal else "the change fits no turn"
    return f"{reason}; the game waits for the next picture"


def readings_of(seen: DecodedBoard) -> Iterator[tuple[Board, float]]:
    """The board as decided, then with doubtful changes read otherwise, the likeliest first.

    Each comes with its probability as a share of the decided one's. Only the most doubtful squares are
    reconsidered.
    """
    yield seen.board, 1.0
    options: list[list[tuple[Placement, float]]] = []
    for (row, column), candidates in seen.alternatives.items():
        decided = seen.board[row, column]
        best = max((c.probability for c in candidates if c.token == decided), default=1.0)
        others = [
            (Placement(row=row, column=column, token=c.token), c.probability / best)
            for c in candidates
            if c.token != decided and c.probability > 0
        ]
        if others:
            options.append([(Placement(row=row, column=column, token=decided), 1.0), *others])
    options.sort(key=lambda option: -option[1][1])
    combinations = [
        (math.prod(likelihood for _, likelihood in choice), [placement for placement, _ in choice])
        for choice in itertools.product(*options[:MAX_SQUARES_RECONSIDERED])
    ]
    combinations.sort(key=lambda pair: -pair[0])
    for likelihood, placements in combinations[:MAX_BOARDS_TRIED]:
        board = with_tokens(seen.board, placements)
        if board != seen.board:
            yield board, likelihood


def with_tokens(board: Board, placements: Iterable[Placement]) -> Board:
    """The board with these squares holding these tokens, whatever they held."""
    changed = list(placements)
    return board.without(changed).with_tiles(tile for tile in changed if tile.token != EMPTY)


def latest_play(game: Game) -> Play | None:
    """The last play that still stands, None on an empty board."""
    laid = game.state.plays
    return laid[-1].play if laid else None


def explained(
    game: Game, board: Board, seen: DecodedBoard, likelihood: float, *, within_turn: bool = False
) -> tuple[GameUpdate, ...] | None:
    """The updates that lead to this board: none if it stands as it stood, None if no turn explains it.

    `within_turn` says that the turn may not be over: tiles that are taken up and laid elsewhere then
    are their player's change of mind, not the next player's turn.
    """
    updates: list[GameUpdate] = []
    for was, now in misread_before(game, board):
        corrected = correct(game, was, now)
        if corrected is None:
            return None
        game, index = corrected
        step = game.steps[index]
        confidence = likelihood * float(seen.confidence[now.row, now.column])
        updates.append(
            GameUpdate(
                kind=UpdateKind.CORRECTION,
                game=game,
                step=step,
                confidence=confidence,
                correction=Correction(was=was, now=now),
            )
        )
    inference = infer(game.board, board, game.edition, last_play=latest_play(game))
    if inference.kind is InferenceKind.NOT_LEGAL:
        return None
    if inference.removed:
        last = latest_play(game)
        if last is None or squares(last) != squares(inference.removed):
            return None
        rearranged = within_turn and bool(inference.plays) and same_tiles(last, inference.plays[0])
        changed = [tile for tile in last if board[tile.row, tile.column] != game.board[tile.row, tile.column]]
        confidence = likelihood * certainty(changed, seen)
        game = game.withdrawn(turn_lost=not rearranged)
        updates.append(
            GameUpdate(kind=UpdateKind.WITHDRAWN, game=game, step=game.steps[-1], confidence=confidence)
        )
    others = tuple(game.play(first).play(second) for first, second in inference.splits[1:])
    for number, play in enumerate(inference.plays):
        game = game.play(play)
        updates.append(
            GameUpdate(
                kind=UpdateKind.PLAY,
                game=game,
                step=game.steps[-1],
                confidence=likelihood / max(1, len(inference.splits)) * certainty(play, seen),
                alternatives=others if number == 0 else (),
            )
        )
    return tuple(updates)


def same_tiles(taken: Play, laid: Play) -> bool:
    """Whether most of the tiles that were taken back were laid again: their owner changed the mind."""
    pieces = [
        Counter(BLANK if is_blank(tile.token) else tile.token for tile in play) for play in (taken, laid)
    ]
    common = (pieces[0] & pieces[1]).total()
    # Two players who both hold an A and an E are no rare thing.
    return common >= RELAID * len(taken) and common >= RELAID * len(laid)


def is_earlier(seen: Board, board: Board) -> bool:
    """Whether the board that is seen may be one that the game has had: it lacks tiles, and has none beside."""
    lying, known = squares(seen.tiles()), squares(board.tiles())
    return lying < known and any(seen[square] == EMPTY for square in known - lying)


def squares(placements: Iterable[Placement]) -> frozenset[tuple[int, int]]:
    """Where the tiles lie."""
    return frozenset((tile.row, tile.column) for tile in placements)


def certainty(placements: Iterable[Placement], seen: DecodedBoard) -> float:
    """The probability that each of these squares is what it was read as."""
    return math.prod(float(seen.confidence[tile.row, tile.column]) for tile in placements)


def misread_before(game: Game, board: Board) -> list[tuple[Placement, Placement]]:
    """Tiles that lie where they lay but read otherwise now, as (was, now).

    An empty list where the whole last play reads otherwise: then it was taken back and another one laid there.
    """
    changed = [
        (Placement(row=row, column=column, token=was), Placement(row=row, column=column, token=now))
        for row, (old, new) in enumerate(zip(game.board.rows, board.rows, strict=True))
        for column, (was, now) in enumerate(zip(old, new, strict=True))
        if was != now and is_tile(was) and is_tile(now) and not (is_blank_named(was, now))
    ]
    last = latest_play(game)
    if last is not None and len(last) > 1:
        gone = {square for square in squares(last) if board[square] != game.board[square]}
        if gone == squares(last):
            return []
    return changed


def is_blank_named(was: str, now: str) -> bool:
    """Whether the two tokens are one blank, its letter known at one look only."""
    return "?" in (was, now) and (was + now).replace("?", "").islower()


def correct(game: Game, was: Placement, now: Placement) -> tuple[Game, int] | None:
    """The game with one tile read otherwise and the index of its play; None if no play laid it."""
    for laid in reversed(game.state.plays):
        if (was.row, was.column) in squares(laid.play):
            tiles = [now if (tile.row, tile.column) == (now.row, now.column) else tile for tile in laid.play]
            event = game.events[laid.index]
            assert isinstance(event, PlayEvent)
            corrected = PlayEvent(player=event.player, play=Play.of(tiles), rack=None, note=event.note)
            return game.corrected(laid.index, corrected).settled_anew(), laid.index
    return None


def continued(game: Game, seen: DecodedBoard) -> tuple[GameUpdate, ...] | None:
    """The last play with more tiles in its line, as one play; None if what is seen is no such thing.

    Parameters
    ----------
    game : Game
        The game, in which the last play was told a moment ago.
    seen : DecodedBoard
        The board now.
    """
    last = latest_play(game)
    event = game.events[-1] if game.events else None
    if last is None or not isinstance(event, PlayEvent):
        return None
    inference = infer(game.board, seen.board, game.edition)
    if inference.removed or not inference.added:
        return None
    whole = Play(placements=(*last, *inference.added))
    try:
        check_play(game.steps[-1].before.board, whole, game.edition)
    except IllegalPlayError:
        return None
    back = game.withdrawn(turn_lost=False)
    again = back.play(whole)
    confidence = float(np.prod([seen.confidence[tile.row, tile.column] for tile in inference.added]))
    return (
        GameUpdate(kind=UpdateKind.WITHDRAWN, game=back, step=back.steps[-1], confidence=confidence),
        GameUpdate(kind=UpdateKind.PLAY, game=again, step=again.steps[-1], confidence=confidence),
    )


def if_laid_again(game: Game, seen: DecodedBoard) -> Game:
    """The game, in which a player who took tiles back and lays them again has not lost the turn.

    Parameters
    ----------
    game : Game
        The game, in which a play was perhaps taken back a moment ago.
    seen : DecodedBoard
        The board now.
    """
    event = game.events[-1] if game.events else None
    if not isinstance(event, WithdrawnEvent) or not event.turn_lost:
        return game
    taken = game.steps[-1].taken_back
    added = infer(game.board, seen.board, game.edition).added
    if taken is None or not added or not same_tiles(taken.play, Play(placements=added)):
        return game
    return game.corrected(len(game.events) - 1, replace(event, turn_lost=False))
