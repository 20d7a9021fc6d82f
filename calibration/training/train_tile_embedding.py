"""Fit the projection (LDA) in which tiles of one letter are close and those of two letters are not, on rendered sets.

Example::

    python -m calibration.training.train_tile_embedding --out vision/weights --sets 400

The command renders sets of tiles, each letter several times and in several photos. It writes ``appearance.npz`` next to
the weights of `tiles`, whose features it projects.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer
from numpy.typing import NDArray
from rich.progress import track

from calibration.training.data import TILES, all_tokens, cut_squares
from samples import FontSplit, random_camera, random_light, random_style, render_photo
from scoring import edition_names, load_edition
from vision.core import Floats, Occupancy
from vision.recognition import TILE_OUTPUTS, LdaProjection, OnnxModel, normalize_features, space_to_depth
from vision.weights import WEIGHTS

__all__ = ["PhotographedSet", "fit_projection", "render_set"]

PHOTOS = 4
"""Photos of each set; they show how much the photos of one tile differ."""
TILES_PER_LETTER = 3
"""Tiles of each letter in a set; chosen."""
DIMENSIONS = 32
"""Dimensions of the projection; chosen."""
SHRINKAGE = 0.02
"""Shrinkage of the covariance within letters towards a multiple of the identity; chosen."""
AS_READ = replace(TILES, kept_cell_px=TILES.cell_px, kept_margin_px=TILES.context_px)
"""Squares as the reader cuts them for `tiles`."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PhotographedSet:
    """The network's features of the tiles of one set.

    Parameters
    ----------
    features : (photos, tiles, d) float64
        Of length 1.
    letters : (tiles,) int
        Index of each tile's letter.
    """

    features: Floats
    letters: NDArray[np.int64]


def render_set(seed: int, fonts: FontSplit = "train", weights: Path = WEIGHTS) -> PhotographedSet:
    """Render a set of an edition in several photos, and read it with `tiles`."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, 26])
    names = edition_names()
    edition = load_edition(names[int(rng.integers(len(names)))])
    style = random_style(rng, fonts=fonts, letters=edition.tokens)
    camera = random_camera(rng, easy=bool(rng.random() < 0.5))
    light = random_light(rng, cell_px=camera.cell_px, easy=bool(rng.random() < 0.5))
    size = (edition.layout.rows, edition.layout.columns)
    rows = np.full(size, ".", dtype=object)
    tiles = [token for token in edition.tokens for _ in range(TILES_PER_LETTER)]
    squares = rng.permutation(rows.size)[: len(tiles)]
    rows.flat[squares] = tiles[: len(squares)]
    network, tokens, seen = _network(weights), all_tokens(), []
    upright = np.ones(rows.size, bool)
    for moment in range(PHOTOS):
        held = replace(
            camera,
            tilt_deg=float(np.clip(camera.tilt_deg + rng.normal(0, 3), 0, 57)),
            azimuth_deg=camera.azimuth_deg + float(rng.normal(0, 4)),
        )
        photo = render_photo(
            rows.tolist(), edition, style=style, camera=held, light=light, seed=seed, moment=moment
        )
        cells, labels = cut_squares(photo, tokens, rng, AS_READ)
        upright &= (labels[:, 0] == Occupancy.TILE) & (labels[:, 3] == 0)
        seen.append(normalize_features(network.probabilities(space_to_depth(cells))[-1]))
    return PhotographedSet(features=np.stack(seen)[:, upright], letters=labels[upright, 1])


def fit_projection(
    sets: Iterable[PhotographedSet], network: str, dimensions: int = DIMENSIONS
) -> LdaProjection:
    """Fit the projection that separates the letters of one set best.

    Parameters
    ----------
    sets : iterable of PhotographedSet
        Some hundred sets.
    network : str
        Fingerprint of the network whose features they are.
    dimensions : int
        Dimensions of the projection.
    """
    within_letters: list[Floats] = []
    between_letters: list[Floats] = []
    photos: list[Floats] = []
    for each in sets:
        means = each.features.mean(axis=0)
        photos.append((each.features - means).reshape(-1, means.shape[1]) / np.sqrt(1 - 1 / PHOTOS))
        found = [means[each.letters == letter] for letter in np.unique(each.letters)]
        within_letters += [
            (few - few.mean(axis=0)) / np.sqrt(1 - 1 / len(few)) for few in found if len(few) > 1
        ]
        centres = np.stack([few.mean(axis=0) for few in found]) if found else np.zeros((0, means.shape[1]))
        between_letters.append(centres - centres.mean(axis=0) if len(centres) else centres)
    within, noise, letters = (
        _covariance(np.concatenate(rows)) for rows in (within_letters, photos, between_letters)
    )
    within += SHRINKAGE * np.trace(within) / len(within) * np.eye(len(within))
    root = np.linalg.inv(np.linalg.cholesky(within))
    sizes, found_axes = np.linalg.eigh(root @ letters @ root.T)
    best = np.argsort(-sizes)[:dimensions]
    axes = root.T @ found_axes[:, best]
    seen_once = np.einsum("dk,de,ek->k", axes, noise, axes)
    rest = np.maximum(1 - seen_once / PHOTOS, 0.25)  # variance within letters without noise
    return LdaProjection(
        axes=np.asarray(axes / np.sqrt(rest), np.float32),
        between_letters=np.asarray(sizes[best] / rest, np.float32),
        between_photos=np.asarray(seen_once / rest, np.float32),
        network=network,
    )


def _covariance(deviations: Floats) -> Floats:
    return np.asarray(deviations.T @ deviations / len(deviations))


def _network(weights: Path) -> OnnxModel:
    return OnnxModel.load(weights / "tiles.onnx", TILE_OUTPUTS, features=True)


def main(
    out: Annotated[Path, typer.Option(help="Folder of tiles.onnx, and of what is written.")] = WEIGHTS,
    sets: Annotated[int, typer.Option(min=2, help="Sets that are rendered.")] = 400,
    seed: Annotated[int, typer.Option(help="Of the first set.")] = 1,
    renderers: Annotated[int, typer.Option(min=1, help="Processes that render.")] = 2,
) -> None:
    """Fit the projection of the tile embedding."""
    with multiprocessing.get_context("spawn").Pool(renderers) as pool:
        work = pool.imap(partial(render_set, weights=out), range(seed, seed + sets))
        found: Sequence[PhotographedSet] = list(track(work, total=sets, description="Sets of tiles"))
    fit_projection(found, _network(out).fingerprint).save(out)


if __name__ == "__main__":
    typer.run(main)
