"""The documents' pictures of the overlay and the console: screenshots while a rendered film is followed.

Run it as ``python -m docs.figures.on_air_pictures``; it needs Chromium. The words are of Debian's list hunspell-is.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
from pathlib import Path

import numpy as np

from docs.figures.images import IMAGES
from samples import icelandic_style, random_film
from scoring import Game, Play
from tests.support.browser import CHROMIUM
from tests.support.on_air import TOKEN, open_table, send_commands, serve_tables
from tilesight.output import UncertainTile, UpdateEvent
from vision.capture import Frame
from vision.pipeline import GameContext, VideoTracker, load_recognizer

SEED = 4
WORDS = ("8E ÞORN", "9C SNÚ", "F7 BOÐNIR", "11C REXI", "C9 SÖRLA", "H4 PÁSAN", "4D STEYPA", "E2 SÝTA")
QUALITY = 82


def list_plays() -> list[Play]:
    """List the plays of the film."""
    game = Game("icelandic", ["Anna", "Jón"])
    for text in WORDS:
        game = game.with_play(text)
    return [placed.play for placed in game.state.plays]


def main() -> None:
    """Follow the film and take screenshots of both pages."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    from playwright.sync_api import sync_playwright

    film = random_film(
        np.random.default_rng(SEED), "icelandic", plays=list_plays(), cell_px=34, style=icelandic_style()
    )
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        table = open_table(
            folder, players=("Anna", "Jón"), clock_s=1500.0, title="Íslandsmót · úrslit, borð 1"
        )
        air = stack.enter_context(serve_tables(table))
        table.attach(
            VideoTracker(
                table.state.game,
                GameContext(
                    edition=table.state.game.edition, recognizer=load_recognizer("network", film.edition)
                ),
            )
        )
        for number, (time_s, image) in enumerate(film.frames(8.0)):
            table.see(Frame(image_bgr=image, source="film", index=number, time_s=time_s))
        tile = table.state.game.state.plays[-1].play.placements[0]
        doubt = UncertainTile(
            row=tile.row, column=tile.column, token=tile.token, confidence=0.61, others=(("Y", 0.33),)
        )
        # the renderer's letters are clear: the doubt that the console shows is added
        event = UpdateEvent(kind="play", player="Anna", uncertain_tiles=(doubt,))
        table._recorder.commit(table.state.game, [event])
        send_commands(
            table, "rack Anna AVNÉGIT", "rack Jón EGAIGAÍ", "time Anna 18:41", "time Jón 21:07", "start"
        )
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, path, width, height in (
            ("overlay", "/overlay", 1920, 1080),
            ("console", f"/console#{TOKEN}", 1280, 960),
        ):
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(f"{air.address}{path}")
            page.wait_for_selector("html[data-sequence]", state="attached")
            if name == "overlay":
                page.evaluate("() => { document.body.style.background = '#4c6470'; }")
            else:
                time.sleep(2.0)
                page.keyboard.press("d")
            time.sleep(1.5)
            page.screenshot(path=IMAGES / f"on-air-{name}.jpg", type="jpeg", quality=QUALITY)
        browser.close()


if __name__ == "__main__":
    main()
