"""Write a game as GCG that Macondo, MAGPIE, Quackle and Woogles can read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scoring.errors import GameError
from scoring.files import write_atomically
from scoring.game import Game
from scoring.gcg.event_lines import EventWriter, note_lines, one_line
from scoring.gcg.notes import Fact, format_facts
from scoring.gcg.record import GcgHeader, make_nicks
from scoring.tiles import as_blank, format_tokens

__all__ = ["format_gcg", "write_gcg"]


def write_gcg(path: str | Path, game: Game, header: GcgHeader | None = None) -> None:
    """Write a game to a GCG file, atomically.

    Parameters
    ----------
    path : str or Path
        The file.
    game, header
        As for `format_gcg`.

    Raises
    ------
    GameError
        If the game has no GCG form (see `format_gcg`).
    OSError
        If the file cannot be written.
    """
    write_atomically(Path(path), format_gcg(game, header).encode())


def format_gcg(game: Game, header: GcgHeader | None = None) -> str:
    """Return a game as GCG text.

    Parameters
    ----------
    game : Game
        Any game that started from an empty board.
    header : GcgHeader, optional
        The title, nicknames and so on. Without nicknames, these are made from the names of the players.

    Raises
    ------
    GameError
        If the game started from a board with tiles, or the nicknames do not fit the players.
    """
    if game.start is not None and not game.start.is_empty:
        raise GameError(
            "a game that went on from a board with tiles has no GCG form; leave its GCG file out, and keep the game "
            "in a journal"
        )
    header = header or GcgHeader()
    nicks = header.nicks or make_nicks(game.players)
    is_usable = all(nick.split() == [nick] and ";" not in nick for nick in nicks)
    if len(nicks) != len(game.players) or len(set(nicks)) < len(nicks) or not is_usable:
        raise GameError(
            f"nicknames {', '.join(nicks)}: give each of {len(game.players)} players one, without spaces or semicolons"
        )
    events = EventWriter(game, nicks).format_events()
    if events and header.incomplete:
        events += note_lines(format_facts({Fact.INCOMPLETE: ""}))
    letters = game.edition.tokens
    racks = [
        f"#rack{n} {format_tokens(rack, letters, bracketed=True)}"
        for n, rack in enumerate(header.racks, 1)
        if rack
    ]
    lines = [*_head_lines(game, header, nicks), *_mark_single_letters(events, racks, letters), *racks]
    return "\n".join(lines) + "\n"


def _head_lines(game: Game, header: GcgHeader, nicks: Sequence[str]) -> list[str]:
    """Return the pragmas before the first event."""
    lines = ["#character-encoding UTF-8"]
    lines += [
        f"#player{n} {nick} {one_line(name)}"
        for n, (nick, name) in enumerate(zip(nicks, game.players, strict=True), 1)
    ]
    # Other programs refuse a note before the first event
    description = "; ".join(filter(None, [header.description, *header.note.splitlines()]))
    pragmas = [
        ("title", header.title),
        ("description", description),
        ("id", header.identifier),
        ("lexicon", header.lexicon),
        ("tile-distribution", game.edition.name),
    ]
    lines += [f"#{name} {one_line(text)}" for name, text in pragmas if text]
    return lines + [f"#{name} {one_line(text)}".rstrip() for name, text in header.others]


def _mark_single_letters(events: list[str], racks: list[str], letters: Sequence[str]) -> list[str]:
    """Return the events' lines, with a note that bare letters are one tile each where no bracket says so."""
    several = [token for letter in letters if len(letter) > 1 for token in (letter, as_blank(letter))]
    texts = [*racks, *(line.partition(": ")[2] for line in events if line.startswith(">"))]
    is_ambiguous = any(token in text for text in texts for token in several)
    if not events or not is_ambiguous or any("[" in text for text in texts):
        return events
    return [events[0], *note_lines(format_facts({Fact.SINGLE_LETTERS: ""})), *events[1:]]
