"""The browser in which pages are opened: by tests, by benchmarks, and for the documents' pictures."""

from __future__ import annotations

import shutil

__all__ = ["CHROMIUM"]

_COMMANDS = ("chromium-headless-shell", "chromium", "chromium-browser")

CHROMIUM = next(filter(None, map(shutil.which, _COMMANDS)), None)
"""The path of the first one that is there, or None; the headless shell opens a page in a tenth of the time."""
