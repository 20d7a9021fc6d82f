"""The documents' picture of a phone that is the camera: its page, and the code in the console.

Run it as ``python -m docs.figures.phone_picture``; it needs Chromium. A rendered film is the phone's camera.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import cv2
import numpy as np

from docs.figures.images import IMAGES
from samples import icelandic_style, random_film
from tests.support.browser import CHROMIUM
from tests.support.filmed_phone import browser_arguments_for, open_phone, serve_phone, write_y4m
from tests.support.on_air import TOKEN

SEED, PLAYS, FPS = 1, 3, 8.0
QUALITY = 84
HEIGHT_PX = 844
ADDRESS = "https://192.168.1.20:8000"
PIXEL = "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36"


def main() -> None:
    """Follow the film and take a screenshot of both pages."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    from playwright.sync_api import sync_playwright

    film = random_film(
        np.random.default_rng(SEED), "icelandic", plays=PLAYS, cell_px=44, style=icelandic_style()
    )
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        camera = write_y4m(film, folder / "film.y4m", FPS)
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", *browser_arguments_for(camera.path)],
        )
        with serve_phone(folder, film.edition, film.players, outside_url=ADDRESS) as (air, _, _):
            page = browser.new_page(viewport={"width": 390, "height": HEIGHT_PX}, user_agent=PIXEL)
            open_phone(page, air)
            page.wait_for_selector("#view polygon", state="attached")
            console = browser.new_page(viewport={"width": 1180, "height": HEIGHT_PX})
            console.goto(f"{air.address}/console#{TOKEN}")
            console.locator("#phone-button").click()
            page.wait_for_timeout(1000 * film.seconds)
            shots = []
            for each in (page, console):
                data = np.frombuffer(each.screenshot(), np.uint8)
                shots.append(np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8))
            browser.close()
    gap = np.full((HEIGHT_PX, 16, 3), 255, np.uint8)
    cv2.imwrite(
        str(IMAGES / "phone.jpg"), np.hstack([shots[0], gap, shots[1]]), [cv2.IMWRITE_JPEG_QUALITY, QUALITY]
    )


if __name__ == "__main__":
    main()
