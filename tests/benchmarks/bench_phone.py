"""Measure a phone as camera: plays, and the delay from hands off to the painted overlay.

Run it as ``python -m tests.benchmarks.bench_phone``. Chromium's fake camera shows a film at its own speed; browser,
server and reading share this machine, so each line names the load.

Measured on 2026-11-23, two cores, while other work ran::

    film 1 on a mount: 952 x 830, 9.6 pictures a second, 6/6 plays, delay p50 / p95 1.33 / 1.59 s, load 11.9
    film 2 on a mount: 932 x 932, 6.7 pictures a second, 6/6 plays, delay p50 / p95 1.52 / 1.91 s, load 11.3
    film 1 held in a hand, 20 px: 9.8 pictures a second, 6/6 plays, delay p50 / p95 1.45 / 6.17 s, load 13.0
    film 1 held in a hand, 20 px: 5.2 pictures a second, 6/6 plays, delay p50 / p95 1.95 / 3.98 s, load 15.1

At load 14, film 1 on a mount had 1.83 / 2.56 s, and the last two plays of the hand-held one were wrong.

Why JPEG over HTTP: on 2026-11-23 one canvas with a clock in its picture was sent in three ways on loopback, two cores,
load 9 to 13. Delay p50 / p95 in milliseconds, and letters read right 1 s after the board had changed:

===========================  ============  ===============  ==============  ===============
way                          1280 x 720    letters of 133   1920 x 1080     letters of 254
===========================  ============  ===============  ==============  ===============
JPEG over HTTP, one a time   38 / 67       128              178 / 398       237
JPEG over a WebSocket        58 / 122      127              119 / 278       236
WebRTC (aiortc 1.16, VP8)    97 / 180      101              164 / 1297      197
the picture itself                         127                              235
===========================  ============  ===============  ==============  ===============

A WebSocket is no faster where one picture is on its way at a time, and HTTP passes the checks of every other request.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from samples import CameraMotion, Film, icelandic_style, random_film
from tests.benchmarks.measuring import percentile
from tests.support.browser import CHROMIUM
from tests.support.filmed_phone import (
    browser_arguments_for,
    delays_of,
    open_phone,
    record_paints,
    record_video,
    serve_phone,
    write_y4m,
)

__all__ = ["measure"]

FPS = 12.0
CELL_PX = 40.0
PLAYS = 6
MOTIONS = {
    "on a mount": None,
    "held in a hand, 20 px": CameraMotion(kind="hand", amplitude_px=20.0),
}


def measure(name: str, film: Film) -> str:
    """Follow a film through the phone's page; return a line with what was seen and when.

    Parameters
    ----------
    name : str
        What the line calls it.
    film : Film
        The film.
    """
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory(prefix="tilesight-phone-") as folder, sync_playwright() as started:
        camera = write_y4m(film, Path(folder) / "film.y4m", FPS)
        arguments = ["--no-sandbox", "--disable-gpu", *browser_arguments_for(camera.path)]
        browser = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        with serve_phone(Path(folder), film.edition, film.players) as (air, table, phone):
            overlay = browser.new_page(viewport={"width": 1920, "height": 1080})
            overlay.goto(f"{air.address}/overlay?table=final")
            overlay.wait_for_selector("html[data-sequence]", state="attached")
            record_paints(overlay)
            page = browser.new_page(viewport={"width": 390, "height": 844})
            open_phone(page, air)
            record_video(page)
            page.wait_for_timeout(1000 * film.seconds + 4000)
            rate = 1 / phone.sender.interval_s if phone.sender is not None else 0.0
            page.locator("#send").click()
            reported = [(step.event.kind, step.score) for step in table.state.game.steps]
            truth = [(event.kind, event.score) for event in film.events]
            is_right = reported == truth
            started_s = camera.started_s(page.evaluate("window.seen"))
            delays = delays_of(film, table, started_s, overlay) if is_right else []
            browser.close()
    seen = f"{len(truth)}/{len(truth)} plays" if is_right else f"reported {reported}, played {truth}"
    times = f"{percentile(delays, 0.5):.2f} / {percentile(delays, 0.95):.2f} s" if delays else "-"
    width, height = camera.size_px
    return (
        f"{name}: {width} x {height}, {rate:.1f} pictures a second, {seen}, delay p50 / p95 {times}, "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )


def main() -> int:
    """Measure each way to hold the phone."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=2, help="films of each way to hold the phone")
    for seed in range(1, parser.parse_args().games + 1):
        film = random_film(
            np.random.default_rng(seed), "icelandic", plays=PLAYS, cell_px=CELL_PX, style=icelandic_style()
        )
        for name, motion in MOTIONS.items():
            print(measure(f"film {seed} {name}", replace(film, motion=motion)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
