"""The report page of three photos, in a browser that must neither fail nor ask anything of the network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from scoring import load_edition
from tilesight.digitise.reading.photo_record import PhotoRecord
from tilesight.digitise.report.page import as_data, frame_photos, photo_data
from tilesight.digitise.results.corrections import BoardOrientation, Corrections, load_corrections

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

LAY = BoardOrientation(turn=0, rows=15, columns=15)
STRANGE = "<img src=x onerror=alert(1)>.jpg"
STORED, NOTHING = "JSON.stringify(localStorage)", "{}"
MAX_RELOADS = 30


def record(number: int, name: str, word: str, sure: float) -> dict[str, Any]:
    rows = [["."] * 15 for _ in range(15)]
    rows[7][7 : 7 + len(word)] = list(word)
    confidence = [[1.0] * 15 for _ in range(15)]
    confidence[7][7] = sure
    doubtful = sure < 0.9
    return {
        "image": name,
        "status": "ok",
        "edition": "english",
        "edition_probability": 0.97,
        "rows": rows,
        "confidence": confidence,
        "doubts": [{"square": [7, 7], "reason": "another reading is likely too"}] if doubtful else [],
        "alternatives": [{"square": [7, 7], "tokens": {word[0]: sure, "G": 1 - sure}}] if doubtful else [],
        "tiles": len(word),
        "doubt": 1 - sure,
        "sha256": f"{number:064x}",
        "board": "board.jpg",
        "thumbnail": "board.jpg",
    }


def write_report(folder: Path, *taken: str) -> None:
    """Write the report of a board, of one in doubt, and of a wall; with `taken`, two of them have these times."""
    cv2.imwrite(str(folder / "board.jpg"), np.full((480, 480, 3), 200, np.uint8))
    play = {"event": "play", "player": "A", "position": "8H", "word": "CAT", "score": 10, "photo": "a.jpg"}
    game = {"game": "game-0001", "edition": "english", "players": ["A"], "totals": [9], "photos": ["a.jpg"]}
    editions = map(load_edition, ("english", "hungarian", "polish"))
    before, after = frame_photos([{**game, "plays": [play], "gaps": [STRANGE]}], editions)
    picture = {"width": 600, "height": 400}
    records = [
        {**record(1, "a.jpg", "CAT", 0.99), **picture, "game": "game-0001", "taken": "2014-10-25T16:39:20"},
        {**record(2, STRANGE, "COAT", 0.6), "edition_probability": 0.4},
    ]
    wall = {"image": "wall.jpg", "status": "board-not-found", "message": "wall.jpg: there is no board"}
    size = {"width": 4800, "height": 4800}
    records.append({**wall, **size, "sha256": f"{3:064x}", "board": None, "thumbnail": "board.jpg"})
    for each, time in zip((records[0], records[2]), taken, strict=False):
        each["taken"] = time
    photos = ",\n".join(as_data(photo_data(PhotoRecord.from_json(each))) for each in records)
    (folder / "report.html").write_text(before + photos + after)


@contextmanager
def open_report(browser: Browser, folder: Path) -> Iterator[Page]:
    """Open the page."""
    with browser.new_context(viewport={"width": 1200, "height": 800}) as context:
        opened = context.new_page()
        opened.add_init_script(
            "window.showSaveFilePicker = undefined"
        )  # a dialog of the system: nobody could answer it
        problems: list[str] = []
        opened.on("dialog", lambda dialog: problems.append(dialog.message))
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on("request", lambda request: problems.append(request.url))
        opened.goto(f"file://{folder}/report.html")
        yield opened
    own = ("file:", "blob:")
    assert [each for each in problems if not each.startswith(own)] == []


def card(page: Page, name: str) -> Locator:
    """Return the card of a photo."""
    return page.locator(".card", has_text=name)


def reloaded(page: Page) -> None:
    """Load the page again until it has what it stored, or what it made of that; the browser hands it on in its time."""
    stored, seen = page.evaluate(STORED), NOTHING
    for _ in range(MAX_RELOADS):
        page.wait_for_timeout(300)
        page.reload()
        before, seen = seen, page.evaluate(STORED)
        if seen == stored or NOTHING != seen == before:
            return
    raise AssertionError(f"the page has {seen} of {stored}")


def wait_for_store(page: Page, other: Page) -> None:
    """Wait until another page has what a page stored; a browser keeps some pairs of pages of files apart for good."""
    from playwright.sync_api import Error

    try:
        other.wait_for_function(f"stored => {STORED} === stored", arg=page.evaluate(STORED), timeout=10_000)
    except Error:
        pytest.skip("this browser handed nothing on between two pages of files")


def saved_text(page: Page, path: Path) -> str:
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(path)
    return path.read_text(encoding="utf-8")


def saved(page: Page, path: Path) -> Corrections:
    saved_text(page, path)
    return load_corrections(path)
