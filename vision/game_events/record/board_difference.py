"""Compare the board that was seen at rest with the record, and raise an alarm where they differ for long."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scoring import BLANK, COVERED, EMPTY, Board, Game, Placement, format_square, is_tile
from vision.core import DecodedBoard, Square, squares_in
from vision.game_events.differences import differing_squares, find_added_tiles, is_blank_named
from vision.game_events.placements import replace_tokens, squares_of
from vision.game_events.turn_state import StableBoard, TurnDecision
from vision.game_events.uncertain_tiles import MIN_CONFIDENCE
from vision.game_events.updates import Notice, NoticeKind

__all__ = ["BoardDifference", "RecordMonitor", "unresolved_squares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceSettings:
    """When a difference is reported. All values are chosen."""

    alarm_after_s: float = 3.0
    """Seconds for which a settled board differs from the record before this is reported."""
    wait_s: float = 30.0
    """Seconds for which an alarm is silent after a user said that the tiles are being taken off."""
    max_empty: float = 0.1
    """Probability of no tile up to which a square surely holds one, whatever its letter."""
    max_named: int = 7
    """Squares that a message names."""


SETTINGS = DifferenceSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardDifference:
    """The squares on which a settled board and the record differ.

    Parameters
    ----------
    extra : tuple of Placement
        Tiles on the board that the record lacks.
    missing : tuple of Placement
        Tiles of the record that the board lacks.
    is_removed_by_user : bool
        Whether the extra tiles are those that a user took out of the record, and none is missing.
    missing_move : int or None
        Number of the move, from 1, whose tiles are all that differ, and that is not the last play.
    """

    extra: tuple[Placement, ...] = ()
    missing: tuple[Placement, ...] = ()
    is_removed_by_user: bool = False
    missing_move: int | None = None

    @property
    def squares(self) -> frozenset[Square]:
        """The squares on which they differ."""
        return squares_of((*self.extra, *self.missing))

    @property
    def message(self) -> str:
        """What differs, and what a user can do."""
        if self.is_removed_by_user:
            return (
                f"still on the board: {_name(self.extra)}, which the record lacks: misread, or taken off? enter the "
                "play, or give the command board wait; the command board takes the tiles back into the record"
            )
        parts = []
        if self.extra:
            parts.append(f"the board holds tiles that the record lacks: {_name(self.extra)}")
        # A phone or a coin may look like a blank.
        if blanks := tuple(tile for tile in self.extra if tile.token == BLANK):
            parts.append(f"if no blank is on {_name(blanks)}, take away what is there")
        if self.missing:
            parts.append(f"the board lacks tiles that the record has: {_name(self.missing)}")
            parts.append("if they are there, straighten them or take away what covers them")
        if (move := self.missing_move) is not None:
            parts.append(
                f"if move {move} was challenged off, the command insert {move + 1} challenge takes it back"
            )
        return "; ".join([*parts, "the command board takes the board as it is"])


def _name(tiles: tuple[Placement, ...]) -> str:
    shown = " ".join(format_square(*tile.square) for tile in tiles[: SETTINGS.max_named])
    more = len(tiles) - SETTINGS.max_named
    return f"{shown} and {more} more" if more > 0 else shown


class RecordMonitor:
    """Keeps the board as it was seen last, and tells for how long it has differed from the record.

    Parameters
    ----------
    board : Board
        The record's board, before the first read.

    Attributes
    ----------
    seen : Board
        The board as it was read at the last rest. What was not read clearly is as it was before.
    """

    def __init__(self, board: Board) -> None:
        self.seen = board
        self._resolved = board
        self._since_s = 0.0
        self._pending = BoardDifference()
        self._silent_until_s = 0.0
        self._time_s = 0.0
        self._is_alarmed = False
        self._is_reported = False

    def expect(self, tiles: Iterable[Placement]) -> None:
        """Take these tiles as still on the board, though the record lacks them."""
        placed = [tile for tile in tiles if self.seen[tile.square] == EMPTY]
        self.seen, self._resolved = self.seen.with_tiles(placed), self._resolved.with_tiles(placed)

    def observe(self, stable: StableBoard, game: Game, decision: TurnDecision) -> None:
        """Take in a board at rest, the game after it, and what it meant."""
        if stable.occluded.any() or stable.reached_over:
            return
        self.seen = _merge(self._resolved, stable)
        if not decision.is_resolved:
            return
        if stable.is_first:  # a printed square that looks like a tile was there before
            self.seen = _with_tokens_of(self.seen, game.board, decision.unresolved_squares)
            self._resolved = game.board
            return
        left_out = decision.unresolved_squares
        if decision.is_taken_over:
            left_out = frozenset(differing_squares(game.board, stable.decoded.board))
        self.seen = _with_tokens_of(game.board, self.seen, _changed_squares(stable) - left_out)
        self._resolved = _with_tokens_of(self._resolved, self.seen, decision.unresolved_squares)

    def observe_unchanged(self) -> None:
        """Take in that the board looks as it did when it was last resolved."""
        self.seen = self._resolved

    def difference(self, game: Game, removed: Iterable[Placement]) -> BoardDifference:
        """Compare the board with the record.

        Parameters
        ----------
        game : Game
            The record.
        removed : iterable of Placement
            Tiles that a user took out of the record.
        """
        board, seen = game.board, self.seen
        if board == seen or (seen.is_empty and game.ending is not None):
            return BoardDifference()
        extra, missing = find_added_tiles(board, seen), find_added_tiles(seen, board)
        if game.state.settled and not extra:  # the board is being cleared
            return BoardDifference()
        is_removed = bool(extra) and not missing and squares_of(extra) <= squares_of(removed)
        gone = frozenset[Square]() if extra else squares_of(missing)
        moves = (placed.index + 1 for placed in game.state.plays[:-1] if squares_of(placed.play) == gone)
        return BoardDifference(
            extra=extra, missing=missing, is_removed_by_user=is_removed, missing_move=next(moves, None)
        )

    def ask(self, difference: BoardDifference) -> tuple[Notice, ...]:
        """Report at once that tiles which a user took out of the record are still on the board."""
        if not difference.is_removed_by_user:
            return ()
        self._pending, self._since_s = difference, self._time_s
        self._is_alarmed = self._is_reported = True
        return (Notice(NoticeKind.BOARD_DIFFERS, difference.message),)

    def wait(self, difference: BoardDifference) -> None:
        """Be silent about the present difference for a while: a user said that the tiles are being taken off."""
        self._pending, self._since_s = difference, self._time_s
        self._silent_until_s = self._time_s + SETTINGS.wait_s
        self._is_alarmed = self._is_reported = False

    def alarm(self, difference: BoardDifference) -> BoardDifference | None:
        """Return the difference if users are to see it now; None otherwise."""
        return difference if self._is_alarmed and difference != BoardDifference() else None

    def update(
        self, difference: BoardDifference, time_s: float, *, is_settled: bool, is_last: bool = False
    ) -> tuple[Notice, ...]:
        """Let time pass, and return what is to be reported.

        Parameters
        ----------
        difference : BoardDifference
            The present difference.
        time_s : float
            The present time.
        is_settled : bool
            Whether the board is at rest.
        is_last : bool
            Whether no frame follows: tiles that the record lacks, on a settled board, are then reported at once.
        """
        self._time_s = time_s
        if difference == BoardDifference():
            was_reported, self._is_reported, self._is_alarmed = self._is_reported, False, False
            self._pending, self._silent_until_s = difference, 0.0
            return (
                (Notice(NoticeKind.BOARD_AGREES, "the board and the record agree"),) if was_reported else ()
            )
        if difference != self._pending:
            if not difference.squares <= self._pending.squares:
                self._silent_until_s = 0.0
            self._pending, self._since_s, self._is_reported = difference, time_s, False
        elif not is_settled and not self._is_alarmed:
            self._since_s = time_s
        # Tiles are missing where players clear the board.
        after_s = 0.0 if is_last and is_settled and difference.extra else SETTINGS.alarm_after_s
        is_due = time_s >= max(self._since_s + after_s, self._silent_until_s)
        if self._is_reported or not is_due:
            return ()
        self._is_alarmed = self._is_reported = True
        return (Notice(NoticeKind.BOARD_DIFFERS, difference.message),)


def _with_tokens_of(source: Board, board: Board, squares: Iterable[Square]) -> Board:
    """Return a board with the tokens of another one on some squares."""
    return replace_tokens(
        board, (Placement(row=row, column=column, token=source[row, column]) for row, column in squares)
    )


def _changed_squares(stable: StableBoard) -> frozenset[Square]:
    """The squares that changed and that nothing covers."""
    board = stable.decoded.board
    return frozenset(square for square in squares_in(stable.changed) if board[square] != COVERED)


def _merge(resolved: Board, stable: StableBoard) -> Board:
    """Return the board as it was resolved, with what is read clearly on the squares that changed since."""
    decoded = stable.decoded
    clear = (square for square in _changed_squares(stable) if _is_clear(decoded, square))
    return _with_tokens_of(decoded.board, resolved, clear)


def _is_clear(decoded: DecodedBoard, square: Square) -> bool:
    """Whether it is clear that a square is empty, or that it holds a tile."""
    if float(decoded.confidence[square]) >= MIN_CONFIDENCE:
        return True
    nothing = [each.probability for each in decoded.alternatives.get(square, ()) if not is_tile(each.token)]
    return (
        is_tile(decoded.board[square])
        and bool(decoded.alternatives.get(square))
        and sum(nothing) <= SETTINGS.max_empty
    )


def unresolved_squares(stable: StableBoard, before: Board, board: Board) -> frozenset[Square]:
    """Squares that changed, do not look as the game has them, and got no tile by the present decision.

    A blank may look like an empty square, and still be what the play needs.
    """
    return frozenset(
        square
        for square in differing_squares(board, stable.decoded.board)
        if stable.changed[square]
        and before[square] == board[square]
        and not is_blank_named(board[square], stable.decoded.board[square])
    )
