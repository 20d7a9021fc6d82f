"""What changed on the board since it was last resolved."""

from __future__ import annotations

import numpy as np

from vision.tracking.changes import ChangeDetector
from vision.tracking.thumbnail import CELL_PX, MARGIN_CELLS, BoardThumbnail

SIDE = 15 + 2 * MARGIN_CELLS
TEXTURE = np.random.default_rng(0).uniform(60, 180, (SIDE, SIDE))


def test_squares_that_come_into_view_are_read_once_they_show() -> None:
    left = np.zeros((SIDE, SIDE), dtype=np.bool_)
    left[:, : MARGIN_CELLS + 1] = True
    grey = np.kron(TEXTURE, np.ones((CELL_PX, CELL_PX))).astype(np.float32)
    hidden, shown = (
        BoardThumbnail(grey=grey, is_visible=~left),
        BoardThumbnail(grey=grey, is_visible=np.ones_like(left)),
    )
    changes = ChangeDetector((15, 15), hidden)
    changes.compare(hidden, 5.0)
    assert not changes.changed.any()
    changes.compare(shown, 5.0)
    assert changes.changed[:, 0].all()
    assert not changes.changed[:, 1:].any()
    assert not changes.strength.any()
    changes.set_reference(shown)
    changes.compare(shown, 5.0)
    assert not changes.changed.any()
