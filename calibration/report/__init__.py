"""The report of a calibration."""

from calibration.report.comparison import try_photo, try_tiles
from calibration.report.page import report_page, tile_sheet

__all__ = [
    "report_page",
    "tile_sheet",
    "try_photo",
    "try_tiles",
]
