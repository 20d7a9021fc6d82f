"""Random numbers, choices and colours."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from samples.arrays import Colour

__all__ = ["ANY_COLOUR", "Tone", "between", "hsv_colour", "pick", "pick_weighted", "toss"]

Choice = TypeVar("Choice")
Range = tuple[float, float]


def toss(rng: np.random.Generator, share: float) -> bool:
    """Toss a coin that shows heads in `share` of the cases."""
    return bool(rng.random() < share)


def between(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw a number uniformly from `low` to `high`."""
    return float(rng.uniform(low, high))


def pick(rng: np.random.Generator, choices: Sequence[Choice]) -> Choice:
    """Pick one of `choices`, each equally likely."""
    return choices[int(rng.integers(len(choices)))]


def pick_weighted(rng: np.random.Generator, choices: Sequence[tuple[float, Choice]]) -> Choice:
    """Pick one of ``(weight, choice)`` pairs."""
    point = float(rng.random()) * sum(weight for weight, _ in choices)
    for weight, choice in choices:
        point -= weight
        if point < 0:
            return choice
    return choices[-1][1]


def hsv_colour(hue: float, saturation: float, value: float) -> Colour:
    """Convert a hue in turns (0 red, 1/3 green), a saturation and a value, both clipped to 0 to 1, to BGR."""
    red, green, blue = colorsys.hsv_to_rgb(
        hue % 1.0, min(1.0, max(0.0, saturation)), min(1.0, max(0.0, value))
    )
    return (255 * blue, 255 * green, 255 * red)


@dataclass(frozen=True, slots=True)
class Tone:
    """A range of colours: ranges of hue (in turns), saturation and value."""

    hue: Range = (0.0, 1.0)
    saturation: Range = (0.0, 1.0)
    value: Range = (0.0, 1.0)

    def pick(self, rng: np.random.Generator) -> Colour:
        """Draw a colour of the range, or just outside of it."""
        return hsv_colour(
            between(rng, *self.hue) + float(rng.normal(0, 0.01)),
            between(rng, *self.saturation) + float(rng.normal(0, 0.04)),
            between(rng, *self.value) + float(rng.normal(0, 0.03)),
        )


ANY_COLOUR = Tone(value=(0.1, 1.0))
"""Any but the darkest colours."""
