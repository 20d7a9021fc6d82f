"""Photos that were read in the wrong orientation or with another edition, and the games that they fit.

A photo with few tiles may be read upside down, or with another edition than its game has. Its letters then agree with
nothing, but its occupied squares do once the board is turned. The letters decide when the photo is read again in that
orientation with that edition.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from tilesight.digitise.games.catalogue import Photo
from tilesight.digitise.games.grouping import count_shared_tiles
from tilesight.digitise.games.photo_games import PhotoGames
from tilesight.digitise.games.photo_summary import SAME_BOARD_DISTANCE, BoardKey, background_distance, sample
from tilesight.digitise.reading import Corners
from vision.decoding import decode
from vision.pipeline import find_unknown_letters

__all__ = ["OrientationSearch", "match_orientations"]

MIN_PHOTOS = 3
"""A game of fewer photos does not show the orientation of another photo (chosen)."""
UPSIDE_DOWN = 2


class OrientationSearch:
    """Finds the orientation and the edition of photos by the games of their folder, grouped without corrections."""

    def __init__(self, games: PhotoGames) -> None:
        self._games = games
        self._catalogue = games.catalogue
        self._members = games.by_key()
        self._keys = {
            summary.index: summary.key
            for summary in self._catalogue.summaries
            if self._catalogue.is_comparable(summary.index)
        }

    def turns_to_try(self) -> dict[int, tuple[int, ...]]:
        """Return the quarter turns after which photos may join a larger game of their folder."""
        turns = {
            index: self._matching_turns(index, self._catalogue.boards[index]) for index in sorted(self._keys)
        }
        return {index: matching for index, matching in turns.items() if matching}

    def corners_to_try(self) -> dict[int, Corners]:
        """Return where a board may be in photos without one, if their folder holds a game of several photos."""
        folders = {
            key.folder
            for key, games in self._members.items()
            if any(len(members) >= MIN_PHOTOS for members in games.values())
        }
        return {
            summary.index: summary.tried_corners_px
            for summary in self._catalogue.summaries
            if summary.tried_corners_px is not None and summary.folder in folders
        }

    def turns_at_corners(self, index: int, photo: Photo) -> tuple[int, ...]:
        """Return the same for a photo that was read at such corners."""
        record = self._catalogue.read_record(photo)
        if record is None or record.board is None:
            return ()
        self._keys[index] = BoardKey(photo.folder, *record.board.size)
        return self._matching_turns(index, self._catalogue.encode(record.board.rows, record.board.edition))

    def edition_of_game(self, index: int, turn: int, photo: Photo) -> Edition | None:
        """Find the edition of the game whose letters a photo shows, which was read in an orientation.

        A photo with few tiles does not show its edition, so its squares are decoded with those of the games. None if no
        game has the letters, or only in the way in which the photo was read already.
        """
        reading = self._catalogue.reading(photo)
        if reading is None:
            return None
        _, rows, columns = self._keys[index]
        read_with = self._catalogue.summaries[index].edition
        decoded: dict[str, NDArray[np.uint8]] = {}
        shared: dict[str, int] = {}
        for game, boards in self._larger_games(index).items():
            edition = self._games.edition(game)
            name = edition.name
            if find_unknown_letters(reading.tokens, edition) or not (turn or name != read_with):
                continue
            if name not in decoded:
                tokens = decode(reading, edition).board.rows
                decoded[name] = self._catalogue.encode(tokens, name)[: rows * columns]
            board = decoded[name].reshape(rows, columns)
            has_background = functools.partial(self._has_background, index, board, game, turn)
            count = count_shared_tiles(decoded[name], boards, has_background)
            shared[name] = max(shared.get(name, 0), count)
        best = max(shared, key=shared.__getitem__, default=None)
        return self._catalogue.editions[best] if best is not None and shared[best] else None

    def _matching_turns(self, index: int, codes: NDArray[np.uint8]) -> tuple[int, ...]:
        _, rows, columns = self._keys[index]
        board = codes[: rows * columns].reshape(rows, columns)
        games = self._larger_games(index)
        members = list(games)

        def has_background(game: int, turn: int) -> bool:
            return self._has_background(index, np.rot90(board, turn), members[game], turn)

        return match_orientations(board, list(games.values()), has_background)

    def _larger_games(self, index: int) -> dict[int, NDArray[np.uint8]]:
        """Return the boards of the games of its folder with more photos than the photo's own."""
        own = self._games.game_of(index)
        min_photos = max(MIN_PHOTOS, len(self._games.games[own]) + 1 if own is not None else 0)
        _, rows, columns = self._keys[index]
        return {
            game: self._catalogue.boards[members][:, : rows * columns]
            for game, members in self._members.get(self._keys[index], {}).items()
            if len(members) >= min_photos
        }

    def _has_background(self, index: int, board: NDArray[np.uint8], game: int, turn: int) -> bool:
        """Whether a photo's board, which is turned already, has the colours of a game's boards."""
        colours = self._catalogue.summaries[index].colours
        if colours is None:
            return False
        turned = np.rot90(colours, turn), board.ravel()
        return any(
            background_distance(turned, (photo.colours, self._catalogue.boards[photo.index]))
            < SAME_BOARD_DISTANCE
            for photo in sample(self._games.games[game])
        )


def match_orientations(
    board: NDArray[np.uint8],
    games: Sequence[NDArray[np.uint8]],
    has_same_background: Callable[[int, int], bool] = lambda game, turn: False,
) -> tuple[int, ...]:
    """Return the quarter turns after which the occupied squares match those of a game, the most probable first.

    `board` has the codes of the board as read, (rows, columns), each game those of its photos, (photos, squares).
    `has_same_background` says whether a game, by its index, has the colours of this board, turned.
    """
    filled = (board > 0).astype(np.uint8)
    tiles = [(game > 0).astype(np.uint8) for game in games]
    shared: dict[int, int] = {}
    for turn in (0, 1, 2, 3) if board.shape[0] == board.shape[1] else (0, UPSIDE_DOWN):
        turned = np.rot90(filled, turn).ravel()
        shared[turn] = max(
            (
                count_shared_tiles(turned, game, functools.partial(has_same_background, number, turn))
                for number, game in enumerate(tiles)
            ),
            default=0,
        )
    matching = [turn for turn, count in shared.items() if count]
    return tuple(sorted(matching, key=lambda turn: (-shared[turn], turn not in (0, UPSIDE_DOWN), turn)))
