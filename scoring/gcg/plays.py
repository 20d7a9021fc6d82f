"""The play of a GCG line: which tiles its word means, on the board as it stands.

A word may be read in several ways, and so may the rack before it. The reading is taken that fits best:
one that the rules allow, that scores what is printed, and whose tiles are on the rack; else the one with
the longest tiles.

The tiles of a line in GCG, and every way to read them.

Tiles of several letters are written bare by most programs, so that a written SZ may be one tile or two.
The longest match comes first; the other readings are for a reader who knows more, such as the score.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scoring.coordinates import format_square, parse_position
from scoring.edition import Edition
from scoring.errors import IllegalPlayError, NotationError
from scoring.game import State
from scoring.gcg.text import RawEvent
from scoring.play import Play
from scoring.score import score_play
from scoring.tiles import (
    BLANK,
    COVERED,
    EMPTY,
    bag_tile,
    designated,
    format_tokens,
    parse_tokens,
    token_readings,
)

__all__ = ["LinePlay", "Word", "covering", "play_of_line", "tile_readings", "word_readings"]

Rack = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePlay:
    """What a line's play means.

    Parameters
    ----------
    play : Play
        The new tiles.
    rack : tuple of str or None
        The rack before, None where the line tells no more than the tiles played.
    regrouped : str
        The word with its tiles told apart, where they are not the longest ones; else empty.
    """

    play: Play
    rack: Rack | None
    regrouped: str


def play_of_line(
    raw: RawEvent,
    state: State,
    player: int,
    edition: Edition,
    *,
    racks: Sequence[Rack] = (),
    unknown: Collection[tuple[int, int]] = (),
) -> LinePlay:
    """The play that a line stands for.

    Parameters
    ----------
    raw : RawEvent
        The line.
    state : State
        Where the game stands before it.
    player : int
        Whose line it is.
    edition : Edition
        Whose tiles and rules.
    racks : sequence of tuple of str
        The ways to read the line's rack; none where it has none.
    unknown : collection of (row, column)
        Squares of blanks whose written letter is a stand-in.

    Raises
    ------
    NotationError
        If no reading of the word goes with the board.
    """
    best: tuple[tuple[bool, bool, bool], LinePlay] | None = None
    refusals: list[NotationError] = []
    for number, word in enumerate(word_readings(raw.tiles, edition.tokens)):
        try:
            play = _placed(word, raw, state, unknown)
        except NotationError as error:
            refusals.append(error)
            continue
        tiles = _tiles_of(play)
        rack = covering(racks, tiles)
        total = _total(play, state, player, edition)
        fits = (
            total is not None,
            total is not None and raw.score in (None, total),
            not racks or not tiles - Counter(rack),
        )
        if best is None or fits > best[0]:
            # a rack of just the tiles played is what writers put who know no more
            known = None if rack is None or Counter(rack) == tiles else rack
            regrouped = format_tokens([token for token, _ in word], edition.tokens) if number else ""
            best = fits, LinePlay(play=play, rack=known, regrouped=regrouped)
        if all(fits):
            break
    if best is None:
        raise refusals[0]
    return best[1]


def covering(racks: Sequence[Rack], tiles: Counter[str]) -> Rack | None:
    """The first of these racks that holds the tiles, the first at all if none does, None of none."""
    return next((rack for rack in racks if not tiles - Counter(rack)), racks[0] if racks else None)


def _placed(word: Word, raw: RawEvent, state: State, unknown: Collection[tuple[int, int]]) -> Play:
    board = state.board
    row, column, direction = parse_position(raw.position)
    down, right = direction.value
    play = []
    for index, (token, old) in enumerate(word):
        square = row + down * index, column + right * index
        there = board[square] if board.holds(*square) else EMPTY
        # who writes the old tiles out may write a blank's letter as a capital
        if old and (there == EMPTY or token not in (EMPTY, there, designated(there))):
            what = "where no tile lies" if there == EMPTY else f"where {there} lies"
            raise NotationError(f"{raw.tiles!r} has an old tile on {format_square(*square)}, {what}")
        if not old and token not in (there, designated(there)):
            play.append((*square, BLANK if square in unknown else token))
    if not play:
        raise NotationError(f"{raw.position} {raw.tiles} lays no tile; write the new tiles as letters")
    return Play.of(play)


def _tiles_of(play: Play) -> Counter[str]:
    return Counter(bag_tile(each.token) for each in play)


def _total(play: Play, state: State, player: int, edition: Edition) -> int | None:
    try:
        return score_play(state.board, play, edition, rack_count=state.rack_count(player)).total
    except IllegalPlayError:
        return None


Word: TypeAlias = tuple[tuple[str, bool], ...]

_MAX_READINGS = 64  # of one word; Hungarian words of a rack's length have a dozen
_OLD = re.compile(r"\([^()]*\)|[^()]+|[()]")


def tile_readings(text: str, letters: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Each way to read tiles, the longest match first; never more than some dozens.

    Brackets say which tile is meant, and who writes them writes them wherever they are needed; then there
    is only one reading.

    Raises
    ------
    NotationError
        If a part of the text is no tile.
    """
    most = 1 if "[" in text else _MAX_READINGS
    # without any reading, parsing says which part of the text is no tile
    return tuple(itertools.islice(token_readings(text, letters), most)) or (parse_tokens(text, letters),)


def word_readings(text: str, letters: tuple[str, ...]) -> Iterator[Word]:
    """Each way to read a word: its tokens, and whether each is an old tile.

    Parameters
    ----------
    text : str
        Letters for new tiles. A dot is an old tile, and so is what stands in parentheses. Brackets say
        which tile is meant; then there is only one reading.
    letters : tuple of str
        The edition's letters.

    Raises
    ------
    NotationError
        If a part of the text is no tile.
    """
    if COVERED in text:
        raise NotationError(f"{text!r} has a {COVERED}, which is no tile")
    parts = []
    for part in _OLD.findall(text):
        old = len(part) > 1 and part[0] == "("
        readings = tile_readings(part[1:-1] if old else part, letters)[: 1 if "[" in text else None]
        parts.append([tuple((token, old or token == EMPTY) for token in reading) for reading in readings])
    for choice in itertools.islice(itertools.product(*parts), _MAX_READINGS):
        yield tuple(itertools.chain.from_iterable(choice))
