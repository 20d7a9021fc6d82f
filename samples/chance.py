"""Tosses of a coin and picks of a colour: what the random styles, cameras and lights are made of."""

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
    """True in `share` of the cases."""
    return bool(rng.random() < share)


def between(rng: np.random.Generator, low: float, high: float) -> float:
    """Any number from `low` to `high`, evenly."""
    return float(rng.uniform(low, high))


def pick(rng: np.random.Generator, choices: Sequence[Choice]) -> Choice:
    """One of `choices`, evenly."""
    return choices[int(rng.integers(len(choices)))]


def pick_weighted(rng: np.random.Generator, choices: Sequence[tuple[float, Choice]]) -> Choice:
    """One of `choices`, each given with its weight."""
    point = float(rng.random()) * sum(weight for weight, _ in choices)
    for weight, choice in choices:
        point -= weight
        if point < 0:
            return choice
    return choices[-1][1]


def hsv_colour(hue: float, saturation: float, value: float) -> Colour:
    """The BGR colour, 0 to 255, of a hue in turns (0 red, 1/3 green) and of a saturation and value cut to 0 to 1."""
    red, green, blue = colorsys.hsv_to_rgb(
        hue % 1.0, min(1.0, max(0.0, saturation)), min(1.0, max(0.0, value))
    )
    return (255 * blue, 255 * green, 255 * red)


@dataclass(frozen=True, slots=True)
class Tone:
    """A family of colours: ranges of hue (in turns), saturation and value."""

    hue: Range = (0.0, 1.0)
    saturation: Range = (0.0, 1.0)
    value: Range = (0.0, 1.0)

    def pick(self, rng: np.random.Generator) -> Colour:
        """A colour of the family, or just outside of it."""
        return hsv_colour(
            between(rng, *self.hue) + float(rng.normal(0, 0.01)),
            between(rng, *self.saturation) + float(rng.normal(0, 0.04)),
            between(rng, *self.value) + float(rng.normal(0, 0.03)),
        )


ANY_COLOUR = Tone(value=(0.1, 1.0))
"""Any but the darkest colours."""
