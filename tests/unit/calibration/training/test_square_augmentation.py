from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is of the extra `train`")

from calibration.training import square_augmentation  # noqa: E402
from calibration.training.square_augmentation import augment_squares  # noqa: E402

CELLS = torch.zeros(3, 20, 56, 56, 3, dtype=torch.uint8)
CELLS[:, :, 10:20, 24:32] = 200  # a mark above the middle
UPRIGHT = torch.zeros(3, 20, dtype=torch.int64)


def random(seed: int) -> Any:
    return torch.Generator().manual_seed(seed)


def set_shares(monkeypatch: pytest.MonkeyPatch, edges: float, lamps: float) -> None:
    monkeypatch.setattr(square_augmentation, "EDGES", edges)
    monkeypatch.setattr(square_augmentation, "LAMPS", lamps)


def test_the_same_randomness_gives_the_same_cells() -> None:
    first, second = (augment_squares(CELLS, UPRIGHT, 48, 1.0, random(1)) for _ in range(2))
    assert torch.equal(first[0], second[0])
    assert torch.equal(first[1], second[1])


def test_shape_and_originals_are_kept() -> None:
    before = CELLS.clone()
    cells, turns = augment_squares(CELLS, UPRIGHT, 48, 1.0, random(1))
    assert cells.shape == (3, 20, 48, 48, 3)
    assert turns.shape == (3, 20)
    assert torch.equal(CELLS, before)


@pytest.mark.parametrize("shrink", [1.0, 1.75])
def test_the_turn_says_where_the_top_went(shrink: float, monkeypatch: pytest.MonkeyPatch) -> None:
    set_shares(monkeypatch, edges=0, lamps=0)
    seen = set()
    side = round(48 / shrink)
    for seed in range(10):
        cells, turns = augment_squares(CELLS, UPRIGHT, side, shrink, random(seed))
        for cell, turn in zip(cells.flatten(0, 1), turns.flatten().tolist(), strict=True):
            light = (cell - cell.median()).clip(min=0).sum(-1)
            places = torch.arange(side) - (side - 1) / 2
            dx, dy = (light.sum(0) @ places / light.sum()), (light.sum(1) @ places / light.sum())
            # the mark was above; clockwise quarter turns bring it right, below, left
            expected = {0: -dy, 1: dx, 2: dy, 3: -dx}[turn]
            assert expected > max(abs(dx), abs(dy)) - 1e-6
            seen.add(turn)
    assert seen == {0, 1, 2, 3}


def test_squares_without_a_letter_keep_no_turn() -> None:
    _, turns = augment_squares(CELLS, UPRIGHT - 1, 48, 1.0, random(1))
    assert (turns == -1).all()


def test_cells_of_one_board_have_one_light() -> None:
    cells, _ = augment_squares(CELLS, UPRIGHT - 1, 48, 1.0, random(8))
    brightest = cells.flatten(2).quantile(0.99, dim=2)
    within = (brightest.std(1) / brightest.mean(1)).mean()
    between = brightest.mean(1).std() / brightest.mean()
    assert within < 0.1 < between


def within_squares(monkeypatch: pytest.MonkeyPatch, edges: float, lamps: float) -> Any:
    """Return the mean and the range of brightness within each square of evenly grey boards, (2, boards * n)."""
    set_shares(monkeypatch, edges, lamps)
    grey = torch.full((8, 40, 56, 56, 3), 100, dtype=torch.uint8)
    cells, _ = augment_squares(grey, torch.full((8, 40), -1), 48, 1.0, random(5))
    blurred = torch.nn.functional.avg_pool2d(cells.mean(-1), 8).flatten(0, 1).flatten(1)
    return torch.stack([blurred.mean(1), blurred.amax(1) - blurred.amin(1)])


def test_an_edge_of_light_runs_through_some_squares_and_shades_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, even = within_squares(monkeypatch, edges=0, lamps=0)
    mean, uneven = within_squares(monkeypatch, edges=1, lamps=0)
    assert even.max() < 10
    assert 0.05 < (uneven > 20).float().mean() < 0.5
    board = mean.unflatten(0, (8, 40))
    assert (board.amax(1) / board.amin(1)).median() > 1.4


def test_a_mirrored_lamp_brightens_a_few_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, _ = within_squares(monkeypatch, edges=0, lamps=0)
    mean, _ = within_squares(monkeypatch, edges=0, lamps=1)
    brighter = mean - plain
    assert brighter.min() > -1
    assert 0.02 < (brighter > 20).float().mean() < 0.4
