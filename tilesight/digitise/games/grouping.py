"""Group photos into games: the boards of a game have the same tiles on the same squares, and more and more of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilesight.digitise.games.board_codes import may_be_one_play
from tilesight.digitise.games.ordering import count_retractable_tiles, order_photos
from tilesight.digitise.games.photo_summary import (
    OTHER_BOARD_DISTANCE,
    SAME_BOARD_DISTANCE,
    UNKNOWN_DISTANCE,
    PhotoSummary,
    background_distance,
    sample,
)

__all__ = ["count_shared_tiles", "group_photos"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupingSettings:
    """Thresholds of the grouping; all values are chosen."""

    min_shared: int = 4
    """Tiles that two boards of a game share at least, since two letters agree by chance with many games. In one folder
    one tile fewer is enough. A board with this number of tiles may always lack one."""
    min_opening_shared: int = 2
    """The same for boards of fewer than `min_shared` tiles, the openings of games, in one folder."""
    few_tiles: int = 8
    """A board with fewer tiles is joined to its game although two were misread. Boards that share fewer tiles, one of
    which is missing, must have the same background."""
    max_first_tiles: int = 7
    """Tiles of the smallest board of a game that is seen from its beginning."""
    max_misread_share: float = 0.1
    """Share of a board's tiles that may be missing or different on another board of the game."""


SETTINGS = GroupingSettings()


class DisjointSets:
    """Union-find over the integers below `count`."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def find(self, item: int) -> int:
        """Return the representative of the item's set."""
        while self._parent[item] != item:
            self._parent[item] = self._parent[self._parent[item]]
            item = self._parent[item]
        return item

    def join(self, item: int, other: int) -> None:
        """Join the item's set to that of the other, whose representative stays."""
        self._parent[self.find(item)] = self.find(other)

    def groups(self, items: Sequence[int]) -> dict[int, list[int]]:
        """Return the items by the representative of their set."""
        groups: dict[int, list[int]] = {}
        for item in items:
            groups.setdefault(self.find(item), []).append(item)
        return groups


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Boards:
    """The boards that are grouped."""

    photos: Sequence[PhotoSummary]
    codes: NDArray[np.uint8]
    """(photos, squares) uint8. Their boards, see `BoardCodes`."""
    tiles: NDArray[np.intp]
    """(photos,) int. The number of tiles of each."""
    folders: NDArray[np.intp]
    """(photos,) int. The number of the folder of each."""

    def distance(self, first: int, second: int) -> float:
        """Return the background distance of two boards."""
        return background_distance(
            (self.photos[first].colours, self.codes[first]), (self.photos[second].colours, self.codes[second])
        )

    def day(self, index: int) -> str | None:
        """Return the day on which a photo was taken, if that is known."""
        taken = self.photos[index].taken
        return taken[:10] if taken else None


def group_photos(photos: Sequence[PhotoSummary], codes: NDArray[np.uint8]) -> list[list[PhotoSummary]]:
    """Group photos that show a board into games of at least two different boards.

    `codes` are the boards, (photos, squares) uint8, see `BoardCodes`. The games are in the order of their first photos,
    the photos of each in the order of play.
    """
    numbers = {folder: number for number, folder in enumerate({photo.folder: None for photo in photos})}
    boards = Boards(
        photos=photos,
        codes=codes,
        tiles=(codes > 0).sum(axis=1),
        folders=np.array([numbers[photo.folder] for photo in photos], np.intp),
    )
    games = DisjointSets(len(photos))
    join_successors(boards, games)
    attach_singletons(boards, games)
    assign_openings(boards, games)
    return [
        [photos[index] for index in order_photos(group, photos, codes)]
        for group in games.groups(range(len(photos))).values()
        if len({codes[index].tobytes() for index in group}) > 1
    ]


def join_successors(boards: Boards, games: DisjointSets) -> None:
    """Join each board to the one from which it most probably grew."""
    order = sorted(
        np.flatnonzero(boards.tiles >= SETTINGS.min_shared).tolist(),
        key=lambda index: (int(boards.tiles[index]), boards.photos[index].index),
    )
    sorted_codes = boards.codes[order]
    successors: dict[int, list[int]] = {}
    for position, index in enumerate(order):
        before = find_predecessor(position, order, sorted_codes, boards)
        if before is None or any(
            is_contradiction(boards.codes[index], boards.codes[other]) for other in successors.get(before, ())
        ):
            continue  # two games may begin alike, but not from one photo
        successors.setdefault(before, []).append(index)
        games.join(index, before)


def find_predecessor(
    position: int, order: Sequence[int], sorted_codes: NDArray[np.uint8], boards: Boards
) -> int | None:
    """Find the photo with at most as many tiles from which a board most probably grew; None for a new game.

    The board is `order[position]`; `order` has the indices of boards by number of tiles, `sorted_codes` their codes.
    """
    index = order[position]
    if position == 0:
        return None
    earlier = np.asarray(order[:position])
    is_filled = sorted_codes[:position] > 0
    shared = ((sorted_codes[:position] == sorted_codes[position]) & is_filled).sum(axis=1)
    missing = boards.tiles[earlier] - shared
    is_near = boards.folders[earlier] == boards.folders[index]
    is_enough = shared >= np.where(is_near, SETTINGS.min_shared - 1, SETTINGS.min_shared)
    is_misread = missing <= np.maximum(1, SETTINGS.max_misread_share * boards.tiles[earlier])
    is_retracted = (missing <= count_retractable_tiles(boards.photos[index])) & (shared > SETTINGS.min_shared)
    fits = is_enough & (is_misread | is_retracted)
    for at in np.flatnonzero(fits & (missing > 0) & (shared < SETTINGS.few_tiles)).tolist():
        max_distance = OTHER_BOARD_DISTANCE if shared[at] >= SETTINGS.min_shared else UNKNOWN_DISTANCE
        fits[at] = boards.distance(int(earlier[at]), index) <= max_distance
    if not fits.any():
        return None
    # the one that shares most and lacks least; of equals the latest
    score = np.where(fits, shared - missing, -1)
    return int(earlier[len(score) - 1 - int(score[::-1].argmax())])


def is_contradiction(board: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Whether two boards cannot be of one game: they share less than half of the tiles of the smaller one."""
    shared = int(((board == other) & (board > 0)).sum())
    return shared < min(int((board > 0).sum()), int((other > 0).sum())) / 2


def attach_singletons(boards: Boards, games: DisjointSets) -> None:
    """Join single boards of few tiles to the game that has the others.

    No board grew from them because one of their tiles was misread: the next board grew from larger ones as well.
    """
    members = games.groups(range(len(boards.photos)))
    single = [
        group[0]
        for group in members.values()
        if len(group) == 1 and SETTINGS.min_shared <= boards.tiles[group[0]] < SETTINGS.few_tiles
    ]
    for index in single:
        shared = ((boards.codes == boards.codes[index]) & (boards.codes > 0)).sum(axis=1)
        near = {
            games.find(other)
            for other in np.flatnonzero(shared >= SETTINGS.min_shared - 1).tolist()
            if other != index
        }
        choices = {
            game: count_shared_tiles(boards.codes[index], boards.codes[members[game]])
            for game in sorted(near)
            if len(members.get(game, ())) > 1 and boards.folders[game] == boards.folders[index]
        }
        best = max(choices, key=choices.__getitem__, default=None)
        if best is not None and choices[best]:
            games.join(index, best)


def assign_openings(boards: Boards, games: DisjointSets) -> None:
    """Join boards of up to three tiles to the games that may begin with them.

    Such words occur by chance on boards of other games too, so they come last. A word joins, in this order of
    preference, a game that has a copy of it, one of its day, one with its background, one that begins with more tiles
    than one play places, and one with few openings. Words with the fewest games without an opening choose first.
    """
    members = games.groups(np.flatnonzero(boards.tiles >= SETTINGS.min_shared).tolist())
    days = {game: {boards.day(index) for index in group} for game, group in members.items()}
    has_opening = {}
    for game, group in members.items():
        first = min(group, key=lambda index: int(boards.tiles[index]))
        has_opening[game] = may_be_one_play(
            boards.codes[first], boards.photos[first].columns, boards.photos[first].rack_size
        )
    openings: dict[int, list[int]] = {}
    small = np.flatnonzero((boards.tiles > 0) & (boards.tiles < SETTINGS.min_shared)).tolist()
    successors = {index: candidate_successors(index, boards, games) for index in small}
    wanting = {
        index: len({games.find(other) for other in successors[index] if not has_opening[games.find(other)]})
        for index in small
    }
    for index in sorted(
        small, key=lambda index: (-int(boards.tiles[index]), wanting[index], boards.photos[index].index)
    ):
        choices = []
        for other, has_same_background in successors[index].items():
            game = games.find(other)
            words = openings.get(game, [])
            is_copy = any((boards.codes[index] == boards.codes[word]).all() for word in words)
            is_same_day = boards.day(index) in (None, *days[game])
            choices.append(
                (
                    not is_copy,
                    not is_same_day,
                    not has_same_background,
                    has_opening[game] or bool(words),
                    len(words),
                    int(boards.tiles[other]),
                    other,
                )
            )
        if choices:
            game = games.find(min(choices)[-1])
            openings.setdefault(game, []).append(index)
            games.join(index, game)


def candidate_successors(first: int, boards: Boards, games: DisjointSets) -> dict[int, bool]:
    """Find the boards of the same folder that may have grown from one of up to three tiles.

    With the same background one of three tiles may be misread, and a single tile is enough. The values say whether a
    board has the same background.
    """
    held = boards.codes[first] > 0
    shared = (boards.codes[:, held] == boards.codes[first, held]).sum(axis=1)
    tiles = boards.tiles[first]
    holds = (
        (boards.tiles >= SETTINGS.min_shared)
        & (boards.codes[:, held] > 0).all(axis=1)
        & (shared >= tiles - (tiles > SETTINGS.min_opening_shared))
        & (boards.folders == boards.folders[first])
    )
    found = sorted(np.flatnonzero(holds).tolist(), key=lambda index: int(boards.tiles[index]))
    later: dict[int, bool] = {}
    for members in games.groups(found).values():
        distance = min(boards.distance(first, index) for index in sample(members))
        for index in members:
            is_all_there = shared[index] == tiles and tiles >= SETTINGS.min_opening_shared
            if distance < SAME_BOARD_DISTANCE or (is_all_there and distance < OTHER_BOARD_DISTANCE):
                later[index] = distance < SAME_BOARD_DISTANCE
    return later


def count_shared_tiles(
    board: NDArray[np.uint8],
    game: NDArray[np.uint8],
    has_same_background: Callable[[], bool] = lambda: False,
) -> int:
    """Count the tiles that a board, (squares,), shares with one of a game, (photos, squares), before or after it.

    0 if the board does not fit. `has_same_background` is called last, and then two tiles are enough.
    """
    held, tiles = np.flatnonzero(board), (game > 0).sum(axis=1)
    if not len(game) or len(held) < SETTINGS.min_opening_shared:
        return 0
    same = (game[:, held] == board[held]).sum(axis=1)
    is_later = tiles >= len(held)
    missing = np.where(is_later, len(held), tiles) - same
    smaller = np.minimum(tiles, len(held))
    fits = missing <= np.maximum(smaller >= SETTINGS.min_shared, SETTINGS.max_misread_share * smaller)
    earlier, later = fits[~is_later], fits[is_later]
    # one of the earlier boards may be misread itself
    if 2 * earlier.sum() < len(earlier) or (len(later) and not later.any()):
        return 0
    begins_early = tiles.min() <= SETTINGS.max_first_tiles
    if len(held) < SETTINGS.min_shared - 1 and begins_early and not has_same_background():
        return 0
    return int(same[fits].max(initial=0))
