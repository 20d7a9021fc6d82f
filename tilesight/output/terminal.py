"""A live view in the terminal: the board, the standings, the last moves, and what the camera does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Console as Screen
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from scoring import EMPTY, Game, Premium, column_name, format_tokens, is_tile
from tilesight.output.text import MoveText, describe_move, newest_squares, to_text

if TYPE_CHECKING:
    from vision.game_events import UpdateBatch

__all__ = ["TerminalView", "format_coloured_board"]

SHADES = {
    Premium.DOUBLE_LETTER: "on #9fc7dc",
    Premium.TRIPLE_LETTER: "on #3f7fae",
    Premium.QUADRUPLE_LETTER: "on #27567a",
    Premium.DOUBLE_WORD: "on #e3a3a3",
    Premium.TRIPLE_WORD: "on #b8403a",
    Premium.QUADRUPLE_WORD: "on #7c2320",
}
PLAIN, TILE, NEWEST = "on #2f4f3f", "bold #2b2622 on #f0e2c0", "bold #2b2622 on #ffd75f"
MAX_MOVES = 12
"""Moves in the list."""
MIN_SIDE_WIDTH = 24
"""Narrowest panels next to the board, in columns; chosen. In a narrower terminal one line of totals replaces them."""
NUMBER_WIDTH = 3
"""Columns for the numbers of the rows, where there is room for them."""
LINES_BELOW = 2
"""Lines of a narrow terminal below the board: the totals and the last move."""
FRAME_COLUMNS, FRAME_LINES = 4, 2
"""Columns and lines of a panel's frame."""
WHAT_WIDTH = 24
"""Columns for what a move was, where there is room for it."""
MIN_REMARKS = 8
"""Columns from which on a move's remarks are shown, with three spaces before them; chosen."""
KEYS_HELP = "p pass  x exchange  c challenge  v challenge lost  w withdraw  u undo  : command"
REFRESH_S = 0.25
"""Seconds of video between two refreshes; chosen."""


class TerminalView:
    """Shows a game in the terminal; use it in a ``with`` block.

    Parameters
    ----------
    source : str
        Name of the source.
    screen : rich.console.Console, optional
        The output; the terminal by default.
    typed : callable, optional
        Gives the command that is being typed; None while none is.
    """

    def __init__(
        self,
        source: str,
        screen: Screen | None = None,
        typed: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._source = source
        self._typed = typed
        self._notice = ""
        self._live = Live(console=screen or Screen(), auto_refresh=False)
        self._moves: deque[MoveText | str] = deque(maxlen=MAX_MOVES)
        self._status = "searching for the board"
        self._game: Game | None = None
        self._shown_s = -1.0

    def show_frame(self, time_s: float, status: str, game: Game) -> None:
        """Show what the camera does (`status`) and the game after a frame, at most every `REFRESH_S`."""
        if abs(time_s - self._shown_s) >= REFRESH_S:
            self._shown_s = time_s
            self._game = game
            self._status = f"{time_s:7.1f} s   {status}"
            self._refresh()

    def show(self, batch: UpdateBatch) -> None:
        """Add the updates of a batch to the list of moves, and show the last notice in full."""
        self._moves.extend(describe_move(update) or to_text(update, "") for update in batch.updates)
        if batch.notices or batch.updates:
            self._notice = to_text(batch.notices[-1], batch.source) if batch.notices else ""
        self._game = batch.game
        self._refresh()

    def _refresh(self) -> None:
        if self._game is not None:
            self._live.update(self._layout(self._game), refresh=True)

    def _layout(self, game: Game) -> Group:
        """Lay the view out: the board and what is typed get their room first, then the notice, then the rest."""
        screen = self._live.console
        width, height = screen.size
        head = f"{_shorten(self._source, width - cell_len(self._status) - 3)}   {self._status}"
        typed = self._typed()
        bottom = Text(KEYS_HELP, style="dim") if typed is None else Text(f":{typed}_")
        board = format_coloured_board(game)
        if width >= NUMBER_WIDTH + board[0].cell_len:
            board = [Text.assemble((f"{row:>2} ", "dim"), line) for row, line in enumerate(board, 1)]
        side_width = width - board[0].cell_len - 1
        free = height - 1 - len(board) - len(bottom.wrap(screen, width))
        has_side = side_width >= MIN_SIDE_WIDTH
        notice = list(Text(self._notice).wrap(screen, width)) if self._notice or has_side else []
        notice = notice[: max(free, 0)]
        free -= len(notice)
        if free > (0 if has_side else LINES_BELOW):
            board.insert(0, _column_letters(game, board[0].cell_len))
            free -= 1
        rows = Group(*board[: len(board) + min(free, 0)])
        parts: list[RenderableType] = [Text(head, style="dim", no_wrap=True)]
        if has_side:
            grid = Table.grid(padding=(0, 1))
            grid.add_row(rows, self._side(game, side_width, len(board) + free))
            parts.append(grid)
        else:
            below = [_format_totals(game, width), *_format_moves(list(self._moves)[-1:], width)]
            below = below[: max(free, 0)]
            parts += [rows, *(Text(line, no_wrap=True, overflow="ellipsis") for line in below)]
        return Group(*parts, *notice, bottom)

    def _side(self, game: Game, width: int, height: int) -> Group:
        """Lay out the standings, and as many of the last moves as there is room for."""
        standing = Table.grid(padding=(0, 2))
        for player, name in enumerate(game.players):
            mark = "▶" if player == game.turn and game.ending is None else " "
            total = str(game.totals[player])
            name = _shorten(name, width - FRAME_COLUMNS - len(total) - 5)
            standing.add_row(mark, Text(name), Text(total, style="bold"))
        panels = [Panel(standing, title="standing", width=width)]
        room = min(MAX_MOVES, height - len(game.players) - 2 * FRAME_LINES)
        if room > 0:
            lines = _format_moves(list(self._moves)[-room:], width - FRAME_COLUMNS)
            moves = Text("\n".join(lines) or "no move yet", overflow="ellipsis", no_wrap=True)
            panels.append(Panel(moves, title="moves", width=width, height=room + FRAME_LINES))
        return Group(*panels)

    def __enter__(self) -> TerminalView:
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()


def _format_moves(moves: Sequence[MoveText | str], width: int) -> list[str]:
    """Format moves as a table of this width, in columns: names and plays are shortened, numbers never."""
    known = [move for move in moves if isinstance(move, MoveText)]
    name, what, score, total = (
        max((cell_len(getattr(move, part)) for move in known), default=0)
        for part in ("name", "what", "score", "total")
    )
    room = width - score - total - 6  # two columns between parts
    name = min(name, max(room // 3, room - what))
    what = min(max(what, WHAT_WIDTH), room - name)
    lines = []
    for move in moves:
        if isinstance(move, MoveText):
            numbers = f"{move.score:>{score}}  {move.total:>{total}}"
            line = f"{_fit(move.name, name)}  {_fit(move.what, what)}  {numbers}"
            left = width - cell_len(line)
            lines.append(line + (_shorten(move.remarks, left) if left >= MIN_REMARKS else ""))
        else:
            lines.append(move)
    return lines


def _format_totals(game: Game, width: int) -> str:
    """List the players with their points in this width; names are shortened, points never."""
    totals = list(map(str, game.totals))
    room = (width - sum(map(len, totals)) + 2) // len(totals) - 3
    pairs = zip(game.players, totals, strict=True)
    return ", ".join(f"{_shorten(name, room)} {total}" for name, total in pairs)


def _shorten(text: str, width: int) -> str:
    """Shorten a text to a width in columns; an ellipsis shows it."""
    fitted = Text(text)
    fitted.truncate(max(width, 1), overflow="ellipsis")
    return fitted.plain


def _fit(text: str, width: int) -> str:
    """Shorten or pad a text to a width in columns."""
    return set_cell_size(_shorten(text, width), width)


def _column_letters(game: Game, width: int) -> Text:
    """Format the letters of the columns above a board, whose lines have this width."""
    names = "".join(f"{column_name(column):^3}" for column in range(len(game.board.rows[0])))
    return Text(names.rjust(width), style="dim", no_wrap=True)


def format_coloured_board(game: Game) -> list[Text]:
    """Format the rows of the board in colours, three columns a square, with the newest tiles highlighted."""
    newest = newest_squares(game)
    rows = []
    for row, tokens in enumerate(game.board.rows):
        text = Text(no_wrap=True)
        for column, token in enumerate(tokens):
            if is_tile(token):
                text.append(
                    f"{format_tokens([token], game.edition):^3}", NEWEST if (row, column) in newest else TILE
                )
            else:
                shade = SHADES.get(game.edition.layout.premiums[row][column], PLAIN)
                text.append("   " if token == EMPTY else " # ", shade)
        rows.append(text)
    return rows
