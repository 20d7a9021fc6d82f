"""Fixtures of the tests of digitising: a shoebox of photos, and one run over it."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.shoebox import Inline, run
from tilesight.digitise import pipeline as run_module


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Inline:
    """What reads the pictures of a run."""
    inline = Inline()

    @contextlib.contextmanager
    def opened(cluster: str | None, workers: int) -> Iterator[Inline]:
        yield inline

    monkeypatch.setattr(run_module, "open_pool", opened)
    return inline


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's photos in another order, with a copy, a smaller copy, a wall and a cut file."""
    source = Path(__file__).resolve().parents[4] / "samples" / "shipped" / "icelandic"
    folder = tmp_path_factory.mktemp("box")
    photos = sorted(source.glob("*.jpg"))
    for name, photo in zip("dbeac", photos, strict=True):
        shutil.copy(photo, folder / f"{name}.jpg")
    shutil.copy(photos[0], folder / "x-copy.jpg")
    image = np.asarray(cv2.imread(str(photos[1])), np.uint8)
    cv2.imwrite(
        str(folder / "x-small.jpg"), cv2.resize(image, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA)
    )
    cv2.imwrite(str(folder / "y-wall.png"), np.full((300, 400, 3), 180, np.uint8))
    (folder / "z-cut.jpg").write_bytes(photos[2].read_bytes()[:9_000])
    return folder


@pytest.fixture(scope="module")
def once(box: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one uninterrupted run."""
    out = tmp_path_factory.mktemp("once") / "out"
    with pytest.MonkeyPatch.context() as patch:
        inline = Inline()

        @contextlib.contextmanager
        def opened(*_: object) -> Iterator[Inline]:
            yield inline

        patch.setattr(run_module, "open_pool", opened)
        run(box, out)
    return out
