"""A GCG file as values: the game, its header, and the printed scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.game import ChallengeEvent, Game, Step, WithdrawnEvent
from scoring.gcg.text import GcgProblem

__all__ = ["GcgDifference", "GcgHeader", "GcgLine", "GcgRecord", "make_nicks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GcgHeader:
    """The content of a GCG file apart from the game.

    Parameters
    ----------
    title, description, identifier, lexicon : str
        The texts of these pragmas, ``#id`` for `identifier`; empty if missing.
    nicks : tuple of str
        The nicknames of the players, without spaces. If empty, they are made from the names when written.
    racks : tuple of (tuple of str or None)
        The racks at the end of an unfinished game, None for an unknown one; empty if none is known.
    incomplete : bool
        Whether the file says that the game is not recorded to its end.
    note : str
        The notes before the first event.
    others : tuple of (str, str)
        The names and texts of other pragmas, unchanged.
    """

    title: str = ""
    description: str = ""
    identifier: str = ""
    lexicon: str = ""
    nicks: tuple[str, ...] = ()
    racks: tuple[tuple[str, ...] | None, ...] = ()
    incomplete: bool = False
    note: str = ""
    others: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GcgLine:
    """The line of an event, with the numbers printed there.

    Parameters
    ----------
    number : int
        Line number, from 1.
    player : int
        The player of the line: the challenger for points lost by a challenge, else the player of the event.
    score, total : int or None
        The printed score and running total; None if missing.
    parts : tuple of GcgLine
        The two lines of a settlement in the form of other programs: a gain of twice the tiles of the other, and a
        time penalty of their value. `score` and `total` are then those after both. Empty for one line.
    """

    number: int
    player: int
    score: int | None = None
    total: int | None = None
    parts: tuple[GcgLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GcgDifference:
    """A line whose printed score or running total differs from the recomputed one.

    Parameters
    ----------
    line, player, index : int
        Line number from 1, the player, and the index of the event in the game.
    printed_score, printed_total : int or None
        The printed numbers.
    score, total : int
        The recomputed numbers.
    carried : bool
        True if the score is right and only the total carries on an error of an earlier line.
    """

    line: int
    player: int
    index: int
    printed_score: int | None
    score: int
    printed_total: int | None
    total: int
    carried: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GcgRecord:
    """The content of a GCG file.

    Parameters
    ----------
    game : Game
        The game, with all scores recomputed.
    header : GcgHeader
        The rest of the file.
    lines : tuple of GcgLine
        One for each event of the game.
    problems : tuple of GcgProblem
        Lines that cannot be read, or that the rules do not allow.
    """

    game: Game
    header: GcgHeader
    lines: tuple[GcgLine, ...]
    problems: tuple[GcgProblem, ...]

    @property
    def differences(self) -> tuple[GcgDifference, ...]:
        """The lines whose printed numbers differ from the recomputed ones."""
        found = []
        printed_before: dict[int, int] = {}
        for line, step in zip(self.lines, self.game.steps, strict=True):
            score, before = step.changes[line.player], step.before.totals[line.player]
            scores = (2 * score, -score) if line.parts else (score,)
            for part, change in zip(line.parts or (line,), scores, strict=True):
                before += change
                found += _compare(part, step, change, before, printed_before.get(line.player, 0))
                if part.total is not None:
                    printed_before[line.player] = part.total
        return tuple(found)


def _compare(line: GcgLine, step: Step, score: int, total: int, printed_before: int) -> list[GcgDifference]:
    """Return the difference of a printed line, if any, from the recomputed `score` and `total`."""
    score_right = line.score in (None, score) or (
        # some programs print +0 where a play is taken back, and the right total
        isinstance(step.event, WithdrawnEvent | ChallengeEvent) and line.score == 0 and line.total == total
    )
    if score_right and line.total in (None, total):
        return []
    return [
        GcgDifference(
            line=line.number,
            player=line.player,
            index=step.index,
            printed_score=line.score,
            score=score,
            printed_total=line.total,
            total=total,
            carried=score_right and line.total == printed_before + score,
        )
    ]


def make_nicks(players: Sequence[str]) -> tuple[str, ...]:
    """Return nicknames: the names with underscores for spaces and semicolons, and a number to keep them different."""
    nicks: list[str] = []
    for number, name in enumerate(players, 1):
        nick = "_".join(name.replace(";", " ").split()) or f"player{number}"
        while nick in nicks:
            nick = f"{nick}_{number}"
        nicks.append(nick)
    return tuple(nicks)
