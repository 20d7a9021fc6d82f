"""Enrol a tile set: augment its examples, fit prototypes, and measure their error rates on left-out examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import BLANK
from vision.core import Floats, Image, Mask, Occupancy
from vision.recognition.cascade import CascadeReader
from vision.recognition.prototypes import SETTINGS as PROTOTYPE_SETTINGS
from vision.recognition.prototypes import Prototypes, expected_confusions, fit_prototypes

__all__ = ["Enrolment", "augment", "enrol_prototypes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AugmentationSettings:
    """How much tiles of one set differ between squares and photos; all chosen.

    Parameters
    ----------
    n_variations : int
        Variations of each example: with 12, one letter in a hundred more was misread in unseen photos of rendered sets.
    max_shift, max_zoom : float
        Shift as a share of the side, and change of scale.
    max_turn_deg : float
        Rotation in degrees.
    new_context_share : float
        Share of the pictures that get the context of another square: a letter must not be recognised by its context.
    min_context, max_context : float
        Width of that context as a share of the side.
    blurred_share : float
        Share of the pictures that are blurred.
    min_blur_px, max_blur : float
        Standard deviation of the blur: in pixels at least, as a share of the side at most.
    """

    n_variations: int = 30
    max_shift: float = 0.05
    max_zoom: float = 0.06
    max_turn_deg: float = 5.0
    new_context_share: float = 0.9
    min_context: float = 0.08
    max_context: float = 0.17
    blurred_share: float = 0.5
    min_blur_px: float = 0.3
    max_blur: float = 0.02


AUGMENTATION = AugmentationSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolmentSettings:
    """Priors and limits of what is measured on the examples; all chosen.

    Parameters
    ----------
    variances : tuple of float
        Within-class variances that are compared; the one under which left-out letters are most probable is kept.
    prior_weight : float
        Weight of the usual variance for each variation of an example, in nats per squared logarithm of the variance: a
        few examples that are all read correctly would suggest no variance at all.
    min_letter_probability : float
        Floor of an example's probability, so that no single example decides.
    network_error_rate, prototype_error_rate : float
        Expected error rates before anything is measured.
    set_count, letter_count : float
        Examples that this expectation counts as for a set, and that the set's rate counts as for one letter.
    wanted_tile_log_odds : float
        Log-odds of "tile" that all but `few` of the set's tiles should reach.
    max_tile_log_odds : float
        Log-odds at most that resemblance may add.
    few : float
        Share of the examples that may fail.
    usual_llr : float
        Log-likelihood ratio of an example where nothing can be left out.
    min_left_out : int
        Number of left-out examples, of letters that other photos show too, from which the measurement means anything.
    """

    variances: tuple[float, ...] = (6.0, 9.0, 14.0, 20.0, 30.0, 45.0, 70.0)
    prior_weight: float = 2.0
    min_letter_probability: float = 0.01
    network_error_rate: float = 0.01
    prototype_error_rate: float = 0.03
    set_count: float = 10.0
    letter_count: float = 4.0
    wanted_tile_log_odds: float = 3.0
    max_tile_log_odds: float = 4.0
    few: float = 0.05
    usual_llr: float = 8.0
    min_left_out: int = 6


SETTINGS = EnrolmentSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Enrolment:
    """Prototypes, and how left-out examples were read.

    Parameters
    ----------
    prototypes : Prototypes
        Fitted to all examples.
    left_out : tuple of (int, str)
        Each example that was read from the others: its number, and the letter that was read. Empty where none could be.
    letters_right : float
        Share of them that were read correctly; NaN where none could be.
    by_network : tuple of str
        The letter of each example as the network alone reads it, one of the edition's; empty if it knows none of these.
    """

    prototypes: Prototypes
    left_out: tuple[tuple[int, str], ...]
    letters_right: float
    by_network: tuple[str, ...]


def augment(cells: Image, copies: int, rng: np.random.Generator) -> Image:
    """Return each picture followed by `copies` variations of it.

    Parameters
    ----------
    cells : (n, side, side, 3) uint8
        Squares with some context, BGR.
    copies : int
        Number of variations of each.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    (n * (copies + 1), side, side, 3) uint8
    """
    result = []
    for cell in cells:
        result.append(cell)
        result += [_vary(cell, cells, rng) for _ in range(copies)]
    return np.stack(result)


def _vary(cell: Image, others: Image, rng: np.random.Generator) -> Image:
    """Return a picture shifted, turned, scaled, in another context and blurred, at random."""
    limits, side = AUGMENTATION, cell.shape[0]
    middle = (side - 1) / 2
    turn = float(rng.uniform(-limits.max_turn_deg, limits.max_turn_deg))
    zoom = 1 + float(rng.uniform(-limits.max_zoom, limits.max_zoom))
    matrix = cv2.getRotationMatrix2D((middle, middle), turn, zoom)
    matrix[:, 2] += rng.uniform(-limits.max_shift, limits.max_shift, 2) * side
    moved = np.asarray(cv2.warpAffine(cell, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    if rng.random() < limits.new_context_share:
        context = np.rot90(others[int(rng.integers(len(others)))], int(rng.integers(4))).copy()
        low, high = round(limits.min_context * side), round(limits.max_context * side)
        top, left, bottom, right = (int(width) for width in rng.integers(low, high, size=4))
        inner = slice(top, side - bottom), slice(left, side - right)
        context[inner] = moved[inner]
        moved = context
    if rng.random() < limits.blurred_share:
        sigma_px = float(rng.uniform(limits.min_blur_px, limits.max_blur * side))
        moved = np.asarray(cv2.GaussianBlur(moved, (0, 0), sigma_px), np.uint8)
    return moved


def enrol_prototypes(
    cells: Image,
    labels: Sequence[str],
    photos: Sequence[int],
    network: CascadeReader,
    tokens: Sequence[str],
) -> Enrolment:
    """Fit the prototypes of a tile set, and measure their error rates photo by photo.

    Parameters
    ----------
    cells : (n, side, side, 3) uint8
        The enrolled squares, upright, as the network takes them.
    labels : sequence of n str
        Their letters; a blank is ``?``.
    photos : sequence of n int
        The photo that each was cut from.
    network : CascadeReader
        Loaded with features.
    tokens : sequence of str
        The edition's letters.

    Raises
    ------
    ValueError
        If there are fewer than two different letters.
    """
    copies = AUGMENTATION.n_variations
    features = network.extract_features(augment(cells, copies, np.random.default_rng(0)))
    examples = _Examples(
        features=features.reshape(len(cells), copies + 1, -1),
        names=np.array(labels),
        by_network=network.letter_probabilities(cells),
        network_tokens=network.tokens,
        tokens=tokens,
    )
    folds = _folds_of(examples, _fold_numbers(labels, photos))
    variance = _best_variance(folds, examples)
    folds = [replace(fold, known=replace(fold.known, within_class_variance=variance)) for fold in folds]
    errors, own_ratios = _measure(folds, examples)
    fitted = _fit(examples.features, examples.names)
    everything = np.ones(len(labels), dtype=np.bool_)
    left_out = [pair for fold in folds for pair in _read_fold(fold, examples, errors)]
    return Enrolment(
        prototypes=replace(
            _with_error_rates(fitted, examples, everything, errors),
            within_class_variance=variance,
            max_tile_log_odds=_missing_log_odds(
                network.occupancy_probabilities(cells[examples.names != BLANK])
            ),
            min_in_class_llr=float(np.quantile(own_ratios, SETTINGS.few)) if folds else SETTINGS.usual_llr,
        ),
        left_out=tuple(sorted(left_out)),
        letters_right=float(np.mean([labels[number] == token for number, token in left_out]))
        if left_out
        else math.nan,
        by_network=_read_by_network(examples),
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Examples:
    """The examples of a set.

    Parameters
    ----------
    features : (n, variations, d) float32
        Features of each example and its variations; the first is the example itself.
    names : (n,) str
        Their letters.
    by_network : (n, len(network_tokens)) float32
        Letter probabilities by the network.
    network_tokens, tokens : sequences of str
        The network's letters, and the edition's.
    """

    features: NDArray[np.float32]
    names: NDArray[np.str_]
    by_network: NDArray[np.float32]
    network_tokens: Sequence[str]
    tokens: Sequence[str]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Fold:
    """Examples that are read from the others: their numbers, a mask of the others, and the others' prototypes."""

    asked: NDArray[np.intp]
    outside: Mask
    known: Prototypes

    def log_likelihood_ratios(self, examples: _Examples) -> Floats:
        """Return the ratios (len(asked) * variations, letters) of the left-out examples and their variations."""
        asked = examples.features[self.asked]
        return self.known.log_likelihood_ratios(asked.reshape(-1, asked.shape[-1]))


def _fold_numbers(labels: Sequence[str], photos: Sequence[int]) -> NDArray[np.int64]:
    """Number the examples by the fold they are left out in: their photo, or every other one of a letter."""
    if len(set(photos)) > 1:
        return np.array(photos, dtype=np.int64)
    counts: dict[str, int] = {}
    folds = []
    for label in labels:
        folds.append(counts.get(label, 0) % 2)
        counts[label] = counts.get(label, 0) + 1
    return np.array(folds, dtype=np.int64)


def _folds_of(examples: _Examples, numbers: NDArray[np.int64]) -> list[_Fold]:
    """Return the folds; none where too few examples could be left out."""
    names, folds = examples.names, []
    for number in sorted(set(numbers.tolist())):
        inside, outside = numbers == number, numbers != number
        if len(set(names[outside])) < 2:
            continue
        # only letters that other photos show too can be known from them
        asked = np.flatnonzero(inside & np.isin(names, names[outside]) & (names != BLANK))
        if len(asked):
            known = _fit(examples.features[outside], names[outside])
            folds.append(_Fold(asked=asked, outside=outside, known=known))
    return folds if sum(len(fold.asked) for fold in folds) >= SETTINGS.min_left_out else []


def _best_variance(folds: Sequence[_Fold], examples: _Examples) -> float:
    """Return the within-class variance under which the left-out letters are most probable."""
    copies, totals = examples.features.shape[1], []
    usual = PROTOTYPE_SETTINGS.initial_variance
    for variance in SETTINGS.variances if folds else ():
        total = -SETTINGS.prior_weight * copies * float(np.log(variance / usual)) ** 2
        for fold in folds:
            trial = replace(fold, known=replace(fold.known, within_class_variance=variance))
            letters = trial.known.letter_probabilities(trial.log_likelihood_ratios(examples), examples.tokens)
            names = np.repeat(examples.names[fold.asked], copies)
            own = _own_probability(letters, names, examples.tokens)
            floor = SETTINGS.min_letter_probability
            total += float(np.log((own + floor) / (1 + floor)).sum())
        totals.append(total)
    return SETTINGS.variances[int(np.argmax(totals))] if totals else usual


def _measure(folds: Sequence[_Fold], examples: _Examples) -> tuple[Floats, Floats]:
    """Measure the prototypes on the left-out examples.

    Returns
    -------
    errors : (n,) float64
        One minus the probability of each example's own letter; NaN where it was not left out.
    own_ratios : (left out * variations,) float64
        Log-likelihood ratio of its own letter, of each left-out example and variation.
    """
    copies = examples.features.shape[1]
    errors, own_ratios = np.full(len(examples.names), np.nan), [np.zeros(0)]
    for fold in folds:
        ratios = fold.log_likelihood_ratios(examples)
        names = examples.names[fold.asked]
        letters = fold.known.letter_probabilities(ratios[::copies], examples.tokens)
        errors[fold.asked] = 1 - _own_probability(letters, names, examples.tokens)
        columns = [fold.known.tokens.index(name) for name in np.repeat(names, copies)]
        own_ratios.append(ratios[np.arange(len(columns)), columns])
    return errors, np.concatenate(own_ratios)


def _read_fold(fold: _Fold, examples: _Examples, errors: Floats) -> list[tuple[int, str]]:
    """Read the left-out examples from the others: their numbers, and their letters."""
    known = _with_error_rates(fold.known, examples, fold.outside, errors)
    ratios = known.log_likelihood_ratios(examples.features[fold.asked, 0])
    by_network = examples.by_network[fold.asked]
    letters = known.fuse_letters(ratios, by_network, examples.network_tokens, examples.tokens)
    return [
        (int(number), examples.tokens[column])
        for number, column in zip(fold.asked, letters.argmax(axis=1), strict=True)
    ]


def _read_by_network(examples: _Examples) -> tuple[str, ...]:
    """Read each example by the network alone, among the edition's letters; empty if it knows none of these."""
    columns = [column for column, token in enumerate(examples.network_tokens) if token in examples.tokens]
    if not columns:
        return ("",) * len(examples.names)
    best = examples.by_network[:, columns].argmax(axis=1)
    return tuple(examples.network_tokens[columns[column]] for column in best)


def _with_error_rates(known: Prototypes, examples: _Examples, used: Mask, errors: Floats) -> Prototypes:
    """Return the prototypes with the error rates that were measured on the examples in the mask `used`."""
    names = examples.names[used]
    rate, confusions = _network_errors(
        examples.by_network[used], names, known.tokens, examples.network_tokens
    )
    return replace(
        known,
        confusion_matrix=confusions,
        network_error_rate=rate,
        prototype_error_rates=_prototype_error_rates(errors[used], names, known.tokens),
    )


def _own_probability(
    probabilities: NDArray[np.floating], names: NDArray[np.str_], tokens: Sequence[str]
) -> Floats:
    """Return the probability (n,) of each example's own letter; 0 for a letter that is none of the tokens.

    Parameters
    ----------
    probabilities : (n, len(tokens)) float
        Probability of each letter.
    names : (n,) str
        The examples' letters.
    tokens : sequence of str
        The letters of `probabilities`.
    """
    own = {token: column for column, token in enumerate(tokens)}
    among = np.asarray(probabilities, np.float64)
    among = among / np.maximum(among.sum(axis=1, keepdims=True), 1e-12)
    return np.array(
        [among[row, own[name]] if name in own else 0.0 for row, name in enumerate(names)], np.float64
    )


def _network_errors(
    by_network: NDArray[np.float32],
    names: NDArray[np.str_],
    letters: Sequence[str],
    network_tokens: Sequence[str],
) -> tuple[float, NDArray[np.float32]]:
    """Return the network's error rate on the set, and its confusion matrix (letters, network letters)."""
    known = np.isin(names, list(network_tokens))
    errors = 1 - _own_probability(by_network[known], names[known], network_tokens)
    rate = (errors.sum() + SETTINGS.set_count * SETTINGS.network_error_rate) / (
        len(errors) + SETTINGS.set_count
    )
    confusions = SETTINGS.letter_count * expected_confusions(letters, network_tokens, rate)
    for row, letter in enumerate(letters):
        confusions[row] += by_network[names == letter].sum(axis=0)
    return float(rate), np.asarray(confusions / confusions.sum(axis=1, keepdims=True), np.float32)


def _prototype_error_rates(
    errors: Floats, names: NDArray[np.str_], letters: Sequence[str]
) -> NDArray[np.float32]:
    """Return the prototypes' error rate of each letter, the fewer its examples the closer to the set's rate."""
    measured = np.isfinite(errors) & (names != BLANK)
    usual = (errors[measured].sum() + SETTINGS.set_count * SETTINGS.prototype_error_rate) / (
        measured.sum() + SETTINGS.set_count
    )
    return np.array(
        [
            (errors[here].sum() + SETTINGS.letter_count * usual) / (here.sum() + SETTINGS.letter_count)
            for here in (measured & (names == letter) for letter in letters)
        ],
        np.float32,
    )


def _missing_log_odds(occupancy: NDArray[np.float32]) -> float:
    """Return the log-odds that nearly all enrolled letters lack to be clearly read as tiles."""
    tile = np.clip(occupancy[:, Occupancy.TILE].astype(np.float64), 1e-6, 1 - 1e-6)
    wanted = SETTINGS.wanted_tile_log_odds
    log_odds = np.quantile(np.log(tile / (1 - tile)), SETTINGS.few) if len(tile) else wanted
    return float(np.clip(wanted - log_odds, 0.0, SETTINGS.max_tile_log_odds))


def _fit(features: NDArray[np.float32], names: NDArray[np.str_]) -> Prototypes:
    """Fit prototypes to examples (n, variations, d) and their names (n,)."""
    flat = features.reshape(-1, features.shape[-1])
    return fit_prototypes(flat, [str(name) for name in np.repeat(names, features.shape[1])])
