"""The browser in which pages are opened: by tests, by benchmarks, and for the documents' pictures."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["CHROMIUM", "wait_for_sequence"]

_COMMANDS = ("chromium-headless-shell", "chromium", "chromium-browser")

CHROMIUM = next(filter(None, map(shutil.which, _COMMANDS)), None)
"""The path of the first one that is there, or None; the headless shell opens a page in a tenth of the time."""


def wait_for_sequence(page: Page, sequence: int) -> None:
    """Wait until a page shows the game as of the journal entry with this number."""
    page.wait_for_selector(f'html[data-sequence="{sequence}"]', state="attached")
