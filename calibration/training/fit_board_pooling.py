"""How much each of the three networks counts for what lies on a square, fitted on whole rendered boards.

Example::

    python -m calibration.training.fit_board_pooling --boards 480

renders boards in typefaces that no network has seen, some of them nearly bare, lets each network say what lies on their
squares, and writes into ``glance.json`` how far each is to be trusted, as ``trust``: for the glance and the second
network, and for all three.
"""

from __future__ import annotations

import itertools
import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer
from numpy.typing import NDArray
from rich.progress import track

from calibration.training.data import CELLS, GLANCE, TILES, all_tokens, cut_squares
from calibration.training.export import update_card
from samples import random_photo
from vision.core import Occupancy
from vision.recognition import (
    BOARD_OUTPUTS,
    CASCADE_SETTINGS,
    CELL_OUTPUTS,
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

__all__ = ["NetworkOutputs", "fit_board_pooling", "read_random_board"]

_POWERS = np.linspace(0, 1, 11)
# As the reader straightens boards, with room for the surroundings that the second network sees.
_AS_READ = replace(
    TILES, kept_cell_px=TILES.cell_px, kept_margin_px=TILES.cell_px * CELLS.context_px // CELLS.cell_px
)
_USUAL = 0.4
"""The share of the boards that hold as many tiles as those that the networks are trained on; others hold fewer."""
_FEW, _MANY = 0.02, 0.4

Probabilities = NDArray[np.float32]
Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NetworkOutputs:
    """What the networks say of squares that are not plainly empty at a glance.

    Parameters
    ----------
    opinions : (3, n, 4) float32
        Of the glance, the second network, and the third.
    occupancy : (n,) int64
        What lies there.
    passed_over : (m,) int64
        What lies on the squares that are plainly empty at a glance.
    """

    opinions: Probabilities
    occupancy: Labels
    passed_over: Labels


def read_random_board(seed: int, glance: Path, cells: Path, tiles: Path) -> NetworkOutputs:
    """What the networks say of one board; the seed decides every pixel.

    Parameters
    ----------
    seed : int
        Which board.
    glance, cells, tiles : Path
        The networks' ONNX files.
    """
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, 61])
    density = None if rng.random() < _USUAL else float(rng.uniform(_FEW, _MANY))
    photo = random_photo(rng, fonts="heldout", easy=bool(rng.random() < 1 / 3), density=density)
    squares, labels = cut_squares(photo, all_tokens(), rng, _AS_READ)
    spare = _AS_READ.kept_margin_px - TILES.context_px
    close = squares[:, spare:-spare, spare:-spare]
    small = resize_cells(squares, CELLS.side_px)
    seen = [
        OnnxModel.load(file, outputs).probabilities(space_to_depth(np.ascontiguousarray(shown)))[0]
        for file, outputs, shown in (
            (glance, BOARD_OUTPUTS, resize_cells(small, GLANCE.side_px)),
            (cells, CELL_OUTPUTS, small),
            (tiles, TILE_OUTPUTS, close),
        )
    ]
    left_open = seen[0][:, Occupancy.EMPTY] < CASCADE_SETTINGS.skip_min_empty
    return NetworkOutputs(
        opinions=np.stack(seen)[:, left_open],
        occupancy=labels[left_open, 0],
        passed_over=labels[~left_open, 0],
    )


def fit_board_pooling(
    boards: Sequence[NetworkOutputs], blank_weight: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The powers of `vision.recognition.cascade.pool_occupancy`, and what they are good for.

    Parameters
    ----------
    boards : sequence of Heard
        Fitted on every second one, measured on the others.
    blank_weight : float
        What a blank counts, since rendered boards have many more than real ones.

    Returns
    -------
    trust : dict
        For ``whether`` a tile lies there and ``which`` kind it is: the powers of the first two networks, and of all.
    metrics : dict
        Number of squares measured, and the share of them whose kind is named rightly by each network and by all; of
        all boards, the share of the bare squares that are passed over, and how many others are, of how many.
    """
    fit, rest = (_together(boards[first::2]) for first in (0, 1))
    of_board = np.repeat(np.arange(len(boards[::2])), [len(each.occupancy) for each in boards[::2]])
    laid = np.isin(fit.occupancy, (Occupancy.TILE, Occupancy.BLANK))
    weights = np.where(fit.occupancy == Occupancy.BLANK, blank_weight, 1.0)
    is_laid = np.where(laid, 1, np.where(fit.occupancy == Occupancy.COVERED, 2, 0))
    is_blank = (fit.occupancy == Occupancy.BLANK).astype(np.int64)
    trust: dict[str, Any] = {"whether": [], "which": []}
    for several in (2, 3):
        opinions = fit.opinions[:several]
        seen = [presence_probabilities(each) for each in opinions]
        trust["whether"].append(_careful(seen, is_laid, weights, of_board))
        kinds = [tile_kind_probabilities(each[laid]) for each in opinions]
        trust["which"].append(_careful(kinds, is_blank[laid], weights[laid], of_board[laid]))
    together = pool_occupancy(list(rest.opinions), trust["whether"][-1], trust["which"][-1])
    right = [(each.argmax(axis=1) == rest.occupancy).mean() for each in (*rest.opinions, together)]
    names = ("glance", "cells", "tiles", "all")
    metrics: dict[str, Any] = {"squares": len(together)}
    metrics |= {name: round(float(share), 5) for name, share in zip(names, right, strict=True)}
    return trust, metrics | _passed_over(boards)


def _passed_over(boards: Sequence[NetworkOutputs]) -> dict[str, Any]:
    passed = np.concatenate([each.passed_over for each in boards])
    every = np.concatenate([passed, *(each.occupancy for each in boards)])
    bare, laid = passed == Occupancy.EMPTY, every != Occupancy.EMPTY
    return {
        "bare_passed_over": round(float(bare.sum() / max(1, (~laid).sum())), 5),
        "others_passed_over": int((~bare).sum()),
        "others": int(laid.sum()),
    }


def _together(boards: Sequence[NetworkOutputs]) -> NetworkOutputs:
    return NetworkOutputs(
        opinions=np.concatenate([each.opinions for each in boards], axis=1),
        occupancy=np.concatenate([each.occupancy for each in boards]),
        passed_over=np.concatenate([each.passed_over for each in boards]),
    )


def _careful(
    opinions: Sequence[Probabilities], target: Labels, weights: NDArray[np.float64], boards: Labels
) -> list[float]:
    """Of the powers that explain the targets nearly as well as the best ones, those that trust the first opinion least.

    The glance is at its best on boards like those it has learnt from, and sees coarsely; real ones may be unlike them.

    References
    ----------
    Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 2009, section 7.10: the rule of one
    standard error, here that of the boards' losses.
    """
    tried = list(itertools.product(_POWERS, repeat=len(opinions)))
    losses = np.empty((len(tried), int(boards.max()) + 1))
    for number, powers in enumerate(tried):
        chosen = pool_opinions(opinions, powers)[np.arange(len(target)), target]
        losses[number] = np.bincount(
            boards, -weights * np.log(np.maximum(chosen, 1e-9)), minlength=losses.shape[1]
        )
    means = losses.mean(axis=1)
    best = int(means.argmin())
    enough = means[best] + losses[best].std() / losses.shape[1] ** 0.5
    near = np.flatnonzero(means <= enough)
    least = min(near.tolist(), key=lambda number: (tried[number][0], means[number]))
    return [round(float(power), 2) for power in tried[least]]


def main(
    glance: Annotated[Path, typer.Option(help="Its JSON file gets the result.")] = WEIGHTS / "glance.onnx",
    cells: Annotated[Path, typer.Option()] = WEIGHTS / "cells.onnx",
    tiles: Annotated[Path, typer.Option()] = WEIGHTS / "tiles.onnx",
    boards: Annotated[int, typer.Option(min=4, help="Boards that are rendered.")] = 480,
    seed: Annotated[int, typer.Option(help="Of the first board.")] = 1,
    renderers: Annotated[int, typer.Option(min=1, help="Processes that render.")] = 2,
) -> None:
    """Fit how much each network counts."""
    with multiprocessing.get_context("spawn").Pool(renderers) as pool:
        work = pool.imap(
            partial(read_random_board, glance=glance, cells=cells, tiles=tiles), range(seed, seed + boards)
        )
        found = list(track(work, total=boards, description="Boards"))
    card = OnnxModel.load(glance, BOARD_OUTPUTS).card
    trust, metrics = fit_board_pooling(found, float(np.exp(card["blank_correction"])))
    update_card(glance, trust=trust, metrics=card["metrics"] | {"occupancy of all three": metrics})
    typer.echo(f"{trust}\n{metrics}")


if __name__ == "__main__":
    typer.run(main)
