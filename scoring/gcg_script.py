"""A GCG file's lines sorted into pragmas, events and notes, before any tile is understood."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from scoring.errors import NotationError
from scoring.gcg_lines import GcgProblem, RawEvent, split_event, split_pragma
from scoring.gcg_record import Fact, parse_facts

__all__ = ["GcgEntry", "GcgScript"]

_KNOWN = re.compile(r"player\d+|rack\d+|title|description|id|lexicon|tile-distribution|incomplete")


@dataclass(slots=True)
class GcgEntry:
    """An event's line with the notes that follow it."""

    number: int
    raw: RawEvent
    notes: list[str] = field(default_factory=list)

    @property
    def facts(self) -> dict[Fact, str]:
        """What our own notes say."""
        return {fact: value for note in self.notes for fact, value in parse_facts(note).items()}

    @property
    def note(self) -> str:
        """The notes for people."""
        return "\n".join(note for note in self.notes if not parse_facts(note))


@dataclass(slots=True)
class GcgScript:
    """A file's lines sorted.

    Parameters
    ----------
    problems : list of GcgProblem
        Lines that belong nowhere.
    pragmas : dict of str to (int, str)
        Line number and text of each pragma that is understood, by name; the first one where it comes twice.
    others : list of (str, str)
        Names and texts of pragmas that are only kept.
    entries : list of GcgEntry
        The events.
    notes : list of str
        The notes before the first event.
    """

    problems: list[GcgProblem] = field(default_factory=list)
    pragmas: dict[str, tuple[int, str]] = field(default_factory=dict)
    others: list[tuple[str, str]] = field(default_factory=list)
    entries: list[GcgEntry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, lines: Iterable[str], problems: Iterable[GcgProblem] = ()) -> GcgScript:
        """The script of these lines, with problems that were found before."""
        script = cls(problems=list(problems))
        notes, in_note = script.notes, False
        for number, line in enumerate(map(str.strip, lines), 1):
            try:
                if line.startswith("#"):
                    name, text = split_pragma(line)
                    in_note = name == "note"
                    if in_note:
                        notes += [text] if text else []
                    else:
                        script._take_pragma(number, name, text)
                elif line.startswith(">"):
                    notes, in_note = [], False  # a note goes with its event, also where that cannot be read
                    script.entries.append(GcgEntry(number=number, raw=split_event(line), notes=notes))
                elif line and in_note:
                    notes.append(line)
                elif line:
                    raise NotationError(
                        f"{line!r} is neither an event nor a pragma; a note starts with '#note'"
                    )
            except NotationError as error:
                script.problems.append(GcgProblem(line=number, message=str(error)))
        return script

    def _take_pragma(self, number: int, name: str, text: str) -> None:
        if name == "character-encoding":
            if number > 1:
                message = "'#character-encoding' counts on line 1 only; move it there"
                self.problems.append(GcgProblem(line=number, message=message, lost=False))
        elif not _KNOWN.fullmatch(name):
            self.others.append((name, text))
        elif name in self.pragmas:
            message = f"'#{name}' again, after line {self.pragmas[name][0]}; the first one counts"
            self.problems.append(GcgProblem(line=number, message=message, lost=False))
        else:
            self.pragmas[name] = (number, text)
