"""The types of pictures, masks, points and colours that the renderer shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Colour", "Floats", "Mask", "Picture", "Plane"]

Picture = NDArray[np.uint8]
"""(height, width, 3) uint8, BGR."""
Mask = NDArray[np.uint8]
"""(height, width) uint8, 0 to 255: how much of each pixel is covered."""
Plane = NDArray[np.float32]
"""(height, width) float32: brightness, coverage or noise."""
Floats = NDArray[np.float64]
"""Points and matrices."""
Colour = tuple[float, float, float]
"""Blue, green and red, 0 to 255."""
