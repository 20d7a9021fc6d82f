"""A browser for the tests of pages; one for each file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import CHROMIUM, PATIENCE_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def browser_arguments() -> list[str]:
    """Further arguments of the browser, for a file of tests that needs some."""
    return []


@pytest.fixture(scope="module")
def browser(browser_arguments: list[str]) -> Iterator[Browser]:
    """Chromium without a window."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
    if CHROMIUM is None:
        pytest.skip("the browser tests need Debian's Chromium: apt-get install chromium-headless-shell")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", *browser_arguments]
        )
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens an address as a new visitor."""
    contexts = []

    def open_it(address: str, width: int = 960, height: int = 540, locale: str = "en-GB") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", locale=locale
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE_S)
        page.goto(address)
        return page

    yield open_it
    for context in contexts:
        context.close()
