"""Rendered films as a tracker takes them; `vision.pipeline.track_video` follows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samples import Film
from scoring import Game
from vision.capture import Frame
from vision.pipeline import GameContext, VideoTracker, load_recognizer
from vision.recognition import SquareReader

__all__ = ["frames_of", "tracker_of"]


def frames_of(film: Film, fps: float) -> Iterator[Frame]:
    """Render the frames of a film."""
    for number, (time_s, image_bgr) in enumerate(film.frames(fps)):
        yield Frame(image_bgr=image_bgr, source="film", index=number, time_s=time_s)


def tracker_of(
    film: Film, reader: SquareReader | None = None, *, corners_px: Sequence[Sequence[float]] | None = None
) -> VideoTracker:
    """Return a tracker of the film's game from its beginning; without a reader, it loads the networks."""
    edition = film.edition
    context = GameContext(edition=edition, recognizer=reader or load_recognizer("network", edition))
    return VideoTracker(Game(edition=edition, players=film.players), context, corners_px=corners_px)
