"""The documents' picture of a digitising report: its list of photos, and below it a board that is corrected.

``python -m tests.benchmarks.run 'digitising report'`` draws it while it measures the report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from docs.figures.images import save_figure

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["draw_report"]

WIDTH_PX, LIST_PX, BOARD_PX = 1000, 430, 760
"""Width of both screenshots, and the height of each; chosen, so that their text can be read in a page."""
EDITION = "german"
"""Its photo is sharp; chosen."""
WAIT_MS = 800
"""Until the pictures of the page are drawn; chosen."""


def draw_report(page: Page) -> None:
    """Write ``report.jpg`` from a page that shows a report; a board of `EDITION` is opened."""
    page.set_viewport_size({"width": WIDTH_PX, "height": LIST_PX})
    page.select_option("#show", "doubtful")
    page.wait_for_timeout(WAIT_MS)
    screenshots = [page.screenshot()]
    page.set_viewport_size({"width": WIDTH_PX, "height": BOARD_PX})
    page.evaluate(f"shown.find((photo) => photo.edition === '{EDITION}').card.click()")
    page.wait_for_timeout(WAIT_MS)
    screenshots.append(page.screenshot())
    pictures = [cv2.imdecode(np.frombuffer(each, np.uint8), cv2.IMREAD_COLOR) for each in screenshots]
    save_figure("report.jpg", np.vstack([np.asarray(each, np.uint8) for each in pictures]), quality=78)
