"""`tilesight watch`: a filmed game to moves and scores."""

from __future__ import annotations

import enum
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vision.cli.options import CornersOption, EditionOption, ReaderName, ReaderOption, parse_corners
from vision.errors import ExitCode

if TYPE_CHECKING:
    from scoring.game import Game
    from vision.happenings import Happening
    from vision.photo import Reader
    from vision.sighting import Sighting

__all__ = ["watch"]


class Every(enum.StrEnum):
    """What one picture of the source is."""

    FRAME = "frame"
    TURN = "turn"


class WatchFormat(enum.StrEnum):
    """What events are printed as."""

    TEXT = "text"
    JSON = "json"


def watch(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A camera number, a film, a folder of pictures, an rtsp:// or http:// stream.",
        ),
    ],
    edition: EditionOption = "english",
    players: Annotated[
        str, typer.Option(metavar="A,B", help="One to four names, in the order of play.")
    ] = "A,B",
    every: Annotated[
        Every, typer.Option(help="Whether each picture is a frame or a finished turn.")
    ] = Every.FRAME,
    corners: CornersOption = None,
    reader: ReaderOption = ReaderName.NETWORK,
    out: Annotated[Path | None, typer.Option(metavar="GAME.gcg", help="Keep the game in this file.")] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Draw the last board, how it was read, and the scores.")
    ] = None,
    fps: Annotated[
        float | None, typer.Option(min=0.1, max=1000, help="Frames a second of a folder's pictures.")
    ] = None,
    format_name: Annotated[
        WatchFormat, typer.Option("--format", "-f", help="How events are printed.")
    ] = WatchFormat.TEXT,
) -> None:
    """Follow a filmed game: print each move with its score as soon as it is seen.

    Example: tilesight watch photos/ --every turn --edition icelandic --players Anna,Jón --out game.gcg
    """
    corners_px = parse_corners(corners)
    names = tuple(name.strip() for name in players.split(","))
    from scoring import load_edition
    from scoring.game import Game

    game = Game(edition=load_edition(edition), players=names)
    from vision.happenings import HappeningKind
    from vision.photo import load_reader

    cells = load_reader(reader.value, game.edition)
    sightings = (
        turns(source, game, cells, corners_px)
        if every is Every.TURN
        else film(source, game, cells, corners_px, fps)
    )
    last: Sighting | None = None
    unread = False
    for sighting in sightings:
        for happening in sighting.happenings:
            announce(happening, sighting, format_name)
        game = sighting.happenings[-1].game
        unread |= any(happening.kind is HappeningKind.UNREADABLE for happening in sighting.happenings)
        last = sighting if sighting.view is not None else last
        if out is not None:
            keep(game, out)
    announce_end(game, format_name)
    if picture is not None and last is not None:
        draw_summary(picture, last, game)
    if unread:
        raise typer.Exit(ExitCode.INPUT)


def turns(
    source: str, game: Game, reader: Reader, corners_px: list[tuple[float, float]] | None
) -> Iterator[Sighting]:
    """Follows a folder of pictures, one a turn."""
    from vision.capture import list_pictures
    from vision.session import watch_turns

    return watch_turns(list_pictures(Path(source)), game, reader, corners_px=corners_px)


def film(
    source: str,
    game: Game,
    reader: Reader,
    corners_px: list[tuple[float, float]] | None,
    fps: float | None,
) -> Iterator[Sighting]:
    """Follows a film."""
    from vision.capture import open_source
    from vision.film import watch_film

    return watch_film(open_source(source, fps).frames(), game, reader, corners_px=corners_px)


def announce(happening: Happening, sighting: Sighting, format_name: WatchFormat) -> None:
    """Prints one event at once; what went wrong also goes to standard error."""
    from vision.announce import event_of, line_of

    if happening.step is None:
        print(f"tilesight: {line_of(happening, sighting.source)}", file=sys.stderr, flush=True)
    elif format_name is WatchFormat.TEXT:
        print(line_of(happening, sighting.source), flush=True)
    if format_name is WatchFormat.JSON:
        print(
            json.dumps(
                event_of(happening, sighting.source, sighting.index, sighting.time_s), ensure_ascii=False
            ),
            flush=True,
        )


def announce_end(game: Game, format_name: WatchFormat) -> None:
    """Prints the totals."""
    from vision.announce import end_event

    if format_name is WatchFormat.JSON:
        print(json.dumps(end_event(game), ensure_ascii=False), flush=True)
    else:
        print(
            "total: "
            + ", ".join(f"{name} {total}" for name, total in zip(game.players, game.totals, strict=True))
        )


def keep(game: Game, out: Path) -> None:
    """Writes the game file as it stands, whole at every moment."""
    from scoring.gcg import format_gcg
    from vision.outputs import write_file

    write_file(out, format_gcg(game).encode())


def draw_summary(path: Path, last: Sighting, game: Game) -> None:
    """The pipeline in one picture: the photo with its grid, the board as read, the score sheet."""
    from vision.announce import score_sheet
    from vision.draw import draw_grid, draw_lines, draw_tokens, stack_panels
    from vision.outputs import write_picture

    assert last.view is not None
    seen = last.view
    laid = game.state.laid[-1].play if game.state.laid else ()
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
