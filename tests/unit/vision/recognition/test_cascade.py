from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samples import random_photo
from scoring import edition_names, load_edition
from tests.sets.club_boards import club_photo
from vision.core.arrays import Image
from vision.core.boards import Occupancy, RectifiedBoard, SquareProbabilities
from vision.core.geometry import Grid
from vision.errors import SettingsError
from vision.recognition import CELL_OUTPUTS, cascade
from vision.recognition.cascade import CascadeReader
from vision.recognition.embedding import LdaProjection
from vision.recognition.onnx_model import OnnxModel
from vision.recognition.pooling import pool_occupancy, pool_opinions
from vision.recognition.preprocessing import (
    crop_blocks,
    crop_cells,
    normalize_contrast,
    shift_board,
    space_to_depth,
)
from vision.rectification import rectify
from vision.weights import WEIGHTS


def numbered_board(rows: int, columns: int, cell_px: int = 32, margin_px: int = 8) -> RectifiedBoard:
    """A board whose every pixel says where it is: blue its row of pixels, green its column, red its square."""
    height, width = rows * cell_px + 2 * margin_px, columns * cell_px + 2 * margin_px
    y, x = np.mgrid[:height, :width]
    image = np.stack([y % 256, x % 256, (y // cell_px * 16 + x // cell_px) % 256], axis=-1).astype(np.uint8)
    return RectifiedBoard(image_bgr=image, rows=rows, columns=columns, cell_px=cell_px, margin_px=margin_px)


class TestCrops:
    @pytest.mark.parametrize(("rows", "columns"), [(15, 15), (9, 9), (16, 16), (2, 5)])
    @pytest.mark.parametrize("context_px", [0, 5, 8])
    def test_each_crop_is_its_square_with_context(self, rows: int, columns: int, context_px: int) -> None:
        board = numbered_board(rows, columns)
        crops = crop_cells(board, context_px)
        side = 32 + 2 * context_px
        assert crops.shape == (rows * columns, side, side, 3)
        for row, column in np.ndindex(rows, columns):
            assert np.array_equal(crops[row * columns + column], board.cell(row, column, context_px))

    def test_of_some_squares_in_their_order(self) -> None:
        board = numbered_board(4, 5)
        crops = crop_cells(board, 8, np.array([19, 0, 7]))
        for crop, (row, column) in zip(crops, [(3, 4), (0, 0), (1, 2)], strict=True):
            assert np.array_equal(crop, board.cell(row, column, 8))
        assert crop_cells(board, 8, np.array([], np.intp)).shape == (0, 48, 48, 3)

    @pytest.mark.parametrize("cut", [crop_cells, crop_blocks])
    @pytest.mark.parametrize("context_px", [-1, 9])
    def test_context_beyond_the_margin_is_refused(self, cut, context_px: int) -> None:
        with pytest.raises(ValueError, match="do not fit the margin of 8 px"):
            cut(numbered_board(3, 3), context_px)

    @pytest.mark.parametrize("context_px", [0, 4, 8])
    def test_blocks_of_the_board_are_the_blocks_of_its_squares(self, context_px: int) -> None:
        board = numbered_board(3, 4)
        assert np.array_equal(crop_blocks(board, context_px), space_to_depth(crop_cells(board, context_px)))

    def test_a_shifted_board_shows_what_lies_next_to_it(self) -> None:
        board = numbered_board(2, 3)
        shifted = shift_board(board, 2)
        assert np.array_equal(shifted.image_bgr[:-2, :-2], board.image_bgr[2:, 2:])
        assert np.array_equal(shifted.image_bgr[-1, :-2], board.image_bgr[-1, 2:])

    def test_odd_sizes_do_not_fall_into_blocks(self) -> None:
        with pytest.raises(ValueError, match="choose even sizes"):
            crop_blocks(numbered_board(3, 3), 7)


class TestPreparing:
    def test_a_block_holds_its_four_pixels(self) -> None:
        cells = np.random.default_rng(0).integers(0, 256, (2, 6, 8, 3)).astype(np.uint8)
        made = space_to_depth(cells)
        assert made.shape == (2, 3, 4, 12)
        for line, column in np.ndindex(2, 2):
            part = made[..., (2 * line + column) * 3 : (2 * line + column + 1) * 3]
            assert np.array_equal(part, cells[:, line::2, column::2])

    def test_light_is_taken_out(self) -> None:
        rng = np.random.default_rng(1)
        dark = rng.integers(10, 60, (1, 24, 24, 12)).astype(np.uint8)
        bright = dark * 3
        first, second = (normalize_contrast(cells, 0.05, 100).astype(int) for cells in (dark, bright))
        assert np.abs(first - second).max() <= 1
        assert abs(first.mean() - 100) < 2

    def test_the_order_in_memory_does_not_matter(self) -> None:
        cells = np.random.default_rng(3).integers(0, 256, (3, 8, 8, 12)).astype(np.uint8)
        for other in (np.asfortranarray(cells), np.repeat(cells, 2, axis=1)[:, ::2]):
            assert not other.flags.c_contiguous
            assert np.array_equal(normalize_contrast(other, 0.05, 100), normalize_contrast(cells, 0.05, 100))

    def test_a_plain_square_stays_plain(self) -> None:
        cells = np.full((1, 24, 24, 12), 120, np.uint8)
        cells[0, 3, 4] = 122  # noise
        assert np.abs(normalize_contrast(cells, 0.05, 100).astype(int) - 100).max() <= 3

    @pytest.mark.parametrize("side", [48, 64])
    def test_it_is_what_the_networks_were_trained_on(self, side: int) -> None:
        torch = pytest.importorskip("torch", reason="PyTorch is of the extra `train`")
        from calibration.training.models.square_networks import normalise_cells

        cells = np.random.default_rng(2).integers(0, 256, (5, side, side, 3)).astype(np.uint8)
        cells[1] //= 4
        cells[2] = 77
        trained = normalise_cells(torch.from_numpy(cells)).numpy().transpose(0, 2, 3, 1)
        scale, zero = 0.03, 120
        ours = (normalize_contrast(space_to_depth(cells), scale, zero).astype(float) - zero) * scale
        expected = space_to_depth(np.clip(np.rint(trained / scale) + zero, 0, 255).astype(np.uint8))
        assert np.abs(ours - (expected.astype(float) - zero) * scale).max() < 1.01 * scale


class TestPooling:
    def test_who_is_not_trusted_says_nothing(self) -> None:
        first, second = np.array([[0.7, 0.2, 0.1]], np.float32), np.array([[0.1, 0.1, 0.8]], np.float32)
        assert pool_opinions((first, second), (1, 0)) == pytest.approx(first, abs=1e-5)
        assert pool_opinions((first, second), (0, 1)) == pytest.approx(second, abs=1e-5)

    def test_two_that_agree_are_surer_than_one(self) -> None:
        one = np.array([[0.8, 0.2]], np.float32)
        assert pool_opinions((one, one), (1, 1))[0, 0] == pytest.approx(0.64 / 0.68, abs=1e-5)

    def test_certainty_does_not_break_it(self) -> None:
        first, second = np.array([[1, 0]], np.float32), np.array([[0, 1]], np.float32)
        assert np.isfinite(pool_opinions((first, second), (0.5, 1.5))).all()

    def test_who_sees_whether_a_tile_lies_there_need_not_see_which(self) -> None:
        far = np.array([[0.01, 0.1, 0.88, 0.01]], np.float32)  # something lies there, and it seems blank
        near = np.array([[0.6, 0.38, 0.01, 0.01]], np.float32)  # if anything, then a letter
        empty, tile, blank, covered = pool_occupancy((far, near), (1, 0), (0, 1))[0]
        assert tile + blank == pytest.approx(0.98, abs=1e-5)
        assert tile / blank == pytest.approx(38, rel=1e-3)
        assert (empty, covered) == pytest.approx((0.01, 0.01), abs=1e-5)

    def test_opinions_that_leave_no_doubt_are_kept(self) -> None:
        sure = np.eye(4, dtype=np.float32)
        assert pool_occupancy((sure, sure, sure), (0.6, 0.2, 0.2), (0.4, 0.4, 0.4)) == pytest.approx(
            sure, abs=1e-4
        )


@pytest.fixture(scope="module")
def reader() -> CascadeReader:
    return CascadeReader.load()


class TestReader:
    def test_the_shipped_weights_know_every_shipped_letter_and_are_small(self, reader: CascadeReader) -> None:
        known = set(reader.tokens)
        assert all(set(load_edition(name).tokens) <= known for name in edition_names())
        assert reader.value_labels == (None, *range(1, 13))
        assert sum(file.stat().st_size for file in WEIGHTS.iterdir() if file.is_file()) < 4_000_000

    @pytest.mark.parametrize(("rows", "columns"), [(15, 15), (9, 11), (16, 16), (21, 21)])
    def test_a_board_of_any_size_gives_probabilities(
        self, reader: CascadeReader, rows: int, columns: int
    ) -> None:
        reading = reader.read(numbered_board(rows, columns, reader.cell_px, reader.margin_px))
        for name in ("occupancy", "letters", "values", "turns"):
            array = getattr(reading, name)
            assert array.shape[:2] == (rows, columns)
            assert array.min() >= 0
            assert array.sum(axis=-1) == pytest.approx(1, abs=1e-4)

    def test_squares_that_hold_nothing_are_not_read(self, reader: CascadeReader) -> None:
        squares = np.zeros((15, 15), bool)
        squares[3:5] = True
        empty = reader.read(numbered_board(15, 15, reader.cell_px, reader.margin_px), squares)
        assert (empty.occupancy[~squares].argmax(axis=-1) == Occupancy.EMPTY).all()
        assert empty.letters[~squares] == pytest.approx(1 / len(reader.tokens))

    def test_the_same_board_reads_the_same(self, reader: CascadeReader) -> None:
        board = numbered_board(15, 15, reader.cell_px, reader.margin_px)
        assert np.array_equal(reader.read(board).letters, reader.read(board).letters)

    @pytest.mark.parametrize("level", [0, 255])
    def test_a_black_and_a_white_board_do_not_break_it(self, reader: CascadeReader, level: int) -> None:
        side = 15 * reader.cell_px + 2 * reader.margin_px
        board = RectifiedBoard(
            image_bgr=np.full((side, side, 3), level, np.uint8),
            rows=15,
            columns=15,
            cell_px=reader.cell_px,
            margin_px=reader.margin_px,
        )
        assert np.isfinite(reader.read(board).occupancy).all()

    @pytest.mark.parametrize(("cell_px", "margin_px"), [(20, 12), (48, 8)])
    def test_another_cell_size_is_refused(self, reader: CascadeReader, cell_px: int, margin_px: int) -> None:
        with pytest.raises(ValueError, match=f"margin of 12 px, got {cell_px} and {margin_px} px"):
            reader.read(numbered_board(15, 15, cell_px, margin_px))

    def test_tiles_sees_only_what_may_be_a_tile(self, reader: CascadeReader) -> None:
        seen: list[int] = []

        class Counting:
            card = reader.tile_net.card
            cell_px, context_px = reader.tile_net.cell_px, reader.tile_net.context_px

            def probabilities(self, cells: np.ndarray) -> tuple[np.ndarray, ...]:
                seen.append(len(cells))
                return reader.tile_net.probabilities(cells)

        counting = replace(reader, glance_net=None, tile_net=Counting())  # type: ignore[arg-type]
        side = 15 * reader.cell_px + 2 * reader.margin_px
        image = np.full((side, side, 3), (60, 120, 60), np.uint8)
        lines = range(reader.margin_px, side, reader.cell_px)
        for line in lines:  # a green board with white lines
            image[line - 1 : line + 1] = image[:, line - 1 : line + 1] = 230
        board = RectifiedBoard(
            image_bgr=image, rows=15, columns=15, cell_px=reader.cell_px, margin_px=reader.margin_px
        )
        reading = counting.read(board)
        assert sum(seen) == 0
        assert (reading.occupancy.argmax(axis=-1) == Occupancy.EMPTY).all()

    def test_cells_sees_only_what_is_not_plainly_empty(self, reader: CascadeReader) -> None:
        photo = random_photo(np.random.default_rng(4), easy=True, density=0.3)
        grid = Grid.from_corners(photo.corners_px.tolist(), len(photo.rows), len(photo.rows[0]))
        board = rectify(photo.image_bgr, grid, reader.cell_px, reader.margin_px)
        seen: list[int] = []

        class Counting:
            card = reader.cell_net.card
            tokens, value_labels = reader.cell_net.tokens, reader.cell_net.value_labels
            cell_px, context_px = reader.cell_net.cell_px, reader.cell_net.context_px

            def probabilities(self, cells: np.ndarray) -> tuple[np.ndarray, ...]:
                seen.append(len(cells))
                return reader.cell_net.probabilities(cells)

        sparing = replace(reader, cell_net=Counting()).read(board)  # type: ignore[arg-type]
        thorough = replace(reader, glance_net=None).read(board)
        squares = grid.rows * grid.columns
        tiles = sum(token != "." for row in photo.rows for token in row)
        assert tiles <= sum(seen) < 0.8 * squares
        assert np.array_equal(sparing.occupancy.argmax(axis=-1), thorough.occupancy.argmax(axis=-1))
        looked_at = thorough.occupancy[..., Occupancy.EMPTY] < 0.5
        assert looked_at.any()
        # not the same: each letter is compared with all squares that are read
        assert np.abs(sparing.letters - thorough.letters)[looked_at].max() < 0.05
        for name in ("occupancy", "letters", "values", "turns"):
            assert getattr(sparing, name).sum(axis=-1) == pytest.approx(1, abs=1e-4)

    def test_unclear_letters_are_read_in_a_shifted_view_too(
        self, reader: CascadeReader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        photo = club_photo("hungarian", 6002, 20.0)
        grid = Grid.from_corners(photo.corners_px.tolist(), 15, 15)
        board = rectify(photo.image_bgr, grid, reader.cell_px, reader.margin_px)

        def read_with(min_clear: float) -> SquareProbabilities:
            settings = replace(cascade.CASCADE_SETTINGS, min_letter_clarity=min_clear)
            monkeypatch.setattr(cascade, "CASCADE_SETTINGS", settings)
            return reader.read(board)

        once, twice = read_with(0.0), read_with(0.95)
        unclear = once.shows_letter & (once.letters.max(axis=-1) < 0.95)
        assert 0 < unclear.sum() < once.shows_letter.sum()
        assert (np.abs(twice.letters - once.letters)[unclear].max(axis=-1) > 0).all()
        clear = once.shows_letter & ~unclear
        assert np.array_equal(twice.letters[clear], once.letters[clear])
        assert twice.letters.sum(axis=-1) == pytest.approx(1, abs=1e-4)
        assert np.array_equal(twice.values, once.values)
        assert np.array_equal(twice.occupancy, once.occupancy)

    def test_a_doubt_about_letters_that_the_tiles_cannot_have_needs_no_second_look(
        self, reader: CascadeReader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        photo = club_photo("danish", 6007, 20.0)
        grid = Grid.from_corners(photo.corners_px.tolist(), 15, 15)
        board = rectify(photo.image_bgr, grid, reader.cell_px, reader.margin_px)
        read_crops, numbers = CascadeReader._read_crops, []

        def count(self: CascadeReader, cells: Image) -> tuple[Any, Any]:
            numbers.append(len(cells))
            return read_crops(self, cells)

        monkeypatch.setattr(CascadeReader, "_read_crops", count)
        letters = load_edition("danish").tokens
        of_any, of_edition = (replace(reader, possible_letters=which).read(board) for which in ((), letters))
        assert of_edition.possible_letters == letters
        assert len(numbers) == 2
        assert 0 < numbers[-1] < numbers[0]
        assert np.array_equal(of_any.letter_clarity, of_any.letters.max(axis=-1))
        of_letters = of_edition.letters[..., np.isin(reader.tokens, letters)]
        assert of_edition.letter_clarity == pytest.approx(of_letters.max(axis=-1) / of_letters.sum(axis=-1))

    def test_a_value_is_the_likelier_the_more_frequent_it_is_in_bags(self, reader: CascadeReader) -> None:
        side = 15 * reader.cell_px + 2 * reader.margin_px
        image = np.random.default_rng(5).integers(0, 256, (side, side, 3)).astype(np.uint8)
        board = RectifiedBoard(
            image_bgr=image, rows=15, columns=15, cell_px=reader.cell_px, margin_px=reader.margin_px
        )
        even = replace(reader.tile_net, card={**reader.tile_net.card, "value_factors": [1.0] * 13})
        weighed, plain = (
            replace(reader, glance_net=None, tile_net=tiles).read(board) for tiles in (reader.tile_net, even)
        )
        gain = weighed.values / np.maximum(plain.values, 1e-6)
        looked_at = np.abs(gain - 1).max(axis=-1) > 0.01
        assert looked_at.any()
        assert (gain[looked_at, 1] > gain[looked_at, 10]).all()
        assert weighed.values.sum(axis=-1) == pytest.approx(1, abs=1e-4)
        assert np.array_equal(weighed.letters, plain.letters)
        assert np.abs(weighed.value_likelihoods - plain.values)[looked_at].max() < 1e-4

    def test_what_training_showed_more_often_is_reported(self, reader: CascadeReader) -> None:
        reading = reader.read(numbered_board(15, 15, reader.cell_px, reader.margin_px))
        often, seldom = map(reader.tokens.index, "NM")  # as samples/random/photos.py renders them
        assert reading.letter_factors[often] / reading.letter_factors[seldom] == pytest.approx(
            2**1.1, rel=0.1
        )
        gain = reading.letter_likelihoods / reading.letters
        assert gain[..., seldom] / gain[..., often] == pytest.approx(2**1.1, rel=0.1)
        assert reading.letter_likelihoods.sum(axis=-1) == pytest.approx(1, abs=1e-4)

    def test_features_of_a_board_are_those_of_its_squares(self) -> None:
        knowing = CascadeReader.load(features=True)
        board = numbered_board(15, 15, knowing.cell_px, knowing.margin_px)
        reading, features = knowing.read_with_features(board)
        assert reading.letters.shape[:2] == features.shape[:2] == (15, 15)
        single = knowing.extract_features(crop_cells(board, knowing.margin_px, np.array([17])))
        assert single.shape == (1, features.shape[2])
        first, _ = knowing._read_crops(crop_cells(board, knowing.margin_px, np.array([17])))
        width = first[-1].shape[1]
        near = np.corrcoef(single[0, :width], features[1, 2, :width])[0, 1]
        assert near > 0.99  # the surroundings were made smaller with the square, not with the board
        assert np.linalg.norm(single[0, width:]) == pytest.approx(1, abs=1e-3)
        assert np.linalg.norm(features[..., width:], axis=-1).max() == pytest.approx(1, abs=1e-3)
        assert len(knowing.fingerprint) == 33
        letters = knowing.letter_probabilities(crop_cells(board, knowing.margin_px, np.array([17, 18])))
        assert letters.shape == (2, len(knowing.tokens))
        assert letters.sum(axis=1) == pytest.approx(1, abs=1e-4)

    def test_tiles_are_placed_along_the_directions(self, reader: CascadeReader) -> None:
        photo = random_photo(np.random.default_rng(4), easy=True, density=0.3)
        grid = Grid.from_corners(photo.corners_px.tolist(), len(photo.rows), len(photo.rows[0]))
        reading = reader.read(rectify(photo.image_bgr, grid, reader.cell_px, reader.margin_px))
        assert reading.embedding is not None
        assert reading.embedding.shape[2] == reader.projection.axes.shape[1]
        known = np.asarray(np.isfinite(reading.embedding).all(axis=-1))
        assert known[reading.occupancy[..., Occupancy.TILE] > 0.5].all()
        assert not known.all()

    def test_tiles_are_read_alone_as_with_their_board(self, reader: CascadeReader) -> None:
        photo = random_photo(np.random.default_rng(6), easy=True, density=0.3)
        grid = Grid.from_corners(photo.corners_px.tolist(), len(photo.rows), len(photo.rows[0]))
        board = rectify(photo.image_bgr, grid, reader.cell_px, reader.margin_px)
        reading = reader.read(board)
        tiles = reading.shows_letter
        tiles[:3] = False
        alone = reader.read_tiles(board, tiles)
        assert tiles.sum() > 10
        assert np.array_equal(alone.shows_letter, tiles)
        for name in ("letters", "values", "turns"):
            both = (getattr(each, name)[tiles] for each in (alone, reading))
            assert np.array_equal(*(each.argmax(axis=-1) for each in both)), name

    def test_without_features_there_are_none(self, reader: CascadeReader) -> None:
        board = numbered_board(9, 9, reader.cell_px, reader.margin_px)
        assert reader.read_with_features(board)[1].shape == (9, 9, 0)


class TestFiles:
    def copied(self, folder: Path, name: str = "cells", **changes: object) -> Path:
        for each in ("glance", "cells", "tiles"):
            (folder / f"{each}.onnx").write_bytes((WEIGHTS / f"{each}.onnx").read_bytes())
            card = json.loads((WEIGHTS / f"{each}.json").read_text(encoding="utf-8"))
            card |= changes if each == name else {}
            card = {key: value for key, value in card.items() if value is not ...}
            (folder / f"{each}.json").write_text(json.dumps(card), encoding="utf-8")
        (folder / "appearance.npz").write_bytes((WEIGHTS / "appearance.npz").read_bytes())
        return folder / f"{name}.onnx"

    def test_a_copy_loads(self, tmp_path: Path) -> None:
        self.copied(tmp_path)
        assert CascadeReader.load(tmp_path).cell_px == 48

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"cells\.json cannot be read"):
            CascadeReader.load(tmp_path)

    @pytest.mark.parametrize("name", ["glance", "cells", "tiles"])
    def test_missing_weights_next_to_a_description_are_named(self, tmp_path: Path, name: str) -> None:
        self.copied(tmp_path, name).unlink()
        with pytest.raises(SettingsError, match=rf"{name}\.onnx cannot be read"):
            CascadeReader.load(tmp_path)

    def test_directions_of_another_network_are_refused(self, tmp_path: Path) -> None:
        self.copied(tmp_path)
        replace(LdaProjection.load(), network="another").save(tmp_path)
        with pytest.raises(SettingsError, match=r"appearance\.npz in .* is not of tiles\.onnx"):
            CascadeReader.load(tmp_path)

    def test_a_file_that_is_no_network_is_refused_in_one_line(self, tmp_path: Path) -> None:
        self.copied(tmp_path).write_bytes(b"not a network")
        with pytest.raises(SettingsError, match="cannot be loaded") as refused:
            CascadeReader.load(tmp_path)
        assert "\n" not in str(refused.value)

    def test_a_description_that_is_no_json_is_refused(self, tmp_path: Path) -> None:
        self.copied(tmp_path).with_suffix(".json").write_text("{")
        with pytest.raises(SettingsError, match="is no description of weights"):
            CascadeReader.load(tmp_path)

    def test_another_schema_is_refused(self, tmp_path: Path) -> None:
        self.copied(tmp_path, schema=1)
        with pytest.raises(SettingsError, match="has schema 1, expected 2"):
            CascadeReader.load(tmp_path)

    def test_an_incomplete_description_is_refused(self, tmp_path: Path) -> None:
        self.copied(tmp_path, tokens=..., cell_px=...)
        with pytest.raises(SettingsError, match="lacks cell_px, tokens"):
            CascadeReader.load(tmp_path)

    def test_networks_that_do_not_belong_together_are_refused(self, tmp_path: Path) -> None:
        self.copied(tmp_path, "tiles", tokens=["A", "B"])
        with pytest.raises(SettingsError, match="know different letters or values"):
            CascadeReader.load(tmp_path)

    def test_a_glance_without_trust_is_refused(self, tmp_path: Path) -> None:
        self.copied(tmp_path, "glance", trust=...)
        with pytest.raises(SettingsError, match=r"glance\.json lacks trust; .*fit_pooling"):
            CascadeReader.load(tmp_path)

    def test_tiles_without_trust_is_refused(self, tmp_path: Path) -> None:
        self.copied(tmp_path, "tiles", trust=..., letter_factors=..., value_factors=...)
        with pytest.raises(SettingsError, match=r"tiles\.json lacks letter_factors, trust, value_factors"):
            CascadeReader.load(tmp_path)

    def test_a_network_of_another_form_is_refused(self, tmp_path: Path) -> None:
        weights = self.copied(tmp_path)
        with pytest.raises(SettingsError, match=r"has outputs .*'turn'\), expected"):
            OnnxModel.load(weights, CELL_OUTPUTS[:-1])
