"""Alphabets that are enrolled in a wrong order: are they refused, and right ones accepted?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.tiles import Example
from calibration.tiles.label_checks import check_letters, check_order
from scoring import BLANK
from vision.errors import InputError

__all__ = ["Orders", "try_orders"]

RANDOM_ORDERS = 40


@dataclass(slots=True)
class Orders:
    """Counts of given and of accepted orders of letters."""

    right: int = 0
    right_accepted: int = 0
    shifted: int = 0
    shifted_accepted: int = 0
    mixed: int = 0
    mixed_accepted: int = 0

    def add(self, other: Orders) -> None:
        """Add the counts of another."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def try_orders(examples: Sequence[Example], network_tokens: Sequence[str], seed: int) -> Orders:
    """Enrol a photo's tiles with the right letters, with every cyclic shift of them, and with random orders."""
    here = [replace(example, photo=0) for example in examples if example.token != BLANK]
    tokens = [example.token for example in here]
    rng = np.random.default_rng([seed, 47])
    shifted = [tokens[places:] + tokens[:places] for places in range(1, len(tokens))]
    mixed = [[tokens[index] for index in rng.permutation(len(tokens))] for _ in range(RANDOM_ORDERS)]

    def accepted(order: Sequence[str]) -> bool:
        given = [replace(example, token=token) for example, token in zip(here, order, strict=True)]
        try:
            check_order(given, network_tokens, ("photo",))
            check_letters(given, network_tokens, ("photo",))
        except InputError:
            return False
        return True

    return Orders(
        right=1,
        right_accepted=accepted(tokens),
        shifted=len(shifted),
        shifted_accepted=sum(map(accepted, shifted)),
        mixed=len(mixed),
        mixed_accepted=sum(map(accepted, mixed)),
    )
