"""Times of the digitising report of a thousand photos in a real browser.

The photos are rendered: a game and single boards, each many times in different light, as files of their own. The
measurement also draws the documents' picture of the report.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np

from docs.figures.images import blur_square
from docs.figures.report_picture import draw_report
from scoring import edition_names, load_edition
from tests.sets.club_boards import club_photo
from tests.sets.shuffled_games import game_photos
from tests.support.browser import CHROMIUM
from tests.support.digitised import read_lines
from tilesight.digitise import pipeline as run_module
from tilesight.digitise.reading import PhotoRecord, ReadOptions, Result
from tilesight.digitise.report import as_data, frame_photos, photo_data
from tilesight.digitise.sources import find_source_files
from tilesight.digitise.workers import Task, run_task

__all__ = ["PHOTOS", "measure"]

PHOTOS = 1_000
EDITIONS = (
    *("english", "hungarian", "norwegian", "danish", "polish"),
    *("german", "french", "swedish", "finnish", "spanish"),
)
BLUR_SHARE = 0.14
"""The blur of two tiles of a photo, of the square's side: the report lists photos with doubtful squares; chosen."""


class InlinePool:
    """A pool that runs tasks in this process."""

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Run the tasks one after the other."""
        for task in tasks:
            yield task, run_task(task.data, task.name, task.options)


def digitise_photos(source: Path, out: Path) -> None:
    """Render photos into `source` and digitise them in this process."""
    source.mkdir(parents=True)
    for turn, photo in enumerate(game_photos("icelandic", 3)[1]):
        (source / f"evening-{turn:02d}.jpg").write_bytes(photo)
    for number, edition in enumerate(EDITIONS):
        scene = club_photo(edition, number + 50, 44.0)
        tiles = [
            (row, column)
            for row, tokens in enumerate(scene.rows)
            for column, token in enumerate(tokens)
            if token not in (".", "#", "?") and not token.islower()
        ]
        image = scene.image_bgr
        for square in tiles[number :: len(tiles) // 2]:
            image = blur_square(image, scene.corners_px, square, BLUR_SHARE)
        cv2.imwrite(str(source / f"table-{number:02d}.jpg"), image)
    setattr(run_module, "open_pool", lambda *_: contextlib.nullcontext(InlinePool()))  # noqa: B010
    options = ReadOptions(editions=tuple(map(load_edition, edition_names())))
    run = run_module.Run(files=find_source_files([str(source)]), folder=out, options=options)
    run_module.digitise(run, lambda *_: None)


def write_report(source: Path, out: Path) -> None:
    """Write a report of `PHOTOS` photos, each with its own pictures."""
    records, games = (read_lines(source / name) for name in ("photos.jsonl", "games.jsonl"))
    rng = np.random.default_rng(1)
    for folder in ("boards", "thumbnails"):
        (out / folder).mkdir(parents=True)
    photos = []
    for number in range(PHOTOS):
        record, name = dict(records[number % len(records)]), f"{number:04d}.jpg"
        light = float(rng.uniform(0.8, 1.2))
        for key, folder in (("board", "boards"), ("thumbnail", "thumbnails")):
            image = cv2.convertScaleAbs(np.asarray(cv2.imread(str(source / record[key]))), alpha=light)
            cv2.imwrite(str(out / folder / name), image, [cv2.IMWRITE_JPEG_QUALITY, 75])
            record[key] = f"{folder}/{name}"
        stem = Path(record["image"]).stem
        image_name = f"club/{2014 + number % 9}/{stem}-{number // len(records):02d}.jpg"
        record |= {"sha256": f"{number:064x}", "image": image_name}
        photos.append(as_data(photo_data(PhotoRecord.from_json(record))))
    before, after = frame_photos(games, map(load_edition, edition_names()))
    (out / "report.html").write_text(before + ",".join(photos) + after)


def measure(folder: Path) -> Iterator[tuple[str, str]]:
    """Open the report in Chromium and click as a person would; draw the documents' picture."""
    from playwright.sync_api import sync_playwright

    digitise_photos(folder / "in", folder / "out")
    write_report(folder / "out", folder / "thousand")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1360, "height": 900})
        page.goto(f"file://{folder}/thousand/report.html")
        page.wait_for_selector(".card")
        shown_ms = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
        # timed in the page, until the next frame is drawn
        timed = """(act) => new Promise((done) => { const start = performance.now(); eval(act);
            requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start))); })"""
        by_name = "const s = element('sort'); s.value = 'name'; s.dispatchEvent(new Event('change'))"
        filter_ms = page.evaluate(timed, by_name)
        page.select_option("#show", "doubtful")
        page.wait_for_timeout(800)
        most = "(photo) => doubtsOf(photo).filter(([, , , , tokens]) => tokens.length > 1).length"
        order = f"shown.slice(0, 24).sort((a, b) => ({most})(b) - ({most})(a))"
        open_ms = page.evaluate(timed, f"{order}[0].card.click()")
        page.keyboard.press("Escape")
        draw_report(page)
        browser.close()
    yield (
        f"the report of {PHOTOS} photos in Chromium: shown, sorted anew, a board opened",
        f"{shown_ms:.0f} ms, {filter_ms:.0f} ms, {open_ms:.0f} ms",
    )
