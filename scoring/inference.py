"""Infer the play between two boards, or why there is none.

`infer` first compares the squares. A covered square counts as unchanged, and so does a blank whose letter is
known on one of the two boards only. The changed squares are then explained by the fewest legal turns.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from scoring.board import Board, Placement, check_size
from scoring.coordinates import format_square
from scoring.edition import Edition
from scoring.errors import IllegalPlayError, NotationError, PlayRule
from scoring.play import Play, find_refusal, is_legal
from scoring.play_orders import PlayOrderSearch
from scoring.score import score_checked
from scoring.tiles import BLANK, COVERED, EMPTY, is_blank, is_tile

__all__ = ["Inference", "InferenceKind", "infer"]

_Placements: TypeAlias = tuple[Placement, ...]


class InferenceKind(enum.Enum):
    """The kinds of change between two boards."""

    NOTHING = "nothing"
    PLAY = "play"
    TAKEN_BACK = "taken-back"
    TAKEN_BACK_AND_PLAY = "taken-back-and-play"
    TAKEN_BACK_AND_TWO_PLAYS = "taken-back-and-two-plays"
    TWO_PLAYS = "two-plays"
    NOT_LEGAL = "not-legal"

    def __repr__(self) -> str:
        return f"InferenceKind.{self.name}"


_KINDS = {
    (False, 0): InferenceKind.NOTHING,
    (False, 1): InferenceKind.PLAY,
    (False, 2): InferenceKind.TWO_PLAYS,
    (True, 0): InferenceKind.TAKEN_BACK,
    (True, 1): InferenceKind.TAKEN_BACK_AND_PLAY,
    (True, 2): InferenceKind.TAKEN_BACK_AND_TWO_PLAYS,
}
"""The kind, by whether tiles were taken off and the number of new plays."""


@dataclass(frozen=True, slots=True)
class Inference:
    """The change between two boards.

    Parameters
    ----------
    kind : InferenceKind
        The kind of change.
    plays : tuple of Play
        The new plays. For two plays, the first pair of `splits`.
    splits : tuple of (Play, Play)
        For two plays, every legal pair in the order of play, the pair with the highest score first. This order
        is a convention, not a likelihood: only other knowledge of the game can decide between the pairs.
    added, removed : tuple of Placement
        The changed squares, with the tile now and the tile before. A square whose tile changed is in both. If
        a play was taken back, these are all tiles taken off and played, also those put back on their squares.
    named : tuple of Placement
        Blanks whose letter has become known; this alone is no change.
    problem : IllegalPlayError or None
        For NOT_LEGAL, the rule that the simplest explanation breaks.
    """

    kind: InferenceKind
    plays: tuple[Play, ...] = ()
    splits: tuple[tuple[Play, Play], ...] = ()
    added: tuple[Placement, ...] = ()
    removed: tuple[Placement, ...] = ()
    named: tuple[Placement, ...] = ()
    problem: IllegalPlayError | None = None


def infer(before: Board, after: Board, edition: Edition, *, last_play: Play | None = None) -> Inference:
    """Infer what happened between two boards.

    A tile that became another one is a play taken back and a new play of that tile, if the rules allow it. So a
    misread letter looks like a play.

    Parameters
    ----------
    before, after : Board
        The boards, of the size of the edition.
    edition : Edition
        The rules.
    last_play : Play, optional
        The play that led to `before`. If some of its tiles are gone, the complete play counts as taken back.
        So a new play that uses its other tiles is found with all its tiles.

    Returns
    -------
    Inference
        If no legal explanation exists, its kind is NOT_LEGAL and `problem` says why.

    Raises
    ------
    NotationError
        If the boards differ in size from each other or from the edition.
    """
    if before.size != after.size:
        raise NotationError(f"boards of one size are needed, got {before.size} and {after.size}")
    check_size(before, edition)
    before, added, removed, named = _compare(before, after)
    changes = [*_take_back_completely(before, added, removed, last_play), (removed, added)]
    refusals = [_check_rest(before, gone, edition) for gone, _ in changes]
    possible = [change for change, refusal in zip(changes, refusals, strict=True) if refusal is None]
    for gone, new in possible:
        plays = _explain_by_one_play(before.without(gone), new, edition)
        if plays is not None:
            kind = _KINDS[bool(gone), len(plays)]
            return Inference(kind=kind, plays=plays, added=new, removed=gone, named=named)
        splits = _explain_by_two_plays(before.without(gone), new, edition)
        if splits:
            kind = _KINDS[bool(gone), 2]
            return Inference(kind=kind, plays=splits[0], splits=splits, added=new, removed=gone, named=named)
    refusal = refusals[-1] or find_refusal(before.without(removed), Play(placements=added), edition)
    return Inference(kind=InferenceKind.NOT_LEGAL, added=added, removed=removed, named=named, problem=refusal)


def _compare(before: Board, after: Board) -> tuple[Board, _Placements, _Placements, _Placements]:
    """Return `before` with what has become known of it, and the squares added, removed and named."""
    added: list[Placement] = []
    removed: list[Placement] = []
    named: list[Placement] = []
    revealed: list[Placement] = []
    for row, (old_row, new_row) in enumerate(zip(before.rows, after.rows, strict=True)):
        if old_row == new_row:
            continue
        for column, (old, new) in enumerate(zip(old_row, new_row, strict=True)):
            if old == new or new == COVERED:
                continue
            now = Placement(row=row, column=column, token=new)
            if old == COVERED:  # a tile that was hidden is not new
                revealed.append(now)
            elif old == BLANK and is_blank(new):
                named.append(now)
            elif not (new == BLANK and is_blank(old)):
                if new != EMPTY:
                    added.append(now)
                if old != EMPTY:
                    removed.append(Placement(row=row, column=column, token=old))
    known = [*named, *revealed]
    if known:
        before = before.without(known).with_tiles(tile for tile in known if tile.token != EMPTY)
    return before, tuple(added), tuple(removed), tuple(named)


def _take_back_completely(
    before: Board, added: _Placements, removed: _Placements, last_play: Play | None
) -> Iterator[tuple[_Placements, _Placements]]:
    """Generate the tiles taken off and played if the last play was taken back completely, if that is possible."""
    if last_play is None or not removed:
        return
    last = {(tile.row, tile.column) for tile in last_play}
    gone = {(tile.row, tile.column) for tile in removed}
    if not gone <= last or not all(before.holds(*square) and is_tile(before[square]) for square in last):
        return
    taken_back = tuple(
        Placement(row=row, column=column, token=before[row, column]) for row, column in sorted(last)
    )
    replayed = tuple(tile for tile in taken_back if (tile.row, tile.column) not in gone)
    yield taken_back, Play(placements=(*added, *replayed)).placements


def _explain_by_one_play(board: Board, new: _Placements, edition: Edition) -> tuple[Play, ...] | None:
    """Return the new tiles as one play, or as no play if there are none; None if the play is not legal."""
    if not new:
        return ()
    play = Play(placements=new)
    return (play,) if is_legal(board, play, edition) else None


def _check_rest(before: Board, removed: _Placements, edition: Edition) -> IllegalPlayError | None:
    """Return why these tiles cannot be taken off; None if they can, or if the board had the same fault before."""
    if not removed:
        return None
    rest = before.without(removed)
    squares = " ".join(format_square(tile.row, tile.column) for tile in removed)
    if before.is_connected() and not rest.is_connected():
        message = f"without the tiles on {squares} others would be unconnected; look again"
        return IllegalPlayError(PlayRule.LEAVES_FLOATING, message)
    start = edition.layout.start
    covered = any(before[square] != EMPTY for square in start)
    if covered and not rest.is_empty and all(rest[square] == EMPTY for square in start):
        message = f"without the tiles on {squares} no word would be on the start square; look again"
        return IllegalPlayError(PlayRule.START_NOT_COVERED, message)
    return None


def _explain_by_two_plays(
    before: Board, added: _Placements, edition: Edition
) -> tuple[tuple[Play, Play], ...]:
    """Return every legal pair of plays with the added tiles, the highest sum of scores first.

    The sum says little. Where two merged plays of a real game could be split in several ways, the true pair had
    the highest sum in about half of the cases. Neither the lengths nor the order of the words did better. The
    sum makes the order the same in every run; ties are ordered by the squares of the first play.
    """
    scored: dict[tuple[Play, Play], int] = {}
    for first, second in PlayOrderSearch(edition).find(before, frozenset(added), 2):
        try:
            total = score_checked(before, first, edition).total
            total += score_checked(before.with_tiles(first), second, edition).total
        except IllegalPlayError:  # no word, or one that runs into a covered square
            continue
        scored[first, second] = total
    return tuple(sorted(scored, key=lambda split: (-scored[split], split[0].placements)))
