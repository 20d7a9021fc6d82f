"""Score a play, and keep the words that make the score.

Standard scheme: each word with a new tile counts all its letters. Letter premiums under new tiles come first,
then word premiums under new tiles, which multiply. The bonus is added last.

Krydsord: the sheet prints three totals that no single unconditional rule reproduces, hence three schemes. Only
new tiles count. F is the sum of the values of the new tiles of a word, and m the multiplier of a word square::

    krydsord-a   the tiles off word squares, with their letter premiums, + m F for each word square
    krydsord-b   all new tiles, with their letter premiums, times the product of the m
    krydsord-f   as krydsord-a where the word also has a new tile on a letter square; otherwise, if it
                 has a word square at all, the sum of m F for each of them

The sheet does not say, hence chosen: two word squares give m F each under A and F, and multiply under B;
every word of a play counts, with its new tiles.

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
from scoring.errors import IllegalPlayError, PlayRule
from scoring.layout import Premium
from scoring.play import Play, check_form, check_play
from scoring.tiles import BLANK, COVERED, EMPTY, format_tokens

__all__ = ["ScoredPlay", "ScoredWord", "score_checked", "score_play", "word_score"]


@dataclass(frozen=True, slots=True)
class ScoredWord:
    """A word that a play forms or extends, with its score.

    Parameters
    ----------
    tokens : tuple of str
        Its tiles, old and new.
    text : str
        The tiles as text, with brackets only where needed.
    row, column : int
        Its first square, from 0.
    direction : Direction
        Its direction.
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
        """Its start as text: ``8D`` across, ``D8`` down."""
        return format_position(self.row, self.column, self.direction)


@dataclass(frozen=True, slots=True)
class ScoredPlay:
    """A play with its score and the words that make it.

    Parameters
    ----------
    play : Play
        The new tiles.
    words : tuple of ScoredWord
        The main word, then the cross-words in the order of the new tiles.
    bonus : int
        Points for playing many tiles at once.
    unvalued : tuple of Placement
        New blanks that would score as their letter, which is not known. They count 0, so the score may be
        too low. Always empty in editions where blanks score nothing.
    """

    play: Play
    words: tuple[ScoredWord, ...]
    bonus: int
    unvalued: tuple[Placement, ...] = ()

    @property
    def total(self) -> int:
        """The points of all words, and the bonus."""
        return sum(word.score for word in self.words) + self.bonus

    @property
    def main_word(self) -> ScoredWord:
        """The word along the line of the play."""
        return self.words[0]

    @property
    def position(self) -> str:
        """The start of the main word as text: ``8D`` across, ``D8`` down."""
        return self.words[0].position


def score_play(
    board: Board, play: Play, edition: Edition, *, check: bool = True, rack_count: int | None = None
) -> ScoredPlay:
    """Score a play on a board.

    Parameters
    ----------
    board : Board
        The board before the play.
    play : Play
        The new tiles.
    edition : Edition
        The values, layout and rules.
    check : bool
        Whether the play must be legal. False scores every play that fills a line and forms a word, as when
        a recorded game is examined.
    rack_count : int, optional
        Number of tiles on the rack before the play; None for an unknown number, which counts as a full rack. Some
        editions give the bonus for playing all of them.

    Raises
    ------
    IllegalPlayError
        If the play is not legal, forms no word, or a word of it runs into a covered square, or the rack has no
        tile.
    NotationError
        If the board does not have the size of the edition, or a word has a letter that the edition lacks.
    TypeError
        If an argument is of another type, as where two are swapped.
    """
    if not (isinstance(board, Board) and isinstance(play, Play) and isinstance(edition, Edition)):
        found = ", ".join(type(each).__name__ for each in (board, play, edition))
        raise TypeError(f"score_play takes a board, a play and an edition in this order, got {found}")
    if rack_count is not None and rack_count < len(play):
        raise IllegalPlayError(
            PlayRule.NO_TILES,
            f"a play of {len(play)} tiles from a rack of {rack_count}; leave out an unknown number",
        )
    (check_play if check else check_form)(board, play, edition)
    return score_checked(board, play, edition, rack_count=rack_count)


def score_checked(board: Board, play: Play, edition: Edition, *, rack_count: int | None = None) -> ScoredPlay:
    """Score a play that fills a line of free squares; parameters as for `score_play`.

    Raises
    ------
    IllegalPlayError
        If the play forms no word, or a word of it runs into a covered square.
    """
    rows = list(board.rows)
    placements = play.placements
    for row in {placement.row for placement in placements}:
        tokens = list(rows[row])
        for placement in placements:
            if placement.row == row:
                tokens[placement.column] = placement.token
        rows[row] = tuple(tokens)
    first = placements[0]
    direction = play.direction
    if direction is None:  # a single tile belongs to two lines: the longer word is the main word
        across, down = (_run(rows, first, way) for way in (Direction.ACROSS, Direction.DOWN))
        direction = Direction.DOWN if len(down[1]) > len(across[1]) else Direction.ACROSS
    words = []
    for placement, way in ((first, direction), *((placement, direction.other) for placement in placements)):
        start, run = _run(rows, placement, way)
        if len(run) > 1:
            new = placements if way is direction else (placement,)
            words.append(_score_word(run, start, placement, way, new, edition))
    if not words:
        raise IllegalPlayError(PlayRule.FIRST_WORD_TOO_SHORT, "the play forms no word of two letters or more")
    bonus, rack_count = edition.bonus, rack_count or edition.rack_size
    return ScoredPlay(
        play=play,
        words=tuple(words),
        bonus=bonus.earned(len(placements), rack_count) if bonus is not None else 0,
        unvalued=tuple(p for p in placements if p.token == BLANK) if edition.blanks_score else (),
    )


def _run(
    rows: Sequence[tuple[str, ...]], placement: Placement, direction: Direction
) -> tuple[int, tuple[str, ...]]:
    """Return the run of tiles through a placement: its start in the line, and its tokens."""
    row, column = placement.row, placement.column
    if direction is Direction.ACROSS:
        line, start = rows[row], column
    else:
        line, start = tuple([tokens[column] for tokens in rows]), row
    end = start + 1
    while start and line[start - 1] != EMPTY:
        start -= 1
    while end < len(line) and line[end] != EMPTY:
        end += 1
    return start, line[start:end]


def _score_word(
    tokens: tuple[str, ...],
    start: int,
    placement: Placement,
    direction: Direction,
    new: Sequence[Placement],
    edition: Edition,
) -> ScoredWord:
    """Score the run of tiles that starts at `start` in the line of a placement."""
    is_across = direction is Direction.ACROSS
    row, column = (placement.row, start) if is_across else (start, placement.column)
    if COVERED in tokens:
        where = format_position(row, column, direction)
        raise IllegalPlayError(
            PlayRule.COVERED, f"the word at {where} runs into a covered square; uncover it and look again"
        )
    points, layout = edition.points, edition.layout
    try:
        old = sum([points[token] for token in tokens])
    except KeyError:
        old = sum(map(edition.value_of, tokens))  # raises the error that names the tile
    values = []
    for tile in new:
        value = points[tile.token]
        old -= value
        values.append((value, layout.premiums[tile.row][tile.column]))
    score = word_score(old, values, edition.scheme)
    text = format_tokens(tokens, edition) if edition.has_digraphs else "".join(tokens)
    return ScoredWord(tokens, text, row, column, direction, score)


def word_score(old: int, new: Sequence[tuple[int, Premium]], scheme: Scheme) -> int:
    """Return the points of a word, without the bonus.

    Parameters
    ----------
    old : int
        The sum of the values of the old tiles.
    new : sequence of (int, Premium)
        The value and the square of each new tile.
    scheme : Scheme
        How they make the score.
    """
    with_letters, factor = 0, 1
    for value, premium in new:
        with_letters += value * premium.letter
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
