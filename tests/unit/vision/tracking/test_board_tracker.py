"""A board that is followed while the camera moves so far that a column leaves the picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from vision.capture import Frame
from vision.core import BoardReading, Grid, Image, Mask, Occupancy, RectifiedBoard, SquareProbabilities
from vision.rectification import read_board
from vision.tracking import BoardTracker
from vision.tracking.motion import BOARD
from vision.tracking.thumbnail import ShrunkFrame

CELL = 20
SIDE = 15 * CELL
LEFT = 8
"""Pixels of table left of the board."""
SQUARE, NEXT = (9, 0), (9, 1)
X, Y = LEFT - 0.5, CELL - 0.5
GRID = Grid.from_corners([[X, Y], [X + SIDE, Y], [X + SIDE, Y + SIDE], [X, Y + SIDE]], 15, 15)
"""The board's place in the pictures."""


class BrightnessReader:
    """Takes bright squares for tiles."""

    cell_px, margin_px = CELL, 4
    tokens, value_labels = ("A", "B"), (None, 1)

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
        shape = (rectified.rows, rectified.columns)
        occupancy = np.full((*shape, 4), 0.01, np.float32)
        for square in np.ndindex(*shape):
            bright = rectified.cell(*square)[5:-5, 5:-5].mean() > 200
            occupancy[square][Occupancy.TILE if bright else Occupancy.EMPTY] = 0.97
        return SquareProbabilities(
            reader="brightness",
            tokens=self.tokens,
            value_labels=self.value_labels,
            occupancy=occupancy,
            letters=np.full((*shape, 2), 0.5, np.float32),
            values=np.full((*shape, 2), 0.5, np.float32),
            turns=np.full((*shape, 4), 0.25, np.float32),
        )


def draw_table() -> Image:
    """A board with lines and a texture, and a table around it."""
    rng = np.random.default_rng(4)
    table = np.kron(rng.uniform(60, 150, (18, 18)), np.ones((CELL, CELL)))
    board = table[CELL : CELL + SIDE, LEFT : LEFT + SIDE]
    board[::CELL], board[:, ::CELL] = 20, 20
    return np.repeat(table[..., None], 3, axis=2).astype(np.uint8)


def lay(bare: Image, *squares: tuple[int, int]) -> Image:
    """The picture with bright tiles."""
    laid = bare.copy()
    for row, column in squares:
        top, left = CELL + row * CELL, LEFT + column * CELL
        laid[top + 1 : top + CELL - 1, left + 1 : left + CELL - 1] = 235
    return laid


def film(steps: Iterable[tuple[Image, int]]) -> Iterator[tuple[Frame, Image]]:
    """Frames, 0.3 s apart, of pictures whose first pixels are out of the frame; each with its picture."""
    for number, (picture, away_px) in enumerate(steps):
        padded = np.pad(picture, ((0, 0), (0, 12), (0, 0)), mode="edge")
        image = np.ascontiguousarray(padded[:, away_px:][:, :360])
        yield Frame(image_bgr=image, source="film", index=number, time_s=0.3 * number), picture


def test_a_tile_that_was_laid_while_its_column_was_out_of_the_picture_is_read_when_it_shows() -> None:
    bare = draw_table()
    laid = lay(bare, SQUARE, NEXT)
    steps = [
        *[(bare, 0)] * 30,
        (bare, 3),
        (bare, 6),
        *[(bare, 10)] * 3,
        *[(laid, 10)] * 4,
        (laid, 8),
        (laid, 7),
        *[(laid, 6)] * 3,
    ]
    reader, tracker = BrightnessReader(), None
    for frame, picture in film(steps):
        if tracker is None:
            found: BoardReading = read_board(frame.image_bgr, GRID, reader)
            tracker = BoardTracker(found, frame)
        tracker.observe(frame)
        if tracker.is_at_rest:
            tracker.compare(frame)
            none, uncertain = np.zeros((2, 15, 15), dtype=np.bool_)
            uncertain[SQUARE] = picture is bare
            tracker.read(frame, reader, ~none, none, uncertain)
            if picture is bare:
                tracker.resolve()
    assert tracker is not None
    away_px = found.grid.corners_px - tracker.grid.corners_px
    assert np.abs(away_px - [6.0, 0.0]).max() < 1.0
    assert tracker.probabilities.occupancy[SQUARE][Occupancy.TILE] > 0.95


def test_a_tile_that_was_read_is_known_while_its_column_is_out_of_the_picture() -> None:
    bare = draw_table()
    laid = lay(bare, SQUARE, NEXT)
    nothing = np.zeros((15, 15), np.bool_)
    reader, tracker = BrightnessReader(), None
    steps = [*[(bare, 0)] * 6, *[(laid, 0)] * 4, (laid, 4), (laid, 8), (laid, 11), *[(laid, 14)] * 3]
    for frame, picture in film(steps):
        tracker = tracker or BoardTracker(read_board(frame.image_bgr, GRID, reader), frame)
        tracker.observe(frame)
        if tracker.is_at_rest:
            tracker.compare(frame)
            tracker.read(frame, reader, ~nothing, nothing, nothing)
            if picture is bare:
                tracker.resolve()
    assert tracker is not None
    assert tracker.out_of_view[:, 0].all()
    assert tracker.unknown[0, 0]
    assert not tracker.unknown[SQUARE]
    assert np.argwhere(tracker.new_tiles).tolist() == [[*SQUARE], [*NEXT]]
    assert tracker.tiles_rest_s > 2.0


@pytest.mark.parametrize("is_laid", [True, False], ids=["tile", "nothing"])
def test_squares_that_come_back_into_the_picture_are_compared_once(is_laid: bool) -> None:
    bare = draw_table()
    shown = lay(bare, SQUARE) if is_laid else bare
    away = [*[(bare, 0)] * 6, (bare, 4), (bare, 8), (bare, 11), *[(bare, 14)] * 3, *[(shown, 14)] * 4]
    back = [(shown, 11), (shown, 8), (shown, 4), *[(shown, 0)] * 9]
    nothing = np.zeros((15, 15), np.bool_)
    reader, tracker, compared = BrightnessReader(), None, list[tuple[int, bool, float]]()
    for frame, _ in film([*away, *back]):
        tracker = tracker or BoardTracker(read_board(frame.image_bgr, GRID, reader), frame)
        tracker.observe(frame)
        if tracker.is_at_rest and not tracker.is_resolved:
            tracker.compare(frame)
            if frame.index >= len(away):
                compared.append((frame.index, bool(tracker.changes.changed[SQUARE]), tracker.rest_s))
            tracker.read(frame, reader, ~nothing, nothing, nothing)
            tracker.resolve()
    assert tracker is not None
    assert compared == [(len(away) + 1, is_laid, 0.0)]  # what is in view again has not rested yet
    assert tracker.is_resolved


def test_a_new_board_is_read_again_only_where_something_may_be() -> None:
    picture = np.pad(draw_table(), ((0, 0), (0, 12), (0, 0)), mode="edge")[:, :360]
    top, left = CELL + SQUARE[0] * CELL, LEFT + 3 * CELL
    picture[top + 1 : top + CELL - 1, left + 1 : left + CELL - 1] = 235
    sizes: list[tuple[int, int]] = []

    class CountingReader(BrightnessReader):
        def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
            sizes.append((rectified.rows, rectified.columns))
            return super().read(rectified)

    reader = CountingReader()
    nothing = np.zeros((15, 15), np.bool_)
    tracker = None
    for number in range(4):
        frame = Frame(image_bgr=picture, source="film", index=number, time_s=0.3 * number)
        tracker = tracker or BoardTracker(read_board(picture, GRID, reader), frame)
        tracker.observe(frame)
        tracker.compare(frame)
        tracker.read(frame, reader, ~nothing, nothing, nothing)
    assert sizes[1] == (15, 15)
    assert sizes[2:] == [(3, 3)] * (len(sizes) - 2)
    assert len(sizes) > 2


@pytest.mark.parametrize(("squares_across", "rested_s"), [(1, 1.5), (4, 0.6)], ids=["misplaced", "hand"])
def test_rests_add_up_over_what_is_too_small_for_a_hand(squares_across: int, rested_s: float) -> None:
    bare = np.pad(draw_table(), ((0, 0), (0, 12), (0, 0)), mode="edge")[:, :360]

    def lay(picture: Image, row: int, column: int, level: int = 235, size: int = 1) -> Image:
        laid = picture.copy()
        top, left = CELL * (row + 1), LEFT + CELL * column
        laid[top + 1 : top + size * CELL - 1, left + 1 : left + size * CELL - 1] = level
        return laid

    one = lay(bare, 7, 7)
    two = lay(one, 7, 8)
    moved = lay(one, 2, 2, level=180, size=squares_across)
    rests = []
    nothing = np.zeros((15, 15), np.bool_)
    tracker = BoardTracker(
        read_board(bare, GRID, BrightnessReader()),
        Frame(image_bgr=bare, source="film", index=0, time_s=0.0),
    )
    for number, picture in enumerate([*[bare] * 4, *[one] * 4, moved, *[one] * 3, *[two] * 3]):
        frame = Frame(image_bgr=picture, source="film", index=number, time_s=0.3 * number)
        tracker.observe(frame)
        if tracker.is_at_rest:
            tracker.compare(frame)
            tracker.read(frame, BrightnessReader(), ~nothing, nothing, nothing)
            if picture is bare:
                tracker.resolve()
        rests.append((tracker.rest_s, tracker.tiles_rest_s))
    assert rests[7] == pytest.approx((0.9, 0.9))
    assert rests[11] == pytest.approx((0.6, rested_s))
    assert rests[14] == pytest.approx((0.6, 0.6))


def test_a_square_of_which_an_edge_is_cut_is_still_read() -> None:
    picture = np.pad(draw_table(), ((0, 0), (0, 12), (0, 0)), mode="edge")
    outside = []
    for cut_px in (0, LEFT + 2, LEFT + 6):  # nothing, a tenth and a third of the first column
        image = np.ascontiguousarray(picture[:, cut_px:][:, :340])
        grid = Grid.from_corners(GRID.corners_px - [cut_px, 0], 15, 15)
        frame = Frame(image_bgr=image, source="film", index=0, time_s=0.0)
        tracker = BoardTracker(read_board(image, grid, BrightnessReader()), frame)
        view = ShrunkFrame.of(frame, grid).thumbnail()
        outside.append((int((~view.is_visible[BOARD]).sum()), int(tracker.out_of_view.sum())))
    assert outside == [(0, 0), (15, 0), (15, 15)]


def test_black_frames_are_left_out_and_reported() -> None:
    bright, black = draw_table(), np.full_like(draw_table(), 3)
    tracker = BoardTracker(
        read_board(bright, GRID, BrightnessReader()),
        Frame(image_bgr=bright, source="film", index=0, time_s=0.0),
    )
    seen, told = [], []
    for number in range(1, 41):
        image, time_s = black if 5 <= number < 30 else bright, 0.5 * number
        seen.append(tracker.observe(Frame(image_bgr=image, source="film", index=number, time_s=time_s)))
        if tracker.unrest_message is not None:
            told.append((time_s, tracker.unrest_message.partition(" (")[0]))
        if number == 4:
            tracker.compare(Frame(image_bgr=image, source="film", index=number, time_s=time_s))
            tracker.resolve()
        assert tracker.is_resolved is (number >= 4)
    assert seen == [not 5 <= number < 30 for number in range(1, 41)]
    assert told == [(10.0, "nothing could be read for 8 s: no board found: the picture is black")]


def test_seconds_that_were_not_seen_are_no_unrest() -> None:
    frame = Frame(image_bgr=draw_table(), source="film")
    tracker = BoardTracker(read_board(frame.image_bgr, GRID, BrightnessReader()), frame)
    black = np.full_like(frame.image_bgr, 3)
    for number in range(1, 15):
        if number == 8:
            tracker.skip(60.0)
        time_s = 0.5 * number + (60.0 if number >= 8 else 0.0)
        tracker.observe(replace(frame, image_bgr=black, index=number, time_s=time_s))
        assert tracker.unrest_message is None


def test_seconds_that_were_not_seen_are_skipped_once_where_a_black_frame_follows() -> None:
    frame = Frame(image_bgr=draw_table(), source="film")
    tracker = BoardTracker(read_board(frame.image_bgr, GRID, BrightnessReader()), frame)
    tracker.observe(replace(frame, index=1, time_s=0.5))
    tracker.skip(60.0)
    black = replace(frame, image_bgr=np.full_like(frame.image_bgr, 3), index=2, time_s=61.0)
    assert not tracker.observe(black)
    tracker.observe(replace(frame, index=3, time_s=61.5))
    assert tracker.rest_s == pytest.approx(1.0)


def test_a_film_may_begin_at_a_time_that_is_an_integer() -> None:
    bare = draw_table()
    frame = Frame(image_bgr=bare, source="film", time_s=0)
    tracker = BoardTracker(read_board(bare, GRID, BrightnessReader()), frame)
    tracker.observe(replace(frame, image_bgr=lay(bare, SQUARE), index=1, time_s=0.3))
    assert tracker.rest_s == 0.0
    tracker.skip(1.5)


def test_a_frame_is_shrunk_once_while_the_camera_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = np.pad(draw_table(), ((0, 0), (0, 12), (0, 0)), mode="edge")[:, :360]
    frames = [Frame(image_bgr=picture, source="film", index=n, time_s=0.3 * n) for n in range(4)]
    shrunk: list[int] = []
    shrink = ShrunkFrame.of

    def count(frame: Frame, grid: Grid) -> ShrunkFrame:
        shrunk.append(frame.index)
        return shrink(frame, grid)

    monkeypatch.setattr(ShrunkFrame, "of", count)
    tracker = BoardTracker(read_board(picture, GRID, BrightnessReader()), frames[0])
    for frame in frames[1:]:
        tracker.observe(frame)
        tracker.compare(frame)
    assert shrunk == [0, 1, 2, 3]


def test_four_reads_in_a_row_crop_the_squares_at_four_offsets() -> None:
    picture = np.full((360, 360, 3), 60, np.uint8)
    top, left = CELL + 7 * CELL, LEFT + 7 * CELL
    picture[top + 5 : top + CELL - 5, left + 5 : left + CELL - 5] = 240
    offsets: list[tuple[float, float]] = []

    class OffsetReader(BrightnessReader):
        def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
            bright = np.argwhere(rectified.cell(7, 7)[..., 0] > 150)
            y, x = (rectified.cell(7, 7).shape[0] - 1) / 2 - bright.mean(axis=0)
            offsets.append((x / CELL, y / CELL))
            return super().read(rectified)

    reader = OffsetReader()
    nothing = np.zeros((15, 15), np.bool_)
    frame = Frame(image_bgr=picture, source="film", index=0, time_s=0.0)
    tracker = BoardTracker(read_board(picture, GRID, reader), frame)
    tracker.resolve()
    for number in range(5):
        frame = Frame(image_bgr=picture, source="film", index=number, time_s=0.3 * number)
        tracker.observe(frame)
        tracker.read(frame, reader, ~nothing, nothing, ~nothing)
    four = [(0.06, 0.06), (-0.06, -0.06), (0.06, -0.06), (-0.06, 0.06)]
    np.testing.assert_allclose(offsets, [(0.0, 0.0), *four, four[0]], atol=0.02)
