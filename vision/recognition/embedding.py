"""How tiles of one set look beside one another: where each lies among what the second network sees, in few numbers.

The network names letters of any set. Of one set it may take every M for an N, but Ms look otherwise to it than Ns do:
along directions in which tiles of one letter of one set differ little and those of two letters much, few numbers tell
which tiles show the same letter, whatever it is called.

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
from vision.errors import SettingsError
from vision.recognition.prototypes import normalize_features
from vision.weights import WEIGHTS, one_line

__all__ = ["LdaProjection"]

_FILE = "appearance.npz"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LdaProjection:
    """The directions, with how much tiles differ along each.

    Parameters
    ----------
    axes : (d, k) float32
        From what the network sees, at length 1, to k numbers of which each varies by 1 among tiles of one letter of one
        set, each seen in infinitely many photos.
    between_letters : (k,) float32
        Variance of the letters of one set.
    between_photos : (k,) float32
        Variance of the photos of one tile.
    network : str
        Fingerprint of the network whose features they are of.
    """

    axes: NDArray[np.float32]
    between_letters: NDArray[np.float32]
    between_photos: NDArray[np.float32]
    network: str

    def __post_init__(self) -> None:
        for name in ("between_letters", "between_photos"):
            array = freeze(getattr(self, name), (self.axes.shape[1],), np.float32, name)
            object.__setattr__(self, name, array)

    @classmethod
    def load(cls, folder: Path = WEIGHTS) -> LdaProjection:
        """Those of a folder of weights.

        Raises
        ------
        SettingsError
            If there are none.
        """
        path = folder / _FILE
        try:
            with np.load(path) as kept:
                return cls(
                    axes=kept["axes"],
                    between_letters=kept["between_letters"],
                    between_photos=kept["between_photos"],
                    network=str(kept["network"]),
                )
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise SettingsError(
                f"network weights: {path} cannot be read ({one_line(error)}); install again"
            ) from error

    def save(self, folder: Path) -> None:
        """Write them beside the network's weights."""
        np.savez(
            folder / _FILE,
            axes=self.axes,
            between_letters=self.between_letters,
            between_photos=self.between_photos,
            network=np.array(self.network),
        )

    def of(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """(n, k) where pictures of tiles lie along them.

        Parameters
        ----------
        features : (n, d) float
            As the network gives them.
        """
        return np.asarray(normalize_features(features) @ self.axes, np.float32)
