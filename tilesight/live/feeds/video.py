"""Connect a live game to a film or a camera: attach a tracker, and follow the frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from scoring import COVERED
from tilesight.live.feeds.resuming import ResumePoint, find_resume_point
from tilesight.live.game import LiveGame
from tilesight.live.game_camera import unmirrored
from tilesight.live.operator import confirm_named, find_caution
from tilesight.output import BY_OPERATOR, ConfirmedEvent
from vision.capture import (
    Frame,
    Interruption,
    PictureFolder,
    Source,
)
from vision.errors import BoardNotFoundError, SettingsError
from vision.game_events import Command, GameUpdate, Notice, NoticeKind, UpdateBatch, Verb
from vision.pipeline import GameContext, VideoTracker, calibrated_frames, read_photo
from vision.tracking import BoardThumbnail

__all__ = [
    "answer_commands",
    "attach_source",
    "attach_tracker",
    "explain_no_play",
    "follow_video",
    "skip_until_clear",
]


CLEAR_EVERY_S = 1.0
"""Seconds between two readings that tell whether the board of the last game was cleared; chosen: one takes a tenth of
that."""
CLEAR_READINGS = 2
"""Readings in a row that must show a cleared board: one may be of a hand that is not seen as such; chosen."""
MAX_LEFT_TILES = 2
"""Tiles of the last game that may be left on a cleared board: no game begins on so few; chosen."""
MAX_LEFT_SHARE = 0.05
"""The same as a share of its tiles: tiles of the next game may be the same by chance; chosen."""


def explain_no_play(source: Source, game: LiveGame, notify: Callable[[str], None]) -> None:
    """Say why no play was seen: a folder may hold finished turns, a film may be too short, or a time lapse."""
    if game.state.game.events:
        return
    tracker = game.tracker
    if isinstance(source, PictureFolder):
        notify(
            f"{source.name}: no play was seen in its pictures, taken as frames of a film ({source.fps:g} a second); "
            "if each is a photo of a finished turn, follow them with tilesight watch --every turn"
        )
    elif source.live or tracker is None or tracker.grid is None:
        return
    elif tracker.n_reads:
        notify(
            f"{source.name}: no play was seen; if the film is a time lapse, give the pictures that were taken in a "
            "second, such as --fps 0.2 for one every 5 s"
        )
    else:
        notify(
            f"{source.name}: the film ended before the board was at rest long enough to be read; let the camera run "
            "for some seconds after the last play; for a time lapse, give the pictures that were taken in a second, "
            "such as --fps 0.2 for one every 5 s"
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

    Raises
    ------
    SettingsError
        As by `attach_tracker`.
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

    Raises
    ------
    SettingsError
        If corners are given and the profile corrects the lens.
    """
    layout = game.state.edition.layout
    if corners_px is not None and context.profile is not None and context.profile.lens is not None:
        raise SettingsError(
            "--corners: the profile's lens moves every pixel of a film; leave it out, or calibrate the board"
        )
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
    """Skip the frames that still show the board of the table's last game; interruptions are passed on.

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
    tiles = list(last.tiles()) if last is not None else []
    next_s, n_clear = float("-inf"), 0
    for item in frames if tiles else ():
        if isinstance(item, Interruption):
            yield item
            continue
        if item.time_s < next_s:
            continue
        next_s = item.time_s + CLEAR_EVERY_S
        try:
            board = read_photo(item, context, corners_px=corners_px).decoded.board
        except BoardNotFoundError:
            continue
        n_left = sum(board[tile.square] in (tile.token, COVERED) for tile in tiles)
        if n_left <= max(MAX_LEFT_TILES, MAX_LEFT_SHARE * len(tiles)):
            n_clear += 1
            if n_clear == CLEAR_READINGS:
                break
            continue
        n_clear = 0
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
    explain = game.step_history if command.verb in (Verb.UNDO, Verb.REDO) else tracker.explain_command
    before, confirmed = game.state.game, list[ConfirmedEvent]()

    def explain_and_confirm(command: Command) -> tuple[GameUpdate, ...]:
        updates = explain(command)
        confirmed.extend(confirm_named(command, before, updates[-1].game if updates else before))
        return updates

    answer = tracker.apply_command(command, explain_and_confirm)
    game.record(answer, by=BY_OPERATOR, confirmed=confirmed)
    if answer is None or not answer.updates:
        return answer
    caution = find_caution(command, answer.updates)
    notices = (*answer.notices, Notice(NoticeKind.UNCLEAR, caution)) if caution else answer.notices
    return replace(answer, notices=notices)
