"""The side of a board that is up: by the turns of its tiles, by how clearly they are read, and by a known board."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring import Board, Layout, is_blank
from vision.core import (
    BoardPlanes,
    BoardReading,
    Floats,
    Grid,
    Mask,
    Occupancy,
    RectifiedBoard,
    SquareProbabilities,
    softmax,
)
from vision.recognition.base import SquareReader
from vision.recognition.viewpoint.planes import read_planes
from vision.recognition.viewpoint.premium_print import vote_by_print

__all__ = [
    "MIN_BOARD_MATCH",
    "MIN_VOTING_LETTERS",
    "OrientedReading",
    "TurnVote",
    "orient_by_print",
    "resolve_orientation",
    "score_board_match",
    "vote_turn",
]

MIN_BOARD_MATCH = 0.6
"""Share of the known tiles in view from which a board is the known one. Another side or board shows a tenth of them."""

MIN_VOTING_LETTERS = 2.5
"""Expected number of letters from which their turns are certain; a single false one must not decide (chosen)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrientationSettings:
    """Thresholds of the orientation.

    `ratio_unclear` and `min_unclear` were chosen on rendered boards, each named from all four sides: words such as SHIN
    and NOSH at 14 to 24 px a cell, blurred; positions in the typefaces of `tests.sets.exotic_sets` at 16 and 26 px;
    scenes 60,000 to 60,059 of `tests.sets.scenes`. Where votes that agreed were right, the other side was never clearer
    by that ratio where `MIN_VOTING_LETTERS` tiles distinguished the sides.

    Parameters
    ----------
    misplaced_share : float
        Share of tiles that may lie any way round; it bounds each vote to log(0.96 / 0.0125).
    min_confidence : float
        Posterior probability from which a vote is clear.
    min_letter_probability : float
        Mean probability of the most probable letter from which votes are believed without reading another side.
    ratio_unclear, min_unclear : float
        One minus that mean is the unclarity of a side. It must be larger by this ratio on any other side to be certain,
        or to overrule votes that agree; it counts as at least `min_unclear`.
    min_turn_share : float
        Mean probability that tiles give a turn, from which this side is read too.
    min_clear_tile : float
        Probability of a tile from which on a letter is no print of the board (chosen).
    """

    misplaced_share: float = 0.05
    min_confidence: float = 0.9
    min_letter_probability: float = 0.93
    ratio_unclear: float = 1.3
    min_unclear: float = 0.01
    min_turn_share: float = 0.05
    min_clear_tile: float = 0.9


SETTINGS = OrientationSettings()


class TurnVote(NamedTuple):
    """The turn that the letters vote for.

    Parameters
    ----------
    quarter_turns : int
        0 to 3; `Grid.rotate` with this number names the corners so that the letters are upright.
    confidence : float
        Posterior probability of that turn under even odds; 0.25 without letters, 0 where too few of them may vote.
    """

    quarter_turns: int
    confidence: float

    @property
    def is_clear(self) -> bool:
        """Whether the letters agree."""
        return self.confidence >= SETTINGS.min_confidence

    @property
    def is_upright(self) -> bool:
        """Whether the letters agree that they are upright."""
        return self.quarter_turns == 0 and self.is_clear

    @property
    def clear_turns(self) -> int:
        """Quarter turns after which the letters are upright; 0 unless they agree."""
        return self.quarter_turns if self.is_clear else 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OrientedReading:
    """A board read from the side that is up.

    Parameters
    ----------
    reading : BoardReading
        The board read from that side.
    quarter_turns : int
        Quarter turns, as of `Grid.rotate`, from the side that was read first.
    is_certain : bool
        Whether the letters, or a known board, exclude the other sides.
    is_mirrored : bool
        Whether the picture shows the board in a mirror.
    """

    reading: BoardReading
    quarter_turns: int
    is_certain: bool
    is_mirrored: bool = False


class _Sides:
    """A board read from its four sides; each side is read once, when it is asked for."""

    def __init__(self, first: BoardReading, recognizer: SquareReader) -> None:
        self._recognizer = recognizer
        self._readings = {0: first}

    def some_squares(self, quarter_turns: int, squares: Mask) -> SquareProbabilities:
        """Return what some squares show from a side, as seen from there.

        Parameters
        ----------
        quarter_turns : int
            The side.
        squares : (rows, columns) bool
            The squares as seen from the first side. If this side was not read, they alone are read now.
        """
        if quarter_turns in self._readings:
            return self._readings[quarter_turns].probabilities
        planes, squares = self._planes(quarter_turns), np.rot90(squares, quarter_turns)
        return read_planes(planes, self._recognizer, squares=squares).probabilities

    def _planes(self, quarter_turns: int) -> Sequence[RectifiedBoard]:
        """Return the board as it is seen from a side, at each height."""
        return BoardPlanes(self._readings[0].planes, lambda plane: plane.rotate(quarter_turns))

    def __getitem__(self, quarter_turns: int) -> BoardReading:
        if quarter_turns not in self._readings:
            first, planes = self._readings[0], self._planes(quarter_turns)
            read = read_planes(planes, self._recognizer)
            self._readings[quarter_turns] = BoardReading(
                grid=first.grid.rotate(quarter_turns),
                planes=planes,
                probabilities=read.probabilities,
                is_height_uncertain=read.is_height_uncertain,
            )
        return self._readings[quarter_turns]

    def oriented(self, quarter_turns: int, *, is_certain: bool) -> OrientedReading:
        """Return the result that this side is up."""
        return OrientedReading(
            reading=self[quarter_turns], quarter_turns=quarter_turns, is_certain=is_certain
        )


def resolve_orientation(
    first: BoardReading, recognizer: SquareReader, prior_board: Board | None = None
) -> OrientedReading:
    """Decide from which side of a board its letters are upright.

    Parameters
    ----------
    first : BoardReading
        The board as it was detected.
    recognizer : SquareReader
        Reads the board from other sides, where that is needed.
    prior_board : Board, optional
        The board at the last read. If exactly one side shows it, that side is up.

    Notes
    -----
    Tiles vote for their turn, which costs nothing, and are believed where they are read clearly. In some typefaces the
    turn output favours the upside-down reading. Upside-down letters are read with low confidence, however. Where tiles
    are read badly, the opposite side is read too, or every side with votes if the votes disagree. Then the side is up
    for which tiles vote from all these sides, or the clearest one if these votes disagree too. Hardly any letter of
    words of O, S and X changes with the side, so that their clarity proves nothing. Votes that agree are overruled only
    by a much clearer side, and the result is then uncertain. One or two letters give a guess.
    """
    sides = _Sides(first, recognizer)
    by_letters = _orient_by_letters(sides)
    if prior_board is None or prior_board.is_empty:
        return by_letters
    return _orient_by_board(by_letters, sides, prior_board)


def orient_by_print(
    oriented: OrientedReading,
    recognizer: SquareReader,
    layout: Layout | None,
    rectify_print: Callable[[Grid], RectifiedBoard],
) -> OrientedReading:
    """Let the premium print decide which side is up, where there are too few letters to tell.

    Parameters
    ----------
    oriented : OrientedReading
        The result of `resolve_orientation`.
    recognizer : SquareReader
        Reads the board from another side, where that is needed.
    layout : Layout, optional
        The premium squares.
    rectify_print : callable
        Rectifies the board itself, below its tiles, with cells of `PRINT_CELL_PX`.

    Notes
    -----
    Players may lay their tiles along any side of the board, so that the print decides nothing against letters: single
    letters must agree with it. Print that is taken for a letter is no clear one.
    """
    first = oriented.reading
    tile = first.probabilities.occupancy[..., Occupancy.TILE]
    clear_letters = int((tile > SETTINGS.min_clear_tile).sum())
    if clear_letters >= MIN_VOTING_LETTERS:
        return oriented
    empty = first.probabilities.occupancy[..., Occupancy.EMPTY] > 0.5
    vote = vote_by_print(rectify_print(first.grid), empty, layout)
    if not vote.is_clear:
        return oriented
    turns = vote.quarter_turns
    if clear_letters and vote_turn(first.probabilities, min_letters=0).quarter_turns != turns:
        return oriented
    upright = _Sides(first, recognizer).oriented(turns, is_certain=True)
    return replace(
        upright,
        quarter_turns=(oriented.quarter_turns + turns) % 4,
        is_mirrored=oriented.is_mirrored,
    )


def _orient_by_letters(sides: _Sides) -> OrientedReading:
    """Decide by the votes of the letters, and by how clearly they are read where votes do not suffice."""
    has_few = sides[0].probabilities.shows_letter.sum() < MIN_VOTING_LETTERS
    least = 0.0 if has_few else MIN_VOTING_LETTERS
    vote = vote_turn(sides[0].probabilities, min_letters=least)
    chosen = vote.clear_turns
    if chosen:
        after = vote_turn(sides[chosen].probabilities, min_letters=least)
        chosen, vote = (chosen, after) if after.is_upright else (0, vote)
    probabilities = sides[chosen].probabilities
    tiles = probabilities.shows_letter
    is_clear = (
        vote.is_upright
        and _mean_letter_probability(probabilities.letters, tiles) > SETTINGS.min_letter_probability
    )
    if is_clear or has_few:
        return sides.oriented(chosen, is_certain=vote.is_upright and not has_few)
    return _orient_by_clarity(sides, chosen, tiles, votes_agree=vote.is_upright)


def _orient_by_clarity(sides: _Sides, chosen: int, tiles: Mask, *, votes_agree: bool) -> OrientedReading:
    """Compare how clearly the tiles are read from the sides that may be up.

    Parameters
    ----------
    sides : _Sides
        The board from its sides.
    chosen : int
        The turn so far.
    tiles : (rows, columns) bool
        The tiles as seen after that turn.
    votes_agree : bool
        Whether the votes agree on that turn.
    """
    turns = (chosen, (chosen + 2) % 4) if votes_agree else _likely_turns(sides[0], chosen)
    squares = np.rot90(tiles, -chosen)
    seen = {turn: sides.some_squares(turn, squares) for turn in turns}
    letters = {turn: np.rot90(each.letters, chosen - turn) for turn, each in seen.items()}
    unclarity = {turn: 1.0 - _mean_letter_probability(each, tiles) for turn, each in letters.items()}
    best, second = sorted(unclarity, key=lambda turn: unclarity[turn])[:2]
    is_clearer = unclarity[second] > SETTINGS.ratio_unclear * max(SETTINGS.min_unclear, unclarity[best])
    if not votes_agree:
        vote = _vote_from_sides(seen)
        if vote.is_clear and vote.quarter_turns in turns and vote.quarter_turns != best:
            return sides.oriented(vote.quarter_turns, is_certain=False)
        return sides.oriented(best, is_certain=is_clearer)
    upright, opposite = (each.argmax(axis=-1) for each in letters.values())
    sides_differ = bool((tiles & (upright != opposite)).sum() >= MIN_VOTING_LETTERS)
    if best != chosen and not (sides_differ and is_clearer):
        return sides.oriented(chosen, is_certain=False)
    return sides.oriented(best, is_certain=best == chosen and (is_clearer or not sides_differ))


def _orient_by_board(by_letters: OrientedReading, sides: _Sides, prior_board: Board) -> OrientedReading:
    """Prefer the sides that show a known board, if there are any."""
    chosen, probabilities = by_letters.quarter_turns, by_letters.reading.probabilities
    if by_letters.is_certain and score_board_match(probabilities, prior_board) >= MIN_BOARD_MATCH:
        return by_letters
    scores = {
        turn: score_board_match(sides[turn].probabilities, prior_board)
        for turn in _possible_turns(sides[0], chosen)
    }
    matching = [turn for turn, score in scores.items() if score >= MIN_BOARD_MATCH]
    if not matching:
        return by_letters
    best = chosen if chosen in matching else max(matching, key=lambda turn: scores[turn])
    return sides.oriented(best, is_certain=len(matching) == 1)


def vote_turn(
    reading: SquareProbabilities, squares: Mask | None = None, min_letters: float = MIN_VOTING_LETTERS
) -> TurnVote:
    """Let the letters on some squares vote for their turn, if there are enough of them.

    Each tile votes with the logarithm of its four probabilities, weighted by the probability that it is a tile with a
    letter. A letter such as O or I spreads its vote and so counts little. Misplaced tiles are outvoted, since each vote
    is bounded.

    Parameters
    ----------
    reading : SquareProbabilities
        What was read.
    squares : (rows, columns) bool, optional
        The squares that may vote; all of them by default.
    min_letters : float
        Expected number of letters from which they may vote; 0 for a guess from any.
    """
    weights = _vote_weights(reading, squares)
    if float(weights.sum()) < min_letters:
        return TurnVote(0, 0.0)
    return _turn_vote(_log_votes(reading, weights))


def _vote_from_sides(seen: dict[int, SquareProbabilities]) -> TurnVote:
    """Average the votes of a board that was read from several sides, given by their turns."""
    votes = [np.roll(_log_votes(each, _vote_weights(each)), turn) for turn, each in seen.items()]
    return _turn_vote(np.mean(votes, axis=0))


def _turn_vote(log_votes: Floats) -> TurnVote:
    posterior = softmax(log_votes)
    best = int(posterior.argmax())
    return TurnVote(best, float(posterior[best]))


def _vote_weights(reading: SquareProbabilities, squares: Mask | None = None) -> NDArray[np.float32]:
    """Return the weight of each square's vote, (rows, columns), 0 for those that may not vote."""
    # two hundred empty squares, each a little like a tile, must not outvote a few tiles
    may_vote = reading.shows_letter if squares is None else reading.shows_letter & squares
    return np.where(may_vote, reading.occupancy[..., Occupancy.TILE], np.float32(0))


def _log_votes(reading: SquareProbabilities, weights: NDArray[np.float32]) -> Floats:
    """Return the weighted sum of the squares' votes for each turn, (4,)."""
    share = SETTINGS.misplaced_share
    turns = (1 - share) * reading.turns.astype(np.float64) + share / 4
    votes = (weights[..., None] * np.log(turns)).sum(axis=(0, 1))
    if weights.shape[0] != weights.shape[1]:  # a quarter turn would change the board's shape
        votes[1::2] = -np.inf
    return np.asarray(votes)


def score_board_match(reading: SquareProbabilities, board: Board) -> float:
    """Return the mean probability, 0 to 1, of a known board's tiles in a reading.

    Covered tiles do not count. Where most of them are covered, nothing is known and the result is 0.

    Parameters
    ----------
    reading : SquareProbabilities
        What was read.
    board : Board
        The known board. A blank matches a blank, and half a tile with a letter.
    """
    columns = {token: number for number, token in enumerate(reading.tokens)}
    in_view, total = 0, 0.0
    tiles = list(board.tiles())
    for tile in tiles:
        occupancy = reading.occupancy[tile.row, tile.column]
        if occupancy[Occupancy.COVERED] > 0.5:
            continue
        in_view += 1
        if is_blank(tile.token):
            total += float(occupancy[Occupancy.BLANK] + 0.5 * occupancy[Occupancy.TILE])
        elif tile.token in columns:
            letter = float(reading.letters[tile.row, tile.column, columns[tile.token]])
            total += float(occupancy[Occupancy.TILE]) * letter
    if not in_view or 2 * in_view < len(tiles):
        return 0.0
    return total / in_view


def _possible_turns(first: BoardReading, chosen: int) -> tuple[int, ...]:
    """Return the turns that keep a board's shape, the chosen one first."""
    is_square = first.rectified.rows == first.rectified.columns
    return tuple((chosen + turn) % 4 for turn in ((0, 1, 2, 3) if is_square else (0, 2)))


def _likely_turns(first: BoardReading, chosen: int) -> tuple[int, ...]:
    """Return the chosen turn, the opposite one, and the others that tiles may vote for."""
    tiles = first.probabilities.shows_letter
    votes = first.probabilities.turns[tiles].mean(axis=0)
    return tuple(
        turn
        for turn in _possible_turns(first, chosen)
        if turn in (chosen, (chosen + 2) % 4) or votes[turn] > SETTINGS.min_turn_share
    )


def _mean_letter_probability(letters: NDArray[np.float32], tiles: Mask) -> float:
    """Return the mean probability of the most probable letter of the tiles."""
    return float(letters[tiles].max(axis=-1).mean())
