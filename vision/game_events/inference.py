"""Explain a new board by what players can do: boards in, updates out, no pixels.

`follow_turn` explains the change since the last turn by the fewest events: nothing, a play, a withdrawn play, both, two
plays (a picture was missed), all three, or a letter that was misread before. A change that the rules do not allow, or
that would be two plays, is tried again with the readings that were nearly as likely.

`merge_repositioned_play` finds what one player may have done in one turn though it looks like more: tiles that are
taken up and placed again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from scoring import (
    EMPTY,
    Board,
    Game,
    Inference,
    InferenceKind,
    Placement,
    Play,
    PlayEvent,
    WithdrawnEvent,
    infer,
    is_tile,
)
from vision.core import DecodedBoard, Square
from vision.game_events.differences import differing_squares, is_blank_named
from vision.game_events.placements import (
    count_pieces,
    joint_confidence,
    latest_play,
    replace_tokens,
    squares_of,
)
from vision.game_events.play_sequences import most_likely_orders
from vision.game_events.updates import Correction, GameUpdate, Notice, NoticeKind, UpdateKind, count_plays

__all__ = [
    "EARLIER",
    "alternative_boards",
    "best_explanation",
    "correct_play",
    "correct_tile",
    "explain_refusal",
    "find_corrections",
    "follow_turn",
    "is_earlier",
    "merge_repositioned_play",
]

EARLIER = (
    "tiles of the game are missing and no new ones are on the board: this seems to show the game before the journal's "
    "last event; if the last play was withdrawn, give the command withdraw, otherwise the game goes on with new tiles"
)
"""Message for a recording that may be older than the game's last event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceSettings:
    """Limits and weights of the search for an explanation. All values are chosen."""

    min_repositioned_share: float = 0.7
    """Share of the tiles taken up, and of those placed, that are the same where one player did both."""
    repositioned_log_odds: float = 2.5
    """Log-odds that one player took up tiles and placed others in one reading of the board, where they are mostly the
    same."""
    lengthened_log_odds: float = 1.0
    """The same where all the tiles taken up, at least two, are among those placed."""
    other_tiles_log_odds: float = -1.5
    """The same otherwise: a play was challenged, and the next player plays."""
    max_uncertain_squares: int = 5
    """Squares that are read otherwise. This bounds the time that an unclear board takes; with more, another read is
    needed."""
    max_readings: int = 5
    """Readings of each of these squares that are tried, for the same reason; many rests may give many."""
    max_boards: int = 200
    """Alternative boards that are tried, for the same reason."""
    two_plays_odds: float = 0.05
    """Odds of two plays between two reads against one play: a read of the first one was missed then."""


SETTINGS = InferenceSettings()


def follow_turn(game: Game, decoded: DecodedBoard) -> tuple[GameUpdate, ...] | Notice:
    """Find what happened in the turn that led to a board.

    Parameters
    ----------
    game : Game
        The game up to the last turn.
    decoded : DecodedBoard
        The board at the end of this turn, with the alternatives of its uncertain squares.

    Returns
    -------
    tuple of GameUpdate, or Notice
        At least one update, in order; the last one's `game` is the game now. A notice where no turn explains the board.
    """
    updates = best_explanation(game, alternative_boards(decoded), decoded)
    if updates is None:
        inference = infer(game.board, decoded.board, game.edition, last_play=latest_play(game))
        return Notice(NoticeKind.UNCLEAR, explain_refusal(inference))
    if all(update.kind is UpdateKind.CORRECTION for update in updates):
        game = updates[-1].game if updates else game
        idle = game.with_no_play()
        return (*updates, GameUpdate.of_last_step(UpdateKind.NO_PLAY, idle))
    return updates


def best_explanation(
    game: Game,
    boards: Iterable[tuple[Board, float]],
    decoded: DecodedBoard,
    *,
    same_hand_log_odds: float | None = None,
    first_seen_s: Mapping[Square, float] = MappingProxyType({}),
) -> tuple[GameUpdate, ...] | None:
    """Find the most probable way from a game to one of several boards; two plays at once are improbable.

    Parameters
    ----------
    game : Game
        The game so far.
    boards : iterable of (Board, float)
        Possible boards, each with its probability relative to the decided one, the most probable first.
    decoded : DecodedBoard
        The reading that they come from.
    same_hand_log_odds, first_seen_s
        As for `explain_board`.

    Returns
    -------
    tuple of GameUpdate or None
        The updates, none for the game's own board; None if no turn explains any of the boards.
    """
    best, weight = None, 0.0
    for board, likelihood in boards:
        share = min(likelihood, 1.0)  # the bag may have decided against what a square shows by itself
        if share <= weight:
            break
        updates = explain_board(
            game, board, decoded, likelihood, same_hand_log_odds=same_hand_log_odds, first_seen_s=first_seen_s
        )
        if updates is None:
            continue
        odds = share * (SETTINGS.two_plays_odds if count_plays(updates) > 1 else 1.0)
        if odds > weight:
            best, weight = updates, odds
    return best


def explain_refusal(inference: Inference) -> str:
    """Say in one line why no turn explains a change."""
    reason = str(inference.problem) if inference.problem else "the change fits no turn"
    return f"{reason}; the game waits for the next picture"


def alternative_boards(decoded: DecodedBoard) -> Iterator[tuple[Board, float]]:
    """Yield the decided board, then boards with uncertain squares read otherwise, the most probable first.

    Each comes with its probability relative to the decided board. Only the most uncertain squares are varied.
    """
    yield decoded.board, 1.0
    options: list[list[tuple[Placement, float]]] = []
    for (row, column), candidates in decoded.alternatives.items():
        decided = decoded.board[row, column]
        best = max((c.probability for c in candidates if c.token == decided), default=1.0)
        others = [
            (Placement(row=row, column=column, token=c.token), c.probability / best)
            for c in candidates
            if c.token != decided and c.probability > 0
        ]
        if others:
            others = sorted(others, key=lambda other: -other[1])[: SETTINGS.max_readings - 1]
            options.append([(Placement(row=row, column=column, token=decided), 1.0), *others])
    options.sort(key=lambda option: -option[1][1])
    combinations = [
        (math.prod(likelihood for _, likelihood in choice), [placement for placement, _ in choice])
        for choice in itertools.product(*options[: SETTINGS.max_uncertain_squares])
    ]
    combinations.sort(key=lambda pair: -pair[0])
    for likelihood, placements in combinations[: SETTINGS.max_boards]:
        board = replace_tokens(decoded.board, placements)
        if board != decoded.board:
            yield board, likelihood


def explain_board(
    game: Game,
    board: Board,
    decoded: DecodedBoard,
    likelihood: float,
    *,
    same_hand_log_odds: float | None = None,
    first_seen_s: Mapping[Square, float] = MappingProxyType({}),
) -> tuple[GameUpdate, ...] | None:
    """Find the updates that lead from a game to a board.

    Parameters
    ----------
    game : Game
        The game so far.
    board : Board
        The board to explain.
    decoded : DecodedBoard
        The reading that it comes from, for confidences.
    likelihood : float
        Probability of the board relative to the decided one.
    same_hand_log_odds : float, optional
        Log-odds by the hand alone that the last play's player made the change, and not the next one; None if the turn
        is over. Until then, tiles that are taken up and placed elsewhere may be a change of mind of their player.
    first_seen_s : mapping of (row, column) to float
        When tiles were seen that nothing explained; this may tell the order of two plays.

    Returns
    -------
    tuple of GameUpdate or None
        The updates, none for the game's own board; None if no turn explains it.
    """
    updates = list(_correct_tiles(game, board, decoded, likelihood))
    game = updates[-1].game if updates else game
    last = latest_play(game)
    inference = infer(game.board, board, game.edition, last_play=last)
    if inference.kind is InferenceKind.NOT_LEGAL:
        return None
    left = frozenset[Square]()  # of the last play: these were there before the tiles of another one
    if inference.removed:
        if last is None or squares_of(last) != squares_of(inference.removed):
            return None
        left = squares_of(tile for tile in last if board[tile.square] == game.board[tile.square])
    seen_s = {**dict.fromkeys(left, -math.inf), **first_seen_s}
    orders = most_likely_orders(inference.splits, seen_s) or (inference.plays,)
    if inference.removed and last is not None:
        is_kept = (
            same_hand_log_odds is not None
            and bool(inference.plays)
            and (
                squares_of(orders[0][0]) <= left
                or same_hand_log_odds + _repositioned_log_odds(last, inference.plays[0]) > 0.0
            )
        )
        changed = [tile for tile in last if board[tile.square] != game.board[tile.square]]
        game = game.with_withdrawal(turn_lost=not is_kept)
        confidence = likelihood * joint_confidence(changed, decoded)
        updates.append(GameUpdate.of_last_step(UpdateKind.WITHDRAWN, game, confidence))
    splits = [split for split in inference.splits if split != orders[0]]
    others = tuple(game.with_play(first).with_play(second) for first, second in splits)
    for number, play in enumerate(orders[0]):
        game = game.with_play(play)
        confidence = likelihood / len(orders) * joint_confidence(play, decoded)
        update = GameUpdate.of_last_step(UpdateKind.PLAY, game, confidence)
        updates.append(replace(update, alternatives=others) if number == 0 else update)
    return tuple(updates)


def _correct_tiles(
    game: Game, board: Board, decoded: DecodedBoard, likelihood: float
) -> Iterator[GameUpdate]:
    """Yield the corrections of the tiles that the board shows otherwise than the game."""
    for correction in find_corrections(game, board):
        game, index = correct_tile(game, correction)
        yield GameUpdate(
            kind=UpdateKind.CORRECTION,
            game=game,
            step=None if index is None else game.steps[index],
            confidence=likelihood * float(decoded.confidence[correction.now.square]),
            correction=correction,
        )


def _repositioned_log_odds(taken: Play, placed: Play) -> float:
    """Weigh by the tiles whether the player of withdrawn tiles placed these, in one reading of the board."""
    if _are_same_tiles(taken, placed):
        return SETTINGS.repositioned_log_odds
    is_kept = len(taken) > 1 and not count_pieces(taken) - count_pieces(placed)
    return SETTINGS.lengthened_log_odds if is_kept else SETTINGS.other_tiles_log_odds


def _are_same_tiles(taken: Play, placed: Play) -> bool:
    """Whether most of the withdrawn tiles were placed again, so that one player did both."""
    common = (count_pieces(taken) & count_pieces(placed)).total()
    # Two players who both hold an A and an E are not rare.
    return common >= SETTINGS.min_repositioned_share * max(len(taken), len(placed))


def is_earlier(seen: Board, board: Board) -> bool:
    """Whether a board may be one that the game has had: it lacks tiles of the game's board, and has no others."""
    shown, known = squares_of(seen.tiles()), squares_of(board.tiles())
    return shown < known and any(seen[square] == EMPTY for square in known - shown)


def find_corrections(game: Game, board: Board) -> list[Correction]:
    """Find tiles of the game that read otherwise now.

    Where all tiles of the last play do, it was withdrawn, and another play placed there: these are no corrections.

    Parameters
    ----------
    game : Game
        The game.
    board : Board
        The board now.
    """
    changed = [
        Correction(
            was=Placement(row=row, column=column, token=was), now=Placement(row=row, column=column, token=now)
        )
        for row, column in differing_squares(game.board, board)
        if is_tile(was := game.board[row, column])
        and is_tile(now := board[row, column])
        and not is_blank_named(was, now)
    ]
    last = latest_play(game)
    if last is not None and len(last) > 1:
        gone = {square for square in squares_of(last) if board[square] != game.board[square]}
        if gone == squares_of(last):
            return [each for each in changed if each.was.square not in gone]
    return changed


def correct_tile(game: Game, correction: Correction) -> tuple[Game, int | None]:
    """Return the game with one tile read otherwise, and the index of its play; None for a tile of the start board."""
    was, now = correction
    for placed in reversed(game.state.plays):
        if was.square in squares_of(placed.play):
            tiles = [now if tile.square == now.square else tile for tile in placed.play]
            return correct_play(game, placed.index, Play.of(tiles)), placed.index
    assert game.start is not None
    return replace(game, start=replace_tokens(game.start, [now])).with_new_settlement(), None


def correct_play(game: Game, index: int, play: Play) -> Game:
    """Return the game with another play in the place of its `index`-th event, which is a play too."""
    event = game.events[index]
    assert isinstance(event, PlayEvent)
    return game.with_correction(index, replace(event, play=play, rack=None)).with_new_settlement()


def merge_repositioned_play(
    game: Game, decoded: DecodedBoard, same_hand_log_odds: float, *, is_recent: bool
) -> Game:
    """Return the game in which a player who took tiles back and places some again has not lost the turn.

    The log-odds are those by the hand alone that it is the same player. Whether the tiles are the same counts only
    where they were taken up a moment ago, as `is_recent` says.
    """
    event = game.events[-1] if game.events else None
    if not isinstance(event, WithdrawnEvent) or not event.turn_lost:
        return game
    taken, added = game.steps[-1].taken_back, infer(game.board, decoded.board, game.edition).added
    if taken is None or not added:
        return game
    placed = Play(placements=added)
    by_tiles = _repositioned_log_odds(taken.play, placed) if is_recent else SETTINGS.other_tiles_log_odds
    if same_hand_log_odds + by_tiles <= 0.0:
        return game
    return game.with_correction(len(game.events) - 1, replace(event, turn_lost=False))
