"""The lens of a profile, without the measurements that only a calibration has."""

from __future__ import annotations

import numpy as np

from vision.profile import Lens, LensSection, Origin

__all__ = ["lens_section"]


def lens_section(lens: Lens) -> LensSection:
    """Make the section of a profile with a lens."""
    return LensSection(
        lens=lens,
        error_px=0.1,
        uncertainty={},
        view_errors_px=(),
        residuals_px=np.zeros((0, 4), np.float32),
        origin=Origin(made="2026-11-20T20:00:00+00:00", sources=()),
    )
