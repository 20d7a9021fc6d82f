"""The play between two boards, or why there is none.

`infer` compares the squares first. What a covered square hides counts as unchanged, and so does a blank
whose letter is known on one of the two boards only. The squares that did change are then explained by
the fewest turns that the rules allow.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from scoring.board import Board, Placement, check_size
from scoring.coordinates import format_square
from scoring.edition import Edition
from scoring.errors import IllegalPlayError, NotationError, Refusal
from scoring.play import Play, check_play
from scoring.score import score_play
from scoring.tiles import BLANK, COVERED, EMPTY, is_blank, is_tile

__all__ = ["Inference", "InferenceKind", "infer"]

_Placements: TypeAlias = tuple[Placement, ...]


class InferenceKind(enum.Enum):
    """What happened between two boards."""

    NOTHING = "nothing"
    PLAY = "play"
    TAKEN_BACK = "taken-back"
    TAKEN_BACK_AND_PLAY = "taken-back-and-play"
    TAKEN_BACK_AND_TWO_PLAYS = "taken-back-and-two-plays"
    TWO_PLAYS = "two-plays"
    NOT_LEGAL = "not-legal"


_KINDS = {
    (False, 0): InferenceKind.NOTHING,
    (False, 1): InferenceKind.PLAY,
    (False, 2): InferenceKind.TWO_PLAYS,
    (True, 0): InferenceKind.TAKEN_BACK,
    (True, 1): InferenceKind.TAKEN_BACK_AND_PLAY,
    (True, 2): InferenceKind.TAKEN_BACK_AND_TWO_PLAYS,
}
"""By whether tiles were taken off, and how many plays were laid."""


@dataclass(frozen=True, slots=True)
class Inference:
    """What happened between two boards.

    Parameters
    ----------
    kind : InferenceKind
        Which of the cases it is.
    plays : tuple of Play
        One for PLAY and TAKEN_BACK_AND_PLAY, the first of `splits` where there are two, else none.
    splits : tuple of (Play, Play)
        Where there are two plays, every legal pair in its order of play, the pair that scores most first. That
        order is a convention, not a likelihood: only what else is known of the game can tell which pair it was.
    added, removed : tuple of Placement
        The squares that differ: what lies there now, what lay there before. A square whose tile
        changed is in both. After a take-back these are all the tiles taken and laid, also those that
        were laid again on their old squares.
    named : tuple of Placement
        Blanks whose letter is known now and was not before; they are no change by themselves.
    refusal : IllegalPlayError or None
        For NOT_LEGAL, which rule the simplest explanation breaks.
    """

    kind: InferenceKind
    plays: tuple[Play, ...] = ()
    splits: tuple[tuple[Play, Play], ...] = ()
    added: tuple[Placement, ...] = ()
    removed: tuple[Placement, ...] = ()
    named: tuple[Placement, ...] = ()
    refusal: IllegalPlayError | None = None


def infer(before: Board, after: Board, edition: Edition, *, last_play: Play | None = None) -> Inference:
    """What happened between two boards.

    Parameters
    ----------
    before, after : Board
        Two boards of one size.
    edition : Edition
        Whose rules.
    last_play : Play, optional
        The play that led to `before`. If some of its tiles are gone, it is taken to have been
        withdrawn as a whole, so that a play that uses the rest of them again is found in full.

    Returns
    -------
    Inference
        Never an exception for a strange board: its kind is then NOT_LEGAL, and `refusal` says why.

    Raises
    ------
    NotationError
        If the boards differ in size, or from the edition's.
    """
    if before.size != after.size:
        raise NotationError(f"boards of one size are needed, got {before.size} and {after.size}")
    check_size(before, edition)
    before, added, removed, named = _differences(before, after)
    changes = [*_whole_withdrawal(before, added, removed, last_play), (removed, added)]
    refusals = [_impossible_rest(before, gone, edition) for gone, _ in changes]
    possible = [change for change, refusal in zip(changes, refusals, strict=True) if refusal is None]
    for gone, laid in possible:
        plays = _one_play(before.without(gone), laid, edition)
        if plays is not None:
            kind = _KINDS[bool(gone), len(plays)]
            return Inference(kind=kind, plays=plays, added=laid, removed=gone, named=named)
        splits = _two_plays(before.without(gone), laid, edition)
        if splits:
            kind = _KINDS[bool(gone), 2]
            return Inference(kind=kind, plays=splits[0], splits=splits, added=laid, removed=gone, named=named)
    refusal = refusals[-1] or _refusal(before.without(removed), Play(placements=added), edition)
    return Inference(kind=InferenceKind.NOT_LEGAL, added=added, removed=removed, named=named, refusal=refusal)


def _differences(before: Board, after: Board) -> tuple[Board, _Placements, _Placements, _Placements]:
    """`before` with what is newly known about its own tiles, and the squares added, removed and named."""
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
            if old == COVERED:  # what was hidden is not new
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


def _whole_withdrawal(
    before: Board, added: _Placements, removed: _Placements, last_play: Play | None
) -> Iterator[tuple[_Placements, _Placements]]:
    """What was taken off and laid if the last play was withdrawn as a whole; nothing if it cannot have been."""
    if last_play is None or not removed:
        return
    last = {(tile.row, tile.column) for tile in last_play}
    gone = {(tile.row, tile.column) for tile in removed}
    if not gone <= last or not all(before.holds(*square) and is_tile(before[square]) for square in last):
        return
    withdrawn = tuple(
        Placement(row=row, column=column, token=before[row, column]) for row, column in sorted(last)
    )
    laid_again = tuple(tile for tile in withdrawn if (tile.row, tile.column) not in gone)
    yield withdrawn, Play(placements=(*added, *laid_again)).placements


def _one_play(board: Board, laid: _Placements, edition: Edition) -> tuple[Play, ...] | None:
    """These tiles as one play, or as none if there are none; None if the rules do not allow it."""
    if not laid:
        return ()
    play = Play(placements=laid)
    return (play,) if _refusal(board, play, edition) is None else None


def _impossible_rest(before: Board, removed: _Placements, edition: Edition) -> IllegalPlayError | None:
    """Why these tiles cannot be taken off; None if they can, or the board before was no better."""
    if not removed:
        return None
    rest = before.without(removed)
    squares = " ".join(format_square(tile.row, tile.column) for tile in removed)
    if before.is_connected() and not rest.is_connected():
        message = f"without the tiles on {squares} others would lie unconnected; look again"
        return IllegalPlayError(Refusal.LEAVES_FLOATING, message)
    start = edition.layout.start
    covered = any(before[square] != EMPTY for square in start)
    if covered and not rest.is_empty and all(rest[square] == EMPTY for square in start):
        message = f"without the tiles on {squares} no word would lie on the start square; look again"
        return IllegalPlayError(Refusal.START_NOT_COVERED, message)
    return None


def _refusal(board: Board, play: Play, edition: Edition) -> IllegalPlayError | None:
    try:
        check_play(board, play, edition)
    except IllegalPlayError as error:
        return error
    return None


def _two_plays(before: Board, added: _Placements, edition: Edition) -> tuple[tuple[Play, Play], ...]:
    """Every pair of plays that lays the added tiles one after the other, the highest sum of scores first.

    The sum says little: where two plays of a real game were merged and could be parted in several ways, the
    true pair scored most in about half of the cases, and neither the lengths nor the order of the words did
    better. It makes the order the same from run to run; pairs of one sum stand in the order of their first
    plays' squares.
    """
    if len(added) > 2 * edition.rack_size:
        return ()
    scored: dict[tuple[Play, Play], int] = {}
    for first_tiles in _first_halves(added):
        first = Play(placements=first_tiles)
        second = Play(placements=tuple(tile for tile in added if tile not in first_tiles))
        if (first, second) in scored:
            continue
        try:
            total = score_play(before, first, edition).total
            total += score_play(before.with_tiles(first), second, edition).total
        except IllegalPlayError:
            continue
        scored[first, second] = total
    return tuple(sorted(scored, key=lambda split: (-scored[split], split[0].placements)))


def _first_halves(added: _Placements) -> Iterator[_Placements]:
    """Every part of the tiles that may be one play while the rest is another one.

    A play fills its line without a gap, so within a line it takes neighbours among the added tiles; it
    leaves behind no two tiles that do not share a line.
    """
    lines: dict[tuple[str, int], list[Placement]] = {}
    for tile in added:
        lines.setdefault(("row", tile.row), []).append(tile)
        lines.setdefault(("column", tile.column), []).append(tile)
    for line in lines.values():
        for start, stop in itertools.combinations(range(len(line) + 1), 2):
            part = tuple(line[start:stop])
            if len(part) < len(added) and _share_a_line(tile for tile in added if tile not in part):
                yield part


def _share_a_line(tiles: Iterable[Placement]) -> bool:
    squares = [(tile.row, tile.column) for tile in tiles]
    return len({row for row, _ in squares}) == 1 or len({column for _, column in squares}) == 1
