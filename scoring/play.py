"""A play: the tiles of one turn, its text form, and the check against the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from scoring.board import Board, Placement, check_size, occupied_error, off_board_error
from scoring.coordinates import Direction, format_position, format_square, neighbours, parse_position
from scoring.edition import Edition, StartRule
from scoring.errors import IllegalPlayError, NotationError, PlayRule
from scoring.tiles import (
    BLANK,
    COVERED,
    EMPTY,
    Alphabet,
    bag_tile,
    designated,
    format_tokens,
    parse_tokens,
)

__all__ = [
    "Play",
    "check_form",
    "check_line",
    "check_play",
    "find_refusal",
    "format_play",
    "is_legal",
    "parse_play",
]


@dataclass(frozen=True, slots=True, repr=False)
class Play:
    """The tiles that one turn places on the board.

    Parameters
    ----------
    placements : iterable of Placement
        The tiles in any order; stored row by row from the top left, so that equal plays compare equal.
    direction : Direction or None
        Direction of the line that the tiles share; None for a single tile, or without such a line.
    """

    placements: tuple[Placement, ...]
    direction: Direction | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        placements = self.placements
        if len(placements) > 1 or not isinstance(placements, tuple):
            placements = tuple(sorted(placements, key=_square_of))
            object.__setattr__(self, "placements", placements)
        object.__setattr__(self, "direction", _find_direction(placements))

    @classmethod
    def of(cls, placements: Iterable[Placement | tuple[int, int, str]]) -> Play:
        """Return a play of placements or of (row, column, token) triples."""
        return cls(
            placements=tuple(
                each if isinstance(each, Placement) else Placement(row=each[0], column=each[1], token=each[2])
                for each in placements
            )
        )

    @classmethod
    def parse(
        cls, text: str, alphabet: Alphabet, board: Board | None = None, *, bracketed: bool = False
    ) -> Play:
        """Read a play such as ``8D HR.KI``; parameters and errors as for `parse_play`."""
        return parse_play(text, alphabet, board, bracketed=bracketed)

    def __len__(self) -> int:
        return len(self.placements)

    def __iter__(self) -> Iterator[Placement]:
        return iter(self.placements)

    def __repr__(self) -> str:
        return f"Play.of({[(each.row, each.column, each.token) for each in self.placements]!r})"

    def __str__(self) -> str:
        """Return the text from the first new tile, with each tile of several letters in brackets."""
        letters = {designated(each.token) for each in self.placements}
        try:
            return format_play(self, letters, bracketed=True)
        except IllegalPlayError:  # without tiles, or off one line
            return " ".join(
                f"{format_square(each.row, each.column)} {each.token}" for each in self.placements
            )

    @property
    def tile_counts(self) -> Counter[str]:
        """The number of each tile, as it is in the bag: ``"?"`` for every blank."""
        return Counter(bag_tile(each.token) for each in self.placements)

    def transposed(self) -> Play:
        """Return the play with rows and columns exchanged."""
        return Play(
            placements=tuple(Placement(row=p.column, column=p.row, token=p.token) for p in self.placements)
        )


def _square_of(placement: Placement) -> tuple[int, int, str]:
    return placement.row, placement.column, placement.token


def _find_direction(placements: tuple[Placement, ...]) -> Direction | None:
    if len(placements) < 2:
        return None
    first, last = placements[0], placements[-1]
    across = first.row == last.row and all(each.row == first.row for each in placements)
    down = first.column == last.column and all(each.column == first.column for each in placements)
    if across is down:
        return None
    return Direction.ACROSS if across else Direction.DOWN


def format_play(
    play: Play, alphabet: Alphabet, board: Board | None = None, *, bracketed: bool = False
) -> str:
    """Return a play as text, such as ``8D HR.KI``; a dot is an old tile.

    Parameters
    ----------
    play : Play
        The play.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.
    board : Board, optional
        The board before the play. With it, the text starts at the first square of the word, as everywhere in
        the field; without it, at the first new tile.
    bracketed : bool
        As for `format_tokens`.

    Raises
    ------
    IllegalPlayError
        If the play has no tile, or its tiles are not in one line.
    NotationError
        If a tile is not in the alphabet.

    Examples
    --------
    >>> board = Board.from_rows(["...", ".U.", "...", "..."])
    >>> play = Play.of([(2, 1, "P"), (3, 1, "S")])
    >>> format_play(play, "PSU", board), format_play(play, "PSU")
    ('B2 .PS', 'B3 PS')
    """
    check_line(play)
    first, last = play.placements[0], play.placements[-1]
    direction = play.direction
    if direction is None:  # a single tile belongs to two lines: the longer word is the main word
        direction = max(
            Direction, key=lambda way: _count_old(board, first, way, -1) + _count_old(board, first, way, 1)
        )
    down, right = direction.value
    before = _count_old(board, first, direction, -1)
    tokens = [EMPTY] * before
    for placement in play.placements:
        distance = placement.row - first.row + placement.column - first.column
        tokens += [EMPTY] * (before + distance - len(tokens))
        tokens.append(placement.token)
    tokens += [EMPTY] * _count_old(board, last, direction, 1)
    position = format_position(first.row - down * before, first.column - right * before, direction)
    return f"{position} {format_tokens(tokens, alphabet, bracketed=bracketed)}"


def _count_old(board: Board | None, tile: Placement, direction: Direction, step: int) -> int:
    """Return the number of old tiles next to a tile in its line, backwards for the step -1."""
    if board is None:
        return 0
    down, right = direction.value
    row, column, count = tile.row + down * step, tile.column + right * step, 0
    while board.holds(row, column) and board[row, column] != EMPTY:
        row, column, count = row + down * step, column + right * step, count + 1
    return count


def parse_play(text: str, alphabet: Alphabet, board: Board | None = None, *, bracketed: bool = False) -> Play:
    """Read a play such as ``8D HR.KI``.

    Parameters
    ----------
    text : str
        A position and the tiles; a dot is a square that was occupied before.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.
    board : Board, optional
        The board before the play. Letters of the text that are already on it are no new tiles.
    bracketed : bool
        As for `parse_tokens`.

    Raises
    ------
    NotationError
        If the position or a tile cannot be read, or the text has no new tile.
    """
    parts = text.split()
    if len(parts) != 2:
        raise NotationError(f"{text!r} is no play; write a position and the tiles, such as 8D WORD")
    row, column, direction = parse_position(parts[0])
    down, right = direction.value
    placements = []
    for index, token in enumerate(parse_tokens(parts[1], alphabet, bracketed=bracketed)):
        square = row + down * index, column + right * index
        if token == COVERED:
            raise NotationError(
                f"{text!r} has a {COVERED}, which is no tile; write the tiles laid, and dots between"
            )
        is_old = board is not None and board.holds(*square) and board[square] == token
        if token != EMPTY and not is_old:
            placements.append(Placement(row=square[0], column=square[1], token=token))
    if not placements:
        raise NotationError(f"{text!r} lays no tile; write at least one letter")
    return Play(placements=tuple(placements))


def check_line(play: Play) -> None:
    """Check that a play has tiles, all on different squares of one line.

    Raises
    ------
    IllegalPlayError
        With the reason NO_TILES, SQUARE_TWICE or NOT_ONE_LINE.
    """
    placements = play.placements
    if not placements:
        raise IllegalPlayError(
            PlayRule.NO_TILES, "a play needs at least one tile; a turn without one is a pass or an exchange"
        )
    previous = None
    for placement in placements:
        square = placement.row, placement.column
        if square == previous:
            tokens = " and ".join(each.token for each in placements if (each.row, each.column) == square)
            raise IllegalPlayError(
                PlayRule.SQUARE_TWICE, f"{tokens} are both laid on {format_square(*square)}"
            )
        previous = square
    if len(placements) > 1 and play.direction is None:
        squares = " ".join(format_square(each.row, each.column) for each in placements)
        raise IllegalPlayError(
            PlayRule.NOT_ONE_LINE, f"the tiles on {squares} share neither a row nor a column"
        )


def is_legal(board: Board, play: Play, edition: Edition) -> bool:
    """Return whether the rules allow the play on the board; parameters as for `check_play`."""
    return find_refusal(board, play, edition) is None


def find_refusal(board: Board, play: Play, edition: Edition) -> IllegalPlayError | None:
    """Return why the rules do not allow the play, None if they do; parameters as for `check_play`."""
    try:
        check_play(board, play, edition)
    except IllegalPlayError as error:
        return error
    return None


def check_play(board: Board, play: Play, edition: Edition) -> None:
    """Check that the rules allow the play on the board; words are not looked up.

    Parameters
    ----------
    board : Board
        The board before the play.
    play : Play
        The new tiles.
    edition : Edition
        The rules and the bag.

    Raises
    ------
    IllegalPlayError
        If the play breaks a rule; `reason` says which one.
    NotationError
        If the board does not have the size of the edition.
    """
    check_form(board, play, edition)
    _check_supply(board, play, edition)
    if _touches_tile(board, play):
        return
    if _touches_covered(board, play):
        raise IllegalPlayError(
            PlayRule.COVERED, "the play is next to a covered square and touches no tile that can be seen"
        )
    if not board.is_empty:
        raise IllegalPlayError(
            PlayRule.NOT_TOUCHING, f"the play at {_position(play)} touches no tile on the board"
        )
    _check_first(play, edition)


def check_form(board: Board, play: Play, edition: Edition) -> None:
    """Check that the play fills a line of free squares; it may break other rules.

    Raises
    ------
    IllegalPlayError
        If the edition has no such tile, a square is not free, or the tiles leave a gap in their line.
    NotationError
        If the board does not have the size of the edition.
    """
    rows, points = board.rows, edition.points
    height, width = len(rows), len(rows[0])
    if height != len(edition.layout.premiums) or width != len(edition.layout.premiums[0]):
        check_size(board, edition)
    placements = play.placements
    for placement in placements:
        row, column = placement.row, placement.column
        if placement.token not in points:
            letters = " ".join(edition.tokens)
            raise IllegalPlayError(
                PlayRule.UNKNOWN_TILE,
                f"{placement.token!r} is no tile of {edition.name}; its letters are {letters}",
            )
        if not (0 <= row < height and 0 <= column < width):
            raise off_board_error(board, placement)
        if rows[row][column] != EMPTY:
            raise occupied_error(rows[row][column], placement)
    check_line(play)  # last: a play off one line is on the board where all its squares are free
    first, last = placements[0], placements[-1]
    if last.row - first.row + last.column - first.column >= len(placements):
        _check_gap(board, play)


def _position(play: Play) -> str:
    """Return the position of the first new tile."""
    first = play.placements[0]
    return format_position(first.row, first.column, play.direction or Direction.ACROSS)


def _check_supply(board: Board, play: Play, edition: Edition) -> None:
    if len(play) > edition.rack_size:
        raise IllegalPlayError(
            PlayRule.TOO_MANY_TILES, f"the play lays {len(play)} tiles, but a rack holds {edition.rack_size}"
        )
    counts, on_board = edition.counts, board.tile_counts
    needed: dict[str, int] = {}
    for placement in play.placements:
        tile = placement.token if placement.token in counts else bag_tile(placement.token)
        needed[tile] = needed.get(tile, 0) + 1
    for tile, number in needed.items():
        count, old = counts.get(tile), on_board.get(tile, 0)
        if count is not None and number + old > count:
            name = "blank" if tile == BLANK else tile
            message = (
                f"the play needs {number} {name} and {old} {'is' if old == 1 else 'are'} on the board, "
                f"but {edition.name} has {count} in all"
            )
            hints = ["lower case is a blank"] if tile == BLANK else []
            raise IllegalPlayError(PlayRule.NOT_IN_BAG, "; ".join([message, *hints]))


def _check_gap(board: Board, play: Play) -> None:
    first, last = play.placements[0], play.placements[-1]
    tokens = [row[first.column : last.column + 1] for row in board.rows[first.row : last.row + 1]]
    line = tokens[0] if len(tokens) == 1 else [token for row in tokens for token in row]
    if line.count(EMPTY) == len(play.placements) and COVERED not in line:
        return
    new = {placement.row + placement.column for placement in play.placements}
    down, right = (play.direction or Direction.ACROSS).value
    step, token = next(
        (step, token)
        for step, token in enumerate(line)
        if token == COVERED or (token == EMPTY and first.row + first.column + step not in new)
    )
    square = format_square(first.row + down * step, first.column + right * step)
    if token == COVERED:
        raise IllegalPlayError(PlayRule.COVERED, f"{square}, within the play, cannot be seen")
    raise IllegalPlayError(
        PlayRule.GAP, f"the play at {_position(play)} leaves {square} empty between its tiles"
    )


def _touches_tile(board: Board, play: Play) -> bool:
    """Return whether a visible tile is next to a new tile."""
    rows = board.rows
    height, width = len(rows), len(rows[0])
    for placement in play.placements:
        row, column = placement.row, placement.column
        for near, beyond in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= near < height and 0 <= beyond < width:
                token = rows[near][beyond]
                if token != EMPTY and token != COVERED:
                    return True
    return False


def _touches_covered(board: Board, play: Play) -> bool:
    """Return whether a covered square is next to a new tile."""
    return any(
        board.holds(*square) and board[square] == COVERED
        for each in play.placements
        for square in neighbours(each.square)
    )


def _check_first(play: Play, edition: Edition) -> None:
    rule, start = edition.first_play, edition.layout.start
    if len(play) < rule.shortest:
        raise IllegalPlayError(
            PlayRule.FIRST_WORD_TOO_SHORT,
            f"the first word has {len(play)} {'tile' if len(play) == 1 else 'tiles'}; "
            f"it needs at least {rule.shortest}",
        )
    squares = [(placement.row, placement.column) for placement in play.placements]
    if rule.start is StartRule.FIRST_LETTER:
        squares, what = squares[:1], "its first letter"
    else:
        what = "a tile"
    if start.isdisjoint(squares):
        names = " or ".join(format_square(*square) for square in sorted(start))
        raise IllegalPlayError(
            PlayRule.START_NOT_COVERED, f"the first word, at {_position(play)}, must have {what} on {names}"
        )
