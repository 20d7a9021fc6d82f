"""The text level of a GCG file: bytes to lines, and an event's line to its parts.

Nothing here knows boards or tiles. Reading is generous, since other programs write missing racks, CRLF,
a byte order mark, doubled spaces and doubled signs; what cannot be understood is a `GcgProblem` with
its line number, never the end of the file.

References
----------
The GCG description at https://www.poslfit.com/scrabble/gcg/ names the pragmas and the event forms.

A GCG file's lines sorted into pragmas, events and notes, before any tile is understood.
"""

from __future__ import annotations

import codecs
import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from scoring.errors import NotationError
from scoring.gcg.notes import Fact, parse_facts

__all__ = [
    "GcgEntry",
    "GcgProblem",
    "GcgScript",
    "RawAction",
    "RawEvent",
    "decode_gcg",
    "split_event",
    "split_lines",
    "split_pragma",
]

# The character sets that a text of letters comes in. Python's other codecs pack, escape or swap letters.
_CHARACTER_SETS = {
    "ascii", "utf-8", "koi8-r", "mac-roman", "cp437", "cp850", "cp852",
    *(f"iso8859-{part}" for part in (1, 2, 3, 4, 5, 7, 9, 10, 13, 14, 15, 16)),
    *(f"cp{page}" for page in range(1250, 1259)),
}  # fmt: skip
_ENCODING = re.compile(rb"#character-encoding\s+(\S+)", re.IGNORECASE)
_EVENT = re.compile(r">\s*(\S+)\s*:(?:\s+|$)(.*)")
_PRAGMA = re.compile(r"#([A-Za-z][\w-]*)\s*(.*)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_NUMBER = re.compile(r"[+-]{0,2}\d+")
_POSITION = re.compile(r"\d{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}\d{1,2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GcgProblem:
    """Something in a GCG file that a person should look at.

    Parameters
    ----------
    line : int
        Line number, counted from 1.
    message : str
        What is wrong and what was done about it.
    lost : bool
        True where the line's content could not be used, False where it could.
    """

    line: int
    message: str
    lost: bool = True

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


class RawAction(enum.Enum):
    """How a line's event was written."""

    PLAY = "play"
    PASS = "-"
    EXCHANGE = "-tiles"
    WITHDRAWN = "--"
    CHALLENGE = "(challenge)"
    TIME = "(time)"
    END_RACK = "(tiles)"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEvent:
    """An event's line, taken apart but not yet understood as tiles.

    Parameters
    ----------
    nick : str
        The player's nickname as written.
    action : RawAction
        How the event was written.
    rack : str
        As written, empty where the line has none.
    position, tiles : str
        The square such as ``8D``, and the word, the exchanged tiles or their number, or the tiles left.
    score, total : int or None
        The printed numbers, None where they are missing.
    """

    nick: str
    action: RawAction
    rack: str
    position: str = ""
    tiles: str = ""
    score: int | None = None
    total: int | None = None


def decode_gcg(content: bytes) -> tuple[tuple[str, ...], tuple[GcgProblem, ...]]:
    """The lines of a GCG file, and what was odd about their encoding.

    The first line's ``#character-encoding`` decides, if it names a character set that is in use for
    letters; a byte order mark counts as UTF-8. Without either the text is ISO 8859-1, unless it is valid
    UTF-8 beyond ASCII, which Latin text never is by chance.

    Raises
    ------
    NotationError
        If the bytes are not text.
    """
    if b"\0" in content:
        raise NotationError("the file holds zero bytes, so it is no GCG text; save it as UTF-8 text")
    problems = []
    marked = content.startswith(codecs.BOM_UTF8)
    if marked:
        content = content[len(codecs.BOM_UTF8) :]
    declared = _ENCODING.match(content.lstrip())
    name = declared.group(1).decode("ascii", "replace") if declared else "UTF-8" if marked else "ISO-8859-1"
    codec = _character_set(name)
    if codec is None:
        message = f"{name!r} is no character set known here; the text is read as UTF-8"
        problems.append(GcgProblem(line=1, message=message, lost=False))
        codec = name = "utf-8"
    try:
        text = content.decode(codec)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = (
            f"byte {content[error.start]:#04x} is not {name}, some letters are lost; save the file as UTF-8"
        )
        problems.append(GcgProblem(line=line, message=message))
        text = content.decode("utf-8", "replace")
    if not declared and not marked and not content.isascii():
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            message = "no '#character-encoding UTF-8' here although the text is UTF-8; read as such"
            problems.append(GcgProblem(line=1, message=message, lost=False))
    return split_lines(text), tuple(problems)


def _character_set(name: str) -> str | None:
    """Python's name of a character set, None if it is not one of those that are read."""
    try:
        codec = codecs.lookup(name).name
    except (LookupError, UnicodeError):
        return None
    return codec if codec in _CHARACTER_SETS else None


def split_lines(text: str) -> tuple[str, ...]:
    """The lines of a text, whichever system ended them, without control characters.

    Names and notes end on terminals and web pages, where an escape sequence would do harm.
    """
    # str.splitlines would also cut at separators that may stand inside a note
    return tuple(_CONTROL.sub("", line) for line in re.split(r"\r\n|\n|\r", text))


def split_pragma(line: str) -> tuple[str, str]:
    """A pragma's name in lower case without ``#``, and its text.

    Raises
    ------
    NotationError
        If no name follows the ``#``.
    """
    found = _PRAGMA.fullmatch(line.strip())
    if not found:
        raise NotationError(
            f"{line.strip()!r} is not a pragma; expected a name after '#', as in '#note text'"
        )
    return found.group(1).lower(), found.group(2).strip()


def split_event(line: str) -> RawEvent:
    """An event's line taken apart.

    Raises
    ------
    NotationError
        If the line is not an event in any known form.

    Examples
    --------
    >>> split_event(">ann: EELRTTX 8D T..EX +24 79").tiles
    'T..EX'
    """
    found = _EVENT.fullmatch(line.strip())
    if not found:
        raise NotationError(f"{line.strip()!r} is not an event; expected '>nick: RACK 8D WORD +score total'")
    nick, words = found.group(1), found.group(2).split()
    words, score, total = _without_numbers(words)
    parts = _parts(words)
    if parts is None:
        raise NotationError(
            f"{line.strip()!r} is not an event; expected a square and a word such as '8D WORD', '-', '--', "
            "'-TILES', '(challenge)', '(time)' or '(TILES)' after the rack"
        )
    action, rack, position, tiles = parts
    return RawEvent(
        nick=nick, action=action, rack=rack, position=position, tiles=tiles, score=score, total=total
    )


def _without_numbers(words: list[str]) -> tuple[list[str], int | None, int | None]:
    """The words before the printed numbers, the score and the total."""
    numbers: list[int] = []
    while words and len(numbers) < 2 and _NUMBER.fullmatch(words[-1]):
        # "-4" alone, or after a rack, means four tiles exchanged and is no score
        if not numbers and len(words) < 3 and words[-1].startswith("-") and not words[0].startswith("("):
            break
        *words, last = words
        numbers.insert(0, _signed(last))
    if not numbers:
        return words, None, None
    return words, numbers[0], numbers[1] if len(numbers) == 2 else None


def _signed(text: str) -> int:
    """The number, whose last sign counts: a negative score is sometimes written ``+-5``."""
    digits = text.lstrip("+-")
    return -int(digits) if "-" in text else int(digits)


def _parts(words: list[str]) -> tuple[RawAction, str, str, str] | None:
    """Action, rack, position and tiles of an event's words, or None."""
    match words:
        case [*rack, "--"] if len(rack) < 2:
            return RawAction.WITHDRAWN, "".join(rack), "", ""
        case [*rack, "-"] if len(rack) < 2:
            return RawAction.PASS, "".join(rack), "", ""
        case [*rack, "(challenge)" | "(CHALLENGE)"] if len(rack) < 2:
            return RawAction.CHALLENGE, "".join(rack), "", ""
        case [*rack, "(time)" | "(TIME)"] if len(rack) < 2:
            return RawAction.TIME, "".join(rack), "", ""
        case [*rack, left] if len(rack) < 2 and left.startswith("(") and left.endswith(")"):
            return RawAction.END_RACK, "".join(rack), "", left[1:-1]
        case [*rack, back] if len(rack) < 2 and back.startswith("-"):
            return RawAction.EXCHANGE, "".join(rack), "", back[1:]
        case [*rack, position, word] if len(rack) < 2 and _POSITION.fullmatch(position):
            return RawAction.PLAY, "".join(rack), position, word
        case _:
            return None


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
