"""Pictures of any size and orientation, and frames of a film: whether boards are located, and the time it takes.

Run it as ``python -m tests.benchmarks.bench_sizes``. Rendered photos of about two megapixels are scaled to each size
and saved as a camera saves them. Times are processor time of one thread as multiples of D of the same run.
"""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from samples import RenderedPhoto
from scoring import load_edition
from tests.benchmarks.measuring import LOCATED_WITHIN_CELLS, percentile, reader_for, yardstick_ms
from tests.sets.photo_kinds import usual_photo
from tests.sets.scenes import compare_corners
from vision.capture import Frame, open_picture
from vision.core.geometry import Grid
from vision.detection import ImagePyramid, locate
from vision.detection.refit import track_grid
from vision.errors import BoardNotFoundError
from vision.rectification import read_board
from vision.tracking.board_tracker import BoardTracker

__all__ = ["HEAD", "SizeResult", "measure", "table_rows"]

PHOTOS = 10
FIRST_SEED = 4_000
MEGAPIXELS = (0.3, 2.0, 8.0, 24.0, 50.0)
COMPARED = 2.0
FRAME, FRAMES = (1920, 1080), 8
QUALITY = 88
TURNED_LEFT = 8
"""EXIF orientation of a picture that must be rotated by a quarter to the left."""
HEAD = (
    "picture",
    "number",
    "located",
    "open it, in D (p50)",
    "locate or follow, in D (p50 / p95)",
    "locate: more than at 2 MP",
)

Picture = NDArray[np.uint8]


@dataclass(slots=True)
class SizeResult:
    """The results of one size: which photos were located, and times in D."""

    name: str
    located: list[bool] = field(default_factory=list)
    open_d: list[float] = field(default_factory=list)
    locate_d: list[float] = field(default_factory=list)


def scale_photo(photo: RenderedPhoto, megapixels: float) -> tuple[Picture, NDArray[np.float64]]:
    """Scale a photo to a number of megapixels; the picture and its corners."""
    height, width = photo.image_bgr.shape[:2]
    factor = (megapixels * 1e6 / (height * width)) ** 0.5
    size = (round(width * factor), round(height * factor))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    image = np.asarray(cv2.resize(photo.image_bgr, size, interpolation=method), np.uint8)
    scale = np.array(size) / [width, height]
    return image, (photo.corners_px + 0.5) * scale - 0.5


def save_photo(image: Picture, path: Path, *, turned: bool = False) -> None:
    """Save a JPEG file; `turned` saves it sideways with EXIF's orientation, as phones save portraits."""
    lying = np.ascontiguousarray(np.rot90(image, -1)) if turned else image
    exif = Image.Exif()
    if turned:
        exif[0x0112] = TURNED_LEFT
    file = io.BytesIO()
    Image.fromarray(lying[..., ::-1]).save(file, "JPEG", quality=QUALITY, exif=exif)
    path.write_bytes(file.getvalue())


def add_photo(result: SizeResult, path: Path, corners_px: NDArray[np.float64], edition: str) -> None:
    """Open and locate a photo, and add the result."""
    started = time.process_time()
    frame = open_picture(path, may_reduce=True)
    opened = time.process_time()
    layout = load_edition(edition).layout
    try:
        found: Grid | None = locate(frame.image_bgr, layout)
    except BoardNotFoundError:
        found = None
    done = time.process_time()
    d_s = yardstick_ms() / 1000
    grid = found and Grid.from_corners(frame.to_picture(found.corners_px), layout.rows, layout.columns)
    result.located.append(grid is not None and compare_corners(grid, corners_px)[0] <= LOCATED_WITHIN_CELLS)
    result.open_d.append((opened - started) / d_s)
    result.locate_d.append((done - opened) / d_s)


def measure_film(photos: Sequence[RenderedPhoto]) -> Iterator[SizeResult]:
    """Measure 1080p frames: tracked from frame to frame, and located again from a tenth of a square off."""
    followed = SizeResult(name="1080p film: a frame tracked")
    relocated = SizeResult(name="1080p film: located again from a tenth of a square off")
    noise = np.random.default_rng(0)
    for photo in photos:
        image, corners, known = make_frame(photo)
        layout = load_edition(photo.edition).layout
        pose = read_board(image, known, reader_for(photo.edition))
        scene = BoardTracker(pose, Frame(image_bgr=image, source="film", index=0, time_s=0.0))
        for index in range(1, FRAMES + 1):
            grain = noise.integers(0, 4, image.shape, dtype=np.uint8)
            frame = Frame(
                image_bgr=np.asarray(cv2.add(image, grain), np.uint8),
                source="film",
                index=index,
                time_s=index / 15,
            )
            started = time.process_time()
            scene.observe(frame)
            followed.locate_d.append(1000 * (time.process_time() - started) / yardstick_ms())
        followed.located.append(
            scene.is_at_rest and compare_corners(scene.grid, corners)[0] <= LOCATED_WITHIN_CELLS
        )
        start = Grid.from_corners(known.corners_px + 0.1 * known.cell_px, layout.rows, layout.columns)
        started = time.process_time()
        grid = track_grid(ImagePyramid.of(image), start, layout)
        relocated.locate_d.append(1000 * (time.process_time() - started) / yardstick_ms())
        relocated.located.append(
            grid is not None and compare_corners(grid, corners)[0] <= LOCATED_WITHIN_CELLS
        )
    yield followed
    yield relocated


def make_frame(photo: RenderedPhoto) -> tuple[Picture, NDArray[np.float64], Grid]:
    """Make a 1080p frame of a photo; the frame, the grid's corners, and the grid."""
    height, width = photo.image_bgr.shape[:2]
    factor = min(FRAME[0] / width, FRAME[1] / height)
    image, corners = scale_photo(photo, height * width * factor**2 / 1e6)
    below, right = max(0, FRAME[1] - image.shape[0]), max(0, FRAME[0] - image.shape[1])
    frame = cv2.copyMakeBorder(image, 0, below, 0, right, cv2.BORDER_REFLECT)
    layout = load_edition(photo.edition).layout
    return np.asarray(frame, np.uint8), corners, Grid.from_corners(corners, layout.rows, layout.columns)


def measure(photos: int = PHOTOS, first_seed: int = FIRST_SEED) -> Iterator[SizeResult]:
    """Measure each size, then portraits, then frames of a film."""
    cv2.setNumThreads(1)
    rendered = [usual_photo(seed) for seed in range(first_seed, first_seed + photos)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "photo.jpg"
        for megapixels, turned in [*((size, False) for size in MEGAPIXELS), (8.0, True)]:
            name = f"{megapixels:g} megapixels" + (", on its side, by EXIF upright" if turned else "")
            result = SizeResult(name=name)
            for photo in rendered:
                image, corners = scale_photo(photo, megapixels)
                save_photo(image, path, turned=turned)
                add_photo(result, path, corners, photo.edition)
            yield result
    yield from measure_film(rendered)


def table_rows(results: Iterator[SizeResult] | Sequence[SizeResult]) -> list[list[str]]:
    """Format a line for each size."""
    done = list(results)
    usual = next((one for one in done if one.name == f"{COMPARED:g} megapixels"), None)
    rows = []
    for one in done:
        median = percentile(one.locate_d, 0.5)
        more = median - percentile(usual.locate_d, 0.5) if usual and one.open_d and one is not usual else None
        rows.append(
            [
                one.name,
                str(len(one.located)),
                str(sum(one.located)),
                f"{percentile(one.open_d, 0.5):.1f}" if one.open_d else "",
                f"{median:.2f} / {percentile(one.locate_d, 0.95):.2f}",
                f"{more:+.1f} D" if more is not None else "",
            ]
        )
    return rows


def main() -> None:
    """Print the table."""
    for row in (HEAD, *table_rows(measure())):
        print(" | ".join(row))


if __name__ == "__main__":
    main()
