"""The edition of rendered boards, told from their tiles: how often it is right, and how often a sure one is wrong.

Boards are those of `tests.sets.club_boards`, early and late positions of games of each shipped edition on the usual
board; true corners are given. ``make bench`` runs it; by hand::

    python -m tests.benchmarks.bench_editions --boards 12
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass

import cv2

from scoring import edition_names, load_edition
from tests.benchmarks.bench_reading import reader_of
from tests.benchmarks.measuring import format_table
from tests.sets.club_boards import club_photo
from vision.core import Grid
from vision.decoding import guess_editions
from vision.rectification import read_board

__all__ = ["HEAD", "EditionResult", "measure", "table_rows"]

BOARDS = 12
CELL_PX = 32.0
BINS = (0.0, 0.5, 0.9, 0.99, 1.0)
HEAD = ("probability of the first edition", "boards", "mean probability", "right", "right language")


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionResult:
    """The edition that a board was taken for.

    Parameters
    ----------
    edition : str
        Name of the true edition.
    seed : int
        Of `club_photo`.
    tiles : int
        Number of tiles with letters that were seen.
    guessed : str
        Name of the most probable edition.
    probability : float
        Its probability.
    """

    edition: str
    seed: int
    tiles: int
    guessed: str
    probability: float

    @property
    def is_language_right(self) -> bool:
        """Whether the guessed edition is of the true language."""
        return load_edition(self.guessed).language == load_edition(self.edition).language


def measure(boards: int = BOARDS, first: int = 0) -> list[EditionResult]:
    """Read boards of each edition of the usual layout, from the seed `first` on."""
    cv2.setNumThreads(1)
    editions = [load_edition(name) for name in edition_names()]
    editions = [edition for edition in editions if edition.layout == load_edition("english").layout]
    results = []
    for edition in editions:
        for seed in range(first, first + boards):
            photo = club_photo(edition.name, seed, CELL_PX)
            grid = Grid.from_corners(photo.corners_px, edition.layout.rows, edition.layout.columns)
            seen = read_board(photo.image_bgr, grid, reader_of("english")).probabilities
            best = guess_editions(seen, editions)[0]
            results.append(
                EditionResult(
                    edition=edition.name,
                    seed=seed,
                    tiles=int(seen.shows_letter.sum()),
                    guessed=best.edition.name,
                    probability=best.probability,
                )
            )
    return results


def table_rows(results: Iterable[EditionResult]) -> list[list[str]]:
    """Format a line for each range of probabilities."""
    rows, found = [], list(results)
    for low, high in zip(BINS, (*BINS[1:-1], 1.01), strict=False):
        group = [each for each in found if low <= each.probability < high]
        if group:
            rows.append(
                [
                    f"{low:g} to {min(high, 1):g}",
                    str(len(group)),
                    f"{sum(each.probability for each in group) / len(group):.3f}",
                    f"{sum(each.guessed == each.edition for each in group) / len(group):.3f}",
                    f"{sum(each.is_language_right for each in group) / len(group):.3f}",
                ]
            )
    return rows


def main() -> None:
    """Print the table, and the boards that were taken for a wrong edition with a probability over 0.9."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=BOARDS, help="of each edition")
    parser.add_argument("--first", type=int, default=0, help="seed of the first board")
    options = parser.parse_args()
    results = measure(options.boards, options.first)
    print(format_table(HEAD, table_rows(results)))
    for each in results:
        if each.guessed != each.edition and each.probability > 0.9:
            print(f"{each.edition} {each.seed}, {each.tiles} tiles: {each.guessed} {each.probability:.3f}")


if __name__ == "__main__":
    main()
