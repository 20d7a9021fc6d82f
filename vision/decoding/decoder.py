"""The stage that decides: probabilities in, the most probable board out.

Each square has a state: empty, blank, covered, or one of the edition's letters. Its log-weight sums what the
witnesses say (occupancy, letter, printed value) and what is known (the board before). Rules that join squares
(bag, floating tiles, lexicon) add soft penalties to single weights, so that a clear picture wins against them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, COVERED, EMPTY, Board, Edition, is_blank, is_tile
from vision.core import Candidate, DecodedBoard, Doubt, DoubtReason, Occupancy, SquareProbabilities
from vision.decoding.diacritics import map_to_edition
from vision.errors import SettingsError

if TYPE_CHECKING:
    from scoring import Lexicon

__all__ = ["Candidate", "DecodedBoard", "Doubt", "DoubtReason", "decode", "square_probabilities"]

Square = tuple[int, int]

# States 0 to 2; the edition's letters follow in the order of its tokens.
_SIGNS = (EMPTY, BLANK, COVERED)
_EMPTY, _BLANK, _COVERED = range(3)
_LETTERS = 3

# The weights below are natural logarithms of odds. They are chosen, not fitted: a witness that is 99.9% sure
# has 6.9, so each of them loses against a clear picture and wins against a vague one.
_STAYS = 3.0  # a tile seen before is 20 times as probable as any other state
_BEYOND_BAG = 3.5  # for each tile more than the bag holds
_BEYOND_BAG_MARKED = 8.0  # the same in a set with many blanks, where one more is a blank somebody wrote on
_BEYOND_BLANKS = 1.0  # for each blank more: in worn sets a blank with a letter in pen stands for a lost tile
_FLOATS = 4.5  # for a group of tiles that touches no other, shared among its tiles
# Shares of blanks among the tiles: the usual one, under which the reader's probabilities are, and those of sets in
# which blanks stand for lost tiles; and how often such a set is met.
_USUAL_SHARE = 1 / 31
_SHARES = (_USUAL_SHARE, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
_MANY_BLANKS = 0.01
_KNOWN_WORD = 2.0  # for each word that the lexicon has
_START_SIGN = 1.5  # against a blank on a start square, whose star looks like a joker's
# A printed value may be misread or belong to another edition: it never rules a letter out.
_VALUE_SLIP = 0.02
_FLOOR = 1e-6
_TILES_TO_COMPARE = 5
_SURE = 0.98
_DOUBTFUL = 0.9
# A letter of no edition at hand is doubted where all of the edition's together are less likely than this: a value
# that touches an A makes an Ą of it.
_FOREIGN = 0.25
# A letter without a value is doubted where so many of the other tiles surely show one: games on a screen, and people
# with a pen, put a letter on a blank. Printed values are surely seen at a probability of none below the first number,
# and those of no labelled photo but a blurred one are missed at more than the second.
_VALUES_SHOWN, _VALUED, _VALUELESS = 0.8, 0.1, 0.2


def decode(
    reading: SquareProbabilities,
    edition: Edition,
    before: Board | None = None,
    lexicon: Lexicon | None = None,
) -> DecodedBoard:
    """The most probable board of an edition, given what a reader saw.

    Parameters
    ----------
    reading : BoardReading
        Probabilities of every square.
    edition : Edition
        Which letters there are, what is printed on them, and how many the bag holds.
    before : Board, optional
        What stood there at the last look: tiles rarely change. A blank keeps the letter that it was given.
    lexicon : Lexicon, optional
        Words that are a little more likely than others.

    Raises
    ------
    SettingsError
        If the reader does not know a letter of the edition, or the sizes differ.
    """
    rows, columns = reading.occupancy.shape[:2]
    if before is not None and before.size != (rows, columns):
        raise SettingsError(
            f"board before: it has {before.size[0]}x{before.size[1]} squares, the picture {rows}x{columns}; "
            "use the layout of the same game"
        )
    table = _Table(tokens=(*_SIGNS, *edition.tokens), weights=_weights(reading, edition))
    for square in edition.layout.start:
        table.weights[square][_BLANK] -= _START_SIGN
    marked = _expect_blanks(table)
    if before is not None:
        _expect_same(table, before)
    _doubt_floating(table, edition)
    _keep_to_bag(table, edition, _BEYOND_BAG + marked * (_BEYOND_BAG_MARKED - _BEYOND_BAG))
    if lexicon is not None:
        _prefer_words(table, lexicon)
    return _decided(table, reading, edition, before)


def square_probabilities(
    reading: SquareProbabilities, edition: Edition
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """What each square shows by itself, with nothing known of the others: for tiles that lie on no board.

    Returns
    -------
    tokens : tuple of str
        ``"."``, ``"?"``, ``"#"``, and the edition's letters.
    probabilities : (rows, columns, len(tokens)) float64
        Of each of them.

    Raises
    ------
    SettingsError
        If the reader does not know a letter of the edition.
    """
    table = _Table(tokens=(*_SIGNS, *edition.tokens), weights=_weights(reading, edition))
    return table.tokens, table.probabilities()


@dataclass(slots=True)
class _Table:
    """The log-weight of every state of every square, (rows, columns, states), and the states' tokens."""

    tokens: tuple[str, ...]
    weights: NDArray[np.float64]

    def probabilities(self) -> NDArray[np.float64]:
        exponents = np.exp(self.weights - self.weights.max(axis=-1, keepdims=True))
        result: NDArray[np.float64] = exponents / exponents.sum(axis=-1, keepdims=True)
        return result

    def best(self) -> NDArray[np.intp]:
        return np.asarray(self.weights.argmax(axis=-1))


def _weights(reading: SquareProbabilities, edition: Edition) -> NDArray[np.float64]:
    """What the picture alone says about each state."""
    _columns_of(reading, edition)  # a letter that the reader does not know is an error, not an unlikely one
    letters = map_to_edition(reading.letters, reading.tokens, edition.tokens)
    joint = letters * _value_agreement(reading, edition) + _FLOOR
    joint /= joint.sum(axis=-1, keepdims=True)
    occupancy = reading.occupancy.astype(np.float64) + _FLOOR
    signs = occupancy[..., [Occupancy.EMPTY, Occupancy.BLANK, Occupancy.COVERED]]
    tiles = occupancy[..., Occupancy.TILE, None] * joint
    return np.asarray(np.log(np.concatenate([signs, tiles], axis=-1)))


def _columns_of(reading: SquareProbabilities, edition: Edition) -> list[int]:
    index = {token: column for column, token in enumerate(reading.tokens)}
    unknown = [token for token in edition.tokens if token not in index]
    if unknown:
        raise SettingsError(
            f"edition {edition.name}: the {reading.reader} reader does not know its letters "
            f"{' '.join(unknown)}; read with --reader tesseract, or train a network that knows them"
        )
    return [index[token] for token in edition.tokens]


def _value_agreement(reading: SquareProbabilities, edition: Edition) -> NDArray[np.float64]:
    """How well the printed value suits each letter, (rows, columns, letters); a missing one suits them all."""
    values = reading.values.astype(np.float64)
    column = {label: number for number, label in enumerate(reading.value_labels)}
    none = values[..., column[None]] if None in column else np.zeros(values.shape[:2])
    # A value that the reader cannot know is no evidence against the letter: it has a column of its own.
    any_value = int(values.shape[-1])
    seen = np.concatenate([values, (1 - none)[..., None]], axis=-1)
    worth = [edition.values.get(token) for token in edition.tokens]
    columns = [any_value if value is None else column.get(value, any_value) for value in worth]
    return (np.take(seen, columns, axis=-1) + none[..., None]) * (1 - _VALUE_SLIP) + _VALUE_SLIP


def _expect_blanks(table: _Table) -> float:
    """Make tiles more probably blanks on a board with many: one of a set in which blanks stand for lost tiles.

    A letter written on a blank by hand and a thin printed one look alike one by one. How many blanks there are is
    weighed over the whole board, a usual share being far more likely than any other. Returns how probable it is that
    there are many.
    """
    tiles = np.logaddexp.reduce(table.weights[..., _LETTERS:], axis=-1)
    lies = np.maximum(tiles, table.weights[..., _BLANK]) > table.weights[..., [_EMPTY, _COVERED]].max(axis=-1)
    odds = np.exp(np.clip(table.weights[..., _BLANK] - tiles, -30, 30))[lies]
    # For each share how much better it explains the board than the usual one, for which the reader's odds are.
    factors = np.array([[share / _USUAL_SHARE, (1 - share) / (1 - _USUAL_SHARE)] for share in _SHARES])
    usual = odds / (1 + odds)
    gains = np.log(factors[:, :1] * usual + factors[:, 1:] * (1 - usual)).sum(axis=1)
    gains[1:] += np.log(_MANY_BLANKS / len(_SHARES[1:]))
    chances = np.exp(gains - np.logaddexp.reduce(gains))
    before = np.logaddexp(tiles, table.weights[..., _BLANK])
    table.weights[..., _BLANK] += np.log(chances @ (factors[:, 0] / factors[:, 1]))
    # that a tile lies there is no more probable than it was
    change = before - np.logaddexp(tiles, table.weights[..., _BLANK])
    table.weights[..., _BLANK] += change
    table.weights[..., _LETTERS:] += change[..., None]
    return float(1 - chances[0])


def _expect_same(table: _Table, before: Board) -> None:
    """Make what was seen before more probable, where a tile was seen."""
    states = {token: number for number, token in enumerate(table.tokens)}
    for tile in before.tiles():
        state = _BLANK if is_blank(tile.token) else states.get(tile.token)
        if state is not None:
            table.weights[tile.row, tile.column, state] += _STAYS


def _doubt_floating(table: _Table, edition: Edition) -> None:
    """Make groups of tiles that touch neither the start nor the main group less probable."""
    groups = _groups(table.best() != _EMPTY)
    if len(groups) < 2:
        return
    best = table.weights.max(axis=-1)
    evidence = best - table.weights[..., _EMPTY]
    main = max(
        groups,
        key=lambda group: (bool(edition.layout.start & group), sum(evidence[square] for square in group)),
    )
    for group in groups:
        if group is not main:
            for square in group:
                table.weights[square][_EMPTY] += _FLOATS / len(group)


def _groups(filled: NDArray[np.bool_]) -> list[frozenset[Square]]:
    """The filled squares, grouped by touching side by side."""
    waiting: set[Square] = {(int(row), int(column)) for row, column in np.argwhere(filled)}
    groups = []
    while waiting:
        front = [waiting.pop()]
        group = set(front)
        while front:
            row, column = front.pop()
            near = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)} & waiting
            waiting -= near
            group |= near
            front.extend(near)
        groups.append(frozenset(group))
    return groups


def _keep_to_bag(table: _Table, edition: Edition, beyond: float) -> None:
    """Make the least certain tiles beyond the bag's count less probable, until none is new."""
    capacity = {
        state: edition.counts.get(token) for state, token in enumerate(table.tokens) if is_tile(token)
    }
    held = [count for count in capacity.values() if count is not None]
    if len(held) == len(capacity) and (table.best() >= _LETTERS).sum() > sum(held):
        return  # more tiles than the bag holds: it is not what these came from
    letters = range(_LETTERS, len(table.tokens))
    punished: set[tuple[Square, int]] = set()
    for _ in range(20):  # each round may move a tile to a letter that is used up too
        best = table.best()
        lying = np.bincount(best.ravel(), minlength=len(table.tokens))
        beyond_bag = {
            state: count for state, count in capacity.items() if count is not None and lying[state] > count
        }
        if not beyond_bag:
            return
        lead = _lead(table.weights)
        # a letter may only become another tile, for that one lies there was seen
        lead = np.where(best >= _LETTERS, _lead(table.weights[..., [_BLANK, *letters]]), lead)
        changed = False
        for state, count in beyond_bag.items():
            squares = [(int(row), int(column)) for row, column in np.argwhere(best == state)]
            for square in sorted(squares, key=lambda at: float(lead[at]))[: len(squares) - count]:
                if (square, state) not in punished:
                    punished.add((square, state))
                    table.weights[square] = _less_probable(table.weights[square], state, beyond)
                    changed = True
        if not changed:
            return


def _lead(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far the best state is before the second best."""
    two = np.partition(weights, -2, axis=-1)[..., -2:]
    return np.asarray(two[..., 1] - two[..., 0])


def _less_probable(weights: NDArray[np.float64], state: int, beyond: float) -> NDArray[np.float64]:
    """The weights of a square whose state is one too many for the bag.

    That a letter is one too many says that it is another letter or a marked blank, and not that no tile lies there.
    """
    result = weights.copy()
    result[state] -= _BEYOND_BLANKS if state == _BLANK else beyond
    if state >= _LETTERS:
        tiles = np.r_[_BLANK, _LETTERS : len(weights)]
        result[tiles] += np.logaddexp.reduce(weights[tiles]) - np.logaddexp.reduce(result[tiles])
    return result


def _prefer_words(table: _Table, lexicon: Lexicon) -> None:
    """Make letters that form known words more probable, on the squares in doubt, the most doubtful first."""
    probabilities = table.probabilities()
    doubtful = np.argwhere(probabilities.max(axis=-1) < _SURE)
    squares: list[Square] = [(row, column) for row, column in doubtful.tolist()]
    order = sorted(squares, key=lambda square: float(probabilities[square].max()))
    for square in order:
        best = table.best()
        if best[square] < _LETTERS:
            continue
        for state in np.flatnonzero(probabilities[square] >= 0.01):
            if state < _LETTERS:
                continue
            best[square] = state
            for word in _words_through(best, square, table.tokens):
                if lexicon.contains(word):
                    table.weights[square][state] += _KNOWN_WORD


def _words_through(
    best: NDArray[np.intp], square: Square, tokens: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    """The words across and down through a square, where all of their letters are known."""
    row, column = square
    for line, place in ((best[row], column), (best[:, column], row)):
        first, last = place, place
        while first > 0 and line[first - 1] != _EMPTY:
            first -= 1
        while last + 1 < len(line) and line[last + 1] != _EMPTY:
            last += 1
        states = line[first : last + 1]
        if last > first and (states >= _LETTERS).all():
            yield tuple(tokens[state] for state in states)


def _decided(
    table: _Table, reading: SquareProbabilities, edition: Edition, before: Board | None
) -> DecodedBoard:
    best, probabilities = table.best(), table.probabilities()
    confidence = probabilities.max(axis=-1)
    rows = [[table.tokens[state] for state in states] for states in best]
    if before is not None:
        for tile in before.tiles():
            if is_blank(tile.token) and rows[tile.row][tile.column] == BLANK:
                rows[tile.row][tile.column] = tile.token
    alternatives = {}
    for row, column in np.argwhere(confidence < _SURE).tolist():
        states = np.argsort(-probabilities[row, column])[:5]
        alternatives[row, column] = tuple(
            Candidate(token=table.tokens[state], probability=float(probabilities[row, column, state]))
            for state in states
            if probabilities[row, column, state] >= 0.01
        )
    return DecodedBoard(
        board=Board.from_rows(rows),
        confidence=confidence,
        alternatives=alternatives,
        doubts=tuple(
            sorted(
                _doubts(table.tokens, best, confidence, reading, edition),
                key=lambda doubt: (doubt.row, doubt.column),
            )
        ),
    )


def _doubts(
    tokens: tuple[str, ...],
    best: NDArray[np.intp],
    confidence: NDArray[np.float64],
    reading: SquareProbabilities,
    edition: Edition,
) -> Iterator[Doubt]:
    """What to doubt of the states that were decided, with the confidence in each."""
    known = reading.letters[..., _columns_of(reading, edition)].sum(axis=-1)
    value, sure_of_value = reading.values.argmax(axis=-1), reading.values.max(axis=-1) >= _DOUBTFUL
    for row, column in np.argwhere((best != _EMPTY) | (confidence < _DOUBTFUL)).tolist():
        if confidence[row, column] < _DOUBTFUL:
            yield Doubt(row=row, column=column, reason=DoubtReason.UNSURE)
        state = int(best[row, column])
        if state < _LETTERS:
            continue
        if known[row, column] < _FOREIGN:
            yield Doubt(row=row, column=column, reason=DoubtReason.ALPHABET)
        label = reading.value_labels[int(value[row, column])]
        if label is not None and sure_of_value[row, column] and label != edition.values.get(tokens[state]):
            yield Doubt(row=row, column=column, reason=DoubtReason.VALUE)
    for row, column in _without_value(reading, best >= _LETTERS).tolist():
        yield Doubt(row=row, column=column, reason=DoubtReason.NO_VALUE)
    lying = np.bincount(best.ravel(), minlength=len(tokens))
    for state, token in enumerate(tokens):
        count = edition.counts.get(token)
        if is_tile(token) and count is not None and lying[state] > count:
            squares = np.argwhere(best == state).tolist()
            weakest = sorted(squares, key=lambda at: float(confidence[tuple(at)]))[: len(squares) - count]
            yield from (Doubt(row=row, column=column, reason=DoubtReason.BAG) for row, column in weakest)
    groups = _groups(best != _EMPTY)
    start = [group for group in groups if edition.layout.start & group]
    main = start[0] if start else max(groups, key=len, default=frozenset())
    for group in groups:
        if group is not main and group not in start:
            yield from (Doubt(row=row, column=column, reason=DoubtReason.FLOATING) for row, column in group)


def _without_value(reading: SquareProbabilities, lettered: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(n, 2) the lettered tiles that seem to show no value on a board whose other tiles surely do."""
    if None not in reading.value_labels or lettered.sum() < _TILES_TO_COMPARE:
        return np.empty((0, 2), np.intp)
    none = reading.values[..., reading.value_labels.index(None)]
    if (none[lettered] < _VALUED).mean() < _VALUES_SHOWN:
        return np.empty((0, 2), np.intp)
    return np.argwhere(lettered & (none > _VALUELESS))
