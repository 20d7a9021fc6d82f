from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scoring import edition_names, load_edition
from vision.errors import SettingsError
from vision.reading.crops import cell_crops
from vision.reading.network import NetworkReader
from vision.rectify import RectifiedBoard

WEIGHTS = Path(__file__).resolve().parents[2] / "vision" / "weights"


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
        crops = cell_crops(board, context_px)
        side = 32 + 2 * context_px
        assert crops.shape == (rows * columns, side, side, 3)
        for row, column in np.ndindex(rows, columns):
            assert np.array_equal(crops[row * columns + column], board.cell(row, column, context_px))

    @pytest.mark.parametrize("context_px", [-1, 9])
    def test_context_beyond_the_margin_is_refused(self, context_px: int) -> None:
        with pytest.raises(ValueError, match="do not fit the margin of 8 px"):
            cell_crops(numbered_board(3, 3), context_px)


@pytest.fixture(scope="module")
def reader() -> NetworkReader:
    return NetworkReader.load()


class TestReader:
    def test_the_shipped_weights_know_every_shipped_letter_and_are_small(self, reader: NetworkReader) -> None:
        known = set(reader.tokens)
        assert all(set(load_edition(name).tokens) <= known for name in edition_names())
        assert reader.value_labels == (None, *range(1, 13))
        assert sum(file.stat().st_size for file in WEIGHTS.glob("cells.*")) < 4_000_000

    @pytest.mark.parametrize(("rows", "columns"), [(15, 15), (9, 11), (16, 16), (21, 21)])
    def test_a_board_of_any_size_gives_probabilities(
        self, reader: NetworkReader, rows: int, columns: int
    ) -> None:
        reading = reader.read(numbered_board(rows, columns, reader.cell_px, reader.margin_px))
        for name in ("occupancy", "letters", "values", "turns"):
            array = getattr(reading, name)
            assert array.shape[:2] == (rows, columns)
            assert array.min() >= 0
            assert array.sum(axis=-1) == pytest.approx(1, abs=1e-4)

    def test_the_same_board_reads_the_same(self, reader: NetworkReader) -> None:
        board = numbered_board(15, 15, reader.cell_px, reader.margin_px)
        assert np.array_equal(reader.read(board).letters, reader.read(board).letters)

    def test_a_black_and_a_white_board_do_not_break_it(self, reader: NetworkReader) -> None:
        side = 15 * reader.cell_px + 2 * reader.margin_px
        for level in (0, 255):
            image = np.full((side, side, 3), level, np.uint8)
            board = RectifiedBoard(
                image_bgr=image, rows=15, columns=15, cell_px=reader.cell_px, margin_px=reader.margin_px
            )
            assert np.isfinite(reader.read(board).occupancy).all()

    def test_another_cell_size_is_refused(self, reader: NetworkReader) -> None:
        with pytest.raises(ValueError, match="expected cells of 32 px, got 20 px"):
            reader.read(numbered_board(15, 15, cell_px=20))


class TestFiles:
    def copied(self, folder: Path, **changes: object) -> Path:
        weights = folder / "cells.onnx"
        weights.write_bytes((WEIGHTS / "cells.onnx").read_bytes())
        card = json.loads((WEIGHTS / "cells.json").read_text(encoding="utf-8")) | changes
        card = {key: value for key, value in card.items() if value is not ...}
        weights.with_suffix(".json").write_text(json.dumps(card), encoding="utf-8")
        return weights

    def test_a_copy_loads(self, tmp_path: Path) -> None:
        assert NetworkReader.load(self.copied(tmp_path), threads=2).cell_px == 32

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"mine\.json cannot be read"):
            NetworkReader.load(tmp_path / "mine.onnx")

    def test_missing_weights_beside_a_description_are_named(self, tmp_path: Path) -> None:
        weights = self.copied(tmp_path)
        weights.unlink()
        with pytest.raises(SettingsError, match=r"cells\.onnx cannot be loaded"):
            NetworkReader.load(weights)

    def test_a_file_that_is_no_network_is_refused_in_one_line(self, tmp_path: Path) -> None:
        weights = self.copied(tmp_path)
        weights.write_bytes(b"not a network")
        with pytest.raises(SettingsError, match="cannot be loaded") as refused:
            NetworkReader.load(weights)
        assert "\n" not in str(refused.value)

    def test_a_description_that_is_no_json_is_refused(self, tmp_path: Path) -> None:
        weights = self.copied(tmp_path)
        weights.with_suffix(".json").write_text("{")
        with pytest.raises(SettingsError, match="is no description of weights"):
            NetworkReader.load(weights)

    def test_another_schema_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match="has schema 2, expected 1"):
            NetworkReader.load(self.copied(tmp_path, schema=2))

    def test_an_incomplete_description_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match="lacks cell_px, tokens"):
            NetworkReader.load(self.copied(tmp_path, tokens=..., cell_px=...))

    def test_a_network_of_another_form_is_refused(self, tmp_path: Path) -> None:
        onnx = pytest.importorskip("onnx", reason="onnx is of the extra `train`")
        weights = self.copied(tmp_path)
        model = onnx.load(str(weights))
        del model.graph.output[-1]
        onnx.save(model, str(weights))
        with pytest.raises(SettingsError, match=r"has outputs .*'value'\), expected"):
            NetworkReader.load(weights)
