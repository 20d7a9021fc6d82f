"""The commands by which people state what happened: one grammar for keys, standard input and other programs.

Commands that change a game; `command_handlers` applies them, and `tilesight.live` `redo`::

    play 8D HRAKI           the player on turn placed this, though no camera saw it
    pass                    the player on turn passes
    exchange [3|ABC]        exchanges this number of tiles, or these
    challenge               the last play's words are not valid, and it is withdrawn
    challenge lost [Anna]   they are valid, and this player challenged them; without a name: the player on turn
    withdraw                the last play is withdrawn by its player, who plays again
    correct 8D HRAKI        the last play that began there was this one
    letter H8 n             the tile there is this one; lower case for a blank's letter
    clock Anna 10           takes points off a player for overtime
    name Ana Anna Lind      the player Ana is called Anna Lind, in earlier moves too
    insert 5 Anna pass      puts a move before move 5; change 5, delete 5 and accept 5: see `move_editing`
    turn Anna               it is this player's turn: the turns before were passes
    undo                    takes back the last change
    redo                    puts back what undo took back last
    board [wait]            the record gets the tiles that are on the board; wait: they are being taken off
    end [Anna=AB Jón=]      the game is over; tiles left on the racks, where they are known

Commands for the operator's state, which `tilesight.live` applies::

    start [Anna]            starts the clock of the player on turn, or this player's
    stop                    stops the clocks
    time Anna 12:30         sets the time that is left
    rack Anna [AÐRSX?E]     sets the tiles on a rack; none: not known
    confirm [H8]            the uncertain tile there was read correctly; without a square: all, and the question
    confirm question        the question was seen; uncertain tiles stay uncertain
    title [TEXT]            sets the line for viewers
    overtime                takes off the points that the clocks of the game say
    countdown [10:00]       what the start and the break page count down: minutes and seconds, or "at 19:30"
    new-game [as-is|void]   archives the game, and begins the next one; as-is: not settled, void: it does not count
"""

from __future__ import annotations

import difflib
import enum
from dataclasses import dataclass

from vision.errors import SettingsError

__all__ = ["Command", "Verb", "parse_command"]


class Verb(enum.StrEnum):
    """What a command does."""

    PLAY = "play"
    PASS = "pass"
    EXCHANGE = "exchange"
    CHALLENGE = "challenge"
    WITHDRAW = "withdraw"
    CORRECT = "correct"
    LETTER = "letter"
    CLOCK = "clock"
    NAME = "name"
    TURN = "turn"
    UNDO = "undo"
    BOARD = "board"
    INSERT = "insert"
    CHANGE = "change"
    DELETE = "delete"
    ACCEPT = "accept"
    END = "end"
    START = "start"
    STOP = "stop"
    TIME = "time"
    RACK = "rack"
    CONFIRM = "confirm"
    TITLE = "title"
    REDO = "redo"
    OVERTIME = "overtime"
    COUNTDOWN = "countdown"
    NEW_GAME = "new-game"


_TABLE_VERBS = frozenset(
    {
        Verb.START,
        Verb.STOP,
        Verb.TIME,
        Verb.RACK,
        Verb.CONFIRM,
        Verb.TITLE,
        Verb.OVERTIME,
        Verb.COUNTDOWN,
        Verb.NEW_GAME,
    }
)
"""The verbs for clocks, racks, titles and matches, which only `tilesight serve` keeps."""
_RECORD_VERBS = tuple(verb for verb in Verb if verb not in _TABLE_VERBS)
"""The others, for a game as `tilesight watch` follows it."""


@dataclass(frozen=True, slots=True)
class Command:
    """A verb and its arguments."""

    verb: Verb
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.verb.value, *self.words))


def parse_command(text: str) -> Command:
    """Parse a line; a refusal advises one of the verbs of a game without clocks, racks and matches.

    Raises
    ------
    SettingsError
        If the line does not begin with a verb.
    """
    words, known = text.split(), list(_RECORD_VERBS)
    if not words:
        raise SettingsError(f"an empty line is not a command; write one of {', '.join(known)}")
    try:
        return Command(verb=Verb(words[0].casefold()), words=tuple(words[1:]))
    except ValueError:
        near = difflib.get_close_matches(words[0].casefold(), known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"write one of {', '.join(known)}"
        raise SettingsError(f"{words[0][:20]!r} is no command; {hint}") from None
