"""What `tilesight read` prints of a board."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from scoring import EMPTY, Board
from tilesight.cli.read import format_reading
from vision.core import Doubt, DoubtReason


def test_a_square_in_doubt_is_named_once_with_all_its_reasons() -> None:
    doubts = [Doubt(row=8, column=8, reason=reason) for reason in (DoubtReason.UNSURE, DoubtReason.VALUE)]
    doubts += [Doubt(row=0, column=column, reason=DoubtReason.BAG) for column in range(11)]
    confidence = np.ones((15, 15))
    confidence[8, 8] = 0.5
    found: Any = SimpleNamespace(
        decoded=SimpleNamespace(
            board=Board.from_rows([[EMPTY] * 15] * 15), doubts=tuple(doubts), confidence=confidence
        ),
        grid=SimpleNamespace(columns=15),
        is_orientation_certain=True,
        other_boards=0,
        remarks=(),
    )
    line = format_reading(found).splitlines()[-1]
    assert line.startswith(
        f"in doubt: I9 ({DoubtReason.UNSURE}; {DoubtReason.VALUE}), A1 ({DoubtReason.BAG}), "
    )
    assert line.endswith(f"I1 ({DoubtReason.BAG}), and 2 more")
