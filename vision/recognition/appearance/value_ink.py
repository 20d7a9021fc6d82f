"""Find letters without a value among tiles that show one: blanks on a screen, or with a letter by hand.

The networks expect a value with a clear letter, and read one where a corner is bare. But the other tiles of the photo
show where values are printed and how dark they are, and their lower left corners what a bare corner looks like.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core import DEVIATION_FROM_MAD, Floats, Image, Mask, Occupancy, median
from vision.recognition.appearance.square_edges import cauchy_log_ratio

__all__ = ["SETTINGS", "compare_value_ink", "weigh_value_ink"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueInkSettings:
    """Weights and thresholds of the comparison, chosen.

    Parameters
    ----------
    ink_weight, missing_weight, bias : float
        Of the log-likelihood ratio of the ink, and of the logarithm of the probability that no value is printed,
        relative to the other letters, in the log-odds of a blank; and what is added. Chosen on 160 photos of games on a
        screen (from 4,000 on of `tests.sets.photo_kinds`), and 380 boards of `club_boards` and `hard_blanks`: of 82
        blanks with a letter that were missed 45 are, and of 29,000 letters two more are taken for blanks. A bias of -5
        finds one more, and takes three more letters for blanks.
    max_log_odds : float
        Log-odds at most that are added: a clear letter has about -8.
    min_reference : float
        Probability of a letter from which a tile is compared with.
    min_references : int
        Number of such tiles that is needed.
    step_px : int
        Distance of the sampled pixels.
    border_px : int
        What is left out at the edges of a square.
    ink_percentile : float
        Percentile of darkness that is the ink's of the letter.
    min_scale : float
        Least usual deviation of a corner's ink, as a share of the letter's.
    min_variance : float
        Added to the variance of each pixel's ink.
    min_separation : float
        Difference of printed and bare corners, as a multiple of their deviations, from which they are compared. With
        2.0, and pixels that are not weighted by their variance, 42 more of 360 blanks are missed, on photos from
        981,100 on of games on a screen; of 16,000 letters, one less is taken for a blank.
    floor : float
        Added to probabilities of missing values.
    """

    ink_weight: float = 3.0
    missing_weight: float = 1.0
    bias: float = -6.0
    max_log_odds: float = 9.0
    min_reference: float = 0.9
    min_references: int = 8
    step_px: int = 2
    border_px: int = 4
    ink_percentile: float = 95.0
    min_scale: float = 0.01
    min_variance: float = 0.02
    min_separation: float = 1.5
    floor: float = 1e-3


SETTINGS = ValueInkSettings()


def weigh_value_ink(
    crops: Image, context_px: int, occupancy: NDArray[np.float32], values: NDArray[np.float32], no_value: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the occupancy and the values, with blanks and no value more probable where the value's corner is bare.

    Parameters
    ----------
    crops : (n, side, side, 3) uint8
        BGR, squares that may hold a tile, upright, with `context_px` beyond each side.
    context_px : int
        The context in pixels.
    occupancy : (n, 4) float32
        Their occupancy.
    values : (n, classes) float32
        The probabilities of their values.
    no_value : int
        The class of no value.

    Returns
    -------
    occupancy : (n, 4) float32
        Unchanged where there are too few letters, or their values are not to be seen.
    values : (n, classes) float32
        The same.
    """
    is_letter = occupancy[:, Occupancy.TILE] > SETTINGS.min_reference
    if is_letter.sum() < SETTINGS.min_references:
        return occupancy, values
    missing = np.log(values[:, no_value] + SETTINGS.floor)
    missing -= median(missing[is_letter])
    ink = compare_value_ink(crops, context_px, is_letter)
    log_odds = SETTINGS.ink_weight * ink + SETTINGS.missing_weight * missing + SETTINGS.bias
    result = occupancy.copy()
    both = [Occupancy.TILE, Occupancy.BLANK]
    result[:, Occupancy.BLANK] *= np.exp(log_odds.clip(0, SETTINGS.max_log_odds))
    result[:, both] *= (occupancy[:, both].sum(axis=1) / result[:, both].sum(axis=1))[:, None]
    weighed = values.copy()
    weighed[:, no_value] *= np.exp(ink)
    return result, weighed / weighed.sum(axis=1, keepdims=True)


def compare_value_ink(crops: Image, context_px: int, is_letter: Mask) -> Floats:
    """Compare the ink in the corner of the value with that of the board's letters, and with bare corners.

    Parameters
    ----------
    crops : (n, side, side, 3) uint8
        As for `weigh_value_ink`.
    context_px : int
        The context in pixels.
    is_letter : (n,) bool
        The letters that are compared with.

    Returns
    -------
    (n,) float64
        Log-likelihood ratios, positive for no value; 0 where values are not clearly seen in the lower right corner.
    """
    ink = _letter_ink(crops, context_px, is_letter)
    half = ink.shape[1] // 2
    printed, bare = ink[:, -half:, -half:], ink[:, -half:, half - 1 :: -1]
    usual_ink, usual_bare = (each[is_letter].clip(min=0).mean(axis=0) for each in (printed, bare))
    # as in a discriminant analysis: pixels that strokes of some letters reach count less
    variance = printed[is_letter].var(axis=0) + bare[is_letter].var(axis=0)
    weights = (usual_ink - usual_bare).clip(min=0) / (variance + SETTINGS.min_variance)
    weights /= weights.sum() + 1e-9
    shown, hidden = (np.einsum("nij,ij->n", each, weights) for each in (printed, bare))
    usual, usual_scale = _centre_and_scale(shown[is_letter])
    none, none_scale = _centre_and_scale(hidden[is_letter])
    if usual - none < SETTINGS.min_separation * (usual_scale + none_scale):
        return np.zeros(len(ink))
    ratio = cauchy_log_ratio((shown - usual) / usual_scale, (shown - none) / none_scale)
    return np.asarray(ratio + np.log(usual_scale / none_scale))


def _letter_ink(crops: Image, context_px: int, is_letter: Mask) -> NDArray[np.float32]:
    """Return how dark (n, side, side) each pixel is: 0 on a tile's face, 1 in its letter, negative in a reflection."""
    margin, step = context_px + SETTINGS.border_px, SETTINGS.step_px
    green = crops[:, margin:-margin:step, margin:-margin:step, 1].astype(np.float32)
    levels = green.reshape(len(green), -1)
    darkness = median(levels)[:, None] - levels
    # `numpy.percentile` takes ten times as long for many small sets
    ordered = np.sort(darkness, axis=1)
    at, share = divmod(SETTINGS.ink_percentile / 100 * (ordered.shape[1] - 1), 1)
    low, high = (each[:, [int(at), int(at) + 1]] @ (1 - share, share) for each in (ordered[:, ::-1], ordered))
    if median((low + high)[is_letter]) < 0:  # light ink on dark tiles
        darkness, high = -darkness, -low
    return np.asarray((darkness / high.clip(min=1)[:, None]).clip(-1.5, 1.5), np.float32).reshape(green.shape)


def _centre_and_scale(values: Floats) -> tuple[float, float]:
    """Return the median, and the usual deviation from it."""
    centre = float(median(values))
    return centre, DEVIATION_FROM_MAD * float(median(np.abs(values - centre))) + SETTINGS.min_scale
