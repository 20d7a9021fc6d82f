"""`tilesight serve`: tables on air, with overlay pages for streams and a console for their operator."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tilesight.cli.messages import say
from tilesight.cli.options import (
    CornersOption,
    LexiconOption,
    ProfileOption,
    ReaderName,
    ReaderOption,
    load_known,
    parse_corners,
)
from vision.errors import SettingsError

if TYPE_CHECKING:
    from tilesight.live import GameSettings, LiveGame, RackWorker, VideoWorker
    from tilesight.web import Calibrator
    from vision.profile import Profile

__all__ = ["serve"]

TOKEN_VARIABLE = "TILESIGHT_TOKEN"


OF_A_TABLE = ("edition", "players", "clock", "title", "corners", "profile", "lexicon")
"""Options that a file with tables has for each of them."""


def serve(
    context: typer.Context,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[SOURCE]",
            help="A camera number, a film, a folder of pictures, a stream; without one, moves are typed in.",
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="TABLES.toml", help="Several tables, each with its own settings.")
    ] = None,
    edition: Annotated[
        str,
        typer.Option("--edition", "-e", metavar="NAME|FILE", help="A shipped edition, or an edition file."),
    ] = "english",
    players: Annotated[
        str, typer.Option(metavar="A,B", help="One to four names, in the order of play.")
    ] = "A,B",
    journal: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep every event in this file, and go on with the game in it."),
    ] = None,
    clock: Annotated[
        str | None, typer.Option(metavar="25:00", help="Minutes and seconds on each clock.")
    ] = None,
    title: Annotated[str, typer.Option(help="The line for viewers.")] = "",
    corners: CornersOption = None,
    profile: ProfileOption = None,
    lexicon: LexiconOption = None,
    reader: ReaderOption = ReaderName.NETWORK,
    fields: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write every text field to files there, too.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 for the whole network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 8000,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name by which this machine is called; may be given again."),
    ] = None,
) -> None:
    """Put games on air: overlay pages for OBS, text fields, and a console that corrects what the camera misread.

    Example: tilesight serve 0 --edition english --players Anna,Jón --journal final.db --clock 25:00

    The console's token is printed at the start; the environment variable TILESIGHT_TOKEN gives one to keep.
    """
    missing = [name for name in ("fastapi", "uvicorn") if importlib.util.find_spec(name) is None]
    if missing:
        raise SettingsError(f"serve needs {' and '.join(missing)}; run pip install 'tilesight[all]'")
    from tilesight.live import GameSettings, load_tables, parse_clock

    if config is not None:
        if source is not None or journal is not None:
            raise SettingsError(f"--config {config}: it names sources and journals; leave them out here")
        for name in OF_A_TABLE:
            given = context.get_parameter_source(name)
            if given is not None and given.name == "COMMANDLINE":
                raise SettingsError(
                    f"--{name} with --config {config}: the file says it for each table; write {name} there"
                )
        wanted = load_tables(config)
    else:
        pairs = parse_corners(corners)
        wanted = (
            GameSettings(
                name="table",
                source=source,
                edition=edition,
                players=tuple(name.strip() for name in players.split(",")),
                journal=journal,
                title=title,
                clock_s=parse_clock(clock) if clock is not None else None,
                lexicon=lexicon,
                corners_px=tuple(pairs) if pairs is not None else None,
                profile=profile,
            ),
        )
    with contextlib.ExitStack() as stack:
        put_on_air(wanted, reader, fields, (host, port), allow_host or [], stack)


def put_on_air(
    wanted: Sequence[GameSettings],
    reader: ReaderName,
    fields: Path | None,
    address: tuple[str, int],
    names: Sequence[str],
    stack: contextlib.ExitStack,
) -> None:
    """Opens every table, follows its source, and answers requests until the program is stopped."""
    from tilesight.live import FieldFiles, VideoWorker
    from tilesight.web import ConsoleToken, listening_socket, make_app, run_server

    token = ConsoleToken(os.environ.get(TOKEN_VARIABLE))
    sock = stack.enter_context(contextlib.closing(listening_socket(*address)))
    tables = [seated(settings, stack) for settings in wanted]
    if fields is not None:
        stack.enter_context(FieldFiles(fields, tables, say))
    hosts = {"localhost", address[0], socket.gethostname(), *names}
    followers = [
        follower
        for table, settings in zip(tables, wanted, strict=True)
        for follower in followed(table, settings, reader)
    ]
    calibrators = {
        settings.name: calibrated(settings, follower, reader)
        for settings in wanted
        for follower in followers
        if isinstance(follower, VideoWorker) and follower.name == settings.name
    }
    app = make_app(tables, token, hosts=hosts, notify=say, calibrators=calibrators)

    def ready() -> None:
        port = sock.getsockname()[1]
        shown = address[0] if address[0] not in ("0.0.0.0", "::") else socket.gethostname()
        place = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"
        print(f"pages:   {place}/", flush=True)
        print(f"console: {place}/console#{token.text}", flush=True)
        for follower in followers:
            follower.start()

    try:
        run_server(app, sock, ready)
    finally:
        for follower in followers:
            follower.stop()


def seated(settings: GameSettings, stack: contextlib.ExitStack) -> LiveGame:
    """A table with its journal: a new game, or the journal's as it stands."""
    from scoring import Game, load_edition
    from tilesight.live import Journal, LiveGame

    path = settings.journal
    if path is None:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tilesight-"))
        path = Path(folder) / "game.db"
        say(f"table {settings.name}: no journal is named, so the game is gone when the program ends")
    # A game that cannot begin must not leave a journal behind.
    Game(edition=load_edition(settings.edition), players=settings.players)
    journal = stack.enter_context(
        Journal.open(path, edition=settings.edition, players=settings.players, source=settings.source or "")
    )
    for what, given, there in (
        ("edition", settings.edition, journal.edition),
        ("players", settings.players, journal.players),
    ):
        if given != there and not (what == "edition" and is_same_file(str(given), str(there))):
            shown = there if isinstance(there, str) else ",".join(there)
            raise SettingsError(f"{path}: a journal of another game ({what}: {shown}); name another file")
    return LiveGame(
        settings.name,
        load_edition(settings.edition),
        journal,
        clock_s=settings.clock_s,
        title=settings.title,
        rack_delay_s=settings.rack_delay_s,
    )


def is_same_file(one: str, other: str) -> bool:
    """Whether two editions are one file, however it is named."""
    return one.endswith(".toml") and other.endswith(".toml") and Path(one).resolve() == Path(other).resolve()


def followed(table: LiveGame, settings: GameSettings, reader: ReaderName) -> list[VideoWorker | RackWorker]:
    """What follows the table's camera, and its racks, if it has any."""
    from scoring import load_lexicon
    from tilesight.live import RackWorker, VideoWorker
    from vision.pipeline import GameContext, load_recognizer

    edition = table.state.edition
    words = load_lexicon(settings.lexicon, edition.tokens) if settings.lexicon is not None else None

    known = None
    if settings.source is not None and settings.profile is not None and not settings.profile.exists():
        say(f"table {settings.name}: {settings.profile} is not there yet; the page /calibrate makes it")
    else:
        known = load_known(settings.profile)

    def load_context() -> GameContext:
        recognizer = load_recognizer(reader.value, edition, notify=say, profile=known)
        return GameContext(edition=edition, recognizer=recognizer, lexicon=words, profile=known)

    found: list[VideoWorker | RackWorker] = []
    if settings.source is not None:
        found.append(VideoWorker(table, settings, load_context, notify=say))
    if any(settings.racks_px):
        found.append(RackWorker(table, settings, load_context, notify=say))
    return found


def calibrated(settings: GameSettings, follower: VideoWorker, reader: ReaderName) -> Calibrator:
    """What calibrates a table's camera for its page."""
    from calibration.session import CalibrationSession
    from scoring import load_edition, load_lexicon
    from vision.pipeline import GameContext, load_recognizer

    edition = load_edition(settings.edition)
    path = settings.profile or Path(f"{settings.name}.profile.json")

    def use(profile: Profile) -> None:
        def load_context() -> GameContext:
            words = load_lexicon(settings.lexicon, edition.tokens) if settings.lexicon is not None else None
            recognizer = load_recognizer(reader.value, edition, notify=say, profile=profile)
            return GameContext(edition=edition, recognizer=recognizer, lexicon=words, profile=profile)

        follower.use(profile, load_context)

    return CalibrationSession(
        path,
        edition,
        look=lambda: follower.newest,
        check=lambda: follower.check_profile(path),
        use=use,
    )
