"""Read and write game records in GCG, the text format that the programs of the field exchange.

Facts that GCG cannot express are written in the nearest form that other programs read, with a note that starts
with ``[tilesight]``; `scoring.gcg.notes` lists these notes. Two more forms are known to no other program: the
third and fourth player are ``#player3`` and ``#player4``, and points that a challenger loses are
``>nick: RACK (challenge) -10 total``.

The tiles left of two players are written in forms that other programs know: twice the value for the player who went
out and, where the edition subtracts each player's own tiles, a time penalty of their value for each, marked by a note.

The edition of a file is the one that ``#tile-distribution`` names, else a note ``LetterDistribution: name``, else
the edition of the word list of ``#lexicon`` (see `scoring.gcg.editions`), else a guess. Every tile of several letters
is in brackets, and nothing else is. In files without brackets the score, the board and the rack decide how letters are
grouped into tiles (see `scoring.gcg.plays`).

References
----------
https://www.poslfit.com/scrabble/gcg/ describes the format; Macondo, MAGPIE and Quackle define it by what
they read.
"""

from scoring.gcg.editions import find_edition
from scoring.gcg.reading import parse_gcg, read_gcg
from scoring.gcg.record import GcgDifference, GcgHeader, GcgLine, GcgRecord
from scoring.gcg.text import GcgProblem
from scoring.gcg.writing import format_gcg, write_gcg

__all__ = [
    "GcgDifference",
    "GcgHeader",
    "GcgLine",
    "GcgProblem",
    "GcgRecord",
    "find_edition",
    "format_gcg",
    "parse_gcg",
    "read_gcg",
    "write_gcg",
]
