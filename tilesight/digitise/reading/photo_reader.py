"""Read one picture: bytes in, a result out that can be sent and stored. It uses no files and keeps no state."""

from __future__ import annotations

import functools
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from tilesight.digitise.reading.options import ReadOptions
from tilesight.digitise.reading.photo_record import PhotoRecord, PhotoStatus, PictureRecord, board_record
from vision.capture import Frame, decode_picture, read_metadata
from vision.core import Occupancy, SquareProbabilities, Stopwatch, encode_jpeg, halve_image
from vision.errors import BoardNotFoundError, InputError, MissingProgramError, SettingsError
from vision.pipeline import AnyEditionReading, CameraModel, GameContext, load_recognizer, read_any_edition
from vision.profile import Profile
from vision.recognition import SquareReader

__all__ = ["HASH_WORDS", "Result", "read_picture", "unpack_reading"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureSettings:
    """The pictures of a result; all values are chosen."""

    thumbnail_px: int = 320
    """The longer side of a thumbnail, in pixels."""
    thumbnail_quality: int = 72
    board_quality: int = 85
    """JPEG quality of the thumbnail and of the straightened board, 0 to 100."""


SETTINGS = PictureSettings()
HASH_SIDE = 16
"""Side of the grey picture that is hashed, in pixels (chosen)."""
HASH_WORDS = HASH_SIDE * HASH_SIDE // 64
"""Number of 64-bit words of a hash."""
MIN_FILLED_PROBABILITY = 0.003
"""Squares that hold something with a smaller probability are kept as empty; most squares are (chosen)."""

CORNERS_BY_GAME = "the picture alone leaves it in doubt where the board is; its letters are those of its game"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of reading a picture."""

    record: PhotoRecord
    """The photo without its name: several files may hold the same picture."""
    ms: Mapping[str, float]
    """Milliseconds a stage. They are apart from the record, which is the same in every run."""
    board_jpeg: bytes | None = None
    thumbnail_jpeg: bytes | None = None
    reading: bytes | None = None
    """The probabilities of all squares, see `pack_reading`; the photos of one game are read together later."""
    is_transient: bool = False
    """Whether it failed for lack of time or memory, or unexpectedly, so that another try may succeed."""


def read_picture(data: bytes, name: str, options: ReadOptions) -> Result:
    """Read the board in a picture file, or say why there is none; the name is for messages.

    Raises
    ------
    SettingsError, MissingProgramError
        If no picture can be read with these options. A problem of this picture alone is its record's message.
    """
    watch = Stopwatch()
    profile, request = options.profile, options.request
    # its lens or its board is that of pictures of one size
    has_size = profile is not None and profile.depends_on_size
    try:
        with watch.stage("decode"):
            frame = decode_picture(data, Path(name), may_reduce=not has_size and request.corners_px is None)
    except (InputError, MissingProgramError) as error:  # HEIC needs a package that other pictures do not
        message = str(error).removeprefix(f"{name}: ")  # several files may hold the same picture
        record = PhotoRecord(status=PhotoStatus.UNREADABLE, message=message, size_bytes=len(data))
        return Result(record=record, ms=watch.stage_ms)
    metadata = read_metadata(data)
    small_bgr = downscale(frame.image_bgr, SETTINGS.thumbnail_px)
    thumbnail = encode_jpeg(small_bgr, SETTINGS.thumbnail_quality) if options.with_pictures else None
    width, height = frame.picture_size_px
    picture = PictureRecord(
        format=metadata.format,
        width=width,
        height=height,
        taken=metadata.taken,
        camera=metadata.camera,
        perceptual_hash=hash_picture(small_bgr),
    )
    record = PhotoRecord(status=PhotoStatus.UNREADABLE, size_bytes=len(data), picture=picture)
    unread = Result(record=record, ms=watch.stage_ms, thumbnail_jpeg=thumbnail)
    remarks = [metadata.remark] if metadata.remark else []
    if profile is not None and has_size:
        try:
            CameraModel.of(profile, frame.picture_size_px, remarks.append)
        except SettingsError as error:  # the profile fits other pictures, but not this one
            return replace(unread, record=replace(record, message=str(error)))
        if message := profile.mismatch_message(metadata.camera):
            remarks.append(message)
    try:
        found, reader_remarks = read_frame(frame, options, watch)
    except BoardNotFoundError as error:
        tried_px = frame.to_picture(error.tried_px).round(2).tolist() if error.tried_px is not None else None
        refused = replace(
            record,
            status=PhotoStatus.NO_BOARD,
            message=str(error).removeprefix(f"{name}: "),
            tried_corners_px=tuple(map(tuple, tried_px)) if tried_px is not None else None,
            remarks=tuple(remarks),
        )
        return replace(unread, record=refused)
    reading = found.observation
    remarks += reading.remarks
    if request.corners_by_game:
        remarks.append(CORNERS_BY_GAME)
    record = replace(
        record,
        status=PhotoStatus.OK,
        board=board_record(
            reading, found.guesses, is_named=len(options.editions) == 1, quarter_turns=request.quarter_turns
        ),
        corners_given=request.corners_px is not None and not request.corners_by_game,
        corners_by_game=request.corners_by_game,
        remarks=(*remarks, *reader_remarks),
    )
    # without its margin, the picture's size gives the place of each square
    board_bgr = reading.rectified.interior_bgr
    return replace(
        unread,
        record=record,
        ms={stage: round(ms, 1) for stage, ms in reading.stage_ms.items()},
        board_jpeg=encode_jpeg(board_bgr, SETTINGS.board_quality) if options.with_pictures else None,
        reading=pack_reading(reading.probabilities),
    )


def read_frame(
    frame: Frame, options: ReadOptions, watch: Stopwatch
) -> tuple[AnyEditionReading, tuple[str, ...]]:
    """Read the board with the edition that its tiles are of; return it with the remarks of its reader.

    Raises BoardNotFoundError if no layout fits, or the board cannot be read at the corners that are given.
    """
    remarks: tuple[str, ...] = ()

    def load_context(editions: Sequence[Edition]) -> GameContext:
        nonlocal remarks
        letters = tuple(dict.fromkeys(token for edition in editions for token in edition.tokens))
        reader, remarks = cached_reader(options.reader, editions[0], options.profile, letters)
        return GameContext(
            edition=editions[0], recognizer=reader, lexicon=options.lexicon, profile=options.profile
        )

    def read(editions: Sequence[Edition], corners_px: Sequence[Sequence[float]] | None) -> AnyEditionReading:
        try:
            return read_any_edition(frame, editions, load_context, corners_px=corners_px, stopwatch=watch)
        except SettingsError as error:
            if corners_px is None:
                raise
            raise BoardNotFoundError(str(error)) from error

    request = options.request
    found = read(options.editions, request.corners_px)
    if request.quarter_turns:
        layout, corners_px = found.edition.layout, found.observation.photo_corners_px
        of_layout = [edition for edition in options.editions if edition.layout == layout]
        again = read(of_layout, np.roll(corners_px, -request.quarter_turns, axis=0).tolist())
        observation = replace(again.observation, other_boards=found.observation.other_boards)
        found = replace(again, observation=observation)
    return found, remarks


@functools.lru_cache(maxsize=4)
def cached_reader(
    name: str, edition: Edition, profile: Profile | None, letters: tuple[str, ...]
) -> tuple[SquareReader, tuple[str, ...]]:
    """Load a reader once a process, with its remarks on a reader that it replaces.

    Enrolled tiles may be of any of the editions, so the reader looks for all their letters.
    """
    cv2.setNumThreads(1)  # the processes share the cores
    remarks: list[str] = []
    reader = load_recognizer(name, edition, remarks.append, profile, letters)
    return reader, tuple(remarks)


def downscale(image_bgr: NDArray[np.uint8], max_side_px: int) -> NDArray[np.uint8]:
    """Return the picture with sides of at most `max_side_px` pixels."""
    while max(image_bgr.shape[:2]) >= 2 * max_side_px and min(image_bgr.shape[:2]) > 1:
        image_bgr = halve_image(image_bgr)
    height, width = image_bgr.shape[:2]
    scale = max_side_px / max(height, width)
    if scale >= 1.0:
        return image_bgr
    size = max(1, math.floor(width * scale)), max(1, math.floor(height * scale))
    # below a factor of two plain sampling misses no pixel and takes a tenth of the time
    return np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def hash_picture(image_bgr: NDArray[np.uint8]) -> str:
    """Compute the difference hash of a picture, as hexadecimal text; it survives resizing and compression.

    By N. Krawetz, "Kind of like that", 2013: whether each point of a small grey picture is brighter than its right
    neighbour.
    """
    small = cv2.resize(image_bgr, (HASH_SIDE + 1, HASH_SIDE), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return np.packbits(grey[:, 1:] > grey[:, :-1]).tobytes().hex()


def pack_reading(reading: SquareProbabilities) -> bytes:
    """Pack the probabilities of the squares that may hold something, in half precision."""
    values: dict[str, Any] = {each.name: getattr(reading, each.name) for each in fields(reading)}
    is_filled = reading.occupancy[..., Occupancy.EMPTY] < 1 - MIN_FILLED_PROBABILITY
    arrays: dict[str, Any] = {
        name: values.pop(name)[is_filled].astype(np.float16)
        for name, value in [*values.items()]
        if isinstance(value, np.ndarray)
    }
    file = io.BytesIO()
    np.savez_compressed(file, labels=json.dumps(values), is_filled=is_filled, **arrays)
    return file.getvalue()


def unpack_reading(data: bytes) -> SquareProbabilities:
    """Unpack a reading; a square that was not kept is empty."""
    with np.load(io.BytesIO(data)) as file:
        arrays = dict(file)
    is_filled, labels = arrays.pop("is_filled"), json.loads(str(arrays.pop("labels")))
    values: dict[str, Any] = {
        name: tuple(label) if isinstance(label, list) else label for name, label in labels.items()
    }
    for name, array in arrays.items():
        unknown = np.nan if name == "embedding" else 1 / array.shape[-1]
        values[name] = np.full((*is_filled.shape, array.shape[-1]), unknown, np.float32)
        values[name][is_filled] = array
    values["occupancy"][~is_filled] = np.eye(len(Occupancy), dtype=np.float32)[Occupancy.EMPTY]
    return SquareProbabilities(**values)
