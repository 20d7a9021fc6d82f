"""The documents' picture of the photo page: a screenshot with a photo of the shipped sample.

Run it as ``python -m docs.figures.photo_page_picture``; it needs Chromium.
"""

from __future__ import annotations

from docs.figures.images import IMAGES
from scoring import edition_names, load_edition
from tests.sets.labelled_photos import SAMPLE
from tests.support.browser import CHROMIUM
from tests.support.on_air import TOKEN, serve_tables
from tilesight.web.photo import PhotoService

QUALITY = 82
PATIENCE_MS = 60_000


def main() -> None:
    """Send a photo, and take a screenshot of the page with a square that is corrected."""
    from playwright.sync_api import sync_playwright

    photos = PhotoService([load_edition(name) for name in edition_names()])
    with serve_tables(photos=photos) as air, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1180, "height": 860})
        page.goto(f"{air.address}/photo#{TOKEN}")
        page.set_input_files("#choose", SAMPLE / "turn-05.jpg")
        page.locator("#texts").wait_for(timeout=PATIENCE_MS)
        page.locator("#board .cell").nth(7 * 15 + 5).click()
        page.get_by_role("button", name="other …").click()
        page.wait_for_timeout(500)
        page.screenshot(path=str(IMAGES / "photo-page.jpg"), type="jpeg", quality=QUALITY)
        browser.close()


if __name__ == "__main__":
    main()
