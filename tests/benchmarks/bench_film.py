"""Times of one frame of a film: at rest, in motion, and after the board changed.

The film is a rendered one of 1080p; decoding is not measured. Times are processor time as multiples of D, which is
measured between the frames, since the machine's load changes. ``python -m tests.benchmarks.bench_film`` prints them
and the delays of the events.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import cv2
import numpy as np

from samples import Film, Mishaps, icelandic_style, random_film
from scoring import Game
from vision.capture import Frame
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.pipeline.video import VideoTracker

__all__ = ["HEAD", "FilmTimes", "main", "measure_film", "render_film", "table_rows"]

FPS = 15.0
HEAD = ("1080p film, decoding apart", "p50", "p95")
SIZE = (1920, 1080)


@dataclass(slots=True)
class FilmTimes:
    """Times of a film's frames in D, by kind of frame; and seconds from hands off to each event."""

    of_frames: dict[str, list[float]] = field(default_factory=dict)
    delays_s: list[float] = field(default_factory=list)


def render_film() -> Film:
    """Render the film."""
    return random_film(
        np.random.default_rng(5),
        "icelandic",
        plays=4,
        mishaps=Mishaps.usual(),
        cell_px=48,
        style=icelandic_style(),
    )


def measure_film(film: Film) -> FilmTimes:
    """Follow the film once; the yardstick is measured every few frames."""
    times = FilmTimes()
    watch = VideoTracker(
        Game(edition=film.edition, players=film.players),
        GameContext(edition=film.edition, recognizer=load_recognizer("network", film.edition)),
    )
    photo = yardstick_jpeg()
    d_ms = measure_decode_ms(photo)
    waiting = [event.hands_off_s for event in film.events]
    for number, (time_s, image) in enumerate(film.frames(FPS)):
        frame = Frame(image_bgr=pad_frame(image), source="film", index=number, time_s=time_s)
        if number % 10 == 0:
            d_ms += 0.3 * (measure_decode_ms(photo) - d_ms)
        before = watch.n_reads
        started = time.process_time()
        batch = watch.see(frame)
        spent = 1000 * (time.process_time() - started) / d_ms
        kind = (
            "changed"
            if watch.n_reads != before
            else "resting"
            if watch.state == "the board rests"
            else "moving"
        )
        times.of_frames.setdefault(kind, []).append(spent)
        for update in batch.updates if batch else ():
            if update.step is not None and waiting:
                times.delays_s.append(time_s - waiting.pop(0))
    return times


def table_rows(times: FilmTimes) -> list[list[str]]:
    """Format median and 95th percentile in D of each kind of frame."""
    names = {
        "resting": "a frame of a board that rests",
        "moving": "a frame with something moving",
        "changed": "a frame in which a changed board is read",
    }
    rows = []
    for kind, name in names.items():
        median, high = quantiles(times.of_frames.get(kind, [np.nan]))
        rows.append([name, f"{median:.2f} D", f"{high:.2f} D"])
    return rows


def quantiles(values: list[float]) -> tuple[float, float]:
    """Compute median and 95th percentile."""
    return float(np.median(values)), float(np.percentile(values, 95))


def pad_frame(image: np.ndarray) -> np.ndarray:
    """Pad a picture to a 1080p frame."""
    width, height = SIZE
    image = image[:height, :width]
    down, across = height - image.shape[0], width - image.shape[1]
    return cv2.copyMakeBorder(
        image, down // 2, down - down // 2, across // 2, across - across // 2, cv2.BORDER_REFLECT
    )


def yardstick_jpeg() -> np.ndarray:
    """Make a JPEG file of 1504 x 1504 px in memory, of about the size of a board's photo."""
    rng = np.random.default_rng(0)
    texture = cv2.resize(rng.integers(88, 168, (94, 94, 3), dtype=np.uint8), (1504, 1504))
    return np.asarray(cv2.imencode(".jpg", texture, [cv2.IMWRITE_JPEG_QUALITY, 88])[1])


def measure_decode_ms(photo: np.ndarray) -> float:
    """Measure the milliseconds to decode a file, the better of two."""
    best = np.inf
    for _ in range(2):
        started = time.process_time()
        cv2.imdecode(photo, cv2.IMREAD_COLOR)
        best = min(best, 1000 * (time.process_time() - started))
    return float(best)


def main() -> None:
    """Print the table."""
    cv2.setNumThreads(1)
    times = measure_film(render_film())
    for row in table_rows(times):
        print(" | ".join(row))
    print("events after hands off: " + " ".join(f"{delay:.2f} s" for delay in times.delays_s))


if __name__ == "__main__":
    main()
