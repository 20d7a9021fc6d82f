"""The directions that tell letters of one set apart: found on rendered sets, kept beside the network's weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calibration.training.train_tile_embedding import PHOTOS, PhotographedSet, fit_projection, render_set
from vision.errors import SettingsError
from vision.recognition.embedding import LdaProjection
from vision.weights import WEIGHTS


def rendered_numbers(seed: int) -> PhotographedSet:
    """Letters that differ along the first of five axes, tiles along the second, photos along the third."""
    rng = np.random.default_rng(seed)
    letters = np.repeat(np.arange(20), 3)
    features = np.zeros((PHOTOS, len(letters), 5))
    features[..., 0] = rng.normal(0, 1.0, 20)[letters]
    features[..., 1] = rng.normal(0, 0.1, len(letters))
    features[..., 2] = rng.normal(0, 0.2, (PHOTOS, len(letters)))
    return PhotographedSet(features=features + rng.normal(0, 0.01, features.shape), letters=letters)


def test_the_first_direction_is_that_in_which_letters_differ() -> None:
    found = fit_projection(map(rendered_numbers, range(20)), "a network", dimensions=2)
    assert found.axes.shape == (5, 2)
    assert np.abs(found.axes[:, 0]).argmax() == 0
    assert found.between_letters[0] > 50 * found.between_letters[1]
    assert (found.between_photos > 0).all()


def test_tiles_of_a_rendered_set_lie_nearer_to_their_like_than_to_others() -> None:
    tiles = render_set(3)
    assert tiles.features.shape[:2] == (PHOTOS, len(tiles.letters))
    assert np.linalg.norm(tiles.features, axis=-1) == pytest.approx(1, abs=1e-3)
    places = LdaProjection.load().embed(tiles.features.mean(axis=0))
    apart = np.linalg.norm(places[:, None] - places, axis=-1)
    same = tiles.letters[:, None] == tiles.letters
    np.fill_diagonal(same, False)
    other = tiles.letters[:, None] != tiles.letters
    assert np.median(apart[same]) < 0.5 * np.median(apart[other])


def test_directions_are_kept(tmp_path: Path) -> None:
    found = fit_projection(map(rendered_numbers, range(3)), "a network", dimensions=2)
    found.save(tmp_path)
    again = LdaProjection.load(tmp_path)
    assert np.array_equal(again.axes, found.axes)
    assert again.network == "a network"


@pytest.mark.parametrize(
    "content", [None, b"", b"no archive", (WEIGHTS / "appearance.npz").read_bytes()[:2000]]
)
def test_damaged_directions_are_named_in_one_line(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "appearance.npz").write_bytes(content)
    with pytest.raises(SettingsError, match=r"appearance\.npz cannot be read") as refused:
        LdaProjection.load(tmp_path)
    assert "\n" not in str(refused.value)
