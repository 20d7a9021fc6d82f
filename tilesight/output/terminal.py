"""A live view in the terminal: the board, the standings, the last moves, and what the camera does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Console as Screen
from rich.console import Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from scoring import EMPTY, Game, Premium, format_tokens, is_tile
from tilesight.output.text import newest_squares, to_text

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
SIDE_WIDTH = 50
"""Width of the panels next to the board, in columns."""
KEYS_HELP = "p pass  x exchange  c challenge  v challenge lost  w withdraw  u undo  : any command"
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
        self._moves: deque[str] = deque(maxlen=MAX_MOVES)
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
        self._moves.extend(to_text(update, batch.source) for update in batch.updates)
        if batch.notices or batch.updates:
            self._notice = to_text(batch.notices[-1], batch.source) if batch.notices else ""
        self._game = batch.game
        self._refresh()

    def _refresh(self) -> None:
        if self._game is not None:
            self._live.update(self._layout(self._game), refresh=True)

    def _layout(self, game: Game) -> Group:
        standing = Table.grid(padding=(0, 2))
        for player, name in enumerate(game.players):
            mark = "▶" if player == game.turn and game.ending is None else " "
            standing.add_row(mark, Text(name), Text(str(game.totals[player]), style="bold"))
        moves = Text("\n".join(self._moves) or "no move yet", overflow="ellipsis", no_wrap=True)
        side = Group(
            Panel(standing, title="standing", width=SIDE_WIDTH),
            Panel(moves, title="moves", width=SIDE_WIDTH, height=MAX_MOVES + 2),
        )
        grid = Table.grid(padding=(0, 1))
        grid.add_row(format_coloured_board(game), side)
        typed = self._typed()
        return Group(
            Text(f"{self._source}   {self._status}", style="dim"),
            grid,
            Text(self._notice),
            Text(KEYS_HELP, style="dim") if typed is None else Text(f":{typed}_"),
        )

    def __enter__(self) -> TerminalView:
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()


def format_coloured_board(game: Game) -> Text:
    """Format the board in colours, three columns a square, with the newest tiles highlighted."""
    newest = newest_squares(game)
    text = Text()
    for row, tokens in enumerate(game.board.rows):
        for column, token in enumerate(tokens):
            if is_tile(token):
                text.append(
                    f"{format_tokens([token], game.edition):^3}", NEWEST if (row, column) in newest else TILE
                )
            else:
                shade = SHADES.get(game.edition.layout.premiums[row][column], PLAIN)
                text.append("   " if token == EMPTY else " # ", shade)
        text.append("\n")
    return text
