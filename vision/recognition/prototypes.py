"""A prototype classifier: the letters of one tile set, known by a few examples in the network's feature space.

The network turns a square into some hundred features before it names a letter. Tiles of one letter are close together
there, also of letters and typefaces that it was never trained on. A few examples of a set thus tell its letters apart.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, freeze, softmax

__all__ = [
    "SETTINGS",
    "Prototypes",
    "expected_confusions",
    "fit_prototypes",
    "normalize_features",
    "strip_diacritics",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrototypeSettings:
    """Numbers of the prototype classifier.

    Parameters
    ----------
    max_axes : int
        Directions at most: more hardly help with few letters, and cost room in the profile (chosen).
    shrinkage : float
        Weight of an isotropic covariance in the covariance within letters, which few examples estimate in some
        directions only (chosen).
    floor : float
        Probability that both classifiers are wrong together, at least (chosen).
    unenrolled_error_rate : float
        How often the prototypes take a letter without an example for one with examples; measured on rendered sets.
    max_against : float
        Log-odds at most by which the prototypes exclude a letter: a turned or covered tile resembles no example
        (chosen).
    initial_variance : float
        Variance within classes before it is measured, and where it cannot be.
    initial_error_rate : float
        Error rate of both classifiers before it is measured.
    """

    max_axes: int = 48
    shrinkage: float = 0.05
    floor: float = 1e-4
    unenrolled_error_rate: float = 0.9
    max_against: float = 6.0
    initial_variance: float = 30.0
    initial_error_rate: float = 0.1


SETTINGS = PrototypeSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Prototypes:
    """The letters of one tile set in the network's feature space.

    Parameters
    ----------
    tokens : tuple of str
        The enrolled letters.
    origin : (d,) float32
        Mean of all letters' means.
    axes : (d, k) float32
        Discriminant directions, scaled so that the examples of one letter have variance 1.
    class_means : (len(tokens), k) float32
        Mean of each letter along them.
    between_class_variance : (k,) float32
        Variance of the letters' means: the prior of a letter that is not enrolled.
    within_class_variance : float
        Variance of new pictures of one letter along each direction, measured; the examples themselves have 1.
    confusion_matrix : (len(tokens), m) float32
        Probability with which the network names each letter of this set as each of its m letters, measured. Rows sum
        to 1.
    network_error_rate : float
        How often the network takes a letter of this set for another one.
    prototype_error_rates : (len(tokens),) float32
        How often the prototypes do, for each letter.
    max_tile_log_odds : float
        Log-odds by which resemblance to a letter may add to the occupancy "tile": as much as the network lacked on the
        examples.
    min_in_class_llr : float
        Log-likelihood ratio that nearly all left-out examples reached; a letter below it was written by hand.

    Raises
    ------
    ValueError
        If the shapes do not fit together.

    References
    ----------
    R. Fisher: The use of multiple measurements in taxonomic problems. Annals of Eugenics 7 (1936); S. Ioffe:
    Probabilistic linear discriminant analysis. ECCV 2006, for letters of which there is no example.
    """

    tokens: tuple[str, ...]
    origin: NDArray[np.float32]
    axes: NDArray[np.float32]
    class_means: NDArray[np.float32]
    between_class_variance: NDArray[np.float32]
    within_class_variance: float
    confusion_matrix: NDArray[np.float32]
    network_error_rate: float
    prototype_error_rates: NDArray[np.float32]
    max_tile_log_odds: float
    min_in_class_llr: float

    def __post_init__(self) -> None:
        letters, directions, size = len(self.tokens), len(self.between_class_variance), len(self.origin)
        shapes = {
            "origin": (size,),
            "axes": (size, directions),
            "class_means": (letters, directions),
            "between_class_variance": (directions,),
            "confusion_matrix": (letters, None),
            "prototype_error_rates": (letters,),
        }
        for name, shape in shapes.items():
            object.__setattr__(self, name, freeze(getattr(self, name), shape, np.float32, name))

    def log_likelihood_ratios(self, features: NDArray[np.float32]) -> Floats:
        """Compare each enrolled letter with an unknown letter as explanation of a square.

        Parameters
        ----------
        features : (n, d) float32
            As the network gives them.

        Returns
        -------
        (n, len(self.tokens)) float64
            Natural logarithms.
        """
        projected = (normalize_features(features) - self.origin) @ self.axes
        within = self.within_class_variance
        near = np.square(projected[:, None] - self.class_means).sum(axis=-1) / within
        wide = within + self.between_class_variance.astype(np.float64)
        far = (np.square(projected) / wide + np.log(wide / within)).sum(axis=-1)
        return np.asarray(np.logaddexp((far[:, None] - near) / 2, -SETTINGS.max_against), dtype=np.float64)

    def fuse_letters(
        self,
        ratios: Floats,
        network: NDArray[np.floating],
        network_tokens: Sequence[str],
        tokens: Sequence[str],
    ) -> Floats:
        """Multiply the letter probabilities of the network and of the prototypes.

        The network's letter is translated by the confusion matrix. The prototypes' probabilities are mixed with a
        uniform distribution according to their error rates.

        Parameters
        ----------
        ratios : (n, len(self.tokens)) float64
            From `log_likelihood_ratios`.
        network : (n, len(network_tokens)) float
            Probabilities by the network.
        network_tokens, tokens : sequences of str
            The network's letters, and the alphabet of the result.

        Returns
        -------
        (n, len(tokens)) float64
            Probability of each letter.
        """
        confusions = expected_confusions(tokens, network_tokens, self.network_error_rate)
        for column, token in enumerate(tokens):
            if token in self.tokens:
                confusions[column] = self.confusion_matrix[self.tokens.index(token)]
        measured = dict(zip(self.tokens, self.prototype_error_rates.tolist(), strict=True))
        errors = np.array([measured.get(token, SETTINGS.unenrolled_error_rate) for token in tokens])
        fused = np.asarray(network, np.float64) @ confusions.T
        fused *= (1 - errors) * self.letter_probabilities(ratios, tokens) + errors / len(tokens)
        fused /= fused.sum(axis=1, keepdims=True)
        return np.asarray((fused + SETTINGS.floor / len(tokens)) / (1 + SETTINGS.floor))

    def letter_probabilities(self, ratios: Floats, tokens: Sequence[str]) -> Floats:
        """Return the probability of each letter by the prototypes alone.

        A letter without an example counts as its neighbour with another accent, or else as an unknown letter.

        Parameters
        ----------
        ratios : (n, len(self.tokens)) float64
            From `log_likelihood_ratios`.
        tokens : sequence of str
            The alphabet of the result.

        Returns
        -------
        (n, len(tokens)) float64
        """
        logits = np.zeros((len(ratios), len(tokens)))
        for column, token in enumerate(tokens):
            matching = [
                number
                for number, enrolled in enumerate(self.tokens)
                if enrolled == token
                or (token not in self.tokens and strip_diacritics(enrolled) == strip_diacritics(token))
            ]
            if matching:
                logits[:, column] = ratios[:, matching].max(axis=1)
        return softmax(logits)


def expected_confusions(tokens: Sequence[str], network_tokens: Sequence[str], error_rate: float) -> Floats:
    """Return the confusion matrix (len(tokens), len(network_tokens)) of a network with uniform errors.

    Parameters
    ----------
    tokens, network_tokens : sequences of str
        The true letters, and those that the network names. A letter that it does not know has a uniform row.
    error_rate : float
        Share of a letter's tiles that is spread uniformly over the network's letters.
    """
    confusions = np.full((len(tokens), len(network_tokens)), 1 / len(network_tokens))
    for row, token in enumerate(tokens):
        if token in network_tokens:
            confusions[row] *= error_rate
            confusions[row, network_tokens.index(token)] += 1 - error_rate
    return confusions


def strip_diacritics(token: str) -> str:
    """Remove the accents of a token: they are the smallest part of a letter."""
    return "".join(c for c in unicodedata.normalize("NFD", token) if not unicodedata.combining(c))


def normalize_features(features: NDArray[np.floating]) -> Floats:
    """Scale features (..., d) to unit length: their length depends on the light."""
    values = np.asarray(features, dtype=np.float64)
    return np.asarray(values / (np.linalg.norm(values, axis=-1, keepdims=True) + 1e-6))


def fit_prototypes(features: NDArray[np.floating], labels: Sequence[str]) -> Prototypes:
    """Fit the prototypes of examples; the variance within a class and the error rates are initial values.

    Parameters
    ----------
    features : (n, d) float
        Features of pictures of tiles, several of each letter.
    labels : sequence of n str
        Their letters; at least two different ones.

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
    # every letter has the same weight, however often it was seen
    within = (values - means[classes]) / np.sqrt(counts[classes])[:, None]
    covariance = within.T @ within
    covariance /= len(tokens)
    covariance += SETTINGS.shrinkage * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    root = np.linalg.cholesky(covariance)
    _, sizes, directions = np.linalg.svd(np.linalg.solve(root, (means - origin).T).T, full_matrices=False)
    axes = np.linalg.solve(root.T, directions.T)[:, : min(SETTINGS.max_axes, len(tokens) - 1)]
    return Prototypes(
        tokens=tokens,
        origin=np.asarray(origin, np.float32),
        axes=np.asarray(axes, np.float32),
        class_means=np.asarray((means - origin) @ axes, np.float32),
        between_class_variance=np.asarray(np.square(sizes[: axes.shape[1]]) / len(tokens), np.float32),
        within_class_variance=SETTINGS.initial_variance,
        confusion_matrix=np.full((len(tokens), 1), 1, np.float32),
        network_error_rate=SETTINGS.initial_error_rate,
        prototype_error_rates=np.full(len(tokens), SETTINGS.initial_error_rate, np.float32),
        max_tile_log_odds=0.0,
        min_in_class_llr=0.0,
    )
