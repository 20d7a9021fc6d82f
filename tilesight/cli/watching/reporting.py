"""What `tilesight watch` prints and writes: events, the game file, pictures, the exit code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tilesight.cli.messages import print_json, sanitize, say
from vision.errors import ExitCode, InputError

if TYPE_CHECKING:
    from scoring import Game
    from tilesight.live import LiveGame
    from tilesight.output import TerminalView
    from vision.game_events import Command, UpdateBatch

__all__ = ["GameFile", "WatchReport", "print_end", "try_write"]

SHEET_HEIGHT_PX = 760
"""Height of the score sheet in the summary picture, in pixels; chosen."""


class WatchReport:
    """Prints and writes the updates of a live game once they are recorded.

    Parameters
    ----------
    game : LiveGame
        The game.
    out : GameFile, optional
        The GCG file.
    picture : Path, optional
        The summary picture, drawn at the end.
    evidence : Path, optional
        Folder for a picture of each event.
    as_json : bool
        Whether events are printed as JSON.
    """

    def __init__(
        self,
        game: LiveGame,
        *,
        out: GameFile | None = None,
        picture: Path | None = None,
        evidence: Path | None = None,
        as_json: bool = False,
    ) -> None:
        self.terminal: TerminalView | None = None
        """The view that shows updates instead of printed lines."""
        self.commands: Callable[[], Iterable[Command]] = tuple
        """Gives the commands that are not answered yet."""
        self._game = game
        self._out = out
        self._picture = picture
        self._evidence = evidence
        self._as_json = as_json
        self._kinds: set[str] = set()
        self._last: UpdateBatch | None = None
        self._has_failed = False

    def add(self, batch: UpdateBatch) -> None:
        """Print a batch, and write the files that it changes."""
        game, evidence = batch.game, self._evidence
        # A full disk must not end a game that is being played. People stop the program once they see the play.
        if evidence is not None:
            self._has_failed |= not try_write(lambda: save_evidence(evidence, batch, len(game.events)))
        self._has_failed |= not try_write(lambda: self._print(batch))
        self._kinds.update(notice.kind for notice in batch.notices)
        self._last = batch if batch.observation is not None else self._last
        self._write_game(self._game.state.standing_game)

    def _print(self, batch: UpdateBatch) -> None:
        """Print a batch.

        Raises
        ------
        InputError
            If the disk behind standard output is full.
        """
        from tilesight.output import format_event

        try:
            if self._as_json:
                for item in batch.items:
                    print_json(format_event(item, batch.source, batch.index, batch.time_s))
            if self.terminal is not None:
                self.terminal.show(batch)
            else:
                print_text(batch, moves=not self._as_json)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(f"standard output: {error.strerror or error}") from error

    def finish(self) -> ExitCode | None:
        """Print the totals, draw the summary picture and return the exit code; None for success.

        Raises
        ------
        InputError
            If the picture cannot be written.
        """
        from vision.game_events import NoticeKind

        self._write_game(self._game.state.game, is_final=True)
        try:
            print_end(self._game.state.game, as_json=self._as_json)
        finally:  # the terminal may be closed
            if self._picture is not None and self._last is not None:
                draw_summary(self._picture, self._last, self._game.state.game)
        if NoticeKind.UNREADABLE in self._kinds or self._has_failed or not self._game.is_written:
            return ExitCode.INPUT
        tracker = self._game.tracker
        if NoticeKind.BOARD_NOT_FOUND in self._kinds or (tracker is not None and tracker.never_found):
            return ExitCode.BOARD_NOT_FOUND
        return None

    def _write_game(self, game: Game, *, is_final: bool = False) -> None:
        """Write the GCG file, if one is wanted."""
        out = self._out
        if out is not None:
            self._has_failed |= not try_write(lambda: out.write(game, is_final=is_final))


class GameFile:
    """The GCG file of a game that is followed; it replaces no other game.

    Parameters
    ----------
    path : Path
        The file.
    keep : bool
        Whether the moves are kept that the file holds already: it is written as soon as the game has as many, if they
        are the same.
    earlier : iterable of Game
        What a resumed game was before; a file with the moves of one of them is its own, and is replaced.
    """

    def __init__(self, path: Path, *, keep: bool, earlier: Iterable[Game] = ()) -> None:
        self.path = path
        self._kept = _moves_of(path.read_text("utf-8", "replace")) if keep and path.is_file() else []
        if self._kept and any(self._kept == _format_moves(game) for game in earlier):
            self._kept = []
        self._is_reported = False

    def write(self, game: Game, *, is_final: bool = False) -> None:
        """Replace the file in one step, unless it holds another game, or the same one with more moves.

        Raises
        ------
        InputError
            If the file cannot be written. If it holds another game, or the game has no GCG form; that is said once. If
            it holds more moves than the game had in the end (`is_final`).
        """
        from scoring import GameError, format_gcg
        from vision.core import write_file

        try:
            text = format_gcg(game)
        except GameError as error:
            self._refuse(str(error))
            return
        moves = _moves_of(text)
        shared = min(len(moves), len(self._kept))
        if moves[:shared] != self._kept[:shared]:
            self._refuse("the file holds another game, and is kept; choose another name, or add --force")
        elif len(moves) >= len(self._kept):
            self._kept = []
            write_file(self.path, text.encode())
        elif is_final:
            raise InputError(
                f"{self.path}: the file holds a longer game, and is kept; choose another name, or add --force"
            )

    def _refuse(self, reason: str) -> None:
        """Say once why the file is not written."""
        if not self._is_reported:
            self._is_reported = True
            raise InputError(f"{self.path}: {reason}")


def _moves_of(text: str) -> list[str]:
    """List the lines of a GCG file with moves."""
    return [line for line in text.splitlines() if line.startswith(">")]


def _format_moves(game: Game) -> list[str]:
    """List the lines with moves of a game's GCG file; none if it has no GCG form."""
    from scoring import GameError, format_gcg

    try:
        return _moves_of(format_gcg(game))
    except GameError:
        return []


def try_write(write: Callable[[], object]) -> bool:
    """Call `write`; if it raises an `InputError`, report it on standard error and return False."""
    try:
        write()
    except InputError as error:
        say(f"{error}; the game goes on")
        return False
    return True


def print_text(batch: UpdateBatch, *, moves: bool) -> None:
    """Print notices to standard error, and one line a move to standard output if `moves`."""
    from tilesight.output import to_text
    from vision.game_events import Notice

    for item in batch.items:
        line = to_text(item, batch.source)
        if isinstance(item, Notice):
            say(line)
        elif moves:
            print(sanitize(line), flush=True)


def print_end(game: Game, *, as_json: bool) -> None:
    """Print the totals, and why the game is over."""
    from tilesight.live import is_final
    from tilesight.output import build_end_event, format_totals

    if as_json:
        print_json(build_end_event(game))
        return
    over = f"; over: {game.ending.value}" if game.ending is not None else ""
    again = " again" if game.state.settled else ""
    advice = f"; name the tiles left{again} with the command end" if over and not is_final(game) else ""
    print(sanitize(f"total: {format_totals(game)}{over}{advice}"))


def save_evidence(folder: Path, batch: UpdateBatch, number: int) -> None:
    """Save a small picture of the board for the last event of a batch, named by the event's number.

    Raises
    ------
    InputError
        If the picture cannot be written.
    """
    from tilesight.output import newest_squares
    from vision.core import write_picture
    from vision.drawing import draw_tokens
    from vision.game_events import UpdateKind

    seen = batch.observation
    if seen is None or not batch.updates:
        return
    last = batch.updates[-1]
    squares = newest_squares(last.game) if last.kind is UpdateKind.PLAY else frozenset()
    picture = draw_tokens(seen.rectified, seen.decoded.board.rows, seen.decoded.confidence, squares)
    write_picture(folder / f"{number:03d}-{last.kind.value}.jpg", picture)


def draw_summary(path: Path, last: UpdateBatch, game: Game) -> None:
    """Draw the pipeline in one picture: the photo with its grid, the board as read, the score sheet."""
    from tilesight.output import format_score_sheet, newest_squares
    from vision.core import write_picture
    from vision.drawing import draw_grid, draw_lines, draw_tokens, stack_panels

    assert last.observation is not None
    seen, newest = last.observation, newest_squares(game)
    panels = [
        ("1  the grid in the photo", draw_grid(seen.frame.image_bgr, seen.grid)),
        (
            "2  straightened and read",
            draw_tokens(seen.rectified, seen.decoded.board.rows, seen.decoded.confidence, newest),
        ),
        ("3  scored", draw_lines(format_score_sheet(game), height_px=SHEET_HEIGHT_PX)),
    ]
    write_picture(path, stack_panels(panels))
