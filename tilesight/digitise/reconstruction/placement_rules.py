"""The rules of where tiles may be placed, whatever their letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoring import Board, Edition, IllegalPlayError, Play, check_play
from vision.core import Mask, Square

__all__ = ["PlacementRules"]


class PlacementRules:
    """The rules of where tiles may be placed on squares that may hold one, whatever their letters."""

    def __init__(self, squares: Sequence[Square], edition: Edition) -> None:
        self.squares = squares
        # The letters are decided later, so that the number of each in the bag must not restrict where tiles are.
        self.edition = replace(edition, counts=dict.fromkeys(edition.counts))
        lines = [
            [index for index, square in enumerate(squares) if square[axis] == number]
            for axis in (0, 1)
            for number in range((edition.layout.rows, edition.layout.columns)[axis])
        ]
        self.runs = [(line, run) for line in lines for run in contiguous_runs(line, squares)]
        self._boards: dict[bytes, Board] = {}

    def allows(self, occupied: Mask, play: Sequence[int]) -> bool:
        """Return whether a play may fill these squares of a board."""
        try:
            check_play(self._board(occupied), Play.of(self._tiles(play)), self.edition)
        except IllegalPlayError:
            return False
        return True

    def connects(self, occupied: Mask, play: Sequence[int]) -> bool:
        """Return whether these tiles and those on the board are one group, as they are after every play."""
        return self._board(occupied).with_tiles(self._tiles(play)).is_connected()

    def _board(self, occupied: Mask) -> Board:
        key = occupied.tobytes()
        if key not in self._boards:
            empty = Board.empty(self.edition.layout)
            self._boards[key] = empty.with_tiles(self._tiles(np.flatnonzero(occupied).tolist()))
        return self._boards[key]

    def _tiles(self, squares: Sequence[int]) -> list[tuple[int, int, str]]:
        return [(*self.squares[index], self.edition.tokens[0]) for index in squares]


def contiguous_runs(line: Sequence[int], squares: Sequence[Square]) -> list[list[int]]:
    """Split the squares of a line into runs without a gap."""
    runs: list[list[int]] = []
    for index in line:
        if runs and sum(squares[index]) == sum(squares[runs[-1][-1]]) + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs
