"""Blanks on premium squares: sets like the board, wood on wood, lamps, stickers and thin letters.

Boards are those of `tests.sets.hard_blanks`, 40 of each kind, with typefaces that training never saw. The true corners
are given, so that only reading is measured. ``make bench`` runs it; by hand::

    python -m tests.benchmarks.bench_blanks --boards 40
    python -m tests.benchmarks.bench_blanks --fit

The second form fits the weights of `vision.recognition.board_appearance` on 60 other boards of each kind, with
typefaces of training, and prints them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from unittest.mock import patch

import cv2
import numpy as np
from numpy.typing import NDArray

from samples import RenderedPhoto
from scoring import EMPTY, load_edition
from tests.benchmarks.bench_reading import Score, format_share, format_worst_pairs, reader_of, score_board
from tests.benchmarks.measuring import format_table
from tests.sets.hard_blanks import KINDS, hard_photo
from vision.core import Floats, Frame, Mask, Occupancy, RectifiedBoard
from vision.observation import BoardObservation
from vision.pipeline import GameContext, read_photo
from vision.recognition import board_appearance

__all__ = ["HEAD", "fit_weights", "measure", "table_rows"]

BOARDS = 40
FITTED_BOARDS, FIRST_FITTED = 60, 1000
MIN_AMBIGUOUS = 0.001
MAX_NET_LOG_ODDS = 7.0
NEWTON_STEPS = 30
HEAD = ("what is hard", "blanks", "letters", "false tiles", "whole boards", "worst pairs (is > read as)")


def read_board(photo: RenderedPhoto) -> BoardObservation:
    """Read a rendered board with its true corners."""
    frame = Frame(image_bgr=photo.image_bgr, source="", index=0, time_s=0.0)
    context = GameContext(edition=load_edition(photo.edition), recognizer=reader_of(photo.edition))
    return read_photo(frame, context, corners_px=photo.corners_px.tolist())


def measure(boards: int = BOARDS) -> dict[str, Score]:
    """Measure every kind, and all of them together (under ``"all"``)."""
    scores = {kind: Score() for kind in (*KINDS, "all")}
    for kind in KINDS:
        for seed in range(boards):
            photo = hard_photo(kind, seed)
            score = score_board(photo, read_board(photo))
            scores[kind].add(score)
            scores["all"].add(score)
    return scores


def table_rows(scores: dict[str, Score]) -> list[list[str]]:
    """Format the lines of the table."""
    return [
        [
            kind,
            format_share(score.blanks_right, score.blanks),
            format_share(score.letters_right, score.letters),
            str(score.false_tiles),
            f"{score.boards_right}/{score.boards}",
            format_worst_pairs(score.confusions),
        ]
        for kind, score in scores.items()
    ]


def ambiguous_squares(kind: str, seed: int) -> Iterator[tuple[Floats, Mask]]:
    """Yield, for each board read, the log-odds and comparisons (n, 4) of ambiguous squares, and which hold tiles."""
    photo, seen = hard_photo(kind, seed, "train"), []

    def record(rectified: RectifiedBoard, occupancy: NDArray[np.float32], _: object) -> NDArray[np.float32]:
        seen.append((rectified, occupancy))
        return occupancy

    with patch("vision.recognition.cascade.weigh_appearance", record):
        read_board(photo)
    is_tile = np.array([[token != EMPTY for token in row] for row in photo.rows])
    for rectified, occupancy in seen:
        empty = occupancy[..., Occupancy.EMPTY]
        piece = occupancy[..., Occupancy.TILE] + occupancy[..., Occupancy.BLANK]
        is_ambiguous = np.minimum(empty, piece) > MIN_AMBIGUOUS
        classes = board_appearance.square_classes(load_edition(photo.edition).layout, empty.shape)
        references = board_appearance.find_references(occupancy, is_ambiguous, classes)
        if is_ambiguous.any() and references.tiles_are_known:
            log_odds = np.log(piece / empty)[is_ambiguous].clip(-MAX_NET_LOG_ODDS, MAX_NET_LOG_ODDS)
            comparisons, _ = board_appearance.compare_appearance(rectified, references)
            yield np.column_stack([log_odds, comparisons]), is_tile[is_ambiguous]


def fit_weights(boards: int = FITTED_BOARDS) -> Floats:
    """Fit the weights (4,) of colour, print and edges, and the bias: a logistic regression with the log-odds given."""
    found = [
        part
        for kind in KINDS
        for seed in range(FIRST_FITTED, FIRST_FITTED + boards)
        for part in ambiguous_squares(kind, seed)
    ]
    inputs, is_tile = (np.concatenate(each) for each in zip(*found, strict=True))
    design = np.column_stack([inputs[:, 1:], np.ones(len(inputs))])
    weights, ridge = np.zeros(4), np.diag([1.0, 1.0, 1.0, 0.0])
    for _ in range(NEWTON_STEPS):
        probability = 1 / (1 + np.exp(-(inputs[:, 0] + design @ weights).clip(-30, 30)))
        gradient = design.T @ (probability - is_tile) + ridge @ weights
        curvature = (design * (probability * (1 - probability))[:, None]).T @ design + ridge
        weights = weights - np.linalg.solve(curvature, gradient)
    return weights


def main() -> None:
    """Print the table, or the fitted weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, help="of each kind")
    parser.add_argument("--fit", action="store_true", help="fit the weights instead")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    if options.fit:
        names = ("colour_weight", "print_weight", "edges_weight", "bias")
        for name, weight in zip(names, fit_weights(options.boards or FITTED_BOARDS), strict=True):
            print(f"{name}: {weight:.2f}")
    else:
        print(format_table(HEAD, table_rows(measure(options.boards or BOARDS))))


if __name__ == "__main__":
    main()
