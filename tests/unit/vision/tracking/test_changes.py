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
        BoardThumbnail(grey=grey, is_readable=~left),
        BoardThumbnail(grey=grey, is_readable=np.ones_like(left)),
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


def test_a_square_changes_with_the_square_that_its_tile_hides() -> None:
    """From a chair, the face of a tile on F9 is seen over F8, and F9 shows the tile in front of it as before."""
    grey = np.kron(TEXTURE, np.ones((CELL_PX, CELL_PX))).astype(np.float32)
    new = grey.copy()
    top, left = (MARGIN_CELLS + 7) * CELL_PX, (MARGIN_CELLS + 5) * CELL_PX
    new[top : top + CELL_PX, left : left + CELL_PX] += 60
    changes = ChangeDetector((15, 15), BoardThumbnail(grey=grey))
    own = np.indices((15, 15))
    above = np.stack([np.maximum(own[0] - 1, 0), own[1]])
    changes.compare(BoardThumbnail(grey=new), 5.0, np.array([own]))
    assert list(zip(*np.nonzero(changes.changed), strict=True)) == [(7, 5)]
    changes.compare(BoardThumbnail(grey=new), 5.0, np.array([own, above]))
    assert list(zip(*np.nonzero(changes.changed), strict=True)) == [(7, 5), (8, 5)]
    assert changes.strength[8, 5] == changes.strength[7, 5]
    # a new tile on F8 explains it, and F9 itself did not change
    tiles = np.zeros((15, 15), dtype=np.bool_)
    tiles[7, 5] = True
    assert changes.unexplained_strength(tiles)[8, 5] < 1.0 < changes.unexplained_strength(tiles)[7, 5]


def test_a_square_that_left_the_frame_counts_as_it_was_last_seen() -> None:
    grey = np.kron(TEXTURE, np.ones((CELL_PX, CELL_PX))).astype(np.float32)
    laid = grey.copy()
    top, left = (MARGIN_CELLS + 4) * CELL_PX, MARGIN_CELLS * CELL_PX
    laid[top : top + CELL_PX, left : left + CELL_PX] += 60
    cut = np.ones((SIDE, SIDE), dtype=np.bool_)
    cut[:, : MARGIN_CELLS + 1] = False
    whole = np.ones_like(cut)
    changes = ChangeDetector((15, 15), BoardThumbnail(grey=grey, is_readable=whole))
    for is_readable in (whole, cut):
        changes.compare(BoardThumbnail(grey=laid, is_readable=is_readable), 5.0)
        assert np.argwhere(changes.changed).tolist() == [[4, 0]]
    changes.set_reference(BoardThumbnail(grey=laid, is_readable=whole))
    changes.compare(BoardThumbnail(grey=laid, is_readable=cut), 5.0)
    assert not changes.changed.any()


def test_light_that_brightens_a_reference_makes_no_level_above_white() -> None:
    """A level of 282 would be one of 26 in the journal, and a white tile that the camera clips would have changed."""
    tile = (7 + MARGIN_CELLS) * CELL_PX
    dark, bright = (np.full((SIDE * CELL_PX, SIDE * CELL_PX), level, np.float32) for level in (200, 230))
    dark[tile : tile + CELL_PX, tile : tile + CELL_PX] = 245
    bright[tile : tile + CELL_PX, tile : tile + CELL_PX] = 255
    changes = ChangeDetector((15, 15), BoardThumbnail(grey=dark))
    changes.compare(BoardThumbnail(grey=bright), 5.0)
    assert not changes.changed.any()
    changes.set_reference(BoardThumbnail(grey=bright), but=[(7, 7)])
    assert changes.reference is not None
    kept = BoardThumbnail.from_bytes(changes.reference.to_bytes(), 15, 15)
    assert kept is not None
    assert kept.grey[tile, tile] == changes.reference.grey[tile, tile] == 255


def test_levels_above_white_are_white_in_the_journal() -> None:
    grey = np.full((SIDE * CELL_PX, SIDE * CELL_PX), 282.0, np.float32)
    kept = BoardThumbnail.from_bytes(BoardThumbnail(grey=grey).to_bytes(), 15, 15)
    assert kept is not None
    assert kept.grey.min() == 255


def test_a_square_with_another_letter_is_changed_until_the_board_is_resolved() -> None:
    view = BoardThumbnail(grey=np.kron(TEXTURE, np.ones((CELL_PX, CELL_PX))).astype(np.float32))
    changes = ChangeDetector((15, 15), view)
    changes.compare(view, 5.0)
    changes.add_replaced(np.indices((15, 15)).sum(axis=0) == 0)
    changes.compare(view, 5.0)
    assert list(zip(*np.nonzero(changes.changed), strict=True)) == [(0, 0)]
    changes.rotate(1)
    changes.compare(view.rotate(1), 5.0)
    changes.set_reference(view)
    changes.compare(view, 5.0)
    assert not changes.changed.any()
