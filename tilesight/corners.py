"""Parse the corners of a grid as a user writes them."""

from __future__ import annotations

import math

from vision.errors import SettingsError

__all__ = ["parse_corners"]


def parse_corners(text: str | None, option: str = "--corners") -> list[tuple[float, float]] | None:
    """Parse ``"x,y x,y x,y x,y"`` to four corners; None stays None.

    Parameters
    ----------
    text : str or None
        Four pairs of pixels, TL TR BR BL as the letters read.
    option : str
        Name of the option, for the error message.

    Raises
    ------
    SettingsError
        If the text is not four pairs of numbers.
    """
    if text is None:
        return None
    try:
        pairs = [tuple(float(part) for part in pair.split(",")) for pair in text.split()]
    except ValueError:
        pairs = []
    if len(pairs) != 4 or any(len(pair) != 2 or not all(map(math.isfinite, pair)) for pair in pairs):
        raise SettingsError(f'{option} {text!r}: give four pairs "x,y x,y x,y x,y" for TL TR BR BL')
    return [(x, y) for x, y in pairs]
