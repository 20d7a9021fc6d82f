"""The documents' picture of the photo page: a screenshot with a photo of the shipped sample, one tile of it blurred.

Run it as ``python -m docs.figures.photo_page_picture``; it needs Chromium.
"""

from __future__ import annotations

import argparse

import cv2
import numpy as np

import tilesight
from docs.figures.images import IMAGES, blur_square
from scoring import edition_names, load_edition
from tests.sets.labelled_photos import SAMPLE
from tests.support.browser import CHROMIUM
from tests.support.on_air import TOKEN, serve_tables
from tilesight.web.photo import PhotoService

QUALITY = 82
PATIENCE_MS = 60_000
PHOTO = SAMPLE / "turn-05.jpg"
SQUARE = (9, 3)
"""The square of the tile that is blurred: D10."""
BLUR_SHARE = 0.12
"""Of the square's side, so that the tile is in doubt; chosen."""


def blur_tile() -> bytes:
    """Blur one tile of the photo; the JPEG file."""
    found = tilesight.read(PHOTO, edition="icelandic")
    image = np.asarray(cv2.imread(str(PHOTO)), np.uint8)
    blurred = blur_square(image, found.photo_corners_px, SQUARE, BLUR_SHARE)
    return bytes(cv2.imencode(".jpg", blurred, [cv2.IMWRITE_JPEG_QUALITY, 88])[1])


def main() -> None:
    """Send a photo, and take a screenshot of the page with a square that is corrected."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    from playwright.sync_api import sync_playwright

    photos = PhotoService([load_edition(name) for name in edition_names()])
    with serve_tables(photos=photos) as air, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1180, "height": 860})
        page.goto(f"{air.address}/photo#{TOKEN}")
        page.set_input_files("#choose", {"name": PHOTO.name, "mimeType": "image/jpeg", "buffer": blur_tile()})
        page.locator("#texts").wait_for(timeout=PATIENCE_MS)
        page.locator("#board .cell").nth(SQUARE[0] * 15 + SQUARE[1]).click()
        page.get_by_role("button", name="other …").click()
        page.wait_for_timeout(500)
        page.screenshot(path=str(IMAGES / "photo-page.jpg"), type="jpeg", quality=QUALITY)
        browser.close()


if __name__ == "__main__":
    main()
