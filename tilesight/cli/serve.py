"""`tilesight serve`: overlay pages for streams, and a console for the operator, of one or more live games."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring import load_edition
from tilesight.cli.messages import say
from tilesight.cli.options import (
    CornersOption,
    JournalOption,
    LexiconOption,
    ProfileOption,
    ReaderName,
    ReaderOption,
    edition_option,
    flag_option,
    list_editions,
    parse_corners,
    path_option,
)
from tilesight.cli.serving import (
    ServedPlace,
    check_hosts,
    describe_phones,
    describe_place,
    describe_plain_pages,
    find_certificate,
    make_analyst,
    make_cameras,
    make_links,
    open_plain_socket,
    open_served_game,
    report_assumed_editions,
    report_shared_sources,
    start_webhook,
    state_folder,
)
from tilesight.cli.signals import interrupted_by_signals
from tilesight.languages import LANGUAGES
from vision.errors import SettingsError

if TYPE_CHECKING:
    from scoring import Edition
    from tilesight.live import GameSettings
    from tilesight.web import PhotoService, Publisher, RemoteTables, Webhook

__all__ = ["serve"]

TOKEN_VARIABLE = "TILESIGHT_TOKEN"
"""Environment variable with the console's token."""
WEBHOOK_VARIABLE = "TILESIGHT_WEBHOOK_SECRET"
"""Environment variable with the secret that signs what the webhook sends."""
LOCAL_OPTIONS = ("source", "config", "journal", "fields", "event", "webhook", "reader", "magpie")
"""Parameters for this machine's tables that are no keys of a table; a hub has none of either."""

TABLE_OPTIONS = ("source", "config", "journal", "players", "clock", "title")
"""Parameters with which there is a table, also where photos are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """What is served apart from tables: what reads photos, publishes, takes other machines' tables, sends events."""

    photos: PhotoService | None = None
    publisher: Publisher | None = None
    remote: RemoteTables | None = None
    max_viewers: int
    magpie: Path | None = None
    webhook: Webhook | None = None


def serve(
    context: typer.Context,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[SOURCE]",
            help="A camera number, a video, a folder of pictures, a stream, or the word phone: the console's QR code "
            "makes a phone the camera. Without one, moves are typed in.",
        ),
    ] = None,
    config: Annotated[
        Path | None, path_option(metavar="TABLES.toml", help="Several tables, each with its own settings.")
    ] = None,
    edition: Annotated[
        str,
        edition_option("A shipped edition, or an edition file."),
    ] = "english",
    players: Annotated[
        str, typer.Option(metavar="A,B", help="One to four names, in the order of play.")
    ] = "A,B",
    journal: JournalOption = None,
    clock: Annotated[
        str | None, typer.Option(metavar="25:00", help="Minutes and seconds on each clock.")
    ] = None,
    title: Annotated[str, typer.Option(help="The line for viewers.")] = "",
    corners: CornersOption = None,
    profile: ProfileOption = None,
    lexicon: LexiconOption = None,
    reader: ReaderOption = ReaderName.NETWORK,
    event: Annotated[
        Path | None,
        path_option(metavar="EVENT.toml", help="The director's file: round, matches, players, rules."),
    ] = None,
    webhook: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Send each event of the tables to this address, as JSON."),
    ] = None,
    fields: Annotated[
        Path | None,
        path_option(metavar="FOLDER", help="Also write every text field to files in this folder."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 for the whole network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 8000,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A further host name of this machine; may be repeated."),
    ] = None,
    tls: Annotated[
        str | None,
        typer.Option(metavar="self", help="self: encrypt with a certificate that Tilesight makes and keeps."),
    ] = None,
    tls_cert: Annotated[Path | None, path_option(metavar="FILE", help="A certificate, in PEM.")] = None,
    tls_key: Annotated[
        Path | None, path_option(metavar="FILE", help="The certificate's key, in PEM.")
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS", help="A proxy whose X-Forwarded-For and -Proto are believed; may be repeated."
        ),
    ] = None,
    delay: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="Seconds by which viewers see board, scores and clocks late."),
    ] = 0.0,
    rack_delay: Annotated[
        float, typer.Option(metavar="SECONDS", help="Seconds before viewers see a rack.")
    ] = 30.0,
    language: Annotated[
        str,
        typer.Option(
            metavar="LANGUAGE",
            help=f"The language of the pages: {', '.join(LANGUAGES)}; without it, the edition's, or English.",
        ),
    ] = "",
    magpie: Annotated[
        Path | None,
        path_option(metavar="PROGRAM", help="MAGPIE, which you have built; by default the one on PATH."),
    ] = None,
    magpie_lexicon: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="MAGPIE's name for the word list, such as CSW24; without it, MAGPIE is not asked.",
        ),
    ] = "",
    photos: Annotated[
        bool,
        flag_option(
            "--photos",
            "Also read photos that browsers send; without a source, players, a clock, a title or a journal, there "
            "is no table.",
        ),
    ] = False,
    publish: Annotated[
        str | None,
        typer.Option(
            metavar="BROKER", help="Publish the tables to an MQTT broker: HOST, or mqtts://HOST for TLS."
        ),
    ] = None,
    hub: Annotated[
        str | None,
        typer.Option(metavar="BROKER", help="Show the tables that all machines publish to this MQTT broker."),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="This machine's name on the hub; its host name by default."),
    ] = None,
    broker_login: Annotated[
        Path | None,
        path_option(
            metavar="FILE", help="A file with the broker's user in line 1 and the password in line 2."
        ),
    ] = None,
    broker_ca: Annotated[
        Path | None, path_option(metavar="FILE", help="The authority of the broker's certificate, in PEM.")
    ] = None,
    max_viewers: Annotated[
        int, typer.Option(metavar="N", min=1, max=100_000, help="Viewers at once.")
    ] = 1000,
) -> None:
    """Serve live games: overlay pages for OBS, text fields, and a console for corrections.

    Example: tilesight serve 0 --edition english --players Anna,Jón --journal final.db --clock 25:00

    The console's address signs one browser in. The access token, printed too, signs in others; TILESIGHT_TOKEN in the
    environment sets one.
    TILESIGHT_BROKER_USER and TILESIGHT_BROKER_PASSWORD are the login of a broker.
    """
    for name in ("babel", "cryptography", "fastapi", "paho", "segno", "uvicorn"):
        if importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(name=name)
    from tilesight.live import GameSettings, parse_clock

    tables: tuple[GameSettings, ...]
    if not has_own_tables(context, photos=photos, hub=hub):
        tables = ()
    elif config is None:
        pairs = parse_corners(corners)
        settings = GameSettings(
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
            delay_s=delay,
            rack_delay_s=rack_delay,
            language=language,
            magpie_lexicon=magpie_lexicon,
            is_edition_named=is_on_command_line(context, "edition"),
        )
        tables = (settings,)
    else:
        tables = load_config(config, context, has_source=source is not None or journal is not None)
    from tilesight.web import PhotoService, Webhook, open_broker

    with interrupted_by_signals(), contextlib.ExitStack() as stack:
        names, proxies = check_hosts(allow_host or (), proxy or ())
        place = ServedPlace(
            host=host,
            port=port,
            names=names,
            proxies=proxies,
            certificate=find_certificate(tls, tls_cert, tls_key, {host, *names}),
        )
        publisher, remote = open_broker(
            publish, hub, machine=machine, login=broker_login, authority=broker_ca, notify=say
        )
        extras = Extras(
            photos=PhotoService(list_photo_editions(tables, edition)) if photos else None,
            publisher=publisher,
            remote=remote,
            max_viewers=max_viewers,
            magpie=magpie,
            webhook=None
            if webhook is None
            else Webhook(webhook, secret=os.environ.get(WEBHOOK_VARIABLE, ""), notify=say),
        )
        serve_games(tables, reader, fields, event, place, extras, stack)


def has_own_tables(context: typer.Context, *, photos: bool, hub: str | None) -> bool:
    """Check whether there are tables of this machine.

    Raises
    ------
    SettingsError
        If there are none, and the command line has an option for them.
    """
    from tilesight.live import TABLE_KEYS

    if hub is None and (not photos or find_given(context, TABLE_OPTIONS) is not None):
        return True
    if hub is None:
        names = (*LOCAL_OPTIONS, "publish", *(key for key in TABLE_KEYS if key != "edition"))
    else:
        names = (*LOCAL_OPTIONS, *TABLE_KEYS)
    if (given := find_given(context, names)) is None:
        return False
    if hub is None:
        raise SettingsError(
            f"--{given}: is for a table, and there is none; leave it out, or name a source, or --players"
        )
    what = "the source" if given == "source" else f"--{given}"
    raise SettingsError(f"--hub: shows the tables of other machines; leave out {what}")


def list_photo_editions(tables: Sequence[GameSettings], edition: str) -> list[Edition]:
    """List the editions that a photo may be of: the shipped ones, and those of the tables, or the one that is named."""
    from vision.pipeline import select_readable_editions

    editions = {each.name: each for each in list_editions()}
    for name in [table.edition for table in tables] or [edition]:
        own = load_edition(name)
        editions.setdefault(own.name, own)
    return select_readable_editions(editions.values(), None, say)


def load_config(config: Path, context: typer.Context, *, has_source: bool) -> tuple[GameSettings, ...]:
    """Load the tables of a file.

    Raises
    ------
    SettingsError
        If the command line has an option that the file sets for each table.
    """
    from tilesight.live import TABLE_KEYS, load_tables

    if has_source:
        raise SettingsError(f"--config {config}: it names sources and journals; leave them out here")
    if (given := find_given(context, TABLE_KEYS)) is not None:
        raise SettingsError(
            f"--{given} with --config {config}: the file says it for each table; write {given} there"
        )
    return load_tables(config)


def find_given(context: typer.Context, names: Iterable[str]) -> str | None:
    """Return the first of these options that is on the command line, as it is written there; None if none is."""
    return next((name for name in names if is_on_command_line(context, name.replace("-", "_"))), None)


def is_on_command_line(context: typer.Context, name: str) -> bool:
    """Whether an option was given, and is not at its default."""
    given = context.get_parameter_source(name)
    return given is not None and given.name == "COMMANDLINE"


def serve_games(
    settings: Sequence[GameSettings],
    reader: ReaderName,
    fields: Path | None,
    event: Path | None,
    place: ServedPlace,
    extras: Extras,
    stack: contextlib.ExitStack,
) -> None:
    """Open every game, follow its source, and answer requests until the program is stopped.

    `fields` is the folder for the text fields, `event` the director's file; `stack` closes what is opened here.
    """
    import socket

    from tilesight.live import PHONE, FieldFiles, Tournament
    from tilesight.web import (
        AppContext,
        ConsoleToken,
        PhoneCamera,
        Sessions,
        make_app,
        open_listening_socket,
        run_server,
    )

    kept_token = os.environ.get(TOKEN_VARIABLE)
    token = ConsoleToken(kept_token)
    # A token that is new at each start revokes everything by itself.
    sessions = Sessions(token, state_folder() / "revoked.json" if kept_token is not None else None)
    sock = stack.enter_context(contextlib.closing(open_listening_socket(place.host, place.port)))
    port = sock.getsockname()[1]
    has_overlay = bool(settings) or extras.remote is not None
    plain = stack.enter_context(open_plain_socket(place, port)) if has_overlay else None
    tournament = Tournament(event, notify=say)
    games = [open_served_game(each, tournament, stack) for each in settings]
    stack.enter_context(tournament)
    start_webhook(extras.webhook, games, stack)
    if fields is not None:
        stack.enter_context(FieldFiles(fields, games, say))
    hosts = {"localhost", place.host, socket.gethostname(), *place.names}
    analysts = {
        each.name: make_analyst(game, each, extras.magpie) for game, each in zip(games, settings, strict=True)
    }
    phones = {each.name: PhoneCamera() for each in settings if each.source == PHONE}
    workers, calibrators = make_cameras(games, settings, reader, phones)
    context = AppContext(
        live_games=games,
        token=token,
        sessions=sessions,
        calibrators=calibrators,
        phones=phones,
        tournament=tournament,
        outside_url=place.outside_url(port),
        photos=extras.photos,
        remote=extras.remote,
        analysts=analysts,
        max_viewers=extras.max_viewers,
    )
    app = make_app(context, hosts=hosts, notify=say, proxies=place.proxies, publisher=extras.publisher)

    def start() -> None:
        url = place.url(port)
        links = make_links(url, sessions, token if games else None, has_photos=extras.photos is not None)
        describe_place(place, url, links, token.text)
        describe_plain_pages(plain)
        if phones:
            describe_phones(place, port)
        report_assumed_editions(settings)
        report_shared_sources(settings)
        for worker in workers:
            worker.start()

    try:
        run_server(
            app,
            sock,
            start,
            proxies=place.proxies,
            certificate=place.certificate,
            max_viewers=extras.max_viewers,
            plain_sock=plain,
        )
    finally:
        for worker in workers:
            worker.request_stop()
        for worker in workers:
            worker.stop()
