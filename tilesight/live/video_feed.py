"""Connect a live game to the frames of a source, and follow it frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tilesight.live.game import LiveGame
from tilesight.live.resume import ResumePoint, find_resume_point
from vision.capture import Frame, Interruption, Source
from vision.game_events import Command, UpdateBatch
from vision.pipeline import GameContext, VideoTracker, calibrated_frames
from vision.tracking import BoardThumbnail

__all__ = ["attach_source", "attach_tracker", "follow_video"]


def attach_source(
    game: LiveGame,
    source: Source,
    context: GameContext,
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
    notify: Callable[[str], None],
) -> Iterator[Frame | Interruption]:
    """Attach a tracker for a source: a recording continues where the journal ends, a camera with the present.

    Parameters
    ----------
    game : LiveGame
        The game.
    source : Source
        The source.
    context : GameContext
        What the frames are read with.
    corners_px : four (x, y), optional
        The grid's outer corners TL TR BR BL; the board is then not searched.
    notify : callable
        Called with one line for the user.

    Returns
    -------
    iterator of Frame or Interruption
        The frames for `follow_video`.
    """
    resume = find_resume_point(source, game.journal)
    if resume.message:
        notify(resume.message)
    return attach_tracker(
        game,
        source.frames(resume.last_frame),
        context,
        resume=resume,
        fingerprint=source.fingerprint,
        corners_px=corners_px,
        notify=notify,
    )


def attach_tracker(
    game: LiveGame,
    frames: Iterator[Frame | Interruption],
    context: GameContext,
    *,
    resume: ResumePoint,
    fingerprint: Callable[[str], str],
    corners_px: Sequence[Sequence[float]] | None = None,
    notify: Callable[[str], None],
) -> Iterator[Frame | Interruption]:
    """Attach a new tracker to a live game and return the frames for it.

    Parameters
    ----------
    game : LiveGame
        The game.
    frames : iterator of Frame or Interruption
        The source's frames after `resume`.
    context : GameContext
        What the frames are read with.
    resume : ResumePoint
        Where the game continues in the source.
    fingerprint : callable
        Gives the content hash of the file of a frame, by its name.
    corners_px : four (x, y), optional
        The grid's outer corners TL TR BR BL; the board is then not searched.
    notify : callable
        Called with one line for the user.

    Returns
    -------
    iterator of Frame or Interruption
        The same frames, without the lens distortion that the profile knows.
    """
    layout = game.state.edition.layout
    if context.profile is not None and context.profile.depends_on_size:
        frames = calibrated_frames(frames, context.profile, layout, notify)
    thumbnail = game.journal.thumbnail if game.journal is not None else b""
    tracker = VideoTracker(
        game.state.game,
        context,
        corners_px=corners_px,
        last_event_s=resume.last_event_s,
        reference=BoardThumbnail.from_bytes(thumbnail, layout.rows, layout.columns),
        may_replay=resume.may_replay,
    )
    game.attach(tracker, fingerprint)
    return frames


def follow_video(
    game: LiveGame,
    frames: Iterable[Frame | Interruption],
    commands: Callable[[], Iterable[Command]] = tuple,
    after_frame: Callable[[Frame], None] = lambda _: None,
) -> Iterator[UpdateBatch]:
    """Record a game's video, and yield the updates of each moment once they are recorded.

    Parameters
    ----------
    game : LiveGame
        The game, with its tracker attached.
    frames : iterable of Frame or Interruption
        The frames from `attach_tracker`.
    commands : callable
        Gives the commands since the last call. A command that does not fit the game is answered by a notice.
    after_frame : callable
        Called with each frame once it was processed and its updates were consumed.
    """
    assert game.tracker is not None
    for item in frames:
        for command in commands():
            answer = game.tracker.apply_command(command)
            game.record(answer)
            if answer is not None:
                yield answer
        batch = game.interrupt(item) if isinstance(item, Interruption) else game.see(item)
        if batch is not None:
            yield batch
        if isinstance(item, Frame):
            after_frame(item)
    last = game.finish()
    if last is not None:
        yield last
