"""Fit how much each network counts where several have read one square: the exponents of a log-linear pool.

Those of `cells` and `tiles` are fitted by `train_squares`, on squares that both read. Those of `glance`, `cells` and
`tiles`, for what is on a square, are fitted on complete rendered boards::

    python -m calibration.training.fit_pooling --boards 480

renders boards in typefaces that no network has seen, some of them nearly bare, and writes the exponents into
``glance.json`` as ``trust``: those of `glance` and `cells`, and of all three.
"""

from __future__ import annotations

import itertools
import multiprocessing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer
from numpy.typing import NDArray
from rich.progress import track

from calibration.training.data import (
    CELLS,
    GLANCE,
    LEGIBLE_PX,
    TILES,
    Labels,
    ShardFolder,
    all_tokens,
    cut_squares,
    downscale_cells,
)
from calibration.training.export import update_card
from calibration.training.metrics import accuracy, expected_calibration_error
from samples import random_photo
from vision.core import Floats, Image, Occupancy
from vision.recognition import (
    CASCADE_SETTINGS,
    CELL_OUTPUTS,
    GLANCE_OUTPUTS,
    TILE_OUTPUTS,
    OnnxModel,
    pool_occupancy,
    pool_opinions,
    presence_probabilities,
    resize_cells,
    space_to_depth,
    tile_kind_probabilities,
)
from vision.weights import WEIGHTS

__all__ = ["NetworkOutputs", "PoolingExponents", "fit_board_pooling", "fit_pooling", "read_random_board"]

Probabilities = NDArray[np.float32]
PoolingExponents = dict[str, tuple[float, float]]
Predictions = dict[str, tuple[Probabilities, Probabilities]]

CELLS_GRID, TILES_GRID = np.linspace(0, 1, 11), np.linspace(0.2, 1.6, 15)
"""Exponents that are tried for `cells` and `tiles`."""
BOARD_GRID = np.linspace(0, 1, 11)
"""Exponents that are tried for each of the three networks."""
AS_READ = replace(
    TILES, kept_cell_px=TILES.cell_px, kept_margin_px=TILES.cell_px * CELLS.context_px // CELLS.cell_px
)
"""Boards as the reader straightens them, with room for the surroundings that `cells` sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolingSettings:
    """Settings of the fits; chosen."""

    usual_share: float = 0.4
    """Share of the boards with as many tiles as those that the networks are trained on; others have fewer."""
    min_density: float = 0.02
    """Least share of the squares of these other boards that hold a tile."""
    max_density: float = 0.4
    """Largest such share."""
    min_probability: float = 1e-9
    """Floor of a probability in a logarithm."""


SETTINGS = PoolingSettings()


def pooled_losses(predictions: Sequence[Probabilities], exponents: Sequence[float], target: Labels) -> Floats:
    """Return the cross-entropy of each row after pooling, (n,)."""
    chosen = pool_opinions(predictions, exponents)[np.arange(len(target)), target]
    return np.asarray(-np.log(np.maximum(chosen, SETTINGS.min_probability)))


def fit_pooling(
    cells: OnnxModel, tiles: OnnxModel, shards: ShardFolder
) -> tuple[PoolingExponents, dict[str, Any]]:
    """Fit the exponents of `vision.recognition.pool_opinions` for each output.

    Parameters
    ----------
    cells, tiles : OnnxModel
        The networks, as they are shipped.
    shards : ShardFolder
        Squares as `tiles` is trained on, of boards that neither was trained on. Every second square that
        both networks read is fitted on, the others are measured on.

    Returns
    -------
    exponents : dict
        By output: the factors of the logarithms of both networks' probabilities.
    metrics : dict
        By output: number of squares, accuracy of `cells`, of `tiles` and of both, and the calibration error of both.
    """
    predictions, labels = _read_shards(cells, tiles, shards)
    exponents: PoolingExponents = {}
    metrics: dict[str, Any] = {}
    for column, name in enumerate(TILE_OUTPUTS):
        first, second = predictions[name]
        known = labels[:, column] >= 0
        fit, rest = np.flatnonzero(known)[::2], np.flatnonzero(known)[1::2]
        target = labels[:, column]
        candidates = ((float(a), float(b)) for a, b in itertools.product(CELLS_GRID, TILES_GRID))
        exponents[name] = min(
            candidates,
            key=lambda pair: float(pooled_losses((first[fit], second[fit]), pair, target[fit]).mean()),
        )
        both = pool_opinions((first[rest], second[rest]), exponents[name])
        fine = labels[rest, 4] >= LEGIBLE_PX
        metrics[name] = {
            "cells": len(rest),
            "accuracy_of_the_first": round(accuracy(first[rest], target[rest]), 5),
            "accuracy_of_the_second": round(accuracy(second[rest], target[rest]), 5),
            "accuracy": round(accuracy(both, target[rest]), 5),
            "calibration_error": round(expected_calibration_error(both, target[rest]), 5),
            f"accuracy_from_{LEGIBLE_PX}_px": round(accuracy(both[fine], target[rest][fine]), 5),
        }
    return exponents, metrics


def _read_shards(cells: OnnxModel, tiles: OnnxModel, shards: ShardFolder) -> tuple[Predictions, Labels]:
    """Read the squares that `cells` does not take for empty with both networks."""
    pairs: dict[str, list[tuple[Probabilities, Probabilities]]] = {name: [] for name in TILE_OUTPUTS}
    labels = []
    for board in range(shards.boards):
        kept, batch = shards.take(shards.board(board))
        small = downscale_cells(kept, CELLS.side_px, CELLS.shrink)
        first = cells.probabilities(space_to_depth(small))
        is_read = first[0][:, Occupancy.EMPTY] < CASCADE_SETTINGS.tile_stage_max_empty
        large = downscale_cells(kept[is_read], TILES.side_px, TILES.shrink)
        second = tiles.probabilities(space_to_depth(large))
        for name, by_first, by_second in zip(TILE_OUTPUTS, first, second, strict=False):
            # Both are exported for boards on which blanks are rare; these boards have many.
            pairs[name].append(
                (_as_rendered(name, by_first[is_read], cells), _as_rendered(name, by_second, tiles))
            )
        labels.append(batch[is_read])
    predictions = {
        name: (np.concatenate([first for first, _ in each]), np.concatenate([second for _, second in each]))
        for name, each in pairs.items()
    }
    return predictions, np.concatenate(labels)


def _as_rendered(name: str, probabilities: Probabilities, network: OnnxModel) -> Probabilities:
    """Undo the correction for rare blanks."""
    if name != "occupancy":
        return probabilities
    result = probabilities.copy()
    result[:, Occupancy.BLANK] *= np.exp(-network.card["blank_correction"])
    return np.asarray(result / result.sum(axis=1, keepdims=True), np.float32)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NetworkOutputs:
    """Predictions of the three networks for the squares of a board that `glance` does not find plainly empty.

    Parameters
    ----------
    predictions : (3, n, 4) float32
        Occupancy probabilities of `glance`, `cells` and `tiles`.
    occupancy : (n,) int64
        What is on these squares.
    passed_over : (m,) int64
        What is on the squares that `glance` finds plainly empty.
    """

    predictions: Probabilities
    occupancy: Labels
    passed_over: Labels


def read_random_board(seed: int, glance: Path, cells: Path, tiles: Path) -> NetworkOutputs:
    """Render one board and read it with all three networks.

    Parameters
    ----------
    seed : int
        Decides every pixel.
    glance, cells, tiles : Path
        The networks' ONNX files.
    """
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, 61])
    usual = rng.random() < SETTINGS.usual_share
    density = None if usual else float(rng.uniform(SETTINGS.min_density, SETTINGS.max_density))
    photo = random_photo(rng, fonts="heldout", easy=bool(rng.random() < 1 / 3), density=density)
    squares, labels = cut_squares(photo, all_tokens(), rng, AS_READ)
    spare = AS_READ.kept_margin_px - TILES.context_px
    close = squares[:, spare:-spare, spare:-spare]
    small = resize_cells(squares, CELLS.side_px)

    def occupancy(file: Path, outputs: tuple[str, ...], shown: Image) -> Probabilities:
        return OnnxModel.load(file, outputs).probabilities(space_to_depth(np.ascontiguousarray(shown)))[0]

    by_glance = occupancy(glance, GLANCE_OUTPUTS, resize_cells(small, GLANCE.side_px))
    left_open = by_glance[:, Occupancy.EMPTY] < CASCADE_SETTINGS.skip_min_empty
    by_cells = occupancy(cells, CELL_OUTPUTS, small[left_open])
    by_tiles = occupancy(tiles, TILE_OUTPUTS, close[left_open])
    return NetworkOutputs(
        predictions=np.stack([by_glance[left_open], by_cells, by_tiles]),
        occupancy=labels[left_open, 0],
        passed_over=labels[~left_open, 0],
    )


def fit_board_pooling(
    boards: Sequence[NetworkOutputs], blank_weight: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fit the exponents of `vision.recognition.pool_occupancy`.

    Parameters
    ----------
    boards : sequence of NetworkOutputs
        Every second one is fitted on, the others are measured on.
    blank_weight : float
        Weight of a blank, since rendered boards have many more than real ones.

    Returns
    -------
    exponents : dict
        For ``whether`` a tile is there and ``which`` kind it is: those of `glance` and `cells`, and of all three.
    metrics : dict
        Number of squares measured, and the share of them whose kind is right by each network and by all. Of all boards,
        the share of the bare squares that are passed over, and the number of others that are, of how many.
    """
    fit, rest = (_concatenate(boards[first::2]) for first in (0, 1))
    board_of = np.repeat(np.arange(len(boards[::2])), [len(each.occupancy) for each in boards[::2]])
    is_tile = np.isin(fit.occupancy, (Occupancy.TILE, Occupancy.BLANK))
    weights = np.where(fit.occupancy == Occupancy.BLANK, blank_weight, 1.0)
    presence = np.where(is_tile, 1, np.where(fit.occupancy == Occupancy.COVERED, 2, 0))
    is_blank = (fit.occupancy == Occupancy.BLANK).astype(np.int64)
    exponents: dict[str, Any] = {"whether": [], "which": []}
    for count in (2, 3):
        predictions = fit.predictions[:count]
        seen = [presence_probabilities(each) for each in predictions]
        exponents["whether"].append(_one_standard_error_rule(seen, presence, weights, board_of))
        kinds = [tile_kind_probabilities(each[is_tile]) for each in predictions]
        exponents["which"].append(
            _one_standard_error_rule(kinds, is_blank[is_tile], weights[is_tile], board_of[is_tile])
        )
    pooled = pool_occupancy(list(rest.predictions), exponents["whether"][-1], exponents["which"][-1])
    right = [(each.argmax(axis=1) == rest.occupancy).mean() for each in (*rest.predictions, pooled)]
    names = ("glance", "cells", "tiles", "all")
    metrics: dict[str, Any] = {"squares": len(pooled)}
    metrics |= {name: round(float(share), 5) for name, share in zip(names, right, strict=True)}
    return exponents, metrics | _passed_over_metrics(boards)


def _passed_over_metrics(boards: Sequence[NetworkOutputs]) -> dict[str, Any]:
    """Measure which squares `glance` passes over."""
    passed = np.concatenate([each.passed_over for each in boards])
    every = np.concatenate([passed, *(each.occupancy for each in boards)])
    bare, other = passed == Occupancy.EMPTY, every != Occupancy.EMPTY
    return {
        "bare_passed_over": round(float(bare.sum() / max(1, (~other).sum())), 5),
        "others_passed_over": int((~bare).sum()),
        "others": int(other.sum()),
    }


def _concatenate(boards: Sequence[NetworkOutputs]) -> NetworkOutputs:
    return NetworkOutputs(
        predictions=np.concatenate([each.predictions for each in boards], axis=1),
        occupancy=np.concatenate([each.occupancy for each in boards]),
        passed_over=np.concatenate([each.passed_over for each in boards]),
    )


def _one_standard_error_rule(
    predictions: Sequence[Probabilities], target: Labels, weights: Floats, boards: Labels
) -> list[float]:
    """Return, of the exponents nearly as good as the best ones, those with the smallest sum.

    Networks are at their best on boards like those they have learnt from, and real ones may be different: small
    exponents leave more to what else is known of a square.

    References
    ----------
    Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 2009, section 7.10: the rule of one
    standard error, here that of the boards' losses.
    """
    candidates = list(itertools.product(BOARD_GRID.tolist(), repeat=len(predictions)))
    losses = np.empty((len(candidates), int(boards.max()) + 1))
    for index, exponents in enumerate(candidates):
        rows = weights * pooled_losses(predictions, exponents, target)
        losses[index] = np.bincount(boards, rows, minlength=losses.shape[1])
    means = losses.mean(axis=1)
    best = int(means.argmin())
    limit = means[best] + losses[best].std() / losses.shape[1] ** 0.5
    near = np.flatnonzero(means <= limit)
    least = min(near.tolist(), key=lambda index: (round(sum(candidates[index]), 2), means[index]))
    return [round(exponent, 2) for exponent in candidates[least]]


def main(
    glance: Annotated[Path, typer.Option(help="Its JSON file gets the result.")] = WEIGHTS / "glance.onnx",
    cells: Annotated[Path, typer.Option()] = WEIGHTS / "cells.onnx",
    tiles: Annotated[Path, typer.Option()] = WEIGHTS / "tiles.onnx",
    boards: Annotated[int, typer.Option(min=4, help="Boards that are rendered.")] = 960,
    seed: Annotated[int, typer.Option(help="Of the first board.")] = 1,
    renderers: Annotated[int, typer.Option(min=1, help="Processes that render.")] = 2,
) -> None:
    """Fit how much each of the three networks counts."""
    read = partial(read_random_board, glance=glance, cells=cells, tiles=tiles)
    with multiprocessing.get_context("spawn").Pool(renderers) as pool:
        outputs: Iterator[NetworkOutputs] = pool.imap(read, range(seed, seed + boards))
        found = list(track(outputs, total=boards, description="Boards"))
    card = OnnxModel.load(glance, GLANCE_OUTPUTS).card
    exponents, metrics = fit_board_pooling(found, float(np.exp(card["blank_correction"])))
    update_card(glance, trust=exponents, metrics=card["metrics"] | {"occupancy of all three": metrics})
    typer.echo(f"{exponents}\n{metrics}")


if __name__ == "__main__":
    typer.run(main)
