"""Blanks on premium squares: sets like the board, wood on wood, lamps, stickers, thin letters and worn tiles.

Boards are those of `tests.sets.hard_blanks`, 40 of each kind, with typefaces that training never saw. The true corners
are given, so that only reading is measured. ``make bench`` runs it; by hand::

    python -m tests.benchmarks.bench_blanks --boards 40
    python -m tests.benchmarks.bench_blanks --fit

The second form fits the weights of `vision.recognition.appearance.board_appearance` and `vision.decoding.kinds` on 60
other boards of each kind but the last, with typefaces of training, and prints them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from unittest.mock import patch

import cv2
import numpy as np
from numpy.typing import NDArray

from samples import RenderedPhoto
from scoring import BLANK, COVERED, EMPTY, load_edition
from tests.benchmarks.bench_reading import Score, format_share, format_worst_pairs, reader_of, score_board
from tests.benchmarks.measuring import format_table
from tests.sets.hard_blanks import KINDS, hard_photo
from vision.core import Floats, Frame, Mask, Occupancy, RectifiedBoard
from vision.decoding.kinds import compare_tiles
from vision.decoding.scores import score_squares
from vision.observation import BoardObservation
from vision.pipeline import GameContext, read_photo
from vision.recognition.appearance import board_appearance

__all__ = ["HEAD", "fit_weights", "measure", "table_rows"]

BOARDS = 40
FITTED_BOARDS, FIRST_FITTED = 60, 1000
MIN_AMBIGUOUS, MIN_PIECE = 0.001, 0.3
MAX_NET_LOG_ODDS = 7.0
NEWTON_STEPS = 30
FITTED_KINDS = tuple(KINDS)[:5]
"""Kinds on which the weights were fitted."""
HEAD = (
    "what is hard",
    "blanks",
    "squares without a letter",
    "letters",
    "false tiles",
    "false covers",
    "boards without a false tile",
    "whole boards",
    "worst pairs (is > read as)",
)


def read_board(photo: RenderedPhoto) -> BoardObservation:
    """Read a rendered board with its true corners."""
    frame = Frame(image_bgr=photo.image_bgr, source="", index=0, time_s=0.0)
    context = GameContext(edition=load_edition(photo.edition), recognizer=reader_of(photo.edition))
    return read_photo(frame, context, corners_px=photo.corners_px.tolist())


def measure(boards: int = BOARDS, kinds: Sequence[str] = ()) -> dict[str, Score]:
    """Measure some kinds, all by default, and all of them together (under ``"all"``)."""
    scores = {kind: Score() for kind in (*(kinds or KINDS), "all")}
    for kind in kinds or KINDS:
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
            format_share(
                score.squares - score.letters - wrong_squares(score),
                score.squares - score.letters,
            ),
            format_share(score.letters_right, score.letters),
            str(score.false_tiles),
            str(score.false_covers),
            f"{score.boards_without_false_tile}/{score.boards}",
            f"{score.boards_right}/{score.boards}",
            format_worst_pairs(score.confusions),
        ]
        for kind, score in scores.items()
    ]


def wrong_squares(score: Score) -> int:
    """Count the squares without a letter that are read wrong."""
    return score.blanks - score.blanks_right + score.false_tiles + score.false_covers


def ambiguous_squares(kind: str, seed: int) -> Iterator[tuple[Floats, Mask]]:
    """Yield the log-odds and comparisons (n, 4) of a board's ambiguous squares, and which of them hold tiles.

    Readings from another side of the board are left out.
    """
    photo, seen = hard_photo(kind, seed, "train"), []

    def record(
        rectified: RectifiedBoard, occupancy: NDArray[np.float32], _: object, colours: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        seen.append((rectified, occupancy, colours))
        return occupancy

    with patch("vision.recognition.cascade.weigh_appearance", record):
        final = read_board(photo).probabilities.occupancy
    is_tile = np.array([[token != EMPTY for token in row] for row in photo.rows])
    for rectified, occupancy, colours in seen:
        if not np.array_equal(occupancy, final):
            continue
        empty = occupancy[..., Occupancy.EMPTY]
        piece = occupancy[..., Occupancy.TILE] + occupancy[..., Occupancy.BLANK]
        is_ambiguous = np.minimum(empty, piece) > MIN_AMBIGUOUS
        classes = board_appearance.square_classes(load_edition(photo.edition).layout, empty.shape)
        references = board_appearance.find_references(occupancy, is_ambiguous, classes)
        if is_ambiguous.any() and references.tiles_are_known:
            log_odds = np.log(piece / empty)[is_ambiguous].clip(-MAX_NET_LOG_ODDS, MAX_NET_LOG_ODDS)
            comparisons, _ = board_appearance.compare_appearance(rectified, references, colours)
            yield np.column_stack([log_odds, comparisons]), is_tile[is_ambiguous]


def tiles_read(kind: str, seed: int) -> Iterator[tuple[Floats, Mask]]:
    """Yield the log-odds of blanks and comparisons (n, 3) of a board's tiles, and which are blanks."""
    photo = hard_photo(kind, seed, "train")
    reading = read_board(photo).probabilities
    scores = score_squares(reading, load_edition(photo.edition))
    comparisons = compare_tiles(scores.weights, reading)
    piece = reading.occupancy[..., Occupancy.TILE] + reading.occupancy[..., Occupancy.BLANK]
    rows = np.array(photo.rows)
    is_shown = (rows != EMPTY) & (rows != COVERED) & (piece > MIN_PIECE)
    if comparisons is not None:
        odds = reading.occupancy[..., Occupancy.BLANK] / reading.occupancy[..., Occupancy.TILE]
        log_odds = np.log(odds)[is_shown].clip(-MAX_NET_LOG_ODDS, MAX_NET_LOG_ODDS)
        yield np.column_stack([log_odds, comparisons[is_shown]]), (rows == BLANK)[is_shown]


def fit_weights(
    samples_of: Callable[[str, int], Iterator[tuple[Floats, Mask]]], boards: int = FITTED_BOARDS
) -> Floats:
    """Fit the weights of comparisons, and the bias: a logistic regression with the log-odds in the first column given.

    Parameters
    ----------
    samples_of : callable
        Yields the inputs (n, 1 + comparisons) and the truth (n,) of a board.
    boards : int
        Of each kind.
    """
    found = [
        part
        for kind in FITTED_KINDS
        for seed in range(FIRST_FITTED, FIRST_FITTED + boards)
        for part in samples_of(kind, seed)
    ]
    inputs, is_true = (np.concatenate(each) for each in zip(*found, strict=True))
    design = np.column_stack([inputs[:, 1:], np.ones(len(inputs))])
    weights, ridge = np.zeros(design.shape[1]), np.diag([1.0] * (design.shape[1] - 1) + [0.0])
    for _ in range(NEWTON_STEPS):
        probability = 1 / (1 + np.exp(-(inputs[:, 0] + design @ weights).clip(-30, 30)))
        gradient = design.T @ (probability - is_true) + ridge @ weights
        curvature = (design * (probability * (1 - probability))[:, None]).T @ design + ridge
        weights = weights - np.linalg.solve(curvature, gradient)
    return weights


FITTED = {
    "vision.recognition.appearance.board_appearance": (
        ambiguous_squares,
        ("colour_weight", "print_weight", "edges_weight", "bias"),
    ),
    "vision.decoding.kinds": (tiles_read, ("clarity_weight", "missing_value_weight", "bias")),
}
"""By module: what its weights are fitted on, and their names."""


def main() -> None:
    """Print the table, or the fitted weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, help="of each kind")
    parser.add_argument("--kind", action="append", choices=list(KINDS), default=[])
    parser.add_argument("--fit", action="store_true", help="fit the weights instead")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    if options.fit:
        for module, (samples_of, names) in FITTED.items():
            weights = fit_weights(samples_of, options.boards or FITTED_BOARDS)
            for name, weight in zip(names, weights, strict=True):
                print(f"{module}: {name} = {weight:.2f}")
    else:
        print(format_table(HEAD, table_rows(measure(options.boards or BOARDS, options.kind))))


if __name__ == "__main__":
    main()
