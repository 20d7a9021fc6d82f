"""How much of a board that is known is seen in a reading: whether it is this board, and this side of it.

Whether the letters stand upright: told by several letters together, or not at all.

Which side of a board is up: what the letters say of themselves, and in doubt from which side they are letters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring import Board, is_blank
from vision.core import BoardReading, Occupancy, SquareProbabilities
from vision.recognition.base import SquareReader

__all__ = [
    "MIN_BOARD_MATCH",
    "MIN_LETTERS_TO_TURN",
    "OrientedReading",
    "are_letters_upright",
    "estimate_quarter_turns",
    "resolve_orientation",
    "score_board_match",
    "vote_quarter_turns",
]

MIN_BOARD_MATCH = 0.6
"""Of the known tiles that are in view; another side of the board or another board shows a tenth of them."""


def score_board_match(reading: SquareProbabilities, board: Board) -> float:
    """How much of what is known to lie on the board is seen there, 0 to 1.

    Tiles that are covered do not count; where most of them are, nothing can be said and the answer is 0.
    """
    columns = {token: number for number, token in enumerate(reading.tokens)}
    seen, shares = 0, 0.0
    tiles = list(board.tiles())
    for tile in tiles:
        occupancy = reading.occupancy[tile.row, tile.column]
        if occupancy[Occupancy.COVERED] > 0.5:
            continue
        seen += 1
        if is_blank(tile.token):
            shares += float(occupancy[Occupancy.BLANK] + 0.5 * occupancy[Occupancy.TILE])
        elif tile.token in columns:
            letter = float(reading.letters[tile.row, tile.column, columns[tile.token]])
            shares += float(occupancy[Occupancy.TILE]) * letter
    if not seen or 2 * seen < len(tiles):
        return 0.0
    return shares / seen


Mask = NDArray[np.bool_]

MIN_LETTERS_TO_TURN = 2.5
"""Expected number of letters from which they say which way is up; a single false one must not."""
SURE_TURN = 0.9


def vote_quarter_turns(
    reading: SquareProbabilities, squares: Mask | None = None, least: float = MIN_LETTERS_TO_TURN
) -> int:
    """Quarter turns after which the letters stand upright; 0 unless several say so clearly.

    Parameters
    ----------
    reading : BoardReading
        What was read.
    squares : (rows, columns) bool, optional
        Which squares are asked; all of them by default.
    least : float
        Expected number of letters from which they are heard.
    """
    turn, confidence = _turn_of(reading, squares, least)
    return turn if confidence >= SURE_TURN else 0


def are_letters_upright(
    reading: SquareProbabilities, squares: Mask | None = None, least: float = MIN_LETTERS_TO_TURN
) -> bool:
    """Whether the letters on these squares say clearly that they stand upright."""
    turn, confidence = _turn_of(reading, squares, least)
    return turn == 0 and confidence >= SURE_TURN


def _turn_of(reading: SquareProbabilities, squares: Mask | None, least: float) -> tuple[int, float]:
    """What the letters on these squares say, with no confidence where they are too few."""
    tiles = np.where(
        reading.occupancy[..., Occupancy.TILE] > 0.5, reading.occupancy[..., Occupancy.TILE], np.float32(0)
    )
    if squares is not None:
        tiles = tiles * squares
    if float(tiles.sum()) < least:
        return 0, 0.0
    occupancy = np.zeros_like(reading.occupancy)
    occupancy[..., Occupancy.TILE] = tiles
    return estimate_quarter_turns(replace(reading, occupancy=occupancy))


CLEAR = 0.93
"""Mean probability of the most probable letter, above which votes are believed without looking from another side."""
LESS_UNCLEAR, MIN_UNCLEAR = 1.3, 0.01
"""How many times what is missing to certainty must be larger from any other side to be sure, or to overrule votes that
agree; and what is missing at least.

References
----------
Chosen on rendered boards, each named from all four sides: words such as SHIN and NOSH at 14 to 24 px a cell, blurred;
positions in the typefaces of `tests.sets.exotic_sets` at 16 and 26 px; scenes 60,000 to 60,059 of
`tests.sets.scenes`. Where votes that agreed were right, the other side was never clearer by that much where
`MIN_LETTERS_TO_TURN` tiles told the sides apart.
"""

MIN_VOTED = 0.05
"""Mean probability that tiles give a turn which need not be looked at: one tile in twenty may lie any way round."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OrientedReading:
    """A board as it was read from the side that is up.

    Parameters
    ----------
    reading : BoardReading
        The read from that side.
    quarter_turns : int
        Quarter turns from the side that was read first.
    is_certain : bool
        Whether the letters, or a known board, decide the side.
    """

    reading: BoardReading
    quarter_turns: int
    is_certain: bool


class _Sides:
    """The reads of a board from its four sides; each side is read once, when it is asked for."""

    def __init__(self, first: BoardReading, recognizer: SquareReader) -> None:
        self._recognizer = recognizer
        self._readings = {0: first}

    def __getitem__(self, quarter_turns: int) -> BoardReading:
        if quarter_turns not in self._readings:
            first = self._readings[0]
            rectified = first.rectified.rotate(quarter_turns)
            self._readings[quarter_turns] = BoardReading(
                grid=first.grid.rotate(quarter_turns),
                rectified=rectified,
                probabilities=self._recognizer.read(rectified),
            )
        return self._readings[quarter_turns]

    def oriented(self, quarter_turns: int, *, is_certain: bool) -> OrientedReading:
        return OrientedReading(
            reading=self[quarter_turns], quarter_turns=quarter_turns, is_certain=is_certain
        )


def resolve_orientation(
    first: BoardReading, recognizer: SquareReader, prior_board: Board | None = None
) -> OrientedReading:
    """Find the side of a board from which its letters can be read.

    Parameters
    ----------
    first : BoardReading
        The board as it was detected.
    recognizer : SquareReader
        Reads the board from other sides, where that is needed.
    prior_board : Board, optional
        What was on the board at the last read. If it is seen from one side only, this side is up.

    Notes
    -----
    Tiles vote for their orientation, which costs nothing, and are believed where they are read clearly. In some
    typefaces the votes favour the upside-down reading. Upside-down letters are read with low confidence, however, so
    where confidence is low the opposite side is read too, or every side with votes if the votes disagree. The side
    with the clearest letters is up. This says nothing where hardly any tile is another letter from there, as in words
    of O, S and X. Votes that agree are overruled only by letters that are clearer by far, and the result is then
    uncertain.
    """
    sides = _Sides(first, recognizer)
    by_letters = _orient_by_letters(sides)
    if prior_board is None or prior_board.is_empty:
        return by_letters
    probabilities = by_letters.reading.probabilities
    if by_letters.is_certain and score_board_match(probabilities, prior_board) >= MIN_BOARD_MATCH:
        return by_letters
    chosen = by_letters.quarter_turns
    shares = {
        turn: score_board_match(sides[turn].probabilities, prior_board)
        for turn in _possible_turns(first, chosen)
    }
    showing = [turn for turn, share in shares.items() if share >= MIN_BOARD_MATCH]
    if not showing:
        return by_letters
    best = chosen if chosen in showing else max(showing, key=lambda turn: shares[turn])
    return sides.oriented(best, is_certain=len(showing) == 1)


def _orient_by_letters(sides: _Sides) -> OrientedReading:
    """The side that the letters alone say is up."""
    first = sides[0]
    chosen = vote_quarter_turns(first.probabilities)
    if chosen and not are_letters_upright(sides[chosen].probabilities):
        chosen = 0
    reading = sides[chosen].probabilities
    agreed = are_letters_upright(reading)
    tiles = reading.occupancy[..., Occupancy.TILE] > 0.5
    if tiles.sum() < MIN_LETTERS_TO_TURN or (agreed and _clearness(reading.letters, tiles) > CLEAR):
        return sides.oriented(chosen, is_certain=agreed)
    turns = (chosen, (chosen + 2) % 4) if agreed else _likely_turns(first, chosen)
    letters = {turn: np.rot90(sides[turn].probabilities.letters, chosen - turn) for turn in turns}
    unclear = {turn: 1.0 - _clearness(seen, tiles) for turn, seen in letters.items()}
    best, second = sorted(unclear, key=lambda turn: unclear[turn])[:2]
    clearer = unclear[second] > LESS_UNCLEAR * max(MIN_UNCLEAR, unclear[best])
    if not agreed:
        return sides.oriented(best, is_certain=clearer)
    named, other = (seen.argmax(axis=-1) for seen in letters.values())
    telling = (tiles & (named != other)).sum() >= MIN_LETTERS_TO_TURN
    if best != chosen and not (telling and clearer):
        return sides.oriented(chosen, is_certain=False)
    return sides.oriented(best, is_certain=bool(best == chosen and (clearer or not telling)))


def _possible_turns(first: BoardReading, chosen: int) -> tuple[int, ...]:
    """The turns from which a board of this shape can be seen, the chosen one first."""
    square = first.rectified.rows == first.rectified.columns
    return tuple((chosen + turn) % 4 for turn in ((0, 1, 2, 3) if square else (0, 2)))


def _likely_turns(first: BoardReading, chosen: int) -> tuple[int, ...]:
    """The chosen turn, the one opposite, and of the others those that tiles may mean."""
    tiles = first.probabilities.occupancy[..., Occupancy.TILE] > 0.5
    votes = first.probabilities.turns[tiles].mean(axis=0)
    return tuple(
        turn
        for turn in _possible_turns(first, chosen)
        if turn in (chosen, (chosen + 2) % 4) or votes[turn] > MIN_VOTED
    )


def _clearness(letters: NDArray[np.float32], tiles: NDArray[np.bool_]) -> float:
    """How clearly these tiles are read."""
    return float(letters[tiles].max(axis=-1).mean())


_TILES_TO_COMPARE = 5


def estimate_quarter_turns(reading: SquareProbabilities) -> tuple[int, float]:
    """How many quarter turns clockwise the letters stand from upright, and how sure that is.

    Each tile votes with the logarithm of its own four probabilities, weighted by the probability that it is a
    tile with a letter. A letter such as O or I spreads its vote and so counts little; tiles that were laid the
    wrong way round are outvoted, since one vote is bounded.

    Returns
    -------
    quarter_turns : int
        0 to 3; `Grid.rotate` with this number names the corners so that the letters stand upright.
    confidence : float
        Posterior probability of that turn under even odds; 0.25 for a board without letters.
    """
    tile = reading.occupancy[..., Occupancy.TILE].astype(np.float64)
    tile[tile < 0.5] = (
        0.0  # two hundred empty squares, each a little like a tile, must not outvote a few tiles
    )
    # 0.05: one tile in twenty may lie any way round, so no vote exceeds log(0.96 / 0.0125).
    turns = 0.95 * reading.turns.astype(np.float64) + 0.05 / 4
    votes = (tile[..., None] * np.log(turns)).sum(axis=(0, 1))
    posterior = np.exp(votes - votes.max())
    posterior /= posterior.sum()
    best = int(posterior.argmax())
    return best, float(posterior[best])
