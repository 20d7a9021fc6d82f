"""Who plays in a GCG file: nicknames and names."""

from __future__ import annotations

from collections import Counter

from scoring.errors import NotationError
from scoring.gcg_lines import GcgProblem
from scoring.gcg_script import GcgScript

__all__ = ["players_of"]

_MOST_PLAYERS = 4


def players_of(script: GcgScript) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Nicknames and names, from the pragmas or, where there is none, from the events.

    A pragma that cannot be used is added to the script's problems.

    Raises
    ------
    NotationError
        If nobody is named.
    """
    found: dict[str, str] = {}
    pragmas = [pragma for pragma in script.pragmas.items() if pragma[0].startswith("player")]
    for name, (number, text) in sorted(pragmas, key=lambda pragma: int(pragma[0][6:])):
        nick, _, full = text.partition(" ")
        if not nick or nick in found or len(found) == _MOST_PLAYERS:
            message = f"'#{name} {text}' is not used: expected a new nickname and a name, for at most 4"
            script.problems.append(GcgProblem(line=number, message=message))
            continue
        found[nick] = full.strip() or nick
    if not found:
        for entry in script.entries:
            if len(found) < _MOST_PLAYERS:
                found.setdefault(entry.raw.nick, entry.raw.nick)
    if not found:
        raise NotationError("the file names no player; write '#player1 nick Name' before the first event")
    alike = {name for name, count in Counter(found.values()).items() if count > 1}
    names = tuple(f"{name} ({nick})" if name in alike else name for nick, name in found.items())
    return tuple(found), names
