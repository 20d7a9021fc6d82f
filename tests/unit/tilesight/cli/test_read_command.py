"""What `tilesight read` prints of a board."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import vision.pipeline
from scoring import EMPTY, Board, load_edition
from tilesight.cli.options import FormatName, ReaderName
from tilesight.cli.read import PhotoReader, format_reading, report_failure
from vision.capture import open_picture
from vision.core import Doubt, DoubtReason, Stopwatch
from vision.errors import BoardNotFoundError


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


def test_where_a_refused_board_seemed_to_be_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    tried_px = np.array([[10.0, 10], [90, 10], [90, 90], [10, 90.123]])
    error = BoardNotFoundError("no lines of a board", tried_px=tried_px)
    reduced: Any = SimpleNamespace(to_picture=lambda corners_px: corners_px * 2)
    report_failure(Path("a.jpg"), error, FormatName.JSON, reduced)
    printed = json.loads(capsys.readouterr().out)
    assert printed["status"] == "board-not-found"
    assert printed["tried_corners_px"] == [[20, 20], [180, 20], [180, 180], [20, 180.25]]


def test_a_line_on_the_profile_is_printed_once_though_boards_of_two_layouts_are_tried(
    icelandic_sample: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    load, loaded = vision.pipeline.load_recognizer, []

    def remark(reader: str, edition: Any, *, notify: Any, **others: Any) -> Any:
        loaded.append(edition.name)
        notify("profile: letters are not looked for")
        return load(reader, edition, notify=notify, **others)

    monkeypatch.setattr(vision.pipeline, "load_recognizer", remark)
    editions = [load_edition("krydsord"), load_edition("icelandic")]
    photos = PhotoReader(editions, ReaderName.NETWORK, None, None)
    image = icelandic_sample / "turn-05.jpg"
    photos.read(image, open_picture(image), None, Stopwatch())
    assert loaded == ["krydsord", "icelandic"]
    assert capsys.readouterr().err.count("profile: letters are not looked for") == 1
