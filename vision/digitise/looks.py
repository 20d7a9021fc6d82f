"""The positions that a game's photos show, each mended by the others: a tile that lies there stays as it is."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scoring import Board, Placement
from scoring.game import Game
from scoring.tiles import BLANK, COVERED, EMPTY, is_blank, is_tile
from vision.decoded import Candidate, DecodedBoard

__all__ = ["Look", "filled", "held", "looks_of"]

MOST_HOLES = 2
"""Tiles that may be overlooked at one look; where more are gone at once, they were taken back."""
OVERLOOKED = 0.5
"""How sure a tile is that only the next look shows."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Look:
    """One position of a game, and the photos that show it.

    Parameters
    ----------
    photos : tuple of str
        Their names.
    decoded : DecodedBoard
        The board, with what else its squares may hold.
    """

    photos: tuple[str, ...]
    decoded: DecodedBoard


def looks_of(photos: Sequence[tuple[str, DecodedBoard]]) -> list[Look]:
    """The positions that a game's photos show, in their order, each letter as most looks have it.

    Photos of one position are one look; the most certain of them speaks for it.
    """
    letters = letters_by_look([decoded for _, decoded in photos])
    looks: list[Look] = []
    for (name, seen), lying in zip(photos, letters, strict=True):
        decoded = agreed(seen, lying)
        if looks and same_position(looks[-1].decoded.board, decoded.board):
            surer = max(looks[-1].decoded, decoded, key=lambda each: float(each.confidence.sum()))
            looks[-1] = Look(photos=(*looks[-1].photos, name), decoded=surer)
        else:
            looks.append(Look(photos=(name,), decoded=decoded))
    boards = [look.decoded for look in looks]
    return [replace(look, decoded=mended(boards, at)) for at, look in enumerate(looks)]


def letters_by_look(boards: Sequence[DecodedBoard]) -> list[dict[tuple[int, int], str]]:
    """For each look and each square with a tile, what the looks say together from when it was laid until it is gone."""
    letters: list[dict[tuple[int, int], str]] = [{} for _ in boards]
    for square in {(tile.row, tile.column) for each in boards for tile in each.board.tiles()}:
        lying: list[int] = []
        for at, decoded in enumerate([*boards, None]):
            if decoded is not None and is_tile(decoded.board[square]):
                lying.append(at)
            elif decoded is None or decoded.board[square] == EMPTY:
                kind = voted([boards[look] for look in lying], square)
                for look in lying:
                    letters[look][square] = kind
                lying = []
    return letters


def voted(boards: Sequence[DecodedBoard], square: tuple[int, int]) -> str:
    """The letter of a square that these looks say together, ``?`` for any blank."""
    votes: dict[str, float] = defaultdict(float)
    for decoded in boards:
        token = decoded.board[square]
        sure = (Candidate(token=token, probability=float(decoded.confidence[square])),)
        for each in decoded.alternatives.get(square, sure):
            if is_tile(each.token):
                votes[BLANK if is_blank(each.token) else each.token] += each.probability
    return max(sorted(votes), key=votes.__getitem__, default=BLANK)


def agreed(seen: DecodedBoard, letters: Mapping[tuple[int, int], str]) -> DecodedBoard:
    """The board with each tile as the looks together say; what it was read as alone stays possible."""
    rows = [list(row) for row in seen.board.rows]
    alternatives = dict(seen.alternatives)
    for tile in seen.board.tiles():
        square = tile.row, tile.column
        kind = letters[square]
        if kind in (tile.token, "?" if is_blank(tile.token) else ""):
            continue
        rows[tile.row][tile.column] = kind
        others = [each for each in alternatives.get(square, ()) if each.token not in (kind, tile.token)]
        sure = float(seen.confidence[square])
        alternatives[square] = (
            Candidate(token=kind, probability=sure),
            Candidate(token=tile.token, probability=sure / 2),
            *others,
        )
    return replace(seen, board=Board.from_rows(rows), alternatives=alternatives)


def mended(boards: Sequence[DecodedBoard], at: int) -> DecodedBoard:
    """A board without the tiles that it alone shows, and neither the look before nor the one after.

    Where all new tiles are gone at the next look, they were a play that was taken back, and stay.
    """
    seen = boards[at]
    rows = [list(row) for row in seen.board.rows]
    if 0 < at < len(boards) - 1:
        before, after = boards[at - 1].board, boards[at + 1].board
        new = [tile for tile in seen.board.tiles() if before[tile.row, tile.column] == EMPTY]
        gone = [tile for tile in new if after[tile.row, tile.column] == EMPTY]
        if len(gone) < len(new):
            for tile in gone:
                rows[tile.row][tile.column] = EMPTY
    return replace(seen, board=Board.from_rows(rows))


def held(seen: DecodedBoard, later: Sequence[DecodedBoard], game: Game) -> DecodedBoard:
    """The board with the game's tiles where it shows none and later looks show them again."""
    holes = [
        tile
        for tile in game.board.tiles()
        if seen.board[tile.row, tile.column] == EMPTY
        and any(is_tile(look.board[tile.row, tile.column]) for look in later)
    ]
    if not holes or len(holes) > MOST_HOLES:
        return seen
    return replace(seen, board=seen.board.with_tiles(holes))


def filled(seen: DecodedBoard, later: Sequence[DecodedBoard], game: Game) -> Iterator[DecodedBoard]:
    """The board with one or two squares filled that later looks show filled: tiles that were overlooked."""
    late: dict[tuple[int, int], Placement] = {}
    for look in later:
        for tile in look.board.tiles():
            square = tile.row, tile.column
            if not is_tile(seen.board[square]) and game.board[square] == EMPTY:
                late.setdefault(square, tile)
    for number in (1, 2):
        for tiles in itertools.combinations(late.values(), number):
            confidence = seen.confidence.copy()
            for tile in tiles:
                confidence[tile.row, tile.column] = OVERLOOKED
            yield replace(seen, board=seen.board.without(tiles).with_tiles(tiles), confidence=confidence)


def same_position(one: Board, other: Board) -> bool:
    """Whether two boards hold the same tiles, as far as they can be seen."""
    return all(
        a == b or COVERED in (a, b) or (is_tile(a) and is_tile(b) and is_blank(a) and is_blank(b))
        for row, other_row in zip(one.rows, other.rows, strict=True)
        for a, b in zip(row, other_row, strict=True)
    )
