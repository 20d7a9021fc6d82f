"""The pages' connections in a real browser: many pages in one, and a network that fails without a sign."""

from __future__ import annotations

import contextlib
import json
import re
import selectors
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Error

from tests.support.browser import wait_for_sequence
from tests.support.on_air import TOKEN, open_table, send_commands, serve_tables
from tilesight.live import LiveGame
from tilesight.web import ConsoleToken, PhoneCamera

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.slow
PARTS = ("board", "scores", "clocks", "racks", "last", "unseen", "moves", "title")


class Network:
    """A TCP proxy whose connections can go silent, as those of a router that was switched off.

    Parameters
    ----------
    port : int
        The port of the server behind it.
    """

    def __init__(self, port: int) -> None:
        self._behind = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._silent: set[socket.socket] = set()
        self._open: dict[socket.socket, socket.socket] = {}
        self._is_over = False
        self._thread = threading.Thread(target=self._forward, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._listening.getsockname()[1])

    def silence(self) -> None:
        """Pass nothing more through the connections of now, and leave them open."""
        self._silent = set(self._open)

    def close(self) -> None:
        self._is_over = True
        self._thread.join()
        for each in (self._listening, *self._open):
            each.close()

    def _forward(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._listening, selectors.EVENT_READ)
            while not self._is_over:
                for key, _ in selector.select(timeout=0.05):
                    end = key.fileobj
                    assert isinstance(end, socket.socket)
                    if end is self._listening:
                        near, far = end.accept()[0], socket.create_connection(("127.0.0.1", self._behind))
                        self._open |= {near: far, far: near}
                        for each in (near, far):
                            selector.register(each, selectors.EVENT_READ)
                        continue
                    data = end.recv(65536)
                    if not data:
                        selector.unregister(end)
                    if end not in self._silent:
                        with contextlib.suppress(OSError):
                            other = self._open[end]
                            other.sendall(data) if data else other.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def network(port: int) -> Iterator[Network]:
    opened = Network(port)
    try:
        yield opened
    finally:
        opened.close()


def test_nine_pages_in_one_browser_follow_the_game(tmp_path: Path, browser: Browser) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air, contextlib.closing(browser.new_context()) as context:
        pages = [context.new_page() for _ in (*PARTS, "console")]
        addresses = [f"{air.address}/overlay?parts={part}" for part in PARTS]
        for page, address in zip(pages, (*addresses, f"{air.address}/console#{TOKEN}"), strict=True):
            page.goto(address)
            wait_for_sequence(page, 0)
        pages[-1].keyboard.press("p")
        for page in pages:
            wait_for_sequence(page, 1)


def test_pages_without_moments_leave_a_stream_for_one_that_shows_them(
    tmp_path: Path, browser: Browser
) -> None:
    table = open_table(tmp_path, edition="english")
    with serve_tables(table) as air, contextlib.closing(browser.new_context()) as context:
        for part in ("board", "scores", "last", "moves", "board,moments"):
            page = context.new_page()
            page.goto(f"{air.address}/overlay?parts={part}")
            wait_for_sequence(page, 0)
        send_commands(table, "play 8D RETAINS")
        page.wait_for_selector("#moments.shown")


def test_a_page_comes_back_from_a_network_that_fell_silent(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air, network(int(air.address.rpartition(":")[2])) as between:
        page = open_page("about:blank")
        page.clock.install()
        page.goto(f"http://127.0.0.1:{between.port}/overlay")
        wait_for_sequence(page, 0)
        between.silence()
        send_commands(table, "pass")
        for _ in range(30):  # the browser first tries connections of before, which are silent, too
            page.clock.fast_forward(16_000)
            with contextlib.suppress(Error):
                page.wait_for_selector('html[data-sequence="1"]', state="attached", timeout=1000)
                return
        pytest.fail("the page still shows the state from before the silence")


def test_a_page_keeps_the_newer_state_where_an_older_one_comes_late(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = open_table(tmp_path)
    with serve_tables(table) as air:
        changes = []
        for _ in range(2):
            send_commands(table, "pass")
            state = air.json("/api/tables/final")
            changes.append({"sequence": state["sequence"], "events": [], "state": state, "moments": []})
        body = "".join(f"event: change\ndata: {json.dumps(change)}\n\n" for change in reversed(changes))
        page = open_page("about:blank")
        page.route("**/events", lambda route: route.fulfill(content_type="text/event-stream", body=body))
        page.route("**/api/tables/final", lambda route: route.abort())
        with page.expect_request_finished(lambda request: request.url.endswith("/events")):
            page.goto(f"{air.address}/overlay")
        wait_for_sequence(page, 2)


def test_a_page_takes_a_lower_number_from_a_server_that_was_started_again(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    with serve_tables(send_commands(open_table(tmp_path), "pass", "pass")) as air:
        page = open_page(f"{air.address}/overlay")
        wait_for_sequence(page, 2)
    (tmp_path / "new").mkdir()
    with serve_tables(open_table(tmp_path / "new"), port=air.port):
        wait_for_sequence(page, 0)


def test_a_table_that_is_not_there_is_named_with_those_that_are(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        for name in ("console", "commentary"):
            page = open_page(f"{air.address}/{name}?table=third#{TOKEN}")
            assert page.locator("[role=alert].refused").inner_text() == "there is no such table"
            page.get_by_role("link", name="final").click()
            wait_for_sequence(page, 0)


def test_a_page_whose_table_is_gone_after_a_restart_names_those_that_are_there(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    with serve_tables(open_table(tmp_path, "third")) as air:
        commentary = ConsoleToken(TOKEN).commentary
        pages = [
            open_page(f"{air.address}/{name}?table=third#{token}")
            for name, token in (("console", TOKEN), ("commentary", commentary))
        ]
        for page in pages:
            wait_for_sequence(page, 0)
        port = air.port
    with serve_tables(open_table(tmp_path), port=port):
        for page in pages:
            page.locator("[role=alert].refused", has_text="there is no such table").wait_for()
            assert page.get_by_role("link", name="final").count() == 1


def test_an_overlay_waits_for_its_table(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        page = open_page("about:blank")
        page.route("**/edition", lambda route: route.fulfill(status=404), times=2)
        page.goto(f"{air.address}/overlay?table=final")
        wait_for_sequence(page, 0)


def test_a_page_says_that_its_table_is_not_there_until_it_comes_and_never_again(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    paths = ("overlay?table=late", "start?table=late", "break?table=late", "obs/late/score?")
    with serve_tables(open_table(tmp_path)) as air:
        pages = {path: open_page(f"{air.address}/{path}&lang=en") for path in paths}
        notices = {
            path: page.locator("body", has_text=re.compile("there is no (such )?table"))
            for path, page in pages.items()
        }
        for notice in notices.values():
            notice.wait_for()
        port = air.port
    table = open_table(tmp_path, "late")
    with serve_tables(table, port=port):
        for path, page in pages.items():
            page.locator("body", has_text=re.compile("Anna|0")).wait_for()
            assert notices[path].count() == 0, path
    with serve_tables(open_table(tmp_path), port=port):
        page.wait_for_timeout(2500)
        for path, page in pages.items():
            assert notices[path].count() == 0, path
            assert page.locator("#notice").count() == 0, path


def test_pages_of_another_token_ask_for_the_new_one_also_where_too_many_were_wrong(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        page = open_page(f"{air.address}/console#{TOKEN}")
        wait_for_sequence(page, 0)
    with serve_tables(open_table(tmp_path), port=air.port, token="another-token-for-tests") as air:
        while air.request("POST", "/api/session", {"token": "none of it"})[0] != 429:
            pass  # as the other pages of this browser do
        page.wait_for_selector("#entrance:not([hidden])")
        page.locator("#token").fill("another-token-for-tests")
        page.keyboard.press("Enter")
        wait_for_sequence(page, 0)


def test_an_overlay_waits_where_too_many_requests_are_made(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        page = open_page("about:blank")
        page.route("**/events", lambda route: route.abort())
        page.goto(f"{air.address}/overlay?table=final")
        wait_for_sequence(page, 0)
        page.evaluate("() => { window.opened = true; }")
        page.route("**/api/tables/final", lambda route: route.fulfill(status=429))
        with page.expect_response(lambda answer: answer.status == 429):
            pass
        page.unroute("**/api/tables/final")
        send_commands(air.tables["final"], "pass")
        wait_for_sequence(page, 1)
        assert page.evaluate("() => window.opened")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("overlay", "html[data-sequence]"),
        ("console", "#desk:not([hidden])"),
        ("commentary", "#desk:not([hidden])"),
        ("phone", "#phone:not([hidden])"),
        ("calibrate", "main:not([hidden])"),
        ("photo", "main:not([hidden])"),
    ],
)
def test_a_page_whose_first_requests_fail_asks_again(
    tmp_path: Path, open_page: Callable[..., Page], path: str, shown: str
) -> None:
    with serve_tables(open_table(tmp_path), phones={"final": PhoneCamera()}) as air:
        page = open_page(f"{air.address}/console#{TOKEN}")
        wait_for_sequence(page, 0)
        failed: set[str] = set()

        def fail_once(route: Route) -> None:
            if route.request.url in failed or route.request.url.endswith("/events"):
                route.continue_()
            else:
                failed.add(route.request.url)
                route.abort()

        page.route("**/api/**", fail_once)
        page.goto(f"{air.address}/{path}")
        page.wait_for_selector(shown, state="attached")
        assert failed


def test_an_overlay_takes_another_edition_of_the_same_name(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    table = open_table(tmp_path, edition="english")
    with serve_tables(table) as air:
        page = open_page(f"{air.address}/overlay")
        wait_for_sequence(page, 0)
        port = air.port
    edition = table.state.edition
    other = replace(
        edition,
        tokens=(*edition.tokens, "QH"),
        values={**edition.values, "QH": 9},
        counts={**edition.counts, "QH": 1},
    )
    with serve_tables(LiveGame("final", other, None, players=("Anna", "Jón")), port=port):
        page.locator("#unseen .letter", has_text="QH").wait_for()


def test_signing_in_and_devices_say_that_the_server_cannot_be_reached(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    unreachable = "The server cannot be reached. Try again."
    with serve_tables(open_table(tmp_path), phones={"final": PhoneCamera()}) as air:
        page = open_page(f"{air.address}/console", 1180, 820)
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.fill("#token", TOKEN)
        page.context.set_offline(True)
        page.click("#entrance button")
        page.wait_for_selector(f'#entrance .answer:text-is("{unreachable}")')
        page.context.set_offline(False)
        page.click("#entrance button")
        wait_for_sequence(page, 0)
        page.get_by_role("button", name="devices").click()
        page.locator("#devices li").wait_for()
        assert page.locator("#devices .answer").is_hidden()
        page.context.set_offline(True)
        for name in ("Sign out", "Sign another device in"):
            page.locator("#devices .answer").evaluate("(each) => each.replaceChildren()")
            page.get_by_role("button", name=name).click()
            page.wait_for_selector(f'#devices .answer:text-is("{unreachable}")')
        assert page.locator("#devices li").count() == 1  # it is still signed in
        assert page.locator("#devices figure").is_hidden()
        page.keyboard.press("Escape")
        page.locator("#phone-button").click()
        page.wait_for_selector(f'#phone-code .problem:text-is("{unreachable}")')
        assert page.locator("#phone-code figure").is_hidden()
        page.keyboard.press("Escape")
        page.context.set_offline(False)
        page.locator("#phone-button").click()
        page.locator("#phone-code figure").wait_for()
        assert problems == []


def test_the_list_of_devices_says_what_each_may_do(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        wait_for_sequence(open_page(f"{air.address}/commentary#{ConsoleToken(TOKEN).commentary}"), 0)
        page = open_page(f"{air.address}/console#{TOKEN}", 1180, 820)
        page.get_by_role("button", name="devices").click()
        page.locator("#devices li", has_text="shows the commentators' page").wait_for()
        assert page.locator("#devices li").count() == 2


def test_the_list_of_tables_says_that_the_connection_is_lost(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        page = open_page(air.address)
        page.locator("section.table").wait_for()
        problem = page.locator("#problem")
        assert problem.is_hidden()
        page.context.set_offline(True)
        page.wait_for_selector('#problem:text-is("connection lost, trying again")')
        page.context.set_offline(False)
        problem.wait_for(state="hidden")
