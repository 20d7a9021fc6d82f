"""Read the play of a GCG line: which tiles its word means, on the board before it.

A file that puts tiles of several letters in brackets has one reading. Others write these tiles without brackets,
so a written SZ may be one tile or two. The same is true of the rack. The best reading is one that is legal, gives
the printed score and has its tiles on the rack; among equals, the one with the longest tiles.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scoring.board import Placement
from scoring.coordinates import format_square, parse_position, parse_square
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
    find_token_readings,
    format_tokens,
    parse_tokens,
)

__all__ = [
    "LinePlay",
    "Rack",
    "Word",
    "choose_rack",
    "find_known_rack",
    "find_tile_readings",
    "find_word_readings",
    "read_play",
    "read_unplayable",
]

Rack: TypeAlias = tuple[str, ...]
Word: TypeAlias = tuple[tuple[str, bool], ...]
"""The tokens of a word, each with whether it is an old tile."""

_MAX_READINGS = 64  # of one word; a Hungarian word as long as a rack has about a dozen
_OLD = re.compile(r"\([^()]*\)|[^()]+|[()]")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePlay:
    """The play of a line.

    Parameters
    ----------
    play : Play
        The new tiles.
    rack : tuple of str or None
        The rack before; None if it is not known (see `find_known_rack`).
    regrouped : str
        The word with its tiles separated if it is not read by longest match; else empty.
    """

    play: Play
    rack: Rack | None
    regrouped: str


def read_play(
    raw: RawEvent,
    state: State,
    player: int,
    edition: Edition,
    *,
    racks: Sequence[Rack] = (),
    unknown: Collection[tuple[int, int]] = (),
    bracketed: bool = False,
) -> LinePlay:
    """Read the play of a line.

    Parameters
    ----------
    raw : RawEvent
        The line.
    state : State
        The state of the game before it.
    player : int
        The player.
    edition : Edition
        The tiles and rules.
    racks : sequence of tuple of str
        The readings of the rack of the line; empty if it has none.
    unknown : collection of (row, column)
        Squares of blanks whose letter is not known, so that the written one is a placeholder.
    bracketed : bool
        Whether the file puts every tile of several letters in brackets.

    Raises
    ------
    NotationError
        If no reading of the word agrees with the board.
    """
    readings: list[tuple[int, Word, Play]] = []
    errors: list[NotationError] = []
    for number, word in enumerate(find_word_readings(raw.tiles, edition.tokens, bracketed=bracketed)):
        try:
            readings.append((number, word, _place_word(word, raw, state, unknown)))
        except NotationError as error:
            errors.append(error)
    if not readings:
        raise errors[0]

    def fit(reading: tuple[int, Word, Play]) -> tuple[bool, bool, bool]:
        play = reading[2]
        total, rack = _score(play, state, player, edition), choose_rack(racks, play.tile_counts)
        is_legal = total is not None
        return (
            is_legal,
            is_legal and raw.score in (None, total),
            rack is None or not play.tile_counts - Counter(rack),
        )

    number, word, play = readings[0] if len(readings) == 1 else max(readings, key=fit)
    rack = choose_rack(racks, play.tile_counts)
    known = find_known_rack(rack, [bag_tile(each.token) for each in play], state.rack_counts[player])
    regrouped = format_tokens([token for token, _ in word], edition.tokens) if number else ""
    return LinePlay(play=play, rack=known, regrouped=regrouped)


def read_unplayable(text: str, edition: Edition) -> Play | None:
    """Read the squares and tiles of a note `unplayable`; None if it has squares only, as in older files."""
    placements = []
    for part in text.split(", "):
        square, _, tile = part.partition(" ")
        try:
            row, column = parse_square(square)
            (token,) = parse_tokens(tile, edition.tokens, bracketed=True)
        except ValueError:
            return None
        placements.append(Placement(row, column, token))
    return Play(tuple(placements))


def choose_rack(racks: Sequence[Rack], tiles: Counter[str]) -> Rack | None:
    """Return the first rack that holds the tiles, else the first rack, else None."""
    return next((rack for rack in racks if not tiles - Counter(rack)), racks[0] if racks else None)


def find_known_rack(rack: Rack | None, tiles: Sequence[str], held: int) -> Rack | None:
    """Return the rack of a line; None if it says no more than the tiles that are played or exchanged.

    Programs that do not know the rack write these tiles in their order. In another order they are the rack if
    the player held no more.

    Parameters
    ----------
    rack : tuple of str or None
        The rack as it is written.
    tiles : sequence of str
        The tiles that are played or exchanged, in the order of the line.
    held : int
        Number of tiles on the rack of the player.
    """
    if rack is None or Counter(rack) != Counter(tiles):
        return rack
    return rack if len(rack) == held and rack != tuple(tiles) else None


def find_tile_readings(
    text: str, letters: tuple[str, ...], *, bracketed: bool = False
) -> tuple[tuple[str, ...], ...]:
    """Return the ways to read a text as tiles, the longest match first.

    A text with brackets has one reading, since a writer who uses brackets uses them wherever needed. The same is
    true of a text of a file with brackets.

    Raises
    ------
    NotationError
        If a part of the text is not a tile.
    """
    if bracketed:
        return (parse_tokens(text, letters, bracketed=True),)
    limit = 1 if "[" in text else _MAX_READINGS
    # without any reading, parse_tokens raises the error that names the wrong part
    return tuple(itertools.islice(find_token_readings(text, letters), limit)) or (
        parse_tokens(text, letters),
    )


def find_word_readings(text: str, letters: tuple[str, ...], *, bracketed: bool = False) -> Iterator[Word]:
    """Generate the ways to read a word, the longest tiles first.

    Parameters
    ----------
    text : str
        Letters are new tiles; a dot, or text in parentheses, is old tiles. Brackets mark one tile each; a text
        with brackets has one reading.
    letters : tuple of str
        The letters of the edition.
    bracketed : bool
        Whether the file puts every tile of several letters in brackets.

    Raises
    ------
    NotationError
        If a part of the text is not a tile.
    """
    if COVERED in text:
        raise NotationError(f"{text!r} has a {COVERED}, which is no tile")
    if bracketed and "(" not in text:
        tokens = parse_tokens(text, letters, bracketed=True)
        yield tuple([(token, token == EMPTY) for token in tokens])
        return
    parts = []
    for part in _OLD.findall(text):
        old = len(part) > 1 and part[0] == "("
        readings = find_tile_readings(part[1:-1] if old else part, letters, bracketed=bracketed)
        readings = readings[: 1 if "[" in text else None]
        parts.append([tuple((token, old or token == EMPTY) for token in reading) for reading in readings])
    for choice in itertools.islice(itertools.product(*parts), _MAX_READINGS):
        yield tuple(itertools.chain.from_iterable(choice))


def _place_word(word: Word, raw: RawEvent, state: State, unknown: Collection[tuple[int, int]]) -> Play:
    """Return the new tiles of a word on the board of the state."""
    rows = state.board.rows
    height, width = state.board.size
    row, column, direction = parse_position(raw.position)
    down, right = direction.value
    new = []
    for token, is_old in word:
        shown = rows[row][column] if 0 <= row < height and 0 <= column < width else EMPTY
        # some programs write the old tiles, and the letter of an old blank as a capital
        if is_old:
            is_gap = shown == token == EMPTY and raw.score == 0  # of a play that forms no word and stood
            if not is_gap and (shown == EMPTY or token not in (EMPTY, shown, designated(shown))):
                what = "where no tile is" if shown == EMPTY else f"where {shown} is"
                raise NotationError(f"{raw.tiles!r} has an old tile on {format_square(row, column)}, {what}")
        elif token != shown and (shown == EMPTY or token != designated(shown)):
            new.append(Placement(row, column, BLANK if (row, column) in unknown else token))
        row, column = row + down, column + right
    if not new:
        raise NotationError(f"{raw.position} {raw.tiles} lays no tile; write the new tiles as letters")
    return Play(tuple(new))


def _score(play: Play, state: State, player: int, edition: Edition) -> int | None:
    """Return the points of the play, None if it is not legal."""
    try:
        return score_play(state.board, play, edition, rack_count=state.rack_count(player) or None).total
    except IllegalPlayError:
        return None
