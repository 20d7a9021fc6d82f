"""The report page in a real browser: found, filtered, corrected by keys, and saved for the next run."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from vision.digitise.corrections import Correction, load_corrections
from vision.digitise.report import Report

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
STRANGE = "<img src=x onerror=alert(1)>.jpg"


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


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
    if CHROMIUM is None:
        pytest.skip("the browser tests need Debian's Chromium: apt-get install chromium")
    cv2.imwrite(str(tmp_path / "board.jpg"), np.full((480, 480, 3), 200, np.uint8))
    file = io.BytesIO()
    report = Report(file, [{"game": "game-0001", "edition": "english", "players": ["A"], "totals": [9],
                            "photos": ["a.jpg"], "plays": [], "gaps": [STRANGE]}], ["english", "polish"])  # fmt: skip
    report.add(record(1, "a.jpg", "CAT", 0.99))
    report.add(record(2, STRANGE, "COAT", 0.6))
    report.add({"image": "wall.jpg", "status": "board-not-found", "message": "no board"})
    report.end()
    (tmp_path / "report.html").write_bytes(file.getvalue())
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        opened = browser.new_page(viewport={"width": 1200, "height": 800})
        opened.add_init_script(
            "window.showSaveFilePicker = undefined"
        )  # a dialog of the system: nobody could answer it
        problems: list[str] = []
        opened.on("dialog", lambda dialog: problems.append(dialog.message))
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.goto(f"file://{tmp_path}/report.html")
        yield opened
        browser.close()
        assert problems == []


def names(page: Page) -> list[str]:
    return page.locator(".card .name").all_text_contents()


def test_a_square_is_corrected_by_a_key_and_saved_for_the_next_run(page: Page, tmp_path: Path) -> None:
    assert names(page) == ["wall.jpg", STRANGE, "a.jpg"]  # what needs a person most comes first
    page.fill("#find", "coat")
    page.locator(".card").nth(1).wait_for(state="detached")
    assert names(page) == [STRANGE]
    page.click(".card")
    assert page.locator("#square strong").text_content() == "H8"
    page.keyboard.press("G")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+E")
    assert page.locator("#board .fixed").all_text_contents() == ["G", "e"]
    assert page.locator("#unsaved-text").text_content() == "2 squares corrected"
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(tmp_path / "corrections.json")
    wanted = {f"{2:064x}": Correction(edition=None, squares={(7, 7): "G", (7, 8): "e"})}
    assert load_corrections(tmp_path / "corrections.json") == wanted
    page.reload()  # the browser keeps them until they are discarded
    assert page.locator("#unsaved-text").text_content() == "2 squares corrected"
    page.click("#discard")
    assert page.locator("#unsaved").is_hidden()


def test_the_edition_of_a_photo_is_corrected(page: Page, tmp_path: Path) -> None:
    page.fill("#find", "cat")
    page.locator(".card").nth(1).wait_for(state="detached")
    page.click(".card")
    edition = page.get_by_label("Edition", exact=True).locator("visible=true").last
    assert edition.locator("option").all_text_contents() == ["english (97%)", "polish"]
    edition.select_option("polish")
    assert page.locator("#unsaved-text").text_content() == "1 edition corrected"
    page.locator("#board .cell").nth(0).click()
    page.keyboard.press("Q")
    assert page.locator("#unsaved-text").text_content() == "1 square and 1 edition corrected"
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(tmp_path / "corrections.json")
    wanted = {f"{1:064x}": Correction(edition="polish", squares={(0, 0): "Q"})}
    assert load_corrections(tmp_path / "corrections.json") == wanted
    page.click("#close")
    assert page.locator(".card .line span").first.text_content() == "polish, 3 tiles"


def test_filters_and_games(page: Page) -> None:
    page.select_option("#status", "board-not-found")
    assert names(page) == ["wall.jpg"]
    page.select_option("#status", "")
    page.select_option("#show", "doubtful")
    assert names(page) == [STRANGE]
    page.fill("#find", "no such photo")
    page.wait_for_selector("#nothing:not([hidden])")
    page.click("#tab-games")
    page.click("details summary")
    assert page.locator(".gaps li").text_content() == STRANGE
    assert json.loads(page.evaluate("JSON.stringify(games[0].totals)")) == [9]
