"""Photos that were read in the wrong orientation or with another edition, and the games that they fit.

A photo with few tiles may be read upside down, or with another edition than its game has. Its letters then agree with
nothing, but its occupied squares do once the board is turned. The letters decide when the photo is read again in that
orientation with that edition.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from tilesight.digitise.games.catalogue import BoardKey, Photo
from tilesight.digitise.games.grouping import SETTINGS, colour_log_odds, tile_log_odds
from tilesight.digitise.games.photo_games import PhotoGames
from tilesight.digitise.reading import Corners
from vision.core import Floats, Occupancy
from vision.decoding import decode
from vision.pipeline import find_unknown_letters

__all__ = ["OrientationSearch", "best_log_odds", "match_orientations"]

MIN_PHOTOS = 3
"""A game of fewer photos does not show the orientation of another photo (chosen)."""
UPSIDE_DOWN = 2


class OrientationSearch:
    """Finds the orientation and the edition of photos by the games of their folder, grouped without corrections."""

    def __init__(self, games: PhotoGames) -> None:
        self._games = games
        self._catalogue = games.catalogue
        self._members: dict[BoardKey, dict[int, int]] = {}
        for number, game in enumerate(games.games):
            for index in game:
                self._members.setdefault(self._catalogue.key(index), {})[index] = number

    def turns_to_try(self) -> dict[int, tuple[int, ...]]:
        """Return the quarter turns after which each photo may join a larger game of its folder; often none."""
        catalogue = self._catalogue
        return {
            index: self._matching_turns(index, catalogue.key(index), catalogue.boards[index])
            for index in range(len(catalogue))
            if catalogue.is_comparable(index)
        }

    def corners_to_try(self) -> dict[int, Corners]:
        """Return where a board may be in photos without one, if their folder holds photos of games."""
        folders = {folder for (folder, *_), members in self._members.items() if len(members) >= MIN_PHOTOS}
        return {
            index: record.tried_corners_px
            for index, record in enumerate(self._catalogue.summaries)
            if record.tried_corners_px is not None
            and self._catalogue.photos[index].folder in folders
            and self._catalogue.same_as(index) is None
        }

    def turns_at_corners(self, index: int, photo: Photo) -> tuple[int, ...]:
        """Return the same for a photo that was read at such corners."""
        result = self._catalogue.result(photo)
        board = result.record.board if result is not None else None
        if board is None:
            return ()
        key = photo.folder, *board.size
        return self._matching_turns(index, key, self._catalogue.codes.encode(board.rows))

    def edition_of_game(self, index: int, turn: int, photo: Photo) -> Edition | None:
        """Find the edition of the game whose letters a photo shows, which was read in an orientation.

        A photo with few tiles does not show its edition, so its squares are decoded with those of the games. None if no
        game has the letters, or they fit no better than in the way in which the photo was read already.
        """
        catalogue = self._catalogue
        reading = catalogue.reading(photo)
        if reading is None:
            return None
        rows, columns = reading.occupancy.shape[:2]
        boards, numbers = self._larger_games(index, (photo.folder, rows, columns))
        tiles, same, record = (boards > 0).sum(axis=1), SETTINGS.same_tile, catalogue.summaries[index]
        log_odds = np.full(len(numbers), -math.log(len(catalogue) + SETTINGS.other_photos))
        is_tile = reading.occupancy[..., [Occupancy.TILE, Occupancy.BLANK]].sum(axis=-1) > 0.5
        if is_tile.sum() < SETTINGS.few_tiles:
            colours = [colour_log_odds(record, catalogue.summaries[game[0]]) for game in self._games.games]
            log_odds += SETTINGS.early_end + np.array(colours)[numbers]
        as_read = log_odds + tile_log_odds(catalogue.boards[index, : rows * columns], boards, tiles, same)
        read_as = record.board.edition if record.board is not None and not turn else None
        is_of = np.array([self._games.edition(number).name for number in numbers.tolist()])
        fits: dict[str | None, float] = {None: max(0.0, best_log_odds(as_read, numbers))}
        for name in sorted(set(is_of.tolist()) - {read_as}):
            edition = catalogue.editions[name]
            if not find_unknown_letters(reading.tokens, edition):
                board = catalogue.codes.encode(decode(reading, edition).board.rows)[: rows * columns]
                of_photos = log_odds + tile_log_odds(board, boards, tiles, same)
                fits[name] = best_log_odds(of_photos[is_of == name], numbers[is_of == name])
        best = max(fits, key=fits.__getitem__)
        return catalogue.editions[best] if best is not None else None

    def _matching_turns(self, index: int, key: BoardKey, codes: NDArray[np.int8]) -> tuple[int, ...]:
        _, rows, columns = key
        board = codes[: rows * columns].reshape(rows, columns)
        return match_orientations(board, *self._larger_games(index, key))

    def _larger_games(self, index: int, key: BoardKey) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
        """Return the boards with a key of the games with more photos than the photo's own, and their games."""
        own, read = self._games.game_of.get(index), self._catalogue.summaries[index].board
        is_guess = read is not None and read.turn_is_guess  # it may be put right by its own game
        min_photos = max(MIN_PHOTOS, 0 if own is None or is_guess else len(self._games.games[own]) + 1)
        _, rows, columns = key
        members = self._members.get(key, {})
        indices, numbers = np.array(list(members), np.intp), np.array(list(members.values()), np.intp)
        is_larger = (np.bincount(numbers)[numbers] >= min_photos) & (indices != index)
        return self._catalogue.boards[indices[is_larger], : rows * columns], numbers[is_larger]


def best_log_odds(log_odds: Floats, numbers: NDArray[np.intp]) -> float:
    """Return the log-odds of the game that fits best: the mean of its photos, as some may be misread; 0 without."""
    sums, photos = np.bincount(numbers, log_odds), np.bincount(numbers)
    return float((sums[photos > 0] / photos[photos > 0]).max()) if len(numbers) else 0.0


def match_orientations(
    board: NDArray[np.int8], boards: NDArray[np.int8], numbers: NDArray[np.intp]
) -> tuple[int, ...]:
    """Return the quarter turns after which the occupied squares match those of a game, the most probable first.

    `board` are codes, (rows, columns), `boards` those of the photos of games, (photos, squares), `numbers` their games.
    """
    filled, others = (board > 0).astype(np.int8), (boards > 0).astype(np.int8)
    turns = (0, 1, 2, 3) if board.shape[0] == board.shape[1] else (0, UPSIDE_DOWN)
    tiles, same = others.sum(axis=1), SETTINGS.same_square
    log_odds = [tile_log_odds(np.rot90(filled, turn).ravel(), others, tiles, same) for turn in turns]
    fits = {turn: best_log_odds(of_turn, numbers) for turn, of_turn in zip(turns, log_odds, strict=True)}
    matching = [turn for turn in turns if fits[turn] > 0]
    return tuple(sorted(matching, key=lambda turn: (-fits[turn], turn not in (0, UPSIDE_DOWN), turn)))
