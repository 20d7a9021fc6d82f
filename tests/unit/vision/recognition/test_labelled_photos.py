"""Real photos with the corners given: the network, which never saw one, reads their letters."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from scoring import load_edition
from vision.core.geometry import Grid
from vision.decoding.decoder import decode
from vision.recognition.cascade import CascadeReader
from vision.recognition.viewpoint.orientation import vote_turn
from vision.rectification import rectify


@pytest.mark.boards
@pytest.mark.parametrize(
    ("folder", "images"),
    [
        ("german-12", ("board-01.jpg", "board-20.jpg")),
        ("german-01", ("image-20.jpg",)),
        ("german-light", ("board-04.jpg", "err-16.jpg")),
        ("romanian-1", ("1_20.jpg",)),
        ("romanian-2", ("2_20.jpg",)),
    ],
)
def test_a_real_board_reads_without_a_mistake(shared: Path, folder: str, images: tuple[str, ...]) -> None:
    labels = shared / "boards" / folder / "photos.json"
    if not labels.exists():
        labels = labels.with_name("game.json")
    described = json.loads(labels.read_text(encoding="utf-8"))
    frames = described if isinstance(described, list) else described["frames"]
    edition = load_edition(frames[0].get("edition") or described["edition"])
    reader = CascadeReader.load()
    chosen = [frame for frame in frames if frame["image"] in images]
    assert len(chosen) == len(images)
    for frame in chosen:
        image = np.asarray(cv2.imread(str(labels.with_name(frame["image"]))), np.uint8)
        grid = Grid.from_corners(frame["corners_px"], 15, 15)
        reading = reader.read(rectify(image, grid, reader.cell_px, reader.margin_px))
        decoded = decode(reading, edition)
        assert ["".join(row) for row in decoded.board.rows] == frame["board"], frame["image"]
        turned = reader.read(rectify(image, grid.rotate(2), reader.cell_px, reader.margin_px))
        assert vote_turn(reading)[0] == 0
        assert vote_turn(turned)[0] == 2
