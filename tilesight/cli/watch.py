"""`tilesight watch`: a filmed game to moves and scores."""

from __future__ import annotations

import contextlib
import enum
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tilesight.cli.messages import say
from tilesight.cli.options import (
    CornersOption,
    GameFormat,
    LexiconOption,
    ProfileOption,
    ReaderName,
    ReaderOption,
    load_known,
    parse_corners,
)
from vision.errors import ExitCode, SettingsError

if TYPE_CHECKING:
    from scoring import Game
    from tilesight.live import Journal
    from tilesight.output import Terminal
    from vision.game_events import UpdateBatch
    from vision.pipeline import GameContext, VideoTracker
    from vision.profile import Profile
    from vision.tracking import BoardThumbnail

__all__ = ["watch"]


class Every(enum.StrEnum):
    """What one picture of the source is."""

    FRAME = "frame"
    TURN = "turn"


def watch(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A camera number, a film, a folder of pictures, an rtsp:// or http:// stream.",
        ),
    ],
    edition: Annotated[
        str | None,
        typer.Option(
            "--edition",
            "-e",
            metavar="NAME|FILE",
            help="A shipped edition (icelandic, hungarian, ...) or an edition file; english by default.",
        ),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="One to four names, in the order of play; A,B by default."),
    ] = None,
    every: Annotated[
        Every, typer.Option(help="Whether each picture is a frame or a finished turn.")
    ] = Every.FRAME,
    corners: CornersOption = None,
    profile: ProfileOption = None,
    reader: ReaderOption = ReaderName.NETWORK,
    lexicon: LexiconOption = None,
    journal: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep every event in this file, and go on with the game in it."),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="GAME.gcg", help="Keep the game in this file.")] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Draw the last board, how it was read, and the scores.")
    ] = None,
    evidence: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Save a small picture of the board for each move.")
    ] = None,
    video: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.mp4", help="Record the film with the board, the newest tiles and the score."
        ),
    ] = None,
    fps: Annotated[
        float | None, typer.Option(min=0.1, max=1000, help="Frames a second of a folder's pictures.")
    ] = None,
    commands: Annotated[
        bool,
        typer.Option("--commands", help="Take commands (pass, challenge, correct ...) from standard input."),
    ] = False,
    view: Annotated[bool, typer.Option("--view", help="Show the game live in the terminal.")] = False,
    format_name: Annotated[
        GameFormat, typer.Option("--format", "-f", help="How events are printed.")
    ] = GameFormat.TEXT,
) -> None:
    """Follow a filmed game: print each move with its score as soon as it is seen.

    Example: tilesight watch game.mp4 --edition icelandic --players Anna,Jón --out game.gcg --journal game.db

    A journal can be gone on with: run the same command again.
    """
    if view and format_name is GameFormat.JSON:
        raise SettingsError("--view --format json: the view fills the terminal; choose one of them")
    from vision.core import check_folder, check_picture_path

    if out is not None:
        check_folder(out)
    if picture is not None:
        check_picture_path(picture)
    if video is not None:
        if every is Every.TURN:
            raise SettingsError(
                "--video: photos of turns are no film; --evidence saves a picture of each move"
            )
        from tilesight.output import check_film_path

        check_film_path(video)
    if evidence is not None:
        check_folder(evidence / "001.jpg")
    with contextlib.ExitStack() as stack:
        table = seated(source, edition, players, journal, stack)
        known = load_known(profile)
        wanted = Wanted(
            source=source,
            fps=fps,
            corners_px=parse_corners(corners),
            context=load_context(reader, table.game, known, lexicon),
            commands=commands,
        )
        batches = turns(wanted, table) if every is Every.TURN else film(wanted, table, view, video, stack)
        report(batches, table, Sinks(out=out, picture=picture, evidence=evidence, format_name=format_name))


@dataclass(slots=True, kw_only=True)
class Table:
    """The game that is followed, and where it is kept."""

    game: Game
    journal: Journal | None
    fingerprint: Callable[[str], str] = lambda _: ""
    """What tells the file of a picture or film from all others, by its name."""
    journalled: Game | None = None
    """The game as the journal has it; behind `game` while the journal cannot be written."""
    unwritten: list[dict[str, Any]] = field(default_factory=list)
    watch: VideoTracker | None = None
    terminal: Terminal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is watched, and how it is read."""

    source: str
    fps: float | None
    corners_px: list[tuple[float, float]] | None
    context: GameContext
    commands: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sinks:
    """What is written, and where."""

    out: Path | None
    picture: Path | None
    evidence: Path | None
    format_name: GameFormat


def seated(
    source: str, edition: str | None, players: str | None, journal: Path | None, stack: contextlib.ExitStack
) -> Table:
    """A new game, or the journal's as it stands."""
    from scoring import Game, load_edition
    from tilesight.live import Journal

    names = tuple(name.strip() for name in players.split(",")) if players is not None else None
    if journal is None:
        game = Game(edition=load_edition(edition or "english"), players=names or ("A", "B"))
        return Table(game=game, journal=None)
    # A game that cannot begin must not leave a journal behind.
    fresh = Game(edition=load_edition(edition or "english"), players=names or ("A", "B"))
    kept = stack.enter_context(
        Journal.open(journal, edition=edition or "english", players=fresh.players, source=source)
    )
    for what, given, there in (("edition", edition, kept.edition), ("players", names, kept.players)):
        if given is not None and given != there:
            shown = there if isinstance(there, str) else ",".join(there)
            raise SettingsError(f"{journal}: a journal of another game ({what}: {shown}); name another file")
    game = kept.game(load_edition(kept.edition))
    if kept.entries:
        totals = ", ".join(f"{n} {t}" for n, t in zip(game.players, game.totals, strict=True))
        say(f"the game goes on after {len(game.events)} events: {totals}")
    return Table(game=game, journal=kept)


def load_context(
    reader: ReaderName, game: Game, profile: Profile | None, lexicon: Path | None
) -> GameContext:
    """What the pictures are read with."""
    from scoring import load_lexicon
    from vision.pipeline import GameContext, load_recognizer

    edition = game.edition
    return GameContext(
        edition=edition,
        recognizer=load_recognizer(reader.value, edition, notify=say, profile=profile),
        lexicon=load_lexicon(lexicon, edition.tokens) if lexicon is not None else None,
        profile=profile,
    )


def turns(wanted: Wanted, table: Table) -> Iterator[UpdateBatch]:
    """Follows a folder of pictures, one a turn."""
    from tilesight.live import known_footage
    from vision.capture import PictureFolder, list_pictures
    from vision.pipeline import track_photos

    if wanted.source.isdecimal() or "://" in wanted.source:
        raise SettingsError(
            f"--every turn: {wanted.source} is a camera or a stream; name a folder, one photo a turn, or leave it out"
        )
    pictures = list_pictures(Path(wanted.source))
    source = PictureFolder(path=Path(wanted.source))
    footage = known_footage(source, table.journal)
    if footage.message:
        say(footage.message)
    table.fingerprint = source.fingerprint
    batches = track_photos(
        pictures,
        table.game,
        wanted.context,
        corners_px=wanted.corners_px,
        after=footage.known,
        may_replay=footage.may_replay,
    )
    profile = wanted.context.profile
    return batches if profile is None else told_of_other_cameras(batches, pictures, profile)


def told_of_other_cameras(
    batches: Iterator[UpdateBatch], pictures: Sequence[Path], profile: Profile
) -> Iterator[UpdateBatch]:
    """The sightings, with a line for the first picture of each camera that is not the profile's."""
    from vision.capture import read_bytes, read_metadata

    told = {""}
    for batch in batches:
        picture = pictures[batch.index]
        if batch.observation is not None:
            message = profile.mismatch_message(read_metadata(read_bytes(picture)).camera)
            if message not in told:
                told.add(message)
                say(f"{picture}: {message}")
        yield batch


def film(
    wanted: Wanted, table: Table, view: bool, video: Path | None, stack: contextlib.ExitStack
) -> Iterator[UpdateBatch]:
    """Follows a film, a camera or a stream."""
    from tilesight.cli.keyboard import CommandInput
    from tilesight.live import known_footage
    from vision.capture import open_source
    from vision.pipeline import VideoTracker, track_video

    source = open_source(wanted.source, wanted.fps)
    # A recorded film goes on where the journal ends; a camera shows what is now.
    footage = known_footage(source, table.journal)
    if footage.message:
        say(footage.message)
    table.fingerprint = source.fingerprint
    frames = source.frames(footage.known)
    profile = wanted.context.profile
    if profile is not None and profile.depends_on_size:
        from vision.pipeline import calibrated_frames

        if wanted.corners_px is not None and profile.lens is not None:
            raise SettingsError(
                "--corners: the profile's lens moves every pixel of a film; leave it out, or calibrate the board"
            )
        frames = calibrated_frames(frames, profile, table.game.edition.layout, say)
    watch = VideoTracker(
        table.game,
        wanted.context,
        corners_px=wanted.corners_px,
        last_event_s=footage.last_event_s,
        reference=seen_last(table),
        may_replay=footage.may_replay,
    )
    table.watch = watch
    console = stack.enter_context(CommandInput(sys.stdin)) if wanted.commands or view else None
    if view:
        from tilesight.output import Terminal

        table.terminal = stack.enter_context(Terminal(source.name))
        frames = table.terminal.following(frames, watch)
    if video is not None:
        from tilesight.output import AnnotatedVideoWriter

        frames = stack.enter_context(AnnotatedVideoWriter(video)).following(frames, watch)
    return track_video(frames, watch, console.commands if console is not None else None)


def seen_last(table: Table) -> BoardThumbnail | None:
    """How the board looked at the journal's last entry."""
    from vision.tracking import BoardThumbnail

    layout = table.game.edition.layout
    view = table.journal.view if table.journal is not None else b""
    return BoardThumbnail.from_bytes(view, layout.rows, layout.columns)


def report(batches: Iterator[UpdateBatch], table: Table, sinks: Sinks) -> None:
    """Journals, prints and keeps what is seen, in this order."""
    from tilesight.cli.reporting import (
        draw_summary,
        events_of,
        keep_game,
        print_end,
        print_json,
        print_text,
        save_evidence,
    )
    from vision.game_events import NoticeKind

    as_json = sinks.format_name is GameFormat.JSON
    last: UpdateBatch | None = None
    kinds: set[NoticeKind] = set()
    failed = False
    for batch in batches:
        events = events_of(batch)
        game = batch.game
        if table.journal is not None and (batch.updates or game is not table.game):
            write_down(table, batch, game, events)
        table.game = game
        if as_json:
            print_json(events)
        if table.terminal is not None:
            table.terminal.show(batch)
        else:
            print_text(batch, moves=not as_json)
        kinds.update(notice.kind for notice in batch.notices)
        last = batch if batch.observation is not None else last
        # A full disk must not end a game that is being played.
        if sinks.out is not None:
            failed |= not told_if_it_fails(partial(keep_game, game, sinks.out))
        if sinks.evidence is not None:
            failed |= not told_if_it_fails(partial(save_evidence, sinks.evidence, batch, len(game.events)))
    print_end(table.game, as_json=as_json)
    if sinks.picture is not None and last is not None:
        draw_summary(sinks.picture, last, table.game)
    if NoticeKind.UNREADABLE in kinds or failed or table.unwritten:
        raise typer.Exit(ExitCode.INPUT)
    never_found = table.watch is not None and table.watch.never_found
    if NoticeKind.BOARD_NOT_FOUND in kinds or never_found:
        raise typer.Exit(ExitCode.BOARD_NOT_FOUND)


def write_down(table: Table, batch: UpdateBatch, game: Game, events: list[dict[str, Any]]) -> None:
    """Journals what was seen, with what could not be written before; says so if it cannot be written now."""
    from tilesight.live import FrameRef

    assert table.journal is not None
    journal, before = table.journal, table.journalled or table.game
    place = FrameRef(
        frame=batch.index,
        time_s=batch.time_s or 0.0,
        file=batch.source,
        fingerprint=table.fingerprint(batch.source),
    )
    reference = table.watch.reference if table.watch is not None else None
    view = reference.to_bytes() if reference is not None else b""
    table.unwritten.extend(events)
    if told_if_it_fails(partial(journal.record, before, game, table.unwritten, place, view)):
        table.journalled, table.unwritten = game, []
    else:
        table.journalled = before


def told_if_it_fails(write: Callable[[], object]) -> bool:
    """Whether something could be written; if not, standard error says why."""
    from vision.errors import InputError

    try:
        write()
    except InputError as error:
        say(f"{error}; the game goes on")
        return False
    return True
