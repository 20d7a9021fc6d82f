"""Letters known by example: where the tiles of one set lie among what the network sees.

The network turns a square into some hundred numbers before it names a letter. Tiles of one letter lie close together
there, also of letters and typefaces that it was never trained on, so that few examples of a set tell its letters apart.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core import freeze

__all__ = ["Prototypes", "expected_confusions", "fit_prototypes", "normalize_features", "strip_diacritics"]

Floats = NDArray[np.float64]

_MAX_AXES = 48
"""More directions than that tell few letters apart, and cost room in the profile."""

_SHRINKAGE = 0.05
"""Of the spread within letters, towards equal spread in all directions: a few examples know only some of them."""

_MIN_SEEN = 1e-4
"""What both witnesses hold for impossible happens once in so many times."""

_UNENROLLED = 0.9
"""How often likeness takes a letter that is not enrolled for one that is, in rendered sets."""

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
    network_says : (len(tokens), m) float32
        What the network calls each letter of this set, measured: probabilities of the m letters that it knows. Rows
        sum to 1.
    network_misses : float
        How often it takes a letter of this set for another one.
    likeness_misses : (len(tokens),) float32
        How often likeness to the examples does, for each letter.
    tile_boost : float
        Logarithm of the odds by which likeness to a letter may speak for a letter where the network holds the square
        for something else: as much as it lacked on the examples.
    alike_from : float
        The advantage that nearly all examples had that were left out: what is less like a letter was written by hand.

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
    network_says: NDArray[np.float32]
    network_misses: float
    likeness_misses: NDArray[np.float32]
    tile_boost: float
    alike_from: float

    def __post_init__(self) -> None:
        letters, directions, size = len(self.tokens), len(self.reach), len(self.origin)
        shapes = {
            "origin": (size,),
            "axes": (size, directions),
            "points": (letters, directions),
            "reach": (directions,),
            "network_says": (letters, None),
            "likeness_misses": (letters,),
        }
        for name, shape in shapes.items():
            object.__setattr__(self, name, freeze(getattr(self, name), shape, np.float32, name))

    def advantage(self, features: NDArray[np.float32]) -> Floats:
        """(n, letters) log of how much better each letter explains a square than an unknown one does.

        Parameters
        ----------
        features : (n, d) float32
            As the network gives them.
        """
        seen = (normalize_features(features) - self.origin) @ self.axes
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

        The network's word counts as what it called the examples of each letter; likeness is mixed with chance, as often
        as it is wrong about a letter; then both are multiplied.

        Parameters
        ----------
        advantage : (n, letters) float64
            As `advantage` gives it.
        network : (n, len(network_tokens)) float
            The network's own probabilities.
        network_tokens, tokens : sequences of str
            What the network names, and the alphabet that is wanted.
        """
        says = expected_confusions(tokens, network_tokens, self.network_misses)
        for column, token in enumerate(tokens):
            if token in self.tokens:
                says[column] = self.network_says[self.tokens.index(token)]
        own = dict(zip(self.tokens, self.likeness_misses.tolist(), strict=True))
        wrong = np.array([own.get(token, _UNENROLLED) for token in tokens])
        chances = np.asarray(network, np.float64) @ says.T
        chances *= (1 - wrong) * self.alike(advantage, tokens) + wrong / len(tokens)
        chances /= chances.sum(axis=1, keepdims=True)
        return np.asarray((chances + _MIN_SEEN / len(tokens)) / (1 + _MIN_SEEN))

    def alike(self, advantage: Floats, tokens: Sequence[str]) -> Floats:
        """(n, len(tokens)) probability of each letter by likeness alone.

        A letter without an example is as like as its neighbour with another accent, or else as an unknown one.
        """
        logits = np.zeros((len(advantage), len(tokens)))
        for column, token in enumerate(tokens):
            alike = [
                place
                for place, known in enumerate(self.tokens)
                if known == token
                or (token not in self.tokens and strip_diacritics(known) == strip_diacritics(token))
            ]
            if alike:
                logits[:, column] = advantage[:, alike].max(axis=1)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def expected_confusions(tokens: Sequence[str], network_tokens: Sequence[str], misses: float) -> Floats:
    """(len(tokens), len(network_tokens)) what a network calls letters, that share of which it takes for any."""
    says = np.full((len(tokens), len(network_tokens)), 1 / len(network_tokens))
    for row, token in enumerate(tokens):
        if token in network_tokens:
            says[row] *= misses
            says[row, network_tokens.index(token)] += 1 - misses
    return says


def strip_diacritics(token: str) -> str:
    """The token without accents: they are what is seen last."""
    return "".join(c for c in unicodedata.normalize("NFD", token) if not unicodedata.combining(c))


def normalize_features(features: NDArray[np.floating]) -> Floats:
    """The same directions at length 1: how strongly a tile shows depends on the light."""
    values = np.asarray(features, dtype=np.float64)
    return np.asarray(values / (np.linalg.norm(values, axis=-1, keepdims=True) + 1e-6))


def fit_prototypes(
    features: NDArray[np.floating],
    labels: Sequence[str],
    *,
    spread: float = 30.0,
) -> Prototypes:
    """The prototypes of examples.

    Parameters
    ----------
    features : (n, d) float
        What the network sees in pictures of tiles, several of each letter.
    labels : sequence of n str
        Their letters; two different ones at least.
    spread : float
        As measured, or as a first guess.

    Raises
    ------
    ValueError
        If there are fewer than two letters.
    """
    tokens = tuple(sorted(set(labels)))
    if len(tokens) < 2:
        raise ValueError(f"labels: two different letters at least are needed, got {len(tokens)}")
    values, number = normalize_features(features), {token: index for index, token in enumerate(tokens)}
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
    axes = np.linalg.solve(root.T, directions.T)[:, : min(_MAX_AXES, len(tokens) - 1)]
    return Prototypes(
        tokens=tokens,
        origin=np.asarray(origin, np.float32),
        axes=np.asarray(axes, np.float32),
        points=np.asarray((means - origin) @ axes, np.float32),
        reach=np.asarray(np.square(sizes[: axes.shape[1]]) / len(tokens), np.float32),
        spread=spread,
        network_says=np.full((len(tokens), 1), 1, np.float32),
        network_misses=0.1,
        likeness_misses=np.full(len(tokens), 0.1, np.float32),
        tile_boost=0.0,
        alike_from=0.0,
    )
