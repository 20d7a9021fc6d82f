"""Boards seen from a chair, 25 to 40 degrees above the table, with thick tiles and with flat ones: found and read.

Boards are those of `tests.sets.low_views`; no choice was made with those below 1,000. ``make bench`` runs it; by hand::

    python -m tests.benchmarks.bench_low_views --boards 200
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass

import cv2

from scoring import is_blank, load_edition
from tests.benchmarks.bench_reading import reader_of
from tests.benchmarks.measuring import format_table
from tests.sets.low_views import CELLS_PX, THICKNESS, low_view
from vision.capture import Frame
from vision.errors import BoardNotFoundError
from vision.pipeline import GameContext, check_tiles, read_photo

__all__ = ["HEAD", "LowViewResult", "measure", "measure_board", "table_rows"]

BOARDS = 200
HEAD = ("tiles", "cells", "boards", "whole", "wrong and said", "wrong without a word", "refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class LowViewResult:
    """The result of one board.

    Parameters
    ----------
    tiles : str
        One of `THICKNESS`.
    size : str
        One of `CELLS_PX`.
    seed : int
        Of `low_view`.
    wrong, unflagged : int
        Squares that were read wrongly, and those of them that nothing was said of.
    refusal : str
        The message; empty where a board was read.
    """

    tiles: str
    size: str
    seed: int
    wrong: int = 0
    unflagged: int = 0
    refusal: str = ""


def measure_board(tiles: str, size: str, seed: int) -> LowViewResult:
    """Render a board, find and read it, and compare it with its truth."""
    photo = low_view(seed, size, tiles)
    edition = load_edition(photo.edition)
    frame = Frame(image_bgr=photo.image_bgr, source=str(seed), index=0, time_s=0.0)
    context = GameContext(edition=edition, recognizer=reader_of(photo.edition))
    try:
        found = read_photo(frame, context)
    except BoardNotFoundError as error:
        return LowViewResult(tiles=tiles, size=size, seed=seed, refusal=str(error))
    doubted = {(doubt.row, doubt.column) for doubt in found.decoded.doubts}
    wrong = unflagged = 0
    for row, tokens in enumerate(photo.rows):
        for column, want in enumerate(tokens):
            have = found.decoded.board[row, column]
            if have != want and not (is_blank(want) and is_blank(have)):
                wrong += 1
                unflagged += (row, column) not in doubted
    doubts_board = (
        found.is_height_uncertain
        or not found.is_orientation_certain
        or check_tiles(found.probabilities, found.decoded, edition) is not None
    )
    return LowViewResult(
        tiles=tiles,
        size=size,
        seed=seed,
        wrong=wrong,
        unflagged=0 if doubts_board else unflagged,
    )


def measure(boards: int = BOARDS, first: int = 0) -> list[LowViewResult]:
    """Measure boards with each kind of tiles and of each size, from the seed `first` on."""
    cv2.setNumThreads(1)
    return [
        measure_board(tiles, size, seed)
        for tiles in THICKNESS
        for size in CELLS_PX
        for seed in range(first, first + boards)
    ]


def table_rows(results: Iterable[LowViewResult]) -> list[list[str]]:
    """Format a line for each kind of tiles and each size of the cells."""
    groups: dict[tuple[str, str], list[LowViewResult]] = {}
    for result in results:
        groups.setdefault((result.tiles, result.size), []).append(result)
    return [
        [
            tiles,
            "{:.0f} to {:.0f} px".format(*CELLS_PX[size]),
            str(len(group)),
            str(sum(not result.wrong and not result.refusal for result in group)),
            str(sum(result.wrong > 0 and not result.unflagged for result in group)),
            str(sum(result.unflagged > 0 for result in group)),
            str(sum(bool(result.refusal) for result in group)),
        ]
        for (tiles, size), group in groups.items()
    ]


def main() -> None:
    """Print the table, and the boards that were not read rightly."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=BOARDS)
    parser.add_argument("--first", type=int, default=0, help="seed of the first board")
    options = parser.parse_args()
    results = measure(options.boards, options.first)
    print(format_table(HEAD, table_rows(results)))
    for result in results:
        if result.wrong or result.refusal:
            errors = f"{result.wrong} wrong, {result.unflagged} not said {result.refusal}"
            print(f"{result.tiles}, {result.seed}: {errors}".rstrip())


if __name__ == "__main__":
    main()
