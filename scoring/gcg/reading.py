"""Read a game from GCG, whatever program wrote it.

The pragmas come first: they name the players and the edition. Then each event line is read (see
`scoring.gcg.game_reader`). A file that names no known edition is read with each edition that has its letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from scoring.edition import Edition
from scoring.editions import edition_names, load_edition
from scoring.errors import NotationError
from scoring.files import read_file
from scoring.gcg.editions import DEFAULT, find_edition, is_foreign_norwegian
from scoring.gcg.game_reader import GameReader
from scoring.gcg.record import GcgRecord
from scoring.gcg.text import GcgProblem, GcgScript, decode_gcg, split_lines
from scoring.tiles import Alphabet

__all__ = ["parse_gcg", "read_gcg"]

_MAX_BYTES = 4_000_000  # of a file; a game with long notes has a hundredth of that, a device file never ends
_MAX_GUESSED_EVENTS = 200  # of a file whose edition is guessed; a game of four has about a hundred
_USUAL_LAYOUT = "crosswordgame"  # the name in Macondo and MAGPIE of the board of 15 x 15 squares
_MIN_EVIDENCE = 2  # wrong lines as English, below which it is not given up if all are read; chosen
_NEAR_MISS = 2  # wrong lines more than with the guessed edition; chosen


def read_gcg(path: str | Path, edition: Edition | str | Path | None = None) -> GcgRecord:
    """Read a game from a GCG file.

    Parameters
    ----------
    path : str or Path
        The file.
    edition : Edition, str or Path, optional
        As for `parse_gcg`.

    Raises
    ------
    ScoringError
        As by `parse_gcg`.
    OSError
        If the file cannot be read, or is larger than 4 MB.
    """
    return parse_gcg(read_file(path, _MAX_BYTES), edition)


def parse_gcg(content: str | bytes, edition: Edition | str | Path | None = None) -> GcgRecord:
    """Read a game from GCG text.

    Parameters
    ----------
    content : str or bytes
        The content of the file; bytes are decoded as the file says, or else as fits the letters of the edition.
    edition : Edition, str or Path, optional
        The tiles and rules, or the name or file of their edition. By default ``#tile-distribution``, then
        ``#lexicon`` decide. If the file names no known edition, it is guessed from the letters and the scores; a
        problem says which one.

    Raises
    ------
    NotationError
        If the text has neither a pragma nor an event, or names no player.
    ScoringError
        If the edition is not known, or its file is not valid; the errors of `load_edition`.
    """
    if edition is None:
        return _read_unnamed(content)
    edition = load_edition(edition)
    return _read_norwegian(_parse_script(content, edition), edition)


def _parse_script(content: str | bytes, alphabet: Alphabet = ()) -> GcgScript:
    """Decode a file and sort its lines; an alphabet that is known helps to find the character set."""
    if isinstance(content, str):
        lines, problems = split_lines(content.removeprefix("\ufeff")), tuple[GcgProblem, ...]()
    else:
        lines, problems = decode_gcg(content, alphabet)
    script = GcgScript.from_lines(lines, problems)
    if not (script.entries or script.pragmas):
        raise NotationError(
            "no line is a GCG event or names a player; a GCG file has lines such as '#player1 a Ann'"
            + ("; to read a file, use read_gcg" if isinstance(content, str) and "\n" not in content else "")
        )
    return script


def _read_unnamed(content: str | bytes) -> GcgRecord:
    """Read a file with the edition that it names, or with a guess."""
    script = _parse_script(content)

    def parse(edition: Edition) -> GcgScript:
        plain = isinstance(content, str) or content.isascii()
        return script if plain else _parse_script(content, edition)

    distribution_line, distribution = script.pragmas.get("tile-distribution", (0, ""))
    lexicon_line, lexicon = script.pragmas.get("lexicon", (0, ""))
    named = find_edition(distribution, script.notes, lexicon)
    if named.name is not None:
        edition = load_edition(named.name)
        record = _read_norwegian(parse(edition), edition)
        message = named.describe_guess(named.name) if named.unknown else ""
    else:
        record, message = _read_guessed(script, parse)
        name = record.game.edition.name
        if named.unknown:
            message = named.describe_guess(name) + message
        elif message:
            message = f"no edition is named; {name} is taken{message}"
    problems = list(record.problems)
    if message:
        line = distribution_line or lexicon_line or 1
        problems.append(GcgProblem(line=line, message=message, lost=False))
    layout = next((text for name, text in script.others if name == "board-layout"), "")
    if layout.lower() not in ("", _USUAL_LAYOUT):
        message = (
            f"'#board-layout {layout}' is not the board of {record.game.edition.name}, which is taken; "
            "name an edition file with its layout"
        )
        problems.append(GcgProblem(line=1, message=message, lost=False))
    return replace(record, problems=tuple(sorted(problems, key=lambda each: each.line)))


def _read_norwegian(script: GcgScript, edition: Edition) -> GcgRecord:
    """Read a file of a known edition.

    The Norwegian sheet gives the bonus for all tiles of a player, but tournaments and other programs for seven
    tiles only. Where an edition gives it for fewer than a full rack, the printed scores decide.
    """
    if edition.bonus is None or edition.bonus.tiles is not None:
        return GameReader(script, edition).read()
    seven = replace(edition, bonus=replace(edition.bonus, tiles=edition.rack_size))
    _, lexicon = script.pragmas.get("lexicon", (0, ""))
    order = (seven, edition) if is_foreign_norwegian(lexicon) else (edition, seven)
    first = GameReader(script, order[0]).read()
    if not _count_wrong(first):
        return first
    second = GameReader(script, order[1]).read()
    return second if _count_wrong(second) < _count_wrong(first) else first


def _read_guessed(script: GcgScript, parse: Callable[[Edition], GcgScript]) -> tuple[GcgRecord, str]:
    """Read a file that names no edition: English if it fits, otherwise the edition that fits best.

    Returns
    -------
    record : GcgRecord
        The file, read with that edition.
    message : str
        What speaks for it, and which other editions nearly fit; empty if English fits.
    """
    default = GameReader(script, load_edition(DEFAULT)).read()
    count = max(len(script.entries), len(default.lines))
    if not _count_wrong(default) or count > _MAX_GUESSED_EVENTS:
        return default, ""
    records = [default, *(_read_norwegian(*each) for each in _possible_editions(parse))]
    wrong = {record.game.edition.name: _count_wrong(record) for record in records}
    best = min(records, key=_count_wrong)
    name = best.game.edition.name
    is_lost = any(each.lost for each in default.problems)
    if (wrong[DEFAULT] < _MIN_EVIDENCE and not is_lost) or 2 * wrong[name] >= wrong[DEFAULT]:
        return default, ""
    near = [other for other in wrong if other != name and wrong[other] <= wrong[name] + _NEAR_MISS]
    misses = ", ".join(f"{other} ({wrong[other]} wrong lines)" for other in near)
    why = (
        "whose letters and scores fit" if not wrong[name] else f"which fits best ({wrong[name]} wrong lines)"
    )
    return best, f", {why}" + (f"; near misses: {misses}" if misses else "")


def _possible_editions(parse: Callable[[Edition], GcgScript]) -> Iterator[tuple[GcgScript, Edition]]:
    """Generate the editions, English aside, that have all letters of a file; the usual ones first."""
    for name in sorted(edition_names(), key=lambda name: ("-" in name or name == "krydsord", name)):
        edition = load_edition(name)
        script = parse(edition)
        letters = {
            sign.upper()
            for entry in script.entries
            for sign in entry.raw.rack + entry.raw.tiles
            if sign.isalpha()
        }
        if name != DEFAULT and letters <= set("".join(edition.tokens)):
            yield script, edition


def _count_wrong(record: GcgRecord) -> int:
    """Return the number of lines that are wrong: unread, against the rules, or with other scores."""
    lines = {each.line for each in record.differences if not each.carried}
    lines |= {each.line for each in record.problems if each.lost}
    return len(lines | {record.lines[each.index].number for each in record.game.problems})
