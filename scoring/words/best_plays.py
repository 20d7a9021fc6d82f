"""Find all legal plays of a rack, the best first.

A slot is a run of squares of one line that a word can fill: it has free squares for tiles of the rack, touches a tile
on the board, and has no tile before or after it. The word index answers which words fit a slot: the letters on the
board, the letters that the crossing words allow, and the letters of the rack. The score of a word in a slot is
linear in the values of its new tiles, so each slot computes one factor per square.
"""

from __future__ import annotations

import itertools
import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scoring.board import Board, Placement, check_size
from scoring.coordinates import Direction
from scoring.edition import Edition, Scheme, StartRule
from scoring.errors import IllegalPlayError, NotationError, PlayRule
from scoring.play import Play
from scoring.score import ScoredPlay, score_checked
from scoring.tiles import BLANK, EMPTY, as_blank, designated, is_tile, parse_tokens
from scoring.words.lexicon import Lexicon
from scoring.words.ranked_plays import FoundPlay, RankedPlays, Slot
from scoring.words.word_index import WordIndex, WordsOfLength, index_words

__all__ = ["best_plays"]

_BLOCK = 5
"""Number of letters whose missing tiles are counted together; chosen."""
_FEW_WORDS = 40
"""Number of words that are examined one by one rather than as a set; measured with 240,000 English words."""
_WALL = ""
"""The code of a square that no word can contain: covered, or a blank whose letter is not known."""


def best_plays(
    board: Board,
    rack: Iterable[str] | str,
    edition: Edition,
    lexicon: Lexicon | WordIndex,
    *,
    rack_count: int | None = None,
) -> RankedPlays:
    """Return all legal plays of a rack whose words are all in a lexicon, the best first.

    Parameters
    ----------
    board : Board
        The board before the play.
    rack : iterable of str, or str
        The tiles of the rack; a text is read by longest match.
    edition : Edition
        The rules.
    lexicon : Lexicon or WordIndex
        The words. The index of a `Lexicon` is made at its first use, which takes seconds for a large one;
        `load_word_index` keeps it in a file.
    rack_count : int, optional
        Number of tiles on the rack, by default those of `rack`; where it has more, these earn no bonus for all
        tiles of a rack.

    Returns
    -------
    RankedPlays
        A sequence of `ScoredPlay`. Plays of the same score keep one order. A blank makes a play of its own for
        each letter and square that it can stand for.

    Raises
    ------
    NotationError
        If the board does not have the size of the edition, a tile is not of the edition, or the words were indexed for
        other letters.
    IllegalPlayError
        If the rack has more tiles than a rack holds, or tiles that the bag cannot give.
    TypeError
        If the words are neither a `Lexicon` nor an index.
    """
    if not isinstance(lexicon, Lexicon | WordIndex):
        raise TypeError(
            f"best_plays takes a Lexicon, not a {type(lexicon).__name__}; make one with Lexicon.of"
        )
    check_size(board, edition)
    tiles = parse_tokens(rack, edition) if isinstance(rack, str) else tuple(rack)
    _check_rack(board, tiles, edition)
    index = lexicon if isinstance(lexicon, WordIndex) else index_words(lexicon, edition)
    if set(index.letters) != set(edition.tokens):
        raise NotationError(
            f"the words were indexed for other letters than those of {edition.name}; index them anew"
        )
    return _Generator(board, tiles, edition, index, max(len(tiles), rack_count or 0)).find()


def _check_rack(board: Board, rack: Sequence[str], edition: Edition) -> None:
    if len(rack) > edition.rack_size:
        message = f"{len(rack)} tiles are given, but a rack holds {edition.rack_size}"
        raise IllegalPlayError(PlayRule.TOO_MANY_TILES, message)
    for tile, number in Counter(rack).items():
        if tile not in edition.counts and tile not in edition.values:
            message = f"{tile!r} is no tile of {edition.name}; a blank on the rack is {BLANK}"
            raise IllegalPlayError(PlayRule.UNKNOWN_TILE, message)
        count, old = edition.counts.get(tile), board.tile_counts.get(tile, 0)
        if count is not None and number + old > count:
            message = (
                f"the rack has {number} {tile} and the board {old}, but {edition.name} has {count} in all"
            )
            raise IllegalPlayError(PlayRule.NOT_IN_BAG, message)


_Missing: TypeAlias = tuple[int, ...]
"""Sets of words by their number of missing letters."""


@dataclass(frozen=True, slots=True)
class _Cross:
    """What the crossing word asks of a free square: the codes that make a word, and the points of its old tiles."""

    codes: str
    old_points: int
    length: int


class _Generator:
    """Finds the plays of one position."""

    def __init__(
        self, board: Board, rack: Sequence[str], edition: Edition, index: WordIndex, rack_count: int
    ) -> None:
        self.board = board
        self.edition = edition
        self.index = index
        self.known_count = len(rack)
        self.rack_count = rack_count
        self.blanks = sum(tile == BLANK for tile in rack)
        codes = index.codes
        letters = {code: letter for letter, code in codes.items()}
        self.letters = letters
        self.rack = Counter(codes[tile] for tile in rack if tile in codes)
        self.rack_text = "".join(self.rack.elements())
        self.usable = "".join(letters) if self.blanks else "".join(sorted(self.rack))
        points = edition.points
        self.values = {code: points[letter] for code, letter in letters.items() if letter in points}
        self.losses = {code: points[letter] - points[as_blank(letter)] for code, letter in letters.items()}
        every = "".join(letters)
        self.blocks = [every[start : start + _BLOCK] for start in range(0, len(every), _BLOCK)]
        self.blocked: dict[tuple[int, int, str], _Missing] = {}
        self.fitting: dict[tuple[int, str], int] = {}

    def find(self) -> RankedPlays:
        """Return all plays."""
        rows = self.board.rows
        columns = tuple(zip(*rows, strict=True))
        found: list[FoundPlay] = []
        for direction, lines, crossing in (
            (Direction.ACROSS, rows, columns),
            (Direction.DOWN, columns, rows),
        ):
            coded = [self._encode_line(line) for line in crossing]
            for number, line in enumerate(lines):
                starts = self._find_starts(direction, number) if self.board.is_empty else None
                crosses = [
                    self._find_cross(crossing[at], coded[at], number) if token == EMPTY else None
                    for at, token in enumerate(line)
                ]
                if starts or any(crosses) or any(map(is_tile, line)):
                    for slot, words in self._find_slots(direction, number, line, crosses, starts):
                        self._add_plays(found, slot, words)
        if self.edition.scheme is not Scheme.STANDARD:
            found = [(self.score(*play[1:]).total, *play[1:]) for play in found]
        found.sort(key=_score_of, reverse=True)
        return RankedPlays(self.score, found)

    def score(self, slot: Slot, word: str, blanks: tuple[int, ...]) -> ScoredPlay:
        """Return a play with its words."""
        placements = []
        for at in slot.new:
            letter = self.letters[word[at]]
            row, column = slot.line, slot.start + at
            if slot.direction is Direction.DOWN:
                row, column = column, row
            placements.append(Placement(row, column, as_blank(letter) if at in blanks else letter))
        return score_checked(self.board, Play(tuple(placements)), self.edition, rack_count=self.rack_count)

    def _find_starts(self, direction: Direction, number: int) -> set[int]:
        """Return where the start squares of a line are in it."""
        if direction is Direction.ACROSS:
            return {column for row, column in self.edition.layout.start if row == number}
        return {row for row, column in self.edition.layout.start if column == number}

    def _encode_line(self, line: Sequence[str]) -> list[str | None]:
        """Return the code of each square of a line; None for a free one."""
        codes = self.index.codes
        return [None if token == EMPTY else codes.get(designated(token), _WALL) for token in line]

    def _find_cross(self, tokens: Sequence[str], coded: Sequence[str | None], at: int) -> _Cross | None:
        """Return what the crossing line asks of its square `at`; None if no tile is next to it."""
        start, end, last = at, at + 1, len(coded)
        while start and coded[start - 1] is not None:
            start -= 1
        while end < last and coded[end] is not None:
            end += 1
        length = end - start
        if length == 1:
            return None
        words = self.index.words.get(length)
        others = [(place, coded[start + place]) for place in range(length) if start + place != at]
        fitting = 0 if words is None else words.all_words
        old_points = 0
        for place, code in others:
            fitting &= words.at[place].get(code, 0) if words is not None and code else 0
            old_points += self.edition.points.get(tokens[start + place], 0)
        here = words.at[at - start] if words is not None else {}
        codes = "".join(code for code in self.usable if fitting & here.get(code, 0)) if fitting else ""
        return _Cross(codes, old_points, length)

    def _find_slots(
        self,
        direction: Direction,
        number: int,
        line: Sequence[str],
        crosses: Sequence[_Cross | None],
        starts: set[int] | None,
    ) -> Iterator[tuple[Slot, list[str]]]:
        """Generate the slots of a line with the words that may fit them.

        `starts` are the start squares of the line if this is the first play, else None.
        """
        coded, count = self._encode_line(line), len(line)
        for start in range(count):
            if start and coded[start - 1] is not None:
                continue
            new: list[int] = []
            fixed: list[tuple[int, str]] = []
            touches = False
            for end in range(start, count):
                code = coded[end]
                if code is None:
                    cross = crosses[end]
                    if len(new) == self.known_count or (cross is not None and not cross.codes):
                        break
                    touches = touches or cross is not None
                    new.append(end - start)
                elif code == _WALL:
                    break
                else:
                    touches = True
                    fixed.append((end - start, code))
                length = end - start + 1
                if length < 2 or not new or (end + 1 < count and coded[end + 1] is not None):
                    continue
                if not (touches if starts is None else self._may_start(start, new, starts)):
                    continue
                words = self._find_words(length, start, fixed, new, crosses, direction)
                if words:
                    tokens = line[start : end + 1]
                    yield self._make_slot(direction, number, tokens, start, new, crosses), words

    def _may_start(self, start: int, new: Sequence[int], starts: set[int]) -> bool:
        """Return whether the first word may lie here."""
        rule = self.edition.first_play
        if len(new) < rule.shortest:
            return False
        if rule.start is StartRule.FIRST_LETTER:
            return start in starts
        return any(start + at in starts for at in new)

    def _find_words(
        self,
        length: int,
        start: int,
        fixed: Sequence[tuple[int, str]],
        new: Sequence[int],
        crosses: Sequence[_Cross | None],
        direction: Direction,
    ) -> list[str]:
        """Return the words that fit the letters around a slot; the rack lacks letters of some of them."""
        words = self.index.words.get(length)
        if words is None:
            return []
        if len(new) == 1:  # a single tile belongs to two words; it is found with the longer one
            cross = crosses[start + new[0]]
            if cross is not None and (
                cross.length > length or (cross.length == length and direction is Direction.DOWN)
            ):
                return []
        pattern = words.all_words
        for place, code in fixed:
            pattern &= words.at[place].get(code, 0)
        for place in new:
            cross = crosses[start + place]
            if cross is not None and pattern:
                here, allowed = words.at[place], 0
                for code in cross.codes:
                    allowed |= here.get(code, 0)
                pattern &= allowed
        if not pattern:
            return []
        key = "".join(sorted([code for _, code in fixed]))
        fitting = self.fitting.get((length, key))
        if fitting is None:
            if pattern.bit_count() <= _FEW_WORDS:
                return words.words_of(pattern)
            fitting = self.fitting[length, key] = self._fit_rack(words, key)
        return words.words_of(fitting & pattern)

    def _fit_rack(self, words: WordsOfLength, fixed: str) -> int:
        """Return the set of the words whose letters are on the rack or fixed, or can be those of its blanks."""
        total: _Missing | None = None
        for number, block in enumerate(self.blocks):
            part = "".join(code for code in fixed if code in block) if fixed else ""
            key = words.length, number, part
            missing = self.blocked.get(key)
            if missing is None:
                missing = self.blocked[key] = self._count_missing(words, block, part)
            total = missing if total is None else _add_missing(total, missing)
        assert total is not None
        return words.all_words & ~total[-1]

    def _count_missing(self, words: WordsOfLength, codes: str, fixed: str) -> _Missing:
        """Return the sets of words with at least 0, 1, ... letters of `codes` that are neither held nor fixed."""
        total: _Missing = (words.all_words, *(0,) * (self.blanks + 1))
        for code in codes:
            held = self.rack[code] + fixed.count(code)
            more = [words.with_at_least(code, held + count) for count in range(1, self.blanks + 2)]
            if more[0]:
                total = _add_missing(total, (words.all_words, *more))
        return total

    def _make_slot(
        self,
        direction: Direction,
        number: int,
        tokens: Sequence[str],
        start: int,
        new: Sequence[int],
        crosses: Sequence[_Cross | None],
    ) -> Slot:
        layout, points = self.edition.layout, self.edition.points
        word_factor, base, squares = 1, 0, []
        for place in new:
            at = start + place
            row, column = (number, at) if direction is Direction.ACROSS else (at, number)
            letter, word = layout.letter_factors[row][column], layout.word_factors[row][column]
            word_factor *= word
            cross = crosses[at]
            base += 0 if cross is None else cross.old_points * word
            squares.append((letter, 0 if cross is None else letter * word))
        old = sum([points[token] for token in tokens if token != EMPTY])
        bonus = self.edition.bonus
        base += old * word_factor + (bonus.earned(len(new), self.rack_count) if bonus is not None else 0)
        factors = tuple(letter * word_factor + crossing for letter, crossing in squares)
        return Slot(direction, number, start, tuple(new), factors, base)

    def _add_plays(self, found: list[FoundPlay], slot: Slot, words: Iterable[str]) -> None:
        """Add the plays of those words of a slot that the rack can make; each way to use the blanks is a play."""
        value, losses, base, factors = self.values.__getitem__, self.losses, slot.base, slot.factors
        blank_at = [(at,) for at in slot.new]
        letters_of_new = operator.itemgetter(*slot.new)
        for word in words:
            letters = letters_of_new(word)
            missing = self._find_missing(letters)
            if len(missing) > self.blanks:
                continue
            score = base + sum(map(operator.mul, map(value, letters), factors))
            if not missing:
                found.append((score, slot, word, ()))
                if self.blanks:
                    found += [
                        (score - losses[letter] * factor, slot, word, blank)
                        for letter, factor, blank in zip(letters, factors, blank_at, strict=True)
                    ]
            elif len(missing) == 1:
                place, loss = -1, losses[missing]
                for _ in range(letters.count(missing)):
                    place = letters.index(missing, place + 1)
                    found.append((score - loss * factors[place], slot, word, blank_at[place]))
            if self.blanks > 1:
                self._add_with_blanks(found, slot, word, score, missing)

    def _find_missing(self, letters: Iterable[str]) -> str:
        """Return those of the letters that the rack lacks."""
        rest, missing = self.rack_text, ""
        for code in letters:
            if code in rest:
                rest = rest.replace(code, "", 1)
            else:
                missing += code
        return missing

    def _add_with_blanks(
        self, found: list[FoundPlay], slot: Slot, word: str, score: int, missing: str
    ) -> None:
        """Add the plays that use two or more blanks, which stand for the missing letters and any others."""
        squares = tuple(zip(slot.new, slot.factors, strict=True))
        for count in range(max(2, len(missing)), self.blanks + 1):
            for blanks in itertools.combinations(squares, count):
                letters = "".join(word[at] for at, _ in blanks)
                if all(letters.count(code) >= missing.count(code) for code in missing):
                    loss = sum([self.losses[word[at]] * factor for at, factor in blanks])
                    found.append((score - loss, slot, word, tuple(at for at, _ in blanks)))


def _score_of(play: FoundPlay) -> int:
    return play[0]


def _add_missing(one: _Missing, other: _Missing) -> _Missing:
    """Return the sets of words with at least 0, 1, ... letters missing, from those of two groups of letters."""
    if len(one) == 2:  # without a blank
        return one[0], one[1] | other[1]
    if len(one) == 3:  # with one blank
        return one[0], one[1] | other[1], one[2] | other[2] | (one[1] & other[1])
    total = [one[0], *(0,) * (len(one) - 1)]
    for number in range(1, len(one)):
        for part in range(number + 1):
            total[number] |= one[part] & other[number - part]
    return tuple(total)
