"""Four cameras at once: four live 1080p films at 30 frames per second.

``python -m tests.benchmarks.bench_live`` plays the same rendered game to four processes, then to four threads of one
process, like four tables of ``tilesight serve``. Each frame comes at its time. Frames are rendered in advance, since
decoding is not measured. The source drops frames that are not read in time. A camera falls behind if frames are
processed late, or if plays are reported late or wrongly. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from samples import Film, icelandic_style, random_film
from scoring import Game
from tests.benchmarks.bench_film import SIZE, measure_decode_ms, pad_frame, yardstick_jpeg
from vision.capture import Frame
from vision.capture.live import LiveSource
from vision.errors import InputError
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.pipeline.video import VideoTracker

__all__ = ["HEAD", "LiveResult", "main", "measure", "table_rows"]

FPS = 30.0
CAMERAS, CORES = 4, 2
HEAD = (
    "1080p films at 30 frames a second",
    "frames read",
    "lag p50 / p95 / at the end",
    "plays",
    "delay p50 / p95",
    "processor time, of one core",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveResult:
    """The result of one camera.

    Parameters
    ----------
    sent, seen : int
        Frames that the camera took; frames that were processed.
    lags_s : sequence of float
        Time from each frame to the end of its processing.
    plays, right : int
        Plays of the game; those reported with their score.
    delays_s : sequence of float
        Time from hands off to the report of each play.
    processor_share : float
        Processor time, as a share of one core.
    """

    sent: int
    seen: int
    lags_s: Sequence[float]
    plays: int
    right: int
    delays_s: Sequence[float]
    processor_share: float


class Camera:
    """A camera with a frame every thirtieth of a second, whether it is read or not."""

    def __init__(self, frames: NDArray[np.uint8], order: Sequence[int], begin_s: float) -> None:
        self._frames, self._order, self._begin_s = frames, order, begin_s
        self.sent = 0

    def read(self) -> NDArray[np.uint8]:
        """Wait for the next frame."""
        now = max(self.sent, int((time.monotonic() - self._begin_s) * FPS))
        if now >= len(self._order):
            raise InputError("the film is over")
        time.sleep(max(0.0, self._begin_s + now / FPS - time.monotonic()))
        self.sent = now + 1
        picture: NDArray[np.uint8] = self._frames[self._order[now]]
        return picture

    def close(self) -> None:
        """Do nothing: there is no resource."""


def render_film() -> Film:
    """Render the game: two plays without noise, so that its distinct frames fit into memory."""
    film = random_film(np.random.default_rng(5), "icelandic", plays=2, cell_px=56, style=icelandic_style())
    return replace(film, light=replace(film.light, noise=0.0, shot_noise=0.0), flicker=0.0)


def write_frames(film: Film, path: Path) -> list[int]:
    """Write the film's distinct frames into one file; their order in the film."""
    known: dict[bytes, int] = {}
    order: list[int] = []
    with path.open("wb") as file:
        for _, image in film.frames(FPS):
            data = pad_frame(image).tobytes()
            if data not in known:
                known[data] = len(known)
                file.write(data)
            order.append(known[data])
    return order


def follow(
    path: Path, order: Sequence[int], film: Film, late_s: float, together: threading.Barrier
) -> LiveResult:
    """Follow one camera to the film's end; it starts `late_s` after all are ready."""
    cv2.setNumThreads(1)
    width, height = SIZE
    frames = np.memmap(path, np.uint8, mode="r").reshape(-1, height, width, 3)
    watch = VideoTracker(
        Game(edition=film.edition, players=film.players),
        GameContext(edition=film.edition, recognizer=load_recognizer("network", film.edition)),
    )
    together.wait()
    begin_s = time.monotonic() + late_s
    camera = Camera(frames, order, begin_s)
    time.sleep(late_s)
    used_s = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    seen, lags, reported = 0, [], []
    asked_s = time.monotonic()
    for item in LiveSource("camera", lambda: camera).frames():
        if not isinstance(item, Frame):
            break
        batch = watch.see(item)
        done_s = time.monotonic() - begin_s
        lags.append(time.monotonic() - asked_s - item.time_s)
        seen += 1
        reported += [(done_s, h.step.score) for h in (batch.updates if batch else ()) if h.step]
    used_s = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - used_s
    scores = [score for _, score in reported]
    right = scores == [event.score for event in film.events]
    delays = [at - e.hands_off_s for (at, _), e in zip(reported, film.events, strict=False)] if right else []
    return LiveResult(
        sent=len(order),
        seen=seen,
        lags_s=lags,
        plays=len(film.events),
        right=len(film.events) if right else 0,
        delays_s=delays,
        processor_share=used_s / (len(order) / FPS),
    )


def follow_in_one_program(path: Path, order: Sequence[int], cameras: int) -> list[LiveResult]:
    """Follow several cameras in threads of this process."""
    film, together = render_film(), threading.Barrier(cameras)
    used_s = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    with ThreadPoolExecutor(cameras) as pool:
        waiting = [pool.submit(follow, path, order, film, 0.4 * n, together) for n in range(cameras)]
        results = [one.result() for one in waiting]
    used_s = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - used_s
    return [replace(one, processor_share=used_s / (len(order) / FPS) / cameras) for one in results]


def _follow(arguments: tuple[Path, Sequence[int], float, threading.Barrier]) -> LiveResult:
    path, order, late_s, together = arguments
    return follow(path, order, render_film(), late_s, together)


def measure(cameras: int = CAMERAS, cores: int = CORES) -> dict[str, list[LiveResult]]:
    """Follow several cameras at once on a number of cores, by as many processes and by one."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    os.environ["OMP_NUM_THREADS"] = "1"
    spawning = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frames"
        order = write_frames(render_film(), path)
        with spawning.Manager() as manager, spawning.Pool(cameras) as pool:
            together = manager.Barrier(cameras)
            programs = pool.map(
                _follow, [(path, order, 0.4 * n, together) for n in range(cameras)], chunksize=1
            )
        with spawning.Pool(1) as pool:
            tables = pool.apply(follow_in_one_program, (path, order, cameras))
    return {f"{cameras} programs": programs, f"{cameras} tables of one program": tables}


def table_rows(measured: Mapping[str, Sequence[LiveResult]]) -> list[list[str]]:
    """Format a line for processes and one for threads, all cameras together."""
    return [_row(name, results) for name, results in measured.items()]


def _row(name: str, results: Sequence[LiveResult]) -> list[str]:
    lags = np.concatenate([one.lags_s for one in results])
    delays = np.concatenate([one.delays_s for one in results])
    seen, sent = sum(one.seen for one in results), sum(one.sent for one in results)
    last = max(max(one.lags_s[-15:], default=np.nan) for one in results)
    return [
        f"{name} on {CORES} cores",
        f"{seen}/{sent} ({seen / sent:.0%})",
        f"{np.median(lags):.2f} s / {np.percentile(lags, 95):.2f} s / {last:.2f} s",
        f"{sum(one.right for one in results)}/{sum(one.plays for one in results)}",
        f"{np.median(delays):.2f} s / {np.percentile(delays, 95):.2f} s" if len(delays) else "none reported",
        f"{sum(one.processor_share for one in results):.2f}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cameras", type=int, default=CAMERAS)
    options = parser.parse_args()
    print(f"D = {measure_decode_ms(yardstick_jpeg()):.1f} ms")
    for row in table_rows(measure(options.cameras)):
        print(" | ".join(row))


if __name__ == "__main__":
    main()
