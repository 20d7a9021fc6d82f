"""The games that `tilesight serve` serves: opened or resumed, with their cameras, word lists and calibration."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tilesight.cli.messages import ASSUMED_EDITION, say
from tilesight.cli.options import load_profile_option
from vision.errors import SettingsError

if TYPE_CHECKING:
    from scoring import Edition
    from tilesight.cli.options import ReaderName
    from tilesight.live import Analyst, GameSettings, LiveGame, RackWorker, Tournament, VideoWorker
    from tilesight.web import Calibrator, PhoneCamera, Webhook
    from vision.pipeline import GameContext
    from vision.profile import Profile

__all__ = [
    "make_analyst",
    "make_cameras",
    "open_served_game",
    "report_assumed_editions",
    "report_shared_sources",
    "start_webhook",
]


def open_served_game(settings: GameSettings, tournament: Tournament, stack: contextlib.ExitStack) -> LiveGame:
    """Open a new game, or resume that of the journal, until the stack closes it; without a journal, it is temporary."""
    path = settings.journal
    if path is None:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tilesight-"))
        path = Path(folder) / "game.db"
        say(f"table {settings.name}: no journal is named, so the game is gone when the program ends")
    return stack.enter_context(tournament.open_table(settings, path))


def make_analyst(game: LiveGame, settings: GameSettings, magpie: Path | None) -> Analyst:
    """Make what finds best plays and chances to win, as far as the table has a word list, and MAGPIE is there."""
    from tilesight.live import Analyst, Magpie, WordList, find_magpie

    edition = game.state.edition
    words = WordList(settings.lexicon, edition, notify=say) if settings.lexicon is not None else None
    if not settings.magpie_lexicon:
        return Analyst(words)
    program = find_magpie(magpie)
    if program is None:
        named = f"{magpie}: no program" if magpie is not None else "no program magpie on PATH"
        say(f"table {settings.name}: {named}, so commentators see no chances to win; name it with --magpie")
        return Analyst(words)
    return Analyst(words, Magpie(program, settings.magpie_lexicon))


def make_cameras(
    games: Sequence[LiveGame],
    settings: Sequence[GameSettings],
    reader: ReaderName,
    phones: Mapping[str, PhoneCamera],
) -> tuple[list[VideoWorker | RackWorker], dict[str, Calibrator]]:
    """Make the workers of all games, and the calibrators of those with a camera, by the game's name."""
    workers: list[VideoWorker | RackWorker] = []
    calibrators: dict[str, Calibrator] = {}
    for game, each in zip(games, map(_find_profile, settings), strict=True):
        video, racks = _make_workers(game, each, reader, phones.get(each.name))
        if video is not None:
            workers.append(video)
            calibrators[each.name] = _make_calibrator(game, each, video, racks, reader)
        if racks is not None:
            workers.append(racks)
    return workers, calibrators


def _find_profile(settings: GameSettings) -> GameSettings:
    """Add the profile that the page /calibrate made at an earlier start, where none is named."""
    path = _name_profile(settings)
    if settings.source is None or settings.profile is not None or not path.exists():
        return settings
    try:
        found = replace(settings, profile=path)
    except SettingsError as error:
        say(f"{path} is not used: {error}")
        return settings
    say(f"table {settings.name}: {path} is used, which the page /calibrate made; rename it to do without")
    return found


def _name_profile(settings: GameSettings) -> Path:
    return settings.profile or Path(f"{settings.name}.profile.json")


def _make_workers(
    game: LiveGame, settings: GameSettings, reader: ReaderName, phone: PhoneCamera | None
) -> tuple[VideoWorker | None, RackWorker | None]:
    """Make the workers that follow the game's camera, which may be a phone, and its racks, as far as it has them."""
    from tilesight.live import RackWorker, VideoWorker

    profile = None
    if settings.source is not None and settings.profile is not None and not settings.profile.exists():
        say(f"table {settings.name}: {settings.profile} is not there yet; the page /calibrate makes it")
    else:
        profile = load_profile_option(settings.profile)

    load_context = _make_context_loader(settings, game.state.edition, reader, profile)
    video = racks = None
    if phone is not None:
        video = VideoWorker(
            game,
            settings,
            load_context,
            open_it=lambda _text, _fps: phone.source,
            on_stop=phone.source.close,
            notify=say,
        )
    elif settings.source is not None:
        video = VideoWorker(game, settings, load_context, notify=say)
    if any(settings.racks_px):
        racks = RackWorker(game, settings, load_context, notify=say)
    return video, racks


def _make_context_loader(
    settings: GameSettings, edition: Edition, reader: ReaderName, profile: Profile | None
) -> Callable[[], GameContext]:
    """Load the game's word list, and make the function that loads the square reader in a worker's thread."""
    from tilesight.live import WordList
    from vision.pipeline import GameContext, load_recognizer

    words = WordList(settings.lexicon, edition, notify=say).lexicon if settings.lexicon is not None else None

    def load_context() -> GameContext:
        recognizer = load_recognizer(reader.value, edition, notify=say, profile=profile)
        return GameContext(edition=edition, recognizer=recognizer, lexicon=words, profile=profile)

    return load_context


def _make_calibrator(
    game: LiveGame, settings: GameSettings, video: VideoWorker, racks: RackWorker | None, reader: ReaderName
) -> Calibrator:
    """Make the calibration of a game's camera for its page."""
    from calibration.session import CalibrationSession

    edition = game.state.edition
    path = _name_profile(settings)

    def use(profile: Profile) -> None:
        load_context = _make_context_loader(settings, edition, reader, profile)
        video.use_profile(profile, load_context)
        if racks is not None:
            racks.use_profile(load_context)

    return CalibrationSession(
        path,
        edition,
        newest_frame=lambda: video.newest,
        check=lambda: video.check_profile(path),
        use=use,
    )


def start_webhook(hook: Webhook | None, games: Sequence[LiveGame], stack: contextlib.ExitStack) -> None:
    """Send the events of the games, if there is an address for them, until the stack ends it."""
    if hook is not None:
        stack.enter_context(hook)
        for game in games:
            hook.follow(game)


def report_assumed_editions(settings: Sequence[GameSettings]) -> None:
    """Say for each table with a camera that English is taken, if its edition was not named."""
    for each in settings:
        if each.source is not None and not each.is_edition_named:
            say(f"table {each.name}: {ASSUMED_EDITION}")


def report_shared_sources(settings: Sequence[GameSettings]) -> None:
    """Say which tables follow the board of another one; each table has a phone of its own."""
    from tilesight.live import PHONE

    owners: dict[object, str] = {}
    for each in settings:
        if each.source in (None, PHONE):
            continue
        owner = owners.setdefault((os.path.abspath(each.source), each.corners_px), each.name)
        if owner != each.name:
            say(
                f"table {each.name}: its source is that of table {owner}, so both follow the same board; "
                "name another source, or give each table the corners of its own board"
            )
