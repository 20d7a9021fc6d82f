"""The game live in the terminal: the board, the standings, the last moves, and what the camera does."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console as Screen
from rich.console import Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from scoring import EMPTY, Game, Premium, is_blank, is_tile
from tilesight.output.events import to_text
from vision.capture import Frame, Interruption

if TYPE_CHECKING:
    from vision.game_events import UpdateBatch
    from vision.pipeline import VideoTracker

__all__ = ["Terminal", "board_text"]

SHADES = {
    Premium.DOUBLE_LETTER: "on #9fc7dc",
    Premium.TRIPLE_LETTER: "on #3f7fae",
    Premium.QUADRUPLE_LETTER: "on #27567a",
    Premium.DOUBLE_WORD: "on #e3a3a3",
    Premium.TRIPLE_WORD: "on #b8403a",
    Premium.QUADRUPLE_WORD: "on #7c2320",
}
PLAIN, TILE, NEWEST = "on #2f4f3f", "bold #2b2622 on #f0e2c0", "bold #2b2622 on #ffd75f"
MOVES_SHOWN, SIDE_WIDTH = 12, 50
KEYS_SHOWN = "p pass  x exchange  c challenge  v challenge lost  w withdraw  u undo  : any command"
REFRESH_S = 0.25


class Terminal:
    """The live view; use it in a ``with`` block.

    Parameters
    ----------
    source : str
        What is watched.
    screen : rich.console.Console, optional
        Where it is shown; the terminal by default.
    """

    def __init__(self, source: str, screen: Screen | None = None) -> None:
        self._source = source
        self._live = Live(console=screen or Screen(), auto_refresh=False)
        self._moves: deque[str] = deque(maxlen=MOVES_SHOWN)
        self._status = "looking for the board"
        self._game: Game | None = None
        self._shown_s = -1.0

    def following(
        self, frames: Iterator[Frame | Interruption], watch: VideoTracker
    ) -> Iterator[Frame | Interruption]:
        """The frames, passed on; the view follows them."""
        for item in frames:
            yield item
            if isinstance(item, Frame) and abs(item.time_s - self._shown_s) >= REFRESH_S:
                self._shown_s = item.time_s
                self._game = watch.game
                self._status = f"{item.time_s:7.1f} s   {watch.state}"
                self._refresh()

    def show(self, batch: UpdateBatch) -> None:
        """Adds what was seen."""
        self._moves.extend(to_text(item, batch.source) for item in batch.items)
        self._game = batch.game
        self._refresh()

    def _refresh(self) -> None:
        if self._game is not None:
            self._live.update(self._layout(self._game), refresh=True)

    def _layout(self, game: Game) -> Group:
        standing = Table.grid(padding=(0, 2))
        for player, name in enumerate(game.players):
            mark = "▶" if player == game.turn and game.ending is None else " "
            standing.add_row(mark, name, f"[bold]{game.totals[player]}[/bold]")
        moves = Text("\n".join(self._moves) or "no move yet", overflow="ellipsis", no_wrap=True)
        side = Group(
            Panel(standing, title="standing", width=SIDE_WIDTH),
            Panel(moves, title="moves", width=SIDE_WIDTH, height=MOVES_SHOWN + 2),
        )
        grid = Table.grid(padding=(0, 1))
        grid.add_row(board_text(game), side)
        return Group(
            Text(f"{self._source}   {self._status}", style="dim"), grid, Text(KEYS_SHOWN, style="dim")
        )

    def __enter__(self) -> Terminal:
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()


def board_text(game: Game) -> Text:
    """The board in colours, three columns a square; the newest tiles stand out."""
    laid = game.state.plays
    newest = {(tile.row, tile.column) for tile in laid[-1].play} if laid else set()
    text = Text()
    for row, tokens in enumerate(game.board.rows):
        for column, token in enumerate(tokens):
            if is_tile(token):
                shown = token.lower() if is_blank(token) else token
                text.append(f"{shown:^3}", NEWEST if (row, column) in newest else TILE)
            else:
                shade = SHADES.get(game.edition.layout.premiums[row][column], PLAIN)
                text.append("   " if token == EMPTY else " # ", shade)
        text.append("\n")
    return text
