"""The browser in which pages are opened: by tests, by benchmarks, and for the documents' pictures."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["CHROMIUM", "PATIENCE_S", "wait_for_sequence", "wait_while_page_runs"]

PATIENCE_S = 60.0
"""For a state of a page on a busy machine."""

_COMMANDS = ("chromium-headless-shell", "chromium", "chromium-browser")

CHROMIUM = next(filter(None, map(shutil.which, _COMMANDS)), None)
"""The path of the first one that is there, or None; the headless shell opens a page in a tenth of the time."""


def wait_for_sequence(page: Page, sequence: int) -> None:
    """Wait until a page shows the game as of the journal entry with this number."""
    page.wait_for_selector(f'html[data-sequence="{sequence}"]', state="attached")


def wait_while_page_runs(page: Page, is_reached: Callable[[], object]) -> None:
    """Wait until something holds outside of a page, whose events are handled meanwhile."""
    until_s = time.monotonic() + PATIENCE_S
    while not is_reached():
        assert time.monotonic() < until_s, "waited in vain"
        page.wait_for_timeout(20)
