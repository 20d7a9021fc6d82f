"""What `tilesight watch` leaves behind: printed events, the game file, pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilesight.cli.messages import one_line, say

if TYPE_CHECKING:
    from scoring import Game
    from vision.game_events import UpdateBatch

__all__ = ["draw_summary", "events_of", "keep_game", "print_end", "print_json", "print_text", "save_evidence"]


def events_of(batch: UpdateBatch) -> list[dict[str, Any]]:
    """The sighting as JSON objects."""
    from tilesight.output import to_event

    return [to_event(item, batch.source, batch.index, batch.time_s) for item in batch.items]


def print_json(events: list[dict[str, Any]]) -> None:
    """One event a line, at once."""
    for event in events:
        print(json.dumps(event, ensure_ascii=False), flush=True)


def print_text(batch: UpdateBatch, *, moves: bool) -> None:
    """One line for each move where they are wanted; what is the matter goes to standard error."""
    from tilesight.output import to_text
    from vision.game_events import Notice

    for item in batch.items:
        line = to_text(item, batch.source)
        if isinstance(item, Notice):
            say(line)
        elif moves:
            print(one_line(line), flush=True)


def print_end(game: Game, *, as_json: bool) -> None:
    """The totals."""
    from tilesight.output import end_event

    if as_json:
        print(json.dumps(end_event(game), ensure_ascii=False), flush=True)
    else:
        totals = zip(game.players, game.totals, strict=True)
        print(one_line("total: " + ", ".join(f"{name} {total}" for name, total in totals)))


def keep_game(game: Game, out: Path) -> None:
    """Writes the game file as it stands, whole at every moment."""
    from scoring import format_gcg
    from vision.core import write_file

    write_file(out, format_gcg(game).encode())


def save_evidence(folder: Path, batch: UpdateBatch, number: int) -> None:
    """One small picture of the board for each event of the game, named by its number.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    from vision.core import write_picture
    from vision.drawing import draw_tokens
    from vision.game_events import UpdateKind

    seen = batch.observation
    if seen is None or not batch.updates:
        return
    last = batch.updates[-1]
    laid = last.game.state.plays
    newest = laid[-1].play if laid and last.kind is UpdateKind.PLAY else ()
    squares = frozenset((tile.row, tile.column) for tile in newest)
    picture = draw_tokens(seen.rectified, seen.decoded.board.rows, seen.decoded.confidence, squares)
    write_picture(folder / f"{number:03d}-{last.kind.value}.jpg", picture)


def draw_summary(path: Path, last: UpdateBatch, game: Game) -> None:
    """The pipeline in one picture: the photo with its grid, the board as read, the score sheet."""
    from tilesight.output import score_sheet
    from vision.core import write_picture
    from vision.drawing import draw_grid, draw_lines, draw_tokens, stack_panels

    assert last.observation is not None
    seen = last.observation
    laid = game.state.plays[-1].play if game.state.plays else ()
    newest = frozenset((tile.row, tile.column) for tile in laid)
    panels = [
        ("1  the grid in the photo", draw_grid(seen.frame.image_bgr, seen.grid)),
        (
            "2  straightened and read",
            draw_tokens(seen.rectified, seen.decoded.board.rows, seen.decoded.confidence, newest),
        ),
        ("3  scored", draw_lines(score_sheet(game), height_px=760)),
    ]
    write_picture(path, stack_panels(panels))
