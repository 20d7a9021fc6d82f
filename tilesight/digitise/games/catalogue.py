"""All photos of a run with what was read in them, in the order of the sources: the results as a sequence.

Only what is needed to compare photos with one another is kept in memory, some 300 bytes a photo; the records
themselves are taken from the store one at a time, however many there are.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from tilesight.digitise.games.grouping import ALIKE, Codes, Shown, games_among, some_of, unlikeness
from tilesight.digitise.games.orientation import agreement_with_game, sides_like_games
from tilesight.digitise.reading.perceptual_hash import WORDS, likeness_of_text, nearest_before
from tilesight.digitise.reading.square_colours import colours_of_text
from tilesight.digitise.results.corrections import (
    Corners,
    Correction,
    Corrections,
    Lay,
    corrected,
    unfit,
    without_board,
)
from tilesight.digitise.results.result_store import Store
from vision.core import SquareProbabilities
from vision.decoding import decode
from vision.errors import SettingsError
from vision.pipeline import find_unknown_letters

__all__ = ["Collection", "Photo"]

MIN_PROBABLE = 1e-4
"""An edition that a photo does not name at all; no single photo can rule one out for the game."""

MIN_PHOTOS = 3
"""A game of fewer photos does not tell which side of another one is up."""

FULL_SHARE = 0.9
"""Boards with such a share of the tiles of a game's fullest one say what its edition is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Photo:
    """A picture of the sources.

    Parameters
    ----------
    name : str
        Its name.
    sha256 : str or None
        Its checksum; None if it could not be opened.
    how : str
        Checksum of how it was read.
    problem : str or None
        Why it could not be opened.
    """

    name: str
    sha256: str | None
    how: str
    problem: str | None = None

    @property
    def folder(self) -> str:
        """Where it lies."""
        return str(PurePath(self.name).parent)


class Collection:
    """The photos and their results.

    Parameters
    ----------
    store : Store
        The results.
    photos : sequence of Photo
        In the order of the sources.
    corrections : mapping of str to Correction
        What people put right, by checksum.
    editions : sequence of Edition
        Those that may be.
    guesses : mapping of int to mapping of str to float, optional
        The probabilities of editions of photos that were read again by one that their game named: that reading knows
        of no other, and is no witness for it.
    """

    def __init__(
        self,
        *,
        store: Store,
        photos: Sequence[Photo],
        corrections: Corrections,
        editions: Sequence[Edition],
        guesses: Mapping[int, Mapping[str, float]] | None = None,
    ) -> None:
        self.photos = photos
        self._store = store
        self._corrections = corrections
        self._guesses = guesses or {}
        self._editions = {edition.name: edition for edition in editions}
        self._named = len(editions) == 1
        self._compare()
        self.pooled = [self._pool(game) for game in self.games]

    def __len__(self) -> int:
        return len(self.photos)

    def records(self) -> Iterator[dict[str, Any]]:
        """The record of each photo, corrected, in order."""
        return (self.record(index) for index in range(len(self)))

    def record(self, index: int) -> dict[str, Any]:
        """A photo's record, corrected, with the edition that its game says.

        A correction that is kept and does not fit, since another edition was named meanwhile, is a remark there.
        """
        photo = self.photos[index]
        if photo.sha256 is None:
            return {"image": photo.name, "status": "unreadable", "message": photo.problem}
        kept, _ = self._store.record(photo.sha256, photo.how)
        record: dict[str, Any] = {"image": photo.name, **kept, "sha256": photo.sha256}
        if "message" in record:
            record["message"] = f"{photo.name}: {record['message']}"
        correction = self._corrections.get(photo.sha256)
        if correction is not None and correction.no_board and record["status"] == "ok":
            return without_board(record)
        if correction is not None and correction.squares and "rows" in record:
            record = corrected(record, correction, self.edition(record["edition"]))
        if correction is not None and correction.edition not in (None, *self._editions):
            record["remarks"] = [*record.get("remarks", ()), self._no_edition(correction.edition)]
        game = self._game_of.get(index)
        if "editions" in record and (self._said(index) or (game is not None and self._said_of[game])):
            record["editions"] = record["edition_probability"] = None
        elif game is not None and not self._named:
            probabilities = self.pooled[game]
            record["editions"] = {
                name: round(share, 4) for name, share in probabilities.items() if share >= 0.001
            }
            record["edition_probability"] = round(probabilities.get(record["edition"], 0.0), 4)
        return record

    def reading(self, index: int) -> SquareProbabilities | None:
        """What the reader saw in a photo; None where it shows no board."""
        photo = self.photos[index]
        return self._store.reading(photo.sha256, photo.how) if photo.sha256 is not None else None

    def ms(self, index: int) -> dict[str, float]:
        """A photo's times; none if it could not be opened."""
        photo = self.photos[index]
        return self._store.record(photo.sha256, photo.how)[1] if photo.sha256 is not None else {}

    @property
    def edition_names(self) -> tuple[str, ...]:
        """The editions that photos may be of."""
        return tuple(self._editions)

    def edition(self, name: str) -> Edition:
        """The edition of that name.

        Raises
        ------
        SettingsError
            If there is none of that name in this run.
        """
        if name not in self._editions:
            raise SettingsError(self._no_edition(name))
        return self._editions[name]

    def check_editions(self, corrections: Corrections) -> None:
        """Refuses corrections with an edition that this run does not have.

        Raises
        ------
        SettingsError
            If there is such a one.
        """
        names = {photo.sha256: photo.name for photo in reversed(self.photos)}
        for picture, each in corrections.items():
            if each.edition not in (None, *self._editions):
                name = names.get(picture, f"picture {picture[:12]}")
                raise SettingsError(f"correction of {name}: {self._no_edition(each.edition)}")

    def check_corners(self, corrections: Corrections) -> None:
        """Refuses corrections with corners between which no board can be read.

        Raises
        ------
        SettingsError
            If there is such a one.
        """
        for record, correction in self._records_of(corrections):
            not_found = record["status"] == "board-not-found" and not record.get("no_board")
            if correction.corners and not_found:
                raise SettingsError(f"correction of {record['message']}")

    def check_squares(self, corrections: Corrections) -> None:
        """Refuses corrections of squares that cannot be so, by the editions that the boards are read by now.

        Raises
        ------
        SettingsError
            If there is such a one.
        """
        for record, correction in self._records_of(corrections):
            if record["status"] == "ok":
                for reason in unfit(record, correction, self.edition(record["edition"])).values():
                    raise SettingsError(reason)

    def _records_of(self, corrections: Corrections) -> Iterator[tuple[dict[str, Any], Correction]]:
        """The records of the photos that these corrections are of."""
        for index, photo in enumerate(self.photos):
            correction = corrections.get(photo.sha256 or "")
            if correction is not None:
                yield self.record(index), correction

    def lying_corrections(self) -> Corrections:
        """The corrections, each with squares knowing how the board lies now of which they are."""
        lying = dict(self._corrections)
        for index, photo in enumerate(self.photos):
            correction = lying.get(photo.sha256 or "")
            if correction is not None and correction.squares and index in self._edition_of:
                lay = correction.lay or Lay.of(self.record(index))
                lying[photo.sha256 or ""] = replace(correction, lay=lay)
        return lying

    def _no_edition(self, name: str | None) -> str:
        return f"edition {name!r} is none of {', '.join(self._editions)}; correct it"

    def tiles(self, index: int) -> int:
        """How many tiles lie on the photo's board; none where there is no board."""
        return self._tiles.get(index, 0)

    def same_as(self, index: int) -> int | None:
        """The first photo whose file has the same bytes, None if this is the first."""
        first = self._first.get(self.photos[index].sha256 or "", index)
        return first if first != index else None

    def names(self, index: int) -> list[str]:
        """The photo's name, and those of the files with the same bytes where it is the first of them."""
        return [self.photos[each].name for each in (index, *self._copies.get(index, ()))]

    def nearly_same_as(self, index: int) -> int | None:
        """The first photo that shows the same picture in other bytes, None if this is the first."""
        if not self._likeness[index].any():
            return None
        return nearest_before(self._likeness, self._boards, index)

    def to_read_again(self) -> dict[int, Edition]:
        """The photos whose edition another one is: what people said of them, or their game's."""
        again = {}
        for index, read_as in self._edition_of.items():
            first = self.same_as(index)
            game = self._game_of.get(index if first is None else first)
            of_game = next(iter(self.pooled[game])) if game is not None and not self._named else None
            wanted = self._said(index) or of_game or read_as
            if wanted != read_as:
                again[index] = self.edition(wanted)
        return again

    def turns_said(self) -> dict[int, int]:
        """The quarter turns of photos of which people said which side is up."""
        said = {index: self._corrections.get(photo.sha256 or "") for index, photo in enumerate(self.photos)}
        return {
            index: each.turn for index, each in said.items() if each is not None and each.turn is not None
        }

    def strangers(self, corrections: Corrections) -> int:
        """How many of these corrections are of pictures that are not among the photos."""
        return len(set(corrections) - {photo.sha256 for photo in self.photos})

    def guesses(self, indices: Iterable[int]) -> dict[int, Mapping[str, float]]:
        """What these photos say of themselves, but for those whose edition people named."""
        return {index: self._probabilities[index] for index in indices if self._said(index) is None}

    def sides_to_try(self) -> dict[int, tuple[int, ...]]:
        """The quarter turns after which photos may join a game of their folder with more photos than their own."""
        sides = {}
        for index in sorted(self._place_of):
            turns = self._sides_among_games(index, self._boards[index])
            if turns:
                sides[index] = turns
        return sides

    def places_to_try(self) -> dict[int, Corners]:
        """Where a board may lie in photos in which none was found, whose folder holds a game of several photos."""
        folders = {
            folder
            for (folder, *_), games in self._games_in.items()
            if any(len(members) >= MIN_PHOTOS for members in games.values())
        }
        return {
            index: corners
            for index, corners in self._tried_corners.items()
            if self.photos[index].folder in folders
        }

    def sides_of(self, index: int, photo: Photo) -> tuple[int, ...]:
        """The quarter turns after which what was seen in such a photo may be a board of a game of its folder."""
        kept = self._store.record(photo.sha256, photo.how)[0] if photo.sha256 is not None else {}
        rows = kept.get("rows")
        if not rows:
            return ()
        self._place_of[index] = photo.folder, len(rows), len(rows[0])
        return self._sides_among_games(index, self._codes.of(rows))

    def _sides_among_games(self, index: int, codes: NDArray[np.uint8]) -> tuple[int, ...]:
        rows, columns = self._place_of[index][1:]
        board = codes[: rows * columns].reshape(rows, columns)
        games = self._larger_games(index)
        members = list(games)

        def alike(number: int, turn: int) -> bool:
            return self._looks_like(index, np.rot90(board, turn), members[number], turn)

        return sides_like_games(board, list(games.values()), alike)

    def _looks_like(self, index: int, board: NDArray[np.uint8], game: int, turn: int) -> bool:
        """Whether a photo's board, turned already like that, looks like a game's first ones."""
        colours = self._colours.get(index)
        if colours is None:
            return False
        turned = np.rot90(colours, turn), board.ravel()
        return any(
            unlikeness(turned, (each.colours, self._boards[each.index])) < ALIKE
            for each in some_of(self.games[game])
        )

    def edition_of_game(self, index: int, turn: int, photo: Photo) -> Edition | None:
        """The edition of the game of its folder whose letters a photo shows from this side; None if of none.

        A photo with few tiles does not tell its edition, so that what was seen in it is decided by the games'.
        """
        reading = self._store.reading(photo.sha256, photo.how) if photo.sha256 is not None else None
        if reading is None:
            return None
        games: dict[str, list[tuple[int, NDArray[np.uint8]]]] = {}
        size = self._place_of[index][1:]
        for game, boards in self._larger_games(index).items():
            name = next(iter(self.pooled[game]))
            unknown = find_unknown_letters(reading.tokens, self.edition(name))
            if not unknown and (turn or name != self._edition_of.get(index)):
                games.setdefault(name, []).append((game, boards))
        agreement = {}
        for name, games_boards in games.items():
            rows = decode(reading, self.edition(name)).board.rows
            board = self._codes.of(rows)[: self._squares(index)]
            agreement[name] = max(
                agreement_with_game(
                    board,
                    boards,
                    functools.partial(self._looks_like, index, board.reshape(size), game, turn),
                )
                for game, boards in games_boards
            )
        best = max(agreement, key=agreement.__getitem__, default=None)
        return self.edition(best) if best is not None and agreement[best] else None

    def copies(self, sides: Mapping[int, tuple[int, Edition]]) -> dict[int, tuple[int, Edition]]:
        """What holds for photos, for the files with the same bytes too."""
        firsts = {
            index: self._first.get(photo.sha256 or "", index) for index, photo in enumerate(self.photos)
        }
        return {index: sides[first] for index, first in firsts.items() if first in sides}

    def _larger_games(self, index: int) -> dict[int, NDArray[np.uint8]]:
        """The boards of the games with more photos than the photo's own, that lie in its folder, by game."""
        own = self._game_of.get(index)
        least = max(MIN_PHOTOS, len(self.games[own]) + 1 if own is not None else 0)
        squares = self._squares(index)
        return {
            game: self._boards[members][:, :squares]
            for game, members in self._games_in.get(self._place_of[index], {}).items()
            if len(members) >= least
        }

    def _squares(self, index: int) -> int:
        _, rows, columns = self._place_of[index]
        return rows * columns

    def _said(self, index: int) -> str | None:
        """The edition that people named for a photo, if this run has it."""
        correction = self._corrections.get(self.photos[index].sha256 or "")
        return correction.edition if correction is not None and correction.edition in self._editions else None

    def _compare(self) -> None:
        """One pass over the records, keeping what is compared."""
        self._first: dict[str, int] = {}
        self._copies: dict[int, list[int]] = {}
        self._edition_of: dict[int, str] = {}
        self._probabilities: dict[int, Mapping[str, float]] = {}
        self._game_of: dict[int, int] = {}
        self._tiles: dict[int, int] = {}
        self._likeness: NDArray[np.uint64] = np.zeros((len(self.photos), WORDS), np.uint64)
        sizes = [edition.layout.rows * edition.layout.columns for edition in self._editions.values()]
        self._codes = codes = Codes(squares=max(sizes))
        self._place_of: dict[int, tuple[str, int, int]] = {}
        self._tried_corners: dict[int, Corners] = {}
        self._colours: dict[int, NDArray[np.uint8]] = {}
        shown: list[Shown] = []
        with_board: list[int] = []
        for index, record in enumerate(self.records()):
            sha = self.photos[index].sha256
            codes.add(record.get("rows", ()))
            if sha is not None and sha not in self._first:
                self._first[sha] = index
                if "likeness" in record:
                    self._likeness[index] = likeness_of_text(record["likeness"])
                if "tried_corners_px" in record:
                    self._tried_corners[index] = tuple((x, y) for x, y in record["tried_corners_px"])
                if record.get("tiles"):
                    with_board.append(index)
                    folder = self.photos[index].folder
                    size = len(record["rows"]), len(record["rows"][0])
                    self._place_of[index] = folder, *size
                    if "square_colours" in record:
                        self._colours[index] = colours_of_text(record["square_colours"], *size)
                    shown.append(
                        Shown(
                            index=index,
                            name=record["image"],
                            folder=folder,
                            taken=record["taken"],
                            columns=size[1],
                            colours=self._colours.get(index),
                        )
                    )
            elif sha is not None:
                self._copies.setdefault(self._first[sha], []).append(index)
            if record["status"] == "ok":
                self._edition_of[index] = record["edition"]
                self._tiles[index] = record["tiles"]
                guess = self._guesses.get(index) or record["editions"]
                self._probabilities[index] = guess or {record["edition"]: 1.0}
        self._boards = codes.array
        self.games = games_among(shown, self._boards[with_board])
        for number, game in enumerate(self.games):
            self._game_of |= {each.index: number for each in game}
        self._games_in: dict[tuple[str, int, int], dict[int, list[int]]] = {}
        for number, game in enumerate(self.games):
            for each in game:
                here = self._games_in.setdefault(self._place_of[each.index], {})
                here.setdefault(number, []).append(each.index)
        self._said_of = [self._said_by_most(game) for game in self.games]

    def _said_by_most(self, game: Sequence[Shown]) -> str | None:
        """The edition that people named for most photos of a game."""
        said = Counter(edition for each in game if (edition := self._said(each.index)) is not None)
        return max(said, key=said.__getitem__, default=None)

    def _pool(self, game: Sequence[Shown]) -> dict[str, float]:
        """The probability of each edition by a game's fullest boards, the most probable first.

        They hold the tiles of all the others; ten photos of one tile are no ten witnesses, so their logarithms are
        averaged and not added. What people said of any of its photos is certain.
        """
        said = self._said_by_most(game)
        if said is not None:
            return {said: 1.0}
        most = max(self._tiles[each.index] for each in game)
        fullest = [each.index for each in game if self._tiles[each.index] >= FULL_SHARE * most]
        weights = {
            name: sum(math.log(max(self._probabilities[at].get(name, 0.0), MIN_PROBABLE)) for at in fullest)
            / len(fullest)
            for name in self._editions
        }
        highest = max(weights.values())
        shares = {name: math.exp(value - highest) for name, value in weights.items()}
        total = sum(shares.values())
        return {name: share / total for name, share in sorted(shares.items(), key=lambda pair: -pair[1])}
