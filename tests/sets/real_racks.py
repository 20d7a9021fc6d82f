"""The rack in the labelled film `english-film`: its place, and its tiles in 28 frames, read by eye."""

from __future__ import annotations

__all__ = ["FILM_PLACE", "FILM_RACKS"]


FILM_PLACE = [[690, 826], [1370, 826], [1370, 912], [690, 912]]
"""Corners of the rack in the first frame, in pixels."""


FILM_RACKS = {
    "000 001": "ENLOIUM",
    "002": "NLOIU",
    "003": "NOIU",
    "005 006": "IU",
    "008": "EBEIU",
    "009 031": "XEBEIUE",
    "032": "XEEIUE",
    "034 035": "XIUE",
    "036": "XYIUE",
    "037 056": "XYAAIUE",
    "058 059": "YAUE",
    "060 082": "YRAVUE",
    "061 073 081": "QYRAVUE",
    "083": "YRAVE",
    "084": "YRVE",
    "086 088": "YVE",
    "091 092": "GYIAVEE",
}
"""Tiles of the rack that faces the camera, by the numbers of the frames."""
