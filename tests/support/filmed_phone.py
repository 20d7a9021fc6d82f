"""A phone whose camera is a rendered film, and when the film was seen and its plays were painted."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from samples import Film
from scoring import Edition
from tests.support.on_air import TOKEN, RunningServer, open_table, serve_tables
from tilesight.live import GameSettings, LiveGame, VideoWorker
from tilesight.web import PhoneCamera
from vision.pipeline import GameContext, load_recognizer

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = [
    "FilmedPhone",
    "browser_arguments_for",
    "record_paints",
    "record_video",
    "serve_phone",
    "write_y4m",
]

THUMBNAIL = (32, 24)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmedPhone:
    """A film as a file for a fake camera, with small grey pictures of its frames."""

    path: Path
    fps: float
    size_px: tuple[int, int]
    thumbnails: NDArray[np.float64]

    def started_s(self, seen: Sequence[tuple[float, Sequence[int]]]) -> float:
        """Return when the first frame was shown, from moments with small grey pictures of what was shown.

        Parameters
        ----------
        seen : sequence of (float, sequence of int)
            Seconds, and the grey values.
        """
        # What all frames share tells nothing, and the browser scales it in another way.
        film = self.thumbnails - np.median(self.thumbnails, axis=0)
        shown = np.asarray([values for _, values in seen], np.float64)
        shown -= np.median(shown, axis=0)
        best = [int(np.abs(film - picture).mean(axis=1).argmin()) for picture in shown]
        starts = np.sort(
            [moment_s - number / self.fps for (moment_s, _), number in zip(seen, best, strict=True)]
        )
        # A frame at rest looks like its neighbours; those in which something moves agree on one start.
        ends = np.searchsorted(starts, starts + 1 / self.fps)
        first = int((ends - np.arange(len(starts))).argmax())
        agreeing = starts[first : ends[first]]
        assert len(agreeing) > 10, f"{len(agreeing)} of {len(seen)} moments agree"
        return float(np.median(agreeing))


def write_y4m(film: Film, path: Path, fps: float, rest_s: float = 8.0) -> FilmedPhone:
    """Write a film as YUV4MPEG2, with a rest at its end, since the fake camera begins again after it.

    Parameters
    ----------
    film : Film
        The film.
    path : Path
        The file.
    fps : float
        Frames a second.
    rest_s : float
        Seconds of the last frame.
    """
    thumbnails = []
    with path.open("wb") as file:
        picture = b""
        for number, (_, frame) in enumerate(film.frames(fps)):
            height, width = (side // 2 * 2 for side in frame.shape[:2])
            if number == 0:
                file.write(f"YUV4MPEG2 W{width} H{height} F{fps:.0f}:1 Ip A1:1 C420mpeg2\n".encode())
            even = np.ascontiguousarray(frame[:height, :width])
            picture = b"FRAME\n" + cv2.cvtColor(even, cv2.COLOR_BGR2YUV_I420).tobytes()
            file.write(picture)
            small = cv2.resize(even, THUMBNAIL, interpolation=cv2.INTER_AREA)
            thumbnails.append(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).ravel())
        file.write(picture * int(rest_s * fps))
    return FilmedPhone(
        path=path, fps=fps, size_px=(width, height), thumbnails=np.asarray(thumbnails, np.float64)
    )


def browser_arguments_for(path: Path) -> list[str]:
    """Return Chromium's arguments for a fake camera that shows a file."""
    return [
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={path}",
    ]


@contextlib.contextmanager
def serve_phone(
    folder: Path, edition: Edition, players: Sequence[str], **options: Any
) -> Iterator[tuple[RunningServer, LiveGame, PhoneCamera]]:
    """Serve a table whose camera is a phone, and follow it, until the block ends.

    Parameters
    ----------
    folder : Path
        For its journal.
    edition : Edition
        The edition.
    players : sequence of str
        Their names.
    **options
        As for `serve_tables`.
    """
    table = open_table(folder, edition=edition.name, players=players)
    phone = PhoneCamera()
    recognizer = load_recognizer("network", edition)
    worker = VideoWorker(
        table,
        GameSettings(name="final", source="phone"),
        lambda: GameContext(edition=edition, recognizer=recognizer),
        open_it=lambda _text, _fps: phone.source,
        on_stop=phone.source.close,
        notify=lambda _: None,
    )
    with serve_tables(table, phones={"final": phone}, **options) as air:
        worker.start()
        try:
            yield air, table, phone
        finally:
            worker.stop()


def open_phone(page: Page, air: RunningServer) -> None:
    """Sign a page in with a camera's code, as the console's QR code does, and press Start."""
    page.goto(f"{air.address}/phone?table=final#{TOKEN}")
    page.locator("#send").click()
    page.wait_for_selector('html[data-state="sending"]')


def record_video(page: Page) -> None:
    """Let a phone's page record what its video shows, and when."""
    page.evaluate(
        """([width, height]) => {
          const video = document.querySelector("video");
          const canvas = new OffscreenCanvas(width, height);
          const context = canvas.getContext("2d", { willReadFrequently: true });
          context.imageSmoothingQuality = "high";
          window.seen = [];
          function keep() {
            const now = Date.now() / 1000;
            context.drawImage(video, 0, 0, width, height);
            const { data } = context.getImageData(0, 0, width, height);
            const grey = [];
            for (let place = 0; place < data.length; place += 4) {
              grey.push(Math.round(0.114 * data[place + 2] + 0.587 * data[place + 1] + 0.299 * data[place]));
            }
            window.seen.push([now, grey]);
            video.requestVideoFrameCallback(keep);
          }
          video.requestVideoFrameCallback(keep);
        }""",
        list(THUMBNAIL),
    )


def record_paints(page: Page) -> None:
    """Let an overlay record when it painted each state, by its number."""
    page.evaluate(
        """() => {
          window.painted = {};
          new MutationObserver(() => {
            const { sequence } = document.documentElement.dataset;
            requestAnimationFrame(() => setTimeout(() => {
              window.painted[sequence] ??= Date.now() / 1000;
            }));
          }).observe(document.documentElement, { attributes: true, attributeFilter: ["data-sequence"] });
        }"""
    )


def delays_of(film: Film, table: LiveGame, started_s: float, overlay: Page) -> list[float]:
    """Return the seconds from hands off to the painted overlay, for each play of the film.

    Parameters
    ----------
    film : Film
        The film, all of whose plays were reported.
    table : LiveGame
        The table.
    started_s : float
        When the film's first frame was shown.
    overlay : Page
        The overlay, which recorded its paints.
    """
    painted = overlay.evaluate("window.painted")
    plays = [
        (number, event["score"])
        for number, events in table.events_after(0)[1]
        for event in events
        if event["event"] == "play"
    ]
    delays, last = [], 0
    for event in film.events:
        last = next(number for number, score in plays if number > last and score == event.score)
        delays.append(round(painted[str(last)] - started_s - event.hands_off_s, 2))
    return delays
