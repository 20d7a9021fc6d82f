"""The stage that decides what a resting board means: boards in, updates or patience out, no pixels.

In a film a turn has no bell. A board that rests may be half a play, a play with a letter misread, or one that is
put right a moment later. A play is announced when it is legal, sure, and has rested; what follows at once in the
same line is the same play going on; what is not explained waits, and is said if it stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring import (
    BLANK,
    COVERED,
    EMPTY,
    Board,
    BoardProblem,
    Game,
    Placement,
    Play,
    PlayEvent,
    Premium,
    format_square,
    infer,
    is_tile,
)
from vision.core import DecodedBoard
from vision.game_events.inference import (
    EARLIER,
    continued,
    if_laid_again,
    is_blank_named,
    is_earlier,
    latest_play,
    likeliest,
    plays_in,
    readings_of,
    why_not,
    with_tokens,
)
from vision.game_events.uncertain_tiles import SURE, UncertainTiles
from vision.game_events.updates import GameUpdate, Notice, NoticeKind, UpdateKind

__all__ = ["StableBoard", "TurnDecision", "TurnDetector"]

Mask = NDArray[np.bool_]
Square = tuple[int, int]

LATE_SURE = 0.4
"""A play that is likelier than not to be right in some letter is announced late, with its doubt."""
LAST_SURE, LAST_AFTER_S = 0.05, 3.0
"""After this rest the best explanation is told, with its doubt: a game that waits for a letter loses all plays."""
CORRECTION_SURE = 0.97
"""A tile does not change by itself: another reading of it must be nearly certain."""
SAME_TURN_S = 1.8
"""Nobody answers a play so soon after the hand left it: whoever goes on is the same player."""
REPLAY_S = 30.0
"""Tiles taken up and laid elsewhere within this time are one turn."""
SAID_AFTER_S = 4.0
"""Rest after which a board that nothing explains is mentioned."""
MAX_STRAYS = 2
"""Squares beyond what is explained that are taken for prints, crumbs or single misread squares."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StableBoard:
    """A board at rest.

    Parameters
    ----------
    decoded : DecodedBoard
        What is read there.
    changed : (rows, columns) bool
        Squares that look otherwise than when the board was last understood.
    hidden : (rows, columns) bool
        Squares that something covers which may soon move on.
    reached_over : bool
        Whether something lies over the board's edge that did not then.
    rest_s : float
        How long it has been resting.
    stirred_s : float
        When the movement began that led to it.
    time_s : float
        Now.
    first : bool
        Whether the board has not been understood since it came into view.
    late : bool
        Whether it has rested long enough for doubtful plays too.
    """

    decoded: DecodedBoard
    changed: Mask
    hidden: Mask
    reached_over: bool
    rest_s: float
    stirred_s: float
    time_s: float
    first: bool
    late: bool

    @property
    def began_s(self) -> float:
        """When it came to rest, to the millisecond."""
        return round(self.time_s - self.rest_s, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDecision:
    """What a resting board means.

    Parameters
    ----------
    understood : bool
        Whether the board is explained; if not, another look is needed.
    updates : tuple of GameUpdate
        What happened in the game.
    notices : tuple of Notice
        What else is to be reported.
    open : frozenset of (row, column)
        Squares that changed and are left out of the explanation; they go on counting as changed.
    """

    is_resolved: bool
    updates: tuple[GameUpdate, ...] = ()
    notices: tuple[Notice, ...] = ()
    open: frozenset[Square] = frozenset()


CLEARED = "the tiles are off the board; the game stands as it was, and the command end settles it"
MAX_SHOWN = 4
MIN_LYING = 3
IMPOSSIBLE = BoardProblem.FLOATING_TILES | BoardProblem.START_EMPTY | BoardProblem.MORE_THAN_BAG
WAIT = TurnDecision(is_resolved=False)


class TurnDetector:
    """Decides what resting boards mean for a game.

    Parameters
    ----------
    game : Game
        The game so far.
    since_s : float, optional
        When its last event was, for a game that goes on.
    perhaps_old : bool
        Whether boards may be shown that the game has had: nothing is taken back before one was shown that it
        has now, or a later one.
    """

    def __init__(self, game: Game, last_event_s: float | None = None, *, may_replay: bool = False) -> None:
        self.game = game
        self._perhaps_old = may_replay
        self._played_s = self._withdrawn_s = -np.inf if last_event_s is None else last_event_s
        self._lifted: Play | None = None
        self._said: str | None = None
        self._strays: frozenset[Square] = frozenset()
        self._vouched: set[Square] = set()
        self._doubts = UncertainTiles()

    @property
    def doubted(self) -> Mask:
        """The squares whose tiles were told in doubt, (rows, columns)."""
        return self._doubts.squares(self.game.board)

    @property
    def believed(self) -> Board:
        """The game's board without those tiles: what is read there once more must not lean on the first time."""
        return self._doubts.without(self.game.board)

    def judge(self, rest: StableBoard) -> TurnDecision:
        """What this board means; the game goes on by it."""
        judgement = self._judged(rest)
        self._perhaps_old = self._perhaps_old and not judgement.is_resolved
        if not judgement.is_resolved or rest.first:
            return judgement
        return replace(judgement, open=self._left_open(rest))

    def _left_open(self, rest: StableBoard) -> frozenset[Square]:
        """Squares that changed and do not look as the game has them now."""
        seen, board = rest.decoded.board, self.game.board
        squares: list[Square] = [(row, column) for row, column in np.argwhere(rest.changed).tolist()]
        return frozenset(
            square
            for square in squares
            if seen[square] not in (board[square], COVERED)
            and not is_blank_named(board[square], seen[square])
        )

    def _judged(self, rest: StableBoard) -> TurnDecision:
        if rest.hidden.any() or rest.reached_over:
            return WAIT
        decoded = self._doubts.look_again(rest.decoded, self.game.board, rest.began_s)
        rest = replace(rest, decoded=decoded)
        seen = self._trusted(rest, keep=frozenset())
        if self._perhaps_old and is_earlier(seen.board, self.game.board):
            return TurnDecision(is_resolved=False, notices=self.say(EARLIER)) if rest.late else WAIT
        updates = self._explain(seen, rest)
        strays = self._strays | (self._loose(seen, rest.first) if rest.late else frozenset())
        if strays and (updates is None or plays_in(updates) > 1):
            # Without what was never explained: a crumb, or print that looks like tiles, must not stop the game.
            without = self._explain(self._trusted(rest, keep=strays), rest)
            updates = updates if without is None else without
        if updates is None:
            return self._unexplained(seen, rest)
        if not updates:
            self._said, self._lifted = None, None
            return TurnDecision(is_resolved=True)
        updates = tuple(as_complete(update, rest) for update in updates)
        if self._lifted is not None and latest_play(updates[-1].game) == self._lifted:
            return WAIT
        confidence, plays = min(update.confidence for update in updates), plays_in(updates)
        # Of a board that comes into view nobody knows what is new on it.
        lenient = rest.late and not (rest.first and self.game.events)
        enough = SURE if not lenient else LATE_SURE if rest.rest_s < LAST_AFTER_S else LAST_SURE
        if confidence < enough or (plays > 1 and not rest.late):
            return self._unexplained(seen, rest) if rest.late else WAIT
        if plays > 1 and updates[0].kind is UpdateKind.WITHDRAWN and rest.rest_s < LAST_AFTER_S:
            return WAIT  # a player who moves a tile of the play may only be fetching the next
        return TurnDecision(is_resolved=True, updates=self._take(updates, rest))

    def apply_external(self, updates: tuple[GameUpdate, ...]) -> None:
        """Takes in what people said happened."""
        before, self.game = self.game, updates[-1].game
        self.expect_removal(
            tile for tile in before.board.tiles() if self.game.board[tile.row, tile.column] == EMPTY
        )
        self._said = None
        self._vouched.update(
            (tile.row, tile.column)
            for tile in self.game.board.tiles()
            if before.board[tile.row, tile.column] != tile.token
        )

    def lock_squares(self, squares: Iterable[tuple[int, int]]) -> None:
        """Takes these squares' tiles, and no others, as people have them: no look corrects what somebody said."""
        self._vouched = set(squares)

    def expect_removal(self, tiles: Iterable[Placement]) -> None:
        """Takes these tiles as taken back by people's word, though they may lie there until somebody lifts them."""
        gone = tuple(tiles)
        self._lifted = Play(placements=gone) if gone else None

    def say(self, message: str) -> tuple[Notice, ...]:
        """The message as a notice, unless it was the last one reported."""
        if message == self._said:
            return ()
        self._said = message
        return (Notice(NoticeKind.UNCLEAR, message),)

    def _take(self, updates: tuple[GameUpdate, ...], rest: StableBoard) -> tuple[GameUpdate, ...]:
        """Goes on by what happened; the plays among it as sure as the older tiles in their words are."""
        told = tuple(map(self._doubts.weighed, updates))
        self.game = updates[-1].game
        for update in updates:
            self._doubts.note(update, rest.decoded, rest.began_s)
        self._said, self._strays, self._lifted = None, frozenset(), None
        self._vouched = {square for square in self._vouched if self.game.board[square] != EMPTY}
        if updates[-1].kind is UpdateKind.PLAY:
            self._played_s = rest.began_s
        elif updates[-1].kind is UpdateKind.WITHDRAWN:
            self._withdrawn_s = rest.time_s
        return told

    def _trusted(self, rest: StableBoard, keep: frozenset[Square]) -> DecodedBoard:
        """The reading, held to what the pixels allow: what looks as it did, is what it was.

        `keep` names squares that stay as the game has them, too.
        """
        seen, board = rest.decoded, self.game.board
        held: list[Placement] = []
        for row, column in np.ndindex(*board.size):
            was, now = board[row, column], seen.board[row, column]
            if was == now or now == COVERED:
                continue
            corrected = is_tile(was) and is_tile(now)
            if corrected:
                # Glare makes a blank of any letter.
                doubted = (row, column) in self._doubts and now != BLANK
                enough = SURE if doubted else CORRECTION_SURE
                sure = float(seen.confidence[row, column]) >= enough
                believed = sure and (row, column) not in self._vouched
            else:
                believed = bool(rest.changed[row, column]) and (row, column) not in keep
            if not believed:
                held.append(Placement(row=row, column=column, token=was))
        squares = {(tile.row, tile.column) for tile in held}
        alternatives = {
            square: candidates
            for square, candidates in seen.alternatives.items()
            if rest.changed[square] and square not in squares
        }
        return replace(seen, board=with_tokens(seen.board, held), alternatives=alternatives)

    def _explain(self, seen: DecodedBoard, rest: StableBoard) -> tuple[GameUpdate, ...] | None:
        """The updates that lead to this board; none if nothing did, None if nothing can."""
        if rest.stirred_s - self._played_s < SAME_TURN_S:
            updates = continued(self.game, seen)
            if updates is not None:
                return updates
        game = self.game
        if rest.stirred_s - self._withdrawn_s <= REPLAY_S:
            game = if_laid_again(game, seen)
        # Readings that were nearly as likely are tried once the board has had time to be read well.
        boards = readings_of(seen) if rest.late else iter([(seen.board, 1.0)])
        return likeliest(game, boards, seen, within_turn=True)

    def _loose(self, seen: DecodedBoard, print_shows: bool) -> frozenset[Square]:
        """New tiles that hang on no tile of the game: a board's print or a cup's rim, where it looks like tiles.

        Where no print shows that was not there before, none of them may be read surely: those may be a play of which
        one tile was missed.
        """
        board = self.game.board
        fresh = {(t.row, t.column) for t in seen.board.tiles() if board[t.row, t.column] == EMPTY}
        joined = {(tile.row, tile.column) for tile in board.tiles()} or set(self.game.edition.layout.start)
        front = list(joined)
        while front:
            near = beside_of(*front.pop()) & fresh - joined
            joined |= near
            front.extend(near)
        loose = frozenset(fresh - joined)
        unsure = all(seen.confidence[square] < SURE for square in loose)
        return loose if print_shows or unsure else frozenset()

    def _begin(self, seen: DecodedBoard) -> TurnDecision:
        """A new game on a board that is not empty, or whose print looks like tiles."""
        game, plain = self.game, self.game.edition.layout.premiums
        tiles = list(seen.board.tiles())
        lying = sum(plain[tile.row][tile.column] is Premium.PLAIN for tile in tiles)
        if lying < MIN_LYING or lying < len(tiles) / 4 or seen.board.problems(game.edition) & IMPOSSIBLE:
            return TurnDecision(is_resolved=True)
        self.game = Game(edition=game.edition, players=game.players, start=seen.board)
        message = f"{len(tiles)} tiles lie on the board already; the game goes on from there"
        return TurnDecision(is_resolved=True, notices=self.say(message))

    def _unexplained(self, seen: DecodedBoard, rest: StableBoard) -> TurnDecision:
        if rest.first and rest.late and not self.game.events and self.game.board.is_empty:
            return self._begin(seen)
        if not rest.late or rest.rest_s < SAID_AFTER_S:
            return WAIT
        board = self.game.board
        strays = frozenset(
            square for square in np.ndindex(*board.size) if seen.board[square] not in (board[square], COVERED)
        )
        self._strays = strays
        if len(strays) <= MAX_STRAYS and all(board[square] == EMPTY for square in strays):
            return TurnDecision(is_resolved=True)
        if seen.board.is_empty:
            return TurnDecision(is_resolved=False, notices=self.say(CLEARED))
        inference = infer(board, seen.board, self.game.edition, last_play=latest_play(self.game))
        return TurnDecision(
            is_resolved=False, notices=self.say(f"{why_not(inference)} ({differences(board, seen.board)})")
        )


def as_complete(update: GameUpdate, rest: StableBoard) -> GameUpdate:
    """A play as sure as it is that nothing lies on the squares beside it that changed, too."""
    event = update.step.event if update.step is not None else None
    if not isinstance(event, PlayEvent) or update.kind is not UpdateKind.PLAY:
        return update
    board = rest.decoded.board
    beside = {square for tile in event.play for square in beside_of(tile.row, tile.column)}
    empty = [
        float(rest.decoded.confidence[square])
        for square in beside
        if board.holds(*square) and board[square] == EMPTY and rest.changed[square]
    ]
    return replace(update, confidence=min(update.confidence, *empty)) if empty else update


def beside_of(row: int, column: int) -> set[Square]:
    """The four squares that touch this one, on the board or not."""
    return {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}


def differences(known: Board, seen: Board) -> str:
    """Where two boards differ, for people; the first few squares."""
    squares = [square for square in np.ndindex(*known.size) if seen[square] not in (known[square], COVERED)]
    shown = [
        f"{format_square(*square)}: {named(known[square])} in the game, {named(seen[square])} seen"
        for square in squares[:MAX_SHOWN]
    ]
    more = len(squares) - len(shown)
    return "; ".join(shown) + (f"; {more} more" if more else "")


def named(token: str) -> str:
    """A square's token in words."""
    return "nothing" if token == EMPTY else "a blank" if token == BLANK else token
