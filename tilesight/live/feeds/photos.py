"""Connect a live game to a folder of photos of finished turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tilesight.live.feeds.resuming import find_resume_point
from tilesight.live.game import LiveGame
from vision.capture import PictureFolder, list_pictures
from vision.game_events import UpdateBatch
from vision.pipeline import GameContext, ProfileMismatches, track_photos

__all__ = ["follow_photos"]


def follow_photos(
    game: LiveGame,
    folder: Path,
    context: GameContext,
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
    notify: Callable[[str], None],
) -> Iterator[UpdateBatch]:
    """Follow a folder of photos in name order, and record each batch of updates.

    Parameters
    ----------
    game : LiveGame
        The game; it is resumed where its journal ends.
    folder : Path
        The photos.
    context : GameContext
        What they are read with.
    corners_px : four (x, y), optional
        The grid's outer corners TL TR BR BL in every photo.
    notify : callable
        Called with one line for the user.

    Raises
    ------
    InputError
        If the folder cannot be read, or the journal not be written.
    """
    pictures = list_pictures(folder)
    source = PictureFolder(path=folder)
    resume = find_resume_point(source, game.journal)
    if resume.message:
        notify(resume.message)
    game.set_fingerprint(source.fingerprint)
    batches = track_photos(
        pictures,
        game.state.game,
        context,
        corners_px=corners_px,
        after=resume.last_frame,
        may_replay=resume.may_replay,
    )
    layout = context.edition.layout
    mismatches = ProfileMismatches(context.profile, layout, is_given=corners_px is not None)
    for batch in batches:
        if batch.observation is not None:
            picture = pictures[batch.index]
            for message in mismatches.new_messages(batch.observation, picture):
                notify(f"{picture}: {message}")
        game.record(batch)
        yield batch
