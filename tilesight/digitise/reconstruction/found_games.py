"""Reconstruct each game among the photos: from the photos that belong to it to its record and its game file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring import COVERED, EMPTY, Edition, Game, GameError
from tilesight.digitise.games.catalogue import Collection
from tilesight.digitise.games.conflicts import Square, disagreement
from tilesight.digitise.games.grouping import Shown
from tilesight.digitise.reconstruction.evidence import PhotoEvidence, collect_evidence
from tilesight.digitise.reconstruction.game_record import build_game
from tilesight.digitise.reconstruction.pipeline import reconstruct_positions
from tilesight.digitise.reconstruction.positions import Position
from tilesight.digitise.results.result_store import (
    GAMES,
    Store,
)
from tilesight.digitise.score_sheets.matching import (
    UNKNOWN_PLAYERS,
    SheetMatch,
)
from tilesight.digitise.score_sheets.settlement import totals_before_settlement

__all__ = [
    "MAX_WITNESSES",
    "found_games",
    "in_order_taken",
    "left_out",
    "other_totals",
    "sightings",
    "witnesses",
]


MAX_WITNESSES = 150
"""Photos of a game that are read together: a game has some forty plays, and time grows with the square of it."""


def found_games(
    collection: Collection,
    store: Store,
    uses: Sequence[SheetMatch | None],
    progress: Callable[[str, int, int], None],
) -> tuple[list[dict[str, Any]], dict[str, Mapping[Square, str]]]:
    """The games as JSON objects, with a game file for each, and by photo the squares that the game has otherwise.

    Game files of an earlier run are gone then.
    """
    texts: dict[str, str] = {}
    others: dict[str, Mapping[Square, str]] = {}
    records = []
    done, size, photos = 0, 0, sum(map(len, collection.games))

    def tell(share: float) -> None:
        progress("games", done + int(share * size), photos)

    for number, (shown, use) in enumerate(zip(collection.games, uses, strict=True)):
        size = len(shown)
        name = f"game-{number + 1:04d}"
        edition = collection.edition(next(iter(collection.pooled[number])))
        asked = sightings(collection, shown, edition)
        looks = reconstruct_positions(asked, edition, tell)
        names = [each.name for each in shown]
        sheet = use.sheet if use is not None else None
        found = build_game(looks, edition, sheet.players if sheet else UNKNOWN_PLAYERS)
        gaps = [*found.gaps, *left_out(names, asked, looks, edition)]
        if sheet is not None and sheet.totals is not None:
            gaps.extend(other_totals(found.game, sheet.totals, settled=sheet.settled))
        path = f"{GAMES}/{name}.gcg"
        try:
            texts[path] = replace(found, gaps=tuple(gaps)).gcg
        except GameError as error:
            gaps.append(f"there is no game file: {error}")
        found = replace(found, gaps=tuple(gaps))
        gcg = path if path in texts else None
        records.append({**found.record(name, in_order_taken(names, looks)), "gcg": gcg})
        boards = {name: look.decoded.board for look in looks for name in look.photos}
        witnessed = {each.name for each in asked}  # which board of the game the others show is not known
        for each in shown:
            if each.name in witnessed and each.name in boards:
                apart = disagreement(collection.record(each.index), boards[each.name])
                others |= {each.name: apart} if apart else {}
        tell(1.0)
        done += size
    store.replace_files(texts)
    return records, others


def other_totals(game: Game, totals: Sequence[int], *, settled: bool) -> list[str]:
    """The gap between what a score sheet says and what a game's plays come to."""
    possible = totals_before_settlement(totals, game.board, game.edition, settled=settled)
    if not possible or game.totals in possible:
        return []
    said, came = (", ".join(map(str, each)) for each in (totals, game.totals))
    return [f"the score sheet says {said}, the plays come to {came}"]


def sightings(collection: Collection, shown: Sequence[Shown], edition: Edition) -> list[PhotoEvidence]:
    """What its photos say of a game; of very many only the witnesses are asked."""
    found: list[PhotoEvidence] = []
    asked = witnesses(collection, shown)
    for number, each in enumerate(shown):
        if number not in asked and found:
            found[-1] = replace(found[-1], others=(*found[-1].others, each.name))
        elif (reading := collection.reading(each.index)) is not None:
            sighting = collect_evidence(collection.record(each.index), reading, edition)
            found.extend([sighting] if sighting is not None else [])
    return found


def witnesses(collection: Collection, shown: Sequence[Shown]) -> set[int]:
    """Which of a game's photos are asked: of very many the last one, those corrected, and those that show a change.

    Where that leaves room, some of the photos with the same squares taken as the one before are asked, too; where too
    many show a change, every second, third ... of these.
    """
    if len(shown) <= MAX_WITNESSES:
        return set(range(len(shown)))
    asked = {len(shown) - 1}
    changed, same = list[int](), list[int]()
    before: list[list[str]] = []
    for number, each in enumerate(shown):
        record = collection.record(each.index)
        # A misread letter is no change; a square that is no longer covered may be one.
        taken = [[token if token in (EMPTY, COVERED) else "" for token in row] for row in record["rows"]]
        (same if taken == before else changed).append(number)
        before = taken
        if record.get("corrected"):
            asked.add(number)
    asked.update(changed[:: math.ceil(len(changed) / MAX_WITNESSES)])
    room = MAX_WITNESSES - len(asked)
    if room > 0:
        asked.update(same[:: math.ceil(len(same) / room) or 1])
    return asked


def left_out(
    names: Sequence[str], asked: Sequence[PhotoEvidence], looks: Sequence[Position], edition: Edition
) -> list[str]:
    """The gaps of a game's photos that its looks do not show."""
    known = {name for each in asked for name in (each.name, *each.others)}
    shown = {name for look in looks for name in look.photos}
    gaps = [
        f"{name}: was read as another board than {edition.name}'s; it is left out"
        for name in names
        if name not in known
    ]
    gaps += [f"{name}: no tile on it is of a play; it is left out" for name in names if name in known - shown]
    return gaps


def in_order_taken(names: Sequence[str], looks: Sequence[Position]) -> list[str]:
    """A game's photos in the order in which it was played; those that no look has stay behind the one before them."""
    order = [name for look in looks for name in look.photos]
    for number, name in enumerate(names):
        if name not in order:
            order.insert(order.index(names[number - 1]) + 1 if number else 0, name)
    return order
