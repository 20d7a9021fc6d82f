"""The text level of a GCG file: from bytes to lines, and from lines to pragmas, events and notes.

This module knows neither boards nor tiles. It accepts what other programs write: missing racks, CRLF, a byte
order mark, doubled spaces and doubled signs. A line that cannot be read becomes a `GcgProblem` with its number,
and reading continues.

References
----------
https://www.poslfit.com/scrabble/gcg/ describes the pragmas and the event forms.
"""

from __future__ import annotations

import codecs
import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from scoring.character_sets import LATIN_1, find_character_set, is_other_script, is_utf8
from scoring.errors import NotationError
from scoring.gcg.notes import Fact, parse_facts
from scoring.tiles import Alphabet, has_bare_tiles

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

# The accepted character sets. Python's other codecs compress, escape or replace letters.
_CHARACTER_SETS = {
    "ascii", "utf-8", "koi8-r", "mac-roman", "cp437", "cp850", "cp852",
    *(f"iso8859-{part}" for part in (1, 2, 3, 4, 5, 7, 9, 10, 13, 14, 15, 16)),
    *(f"cp{page}" for page in range(1250, 1259)),
}  # fmt: skip
_ENCODING = re.compile(rb"#character-encoding\s+(\S+)", re.IGNORECASE)
_EVENT_WORDS = re.compile(rb"^[ \t]*>[ \t]*\S+[ \t]*:(.*)", re.MULTILINE)
_EVENT = re.compile(r">\s*(\S+)\s*:(?:\s+|$)(.*)")
_PRAGMA = re.compile(r"#([A-Za-z][\w-]*)\s*(.*)", re.DOTALL)
_KNOWN_PRAGMA = re.compile(
    r"player\d{1,9}|rack\d{1,9}|title|description|id|lexicon|tile-distribution|incomplete"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_NUMBER = re.compile(r"[+-]{0,2}\d{1,9}")  # Python refuses to convert thousands of digits
_POSITION = re.compile(r"\d{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}\d{1,2}")
_MAX_LINE = {">": 1_000, "#": 10_000}  # characters of an event and of a pragma other than a note; chosen
_MAX_MESSAGE = 500  # characters of a problem, which may quote a line; chosen
_SINGLE_IN_BRACKETS = re.compile(r"\[[^\[\]]\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class GcgProblem:
    """A problem in a GCG file.

    Parameters
    ----------
    line : int
        Line number, from 1.
    message : str
        What is wrong, and what was done about it.
    lost : bool
        Whether the content of the line is lost; False if it was used nevertheless.
    """

    line: int
    message: str
    lost: bool = True

    def __post_init__(self) -> None:
        text, half = self.message, _MAX_MESSAGE // 2
        if len(text) > _MAX_MESSAGE:
            object.__setattr__(self, "message", f"{text[:half]} ... {text[-half:]}")

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


class RawAction(enum.Enum):
    """The forms of an event line."""

    PLAY = "play"
    PASS = "-"
    EXCHANGE = "-tiles"
    WITHDRAWN = "--"
    CHALLENGE = "(challenge)"
    TIME = "(time)"
    END_RACK = "(tiles)"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEvent:
    """The parts of an event line, as text.

    Parameters
    ----------
    nick : str
        The nickname of the player.
    action : RawAction
        The form of the line.
    rack : str
        The rack, empty if missing.
    position, tiles : str
        The position such as ``8D``; the word, the exchanged tiles or their number, or the tiles left.
    score, total : int or None
        The printed score and running total; None if missing.
    """

    nick: str
    action: RawAction
    rack: str
    position: str = ""
    tiles: str = ""
    score: int | None = None
    total: int | None = None


def decode_gcg(content: bytes, alphabet: Alphabet = ()) -> tuple[tuple[str, ...], tuple[GcgProblem, ...]]:
    """Decode a GCG file.

    The pragma ``#character-encoding`` on the first line that is not empty decides if it names an accepted character
    set. A byte order mark means UTF-8. Without either, the text is UTF-8 if it has more characters of UTF-8 than other
    bytes beyond ASCII, which ISO 8859-1 text practically never has. Otherwise it is ISO 8859-1 as the format says,
    unless the events have more letters of the edition in another character set.

    Parameters
    ----------
    content : bytes
        The content of the file.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case; none if it is not known.

    Returns
    -------
    lines : tuple of str
        The lines, without their ends.
    problems : tuple of GcgProblem
        Problems of the encoding.

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
    content = b"\n".join(content.splitlines())
    declared = None if marked else _ENCODING.match(content.lstrip())
    name = declared.group(1).decode("ascii", "replace") if declared else "UTF-8" if marked else "ISO-8859-1"
    codec = _character_set(name)
    if codec is None:
        message = f"{name!r} is no character set known here; the text is read as UTF-8"
        problems.append(GcgProblem(line=1, message=message, lost=False))
        codec = name = "utf-8"
    if codec != "utf-8" and not content.isascii():
        found = "UTF-8" if is_utf8(content) else LATIN_1
        if found == LATIN_1 and not declared and is_other_script(alphabet):
            message = "the text is not UTF-8, so letters may be wrong; save it so, or name its '#character-encoding'"
            problems.append(GcgProblem(line=1, message=message, lost=False))
        elif found == LATIN_1 and not declared:
            found = find_character_set(b"".join(_EVENT_WORDS.findall(content)), alphabet)
        if found != LATIN_1:
            written = f"'#character-encoding {name}'" if declared else f"no '#character-encoding {found}'"
            message = f"{written} here although the text is {found}; read as such"
            problems.append(GcgProblem(line=1, message=message, lost=False))
            codec = name = found
    try:
        text = content.decode(codec)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = (
            f"byte {content[error.start]:#04x} is not {name}, some letters are lost; save the file as UTF-8"
        )
        problems.append(GcgProblem(line=line, message=message))
        text = content.decode(codec, "replace")
    return split_lines(text), tuple(problems)


def _character_set(name: str) -> str | None:
    """Return Python's name of a character set, None if it is not accepted."""
    try:
        codec = codecs.lookup(name).name
    except (LookupError, UnicodeError):
        return None
    return codec if codec in _CHARACTER_SETS else None


def split_lines(text: str) -> tuple[str, ...]:
    """Split a text with any line ends into lines, and remove control characters.

    Names and notes are shown on terminals and web pages, where escape sequences could do harm.
    """
    # str.splitlines would also split at separators that may be part of a note
    return tuple(_CONTROL.sub("", line) for line in re.split(r"\r\n|\n|\r", text))


def split_pragma(line: str) -> tuple[str, str]:
    """Split a pragma into its name, in lower case without ``#``, and its text.

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
    """Split an event line into its parts.

    Raises
    ------
    NotationError
        If the line does not have the form of an event.

    Examples
    --------
    >>> split_event(">ann: EELRTTX 8D T..EX +24 79").tiles
    'T..EX'
    """
    found = _EVENT.fullmatch(line.strip())
    if not found:
        raise NotationError(f"{line.strip()!r} is not an event; expected '>nick: RACK 8D WORD +score total'")
    nick, words = found.group(1), found.group(2).split()
    words, score, total = _split_numbers(words)
    parts = _split_action(words)
    if parts is None:
        raise NotationError(
            f"{line.strip()!r} is not an event; expected a square and a word such as '8D WORD', '-', '--', "
            "'-TILES', '(challenge)', '(time)' or '(TILES)' after the rack"
        )
    action, rack, position, tiles = parts
    return RawEvent(
        nick=nick, action=action, rack=rack, position=position, tiles=tiles, score=score, total=total
    )


def _split_numbers(words: list[str]) -> tuple[list[str], int | None, int | None]:
    """Return the words before the printed numbers, the score and the total.

    WatchGCG, Quackle and Kurnik write the words that a play forms after the total; they are dropped.
    """
    for at in range(len(words) - 2, 0, -1):
        score, total, after = words[at - 1 : at + 2]
        if (
            score[0] in "+-"
            and _NUMBER.fullmatch(score)
            and _NUMBER.fullmatch(total)
            and not _NUMBER.fullmatch(after)
        ):
            return words[: at - 1], _parse_number(score), _parse_number(total)
    numbers: list[int] = []
    while words and len(numbers) < 2 and _NUMBER.fullmatch(words[-1]):
        # "-4" alone or after a rack is an exchange of four tiles, not a score
        *before, last = words
        if len(before) < 2 and last.startswith("-") and not "".join(before).startswith(("(", "-")):
            break
        words = before
        numbers.insert(0, _parse_number(last))
    if not numbers:
        return words, None, None
    return words, numbers[0], numbers[1] if len(numbers) == 2 else None


def _parse_number(text: str) -> int:
    """Read a number with its sign; some programs write a negative score as ``+-5``."""
    digits = text.lstrip("+-")
    return -int(digits) if "-" in text else int(digits)


def _split_action(words: list[str]) -> tuple[RawAction, str, str, str] | None:
    """Return the action, rack, position and tiles of an event; None if it has no known form."""
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


@dataclass(slots=True)
class GcgEntry:
    """An event line with its line number and the notes that follow it."""

    number: int
    raw: RawEvent
    notes: list[str] = field(default_factory=list)

    @property
    def facts(self) -> dict[Fact, str]:
        """The facts of the ``[tilesight]`` notes."""
        if not self.notes:
            return {}
        return {fact: value for note in self.notes for fact, value in parse_facts(note).items()}

    @property
    def note(self) -> str:
        """The other notes."""
        return "\n".join(note for note in self.notes if not parse_facts(note))


@dataclass(slots=True)
class GcgScript:
    """The lines of a file, sorted into pragmas, events and notes.

    Parameters
    ----------
    problems : list of GcgProblem
        The problems found so far.
    pragmas : dict of str to (int, str)
        Line number and text of each known pragma, by name; if it is repeated, the first one.
    others : list of (str, str)
        The names and texts of other pragmas.
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

    def is_bracketed(self, alphabet: Alphabet) -> bool:
        """Return whether every tile of several letters is in brackets, so that bare letters are one tile each.

        A file tells it by such a bracket, by ``#tile``, or by our note. Earlier versions put brackets only where
        a tile would be misread, and so also around single letters. A bare letter that is no tile tells them too.
        """
        texts = [f"{entry.raw.rack} {entry.raw.tiles}" for entry in self.entries]
        texts += [text for name, (_, text) in self.pragmas.items() if name.startswith("rack")]
        if any(_SINGLE_IN_BRACKETS.search(text) or has_bare_tiles(text, alphabet) for text in texts):
            return False
        return (
            any("[" in text for text in texts)
            or any(name == "tile" and text for name, text in self.others)
            or any(Fact.SINGLE_LETTERS in entry.facts for entry in self.entries)
        )

    @classmethod
    def from_lines(cls, lines: Iterable[str], problems: Iterable[GcgProblem] = ()) -> GcgScript:
        """Sort the lines; `problems` are those found before."""
        script = cls(problems=list(problems))
        notes, in_note = script.notes, False
        stripped = [line.strip() for line in lines]
        first = next((number for number, line in enumerate(stripped, 1) if line), 1)
        for number, line in enumerate(stripped, 1):
            try:
                if len(line) > _MAX_LINE.get(line[:1], len(line)) and line[:5].lower() != "#note":
                    raise NotationError(
                        f"a line of {len(line):,} characters is not an event or pragma; only a note may be as long"
                    )
                if line.startswith("#"):
                    name, text = split_pragma(line)
                    in_note = name == "note"
                    if in_note:
                        notes += [text] if text else []
                    elif name == "character-encoding":
                        if number > first:
                            message = "'#character-encoding' counts on the first line only; move it there"
                            script.problems.append(GcgProblem(line=number, message=message, lost=False))
                    else:
                        script._add_pragma(number, name, text)
                elif line.startswith(">"):
                    notes, in_note = [], False  # notes belong to this event even if it cannot be read
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

    def _add_pragma(self, number: int, name: str, text: str) -> None:
        if not _KNOWN_PRAGMA.fullmatch(name):
            self.others.append((name, text))
        elif name in self.pragmas:
            message = f"'#{name}' again, after line {self.pragmas[name][0]}; the first one counts"
            self.problems.append(GcgProblem(line=number, message=message, lost=False))
        else:
            self.pragmas[name] = (number, text)
