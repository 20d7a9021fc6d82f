"""Diagnosis of a failed detection: why no board was found, and what would help, in one line."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Image
from vision.detection.verification import FitScores, Verdict

__all__ = ["black_reason", "failure_reason"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticsSettings:
    """Limits of usable images; levels are those of 8-bit lightness. Values without a source are chosen."""

    dark_level: int = 25
    """Median, or 98th percentile, of an image that is too dark."""
    dim_level: int = 80
    """98th percentile of an image that needs more light."""
    bright_level: int = 245
    """Median of an image that is too bright."""
    min_contrast: int = 6
    """Range from the 2nd to the 98th percentile of an image that shows something."""
    max_blur: float = 0.6
    """Blur of Crete et al.: about 0.3 for images in focus, 0.6 and more for those that cannot be read (measured)."""
    clear_edge_share: float = 0.5
    """Edge share from which lines are there, as on a crossword; half of the hypotheses on no board have less
    (measured)."""


SETTINGS = DiagnosticsSettings()


def failure_reason(image_bgr: Image, scores: FitScores | None) -> str:
    """Explain to the user why no board was found.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The image at about 800 px, BGR.
    scores : FitScores or None
        Scores of the best hypothesis; None if there was none.

    References
    ----------
    F. Crete, T. Dolmiere, P. Ladret, M. Nicolas: The blur effect. Proc. SPIE 6492, 2007.
    """
    grey = np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    middle = float(np.median(grey))
    low, high = (float(level) for level in np.percentile(grey, [2, 98]))
    is_dark = high < SETTINGS.dark_level
    if scores is not None and not is_dark and (reason := _reason_of_scores(scores, middle, high)):
        return reason
    if reason := black_reason(grey) or _reason_of_light(middle, low, high, has_hypothesis=scores is not None):
        return reason
    blur = _measure_blur(grey)
    if blur > SETTINGS.max_blur:
        return (
            f"no board found: the picture is blurred ({blur:.2f}, sharp ones are below 0.4); "
            "hold still, focus, or add light"
        )
    if scores is None:
        return "no board found: no pattern of equal squares; show the whole board, from above, and larger"
    return (
        f"no board found: {scores.edge_share:.0%} of a board's lines are seen, and no premium squares; show the whole "
        "board, come closer, look more from above, or avoid glare"
    )


def _reason_of_scores(scores: FitScores, middle: float, high: float) -> str:
    """Explain the failure of a hypothesis with good scores; empty if they are poor."""
    too_dark, too_bright = high < SETTINGS.dim_level, middle > SETTINGS.bright_level
    light = "add light, " if too_dark else "expose shorter, " if too_bright else ""
    if scores.verdict >= Verdict.PLAUSIBLE and (light or not scores.is_rejected_by_colour_only):
        return (
            f"no board found: a board seems to be there, but its corners are not certain "
            f"({scores.edge_share:.0%} of its lines are seen, a corner may be off by {scores.corner_std_cells:.2f} "
            f"squares); {light}come closer, hold still, look more from above, or move hands away"
        )
    if scores.edge_share > SETTINGS.clear_edge_share:
        return (
            f"no board found: {scores.edge_share:.0%} of a board's lines are seen, but its premium squares are not "
            "recognised; show the whole board in even light, without hands, and check the edition and its number of "
            "squares"
        )
    return ""


def black_reason(grey: NDArray[np.float32] | Image) -> str:
    """Explain that an image is so dark that it shows nothing; empty if it shows something.

    Parameters
    ----------
    grey : (height, width) float32 or uint8
        The image, levels 0 to 255.
    """
    low, high = (float(level) for level in np.percentile(grey, [2, 98]))
    if high >= SETTINGS.dark_level or high - low >= SETTINGS.min_contrast:
        return ""
    return (
        f"no board found: the picture is black (levels {low:.0f} to {high:.0f} of 255); uncover the lens, check "
        "the signal, or add light"
    )


def _reason_of_light(middle: float, low: float, high: float, *, has_hypothesis: bool) -> str:
    """Explain a failure by the exposure of an image that shows something; empty if it is usable."""
    dark = SETTINGS.dark_level
    if high < dark or (middle < dark and not has_hypothesis):
        return f"no board found: the picture is dark (median level {middle:.0f} of 255); add light"
    if middle > SETTINGS.bright_level:
        return (
            f"no board found: the picture is too bright (median level {middle:.0f} of 255); expose shorter, or cut out "
            "the board, if it is a scan with much white"
        )
    if high - low < SETTINGS.min_contrast:
        return f"no board found: one plain surface (levels {low:.0f} to {high:.0f}); point at the board"
    return ""


def _measure_blur(grey: Image) -> float:
    """Measure how blurred an image is, 0 to 1."""
    from skimage.measure import blur_effect  # slow to import, and of use after a failure only

    return float(blur_effect(grey, h_size=11))
