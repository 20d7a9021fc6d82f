"""More examples of a tile than there are photos: moved, turned, relit, and with other neighbours.

From examples to prototypes, and how far they may be trusted: both measured on the examples themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import BLANK
from vision.core import Occupancy
from vision.recognition.cascade import CascadeReader
from vision.recognition.prototypes import Prototypes, expected_confusions, fit_prototypes

__all__ = ["Enrolment", "augment", "enrol_prototypes"]

Cells = NDArray[np.uint8]

_MAX_SHIFT, _MAX_TURN_DEG, _MAX_ZOOM = 0.05, 5.0, 0.06
"""Of the picture's side; degrees; share: how tiles of one set differ between squares and photos."""

_OTHER_NEIGHBOURS = 0.9
"""Share of the pictures around which another square's surroundings are put: a letter must not be known by them."""

_RIM = (0.08, 0.17)
"""Width of those surroundings as a share of the side."""

_MAX_BLUR = 0.02
"""Standard deviation as a share of the side."""


def augment(cells: Cells, copies: int, rng: np.random.Generator) -> Cells:
    """Each picture and `copies` variations of it, one behind the other.

    Parameters
    ----------
    cells : (n, side, side, 3) uint8
        Squares with some of their surroundings, BGR.
    copies : int
        How many variations of each.
    rng : numpy.random.Generator
        What chooses them.

    Returns
    -------
    (n * (copies + 1), side, side, 3) uint8
    """
    result = []
    for cell in cells:
        result.append(cell)
        result += [_variation(cell, cells, rng) for _ in range(copies)]
    return np.stack(result)


def _variation(cell: Cells, others: Cells, rng: np.random.Generator) -> Cells:
    side = cell.shape[0]
    middle = (side - 1) / 2
    turn = float(rng.uniform(-_MAX_TURN_DEG, _MAX_TURN_DEG))
    zoom = 1 + float(rng.uniform(-_MAX_ZOOM, _MAX_ZOOM))
    matrix = cv2.getRotationMatrix2D((middle, middle), turn, zoom)
    matrix[:, 2] += rng.uniform(-_MAX_SHIFT, _MAX_SHIFT, 2) * side
    moved = np.asarray(cv2.warpAffine(cell, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    if rng.random() < _OTHER_NEIGHBOURS:
        around = np.rot90(others[int(rng.integers(len(others)))], int(rng.integers(4))).copy()
        low, high = round(_RIM[0] * side), round(_RIM[1] * side)
        top, left, bottom, right = (int(width) for width in rng.integers(low, high, size=4))
        inner = slice(top, side - bottom), slice(left, side - right)
        around[inner] = moved[inner]
        moved = around
    if rng.random() < 0.5:
        moved = np.asarray(
            cv2.GaussianBlur(moved, (0, 0), float(rng.uniform(0.3, _MAX_BLUR * side))), np.uint8
        )
    return moved


_COPIES = 30
"""Variations of each example: with 12 one letter in a hundred more was misread in unseen photos of rendered sets."""

_SPREADS = (6.0, 9.0, 14.0, 20.0, 30.0, 45.0, 70.0)
"""What is tried; the one is kept under which the letters of photos left out are most probable."""

_USUAL_SPREAD = 30.0
"""Where nothing can be left out."""

_NETWORK_MISSES, _LIKENESS_MISSES = 0.01, 0.03
"""What is expected before anything is measured: shares of the letters that either witness takes for another."""

_SET_COUNTS, _LETTER_COUNTS = 10.0, 4.0
"""Examples that this expectation counts as for a set; and the whole set's measure for one letter."""

_WANTED_ODDS, _MAX_BOOST, _FEW = 3.0, 4.0, 0.05
"""Logarithm of the odds that all but a few of a set's tiles are to be held for tiles with, by how much likeness may
help at most, and the share of these few."""

_USUAL_ALIKE = 8.0
"""The same for how like its prototype a letter is, where nothing can be left out."""

_MIN_GIVEN = 0.01
"""What a single picture that is unlike its own letter counts at least, so that none decides alone."""

_TOWARDS_USUAL = 20.0
"""Examples that the usual spread counts as: a few that are all read rightly would say that nothing ever differs."""

_MIN_LEFT_OUT = 6
"""Examples, of letters that other photos show too, from which the measurement means something."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Enrolment:
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


def enrol_prototypes(
    cells: NDArray[np.uint8],
    labels: Sequence[str],
    photos: Sequence[int],
    network: CascadeReader,
    tokens: Sequence[str],
    seed: int = 0,
) -> Enrolment:
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
    features = network.features(augment(cells, _COPIES, rng)).reshape(len(cells), _COPIES + 1, -1)
    names, said = np.array(labels), network.letters(cells)
    trials = _trials(features, names, _folds(labels, photos))
    spread = _best_spread(trials, features, names, tokens)
    trials = [replace(trial, known=replace(trial.known, spread=spread)) for trial in trials]
    missed = np.full(len(names), np.nan)
    own = []
    for trial in trials:
        advantage = trial.advantage(features)
        alike = trial.known.alike(advantage[:: _COPIES + 1], tokens)
        missed[trial.asked] = 1 - _given(alike, names[trial.asked], tokens, tokens)
        columns = [trial.known.tokens.index(name) for name in np.repeat(names[trial.asked], _COPIES + 1)]
        own.append(advantage[np.arange(len(columns)), columns])
    whole = _weighed(_fit(features, names), said, names, missed, network.tokens)
    left_out = []
    for trial in trials:
        weighed = _weighed(
            trial.known, said[trial.outside], names[trial.outside], missed[trial.outside], network.tokens
        )
        advantage = weighed.advantage(features[trial.asked, 0])
        read = weighed.letters(advantage, said[trial.asked], network.tokens, tokens).argmax(axis=1)
        left_out += [(int(number), tokens[column]) for number, column in zip(trial.asked, read, strict=True)]
    return Enrolment(
        prototypes=replace(
            whole,
            spread=spread,
            tile_boost=_lacking(network.occupancy(cells[names != BLANK])),
            alike_from=float(np.quantile(np.concatenate(own), _FEW)) if own else _USUAL_ALIKE,
        ),
        left_out=tuple(sorted(left_out)),
        letters_right=float(np.mean([labels[number] == token for number, token in left_out]))
        if left_out
        else math.nan,
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Trial:
    """Examples that are read from the others, by their numbers; which the others are, and what they make known."""

    asked: NDArray[np.intp]
    outside: NDArray[np.bool_]
    known: Prototypes

    def advantage(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """(len(asked) * variations, letters) of the examples and their variations."""
        return self.known.advantage(features[self.asked].reshape(-1, features.shape[-1]))


def _trials(
    features: NDArray[np.float32], names: NDArray[np.str_], origins: NDArray[np.int64]
) -> list[_Trial]:
    """What can be left out; empty where that is too little to mean anything."""
    trials = []
    for fold in sorted(set(origins.tolist())):
        inside, outside = origins == fold, origins != fold
        if len(set(names[outside])) < 2:
            continue
        # only what other photos show too can be known from them
        asked = np.flatnonzero(inside & np.isin(names, names[outside]) & (names != BLANK))
        if len(asked):
            trials.append(_Trial(asked=asked, outside=outside, known=_fit(features[outside], names[outside])))
    return trials if sum(len(trial.asked) for trial in trials) >= _MIN_LEFT_OUT else []


def _weighed(
    known: Prototypes,
    said: NDArray[np.float32],
    names: NDArray[np.str_],
    missed: NDArray[np.float64],
    network_tokens: Sequence[str],
) -> Prototypes:
    """Prototypes with how far the network and likeness may be trusted, by what was measured of these examples."""
    misses, says = _network_says(said, names, known.tokens, network_tokens)
    return replace(
        known,
        network_says=says,
        network_misses=misses,
        likeness_misses=_likeness_misses(missed, names, known.tokens),
    )


def _best_spread(
    trials: Sequence[_Trial], features: NDArray[np.float32], names: NDArray[np.str_], tokens: Sequence[str]
) -> float:
    """The spread under which the letters of photos left out look most like the others of their kind."""
    totals = []
    for spread in _SPREADS if trials else ():
        total = -_TOWARDS_USUAL * (_COPIES + 1) * 0.1 * float(np.log(spread / _USUAL_SPREAD)) ** 2
        for trial in trials:
            known = replace(trial.known, spread=spread)
            alike = known.alike(replace(trial, known=known).advantage(features), tokens)
            given = _given(alike, np.repeat(names[trial.asked], _COPIES + 1), tokens, tokens)
            total += float(np.log((given + _MIN_GIVEN) / (1 + _MIN_GIVEN)).sum())
        totals.append(total)
    return _SPREADS[int(np.argmax(totals))] if totals else _USUAL_SPREAD


def _given(
    chances: NDArray[np.floating], names: NDArray[np.str_], said: Sequence[str], tokens: Sequence[str]
) -> NDArray[np.float64]:
    """(n,) how probable each example's own letter was held, among those of the edition; 0 for what cannot be said."""
    wanted = [column for column, token in enumerate(said) if token in tokens]
    own = {said[column]: place for place, column in enumerate(wanted)}
    among = np.asarray(chances, np.float64)[:, wanted]
    among = among / np.maximum(among.sum(axis=1, keepdims=True), 1e-12)
    return np.array(
        [among[row, own[name]] if name in own else 0.0 for row, name in enumerate(names)], np.float64
    )


def _network_says(
    said: NDArray[np.float32], names: NDArray[np.str_], letters: Sequence[str], network_tokens: Sequence[str]
) -> tuple[float, NDArray[np.float32]]:
    """How often the network misses a letter of the set, and what it calls each of them."""
    known = np.isin(names, list(network_tokens))
    missed = 1 - _given(said[known], names[known], network_tokens, network_tokens)
    misses = (missed.sum() + _SET_COUNTS * _NETWORK_MISSES) / (len(missed) + _SET_COUNTS)
    says = _LETTER_COUNTS * expected_confusions(letters, network_tokens, misses)
    for row, letter in enumerate(letters):
        says[row] += said[names == letter].sum(axis=0)
    return float(misses), np.asarray(says / says.sum(axis=1, keepdims=True), np.float32)


def _likeness_misses(
    missed: NDArray[np.float64], names: NDArray[np.str_], letters: Sequence[str]
) -> NDArray[np.float32]:
    """How often likeness misses each letter: its own examples, more so the set's, the fewer they are."""
    measured = np.isfinite(missed) & (names != BLANK)
    usual = (missed[measured].sum() + _SET_COUNTS * _LIKENESS_MISSES) / (measured.sum() + _SET_COUNTS)
    return np.array(
        [
            (missed[here].sum() + _LETTER_COUNTS * usual) / (here.sum() + _LETTER_COUNTS)
            for here in (measured & (names == letter) for letter in letters)
        ],
        np.float32,
    )


def _lacking(occupancy: NDArray[np.float32]) -> float:
    """What the odds of nearly all enrolled letters lack to being held surely for tiles, as a logarithm."""
    tile = np.clip(occupancy[:, Occupancy.TILE].astype(np.float64), 1e-6, 1 - 1e-6)
    odds = np.quantile(np.log(tile / (1 - tile)), _FEW) if len(tile) else _WANTED_ODDS
    return float(np.clip(_WANTED_ODDS - odds, 0.0, _MAX_BOOST))


def _fit(features: NDArray[np.float32], names: NDArray[np.str_]) -> Prototypes:
    flat = features.reshape(-1, features.shape[-1])
    return fit_prototypes(flat, [str(name) for name in np.repeat(names, features.shape[1])])


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
