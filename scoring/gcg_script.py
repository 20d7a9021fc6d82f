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
    """A file's lines sorted into pragmas, events and notes."""

    problems: list[GcgProblem] = field(default_factory=list)
    pragmas: dict[str, tuple[int, str]] = field(default_factory=dict)
    others: list[tuple[str, str]] = field(default_factory=list)
    entries: list[GcgEntry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    in_note: bool = False

    @classmethod
    def of(cls, lines: Iterable[str], problems: Iterable[GcgProblem] = ()) -> GcgScript:
        """The script of these lines, with problems that were found before."""
        script = cls(problems=list(problems))
        for number, line in enumerate(lines, 1):
            script._take(number, line)
        return script

    def _take(self, number: int, line: str) -> None:
        text = line.strip()
        if not text:
            return
        try:
            if text.startswith("#"):
                self._take_pragma(number, *split_pragma(text))
            elif text.startswith(">"):
                self.in_note = False
                self.entries.append(GcgEntry(number=number, raw=split_event(text)))
            elif self.in_note:
                self._note_list().append(text)
            else:
                raise NotationError(f"{text!r} is neither an event nor a pragma; a note starts with '#note'")
        except NotationError as error:
            self.problems.append(GcgProblem(line=number, message=str(error)))

    def _take_pragma(self, number: int, name: str, text: str) -> None:
        self.in_note = name == "note"
        if name == "note":
            self._note_list().append(text)
        elif name == "character-encoding":
            if number > 1:
                message = "'#character-encoding' counts on line 1 only; move it there"
                self.problems.append(GcgProblem(line=number, message=message, lost=False))
        elif re.fullmatch(
            r"player\d+|rack\d+|title|description|id|lexicon|tile-distribution|incomplete", name
        ):
            if name in self.pragmas:
                message = f"'#{name}' again, after line {self.pragmas[name][0]}; the first one counts"
                self.problems.append(GcgProblem(line=number, message=message, lost=False))
            self.pragmas.setdefault(name, (number, text))
        else:
            self.others.append((name, text))

    def _note_list(self) -> list[str]:
        return self.entries[-1].notes if self.entries else self.notes
