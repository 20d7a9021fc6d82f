"""Group photos into games by data association: the boards of a game have the same tiles, and more and more of them.

A game is a path through its photos, from few tiles to many. Each link of two photos has log-odds that they are of one
game: by the tiles of the first one that the second has or lacks, by the colours of the boards where the tiles are few,
and by how probable it is that a game is seen from its beginning and to its end. The links of all games are chosen at
once, each photo having one predecessor and one successor: first words also occur by chance on boards of other games,
and go to the games that lack one.

References
----------
L. Zhang, Y. Li, R. Nevatia, "Global data association for multi-object tracking using network flows", CVPR 2008.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import DisjointSet
from scipy.sparse import coo_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from tilesight.digitise.games.catalogue import COVERED_CODE
from tilesight.digitise.reading import PhotoRecord, colour_distance

__all__ = ["SETTINGS", "colour_log_odds", "group_photos", "tile_log_odds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupingSettings:
    """Natural log-odds of links; chosen with the photos of 360 rendered games (seeds 8000 to 8360)."""

    same_tile: float = 2.7
    """A tile that both boards have: by chance, one of about fifteen letters is the same."""
    missing_tile: float = -4.0
    """A tile of the board with fewer tiles that the other has not: misread, or taken back."""
    same_square: float = 0.4
    """A square that both boards have occupied, where their letters cannot be compared."""
    same_colours: float = 3.0
    """Boards with colours at most `same_board_distance` apart; finds 22 of 6,000 drawn games more."""
    other_colours: float = -12.0
    """Boards with colours more than `other_board_distance` apart."""
    same_board_distance: float = 0.25
    """97% of two photos of a game are closer, and 0.3% of those of two games, if the white balance changes."""
    other_board_distance: float = 0.5
    """93% of two photos of two games are further away, and one of 2,000 of those of a game."""
    other_occasion: float = -4.0
    """Photos of two folders, or of two days if both are known."""
    late_start: float = 6.0
    """For a predecessor of a board with more tiles than one play places; finds 162 of 6,000 drawn games more."""
    early_end: float = 2.0
    few_tiles: int = 12
    """For a successor of a board with fewer tiles than this; finds 18 of 2,400 drawn games more."""
    other_photos: int = 120
    """Added to the number of photos, each of which may be the next one."""
    max_shrinking: int = 2
    """Steps in which a board shrinks, less those in which it grows; with more, prints were photographed backwards.
    Steps in which it loses several tiles, and by growth none; with more, cameras of one model have several clocks."""
    max_links: int = 20
    """The most probable links of each photo that are considered."""


SETTINGS = GroupingSettings()
NO_LINK = 1e-6
"""Log-odds of no link; the sparse matrix has no zeros."""


def group_photos(
    photos: Sequence[PhotoRecord], codes: NDArray[np.int8], rack_sizes: Sequence[int]
) -> list[list[int]]:
    """Group photos that show a board into games of at least two different boards, and return their indices.

    `codes` are the boards, (photos, squares) int8, see `BoardCodes`, `rack_sizes` those of their editions. The games
    are in the order of their first photos, the photos of each in the order of play.
    """
    games = DisjointSet(range(len(photos)))
    starts_late = [
        photo.board is not None and not may_be_one_play(board, photo.board.size[1], rack_size)
        for photo, board, rack_size in zip(photos, codes, rack_sizes, strict=True)
    ]
    late_start = SETTINGS.late_start * np.array(starts_late)
    for first, second in choose_links(find_links(photos, codes, late_start), late_start):
        games.merge(first, second)
    found = []
    for group in sorted(map(sorted, games.subsets())):
        boards, max_lost = fill_covered(codes[group]), 1 + max(rack_sizes[index] for index in group)
        order = order_photos([photos[index] for index in group], boards, max_lost)
        if len({boards[at].tobytes() for at in order}) > 1:
            found.append([group[at] for at in order])
    return found


def find_links(
    photos: Sequence[PhotoRecord], codes: NDArray[np.int8], late_start: NDArray[np.float64]
) -> list[dict[int, float]]:
    """Find the photos that may follow each photo, with their log-odds without those of a late start."""
    tiles = (codes > 0).sum(axis=1)
    order = np.lexsort((np.arange(len(photos)), tiles))
    folders = np.array([str(PurePath(photos[index].name).parent) for index in order])
    taken = [photos[index].taken or "" for index in order]
    days = np.array([each[:10] for each in taken])
    utc_days = np.array(  # as numbers, where the offset is known
        [str(datetime.fromisoformat(at).timestamp() // 86_400) if at[19:] else at[:10] for at in taken]
    )
    ordered = np.asfortranarray(codes[order])
    links = [dict[int, float]() for _ in photos]
    for rank, index in enumerate(order.tolist()):
        later = slice(rank + 1, None)
        log_odds = tile_log_odds(codes[index], ordered[later], tiles[order[later]], SETTINGS.same_tile)
        is_other_day = (days[later] != days[rank]) & (days[later] != "") & (days[rank] != "")
        is_other_day &= utc_days[later] != utc_days[rank]
        log_odds += SETTINGS.other_occasion * ((folders[later] != folders[rank]) | is_other_day)
        has_few = tiles[index] < SETTINGS.few_tiles
        log_odds += SETTINGS.early_end * has_few + late_start[order[later]]
        log_odds -= np.log(len(photos) + SETTINGS.other_photos)
        # of equal ones the nearest in the order of the sources
        log_odds -= NO_LINK * abs(order[later] - index)
        best = np.flatnonzero(log_odds > (-SETTINGS.same_colours if has_few else 0.0))
        best = best[np.argsort(-log_odds[best], kind="stable")[: SETTINGS.max_links]]
        for other, value in zip(order[later][best].tolist(), log_odds[best].tolist(), strict=True):
            if has_few:
                value += colour_log_odds(photos[index], photos[other])
            if value > 0:
                links[index][other] = value - float(late_start[other])
    return links


def choose_links(
    links: Sequence[Mapping[int, float]], late_start: NDArray[np.float64]
) -> Iterator[tuple[int, int]]:
    """Yield the links of the most probable paths; each photo has one predecessor and one successor at most.

    A photo whose successors all have another predecessor shows a play that was taken back, or its game's first word
    again: it has its best link too.
    """
    ends = len(links)
    if not ends:
        return
    entries = [(index, ends + index, -NO_LINK) for index in range(ends)]
    for first, of_first in enumerate(links):
        entries += [(first, second, -value - late_start[second]) for second, value in of_first.items()]
    firsts, seconds, costs = zip(*entries, strict=True)
    matrix = coo_array((costs, (firsts, seconds)), shape=(ends, 2 * ends)).tocsr()
    chosen = dict(np.transpose(min_weight_full_bipartite_matching(matrix)).tolist())
    followers = set(chosen.values())
    for first, second in chosen.items():
        if second < ends:
            yield first, second
        elif links[first]:
            best = max(links[first], key=links[first].__getitem__)
            if links[first][best] + late_start[best] * (first not in followers) > 0:
                yield first, best


def tile_log_odds(
    board: NDArray[np.int8], others: NDArray[np.int8], tiles: NDArray[np.intp], same_tile: float
) -> NDArray[np.float64]:
    """Compute the log-odds that boards are of the game of a board, by the tiles of the one that has fewer.

    `board` are codes, (squares,), `others` those of other boards, (boards, squares), `tiles` their numbers of tiles.
    `same_tile` are the log-odds of a code that both have.
    """
    held = np.flatnonzero(board > 0)
    same = (others[:, held] == board[held]).sum(axis=1)
    missing = np.minimum(len(held), tiles) - same
    return np.asarray(same_tile * same + SETTINGS.missing_tile * missing)


def colour_log_odds(first: PhotoRecord, second: PhotoRecord) -> float:
    """Compute the log-odds that two photos are of one game, by the colours of their boards; 0 if unknown."""
    if first.board is None or second.board is None:
        return 0.0
    distance = colour_distance(first.board.premium_colours, second.board.premium_colours)
    if distance > SETTINGS.other_board_distance:
        return SETTINGS.other_colours
    return SETTINGS.same_colours if distance <= SETTINGS.same_board_distance else 0.0


def may_be_one_play(board: NDArray[np.int8], columns: int, rack_size: int) -> bool:
    """Whether all tiles on a board, given as codes, may have been placed in one turn."""
    rows, places = np.divmod(np.flatnonzero(board > 0), columns)
    return len(rows) <= rack_size and (len(set(rows)) == 1 or len(set(places)) == 1)


def fill_covered(boards: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the boards of a game, each with its covered squares filled as on the board that is most like it.

    `boards` are codes, (photos, squares). Those with few covered squares are filled first, and the others from them.
    """
    filled, covered = np.maximum(boards, 0), boards == COVERED_CODE
    order = np.argsort(covered.sum(axis=1), kind="stable").tolist()
    for rank, at in enumerate(order[1:], 1):
        if covered[at].any():
            others = filled[order[:rank]]
            differences = ((others != boards[at]) & ~covered[at]).sum(axis=1)
            filled[at] = np.where(covered[at], others[differences.argmin()], boards[at])
    return filled


def order_photos(photos: Sequence[PhotoRecord], boards: NDArray[np.int8], max_lost: int) -> list[int]:
    """Return the indices of the photos of a game in the order in which it was played.

    The clock decides if every photo has a distinct time, boards do not shrink more often than they grow, and none loses
    more than `max_lost` tiles, those of a play and one misread tile; otherwise growth decides.
    Clocks of several cameras may differ, so that the boards must not lose more tiles than by growth. A gone one counts
    once in that, as a play may be taken back. There are several clocks of one model if boards often lose more than a
    misread tile by the clock, never by growth, and none comes back. Photos as those of a cleared board are left out.
    """
    # the tiles of each board that each other one lacks
    lost = np.array([((board > 0) & (boards != board)).sum(axis=1) for board in boards])
    by_growth = order_by_growth(boards, lost)
    lost_by_growth = lost[by_growth[:-1], by_growth[1:]]
    if lost_by_growth.max(initial=0) > max_lost:
        by_time = sorted(range(len(photos)), key=lambda at: photos[at].taken or "")
        consistent = sorted(find_consistent(by_time, np.minimum(lost, lost.T) > max_lost))
        if len(consistent) < len(photos):
            order = order_photos([photos[at] for at in consistent], boards[consistent], max_lost)
            return [consistent[at] for at in order]
    by_clock = order_by_clock(photos)
    if by_clock is None:
        return by_growth
    lost_by_clock = lost[by_clock[:-1], by_clock[1:]]
    seen = [board for board, _ in groupby(boards[at].tobytes() for at in by_clock)]
    only_grows = len(seen) == len(set(seen)) and lost_by_growth.max(initial=0) <= 1
    shrinks = only_grows and (lost_by_clock > 1).sum() > SETTINGS.max_shrinking
    has_one_clock = len({photo.picture.camera for photo in photos if photo.picture}) == 1 and not shrinks
    is_likely = has_one_clock or lost_by_clock.sum() <= lost_by_growth.sum()
    is_forward = np.sign(np.diff((boards[by_clock] > 0).sum(axis=1))).sum() >= -SETTINGS.max_shrinking
    return by_clock if is_likely and is_forward and lost_by_clock.max(initial=0) <= max_lost else by_growth


def order_by_clock(photos: Sequence[PhotoRecord]) -> list[int] | None:
    """Order photos by the times at which they were taken; None if one has no time, or two have the same."""
    times = [datetime.fromisoformat(photo.taken) for photo in photos if photo.taken]
    if not all(time.tzinfo for time in times):  # an instant and a time of somewhere cannot be compared
        times = [time.replace(tzinfo=None) for time in times]
    return sorted(range(len(times)), key=times.__getitem__) if len(set(times)) == len(photos) else None


def order_by_growth(boards: NDArray[np.int8], lost: NDArray[np.intp]) -> list[int]:
    """Order boards by the tiles that the largest one has as well, by their codes, (n, squares), and those lost, (n, n).

    Each is then put where the fewest tiles are lost. A tile that is gone counts twice; a changed one is often misread.
    """
    tiles = boards > 0
    order: list[int] = np.lexsort((tiles.sum(axis=1), -lost[tiles.sum(axis=1).argmax()])).tolist()
    gone = np.array([(board & ~tiles).sum(axis=1) for board in tiles])
    costs = np.pad(lost + gone, (0, 1))  # the index -1 is that of both ends
    for photo in list(order):
        at = order.index(photo)
        order.remove(photo)
        around = np.array([-1, *order, -1])
        added = costs[around[:-1], photo] + costs[photo, around[1:]] - costs[around[:-1], around[1:]]
        order.insert(at if added[at] == added.min() else int(added.argmin()), photo)
    return order


def find_consistent(photos: Sequence[int], contradicts: NDArray[np.bool_]) -> list[int]:
    """Find the photos of which no two contradict each other; where several may be left out, the last ones are."""
    kept = list(photos)
    while (counts := contradicts[np.ix_(kept, kept)].sum(axis=1)).any():
        del kept[max(range(len(kept)), key=lambda at: (counts[at], at))]  # a board is cleared after its game
    return kept
