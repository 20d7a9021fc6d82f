"""Three hours of film: whether memory stays constant, and whether the game stays the same.

``python -m tests.benchmarks.bench_long`` renders a short game, then continues for three hours of film time, as fast as
possible. Hands come and go, tiles are straightened, the light is switched and the camera is bumped, so that boards are
read and located repeatedly, but there are no more plays. Memory is the resident set.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from samples import Film, Shot, icelandic_style, random_film
from scoring import Game
from vision.capture import Frame
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.pipeline.video import VideoTracker

__all__ = ["HEAD", "LongResult", "main", "measure", "table_rows"]

HOURS, FPS = 3.0, 4.0
WARM_S = 300.0
"""Time until everything is loaded and every cache is full."""
EVERY_S = 300.0
HEAD = ("film", "boards read", "memory after 5 min", "most after that", "at the end", "errors in the game")


@dataclass(frozen=True, slots=True, kw_only=True)
class LongResult:
    """The result of a long film.

    Parameters
    ----------
    hours : float
        Duration of the film.
    boards_read : int
        How often the board was read.
    memory_mb : sequence of float
        Resident memory, every five minutes of film from the fifth on, and at its end.
    errors : int
        Reported events that did not happen, missing plays, and wrong totals.
    """

    hours: float
    boards_read: int
    memory_mb: Sequence[float]
    errors: int


def render_films() -> tuple[Film, Film]:
    """Render a game, and what follows it without a play."""
    game = random_film(np.random.default_rng(3), "icelandic", plays=4, cell_px=24, style=icelandic_style())
    last = next(shot for shot in reversed(game.shots) if shot.reach is None)
    hands = [(shot.seconds, shot.reach) for shot in game.shots if shot.reach is not None][:3]
    shots: list[Shot] = []
    states = itertools.product((False, True), (1.0, 0.7), ((0.0, 0.0), (6.0, -4.0)))
    for straightened, brightness, bump_px in states:
        scene = replace(last, straightened=straightened, brightness=brightness, bump_px=bump_px)
        shots += [replace(scene, seconds=seconds, reach=reach) for seconds, reach in hands]
        at = hands[1][1].start_xy
        stays = replace(hands[1][1], start_xy=at, end_xy=at)  # the hand rests on the board
        shots.append(replace(scene, seconds=1.5, reach=stays))
        shots.append(replace(scene, seconds=4.0))
    return game, replace(game, shots=tuple(shots), events=())


def frames(hours: float) -> Iterator[tuple[float, np.ndarray]]:
    """Render the frames with their times; what follows the game is rendered once and repeated."""
    game, after = render_films()
    yield from game.frames(FPS)
    again = [image for _, image in after.frames(FPS)]
    start = round(game.seconds * FPS)
    for number in range(start, round(hours * 3600 * FPS)):
        yield number / FPS, again[(number - start) % len(again)]


def measure(hours: float = HOURS) -> LongResult:
    """Follow the film."""
    game = render_films()[0]
    watch = VideoTracker(
        Game(edition=game.edition, players=game.players),
        GameContext(edition=game.edition, recognizer=load_recognizer("network", game.edition)),
    )
    reported = 0
    memory: list[float] = []
    next_s = WARM_S
    for number, (time_s, image) in enumerate(frames(hours)):
        batch = watch.see(Frame(image_bgr=image, source="film", index=number, time_s=time_s))
        reported += sum(update.step is not None for update in (batch.updates if batch else ()))
        if time_s >= next_s:
            memory.append(resident_mb())
            next_s += EVERY_S
    memory.append(resident_mb())
    errors = abs(reported - len(game.events)) + (watch.game.totals != game.totals)
    return LongResult(hours=hours, boards_read=watch.n_reads, memory_mb=memory, errors=errors)


def resident_mb() -> float:
    """Measure this process's resident memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


def table_rows(result: LongResult) -> list[list[str]]:
    """Format the result."""
    first, *later = result.memory_mb
    return [
        [
            f"{result.hours:g} h at {FPS:g} frames a second",
            str(result.boards_read),
            f"{first:.0f} MB",
            f"{max(later, default=first) - first:+.1f} MB",
            f"{(later or [first])[-1] - first:+.1f} MB",
            str(result.errors),
        ]
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=HOURS)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    result = measure(options.hours)
    for row in table_rows(result):
        print(" | ".join(row))


if __name__ == "__main__":
    main()
