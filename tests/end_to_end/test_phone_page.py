"""The phone's page in a real browser: a rendered film is its camera, and its plays reach the overlay."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from samples import Film, icelandic_style, random_film
from tests.support.browser import wait_while_page_runs
from tests.support.filmed_phone import (
    FilmedPhone,
    browser_arguments_for,
    open_phone,
    serve_phone,
    write_y4m,
)
from tests.support.on_air import TOKEN, RunningServer, open_table, serve_tables
from tilesight.web import PhoneCamera
from vision.capture import Frame, Interruption

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Page, Route

    Open = Callable[..., Page]

pytestmark = pytest.mark.slow
FPS = 8.0
PHONE = (390, 844)
LOW_BATTERY = (
    "navigator.getBattery = async () => Object.assign(new EventTarget(), { charging: false, level: 0.12 });"
)


@pytest.fixture(scope="module")
def film() -> Film:
    return random_film(np.random.default_rng(1), "icelandic", plays=3, cell_px=28, style=icelandic_style())


@pytest.fixture(scope="module")
def camera(film: Film, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FilmedPhone]:
    path = tmp_path_factory.mktemp("phone") / "film.y4m"
    yield write_y4m(film, path, FPS, rest_s=20.0)  # on a busy machine, the last play is reported late
    path.unlink()


@pytest.fixture(scope="module")
def browser_arguments(camera: FilmedPhone) -> list[str]:
    return browser_arguments_for(camera.path)


@pytest.fixture
def phone() -> PhoneCamera:
    return PhoneCamera()


@pytest.fixture
def air(tmp_path: Path, phone: PhoneCamera) -> Iterator[RunningServer]:
    """A table whose camera is a phone, without anybody who reads its pictures."""
    with serve_tables(open_table(tmp_path), phones={"final": phone}) as running:
        yield running


@pytest.fixture
def items(phone: PhoneCamera) -> Iterator[list[Frame | Interruption]]:
    """What the table gets from the phone."""
    got: list[Frame | Interruption] = []

    def read() -> None:
        for item in phone.source.frames():
            got.insert(len(got), item)

    reader = threading.Thread(target=read)
    reader.start()
    yield got
    phone.source.close()
    reader.join(5)


def state_of(page: Page, state: str) -> None:
    page.wait_for_selector(f'html[data-state="{state}"]', state="attached")


def test_a_filmed_phone_brings_every_play_to_the_overlay(film: Film, tmp_path: Path, open_page: Open) -> None:
    with serve_phone(tmp_path, film.edition, film.players) as (air, table, _):
        overlay = open_page(f"{air.address}/overlay?table=final")
        overlay.wait_for_selector("html[data-sequence]", state="attached")
        page = open_page("about:blank", *PHONE)
        open_phone(page, air)
        page.wait_for_selector("#view polygon", state="attached")  # the grid is drawn
        overlay.wait_for_selector(f"#moves li:nth-child({len(film.events)})")
        overlay.wait_for_timeout(200)
        page.locator("#send").click()
        state_of(page, "off")
        told = [(step.event.kind, step.score) for step in table.state.game.steps]
        assert told == [(event.kind, event.score) for event in film.events]


def violations(*pages: Page) -> list[tuple[str, str]]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    return [
        (each["id"], node["html"])
        for page in pages
        for each in axe.run(page).response["violations"]
        for node in each["nodes"]
    ]


def open_phone_and_console(air: RunningServer, open_page: Open) -> tuple[Page, Page]:
    """Open the page of a phone that sends, and the console with the code for phones."""
    phone = open_page("about:blank", *PHONE)
    open_phone(phone, air)
    console = open_page(f"{air.address}/console?table=final#{TOKEN}", 1180, 820)
    console.locator("#phone-button").click()
    console.wait_for_selector('#phone-code .sender:has-text(" sends, ")')
    return phone, console


def test_the_phone_that_began_last_sends_and_each_says_which_one_that_is(
    air: RunningServer, phone: PhoneCamera, open_page: Open
) -> None:
    first, console = open_phone_and_console(air, open_page)
    code = console.locator("#phone-code figcaption").inner_text()
    assert "listens to this machine only" in console.locator("#phone-code .problem").inner_text()
    second = open_page(code, 844, 390)
    state_of(second, "taken")
    second.locator("#send").click()
    state_of(second, "sending")
    state_of(first, "taken")
    assert "The camera of this table is" in first.locator("#seen").inner_text()
    assert phone.sender is not None
    assert phone.sender.session != "token"
    first.locator("#send").click()
    state_of(second, "taken")
    # A camera's device is no operator's, and its code is good once.
    second.goto(f"{air.address}/console?table=final")
    second.wait_for_selector("#entrance:not([hidden])")
    third = open_page(code, *PHONE)
    third.wait_for_selector("#entrance:not([hidden])")
    assert violations(first, console, third) == []


def test_a_page_in_the_background_pauses_and_goes_on(
    air: RunningServer, phone: PhoneCamera, items: list[Frame | Interruption], open_page: Open
) -> None:
    page = open_page("about:blank", *PHONE)
    open_phone(page, air)
    wait_while_page_runs(page, lambda: sum(isinstance(item, Frame) for item in list(items)) >= 2)
    hide = """(isHidden) => {
      Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(hide, True)
    state_of(page, "hidden")
    wait_while_page_runs(page, lambda: isinstance(items[-1], Interruption))
    page.wait_for_timeout(600)
    assert isinstance(items[-1], Interruption)
    assert items[-1].message == "phone: the phone shows another page; waiting for it"
    page.evaluate(hide, False)
    state_of(page, "sending")
    wait_while_page_runs(page, lambda: isinstance(items[-1], Frame))
    assert [item for item in items if isinstance(item, Interruption)][-1].over


RECORD_TEXTS = """() => {
  window.texts = [];
  const shown = () => ["#state", "#hint"].map((each) => document.querySelector(each).textContent).join("|");
  new MutationObserver(() => window.texts.push(shown()))
    .observe(document.querySelector("#phone"), { subtree: true, childList: true, characterData: true });
}"""


def test_after_a_long_gap_nothing_old_is_shown_and_the_rate_is_measured_anew(
    air: RunningServer, open_page: Open
) -> None:
    page, console = open_phone_and_console(air, open_page)
    page.wait_for_selector('#hint:has-text("Show the whole board")')
    assert page.locator("#seen").inner_text() != ""
    page.context.set_offline(True)
    state_of(page, "lost")
    assert page.locator("#seen").inner_text() == ""
    assert "whole board" not in page.locator("#hint").inner_text()
    page.wait_for_timeout(5500)
    console.wait_for_selector('#phone-code .sender:has-text(" is the camera, but sends nothing now.")')
    page.evaluate(RECORD_TEXTS)
    page.context.set_offline(False)
    state_of(page, "sending")
    page.wait_for_selector('#state:has-text("pictures a second")')
    page.wait_for_timeout(1000)
    texts = page.evaluate("window.texts")
    assert [text for text in texts if "slow" in text or "Sending, 0" in text] == []


def test_a_camera_that_gives_no_picture_is_reported_at_once(
    air: RunningServer, phone: PhoneCamera, items: list[Frame | Interruption], open_page: Open
) -> None:
    phone.source.stall_s = 60.0
    page = open_page("about:blank", *PHONE)
    open_phone(page, air)
    wait_while_page_runs(page, lambda: any(isinstance(item, Frame) for item in items))
    page.evaluate("document.querySelector('video').srcObject.getVideoTracks()[0].stop()")
    state_of(page, "no-picture")
    wait_while_page_runs(page, lambda: isinstance(items[-1], Interruption))
    page.wait_for_timeout(2500)
    messages = [item.message for item in items if isinstance(item, Interruption)]
    assert messages[-1] == "phone: the phone's camera gives no picture; waiting for it"
    assert page.locator("#state").inner_text() == "The camera gives no picture"


def test_the_page_reconnects_when_the_server_returns(tmp_path: Path, open_page: Open) -> None:
    with serve_tables(open_table(tmp_path), phones={"final": PhoneCamera()}) as air:
        page = open_page("about:blank", *PHONE)
        page.add_init_script(LOW_BATTERY)
        open_phone(page, air)
        page.wait_for_selector('#hint:has-text("Battery 12%: plug the phone in.")')
    state_of(page, "lost")
    again = PhoneCamera()
    with serve_tables(open_table(tmp_path), phones={"final": again}, port=air.port):
        state_of(page, "sending")
        assert again.sender is not None


def test_a_page_without_a_camera_says_what_to_do(air: RunningServer, open_page: Open) -> None:
    page = open_page("about:blank", *PHONE)
    page.add_init_script("Object.defineProperty(navigator, 'mediaDevices', { value: undefined });")
    page.goto(f"{air.address}/phone?table=final#{TOKEN}")
    page.wait_for_selector("#blocked:not([hidden])")
    text = page.locator("#blocked").inner_text()
    assert "not encrypted" in text
    assert "--tls self" in text


FAILING_CAMERA = """
navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("Not supported", "NotSupportedError"); };
"""


def test_a_camera_that_fails_while_another_device_sends(air: RunningServer, open_page: Open) -> None:
    open_phone(open_page("about:blank", *PHONE), air)
    page = open_page("about:blank", *PHONE)
    page.add_init_script(FAILING_CAMERA)
    page.goto(f"{air.address}/phone?table=final#{TOKEN}")
    state_of(page, "taken")
    page.locator("#send").click()
    state_of(page, "off")
    assert page.locator("#state").inner_text() == "Not sending"
    assert page.locator("#send").inner_text() == "Start"
    assert page.locator("#seen").inner_text() == (
        "The camera cannot be opened (Not supported). Choose another camera, or try another browser."
    )


SLOW_CAMERA = """
const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
window.widths = [];
navigator.mediaDevices.getUserMedia = async (asked) => {
  window.widths.push(asked.video.width.ideal);
  await new Promise((done) => setTimeout(done, 600));
  return open(asked);
};
"""


def test_a_choice_and_a_stop_count_while_the_camera_opens(air: RunningServer, open_page: Open) -> None:
    page = open_page("about:blank", *PHONE)
    page.add_init_script(SLOW_CAMERA)
    open_phone(page, air)
    state_of(page, "sending")
    page.select_option("#size", "1280")
    page.select_option("#size", "2560")
    wait_while_page_runs(page, lambda: len(page.evaluate("window.widths")) == 3)
    assert page.evaluate("window.widths") == [1920, 1280, 2560]
    page.click("#send")
    state_of(page, "off")
    page.wait_for_timeout(1500)
    assert page.evaluate("document.querySelector('#view video').srcObject") is None


def test_a_stop_before_the_tables_answer_leaves_no_camera(
    air: RunningServer, phone: PhoneCamera, open_page: Open
) -> None:
    page = open_page("about:blank", *PHONE)
    held: list[tuple[Route, APIResponse]] = []
    open_phone(page, air)
    page.click("#send")
    wait_while_page_runs(page, lambda: phone.sender is None)
    page.route("**/start", lambda route: held.append((route, route.fetch())), times=1)
    page.click("#send")
    wait_while_page_runs(page, lambda: bool(held))
    assert phone.sender is not None
    page.click("#send")
    state_of(page, "off")
    route, answer = held[0]
    route.fulfill(response=answer)
    wait_while_page_runs(page, lambda: phone.sender is None)


SLOW_LENSES = """
const { enumerateDevices, getUserMedia } = MediaDevices.prototype;
window.widths = [];
window.listings = 0;
navigator.mediaDevices.getUserMedia = function (asked) {
  window.widths.push(asked.video.width.ideal);
  return getUserMedia.call(this, asked);
};
navigator.mediaDevices.enumerateDevices = async function () {
  window.listings += 1;
  await new Promise((done) => setTimeout(done, 1000));
  return enumerateDevices.call(this);
};
"""


def test_a_choice_while_lenses_are_listed_opens_the_camera_once(air: RunningServer, open_page: Open) -> None:
    page = open_page("about:blank", *PHONE)
    page.add_init_script(SLOW_LENSES)
    open_phone(page, air)
    state_of(page, "sending")
    listings = page.evaluate("window.listings")
    page.select_option("#size", "1280")
    page.wait_for_function("listings => window.listings > listings", arg=listings)
    page.select_option("#size", "2560")
    wait_while_page_runs(page, lambda: len(page.evaluate("window.widths")) >= 3)
    page.wait_for_timeout(2500)
    assert page.evaluate("window.widths") == [1920, 1280, 2560]
