"""Letters without a value, among tiles that show one in their lower right corner."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.core import Image, Occupancy
from vision.recognition.appearance.value_ink import compare_value_ink, weigh_value_ink

SIDE, CONTEXT = 48, 6
DIGITS = "1214138121"
BARE = 4
"""The tile without a value."""
VALUES = np.tile(np.array([0.99, 0.01], np.float32), (len(DIGITS), 1))
VALUES[BARE] = 0.95, 0.05
"""Probabilities of a value, and of none."""


def tile(
    letter: str, digit: str, *, face: int = 190, ink: int = 40, x: int = 10, y: int = 32, scale: float = 0.9
) -> Image:
    size = SIDE + 2 * CONTEXT
    image = np.full((size, size, 3), face, np.uint8)
    font, line = cv2.FONT_HERSHEY_SIMPLEX, cv2.LINE_AA
    cv2.putText(image, letter, (CONTEXT + x, CONTEXT + y), font, scale, (ink,) * 3, 2, line)
    cv2.putText(image, digit, (CONTEXT + 34, CONTEXT + 42), font, 0.35, (ink,) * 3, 1, line)
    return image


def tiles(
    digits: str = DIGITS,
    *,
    face: int = 190,
    ink: int = 40,
    blur: float = 0.6,
    x: int = 10,
    y: int = 32,
    scale: float = 0.9,
) -> Image:
    noise = np.random.default_rng(3)
    shown = [
        tile(letter, digit, face=face, ink=ink, x=x, y=y, scale=scale)
        for letter, digit in zip("SCHUTEQLAN", digits, strict=True)
    ]
    blurred = np.stack([np.asarray(cv2.GaussianBlur(each, (0, 0), blur)) for each in shown])
    return np.clip(blurred + noise.normal(0, 2, blurred.shape), 0, 255).astype(np.uint8)


def without(number: int) -> str:
    return DIGITS[:number] + " " + DIGITS[number + 1 :]


def occupancy(n: int = len(DIGITS)) -> NDArray[np.float32]:
    """Nine clear letters, and one that may be a blank."""
    result = np.full((n, len(Occupancy)), 1e-4, np.float32)
    result[BARE, Occupancy.BLANK] = 0.05
    result[:, Occupancy.TILE] = 1 - result[:, Occupancy.BLANK] - 2e-4
    return result


def weigh(seen: Image) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return weigh_value_ink(seen, CONTEXT, occupancy(), VALUES, 1)


@pytest.mark.parametrize(("face", "ink"), [(190, 40), (50, 230)])
def test_a_letter_without_a_value_is_a_blank(face: int, ink: int) -> None:
    weighed, values = weigh(tiles(without(BARE), face=face, ink=ink))
    assert [int(kind) for kind in weighed.argmax(axis=1)] == [
        Occupancy.BLANK if number == BARE else Occupancy.TILE for number in range(len(DIGITS))
    ]
    assert weighed.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert values.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert values[BARE, 1] > 0.3
    assert (np.delete(values[:, 1], BARE) < 0.01).all()


@pytest.mark.parametrize("blur", [0.6, 1.5, 2.5])
def test_strokes_of_large_letters_next_to_the_values_hide_no_bare_corner(blur: float) -> None:
    seen = tiles(without(BARE), blur=blur, x=14, y=36, scale=1.0)
    weighed, _ = weigh(seen)
    assert np.flatnonzero(weighed.argmax(axis=1) == Occupancy.BLANK).tolist() == [BARE]


@pytest.mark.parametrize(
    "digits",
    [
        pytest.param(DIGITS, id="all show one"),
        pytest.param(" " * len(DIGITS), id="none shows one"),
    ],
)
def test_letters_like_the_others_stay_letters(digits: str) -> None:
    weighed, _ = weigh(tiles(digits))
    assert weighed == pytest.approx(occupancy(), abs=1e-3)


def test_values_that_are_not_to_be_seen_prove_nothing() -> None:
    seen = tiles(without(BARE), blur=6.0)
    assert not compare_value_ink(seen, CONTEXT, np.ones(len(seen), bool)).any()
    assert weigh(seen)[1] == pytest.approx(VALUES)


def test_a_corner_that_a_lamp_dazzles_is_not_bare() -> None:
    seen = tiles(without(BARE))
    seen[BARE, -30:, -30:] = 255
    weighed, values = weigh(seen)
    assert weighed == pytest.approx(occupancy(), abs=1e-3)
    assert values[BARE, 1] <= VALUES[BARE, 1]


def test_a_few_letters_are_not_compared() -> None:
    before = occupancy(5), VALUES[:5]
    assert weigh_value_ink(tiles(without(BARE))[:5], CONTEXT, *before, 1) == before
