"""The phone's page in a real browser: a rendered film is its camera, and its plays reach the overlay in time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from samples import Film, icelandic_style, random_film
from tests.support.filmed_phone import (
    FilmedPhone,
    browser_arguments_for,
    open_phone,
    record_paints,
    record_video,
    serve_phone,
    write_y4m,
)
from tests.support.on_air import RunningServer
from tilesight.live import LiveGame
from tilesight.web import PhoneCamera

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Open = Callable[..., Page]

pytestmark = pytest.mark.slow
FPS = 8.0
PHONE = (390, 844)


@pytest.fixture(scope="module")
def film() -> Film:
    return random_film(np.random.default_rng(1), "icelandic", plays=3, cell_px=28, style=icelandic_style())


@pytest.fixture(scope="module")
def camera(film: Film, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FilmedPhone]:
    path = tmp_path_factory.mktemp("phone") / "film.y4m"
    yield write_y4m(film, path, FPS)
    path.unlink()


@pytest.fixture(scope="module")
def browser_arguments(camera: FilmedPhone) -> list[str]:
    return browser_arguments_for(camera.path)


@pytest.fixture
def served(film: Film, tmp_path: Path) -> Iterator[tuple[RunningServer, LiveGame, PhoneCamera]]:
    with serve_phone(tmp_path, film.edition, film.players) as made:
        yield made


def test_a_filmed_phone_brings_every_play_to_the_overlay(
    film: Film, camera: FilmedPhone, served: tuple[RunningServer, LiveGame, PhoneCamera], open_page: Open
) -> None:
    air, table, _ = served
    overlay = open_page(f"{air.address}/overlay?table=final")
    overlay.wait_for_selector('html[data-sequence="0"]', state="attached")
    record_paints(overlay)
    page = open_page("about:blank", *PHONE)
    open_phone(page, air)
    record_video(page)
    page.wait_for_timeout(1000 * film.seconds + 2500)
    plays = [(event.kind, event.score) for event in film.events]
    told = [(step.event.kind, step.score) for step in table.state.game.steps]
    painted = overlay.evaluate("window.painted")
    json.dump(page.evaluate('window.seen'), open('/tmp/h/seen.json','w')); np.save('/tmp/h/thumbs.npy', camera.thumbnails)
    started_s = camera.started_s(page.evaluate("window.seen"))
    page.locator("#send").click()
    assert told == plays
    numbers = {}
    for number, events in table.events_after(0)[1]:
        for event in events:
            if event["event"] == "play":
                numbers.setdefault(event["position"], number)
    delays = [
        painted[str(number)] - started_s - event.hands_off_s
        for number, event in zip(numbers.values(), film.events, strict=True)
    ]
    print("from hands off to the painted overlay:", [round(delay, 2) for delay in delays])
    assert np.percentile(delays, 95) < 2.0
