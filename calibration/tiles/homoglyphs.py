"""Letters of other alphabets that look like Latin ones, so that the network's word counts for them."""

from __future__ import annotations

__all__ = ["latin_twin"]

_TWINS = dict(zip("АВЕКМНОРСТУХІЈЅ", "ABEKMHOPCTYXIJS", strict=True)) | dict(
    zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX", strict=True)
)
"""Cyrillic and Greek capitals whose shape is that of a Latin one in every typeface."""


def latin_twin(token: str) -> str:
    """The Latin letter that looks the same; the token itself if it has none."""
    return _TWINS.get(token, token)
