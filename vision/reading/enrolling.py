"""From examples to prototypes, and how far they may be trusted: both measured on the examples themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.reading.examples import varied
from vision.reading.network import NetworkReader
from vision.reading.prototypes import Prototypes, fitted

__all__ = ["Enrolled", "enrolled"]

_COPIES = 30
"""Variations of each example: with 12 one letter in a hundred more was misread in unseen photos of rendered sets."""

_SPREADS = (6.0, 9.0, 14.0, 20.0, 30.0, 45.0, 70.0)
_NETWORK_WEIGHTS = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0)
"""What is tried; the pair is kept under which the letters of photos left out are most probable."""

_USUAL_SPREAD, _USUAL_WEIGHT, _FAMILIAR_WEIGHT = 30.0, 0.4, 1.0
"""Where nothing can be left out; the last for a set that the network reads well by itself."""

_FAMILIAR = 0.9
"""Share of the examples that the network reads rightly, of a typeface that it knows."""

_TOWARDS_USUAL = 20.0
"""Examples that the usual spread counts as: a few that are all read rightly would say that nothing ever differs."""

_LEAST_LEFT_OUT = 6
"""Examples, of letters that other photos show too, from which the measurement means something."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Enrolled:
    """Prototypes, and what leaving photos out said of them.

    Parameters
    ----------
    prototypes : Prototypes
        Of all examples.
    left_out : tuple of (int, str)
        Each example that was read from the others, by its number, and as what; empty where none could be.
    letters_right : float
        Share of them that were read rightly; not a number where none could be.
    """

    prototypes: Prototypes
    left_out: tuple[tuple[int, str], ...]
    letters_right: float


def enrolled(
    cells: NDArray[np.uint8],
    labels: Sequence[str],
    photos: Sequence[int],
    network: NetworkReader,
    tokens: Sequence[str],
    seed: int = 0,
) -> Enrolled:
    """The prototypes of a set.

    Parameters
    ----------
    cells : (n, side, side, 3) uint8
        The enrolled squares, upright, as the network takes them.
    labels : sequence of n str
        Their letters; a blank is ``?``.
    photos : sequence of n int
        Which photo each was cut from.
    network : NetworkReader
        Loaded with features.
    tokens : sequence of str
        The edition's letters.
    seed : int
        Of the variations.

    Raises
    ------
    ValueError
        If there are fewer than two different letters.
    """
    rng = np.random.default_rng(seed)
    features = network.features(varied(cells, _COPIES, rng)).reshape(len(cells), _COPIES + 1, -1)
    names, origins = np.array(labels), _folds(labels, photos)
    said = network.letters(cells)
    trials = []
    for fold in sorted(set(origins.tolist())):
        inside, outside = origins == fold, origins != fold
        if len(set(names[outside])) < 2:
            continue
        # only what other photos show too can be known from them
        asked = np.flatnonzero(inside & np.isin(names, names[outside]) & (names != "?"))
        if len(asked):
            trials.append((asked, _fit(features[outside], names[outside])))
    whole = _fit(features, names)
    if sum(len(asked) for asked, _ in trials) < _LEAST_LEFT_OUT:
        return Enrolled(
            prototypes=replace(
                whole, spread=_USUAL_SPREAD, network_weight=_guessed_weight(names, said, network.tokens)
            ),
            left_out=(),
            letters_right=float("nan"),
        )
    wanted = {token: column for column, token in enumerate(tokens)}
    best = (-np.inf, _USUAL_SPREAD, _USUAL_WEIGHT)
    for spread in _SPREADS:
        advantages = [
            replace(known, spread=spread).advantage(features[asked].reshape(-1, features.shape[-1]))
            for asked, known in trials
        ]
        for weight in _NETWORK_WEIGHTS:
            total = -_TOWARDS_USUAL * (_COPIES + 1) * 0.1 * float(np.log(spread / _USUAL_SPREAD)) ** 2
            for (asked, known), advantage in zip(trials, advantages, strict=True):
                weighed = replace(known, spread=spread, network_weight=weight)
                beside = np.repeat(said[asked], _COPIES + 1, axis=0)
                chances = weighed.letters(advantage, beside, network.tokens, tokens)
                columns = np.repeat([wanted[name] for name in names[asked]], _COPIES + 1)
                total += float(np.log(chances[np.arange(len(columns)), columns]).sum())
            best = max(best, (total, spread, weight))
    _, spread, weight = best
    left_out = []
    for asked, known in trials:
        weighed = replace(known, spread=spread, network_weight=weight)
        advantage = weighed.advantage(features[asked, 0])
        read = weighed.letters(advantage, said[asked], network.tokens, tokens).argmax(axis=1)
        left_out += [(int(number), tokens[column]) for number, column in zip(asked, read, strict=True)]
    right = float(np.mean([labels[number] == token for number, token in left_out]))
    return Enrolled(
        prototypes=replace(whole, spread=spread, network_weight=weight),
        left_out=tuple(sorted(left_out)),
        letters_right=right,
    )


def _guessed_weight(
    names: NDArray[np.str_], said: NDArray[np.float32], network_tokens: Sequence[str]
) -> float:
    """How much the network counts, by how well it reads the examples themselves."""
    right = np.array(network_tokens)[said.argmax(axis=1)] == names
    return _FAMILIAR_WEIGHT if right[names != "?"].mean() >= _FAMILIAR else _USUAL_WEIGHT


def _fit(features: NDArray[np.float32], names: NDArray[np.str_]) -> Prototypes:
    flat = features.reshape(-1, features.shape[-1])
    return fitted(flat, [str(name) for name in np.repeat(names, features.shape[1])])


def _folds(labels: Sequence[str], photos: Sequence[int]) -> NDArray[np.int64]:
    """Which examples are left out together: those of a photo; of a single photo, every other one of a letter."""
    if len(set(photos)) > 1:
        return np.array(photos, dtype=np.int64)
    seen: dict[str, int] = {}
    folds = []
    for label in labels:
        folds.append(seen.get(label, 0) % 2)
        seen[label] = seen.get(label, 0) + 1
    return np.array(folds, dtype=np.int64)
