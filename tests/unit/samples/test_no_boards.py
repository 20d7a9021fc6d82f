"""Scenes without a board: reproducible, of every kind, and different from seed to seed."""

from __future__ import annotations

import numpy as np
import pytest

from samples import random_scene_without_board
from samples.random.no_boards import SUBJECTS, no_board_kinds

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", no_board_kinds())
def test_every_kind_can_be_drawn_and_is_reproducible(kind):
    first, again, other = (
        random_scene_without_board(np.random.default_rng(seed), kind=kind) for seed in (3, 3, 4)
    )
    assert first.kind == kind
    assert first.image_bgr.dtype == np.uint8
    assert first.image_bgr.ndim == 3
    assert np.array_equal(first.image_bgr, again.image_bgr)
    assert not np.array_equal(first.image_bgr, other.image_bgr)


def test_a_subject_is_drawn_on_the_table():
    for kind, subject in SUBJECTS.items():
        if subject is not None:
            flat = subject(np.random.default_rng(1))
            assert flat.dtype == np.uint8, kind
            assert min(flat.shape[:2]) >= 90, kind
            assert flat.std() > 3, kind


def test_kinds_are_drawn_by_chance():
    kinds = {random_scene_without_board(np.random.default_rng(seed)).kind for seed in range(25)}
    assert len(kinds) > 7
