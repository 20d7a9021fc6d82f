"""Where a live game continues in a source."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tilesight.live.journal import FrameRef, Journal
from vision.capture import PictureFolder, Source, list_pictures
from vision.core import escape_name

__all__ = ["ResumePoint", "find_resume_point"]

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
