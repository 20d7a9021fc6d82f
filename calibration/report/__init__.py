"""The report of a calibration as an HTML page."""

from calibration.report.comparison import compare_photo, compare_tiles
from calibration.report.page import draw_tiles, render_report

__all__ = [
    "compare_photo",
    "compare_tiles",
    "draw_tiles",
    "render_report",
]
