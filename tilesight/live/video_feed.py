"""Connect a live game to a source: find where to resume, attach a tracker, and follow the frames."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tilesight.live.game import LiveGame
from tilesight.live.game_camera import unmirrored
from tilesight.live.journal import FrameRef, Journal
from tilesight.live.operator import find_caution
from vision.capture import (
    Frame,
    Interruption,
    PictureFolder,
    Source,
    list_pictures,
    read_bytes,
    read_metadata,
)
from vision.core import escape_name
from vision.errors import BoardNotFoundError
from vision.game_events import Command, Notice, NoticeKind, UpdateBatch, Verb
from vision.pipeline import GameContext, VideoTracker, calibrated_frames, read_photo, track_photos
from vision.profile import Profile
from vision.tracking import BoardThumbnail

__all__ = [
    "ResumePoint",
    "answer_commands",
    "attach_source",
    "attach_tracker",
    "explain_no_play",
    "find_resume_point",
    "follow_photos",
    "follow_video",
    "skip_until_clear",
]


CLEAR_EVERY_S = 1.0
"""Seconds between two looks whether the board of the last game was cleared; chosen: a look takes a tenth of that."""
MAX_LEFT = 0.5
"""Share of the last game's tiles below which its board was cleared; chosen."""

MAX_NAMED = 3
"""Names of pictures in a message; chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumePoint:
    """Where a game continues in a source.

    Parameters
    ----------
    last_frame : int
        Index of the last frame that the journal covers; -1 if it covers none.
    last_event_s : float or None
        Time of the game's last event in this source; None if that event was seen in another source.
    may_replay : bool
        Whether the source may show again what the game already has: the journal covers none of this recording, or it
        also covers a later one.
    message : str
        One line for the user; empty if there is nothing to say.
    """

    last_frame: int = -1
    last_event_s: float | None = None
    may_replay: bool = False
    message: str = ""


def find_resume_point(source: Source, journal: Journal | None) -> ResumePoint:
    """Find where a game continues in a source; a live source and a new journal start at the beginning.

    Raises
    ------
    InputError
        If the source or the journal cannot be read.
    """
    frames = [ref for ref in journal.frame_refs if ref.frame >= 0] if journal is not None else []
    if source.live or not frames:
        return ResumePoint()
    for ref in dict.fromkeys(frames):
        last_frame = source.resume_index(ref.frame, ref.file, ref.fingerprint)
        if last_frame >= 0:
            is_latest = ref == frames[0]
            added = _describe_added(
                source, last_frame, last_frame - ref.frame, {each.file for each in frames}
            )
            return ResumePoint(
                last_frame=last_frame,
                last_event_s=ref.time_s if is_latest else None,
                may_replay=not is_latest,
                message=f"{source.name}: all up to {_describe(ref)} is known; the game goes on with what follows"
                f"{added}",
            )
    message = (
        f"{source.name}: the journal's last event was seen in {_describe(frames[0])}; "
        "the game goes on with all of this one"
    )
    return ResumePoint(may_replay=True, message=message)


def _describe(ref: FrameRef) -> str:
    return f"{ref.file or 'a frame'} at {ref.time_s:.1f} s" if ref.time_s else ref.file or "a frame"


def _describe_added(source: Source, last_frame: int, count: int, known: Collection[str]) -> str:
    """Say that pictures were put before those that the journal covers; empty if none were.

    The journal names only pictures that changed the game; where others are there, the new ones are counted, not named.
    """
    if not isinstance(source, PictureFolder) or count <= 0:
        return ""
    new = [
        path.name for path in list_pictures(source.path)[:last_frame] if escape_name(path.name) not in known
    ]
    names = (
        f" ({', '.join(new[:MAX_NAMED])}{', ...' if count > MAX_NAMED else ''})" if len(new) == count else ""
    )
    pictures = f"{count} picture{'s' if count > 1 else ''} put before it since {'are' if count > 1 else 'is'}"
    return f"; {pictures} not read{names}; begin a new journal to read all"


def explain_no_play(source: Source, game: LiveGame, notify: Callable[[str], None]) -> None:
    """Say why no play was seen: a folder may hold photos of finished turns, or a film was too short to be read."""
    if game.state.game.events:
        return
    tracker = game.tracker
    if isinstance(source, PictureFolder):
        notify(
            f"{source.name}: no play was seen in its pictures, taken as frames of a film ({source.fps:g} a second); "
            "if each is a photo of a finished turn, follow them with tilesight watch --every turn"
        )
    elif tracker is not None and tracker.grid is not None and not tracker.n_reads:
        notify(
            f"{source.name}: the film ended before the board was at rest long enough to be read; "
            "let the camera run for some seconds after the last play"
        )


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
    thumbnail = b""
    # The picture would count tiles that were taken out of the record as resolved; without it, they are read again.
    if game.journal is not None and not game.state.operator.removed_tiles:
        thumbnail = game.journal.thumbnail
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


def skip_until_clear(
    game: LiveGame,
    frames: Iterator[Frame | Interruption],
    context: GameContext,
    corners_px: Sequence[Sequence[float]] | None = None,
) -> Iterator[Frame | Interruption]:
    """Skip the frames that still show the board of the table's last game.

    Parameters
    ----------
    game : LiveGame
        The game that has begun.
    frames : iterator of Frame or Interruption
        The source's frames.
    context : GameContext
        What the frames are read with.
    corners_px : four (x, y), optional
        The grid's outer corners TL TR BR BL; the board is then not searched.
    """
    last = game.state.last_board
    squares = {(tile.row, tile.column) for tile in last.tiles()} if last is not None else set()
    next_s = float("-inf")
    for item in frames if squares else ():
        if isinstance(item, Interruption) or item.time_s < next_s:
            continue
        next_s = item.time_s + CLEAR_EVERY_S
        try:
            board = read_photo(item, context, corners_px=corners_px).decoded.board
        except BoardNotFoundError:
            continue
        left = sum((tile.row, tile.column) in squares for tile in board.tiles())
        if left < MAX_LEFT * len(squares):
            break
        game.set_status("clear the board: the next game has begun", watching=True)
    yield from frames


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
        Called with each frame, the right way round, once it was processed and its updates were consumed.
    """
    assert game.tracker is not None
    for item in frames:
        yield from answer_commands(game, commands)
        batch = game.interrupt(item) if isinstance(item, Interruption) else game.see(item)
        if batch is not None:
            yield batch
        if isinstance(item, Frame):
            after_frame(unmirrored(item, game.tracker))
    last = game.finish()
    if last is not None:
        yield last
    yield from answer_commands(game, commands)


def answer_commands(game: LiveGame, commands: Callable[[], Iterable[Command]]) -> Iterator[UpdateBatch]:
    """Apply and record the commands since the last call, and yield the answers.

    Parameters
    ----------
    game : LiveGame
        The game, with its tracker attached.
    commands : callable
        Gives the commands.
    """
    for command in commands():
        assert game.tracker is not None
        answer = _answer(game, game.tracker, command)
        if answer is not None:
            yield answer


def _answer(game: LiveGame, tracker: VideoTracker, command: Command) -> UpdateBatch | None:
    """Apply a command, and record it; return what it changed and what to check, or why it is not possible."""
    steps_back = command.verb in (Verb.UNDO, Verb.REDO)
    answer = tracker.apply_command(command, game.step_history if steps_back else None)
    game.record(answer, by="desk")
    if answer is None or not answer.updates:
        return answer
    caution = find_caution(command, answer.updates)
    notices = (*answer.notices, Notice(NoticeKind.UNCLEAR, caution)) if caution else answer.notices
    return replace(answer, notices=notices)


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
    warned = {""}
    for batch in batches:
        message = _other_camera(batch, pictures, context.profile)
        if message not in warned:
            warned.add(message)
            notify(f"{pictures[batch.index]}: {message}")
        game.record(batch)
        yield batch


def _other_camera(batch: UpdateBatch, pictures: Sequence[Path], profile: Profile | None) -> str:
    """Say that a camera other than the profile's took a picture; empty if it did not."""
    if profile is None or batch.observation is None:
        return ""
    return profile.mismatch_message(read_metadata(read_bytes(pictures[batch.index])).camera)
