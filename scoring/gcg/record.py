"""A GCG file as values: the game, what stands beside it, and the numbers that were printed."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.game import Game, Step
from scoring.gcg.text import GcgProblem

__all__ = ["GcgDifference", "GcgHeader", "GcgLine", "GcgRecord"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GcgHeader:
    """What a GCG file says beside the game itself.

    Parameters
    ----------
    title, description, identifier, lexicon : str
        The pragmas of that name, empty where there is none.
    nicks : tuple of str
        The players' nicknames, without spaces; empty for nicknames made from their names.
    racks : tuple of (tuple of str or None)
        The racks at the end of an unfinished game, as far as they are known; empty if none is.
    incomplete : bool
        Whether the file says that the game was not recorded to its end.
    note : str
        Notes before the first event.
    others : tuple of (str, str)
        Further pragmas and their text, kept as they are.
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
    """Where an event of the game stands in the file, and the numbers printed there.

    Parameters
    ----------
    number : int
        Line number, counted from 1.
    player : int
        Whose line it is: the challenger's for points lost by a challenge, else the event's player's.
    score, total : int or None
        As printed; None where there is none.
    """

    number: int
    player: int
    score: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GcgDifference:
    """A line whose printed score or running total is not what the rules give.

    Parameters
    ----------
    line, player, index : int
        Line number from 1, the player, and the event's index in the game.
    printed_score, printed_total : int or None
        As printed.
    score, total : int
        As recomputed.
    carried : bool
        True where the printed numbers add up among themselves, so that the line only carries on what an
        earlier one got wrong.
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
    """A GCG file that was read.

    Parameters
    ----------
    game : Game
        The game, with every score recomputed.
    header : GcgHeader
        What the file says beside it.
    lines : tuple of GcgLine
        One for each event of the game.
    problems : tuple of GcgProblem
        Lines that could not be read, or that the rules do not allow.
    """

    game: Game
    header: GcgHeader
    lines: tuple[GcgLine, ...]
    problems: tuple[GcgProblem, ...]

    @property
    def differences(self) -> tuple[GcgDifference, ...]:
        """The lines whose printed score or running total differs from the recomputed one."""
        found = []
        printed_before: dict[int, int] = {}
        for line, step in zip(self.lines, self.game.steps, strict=True):
            found += self._difference(line, step, printed_before.get(line.player, 0))
            if line.total is not None:
                printed_before[line.player] = line.total
        return tuple(found)

    def _difference(self, line: GcgLine, step: Step, printed_before: int) -> list[GcgDifference]:
        score, total = step.changes[line.player], step.after.totals[line.player]
        score_right = line.score in (None, score)
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
