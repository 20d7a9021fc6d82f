"""The lower limit of digitising: the same processes, which only decode and warp each picture.

Run it as ``python -m tests.support.bare_pictures SOURCE OUT WORKERS``. The pictures are found, handed out, sent back
and kept as `tilesight digitise` does it, by its own code; only what is done with a picture is another thing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import edition_names, load_edition
from tilesight.digitise.pipeline import PhotoStage, Run
from tilesight.digitise.reading.options import PhotoRequest, ReadOptions
from tilesight.digitise.reading.photo_reader import SETTINGS, Result
from tilesight.digitise.reading.photo_record import PhotoRecord, PhotoStatus, PictureRecord
from tilesight.digitise.results.result_store import Store
from tilesight.digitise.sources.discovery import find_source_files
from tilesight.digitise.workers import open_pool
from vision.core import encode_jpeg

__all__ = ["decode_and_warp", "digitise_barely"]

BOARD_PX = 744
"""Side of a rectified board."""
IMAGE_FROM_BOARD = np.array([[1.5, 0.1, 200], [-0.1, 1.5, 80], [1e-5, 1e-5, 1]])


def decode_and_warp(data: bytes) -> NDArray[np.uint8]:
    """Decode a picture and warp it to a board of the usual size, with a fixed homography."""
    image = np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpPerspective(image, IMAGE_FROM_BOARD, (BOARD_PX, BOARD_PX), flags=flags), np.uint8
    )


def board_alone(data: bytes, name: str, options: ReadOptions) -> Result:
    """Make a worker's result of a decoded and warped picture."""
    cv2.setNumThreads(1)
    board = encode_jpeg(decode_and_warp(data), SETTINGS.board_quality)
    picture = PictureRecord(
        format=None, width=BOARD_PX, height=BOARD_PX, taken=None, camera=None, perceptual_hash=None
    )
    record = PhotoRecord(status=PhotoStatus.OK, message=name, picture=picture)
    return Result(record=record, ms={}, thumbnail_jpeg=board)  # a record without squares has no other picture


def digitise_barely(sources: Sequence[str], out: Path, workers: int) -> None:
    """Decode and warp all pictures with a number of processes."""
    files = find_source_files(sources, excluded=out)
    options = ReadOptions(editions=tuple(map(load_edition, edition_names())))
    run = Run(files=files, folder=out, options=options, workers=workers)
    with Store.open(out) as store, open_pool(None, workers, read=board_alone) as pool:
        stage = PhotoStage(run=run, store=store, pool=pool, progress=lambda *_: None, given_corners={})
        stage.read([(index, PhotoRequest()) for index in range(len(files))])


if __name__ == "__main__":
    from tests.support import bare_pictures  # whose functions other processes know by this name

    bare_pictures.digitise_barely([sys.argv[1]], Path(sys.argv[2]), int(sys.argv[3]))
