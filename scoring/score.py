"""The score of a play, with the words that make it.

Standard scheme: each word that has a new tile counts all its letters, a new tile's letter premium first,
then the word premiums under new tiles, which multiply. The bonus is added after that.

Krydsord, whose sheet prints three totals that no unconditional rule gives together. Only new tiles
count. With F the face sum of a word's new tiles and m a word square's multiplier, ::

    krydsord-a   the tiles off word squares, with their letter premiums, + m F for each word square
    krydsord-b   all new tiles, with their letter premiums, times the product of the m
    krydsord-f   as krydsord-a where the word also has a new tile on a letter square; otherwise, if it
                 has a word square at all, the sum of m F for each of them

Not stated there, hence chosen: two word squares give m F each under A and F and multiply under B; every
word of a play counts, with its new tiles.

References
----------
The Icelandic sheet, rules 11-17; the Norwegian sheet, rules 11-17; the Hungarian sheet, "A tábla
prémiummezői" and "50 pontos extra jutalom"; the Danish sheet, "Point og værdi".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.board import Board, Placement
from scoring.coordinates import Direction, format_position
from scoring.edition import Edition, Scheme
from scoring.errors import IllegalPlayError, Refusal
from scoring.layout import Premium
from scoring.play import Play, check_form, check_play
from scoring.tiles import BLANK, COVERED, EMPTY, format_tokens

__all__ = ["ScoredPlay", "ScoredWord", "score_play", "word_score"]


@dataclass(frozen=True, slots=True)
class ScoredWord:
    """One word that a play forms or changes, with its score.

    Parameters
    ----------
    tokens : tuple of str
        Its tiles, old and new.
    text : str
        The same as text, brackets only where needed.
    row, column : int
        Where it starts, from 0.
    direction : Direction
        Which way it runs.
    score : int
        Its points, without the bonus.
    """

    tokens: tuple[str, ...]
    text: str
    row: int
    column: int
    direction: Direction
    score: int

    @property
    def position(self) -> str:
        """Where it starts, as text: ``8D`` across, ``D8`` down."""
        return format_position(self.row, self.column, self.direction)


@dataclass(frozen=True, slots=True)
class ScoredPlay:
    """A play with its score and what makes it.

    Parameters
    ----------
    play : Play
        The tiles laid.
    words : tuple of ScoredWord
        The main word, then the cross-words in the order of the tiles that form them.
    bonus : int
        Points for many tiles at once.
    unvalued : tuple of Placement
        Blanks whose letter is not known although it would count: they were taken as 0, so the score
        may be too low. Always empty where blanks score nothing.
    """

    play: Play
    words: tuple[ScoredWord, ...]
    bonus: int
    unvalued: tuple[Placement, ...] = ()

    @property
    def total(self) -> int:
        """All the points of the play."""
        return sum(word.score for word in self.words) + self.bonus

    @property
    def main_word(self) -> ScoredWord:
        """The word along the play's line."""
        return self.words[0]

    @property
    def position(self) -> str:
        """Where the main word starts, as text: ``8D`` across, ``D8`` down."""
        return self.words[0].position


def score_play(
    board: Board, play: Play, edition: Edition, *, check: bool = True, hand: int | None = None
) -> ScoredPlay:
    """What the play scores on this board.

    Parameters
    ----------
    board : Board
        The board before the play.
    play : Play
        The tiles laid.
    edition : Edition
        Whose values, layout and rules.
    check : bool
        Whether to refuse what the rules refuse. Without it a play that only fills a line and forms a
        word is scored too, as when a recorded game is examined.
    hand : int, optional
        How many tiles the player held, a full rack if it is not known: in some editions the bonus is for
        laying them all.

    Raises
    ------
    IllegalPlayError
        If the play is not allowed, forms no word, or a word of it runs into a covered square.
    NotationError
        If the board is not of the edition's size, or a word of it has a letter that the edition lacks.
    """
    (check_play if check else check_form)(board, play, edition)
    after = board.with_tiles(play.placements)
    laid = {(placement.row, placement.column): placement for placement in play.placements}
    words = []
    for row, column, direction in _starts(after, play):
        tokens = _tokens(after, row, column, direction)
        if len(tokens) > 1:
            words.append(_scored_word(tokens, row, column, direction, laid, edition))
    if not words:
        raise IllegalPlayError(Refusal.FIRST_WORD_TOO_SHORT, "the play forms no word of two letters or more")
    bonus, held = edition.bonus, hand or edition.rack_size
    return ScoredPlay(
        play=play,
        words=tuple(words),
        bonus=bonus.earned(len(play), held) if bonus is not None else 0,
        unvalued=tuple(p for p in play.placements if p.token == BLANK) if edition.blanks_score else (),
    )


def _starts(after: Board, play: Play) -> list[tuple[int, int, Direction]]:
    """Where the play's lines start: its main line, then one across it through each new tile."""
    first = play.placements[0]
    direction = play.direction
    if direction is None:  # a tile alone belongs to two lines: the longer one is the main word
        lengths = {way: len(_tokens(after, *_start(after, first, way), way)) for way in Direction}
        direction = (
            Direction.DOWN if lengths[Direction.DOWN] > lengths[Direction.ACROSS] else Direction.ACROSS
        )
    starts = [(*_start(after, first, direction), direction)]
    starts += [(*_start(after, placement, direction.other), direction.other) for placement in play.placements]
    return starts


def _start(board: Board, placement: Placement, direction: Direction) -> tuple[int, int]:
    """The first square of the run of tiles through a placement."""
    rows = board.rows
    row, column = placement.row, placement.column
    if direction is Direction.ACROSS:
        while column > 0 and rows[row][column - 1] != EMPTY:
            column -= 1
    else:
        while row > 0 and rows[row - 1][column] != EMPTY:
            row -= 1
    return row, column


def _tokens(board: Board, row: int, column: int, direction: Direction) -> tuple[str, ...]:
    """The run of tiles from a square on."""
    line = (
        board.rows[row][column:] if direction is Direction.ACROSS else [r[column] for r in board.rows[row:]]
    )
    tokens = []
    for token in line:
        if token == EMPTY:
            break
        tokens.append(token)
    return tuple(tokens)


def _scored_word(
    tokens: tuple[str, ...],
    row: int,
    column: int,
    direction: Direction,
    laid: dict[tuple[int, int], Placement],
    edition: Edition,
) -> ScoredWord:
    if COVERED in tokens:
        where = format_position(row, column, direction)
        raise IllegalPlayError(
            Refusal.COVERED, f"the word at {where} runs into a covered square; uncover it and look again"
        )
    down, right = direction.value
    old = 0
    new: list[tuple[int, Premium]] = []
    for index, token in enumerate(tokens):
        square = row + down * index, column + right * index
        if square in laid:
            new.append((edition.value_of(token), edition.layout[square]))
        else:
            old += edition.value_of(token)
    return ScoredWord(
        tokens=tokens,
        text=format_tokens(tokens, edition.tokens),
        row=row,
        column=column,
        direction=direction,
        score=word_score(old, new, edition.scheme),
    )


def word_score(old: int, new: Sequence[tuple[int, Premium]], scheme: Scheme) -> int:
    """A word's points, without the bonus.

    Parameters
    ----------
    old : int
        The sum of the values of the tiles that lay there before.
    new : sequence of (int, Premium)
        Each new tile's value and the square that it is laid on.
    scheme : Scheme
        How they make the score.
    """
    with_letters = sum(value * premium.letter for value, premium in new)
    factor = 1
    for _, premium in new:
        factor *= premium.word
    if scheme is Scheme.STANDARD:
        return (old + with_letters) * factor
    if scheme is Scheme.KRYDSORD_B or factor == 1:
        return with_letters * factor
    faces = sum(value for value, _ in new)
    word_squares = sum(premium.word * faces for _, premium in new if premium.word > 1)
    if scheme is Scheme.KRYDSORD_F and all(premium.letter == 1 for _, premium in new):
        return word_squares
    return word_squares + sum(value * premium.letter for value, premium in new if premium.word == 1)
