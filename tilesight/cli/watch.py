"""`tilesight watch`: follow a filmed game, and print moves and scores."""

from __future__ import annotations

import contextlib
import enum
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring import TOURNAMENT
from tilesight.cli.messages import ASSUMED_EDITION, say
from tilesight.cli.options import (
    CornersOption,
    ForceOption,
    GameFormat,
    JournalOption,
    LexiconOption,
    ProfileOption,
    ReaderName,
    ReaderOption,
    Settlement,
    edition_option,
    flag_option,
    load_profile_option,
    parse_corners,
    path_option,
)
from tilesight.cli.signals import interrupted_by_signals
from tilesight.cli.watching import GameFile, WatchReport, check_outputs, check_same_game, choose_video
from vision.errors import SettingsError

if TYPE_CHECKING:
    from scoring import Game
    from tilesight.cli.keyboard import CommandInput
    from tilesight.live import LiveGame
    from vision.capture import Frame
    from vision.game_events import UpdateBatch
    from vision.pipeline import GameContext

__all__ = ["watch"]


class Every(enum.StrEnum):
    """What one picture of the source shows."""

    FRAME = "frame"
    TURN = "turn"


def watch(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A camera number, a video, a folder of pictures, or the address of a stream: rtsp://, http://, "
            "rtmp://, udp:// or tcp://.",
        ),
    ],
    edition: Annotated[
        str | None,
        edition_option(
            "A shipped edition (icelandic, hungarian, ...) or an edition file; english by default."
        ),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="One to four names, in the order of play; A,B by default."),
    ] = None,
    settlement: Annotated[
        Settlement,
        typer.Option(help="How tiles left count: as the edition says, or as in tournaments of two players."),
    ] = Settlement.EDITION,
    every: Annotated[
        Every, typer.Option(help="Whether each picture is a frame or a finished turn.")
    ] = Every.FRAME,
    corners: CornersOption = None,
    profile: ProfileOption = None,
    reader: ReaderOption = ReaderName.NETWORK,
    lexicon: LexiconOption = None,
    journal: JournalOption = None,
    out: Annotated[
        Path | None, path_option(metavar="GAME.gcg", help="Keep the game in this file, in GCG.")
    ] = None,
    picture: Annotated[
        Path | None, path_option(metavar="OUT", help="Draw the last board, how it was read, and the scores.")
    ] = None,
    evidence: Annotated[
        Path | None, path_option(metavar="FOLDER", help="Save a small picture of the board for each move.")
    ] = None,
    video: Annotated[
        Path | None,
        path_option(
            metavar="OUT.mp4",
            help="Record the video with the board, the newest tiles and the score drawn into it.",
        ),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(
            min=0.1, max=1000, help="Frames a second of a folder, a time lapse or a film with wrong times."
        ),
    ] = None,
    commands: Annotated[
        bool,
        flag_option("--commands", "Take commands (pass, challenge, correct ...) from standard input."),
    ] = False,
    view: Annotated[bool, flag_option("--view", "Show the game live in the terminal.")] = False,
    format_name: Annotated[
        GameFormat, typer.Option("--format", "-f", help="How events are printed.")
    ] = GameFormat.TEXT,
    force: ForceOption = False,
) -> None:
    """Follow a filmed game, and print each move with its score as soon as it is seen.

    Example: tilesight watch game.mp4 --edition icelandic --players Anna,Jón --out game.gcg --journal game.db

    A game with a journal is resumed by the same command.
    """
    if view and format_name is GameFormat.JSON:
        raise SettingsError("--view --format json: the view fills the terminal; choose one of them")
    if every is Every.TURN:
        check_turn_options(commands=commands, view=view, video=video, fps=fps)
    check_outputs(source, journal, out, picture, evidence, video, force=force)
    from tilesight.api import load_context
    from tilesight.live import answer_commands, is_begun

    if video is not None and not force and is_begun(journal):
        video = choose_video(video)

    with contextlib.ExitStack() as stack:
        is_assumed = edition is None and not is_begun(journal)
        game = stack.enter_context(open_watched_game(source, edition, players, journal, settlement))
        if out is not None and not force:
            check_same_game(out, game.state.game)
        options = WatchOptions(
            source=source,
            fps=fps,
            corners_px=parse_corners(corners),
            context=load_context(
                game.state.edition,
                reader=reader.value,
                lexicon=lexicon,
                profile=load_profile_option(profile),
                notify=say,
            ),
            commands=commands,
            view=view,
            video=video,
        )
        report = WatchReport(
            game,
            out=None if out is None else GameFile(out, keep=not force, earlier=list_states(game)),
            picture=picture,
            evidence=evidence,
            as_json=format_name is GameFormat.JSON,
        )
        follow = follow_turns if every is Every.TURN else follow_frames
        stack.enter_context(interrupted_by_signals())
        try:
            for batch in follow(options, game, report, stack):
                if is_assumed:
                    say(ASSUMED_EDITION)
                    is_assumed = False
                report.add(batch)
        except KeyboardInterrupt:  # the usual end of a camera
            for batch in answer_commands(game, report.commands):
                report.add(batch)
            report.finish()
            raise
        code = report.finish()
    if code is not None:
        raise typer.Exit(code)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """What is watched, how it is read, and what shows it while it runs."""

    source: str
    fps: float | None
    corners_px: list[tuple[float, float]] | None
    context: GameContext
    commands: bool
    view: bool
    video: Path | None


def check_turn_options(*, commands: bool, view: bool, video: Path | None, fps: float | None) -> None:
    """Check that no option is given that photos of turns do not have.

    Raises
    ------
    SettingsError
        If one is.
    """
    if video is not None:
        raise SettingsError("--video: photos of turns are no film; --evidence saves a picture of each move")
    if fps is not None:
        raise SettingsError("--fps: photos of turns have no time; leave it out")
    if commands or view:
        raise SettingsError(
            f"--{'view' if view else 'commands'}: photos of turns are read at once; leave it out, or record them with "
            "--journal, and open that with 'tilesight serve --journal FILE' and the same --edition and --players"
        )


def open_watched_game(
    source: str,
    edition: str | None,
    players: str | None,
    journal: Path | None,
    settlement: Settlement = Settlement.EDITION,
) -> LiveGame:
    """Open a new game, or resume that of the journal; it continues while the journal cannot be written.

    Raises
    ------
    SettingsError
        If the players are none, or the journal's game is another one.
    """
    from tilesight.live import find_other_score, is_begun, open_game
    from tilesight.output import format_totals
    from vision.game_events import find_players_problem

    names = None if players is None else [name.strip() for name in players.split(",")]
    if names is not None and (problem := find_players_problem(names)):
        raise SettingsError(f"--players: {problem}")
    is_of_tournament = settlement is Settlement.TOURNAMENT
    if is_of_tournament and (edition is not None or not is_begun(journal)):
        edition = f"{edition or 'english'}{TOURNAMENT}"
    game = open_game(
        "game",
        journal,
        edition=edition,
        players=names,
        source=source,
        has_operator=False,
        on_write_error=lambda error: say(f"{error}; the game goes on"),
    )
    if is_of_tournament and not game.state.edition.end.out_doubles:
        game.close()
        raise SettingsError(
            f"--settlement tournament: the game in {journal} was begun without it; leave it out, or name another file"
        )
    if game.journal is not None and game.journal.entries:
        state = game.state.game
        say(f"the game goes on after {len(state.events)} events: {format_totals(state)}")
        if other_score := find_other_score(game.journal.history(game.state.edition)):
            say(other_score)
    return game


def list_states(game: LiveGame) -> Iterator[Game]:
    """List what a resumed game was, as its file may hold it: without a provisional play, and with it."""
    for _, state in game.loaded_states:
        yield state.standing_game
        yield state.game


def follow_turns(
    options: WatchOptions, game: LiveGame, _: WatchReport, __: contextlib.ExitStack
) -> Iterator[UpdateBatch]:
    """Follow a folder of pictures, one of each turn.

    Raises
    ------
    SettingsError
        If the source is a camera or a stream.
    """
    from tilesight.live import follow_photos

    if options.source.isdecimal() or "://" in options.source:
        raise SettingsError(
            "--every turn: the source is a camera or a stream; name a folder, one photo a turn, or leave it out"
        )
    yield from follow_photos(
        game, Path(options.source), options.context, corners_px=options.corners_px, notify=say
    )


def follow_frames(
    options: WatchOptions, game: LiveGame, report: WatchReport, stack: contextlib.ExitStack
) -> Iterator[UpdateBatch]:
    """Follow a video, a camera or a stream."""
    from tilesight.cli.keyboard import CommandInput
    from tilesight.live import attach_source, explain_no_play, follow_video
    from vision.capture import open_source

    source = open_source(options.source, options.fps)
    frames = attach_source(game, source, options.context, corners_px=options.corners_px, notify=say)
    stack.enter_context(contextlib.closing(frames))  # type: ignore[type-var]  # ends a camera's thread
    console = stack.enter_context(CommandInput(sys.stdin)) if options.commands or options.view else None
    viewers = open_viewers(options, game, report, source.name, stack, console)

    def show(frame: Frame) -> None:
        for viewer in viewers:
            viewer(frame)

    if console is not None:
        report.commands = console.commands
    yield from follow_video(game, frames, report.commands, show)
    explain_no_play(source, game, say)


def open_viewers(
    options: WatchOptions,
    game: LiveGame,
    report: WatchReport,
    source: str,
    stack: contextlib.ExitStack,
    console: CommandInput | None,
) -> list[Callable[[Frame], None]]:
    """Open the terminal view and the annotated video, as far as they are wanted."""
    assert game.tracker is not None
    tracker = game.tracker
    viewers: list[Callable[[Frame], None]] = []
    if options.video is not None:
        from tilesight.output import AnnotatedVideoWriter

        writer = stack.enter_context(AnnotatedVideoWriter(options.video))
        viewers.append(lambda frame: writer.add(frame, tracker.grid, tracker.game))
    if options.view:
        from tilesight.output import TerminalView

        typed = (lambda: console.typed) if console is not None else (lambda: None)
        terminal = stack.enter_context(TerminalView(source, typed=typed))
        report.terminal = terminal
        viewers.append(lambda frame: terminal.show_frame(frame.time_s, tracker.state, tracker.game))
    return viewers
