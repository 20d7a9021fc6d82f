"""Boards that belong to no game of several photos, and the orders in which they may have been played."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from scoring import Board, Lexicon
from tilesight.digitise.games.catalogue import Collection
from tilesight.digitise.reading.photo_record import orders_record
from tilesight.digitise.retrograde.solver import orders_of_play
from tilesight.digitise.score_sheets.file import Sheet
from tilesight.digitise.score_sheets.matching import Found

__all__ = ["UNKNOWN_PLAYERS", "games_and_boards", "orders_of_boards", "steps_within"]

STEPS_A_SECOND = 250
"""Boards that are looked at for orders of play: the fewest of a usual machine, on boards that are a block of tiles."""
UNKNOWN_PLAYERS = ("A", "B")
"""Photos do not tell who plays; scores and plays do not depend on it, totals do."""


def games_and_boards(collection: Collection) -> list[Found]:
    """The games in their order, then the single boards; photos that are nearly the same are of one."""
    game_of = {each.index: number for number, game in enumerate(collection.games) for each in game}
    photos = [[each.index for each in game] for game in collection.games]
    place = dict(game_of)  # by photo, where it stands among them
    for index in range(len(collection)):
        if index in game_of or collection.same_as(index) is not None or not collection.tiles(index):
            continue
        like = collection.nearly_same_as(index)
        if like is not None and like in place:
            place[index] = place[like]
            photos[place[like]].append(index)
        else:
            place[index] = len(photos)
            photos.append([index])
    return [
        Found(
            photos=tuple(members),
            names=tuple(tuple(collection.names(index)) for index in members),
            rows=tuple(map(tuple, collection.record(members[0])["rows"]))
            if members[0] not in game_of
            else None,
        )
        for members in photos
    ]


def orders_of_boards(
    collection: Collection,
    wanted: Sequence[tuple[int, Sheet | None]],
    before: int,
    lexicon: Lexicon | None,
    limit_s: float,
    progress: Callable[[str, int, int], None],
) -> list[dict[str, Any]]:
    """The orders of play of single boards as JSON objects.

    Parameters
    ----------
    collection : Collection
        All photos.
    wanted : sequence of (int, Sheet or None)
        Photos of boards, each with its score sheet.
    before : int
        How many games there are without them.
    lexicon : Lexicon or None
        Words.
    limit_s : float
        See `Written`.
    progress : callable
        Is told how many of all tiles have been taken off.
    """
    all_tiles = sum(collection.tiles(index) for index, _ in wanted)
    taken_off = 0

    def tell(tiles: int) -> None:
        progress("orders of play", taken_off + tiles, all_tiles)

    records: list[dict[str, Any]] = []
    for index, sheet in wanted:
        record = collection.record(index)
        edition = collection.edition(record["edition"])
        totals = sheet.totals if sheet is not None else None
        orders = orders_of_play(
            Board.empty(edition.layout),
            Board.from_rows(record["rows"]),
            edition,
            totals=totals,
            settled=sheet is not None and sheet.settled,
            lexicon=lexicon,
            steps=steps_within(limit_s),
            progress=tell,
        )
        name = f"game-{before + len(records) + 1:04d}"
        players = sheet.players if sheet is not None else UNKNOWN_PLAYERS
        records.append(orders_record(name, record["image"], players, totals, orders, edition))
        taken_off += record["tiles"]
        tell(0)
    return records


def steps_within(limit_s: float) -> int:
    """How many boards are looked at for the orders of play of a board; no limit is too long to be counted."""
    return max(1, int(min(limit_s * STEPS_A_SECOND, sys.maxsize)))
