"""Assign score sheets to games: a sheet is of one game, and a game has one sheet.

The candidates are the games and the single boards among the photos. What a sheet says is compared with the plays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from tilesight.digitise.games import PhotoGames
from tilesight.digitise.score_sheets.file import Sheet, match_photos

__all__ = ["GameCandidate", "SheetMatch", "assign_sheets", "list_candidates"]

MAX_NAMED = 3
"""Most photos that a remark names; chosen."""


GameCandidate = Mapping[str, int]
"""A game, or a single board, that a score sheet may be of: the index of each photo by name, also by the names of files
with the same bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetMatch:
    """The score sheet of a game."""

    sheet: Sheet
    photo: int
    """The first of the game's photos that it names."""


def assign_sheets(
    sheets: Sequence[Sheet], candidates: Sequence[GameCandidate], game_count: int, photos: Sequence[str]
) -> tuple[Sequence[SheetMatch | None], Sequence[str]]:
    """Assign a score sheet to each candidate, of which the first are games, the others single boards.

    `photos` are the names of all photos, also of those without a board.

    Return the sheet of each candidate, and remarks on sheets that are not used, or not for all photos that they name. A
    sheet that may be of several games is used for none, and so are sheets of one game that contradict each other.
    Those that name no photo get no remark, see `find_unmatched_patterns`.
    """
    remarks, claims = list[tuple[int, str]](), dict[int, dict[int, str]]()
    uses: list[SheetMatch | None] = [None] * len(candidates)
    for number, sheet in enumerate(sheets):
        names = match_photos(sheet.photos, photos)
        named = {
            index: next(name for name in candidate if name in names)
            for index, candidate in enumerate(candidates)
            if not names.isdisjoint(candidate)
        }
        index, remark = choose_game(named, game_count, sorted(names))
        if index is not None:
            claims.setdefault(index, {})[number] = named[index]
        if remark:
            remarks.append((number, remark))
    for index, claim in claims.items():
        if len({replace(sheets[number], photos=()) for number in claim}) > 1:
            for number, name in claim.items():
                others = [str(other + 1) for other in claim if other != number]
                say = f"game {others[0]} says" if len(others) == 1 else f"games {' and '.join(others)} say"
                remark = f"is not used: {say} otherwise who played the game of {name}, or what they had; "
                remarks.append((number, f"{remark}keep the right one only"))
        else:
            number, name = next(iter(claim.items()))
            uses[index] = SheetMatch(sheet=sheets[number], photo=candidates[index][name])
    return uses, [
        f"game {number + 1} ({', '.join(sheets[number].players)}) {remark}"
        for number, remark in sorted(remarks)
    ]


def choose_game(
    named: Mapping[int, str], game_count: int, names: Sequence[str]
) -> tuple[int | None, str | None]:
    """Choose the game that a sheet is of: its index, None if the sheet is not used, and a remark for the user.

    `named` has the candidates of which the sheet names photos, and the first of these; `names` are all that it names.
    """
    if not names:
        return None, None
    if not named:
        return None, f"is not used: no tiles were found on {abbreviate(names)}; see the report"
    if len(named) == 1:
        return next(iter(named)), None
    games = [index for index in named if index < game_count]
    if len(games) == 1 and len({PurePath(name).parent for name in names}) == 1:
        apart = abbreviate([name for index, name in named.items() if index != games[0]])
        return games[0], f"is used for the game of {named[games[0]]}, not for {apart}, found apart from it"
    return None, (
        f"is not used: it names photos of {len(named)} games, {abbreviate(list(named.values()))}; "
        "name those of one game, with their folders"
    )


def abbreviate(names: Sequence[str]) -> str:
    """List the first of these names, and count the others."""
    more = [f"{len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    return " and ".join([", ".join(names[:MAX_NAMED]), *more])


def list_candidates(games: PhotoGames) -> list[GameCandidate]:
    """List the games in their order, then the single boards; photos with the same tiles are of one board."""
    catalogue = games.catalogue
    singles: dict[bytes, list[int]] = {}
    for index in range(len(catalogue)):
        if index not in games.game_of and catalogue.is_comparable(index):
            board = catalogue.boards[index].clip(min=0)  # covered squares count as empty
            singles.setdefault(board.tobytes(), []).append(index)
    return [
        {catalogue.photos[copy].name: index for index in indices for copy in catalogue.copies_of(index)}
        for indices in (*games.games, *singles.values())
    ]
