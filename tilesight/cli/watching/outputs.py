"""Check the outputs of `tilesight watch` before any work is done, so that nothing of the user's is lost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tilesight.cli.messages import say
from vision.errors import InputError, SettingsError

if TYPE_CHECKING:
    from scoring import Game

__all__ = ["check_outputs", "check_same_game", "choose_video"]


def check_outputs(
    source: str,
    journal: Path | None,
    out: Path | None,
    picture: Path | None,
    evidence: Path | None,
    video: Path | None,
    *,
    force: bool,
) -> None:
    """Check that every output can be written and loses nothing of the user's, before any work is done.

    Raises
    ------
    SettingsError
        If a folder does not exist, a file's ending names no known format, two outputs are one file, or a file would be
        overwritten that is the source or that Tilesight did not write.
    """
    from vision.core import check_folder, check_own_file, check_picture_path

    named = [os.path.realpath(path) for path in (journal, out, picture, video) if path is not None]
    for path in named:
        if named.count(path) > 1:
            raise SettingsError(f"{path}: two outputs have this name; choose another name for one of them")
    if out is not None:
        check_folder(out, [source])
    if picture is not None:
        check_picture_path(picture, [source], force=force)
    if video is not None:
        from tilesight.live import is_begun
        from tilesight.output import check_video_path

        check_video_path(video, [source], force=force or is_begun(journal))
    if evidence is not None:
        check_folder(evidence / "001.jpg")
        for picture_path in sorted(evidence.glob("[0-9][0-9][0-9]-*.jpg")):
            check_own_file(picture_path, force=force)


def check_same_game(out: Path, game: Game) -> None:
    """Check that a GCG file which is there already is a game of the same players.

    Raises
    ------
    SettingsError
        If it is another game, or no game.
    """
    from scoring import ScoringError, read_gcg

    if not out.is_file() or not out.stat().st_size:
        return
    try:
        players = read_gcg(out, game.edition).game.players
    except (ScoringError, OSError):
        raise SettingsError(
            f"{out}: the file is there already and is no game; choose another name, or add --force"
        ) from None
    if players != game.players:
        raise SettingsError(
            f"{out}: the file holds a game of {', '.join(players)}; choose another name, or add --force to replace it"
        )


def choose_video(video: Path) -> Path:
    """Choose a free name for the video of a resumed game, such as ``seen-2.mp4``: what was recorded is kept."""
    number, free = 1, video
    while free.exists():
        number += 1
        free = video.with_stem(f"{video.stem}-{number}")
    if free != video:
        if can_be_opened(video):
            say(f"{video}: the film so far is kept; it goes on in {free}")
        else:
            say(
                f"{video}: the film so far cannot be opened; perhaps its end was not written; "
                f"it goes on in {free}"
            )
            if video.suffix.lower() != ".avi":
                say(f"{video}: a film that is named .avi can be opened after a power cut")
    return free


def can_be_opened(video: Path) -> bool:
    """Whether a film can be opened; one in .mp4 that was ended by a power cut cannot."""
    from vision.capture import open_source

    try:
        open_source(str(video))
    except InputError:
        return False
    return True
