"""The report page: one HTML file, to search the photos and to correct them."""

from tilesight.digitise.report.page import Report

__all__ = ["Report"]
