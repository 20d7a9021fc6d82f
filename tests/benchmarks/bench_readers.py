"""Three ways to read tiles: the square network, Tesseract, and a template for each letter.

All read the same rendered boards with true corners, on one thread. Tesseract is measured twice: with all tiles on one
contact sheet, as Tilesight calls it, and with one call for each tile, as it is often called. The latter is slow: it is
measured on `LOOP_TILES` tiles of each board and extrapolated to all its tiles. A loop over all 225 squares would take
several times longer. Templates are rendered letters of one typeface in the size of the set's letters, which favours
them. Only the network finds the tiles by itself: the contact sheet uses the network's, the others the true ones.

Times are multiples of D, which is measured before each board, since the load of a machine changes.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from samples import RenderedPhoto, Typeface, pick_typeface, text_ink
from scoring import Edition, load_edition
from tests.benchmarks.measuring import measure_yardstick_ms, percentile, yardstick_photo
from tests.sets.club_boards import club_photo
from vision.core.boards import Occupancy, RectifiedBoard, SquareProbabilities
from vision.core.geometry import Grid
from vision.decoding.decoder import decode
from vision.recognition import CascadeReader, CellOutputs
from vision.recognition.tesseract import TesseractReader, language_for
from vision.rectification import rectify

__all__ = ["HEAD", "main", "measure", "table_rows"]

EDITION = "english"
BOARDS = 10
CELL_PX = 40
REPETITIONS = 5
LOOP_TILES = 8
HEAD = ("reader", "letters", "time of a board in D, p50 / p95", "calls")
Square = tuple[int, int]
Result = TypeVar("Result")


@dataclass(slots=True)
class ReaderResult:
    """The result of one way to read: correct letters, and the time of each board in D."""

    name: str
    calls: str
    letters: int = 0
    right: int = 0
    times: list[float] = field(default_factory=list)

    def count(self, truth: RenderedPhoto, read: dict[Square, str]) -> None:
        """Count the squares that were read."""
        for (row, column), token in read.items():
            self.letters += 1
            self.right += truth.rows[row][column] == token


def time_task(task: Callable[[], Result], repetitions: int = 1) -> tuple[Result, float]:
    """Run a task; its result, and the median of its milliseconds."""
    times = []
    for _ in range(repetitions):
        started = time.perf_counter()
        result = task()
        times.append((time.perf_counter() - started) * 1000)
    return result, statistics.median(times)


def letter_squares(photo: RenderedPhoto) -> list[Square]:
    """List the squares with a letter tile."""
    return [
        (row, column)
        for row, tokens in enumerate(photo.rows)
        for column, token in enumerate(tokens)
        if token not in {".", "?", "#"}
    ]


def best_letters(reading: SquareProbabilities, squares: Sequence[Square]) -> dict[Square, str]:
    """Pick the most likely letter of each square that the reader takes for a tile."""
    return {
        square: reading.tokens[int(reading.letters[square].argmax())]
        if reading.occupancy[square].argmax() == Occupancy.TILE
        else "."
        for square in squares
    }


def first_letters(
    network: CascadeReader, outputs: CellOutputs, squares: Sequence[Square]
) -> dict[Square, str]:
    """Pick the most likely letter of each square of a 15 x 15 board from `cells` alone."""
    occupancy, letters = (each.reshape(15, 15, -1) for each in (outputs.occupancy, outputs.letters))
    return {
        square: network.tokens[int(letters[square].argmax())]
        if occupancy[square].argmax() == Occupancy.TILE
        else "."
        for square in squares
    }


def read_cells(cells: Sequence[NDArray[np.uint8]], edition: Edition) -> list[str]:
    """Read each cell with one call of Tesseract, which may answer with the edition's letters only."""
    import pytesseract

    said = []
    config = f"--psm 10 -c tessedit_char_whitelist={''.join(edition.tokens)}"
    for cell in cells:
        text = pytesseract.image_to_string(cell, lang=language_for(edition), config=config)
        said.append("".join(text.split()).upper()[:1] or ".")
    return said


def make_templates(
    edition: Edition, photo: RenderedPhoto, board: RectifiedBoard
) -> dict[str, NDArray[np.uint8]]:
    """Render a dark letter on light ground for each token, in the size of this board's letters.

    The size is the one of a range that fits the first tiles best.
    """
    face = pick_typeface(np.random.default_rng(0), "train", edition.tokens)
    squares = letter_squares(photo)[:6]
    heights = [share * board.cell_px for share in np.arange(0.34, 0.62, 0.04)]

    def fit(cap_px: float) -> float:
        templates = {token: make_template(face, token, cap_px) for token in edition.tokens}
        return sum(
            match_score(grey_cell(board, square), templates[photo.rows[square[0]][square[1]]])
            for square in squares
        )

    best = max(heights, key=fit)
    return {token: make_template(face, token, best) for token in edition.tokens}


def make_template(face: Typeface, token: str, cap_px: float) -> NDArray[np.uint8]:
    """Render one letter with a margin of two pixels."""
    ink = text_ink(face, token, cap_px).mask
    framed = cv2.copyMakeBorder(ink, 2, 2, 2, 2, cv2.BORDER_CONSTANT, value=0)
    return np.asarray(255 - framed, np.uint8)


def grey_cell(board: RectifiedBoard, square: Square) -> NDArray[np.uint8]:
    """Cut a square with some context, in grey with dark ink."""
    grey = np.asarray(cv2.cvtColor(board.cell(*square, 6), cv2.COLOR_BGR2GRAY), np.uint8)
    middle = grey[12:-12, 12:-12]
    # most of a tile's middle is bare: with light ink the median is below the middle of the range
    dark_ink = float(np.median(middle)) > (float(middle.min()) + float(middle.max())) / 2
    return grey if dark_ink else 255 - grey


def match_score(cell: NDArray[np.uint8], letter: NDArray[np.uint8]) -> float:
    """Compute the best correlation of a template anywhere in the cell."""
    height, width = min(letter.shape[0], cell.shape[0]), min(letter.shape[1], cell.shape[1])
    return float(cv2.matchTemplate(cell, letter[:height, :width], cv2.TM_CCOEFF_NORMED).max())


def match_letters(
    board: RectifiedBoard, squares: Sequence[Square], templates: dict[str, NDArray[np.uint8]]
) -> dict[Square, str]:
    """Pick the letter whose template fits best, for each square."""
    found = {}
    for square in squares:
        cell = grey_cell(board, square)
        found[square] = max(templates, key=lambda token: match_score(cell, templates[token]))
    return found


def measure(yardstick: Path, boards: int = BOARDS) -> list[ReaderResult]:
    """Measure all ways on the same boards; decoding `yardstick` takes D."""
    cv2.setNumThreads(1)
    os.environ["OMP_THREAD_LIMIT"] = "1"  # Tesseract's own threads
    edition = load_edition(EDITION)
    network, tesseract = CascadeReader.load(), TesseractReader.for_edition(edition)
    whole = replace(network, glance_net=None)
    first = ReaderResult(name="`cells`, all 225 squares", calls="1")
    net = ReaderResult(name="all three networks", calls="3")
    decision = ReaderResult(name="all three networks and joint decision", calls="3")
    sheet = ReaderResult(name="Tesseract, contact sheet", calls="1")
    loop = ReaderResult(name="Tesseract, `image_to_string` a tile", calls="one a tile")
    match = ReaderResult(name="`matchTemplate`, one template a letter", calls=f"{len(edition.tokens)} a tile")
    for seed in range(boards):
        photo = club_photo(EDITION, seed, CELL_PX)
        grid = Grid.from_corners(photo.corners_px.tolist(), len(photo.rows), len(photo.rows[0]))
        squares = letter_squares(photo)
        small = rectify(photo.image_bgr, grid, network.cell_px, network.margin_px)
        large = rectify(photo.image_bgr, grid, tesseract.cell_px, tesseract.margin_px)

        yardstick_ms = measure_yardstick_ms(yardstick, runs=7)
        network.read(small)  # the first reading of a size allocates
        coarse = rectify(photo.image_bgr, grid, network.cell_net.cell_px, network.cell_net.context_px)
        seen, ms = time_task(lambda: whole.read_cells(coarse), REPETITIONS)  # noqa: B023
        first.times.append(ms / yardstick_ms)
        first.count(photo, first_letters(network, seen, squares))

        reading, ms = time_task(lambda: network.read(small), REPETITIONS)  # noqa: B023
        net.times.append(ms / yardstick_ms)
        net.count(photo, best_letters(reading, squares))

        decoded, decide_ms = time_task(lambda: decode(reading, edition), REPETITIONS)  # noqa: B023
        decision.times.append((ms + decide_ms) / yardstick_ms)
        decision.count(photo, {square: decoded.board[square] for square in squares})

        opinion, ms = time_task(lambda: tesseract.read(large, reading.occupancy))  # noqa: B023
        sheet.times.append(ms / yardstick_ms)
        sheet.count(photo, best_letters(opinion, squares))

        chosen = squares[:: max(1, len(squares) // LOOP_TILES)][:LOOP_TILES]
        cells = [large.cell(*square) for square in chosen]
        said, ms = time_task(lambda: read_cells(cells, edition))  # noqa: B023
        loop.times.append(ms / len(chosen) * len(squares) / yardstick_ms)
        loop.count(photo, dict(zip(chosen, said, strict=True)))

        templates = make_templates(edition, photo, large)
        letters, ms = time_task(lambda: match_letters(large, squares, templates))  # noqa: B023
        match.times.append(ms / yardstick_ms)
        match.count(photo, letters)
    return [first, net, decision, sheet, loop, match]


def table_rows(ways: Sequence[ReaderResult]) -> list[list[str]]:
    """Format the lines of the table."""
    rows = []
    for way in ways:
        p50, p95 = (percentile(way.times, share) for share in (0.5, 0.95))
        accuracy = f"{100 * way.right / way.letters:.1f}% of {way.letters}"
        rows.append([way.name, accuracy, f"{p50:.1f} / {p95:.1f}", way.calls])
    return rows


def main() -> None:
    """Print the table."""
    for line in (HEAD, *table_rows(measure(yardstick_photo()))):
        print(" | ".join(line))


if __name__ == "__main__":
    main()
