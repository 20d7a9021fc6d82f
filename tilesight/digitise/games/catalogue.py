"""The photos of a run with their results, in the order of the sources.

Only what photos are compared by stays in memory, some kilobytes of each. The complete records are loaded from the store
one at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, COVERED, EMPTY, Edition, bag_tile
from tilesight.digitise.reading import HASH_WORDS, PhotoRecord, PhotoStatus, Result, unpack_reading
from tilesight.digitise.results import (
    CorrectedTiles,
    Correction,
    Corrections,
    Store,
    apply_correction,
    collect_corrected_tiles,
)
from vision.core import SquareProbabilities

__all__ = ["BoardCodes", "BoardKey", "Photo", "PhotoCatalogue", "find_duplicate"]

BoardKey = tuple[str, int, int]
"""The folder, and the rows and columns of the board."""
COVERED_CODE, BLANK_CODE = -1, 1
"""The code of a covered square, and that of every blank, whatever letter it stands for."""
MAX_CODE = 127
"""The largest code of an int8; all further letters share it."""
MAX_HASH_DISTANCE = 16
"""Bits of 256 by which the hashes of copies may differ. Copies at a quarter to full size and JPEG quality 30 to 75
differed by 5 (median) to 15, hand-held photos of other moments by 55 and more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Photo:
    """A picture of the sources and the key of its result."""

    name: str
    sha256: str | None
    """Its checksum; None if it could not be opened."""
    cache_key: str = ""
    problem: str | None = None
    """Why it could not be opened."""

    @property
    def folder(self) -> str:
        """The folder of its file."""
        return str(PurePath(self.name).parent)


class BoardCodes:
    """Encodes boards: 0 for an empty square, `COVERED_CODE`, `BLANK_CODE` for all blanks, one number a letter."""

    def __init__(self, squares: int) -> None:
        self.squares = squares
        self._numbers: dict[str, int] = {EMPTY: 0, COVERED: COVERED_CODE, BLANK: BLANK_CODE}

    def encode(self, rows: Sequence[Sequence[str]]) -> NDArray[np.int8]:
        """Encode one board row by row, (squares,) int8; the rest is 0.

        A board without rows, or larger than `squares`, has no tiles.
        """
        codes = np.zeros(self.squares, np.int8)
        tokens = [bag_tile(token) for row in rows for token in row]
        for square, token in enumerate(tokens if len(tokens) <= self.squares else ()):
            codes[square] = self._numbers.setdefault(token, min(len(self._numbers) - 1, MAX_CODE))
        return codes


class PhotoCatalogue:
    """The photos of a run and their results."""

    def __init__(
        self, *, store: Store, photos: Sequence[Photo], corrections: Corrections, editions: Sequence[Edition]
    ) -> None:
        self.photos = list(photos)
        self.editions = {edition.name: edition for edition in editions}
        self._store = store
        self._corrections = corrections
        self.codes = BoardCodes(max(edition.layout.rows * edition.layout.columns for edition in editions))
        # by checksum, the photos whose files have the same bytes
        self._copies: defaultdict[str, list[int]] = defaultdict(list)
        for index, photo in enumerate(self.photos):
            if photo.sha256 is not None:
                self._copies[photo.sha256].append(index)
        self.boards = np.zeros((len(self.photos), self.codes.squares), np.int8)
        self._hashes = np.zeros((len(self.photos), HASH_WORDS), np.uint64)
        self.summaries = [self._summarise(index) for index in range(len(self.photos))]

    def __len__(self) -> int:
        return len(self.photos)

    def without_corrections(self) -> PhotoCatalogue:
        """Return the catalogue of the same photos as they were read; itself if people corrected nothing."""
        if not self._corrections:
            return self
        return PhotoCatalogue(
            store=self._store, photos=self.photos, corrections={}, editions=tuple(self.editions.values())
        )

    def update(self, photos: Sequence[Photo]) -> None:
        """Take over all photos, some of which were read again."""
        for index, photo in enumerate(photos):
            if photo != self.photos[index]:
                self.photos[index] = photo
                self.summaries[index] = self._summarise(index, self.summaries[index])

    def record(self, index: int, tiles: CorrectedTiles | None = None) -> PhotoRecord:
        """Load a photo's record, corrected, with the tiles that people corrected in its game."""
        photo = self.photos[index]
        if photo.sha256 is None:
            return PhotoRecord(status=PhotoStatus.UNREADABLE, name=photo.name, message=photo.problem)
        result = self._store.load(photo.sha256, photo.cache_key)
        message = result.record.message and f"{photo.name}: {result.record.message}"
        record = replace(result.record, name=photo.name, sha256=photo.sha256, message=message)
        return apply_correction(record, self._correction_of(photo), self.editions, tiles or {})

    def result(self, photo: Photo) -> Result | None:
        """Load the result of a photo as it was read; None if it could not be opened."""
        return self._store.load(photo.sha256, photo.cache_key) if photo.sha256 is not None else None

    def reading(self, photo: Photo) -> SquareProbabilities | None:
        """Load what the reader saw in a photo; None if it shows no board."""
        result = self.result(photo)
        return unpack_reading(result.reading) if result is not None and result.reading is not None else None

    def named_edition(self, *indices: int) -> str | None:
        """Return the edition that people named last for some photos, if this run has it."""
        named = [self._correction_of(self.photos[index]) for index in indices]
        named.sort(key=lambda correction: correction.edition_order, reverse=True)
        return next((each.edition for each in named if each.edition in self.editions), None)

    def corrected_photos(self, indices: Iterable[int]) -> list[PhotoRecord]:
        """Return those of the photos that people corrected, in the order of their corrected squares."""
        index_of = {self.photos[index].sha256: index for index in indices}
        return [self.summaries[index_of[picture]] for picture in self._corrections if picture in index_of]

    def named_turns(self) -> dict[int, int]:
        """Return the quarter turns of the photos whose orientation people named."""
        turns = {index: self._correction_of(photo).turn for index, photo in enumerate(self.photos)}
        return {index: turn for index, turn in turns.items() if turn is not None}

    def _correction_of(self, photo: Photo) -> Correction:
        return self._corrections.get(photo.sha256 or "", Correction())

    def settled_corrections(self, games: Iterable[Sequence[int]]) -> Corrections:
        """Return the corrections with squares as their boards are oriented now, and one edition for each game.

        Corrected tiles that were corrected again in other photos of their game are left out.
        """
        settled = dict(self._corrections)
        for photo, summary in zip(self.photos, self.summaries, strict=True):
            correction = self._correction_of(photo)
            if photo.sha256 is not None and correction.squares and summary.board is not None:
                settled[photo.sha256] = correction.oriented_to(summary.board)
        for game in games:
            named, tiles = self.named_edition(*game), collect_corrected_tiles(self.corrected_photos(game))
            for index in game:
                picture = self.photos[index].sha256
                if picture is None or picture not in settled:
                    continue
                own, record = settled[picture], self.record(index, tiles)
                now = {each.square: each.now for each in record.corrected or ()}
                squares = {at: token for at, token in own.squares.items() if now.get(at, token) == token}
                edition = named if own.edition in self.editions else own.edition
                settled[picture] = replace(own, squares=squares, edition=edition)
        return settled

    def same_as(self, index: int) -> int | None:
        """Return the first photo whose file has the same bytes; None if this is the first."""
        first = self.copies_of(index)[0]
        return first if first != index else None

    def nearly_same_as(self, index: int) -> int | None:
        """Return the first photo that shows nearly the same picture; None if this is the first."""
        return find_duplicate(self._hashes, self.boards, index)

    def copies_of(self, index: int) -> Sequence[int]:
        """Return the photos whose files have the same bytes, this one included."""
        return self._copies.get(self.photos[index].sha256 or "", (index,))

    def _summarise(self, index: int, before: PhotoRecord | None = None) -> PhotoRecord:
        """Load a photo's record, and keep what it is compared by; copies have no picture of their own.

        A reading with a given edition is no evidence for it. It keeps the probabilities of the reading `before`, unless
        that was in another orientation.
        """
        record = self.record(index)
        board, picture = record.board, record.picture
        self.boards[index] = self.codes.encode(board.rows if board is not None else ())
        self._hashes[index] = 0
        if self.same_as(index) is None and picture is not None and picture.perceptual_hash is not None:
            self._hashes[index] = np.frombuffer(bytes.fromhex(picture.perceptual_hash), np.uint64)
        if board is None:
            return record
        known = before.board if before is not None else None
        kept = known.editions if known is not None and known.quarter_turns == board.quarter_turns else None
        board = replace(board, editions=board.editions or kept, confidence=(), doubts=(), alternatives=())
        return replace(record, board=board)

    def key(self, index: int) -> BoardKey:
        """Return what a photo's board has in common with the others of its game."""
        board = self.summaries[index].board
        return self.photos[index].folder, *(board.size if board is not None else (0, 0))

    def is_comparable(self, index: int) -> bool:
        """Whether a photo shows tiles and is not a copy of an earlier file."""
        return bool((self.boards[index] > 0).any()) and self.same_as(index) is None


def find_duplicate(hashes: NDArray[np.uint64], boards: NDArray[np.int8], index: int) -> int | None:
    """Find the first picture before this one that shows the same.

    A camera on a stand takes nearly the same picture of two turns of a game. The tiles must therefore be on the same
    squares, too. Their letters do not count, as a copy that is compressed more may be read differently.

    `hashes` has the perceptual hashes, (pictures, HASH_WORDS), 0 for a picture without one; `boards` the codes.
    """
    distance = np.bitwise_count(hashes[:index] ^ hashes[index]).sum(axis=1)
    near = np.flatnonzero((distance <= MAX_HASH_DISTANCE) & hashes[:index].any(axis=1) & hashes[index].any())
    same = near[((boards[near] > 0) == (boards[index] > 0)).all(axis=1)]
    return int(same[0]) if len(same) else None
