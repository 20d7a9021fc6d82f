"""Which photos show one game: boards that hold the same tiles on the same squares, and more and more of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, COVERED, EMPTY, is_blank
from tilesight.digitise.games.orientation import MAX_LAID, agreement_with_game
from tilesight.digitise.reading.square_colours import difference

__all__ = ["ALIKE", "Codes", "Shown", "games_among", "some_of", "unlikeness"]

MIN_SAME = 4
"""Two boards that share fewer tiles may do so by chance, unless their pictures lie side by side."""
MIN_SAME_IN_A_FOLDER = 2
FEW_TILES = 8
"""Boards with so many are joined to their game although two of them were misread. Those that share
fewer must look like boards of one game where one lacks a tile of the other."""
ALIKE = 0.06
"""Boards that differ by less, see `tilesight.digitise.reading.square_colours`, are one board in one light: the first
photos of 120 rendered games differ from another photo of theirs by up to 0.04 (98%), from those of others by more than
0.08 (99%)."""
UNLIKE = 0.15
"""Boards that differ by more are two, or lie in quite another light."""
PERHAPS = (ALIKE + UNLIKE) / 2
"""Where it is not known how boards look."""
COMPARED = 3
"""Photos of a game with which one is compared: some have a reflex or a shadow of their own."""
BLANK_CODE = 1
MISREAD_SHARE = 0.1
"""Of a board's tiles so many may be missing or read otherwise on a later photo."""
MAX_MISREAD = 2
"""Letters of a board that the last board has otherwise: so many are misread, more were taken back."""
MAX_BLANKS = 6
"""On a board with more of them the print is faint, and letters are taken for blanks."""
MAX_TAKEN_BACK, MIN_KEPT = 8, 0.6
"""A play that was taken back is missing later as a whole; the rest must lie there still."""


T = TypeVar("T")
Seen = tuple[NDArray[np.uint8] | None, NDArray[np.uint8]]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Shown:
    """What is needed of a photo to tell its game.

    Parameters
    ----------
    index : int
        Which photo it is.
    name : str
        Its name, as people know it.
    folder : str
        Where it lies.
    taken : str or None
        When it was taken, in ISO 8601.
    columns : int
        How many squares a row of its board has.
    colours : (rows, columns, 3) uint8, optional
        The colours of its squares.
    """

    index: int
    name: str
    folder: str
    taken: str | None
    columns: int = 15
    colours: NDArray[np.uint8] | None = None


class Codes:
    """Boards as small numbers: 0 for an empty or covered square, `BLANK_CODE` for all blanks, one number a letter."""

    def __init__(self, squares: int) -> None:
        self._squares = squares
        self._numbers: dict[str, int] = {BLANK: BLANK_CODE}
        self._rows: list[NDArray[np.uint8]] = []

    def add(self, rows: Sequence[Sequence[str]]) -> None:
        """One more board; one without rows, or larger than the others, shows no tile."""
        self._rows.append(self.of(rows))

    def of(self, rows: Sequence[Sequence[str]]) -> NDArray[np.uint8]:
        """(squares,) one board, which is not added, without tiles beside a first play that lie alone."""
        codes = np.zeros(self._squares, np.uint8)
        tokens = [token for row in rows for token in row]
        if 0 < len(tokens) <= self._squares:
            codes[: len(tokens)] = [self._number(token) for token in tokens]
            codes[: len(tokens)] *= connected(codes[: len(tokens)].reshape(len(rows), -1) > 0).ravel()
        return codes

    @property
    def array(self) -> NDArray[np.uint8]:
        """All boards, (boards, squares)."""
        return np.array(self._rows, np.uint8).reshape(-1, self._squares)

    def _number(self, token: str) -> int:
        if token in (EMPTY, COVERED):
            return 0
        kind = BLANK if is_blank(token) else token
        return self._numbers.setdefault(kind, min(len(self._numbers) + 1, 255))


def unlikeness(one: Seen, other: Seen) -> float:
    """How much two boards differ in colour where both are bare; between alike and unlike where that is not known.

    Parameters
    ----------
    one, other : pair of (rows, columns, 3) uint8, or None, and (squares,) uint8
        The colours of a board's squares, and what lies there, see `Codes`.
    """
    (colours, board), (other_colours, other_board) = one, other
    if colours is None or other_colours is None:
        return PERHAPS
    squares = colours.shape[0] * colours.shape[1]
    bare = (board[:squares] == 0) & (other_board[:squares] == 0)
    return difference(colours, other_colours, bare.reshape(colours.shape[:2]))


def some_of(members: Sequence[T]) -> Sequence[T]:
    """A few of a game's photos, early and late ones, with which another photo is compared."""
    return members[:: math.ceil(len(members) / COMPARED)]


def games_among(photos: Sequence[Shown], boards: NDArray[np.uint8]) -> list[list[Shown]]:
    """The photos of each game in the order in which they were taken.

    Parameters
    ----------
    photos : sequence of Shown
        Photos that show a board.
    boards : (photos, squares) uint8
        Their boards, see `Codes`.

    Returns
    -------
    list of list of Shown
        Games of at least two different boards, in the order of their first photos' names.
    """
    tiles = (boards > 0).sum(axis=1)
    order = sorted(
        np.flatnonzero(tiles >= MIN_SAME).tolist(), key=lambda at: (int(tiles[at]), photos[at].index)
    )
    parent = list(range(len(photos)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    grown = boards[order]
    grown_from: dict[int, list[int]] = {}
    for place, at in enumerate(order):
        before = predecessor(place, order, grown, tiles, photos)
        if before is None or any(
            contradict(boards[at], boards[other]) for other in grown_from.get(before, ())
        ):
            continue  # two games may begin alike, but not from one photo
        grown_from.setdefault(before, []).append(at)
        parent[root(at)] = root(before)
    attach_left_over(photos, boards, tiles, parent, root)
    attach_first_words(photos, boards, tiles, parent, root)
    groups: dict[int, list[int]] = {}
    for at in range(len(photos)):
        groups.setdefault(root(at), []).append(at)
    return [
        [photos[at] for at in in_order(group, photos, boards)]
        for group in groups.values()
        if len({boards[at].tobytes() for at in group}) > 1
    ]


def attach_left_over(
    photos: Sequence[Shown],
    boards: NDArray[np.uint8],
    tiles: NDArray[np.intp],
    parent: list[int],
    root: Callable[[int], int],
) -> None:
    """Joins boards of few tiles from which none grew, since one of them was misread, to the game that has the others.

    The board after them grew from them as well as from larger ones, and a larger one was misread, too.
    """
    games: dict[int, list[int]] = {}
    for at in range(len(photos)):
        games.setdefault(root(at), []).append(at)
    alone = [
        members[0]
        for members in games.values()
        if len(members) == 1 and MIN_SAME <= tiles[members[0]] < FEW_TILES
    ]
    for at in alone:
        same = ((boards == boards[at]) & (boards > 0)).sum(axis=1) >= MIN_SAME - 1
        near = {root(other) for other in np.flatnonzero(same).tolist() if other != at}
        choices = {
            game: agreement_with_game(boards[at], boards[games[game]])
            for game in sorted(near)
            if len(games.get(game, ())) > 1 and photos[game].folder == photos[at].folder
        }
        best = max(choices, key=choices.__getitem__, default=None)
        if best is not None and choices[best]:
            parent[at] = root(best)


def attach_first_words(
    photos: Sequence[Shown],
    boards: NDArray[np.uint8],
    tiles: NDArray[np.intp],
    parent: list[int],
    root: Callable[[int], int],
) -> None:
    """Joins boards of up to three tiles to the games that they may begin.

    Such words lie on boards of other games too, by chance, so that they come last: to a game of that day, to one whose
    board looks like theirs, to one that begins with more tiles than one play lays, to one that has none yet. Those that
    the fewest such games have choose first. On a board that looks alike one of three may be misread, and one is enough.
    """
    games: dict[int, list[int]] = {}
    for at in range(len(photos)):
        if tiles[at] >= MIN_SAME:
            games.setdefault(root(at), []).append(at)
    days = {game: {day_of(photos[at]) for at in members} for game, members in games.items()}
    complete = {}
    for game, members in games.items():
        least = min(members, key=lambda at: int(tiles[at]))
        complete[game] = may_be_one_play(boards[least], photos[least].columns)
    begun: dict[int, list[int]] = {}
    small = np.flatnonzero((tiles > 0) & (tiles < MIN_SAME)).tolist()
    holding = {at: later_boards(at, photos, boards, tiles, root) for at in small}
    wanting = {at: len({root(other) for other in holding[at] if not complete[root(other)]}) for at in small}
    for at in sorted(small, key=lambda at: (-int(tiles[at]), wanting[at], photos[at].index)):
        choices = []
        for other, is_alike in holding[at].items():
            game = root(other)
            words = begun.get(game, [])
            is_copy = any((boards[at] == boards[word]).all() for word in words)
            is_that_day = day_of(photos[at]) in (None, *days[game])
            begins = complete[game] or bool(words)
            choices.append(
                (not is_copy, not is_that_day, not is_alike, begins, len(words), int(tiles[other]), other)
            )
        if choices:
            game = root(min(choices)[-1])
            begun.setdefault(game, []).append(at)
            parent[at] = game


def later_boards(
    first: int,
    photos: Sequence[Shown],
    boards: NDArray[np.uint8],
    tiles: NDArray[np.intp],
    root: Callable[[int], int],
) -> dict[int, bool]:
    """The boards of its folder that may have grown from one of up to three tiles, and whether they look like it."""
    held = boards[first] > 0
    same = (boards[:, held] == boards[first, held]).sum(axis=1)
    holds = (
        (tiles >= MIN_SAME)
        & (boards[:, held] > 0).all(axis=1)
        & (same >= tiles[first] - (tiles[first] > MIN_SAME_IN_A_FOLDER))
    )
    found = [at for at in np.flatnonzero(holds).tolist() if photos[at].folder == photos[first].folder]
    by_game: dict[int, list[int]] = {}
    for at in sorted(found, key=lambda at: int(tiles[at])):
        by_game.setdefault(root(at), []).append(at)
    later: dict[int, bool] = {}
    for members in by_game.values():
        unlike = min(
            unlikeness((photos[first].colours, boards[first]), (photos[at].colours, boards[at]))
            for at in some_of(members)
        )
        for at in members:
            all_there = same[at] == tiles[first] and tiles[first] >= MIN_SAME_IN_A_FOLDER
            if unlike < ALIKE or (all_there and unlike < UNLIKE):
                later[at] = unlike < ALIKE
    return later


def connected(filled: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The squares, of those that seem to hold a tile, that have a neighbour that does, if they may be a first play.

    No tile lies alone beside others: print on an empty board is now and then taken for letters. Of more tiles one may
    seem to lie alone, since what joins it to them is not seen.
    """
    wide = np.pad(filled, 1)
    beside = wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
    together: NDArray[np.bool_] = filled & beside
    return together if 0 < together.sum() <= MAX_LAID else filled


def may_be_one_play(board: NDArray[np.uint8], columns: int) -> bool:
    """Whether the tiles on a board may have been laid in one turn."""
    rows, places = np.divmod(np.flatnonzero(board), columns)
    return len(rows) <= MAX_LAID and (len(set(rows)) == 1 or len(set(places)) == 1)


def day_of(photo: Shown) -> str | None:
    """The day on which a photo was taken, if that is known."""
    return photo.taken[:10] if photo.taken else None


def contradict(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Whether two boards cannot be of one game: they share less than half of the tiles of the smaller one."""
    same = int(((one == other) & (one > 0)).sum())
    return same < min(int((one > 0).sum()), int((other > 0).sum())) / 2


def predecessor(
    place: int,
    order: Sequence[int],
    grown: NDArray[np.uint8],
    tiles: NDArray[np.intp],
    photos: Sequence[Shown],
) -> int | None:
    """The photo with fewer tiles (or as many) from which this one's board most probably grew; None for a new game."""
    if place == 0 or tiles[order[place]] == 0:
        return None
    earlier = np.asarray(order[:place])
    filled = grown[:place] > 0
    same = ((grown[:place] == grown[place]) & filled).sum(axis=1)
    missing = tiles[earlier] - same
    near = np.array([photos[at].folder == photos[order[place]].folder for at in earlier])
    enough = same >= np.where(near, MIN_SAME - 1, MIN_SAME)
    misread = missing <= np.maximum(1, MISREAD_SHARE * tiles[earlier])
    taken_back = (missing <= MAX_TAKEN_BACK) & (same >= MIN_KEPT * tiles[earlier]) & (same > MIN_SAME)
    fits = enough & (misread | taken_back)
    for at in np.flatnonzero(fits & (missing > 0) & (same < FEW_TILES)).tolist():
        before = photos[earlier[at]].colours, grown[at]
        most = UNLIKE if same[at] >= MIN_SAME else PERHAPS
        fits[at] = unlikeness(before, (photos[order[place]].colours, grown[place])) <= most
    if not fits.any():
        return None
    # The one that shares most and lacks least; of equals the latest.
    score = np.where(fits, same - missing, -1)
    return int(earlier[len(score) - 1 - int(score[::-1].argmax())])


def in_order(group: Sequence[int], photos: Sequence[Shown], boards: NDArray[np.uint8]) -> list[int]:
    """The photos of a game in the order of play.

    By the camera's clock where every photo has one and no board loses more than a play from one photo to the next;
    else by growth: a board whose tiles are not all on the last one was taken back, and comes right after the largest
    board that it grew from.
    """
    by_clock = sorted(group, key=lambda at: (photos[at].taken or "", photos[at].index))
    clocks = [photos[at].taken for at in by_clock]
    if None not in clocks and len(set(clocks)) == len(clocks) and grows([boards[at] for at in by_clock]):
        return by_clock
    last = max(group, key=lambda at: (int((boards[at] > 0).sum()), -photos[at].index))
    faint = max(int((boards[at] == BLANK_CODE).sum()) for at in group) > MAX_BLANKS

    def key(at: int) -> tuple[int, bool, int, int]:
        tiles, beside = boards[at], boards[last]
        # a bare blank is often overlooked, or seen where there is none
        counted = tiles > (0 if faint else BLANK_CODE)
        either = faint & ((tiles == BLANK_CODE) | (beside == BLANK_CODE))
        size, same = int(counted.sum()), int((counted & (beside > 0) & ((tiles == beside) | either)).sum())
        other = int((counted & (beside > 0)).sum()) - same
        on_last = same + (other if other <= MAX_MISREAD else 0)
        return on_last, size - on_last > 1, int((boards[at] > 0).sum()), photos[at].index

    return sorted(group, key=key)


def grows(boards: Sequence[NDArray[np.uint8]]) -> bool:
    """Whether each board keeps what lay on the one before, but for one play."""
    return all(
        int(((before > 0) & (after != before)).sum()) <= MAX_TAKEN_BACK
        for before, after in itertools.pairwise(boards)
    )
