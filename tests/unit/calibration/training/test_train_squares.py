from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import pytest
import typer
from typer.testing import CliRunner, Result

torch = pytest.importorskip("torch", reason="PyTorch is of the extra `train`")
pytest.importorskip("onnx", reason="onnx is of the extra `train`")

from calibration.training import train_squares as training  # noqa: E402
from calibration.training.data.square_shards import (  # noqa: E402
    CELLS,
    GLANCE,
    TILES,
    VALUE_LABELS,
    ShardFolder,
    all_tokens,
    cut_squares,
    downscale_cells,
    render_shard,
)
from calibration.training.evaluation import fit_temperatures  # noqa: E402
from calibration.training.export.onnx_export import export_network  # noqa: E402
from calibration.training.models.square_networks import (  # noqa: E402
    CellNetwork,
    GlanceNetwork,
    TileNetwork,
)
from calibration.training.network_specs import CELL_SPEC, GLANCE_SPEC, TILE_SPEC, NetworkSpec  # noqa: E402
from calibration.training.priors import letter_factors, value_factors, value_weights  # noqa: E402
from calibration.training.train_squares import SquareConfig, finish, train  # noqa: E402
from samples import random_photo  # noqa: E402
from scoring import edition_names, load_edition  # noqa: E402
from vision.core.boards import Occupancy  # noqa: E402
from vision.core.geometry import Grid  # noqa: E402
from vision.recognition.cascade import CascadeReader  # noqa: E402
from vision.recognition.embedding import LdaProjection  # noqa: E402
from vision.recognition.onnx_model import OnnxModel  # noqa: E402
from vision.recognition.preprocessing import space_to_depth  # noqa: E402
from vision.weights import WEIGHTS  # noqa: E402

WIDE = CELLS.kept_cell_px + 2 * CELLS.kept_margin_px


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a shard of one board to train on, and one of two to measure on."""
    out = tmp_path_factory.mktemp("training")
    render_shard(out / "shards", "train", seed=3, number=0, boards=1)
    render_shard(out / "shards", "heldout", seed=3, number=0, boards=2)
    return out


def test_the_letters_are_those_of_all_editions() -> None:
    tokens = all_tokens()
    assert len(set(tokens)) == len(tokens)
    assert set(tokens) == {token for name in edition_names() for token in load_edition(name).tokens}


class TestCut:
    def test_labels_are_the_truth_of_the_photo(self) -> None:
        photo = random_photo(np.random.default_rng(11), easy=True)
        tokens = all_tokens()
        cells, labels = cut_squares(photo, tokens, np.random.default_rng(0))
        flat = [token for row in photo.rows for token in row]
        assert cells.shape == (len(flat), WIDE, WIDE, 3)
        for token, label in zip(flat, labels.tolist(), strict=True):
            if token == ".":
                assert label[:4] == [Occupancy.EMPTY, -1, -1, -1]
            elif token == "#":
                assert label[:4] == [Occupancy.COVERED, -1, -1, -1]
            elif token == "?" or token.islower():
                assert label[:4] == [Occupancy.BLANK, -1, VALUE_LABELS.index(None), -1]
            else:
                assert label[0] == Occupancy.TILE
                assert tokens[label[1]] == token
        assert not labels[:, 5].any()
        assert (labels[:, 4] == round(Grid.from_corners(photo.corners_px.tolist(), 15, 15).cell_px)).all()
        printed = [value for row in photo.values for value in row]
        for value, label in zip(printed, labels.tolist(), strict=True):
            if label[0] == Occupancy.TILE and value in VALUE_LABELS:
                assert VALUE_LABELS[label[2]] == value

    def test_other_corner_errors_move_the_pixels_a_little(self) -> None:
        photo = random_photo(np.random.default_rng(11), easy=True)
        first, labels = cut_squares(photo, all_tokens(), np.random.default_rng(0))
        second, same = cut_squares(photo, all_tokens(), np.random.default_rng(1))
        assert np.array_equal(labels, same)
        assert not np.array_equal(first, second)
        blurred = [cv2.blur(cells.reshape(-1, WIDE, 3), (9, 9)).astype(int) for cells in (first, second)]
        assert np.abs(blurred[0] - blurred[1]).mean() < 20

    def test_what_sees_tiles_sees_them_finer(self) -> None:
        photo = random_photo(np.random.default_rng(11), easy=True)
        cells, labels = cut_squares(photo, all_tokens(), np.random.default_rng(0), TILES)
        side = TILES.kept_cell_px + 2 * TILES.kept_margin_px
        assert cells.shape == (len(labels), side, side, 3)
        assert side >= TILES.side_px * TILES.shrink  # there is room to shift
        assert np.array_equal(labels, cut_squares(photo, all_tokens(), np.random.default_rng(0))[1])


class TestShards:
    def test_of_all_squares_some_are_kept(self, tmp_path: Path) -> None:
        files = [
            render_shard(tmp_path / name, "train", seed=3, number=0, boards=1, crop=crop)
            for name, crop in (("some", TILES), ("all", GLANCE))
        ]
        labels = [np.load(str(file).replace(".cells.", ".labels.")) for file in files]
        tiles, empties = ([(each[:, 0] == kind).sum() for each in labels] for kind in (Occupancy.TILE, 0))
        assert 0.7 * tiles[1] < tiles[0] < tiles[1]
        assert 0 < empties[0] < empties[1]

    def test_a_glance_is_taught_with_whole_boards(self, tmp_path: Path) -> None:
        render_shard(tmp_path, "train", seed=3, number=0, boards=2, crop=GLANCE)
        shards = ShardFolder(tmp_path, "train")
        assert shards.boards == 2
        assert [round(len(shards.board(number)) ** 0.5) ** 2 for number in (0, 1)] == [
            len(shards.board(0)),
            len(shards.board(1)),
        ]

    def test_the_same_seed_gives_the_same_shard(self, folder: Path, tmp_path: Path) -> None:
        again = render_shard(tmp_path, "train", seed=3, number=0, boards=1)
        assert np.array_equal(np.load(again), np.load(folder / "shards" / again.name))

    def test_a_shard_that_is_there_is_kept(self, folder: Path) -> None:
        file = folder / "shards" / "train-00000.cells.npy"
        before = file.stat().st_mtime_ns
        assert render_shard(folder / "shards", "train", seed=99, number=0, boards=5) == file
        assert file.stat().st_mtime_ns == before

    def test_cells_of_several_shards_are_one_list_that_grows(self, tmp_path: Path) -> None:
        shards = ShardFolder(tmp_path, "train")
        assert len(shards) == 0
        for number, count in enumerate((3, 2)):
            cells = np.full((count, 4, 4, 3), number, np.uint8)
            np.save(tmp_path / f"train-{number:05d}.cells.npy", cells)
            labels = np.full((count, 6), number, np.int64)
            labels[:, 5] = (0, 0, 1)[:count]
            np.save(tmp_path / f"train-{number:05d}.labels.npy", labels)
            shards.refresh()
        assert len(shards) == 5
        assert shards.occupancy.tolist() == [0, 0, 0, 1, 1]
        assert [shards.board(number).tolist() for number in range(shards.boards)] == [[0, 1], [2], [3, 4]]
        cells, labels = shards.take(np.array([4, 0, 2, 3]))
        assert cells[:, 0, 0, 0].tolist() == [1, 0, 0, 1]
        assert labels[:, 0].tolist() == [1, 0, 0, 1]


def test_a_value_counts_the_more_the_rarer_it_is_next_to_its_letter(tmp_path: Path) -> None:
    labels = np.full((1000, 6), -1, np.int64)
    labels[:, 5] = 0
    labels[:, 1] = 0
    labels[:900, 2], labels[900:, 2] = 1, 4
    np.save(tmp_path / "train-00000.cells.npy", np.zeros((1000, 2, 2, 3), np.uint8))
    np.save(tmp_path / "train-00000.labels.npy", labels)
    weights = value_weights(ShardFolder(tmp_path, "train"))
    assert weights.shape == (len(all_tokens()), len(VALUE_LABELS))
    assert weights[0, 5] > weights[0, 4] > weights[0, 1]
    assert weights[1] == pytest.approx(1)  # nothing is known of the values beside this letter
    # together the frequent one still counts for more, but not nine times as much
    assert 1 < 900 * weights[0, 1] / (100 * weights[0, 4]) < 2


def test_letters_that_were_rendered_more_often_are_reported(tmp_path: Path) -> None:
    labels = np.full((6000, 6), -1, np.int64)
    labels[:, 5] = 0
    labels[:3000, 1] = np.repeat([0, 0, 1], 1000)
    np.save(tmp_path / "train-00000.cells.npy", np.zeros((6000, 2, 2, 3), np.uint8))
    np.save(tmp_path / "train-00000.labels.npy", labels)
    factors = letter_factors(ShardFolder(tmp_path, "train"), (0.5, 0.7))
    assert len(factors) == len(all_tokens())
    assert factors[0] / factors[1] == pytest.approx(2**1.2, rel=0.01)


def test_values_are_as_frequent_as_in_bags(tmp_path: Path) -> None:
    labels = np.full((1300, 6), -1, np.int64)
    labels[:, 5] = 0
    labels[:, 1] = 0
    labels[:, 2] = np.repeat(np.arange(13), 100)  # in training all alike
    np.save(tmp_path / "train-00000.cells.npy", np.zeros((1300, 2, 2, 3), np.uint8))
    np.save(tmp_path / "train-00000.labels.npy", labels)
    none, one, two, *more = value_factors(ShardFolder(tmp_path, "train"))
    assert none == 1
    assert one > two > 1 > max(more[4:7])
    assert sum([one, two, *more]) == pytest.approx(
        12, abs=0.01
    )  # that one is printed is as probable as it was


class TestGlance:
    network = GlanceNetwork(letters=3, values=2).eval()
    cells = torch.from_numpy(np.random.default_rng(7).integers(0, 256, (2, 9, 24, 24, 3)).astype(np.uint8))

    def test_boards_are_seen_each_by_itself(self) -> None:
        with torch.inference_mode():
            (together,) = self.network(self.cells)
            for board, logits in zip(self.cells, together, strict=True):
                assert torch.allclose(self.network(board)[0], logits, atol=1e-5)

    def test_a_square_is_seen_next_to_the_others_of_its_board(self) -> None:
        with torch.inference_mode():
            beside = [
                self.network(torch.cat([self.cells[0, :1], others]))[0][0] for others in self.cells[:, 1:]
            ]
        assert not torch.allclose(*beside, atol=1e-5)


class TestTiles:
    cells = torch.from_numpy(np.random.default_rng(7).integers(0, 256, (2, 6, 64, 64, 3)).astype(np.uint8))

    @pytest.fixture
    def network(self) -> TileNetwork:
        torch.manual_seed(1)
        network = TileNetwork(letters=3, values=2)
        network.eval()
        torch.nn.init.normal_(network.compared.weight)
        return network

    def test_a_new_network_sees_each_square_by_itself(self) -> None:
        with torch.inference_mode():
            by_itself, compared = TileNetwork(letters=3, values=2).eval().opinions(self.cells)
        assert torch.equal(by_itself, compared)

    def test_a_square_is_compared_with_the_others_of_its_board(self, network: TileNetwork) -> None:
        with torch.inference_mode():
            together, alone = (network.opinions(cells) for cells in (self.cells[0], self.cells[0, :1]))
        assert torch.allclose(together[0][0], alone[0][0], atol=1e-4)
        assert not torch.allclose(together[1][0], alone[1][0], atol=1e-4)

    def test_boards_are_seen_each_by_itself(self, network: TileNetwork) -> None:
        with torch.inference_mode():
            _, letters, _ = network(self.cells)
            for board, logits in zip(self.cells, letters, strict=True):
                assert torch.allclose(network(board)[1], logits, atol=1e-3)

    def test_hidden_squares_do_not_matter(self, network: TileNetwork) -> None:
        hidden = torch.zeros(2, 6, 6)
        hidden[:, :4, 4:] = -torch.inf
        with torch.inference_mode():
            _, some = network.opinions(self.cells, hidden)
            _, four = network.opinions(self.cells[:, :4])
        assert torch.allclose(some[:, :4], four, atol=1e-3)


class TestSampler:
    def test_boards_are_drawn_with_all_tiles_or_few(self, folder: Path) -> None:
        config = SquareConfig(batch=64, boards=4)
        sampler = training.SquareSampler(folder / "shards", config)
        cells, labels, hidden = training.augment_batch(sampler(0, np.random.default_rng(1)), CELLS)
        assert cells.shape == (4, 16, CELLS.side_px, CELLS.side_px, 3)
        assert labels.shape == (4, 16, 6)
        tiles = (labels[..., 0] == Occupancy.TILE).sum(dim=1)
        assert tiles.max() > tiles.min()
        assert set(hidden.unique().tolist()) <= {0.0, -torch.inf}

    def test_what_pads_a_board_is_unknown_and_unseen(self, folder: Path) -> None:
        sampler = training.SquareSampler(folder / "shards", SquareConfig(batch=600, boards=2))
        _, labels, hidden = training.augment_batch(sampler(0, np.random.default_rng(1)), CELLS)
        pads = labels[..., 0] < 0
        assert pads.any()
        seen = (hidden == 0) & pads[:, None, :]
        assert torch.equal(seen, torch.diag_embed(pads))


class TestCommand:
    def run(self, *words: str) -> Result:
        app = typer.Typer()
        app.command()(training.main)
        return CliRunner().invoke(app, list(words))

    def test_an_unknown_network_is_refused(self) -> None:
        refused = self.run("letters")
        assert refused.exit_code == 2
        assert "choose glance, cells or tiles" in refused.output

    @pytest.mark.parametrize(
        "device",
        [
            "abacus",
            pytest.param(
                "cuda",
                marks=pytest.mark.skipif(
                    torch.cuda.is_available(), reason="CUDA is not missing on this machine"
                ),
            ),
        ],
    )
    def test_a_device_that_is_missing_is_refused_before_boards_are_rendered(
        self, device: str, tmp_path: Path
    ) -> None:
        refused = self.run("tiles", "--out", str(tmp_path / "out"), "--device", device)
        assert refused.exit_code == 2
        assert "choose cpu" in refused.output
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize(
        ("words", "beside"),
        [
            (["glance"], None),
            (["cells"], None),
            (["tiles"], WEIGHTS / "cells.onnx"),
            (["tiles", "--cells", "mine.onnx"], Path("mine.onnx")),
        ],
    )
    def test_only_for_tiles_the_exponents_of_cells_and_tiles_are_fitted(
        self, words: list[str], beside: Path | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[object] = []

        def finished(*arguments: object) -> dict[str, object]:
            asked.extend(arguments)
            return {"letter": {"accuracy": 1.0}}

        monkeypatch.setattr(training, "train", lambda *_, **__: "trained")
        monkeypatch.setattr(training, "finish", finished)
        told = self.run(*words, "--no-render", "--out", str(tmp_path), "--steps", "7", "--note", "by hand")
        assert told.exit_code == 0, told.output
        assert "letter: {'accuracy': 1.0}" in told.output
        network, out, recipe, kind, cells = asked
        assert (network, out, cells) == ("trained", tmp_path, beside)
        assert kind.name == words[0]  # type: ignore[attr-defined]
        assert (recipe["steps"], recipe["note"]) == (7, "by hand")  # type: ignore[index]

    def test_it_may_stop_after_rendering(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(training, "train", None)  # must not be called
        assert self.run("cells", "--no-render", "--no-fit", "--out", str(tmp_path)).exit_code == 0


@pytest.mark.slow
class TestTraining:
    recipe = SquareConfig(seed=2, shards=1, heldout_shards=1, boards_per_shard=1, steps=4, batch=16)

    def test_it_goes_on_from_its_checkpoint_and_exports_what_it_learnt(self, folder: Path) -> None:
        network = train(self.recipe, folder, checkpoint_every=2)
        assert torch.load(folder / "checkpoint.pt", weights_only=True)["step"] == 4
        again = train(self.recipe, folder)  # nothing is left to do
        for one, other in zip(network.parameters(), again.parameters(), strict=True):
            assert torch.equal(one, other)

        temperatures = fit_temperatures(again, ShardFolder(folder / "shards", "heldout"))
        assert set(temperatures) == set(CELL_SPEC.outputs)

        file = folder / "weights" / "cells.onnx"
        export_network(again, CELL_SPEC, temperatures, file, {"seed": 2}, {})
        cells = np.random.default_rng(4).integers(0, 255, (3, 48, 48, 3)).astype(np.uint8)
        session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        found = dict(zip(CELL_SPEC.outputs, session.run(None, {"cells": cells}), strict=True))
        with torch.inference_mode():
            occupancy, letter, _, _ = again.eval()(torch.from_numpy(cells))
        expected = torch.softmax(letter / temperatures["letter"], 1).numpy()
        assert found["letter"] == pytest.approx(expected, abs=1e-4)
        expected = torch.softmax(occupancy / temperatures["occupancy"], 1).numpy()
        assert found["occupancy"] == pytest.approx(expected, abs=1e-4)

    def test_what_is_written_is_measured_and_described(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "shards").symlink_to(folder / "shards")
        metrics = finish(train(self.recipe, tmp_path), tmp_path, {"seed": 2}, range_boards=2)
        assert set(metrics) == set(CELL_SPEC.outputs)
        assert all(0 <= numbers["accuracy"] <= 1 for numbers in metrics.values())
        card = json.loads((tmp_path / "cells.json").read_text(encoding="utf-8"))
        assert str(card["metrics"]) == str(metrics)  # this board has no fine squares: nan
        assert card["recipe"]["seed"] == 2
        assert (tmp_path / "cells.onnx").stat().st_size < 800_000  # a byte a weight
        assert OnnxModel.load(tmp_path / "cells.onnx", CELL_SPEC.outputs).tokens == all_tokens()

    def test_tiles_is_written_with_the_exponents_of_cells_and_tiles(self, tmp_path: Path) -> None:
        for fonts in ("train", "heldout"):
            render_shard(tmp_path / "shards", fonts, seed=3, number=0, boards=2, crop=TILES)
        network = train(self.recipe, tmp_path, TILE_SPEC)
        metrics = finish(network, tmp_path, {"seed": 2}, TILE_SPEC, WEIGHTS / "cells.onnx", range_boards=2)
        assert set(metrics) == {
            *TILE_SPEC.outputs,
            "occupancy of both",
            "letter of both",
            "value of both",
        }
        for file in ("glance.onnx", "glance.json", "cells.onnx", "cells.json"):
            (tmp_path / file).write_bytes((WEIGHTS / file).read_bytes())
        second = OnnxModel.load(tmp_path / "tiles.onnx", TILE_SPEC.outputs)
        replace(LdaProjection.load(), network=second.fingerprint).save(tmp_path)
        reader = CascadeReader.load(tmp_path)
        first, second = reader.tile_net.card["trust"]["letter"]
        assert first > second  # four steps of training deserve little

    def test_a_glance_is_written_for_whole_boards(self, tmp_path: Path) -> None:
        for fonts in ("train", "heldout"):
            render_shard(tmp_path / "shards", fonts, seed=3, number=0, boards=2, crop=GLANCE)
        network = train(replace(self.recipe, batch=96), tmp_path, GLANCE_SPEC)
        metrics = finish(network, tmp_path, {"seed": 2}, GLANCE_SPEC, range_boards=2)
        assert 0 <= metrics["occupancy"]["accuracy"] <= 1
        written = OnnxModel.load(tmp_path / "glance.onnx", GLANCE_SPEC.outputs)
        side = GLANCE.side_px // 2
        for squares in (9, 225):
            board = np.random.default_rng(9).integers(0, 256, (squares, side, side, 12)).astype(np.uint8)
            (occupancy,) = written.probabilities(board)
            assert occupancy.shape == (squares, 4)
            assert occupancy.sum(axis=1) == pytest.approx(1, abs=1e-4)

    def test_it_starts_from_given_weights(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "shards").symlink_to(folder / "shards")
        given = CellNetwork(letters=len(all_tokens()), values=len(VALUE_LABELS))
        torch.save(given.state_dict(), tmp_path / "start.pt")
        network = train(replace(self.recipe, steps=0), tmp_path, start=tmp_path / "start.pt")
        for one, other in zip(network.parameters(), given.parameters(), strict=True):
            assert torch.equal(one, other)

    @pytest.mark.parametrize(("spec", "name"), [(CELL_SPEC, "cells"), (TILE_SPEC, "tiles")])
    def test_it_starts_from_shipped_weights(self, spec: NetworkSpec, name: str, tmp_path: Path) -> None:
        render_shard(tmp_path / "shards", "train", seed=3, number=0, boards=3, crop=spec.crop)
        network = train(
            replace(self.recipe, steps=0, batch=200), tmp_path, spec, start=WEIGHTS / f"{name}.onnx"
        )
        shards = ShardFolder(tmp_path / "shards", "train")
        wide, labels = shards.take(np.arange(len(shards)))
        cells = downscale_cells(wide, spec.crop.side_px, spec.crop.shrink)[labels[:, 1] >= 0]
        with torch.inference_mode():
            _, letters, *_ = network.eval()(torch.from_numpy(cells))
        shipped = OnnxModel.load(WEIGHTS / f"{name}.onnx", spec.outputs).probabilities(space_to_depth(cells))
        assert (letters.argmax(1).numpy() == shipped[1].argmax(1)).mean() > 0.9

    def test_weights_of_another_network_are_refused(self, tmp_path: Path) -> None:
        render_shard(tmp_path / "shards", "train", seed=3, number=0, boards=1)
        with pytest.raises(ValueError, match="its layers are not those of this network"):
            train(replace(self.recipe, steps=0), tmp_path, start=WEIGHTS / "tiles.onnx")

    def test_attention_cannot_be_loaded_from_shipped_weights(self, tmp_path: Path) -> None:
        render_shard(tmp_path / "shards", "train", seed=3, number=0, boards=1, crop=GLANCE)
        recipe = replace(self.recipe, steps=0, batch=96)
        with pytest.raises(ValueError, match="its layers are not those of this network"):
            train(recipe, tmp_path, GLANCE_SPEC, start=WEIGHTS / "glance.onnx")

    def test_the_same_seed_learns_the_same(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "shards").symlink_to(folder / "shards")
        first = train(self.recipe, tmp_path)
        (tmp_path / "checkpoint.pt").unlink()
        second = train(self.recipe, tmp_path)
        for one, other in zip(first.parameters(), second.parameters(), strict=True):
            assert torch.equal(one, other)
