"""Composes the reading of one picture: its bytes in, a result that can be sent and kept out. No files, no state."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import Edition, Layout, Lexicon
from tilesight.digitise.reading.environment import equipment
from tilesight.digitise.reading.perceptual_hash import likeness_bits, likeness_text
from tilesight.digitise.reading.photo_record import board_record
from tilesight.digitise.reading.reading_codec import packed
from tilesight.digitise.reading.square_colours import colours_text, square_colours
from tilesight.digitise.results.corrections import Corners
from vision.capture import Frame, decode_picture, read_metadata
from vision.core import RectifiedBoard, SquareProbabilities, Stopwatch, halve_image
from vision.decoding import EditionGuess, guess_editions
from vision.errors import BoardNotFoundError, InputError, MissingProgramError, SettingsError
from vision.pipeline import BoardObservation, CameraModel, GameContext, load_recognizer, read_photo
from vision.profile import Profile
from vision.recognition import EnrolledReader, SquareReader

__all__ = ["Reading", "Result", "checksum_of", "read_picture"]

THUMBNAIL_PX = 320
THUMBNAIL_QUALITY, BOARD_QUALITY = 72, 85

_FOUND_BY_GAME = (
    "the picture alone leaves it in doubt where the board lies; its letters are those of its game"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How pictures are read; the same for all of a run.

    Parameters
    ----------
    editions : tuple of Edition
        One where it was named, else those among which it is looked for.
    reader : str
        ``network`` or ``tesseract``.
    lexicon : Lexicon or None
        Words that settle doubts; of one language, so only where one edition was named.
    profile : Profile or None
        What was calibrated of the camera, the board and the tiles.
    profile_sha256 : str
        Checksum of the profile's file.
    turn : int
        Quarter turns from the side that the photo itself names to the one that its game shows to be up.
    corners_px : tuple of (float, float) or None
        The grid's outer corners TL TR BR BL as the letters read, where they are known; else it is looked for.
    corners_by_game : bool
        Whether they are a guess at the board that was refused, and the letters there those of a game; else people gave
        them.
    pictures : bool
        Whether the straightened board and the thumbnail are made; nobody sees those of a side that is only tried.
    """

    editions: tuple[Edition, ...]
    reader: str = "network"
    lexicon: Lexicon | None = None
    profile: Profile | None = None
    profile_sha256: str = ""
    turn: int = 0
    corners_px: Corners | None = None
    corners_by_game: bool = False
    pictures: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one picture gave.

    Parameters
    ----------
    record : mapping
        The JSON object of the picture, its name left out: two files may be one picture.
    ms : mapping of str to float
        Milliseconds a stage. Apart, since they differ from run to run and nothing else does.
    board_jpeg : bytes or None
        The straightened board.
    thumbnail_jpeg : bytes or None
        The picture, small.
    reading : bytes or None
        What the reader saw, packed: photos of one game are read together.
    transient : bool
        Whether it failed for want of time or memory, or in a way that nobody foresaw: it may not fail again.
    """

    record: Mapping[str, Any]
    ms: Mapping[str, float]
    board_jpeg: bytes | None = None
    thumbnail_jpeg: bytes | None = None
    reading: bytes | None = None
    transient: bool = False


def checksum_of(how: Reading) -> str:
    """A short checksum of all that decides what a picture gives."""
    words = sorted(how.lexicon.words) if how.lexicon is not None else None
    editions = [repr(each) for each in how.editions]
    everything = [dict(equipment()), how.reader, editions, words, how.profile_sha256]
    if how.turn:
        everything.append(f"turned {how.turn}")
    if how.corners_px is not None:
        everything.append(f"corners {how.corners_px}{' by game' * how.corners_by_game}")
    if not how.pictures:
        everything.append("without pictures")
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()[:16]


def read_picture(data: bytes, name: str, how: Reading) -> Result:
    """The board in a picture, or why there is none.

    Parameters
    ----------
    data : bytes
        The picture file.
    name : str
        What people call it, for messages.
    how : Reading
        How it is read.

    Raises
    ------
    SettingsError, MissingProgramError
        If no picture can be read like this; a lack that concerns this one only is its record's message.
    """
    watch = Stopwatch()
    about: dict[str, Any] = {"bytes": len(data)}
    try:
        with watch.stage("decode"):
            frame = decode_picture(data, Path(name))
    except (InputError, MissingProgramError) as error:  # HEIC needs a package that other pictures do not
        return Result(
            record={"status": "unreadable", "message": unnamed(error, name), **about}, ms=watch.stage_ms
        )
    details = read_metadata(data)
    height, width = frame.image_bgr.shape[:2]
    small = shrunk(frame.image_bgr, THUMBNAIL_PX)
    about |= {
        "format": details.format,
        "width": width,
        "height": height,
        "taken": details.taken,
        "camera": details.camera,
        "likeness": likeness_text(likeness_bits(small)),
    }
    thumbnail = jpeg(small, THUMBNAIL_QUALITY) if how.pictures else None
    remarks: list[str] = []
    if details.pictures > 1:
        remarks.append(
            f"{details.pictures} pictures are in the file, and the first is read; save each by itself"
        )
    try:
        if how.profile is not None and how.profile.depends_on_size:
            CameraModel.of(how.profile, (width, height), remarks.append)
            if message := how.profile.mismatch_message(details.camera):
                remarks.append(message)
    except SettingsError as error:  # the profile suits other pictures, if not this one
        record = {"status": "unreadable", "message": str(error), **about}
        return Result(record=record, ms=watch.stage_ms, thumbnail_jpeg=thumbnail)
    try:
        found, guesses, said = read_any_edition(frame, how, watch)
    except BoardNotFoundError as error:
        record = {"status": "board-not-found", "message": unnamed(error, name), **about}
        straightened = how.profile is not None and how.profile.depends_on_size
        if error.tried_px is not None and how.corners_px is None and not straightened:
            record["tried_corners_px"] = [[round(float(x), 2), round(float(y), 2)] for x, y in error.tried_px]
        if remarks:
            record["remarks"] = remarks
        return Result(record=record, ms=watch.stage_ms, thumbnail_jpeg=thumbnail)
    record = board_record(found, guesses, named=len(how.editions) == 1) | about
    record["square_colours"] = colours_text(square_colours(found.rectified))
    if found.residual_distortion is not None and found.residual_distortion.remark:
        remarks.append(found.residual_distortion.remark)
    if how.turn:
        record["turned_by_game"] = how.turn
    if how.corners_px is not None:
        record["corners_by_game" if how.corners_by_game else "corners_given"] = True
    if how.corners_by_game:
        remarks.append(_FOUND_BY_GAME)
    if remarks or said:
        record["remarks"] = [*remarks, *said]
    return Result(
        record={key: value for key, value in record.items() if key not in ("image", "ms")},
        ms=record["ms"],
        board_jpeg=jpeg(squares_of(found.rectified), BOARD_QUALITY) if how.pictures else None,
        thumbnail_jpeg=thumbnail,
        reading=packed(found.probabilities),
    )


def read_any_edition(
    frame: Frame, how: Reading, watch: Stopwatch
) -> tuple[BoardObservation, tuple[EditionGuess, ...], tuple[str, ...]]:
    """The board, by the edition that its tiles are of, and what the reader says of itself.

    Where the board lies and what the tiles look like depends on the layout alone, so the network looks once, and each
    layout that editions have is tried until one is found.
    """
    refusal: BoardNotFoundError | None = None
    for editions in by_layout(how.editions):
        try:
            return read_one_layout(frame, editions, how, watch)
        except BoardNotFoundError as error:
            refusal = refusal or error
    assert refusal is not None  # there is at least one edition
    raise refusal


def read_one_layout(
    frame: Frame, editions: Sequence[Edition], how: Reading, watch: Stopwatch
) -> tuple[BoardObservation, tuple[EditionGuess, ...], tuple[str, ...]]:
    """The same for editions of one layout; what the squares show is decided once, by the most probable of them."""
    letters = tuple(dict.fromkeys(token for edition in editions for token in edition.tokens))
    reader, said = reader_for(how.reader, editions[0], how.profile, letters)

    @functools.lru_cache(maxsize=1)
    def guessed(reading: SquareProbabilities) -> tuple[EditionGuess, ...]:
        return guess_editions(reading, editions)

    context = GameContext(edition=editions[0], recognizer=reader, lexicon=how.lexicon, profile=how.profile)

    def read(corners_px: Sequence[Sequence[float]] | None = None) -> BoardObservation:
        return read_photo(
            frame,
            context,
            corners_px=corners_px,
            stopwatch=watch,
            choose_edition=lambda reading: guessed(reading)[0].edition,
        )

    try:
        found = read(how.corners_px)
    except SettingsError as error:
        if how.corners_px is None:
            raise
        raise BoardNotFoundError(str(error)) from error
    if how.turn:
        found = turned(found, how.turn, read)
    return found, guessed(found.probabilities), said


def turned(
    found: BoardObservation, turn: int, read: Callable[[Sequence[Sequence[float]]], BoardObservation]
) -> BoardObservation:
    """The same board, read from the side that its game shows to be up.

    Parameters
    ----------
    found : BoardObservation
        As it was read.
    turn : int
        Quarter turns to that side.
    read : callable
        Reads the picture again, its corners given.

    Raises
    ------
    BoardNotFoundError
        If it is too small, or leaves the picture too far, to be read from a side that is given.
    """
    try:
        again = read(np.roll(found.photo_corners_px, -turn, axis=0).tolist())
    except SettingsError as error:
        raise BoardNotFoundError(str(error)) from error
    return replace(again, other_boards=found.other_boards)


def by_layout(editions: Sequence[Edition]) -> list[list[Edition]]:
    """The editions grouped by the board they are played on."""
    groups: dict[Layout, list[Edition]] = {}
    for edition in editions:
        groups.setdefault(edition.layout, []).append(edition)
    return list(groups.values())


@functools.lru_cache(maxsize=4)
def reader_for(
    name: str, edition: Edition, profile: Profile | None, letters: tuple[str, ...]
) -> tuple[SquareReader, tuple[str, ...]]:
    """The reader, loaded once a process, and the lines that say where another one takes over.

    A set of tiles that was enrolled may be of any of the editions: all their letters are looked for.
    """
    cv2.setNumThreads(1)  # the processes share the cores among them
    said: list[str] = []
    reader = load_recognizer(name, edition, said.append, profile)
    if isinstance(reader, EnrolledReader):
        reader = replace(reader, tokens=letters)
    return reader, tuple(said)


def unnamed(error: Exception, name: str) -> str:
    """The error's message without the picture's name at its head: the same picture may lie in many places."""
    return str(error).removeprefix(f"{name}: ")


def squares_of(board: RectifiedBoard) -> NDArray[np.uint8]:
    """The straightened board without its margin, so that a square's place follows from the picture's size."""
    margin = board.margin_px
    return board.image_bgr[margin:-margin, margin:-margin] if margin else board.image_bgr


def shrunk(image_bgr: NDArray[np.uint8], longest_px: int) -> NDArray[np.uint8]:
    """The picture with sides of at most so many pixels."""
    image = image_bgr
    while max(image.shape[:2]) >= 2 * longest_px and min(image.shape[:2]) > 1:
        image = halve_image(image)
    height, width = image.shape[:2]
    scale = longest_px / max(height, width)
    if scale >= 1.0:
        return image
    size = max(1, math.floor(width * scale)), max(1, math.floor(height * scale))
    # by less than two, where plain sampling misses nothing and takes a tenth of the time
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def jpeg(image_bgr: NDArray[np.uint8], quality: int) -> bytes:
    """The picture as a JPEG file."""
    _, data = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return bytes(data.tobytes())
