"""The report page: one HTML file, to search the photos and to correct them."""

from tilesight.digitise.report.page import CORRECTION_ASSETS, as_data, frame_photos, photo_data

__all__ = ["CORRECTION_ASSETS", "as_data", "frame_photos", "photo_data"]
