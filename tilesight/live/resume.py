"""Which part of a recording a game's journal knows already, and what to say of it."""

from __future__ import annotations

from dataclasses import dataclass

from tilesight.live.journal import FrameRef, Journal
from vision.capture import Source

__all__ = ["ResumePoint", "known_footage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumePoint:
    """What is known of a source.

    Parameters
    ----------
    known : int
        The number of the last frame that the journal knows; -1 where it knows none.
    since_s : float or None
        When the game's last event was in this source; None where it was seen in another one.
    perhaps_old : bool
        Whether the source may show again what the game has: a recording of which nothing is known, or of which more
        recordings are known.
    message : str
        What to say of it; "" where nothing is to be said.
    """

    known: int = -1
    last_event_s: float | None = None
    may_replay: bool = False
    message: str = ""


def known_footage(source: Source, journal: Journal | None) -> ResumePoint:
    """What a journal knows of a source; of what is live, and of a new journal, nothing.

    Raises
    ------
    InputError
        If the source or the journal cannot be read.
    """
    places = [place for place in journal.places if place.frame >= 0] if journal is not None else []
    if source.live or not places:
        return ResumePoint()
    for place in dict.fromkeys(places):
        known = source.resume_index(place.frame, place.file, place.fingerprint)
        if known >= 0:
            latest = place == places[0]
            return ResumePoint(
                known=known,
                last_event_s=place.time_s if latest else None,
                may_replay=not latest,
                message=f"{source.name}: all up to {named(place)} is known; the game goes on with what follows",
            )
    message = (
        f"{source.name}: the journal's last event was seen in {named(places[0])}; "
        "the game goes on with all of this one"
    )
    return ResumePoint(may_replay=True, message=message)


def named(place: FrameRef) -> str:
    """A place in words."""
    return f"{place.file or 'a frame'} at {place.time_s:.1f} s" if place.time_s else place.file or "a frame"
