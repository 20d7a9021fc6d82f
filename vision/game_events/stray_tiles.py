"""Tiles that are no part of a play: prints, crumbs and racks that look like tiles, and tiles that were moved."""

from __future__ import annotations

from collections import Counter

from scoring import EMPTY, Board, Game, is_tile, neighbours
from vision.core import DecodedBoard, Square, connected_groups, neighbours_of
from vision.game_events.differences import covered_squares, differing_squares, find_added_tiles
from vision.game_events.placements import count_pieces, squares_of
from vision.game_events.uncertain_tiles import MIN_CONFIDENCE

__all__ = ["are_moved", "detached_squares", "moved_squares", "unbelieved_squares"]


def detached_squares(new: frozenset[Square], game: Game) -> frozenset[Square]:
    """Find the squares of new tiles that touch no tile of the game, not even through others."""
    known = squares_of(game.board.tiles()) or frozenset(game.edition.layout.start)
    groups = connected_groups(new - known)
    return frozenset[Square]().union(*(group for group in groups if not neighbours_of(group) & known))


def are_moved(trusted: DecodedBoard, game: Game, strays: frozenset[Square]) -> bool:
    """Whether the new tiles, apart from those on some squares, are tiles of the game that are missing elsewhere."""
    seen = trusted.board
    missing = find_added_tiles(seen, game.board)
    new = [tile for tile in find_added_tiles(game.board, seen) if tile.square not in strays]
    return bool(new) and count_pieces(new) <= count_pieces(missing)


def moved_squares(trusted: DecodedBoard, board: Board) -> frozenset[Square]:
    """The squares of tiles that are elsewhere now: one that was pushed aside, or a word that was put right late."""
    seen = trusted.board
    sure = {
        tile.square: tile.token for tile in seen.tiles() if trusted.confidence[tile.square] >= MIN_CONFIDENCE
    }
    pushed = (
        frozenset({tile.square, near})
        for tile in find_added_tiles(seen, board)
        for near in neighbours(tile.square)
        if sure.get(near) == tile.token and board[near] == EMPTY
    )
    put_right = (
        group
        for group in connected_groups(frozenset(differing_squares(board, seen)))
        if sure.keys() >= {square for square in group if is_tile(seen[square])}
        and _pieces_on(group, board) == _pieces_on(group, seen)
    )
    return frozenset[Square]().union(*pushed, *put_right)


def _pieces_on(squares: frozenset[Square], board: Board) -> Counter[str]:
    return count_pieces(tile for tile in board.tiles() if tile.square in squares)


def unbelieved_squares(
    trusted: DecodedBoard, game: Game, *, is_print: bool, stays: bool
) -> frozenset[Square]:
    """New tiles that touch no tile of the game: a board's print, a cup's rim or a rack that looks like tiles.

    Where no print shows that was not there before (`is_print`), none of them may be read confidently: those may be a
    play of which one tile was missed. Where they stay, that is a play in one line (`stays`).
    """
    new, hidden = squares_of(find_added_tiles(game.board, trusted.board)), covered_squares(trusted.board)
    detached = new & detached_squares(new | hidden, game)  # others may be of a play with hidden tiles
    are_uncertain = all(trusted.confidence[square] < MIN_CONFIDENCE for square in detached)
    is_line = any(len(set(numbers)) <= 1 for numbers in zip(*new, strict=True))
    return detached if is_print or are_uncertain or (stays and not is_line) else frozenset()
