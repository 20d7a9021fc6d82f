"""Measure a lens."""

from calibration.lens.board_detection import board_view, line_residual
from calibration.lens.fit import MIN_VIEWS, fit_lens, lens_section
from calibration.lens.target import Target, sheet_bytes, write_sheet
from calibration.lens.target_detection import View, target_view
from calibration.lens.view_selection import missing_views

__all__ = [
    "MIN_VIEWS",
    "Target",
    "View",
    "board_view",
    "fit_lens",
    "lens_section",
    "line_residual",
    "missing_views",
    "sheet_bytes",
    "target_view",
    "write_sheet",
]
