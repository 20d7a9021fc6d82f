"""A projection of the features of `tiles` in which tiles of one set can be compared.

The network names letters of any tile set. Of one set it may take every M for an N, yet its features of an M differ from
those of an N. In directions in which tiles of one letter of one set differ little, and those of two letters much, a few
numbers tell which tiles show the same letter, whatever it is called.

References
----------
S. Ioffe: Probabilistic linear discriminant analysis. ECCV 2006.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.core import freeze
from vision.errors import SettingsError, summarize_error
from vision.recognition.prototypes import normalize_features
from vision.weights import WEIGHTS

__all__ = ["LdaProjection"]

_FILE = "appearance.npz"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LdaProjection:
    """Linear discriminant directions, and the variances along each.

    Parameters
    ----------
    axes : (d, k) float32
        From features of unit length to k numbers. Each number has variance 1 among tiles of one letter of one set, if
        each is seen in infinitely many photos.
    between_letters : (k,) float32
        Variance between the letters of one set.
    between_photos : (k,) float32
        Variance between photos of one tile.
    network : str
        Fingerprint of the network that the features come from.
    """

    axes: NDArray[np.float32]
    between_letters: NDArray[np.float32]
    between_photos: NDArray[np.float32]
    network: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", freeze(self.axes, (None, None), np.float32, "axes"))
        for name in ("between_letters", "between_photos"):
            array = freeze(getattr(self, name), (self.axes.shape[1],), np.float32, name)
            object.__setattr__(self, name, array)

    @classmethod
    def load(cls, folder: Path = WEIGHTS) -> LdaProjection:
        """Load the projection of a folder of weights.

        Raises
        ------
        SettingsError
            If its file is missing or damaged.
        """
        path = folder / _FILE
        try:
            with np.load(path) as arrays:
                return cls(
                    axes=arrays["axes"],
                    between_letters=arrays["between_letters"],
                    between_photos=arrays["between_photos"],
                    network=str(arrays["network"]),
                )
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise SettingsError(
                f"network weights: {path} cannot be read ({summarize_error(error)}); install again"
            ) from error

    def save(self, folder: Path) -> None:
        """Write the projection into the folder of the network's weights."""
        np.savez(
            folder / _FILE,
            axes=self.axes,
            between_letters=self.between_letters,
            between_photos=self.between_photos,
            network=np.array(self.network),
        )

    def embed(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """Project features (n, d), as the network gives them, to (n, k)."""
        return np.asarray(normalize_features(features) @ self.axes, np.float32)
