"""Measurement of a lens from pictures of a printed target or of the word board."""

from calibration.lens.board_detection import detect_board_lines, measure_line_residual
from calibration.lens.fit import MIN_VIEWS, build_lens_section, fit_lens
from calibration.lens.target import Target, View, detect_target, encode_sheet, write_sheet
from calibration.lens.view_selection import describe_missing_views, name_empty_ninths

__all__ = [
    "MIN_VIEWS",
    "Target",
    "View",
    "build_lens_section",
    "describe_missing_views",
    "detect_board_lines",
    "detect_target",
    "encode_sheet",
    "fit_lens",
    "measure_line_residual",
    "name_empty_ninths",
    "write_sheet",
]
