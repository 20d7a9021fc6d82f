"""Which game each score sheet is of: a sheet is of one game, and a game has one sheet."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from tilesight.digitise.score_sheets.file import Sheet, match_photos

__all__ = ["UNKNOWN_PLAYERS", "GameCandidate", "SheetAssignment", "SheetMatch", "assign_sheets"]

MAX_NAMED = 3
"""Photos that a line names, at most."""
Claim = tuple[int, int, str]
"""A sheet of a game by its number, with the number and the name of the first of the game's photos that it names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameCandidate:
    """What a score sheet may be of: a game of several photos, or a single board.

    Parameters
    ----------
    photos : tuple of int
        The numbers of its photos.
    names : tuple of tuple of str
        The names of each photo, with those of the files with the same bytes.
    rows : tuple of tuple of str or None
        What lies on the single board; None for a game of several photos.
    """

    photos: tuple[int, ...]
    names: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str, ...], ...] | None = None

    def first_among(self, names: Collection[str]) -> tuple[int, str] | None:
        """The number and the name of its first photo that has one of these names, None if there is none."""
        for photo, own in zip(self.photos, self.names, strict=True):
            for name in own:
                if name in names:
                    return photo, name
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetMatch:
    """The score sheet of a game.

    Parameters
    ----------
    sheet : Sheet
        The sheet.
    photo : int
        The first of the game's photos that it names.
    """

    sheet: Sheet
    photo: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetAssignment:
    """The score sheets of games.

    Parameters
    ----------
    uses : tuple of Use or None
        For each game its sheet.
    lines : tuple of str
        What is told of sheets that are not used, or not for all photos that they name.
    """

    uses: tuple[SheetMatch | None, ...]
    lines: tuple[str, ...]


def assign_sheets(
    sheets: Sequence[Sheet], found: Sequence[GameCandidate], photos: Sequence[str]
) -> SheetAssignment:
    """The score sheet of each game and single board.

    A sheet that may be of several games is used for none, and so are sheets that say different things of one game:
    totals of another game would explain a board by plays that nobody made.

    Parameters
    ----------
    sheets : sequence of Sheet
        All of them. Nothing is told of those that name no photo, see `unmatched`.
    found : sequence of Found
        The games and single boards.
    photos : sequence of str
        The names of all photos, also of those without a board.
    """
    lines: list[tuple[int, str]] = []
    claims: dict[int, list[Claim]] = {}
    uses: list[SheetMatch | None] = [None] * len(found)
    for number, sheet in enumerate(sheets):
        names = match_photos(sheet.photos, photos)
        here = {at: first for at, each in enumerate(found) if (first := each.first_among(names)) is not None}
        at, line = choice({at: name for at, (_, name) in here.items()}, found, sorted(names))
        if at is not None:
            claims.setdefault(at, []).append((number, *here[at]))
        if line:
            lines.append((number, line))
    for at, claim in claims.items():
        if len({replace(sheets[number], photos=()) for number, _, _ in claim}) > 1:
            lines += [(number, contradiction(number, name, claim)) for number, _, name in claim]
        else:
            number, photo, _ = claim[0]
            uses[at] = SheetMatch(sheet=sheets[number], photo=photo)
    said = (
        f"game {number + 1} ({', '.join(sheets[number].players)}) {line}" for number, line in sorted(lines)
    )
    return SheetAssignment(uses=tuple(uses), lines=tuple(said))


def choice(
    here: Mapping[int, str], found: Sequence[GameCandidate], names: Sequence[str]
) -> tuple[int | None, str | None]:
    """Which game a sheet is of, and what is told of it.

    Parameters
    ----------
    here : mapping of int to str
        The games of which it names photos, each with the first of these.
    found : sequence of Found
        All games and single boards.
    names : sequence of str
        All photos that it names.
    """
    if not names:
        return None, None
    if not here:
        return None, f"is not used: no tiles were found on {some(names)}; see the report"
    if len(here) == 1:
        return next(iter(here)), None
    if len({found[at].rows or at for at in here}) == 1:
        (at, name), *others = here.items()
        return at, f"is used for {name}, not for {some([other for _, other in others])}: it is the same board"
    games = [at for at in here if found[at].rows is None]
    if len(games) == 1 and len({PurePath(name).parent for name in names}) == 1:
        others = [(at, name) for at, name in here.items() if at != games[0]]
        apart = some([name for _, name in others])
        return games[0], f"is used for the game of {here[games[0]]}, not for {apart}, found apart from it"
    return None, (
        f"is not used: it names photos of {len(here)} games, {some(list(here.values()))}; "
        "name those of one game, with their folders"
    )


def contradiction(number: int, name: str, claim: Sequence[Claim]) -> str:
    """What is told of a sheet where others say something else of its game."""
    others = [str(other + 1) for other, _, _ in claim if other != number]
    say = "game {} says" if len(others) == 1 else "games {} say"
    return (
        f"is not used: {say.format(' and '.join(others))} otherwise who played the game of {name}, or what they had; "
        "keep the right one only"
    )


def some(names: Sequence[str]) -> str:
    """The first of these names, and how many more there are."""
    more = [f"{len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    return " and ".join([", ".join(names[:MAX_NAMED]), *more])


UNKNOWN_PLAYERS = ("A", "B")
"""Photos do not show who plays; scores and plays do not depend on it, totals do."""
