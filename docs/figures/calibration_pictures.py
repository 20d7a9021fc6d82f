"""The pictures of the guide to calibration: the page, pictures to take, the report, and a board read with the profile.

Run it as ``python -m docs.figures.calibration_pictures``; it needs Chromium. The set has the typeface of fonts-dustin
where that is installed.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from calibration.session import CalibrationSession
from docs.figures.images import IMAGES, open_image, resize, save_figure
from tests.support.browser import CHROMIUM
from tests.support.on_air import TOKEN, open_table, serve_tables
from tests.support.unknown_club import Club
from vision.capture import Frame

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FOLDER = "calibration"
QUALITY = 82
SHEETS, SHOWN_SHEETS = 12, 8
"""The pictures of the sheet in the profile, and of those the ones that are taken on the page."""
TAKEN = ("sheet-05.jpg", "empty.jpg", "alphabet-1.jpg")
"""The pictures to take that are shown."""
STEPS = (
    "lens *sheet* --camera Club_camera",
    "board empty.jpg",
    "tiles alphabet-1.jpg alphabet-2.jpg --letters alphabet",
    "light empty.jpg alphabet-1.jpg game.jpg",
    "report game.jpg --out report.html",
)
"""The commands of the guide."""


def calibrate(folder: Path) -> None:
    """Make a profile of the pictures in a folder, its report, and the picture of a board that is read with it."""

    def run(*words: str) -> None:
        command = [str(Path(sys.executable).parent / "tilesight"), *words, "--profile", "club.json"]
        subprocess.run(command, cwd=folder, check=True)

    sheets = sorted(path.name for path in folder.glob("sheet-*.jpg"))
    for step in STEPS:
        words = [word.replace("_", " ") for word in step.split()]
        run("calibrate", *(each for word in words for each in (sheets if word == "*sheet*" else [word])))
    run("read", "game.jpg", "--edition", "english", "--picture", "with.png")


def photograph_page(browser: Browser, folder: Path) -> None:
    """Measure the lens on the page, and take a screenshot of it."""
    sheets = [open_image(folder / f"sheet-{number:02d}.jpg") for number in range(1, SHOWN_SHEETS + 1)]
    looks, before = itertools.count(), [sheets[0]]

    def newest_frame() -> Frame:
        return Frame(image_bgr=before[-1], source="0", index=next(looks))

    session = CalibrationSession(
        folder / "page" / "club.json",
        Club.english().edition,
        newest_frame=newest_frame,
        check=lambda: None,
        use=lambda profile: None,
    )
    (folder / "page").mkdir()
    table = open_table(folder / "page", edition="english")
    with serve_tables(table, calibrators={"final": session}) as air:
        page = browser.new_page(viewport={"width": 1280, "height": 900}, device_scale_factor=0.78)
        page.goto(f"{air.address}/calibrate#{TOKEN}")
        for number, sheet in enumerate(sheets, 1):
            before.append(sheet)
            page.click(".step.open [data-action=take]")
            page.wait_for_function(
                "count => document.querySelectorAll('.step.open .taken > *').length >= count", arg=number
            )
        page.click(".step.open [data-action=measure]")
        page.wait_for_timeout(5000)
        page.screenshot(path=IMAGES / FOLDER / "page.jpg", type="jpeg", quality=QUALITY)


def main() -> None:
    """Render the pictures of a club, calibrate with them, and write the pictures of the guide."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    from playwright.sync_api import sync_playwright

    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        Club.english().pictures(folder, sheets=SHEETS)
        calibrate(folder)
        shown = [resize(open_image(folder / name), 400) for name in TAKEN]
        save_figure(f"{FOLDER}/pictures.jpg", np.hstack(shown), QUALITY)
        save_figure(f"{FOLDER}/with.jpg", resize(open_image(folder / "with.png"), 1100), QUALITY)
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1056, "height": 1440}, device_scale_factor=0.758)
        page.goto((folder / "report.html").as_uri())
        page.screenshot(path=IMAGES / FOLDER / "report.jpg", type="jpeg", quality=QUALITY)
        photograph_page(browser, folder)
        browser.close()


if __name__ == "__main__":
    main()
