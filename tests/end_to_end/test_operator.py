"""An operator's slips on a film, by keyboard alone: record and board end equal, and viewers see the right one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from samples import Mishaps, icelandic_style, random_film
from scoring import parse_play
from tests.support.browser import wait_for_sequence
from tests.support.on_air import TOKEN, open_table, send_commands, serve_tables
from tests.support.simulated_camera import SimulatedCamera
from vision.capture import Frame
from vision.pipeline import GameContext, VideoTracker, load_recognizer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow
FILM_SEED = 4
"""Three plays, of which the last is taken off again."""


def open_ready(open_page: Callable[..., Page], address: str) -> Page:
    """Open a page on a tablet, and wait until it shows the game."""
    page = open_page(address, 1024, 768)
    page.wait_for_selector("html[data-sequence]", state="attached")
    return page


PAGES = {
    "token": ("/console", "#entrance:not([hidden])"),
    "overlay": ("/overlay", "html[data-sequence]"),
    "field": ("/obs/final/score?theme=light", "#field:not(:empty)"),
    "tables": ("/", "section.table"),
    "api": ("/api", "section.operation"),
    "commentary": (f"/commentary#{TOKEN}", "html[data-sequence]"),
    "start": ("/start?table=final", "html[data-sequence]"),
    "break": ("/break?table=final&theme=light", "html[data-sequence]"),
    "hall": ("/hall", "html[data-tables]"),
    "console": (f"/console#{TOKEN}", "html[data-sequence]"),
}


def test_axe_finds_nothing(tmp_path: Path, browser: Browser) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    table = open_table(tmp_path, clock_s=60.0)
    camera = SimulatedCamera(table)
    camera.show(camera.board.with_tiles(parse_play("8D HRAKI", table.state.edition.tokens)))
    found = {}
    with serve_tables(table) as air:
        context = browser.new_context(viewport={"width": 1024, "height": 768}, reduced_motion="reduce")
        page = context.new_page()

        def examine(name: str) -> None:
            for each in axe.run(page).response["violations"]:
                found[name, each["id"]] = [node["html"] for node in each["nodes"]]

        for name, (path, ready) in PAGES.items():
            page.goto(f"{air.address}{path}")
            page.wait_for_selector(ready, state="attached")
            examine(name)
        page.keyboard.press("?")
        examine("keys")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="devices").click()
        page.get_by_role("button", name="Sign another device in").click()
        page.wait_for_selector("#devices figure:not([hidden])")
        examine("devices")
        page.keyboard.press("Escape")
        page.keyboard.press("u")
        page.wait_for_selector("#attention.differs")
        examine("alarm")
        context.close()
    assert found == {}


def letters(page: Page) -> list[str]:
    return sorted(page.locator("#board .tile .letter, #board-place .tile .letter").all_text_contents())


def test_an_operators_slips_on_a_film(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    film = random_film(
        np.random.default_rng(FILM_SEED),
        "icelandic",
        plays=3,
        mishaps=Mishaps(withdraw=0.4),
        cell_px=28,
        style=icelandic_style(),
    )
    table = open_table(tmp_path, players=film.players)
    frames = film.frames(8.0)
    number = 0

    def watch_until(n_events: int) -> None:
        """Let the film go on until the record has had so many changes by the camera."""
        nonlocal number
        for time_s, image in frames:
            batch = table.see(Frame(image_bgr=image, source="film", index=number, time_s=time_s))
            number += 1
            if batch is not None and batch.updates and len(table.state.game.events) >= n_events:
                return

    with serve_tables(table) as air:
        console = open_ready(open_page, f"{air.address}/console#{TOKEN}")
        overlay = open_ready(open_page, f"{air.address}/overlay")

        def shown() -> None:
            """Both pages show the board and the totals of the record."""
            for page in (console, overlay):
                wait_for_sequence(page, table.state.sequence)
                assert letters(page) == sorted(tile.token.upper() for tile in table.state.game.board.tiles())
                totals = page.locator("#players .score").all_inner_texts()
                assert totals == [str(total) for total in table.state.game.totals]

        table.attach(
            VideoTracker(
                table.state.game,
                GameContext(edition=table.state.edition, recognizer=load_recognizer("network", film.edition)),
            )
        )
        watch_until(2)
        shown()
        scene = overlay.locator("#scene").bounding_box()
        assert scene is not None
        assert scene["width"] == 1024.0, "the overlay fills its page"
        totals = table.state.game.totals

        # A play that the camera saw is undone by mistake: the console asks at once, one key takes the board.
        console.keyboard.press("u")
        console.wait_for_selector("#attention.differs .alarm")
        assert "Misread, or taken off?" in console.locator("#attention .alarm").inner_text()
        assert console.locator(".mark.differs").count() == len(film.events[1].play)
        shown()
        console.keyboard.press("b")
        console.wait_for_selector("#attention:not(.differs)")
        assert table.state.game.totals == totals
        shown()

        # The same, and nobody looks: with the next play the tiles count again, and redo says why it is not needed.
        console.keyboard.press("u")
        console.wait_for_selector("#attention.differs .alarm")
        watch_until(3)
        console.wait_for_selector("#attention:not(.differs)")
        shown()
        assert [event.kind for event in table.state.game.events[:3]] == ["play"] * 3
        console.keyboard.press("r")
        console.wait_for_selector("#telling .answer:not(:empty)")
        assert "in the record already" in console.locator("#telling .answer").inner_text()
        console.keyboard.press("Escape")

        # A forgotten pass is put into the list of moves by keyboard: the plays after it change hands.
        owners = [event.player for event in table.state.game.events]
        name = table.state.game.players[owners[1]]
        for key in ("l", "ArrowDown", "i"):
            console.keyboard.press(key)
        assert console.locator("#words").input_value() == f"{name} pass"
        console.keyboard.press("Enter")
        console.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")
        assert [event.player for event in table.state.game.events] == [0, 1, 0, 1]
        shown()
        console.keyboard.press("Escape")
        console.keyboard.press("u")
        console.wait_for_function("() => document.querySelectorAll('#moves li').length === 3")
        assert [event.player for event in table.state.game.events] == owners

        # The camera sees the last play taken off; a challenge pressed now says why.
        watch_until(4)
        assert table.state.game.events[-1].kind == "withdrawn"
        console.wait_for_function("() => /withdrawn/.test(document.querySelector('#moves li').textContent)")
        console.keyboard.press("c")
        console.wait_for_function("() => /challenge/.test(document.querySelector('#moves li').textContent)")
        assert [event.kind for event in table.state.game.events] == ["play", "play", "play", "challenge"]
        watch_until(99)
        table.finish()
        shown()
        assert list(table.state.game.totals) == list(film.totals)
        assert table.state.difference is None


def test_tiles_of_several_letters_are_settled_as_they_are(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = open_table(tmp_path, edition="hungarian", players=("Anna", "Ben"))
    send_commands(table, "rack Anna [S][Z][SZ]?", "rack Ben A")
    with serve_tables(table) as air:
        console = open_ready(open_page, f"{air.address}/console#{TOKEN}")
        console.keyboard.press("e")
        console.wait_for_selector("#telling input:focus")
        assert console.input_value("#telling input") == "Anna=[S][Z][SZ]?, Ben=[A]"
        console.keyboard.press("Enter")
        console.wait_for_selector("#over:not(:empty)")
    values = table.state.game.edition.values
    assert table.state.game.totals == (-values["S"] - values["Z"] - values["SZ"], -values["A"])


def test_a_move_is_edited_as_it_was_recorded(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    table = open_table(tmp_path, edition="hungarian", players=("Anna", "Ben"))
    send_commands(table, "play 8F [S][Z]ÓL", "challenge lost")
    events = table.state.game.events
    with serve_tables(table) as air:
        console = open_ready(open_page, f"{air.address}/console#{TOKEN}")
        change = console.locator("#moves .edit button", has_text="Change")
        console.keyboard.press("l")
        assert change.is_disabled(), "a ruling is not changed by a text"
        console.keyboard.press("ArrowDown")
        assert change.is_enabled()
        console.keyboard.press("Enter")
        assert console.input_value("#telling input") == "Anna play 8F [S]ZÓL"
        console.keyboard.press("Enter")
        console.wait_for_selector("#telling:not(.asking)")
    assert table.state.game.events == events


def test_a_table_of_three_by_keys_on_a_cyrillic_keyboard(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = open_table(tmp_path, players=("Anna", "Jón Þór", "Ása"), clock_s=60.0)
    send_commands(table, "play 8D HRAKI", "play G6 LO.I")
    with serve_tables(table) as air:
        page = open_ready(open_page, f"{air.address}/console#{TOKEN}")

        def press(code: str, key: str) -> None:
            page.evaluate(
                "([code, key]) => document.activeElement.dispatchEvent("
                "new KeyboardEvent('keydown', { code, key, bubbles: true, cancelable: true }))",
                [code, key],
            )

        def waits(sequence: int) -> None:
            wait_for_sequence(page, sequence)

        press("KeyV", "м")
        assert page.locator("#telling .choices button").all_inner_texts() == ["Anna1", "Ása2"]
        press("Digit2", "2")
        waits(3)
        event = table.state.game.events[-1]
        assert (event.kind, event.challenger) == ("challenge", 2)  # type: ignore[union-attr]
        assert page.locator("#moves li .what").first.inner_text() == "challenge lost: Ása"
        press("KeyG", "П")
        press("Digit2", "2")
        waits(4)
        assert table.state.game.turn == 1
        press("KeyS", "Ы")
        press("Digit3", "3")
        page.keyboard.type("abð")
        page.keyboard.press("Enter")
        waits(5)
        page.wait_for_selector("#telling:not(.asking)")  # the state may come before the answer to the command
        assert table.state.known_racks(2e9)[2] == ("A", "B", "Ð")
        press("KeyA", "Ф")
        press("Digit1", "1")
        waits(6)
        press("Slash", "?")
        page.wait_for_selector("#help[open]")
        assert page.locator("#help td", has_text="Challenge: stays").count() == 1
        page.keyboard.press("Escape")
        assert page.locator("#help[open]").count() == 0
