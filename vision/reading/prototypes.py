"""Letters known by example: where the tiles of one set lie among what the network sees.

The network turns a square into some hundred numbers before it names a letter. Tiles of one letter lie close together
there, also of letters and typefaces that it was never trained on, so that few examples of a set tell its letters apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.geometry import frozen

__all__ = ["Prototypes", "fitted", "normalised"]

Floats = NDArray[np.float64]

_MOST_AXES = 48
"""More directions than that tell few letters apart, and cost room in the profile."""

_SHRINKAGE = 0.05
"""Of the spread within letters, towards equal spread in all directions: a few examples know only some of them."""

_LEAST_SEEN = 1e-4
"""What a witness holds for impossible happens once in so many times."""


_UNLIKE = 6.0
"""Logarithm of the odds at most by which a letter is ruled out: a turned or covered tile is unlike every example."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Prototypes:
    """The letters of one set of tiles, as points among what the network sees.

    Parameters
    ----------
    tokens : tuple of str
        The enrolled letters.
    origin : (d,) float32
        The mean of all examples.
    axes : (d, k) float32
        Directions that tell letters apart, scaled so that the examples of one letter spread by 1.
    points : (len(tokens), k) float32
        Each letter's mean along them.
    reach : (k,) float32
        Variance of the letters' means along them: where a letter that is not enrolled may lie.
    spread : float
        Variance of new pictures along each direction, measured; examples alone have 1.
    network_weight : float
        How much the network's own letters count beside, 0 to 1, measured.

    References
    ----------
    R. Fisher: The use of multiple measurements in taxonomic problems. Annals of Eugenics 7 (1936); S. Ioffe:
    Probabilistic linear discriminant analysis. ECCV 2006, for letters of which there is no example.
    """

    tokens: tuple[str, ...]
    origin: NDArray[np.float32]
    axes: NDArray[np.float32]
    points: NDArray[np.float32]
    reach: NDArray[np.float32]
    spread: float
    network_weight: float

    def __post_init__(self) -> None:
        letters, directions, size = len(self.tokens), len(self.reach), len(self.origin)
        shapes = {
            "origin": (size,),
            "axes": (size, directions),
            "points": (letters, directions),
            "reach": (directions,),
        }
        for name, shape in shapes.items():
            object.__setattr__(self, name, frozen(getattr(self, name), shape, np.float32, name))

    def advantage(self, features: NDArray[np.float32]) -> Floats:
        """(n, letters) log of how much better each letter explains a square than an unknown one does.

        Parameters
        ----------
        features : (n, d) float32
            As the network gives them.
        """
        seen = (normalised(features) - self.origin) @ self.axes
        near = np.square(seen[:, None] - self.points).sum(axis=-1) / self.spread
        wide = self.spread + self.reach.astype(np.float64)
        far = (np.square(seen) / wide + np.log(wide / self.spread)).sum(axis=-1)
        return np.asarray(np.logaddexp((far[:, None] - near) / 2, -_UNLIKE), dtype=np.float64)

    def letters(
        self,
        advantage: Floats,
        network: NDArray[np.floating],
        network_tokens: Sequence[str],
        tokens: Sequence[str],
    ) -> Floats:
        """(n, len(tokens)) probability of each letter of an alphabet.

        Parameters
        ----------
        advantage : (n, letters) float64
            As `advantage` gives it.
        network : (n, len(network_tokens)) float
            The network's own probabilities.
        network_tokens, tokens : sequences of str
            What the network names, and the alphabet that is wanted.
        """
        return _joined(self, advantage, network, network_tokens, tokens, self.network_weight)


def _joined(
    prototypes: Prototypes,
    advantage: Floats,
    network: NDArray[np.floating],
    network_tokens: Sequence[str],
    tokens: Sequence[str],
    network_weight: float,
) -> Floats:
    logits = np.zeros((len(advantage), len(tokens)))
    known = {token: column for column, token in enumerate(network_tokens)}
    if network_weight > 0 and any(token in known for token in tokens):
        # Of a letter that it cannot name, the network says as little as of the average one.
        said = np.full_like(logits, 1 / len(tokens))
        for column, token in enumerate(tokens):
            if token in known:
                said[:, column] = network[:, known[token]]
        logits += network_weight * np.log(said / said.sum(axis=1, keepdims=True) + _LEAST_SEEN)
    enrolled = {token: column for column, token in enumerate(prototypes.tokens)}
    for column, token in enumerate(tokens):
        if token in enrolled:
            logits[:, column] += advantage[:, enrolled[token]]
    logits -= logits.max(axis=1, keepdims=True)
    chances = np.exp(logits) + _LEAST_SEEN / len(tokens)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def normalised(features: NDArray[np.floating]) -> Floats:
    """The same directions at length 1: how strongly a tile shows depends on the light."""
    values = np.asarray(features, dtype=np.float64)
    return np.asarray(values / (np.linalg.norm(values, axis=-1, keepdims=True) + 1e-6))


def fitted(
    features: NDArray[np.floating],
    labels: Sequence[str],
    *,
    spread: float = 4.0,
    network_weight: float = 0.5,
) -> Prototypes:
    """The prototypes of examples.

    Parameters
    ----------
    features : (n, d) float
        What the network sees in pictures of tiles, several of each letter.
    labels : sequence of n str
        Their letters; two different ones at least.
    spread, network_weight : float
        As measured, or as a first guess.

    Raises
    ------
    ValueError
        If there are fewer than two letters.
    """
    tokens = tuple(sorted(set(labels)))
    if len(tokens) < 2:
        raise ValueError(f"labels: two different letters at least are needed, got {len(tokens)}")
    values, number = normalised(features), {token: index for index, token in enumerate(tokens)}
    classes = np.array([number[label] for label in labels])
    counts = np.bincount(classes)
    means = np.stack([values[classes == index].mean(axis=0) for index in range(len(tokens))])
    origin = means.mean(axis=0)
    within = values - means[classes]
    # each letter counts alike, however often it was seen
    covariance = (within / np.sqrt(counts[classes])[:, None]).T @ (within / np.sqrt(counts[classes])[:, None])
    covariance /= len(tokens)
    covariance += _SHRINKAGE * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    root = np.linalg.cholesky(covariance)
    _, sizes, directions = np.linalg.svd(np.linalg.solve(root, (means - origin).T).T, full_matrices=False)
    axes = np.linalg.solve(root.T, directions.T)[:, : min(_MOST_AXES, len(tokens) - 1)]
    return Prototypes(
        tokens=tokens,
        origin=np.asarray(origin, np.float32),
        axes=np.asarray(axes, np.float32),
        points=np.asarray((means - origin) @ axes, np.float32),
        reach=np.asarray(np.square(sizes[: axes.shape[1]]) / len(tokens), np.float32),
        spread=spread,
        network_weight=network_weight,
    )
