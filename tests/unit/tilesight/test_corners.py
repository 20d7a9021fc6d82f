from __future__ import annotations

import re

import pytest

from tilesight.corners import parse_corners
from vision.errors import SettingsError


def test_corners_are_four_pairs_of_numbers() -> None:
    assert parse_corners("1,2 3,4 5,6 7.5,8") == [(1, 2), (3, 4), (5, 6), (7.5, 8)]
    assert parse_corners(None) is None


@pytest.mark.parametrize(
    "text",
    ["", "1,2 3,4 5,6", "1,2 3,4 5,6 7", "a,2 3,4 5,6 7,8", "nan,2 3,4 5,6 7,8", "1e400,2 3,4 5,6 7,8"],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(f"--corners {text!r}: give four pairs")):
        parse_corners(text)
