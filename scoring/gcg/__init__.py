"""Game records in GCG, the text form that the tools of the field exchange: read and write.

What GCG has no form for is written so
that other readers still get a game: the nearest form of theirs, and a note that starts with ``[tilesight]``
and holds facts parted by ``;``:

===========================  ============================================================================
``unknown-blanks H8 C3``     these blanks' letters are not known; the letters written are stand-ins
``rack-unknown``             the rack written is a stand-in, since readers want one
``pass-or-exchange``         a turn without a play; nobody could tell which of the two it was
``exchange``                 an exchange, and nobody knows of how many tiles
``turn-kept``                who took the play back plays again, or who challenged in vain loses no turn ...
``turn-lost``                ... or loses one, where the edition says otherwise
``challenged``               the play was taken back because it was challenged, ...
``challenged-by NICK``       ... or it was challenged in vain, by this player
``challenge-failed``         a turn that was lost by a challenge in vain
``unplayable``               a play that could not lie on the board
``score-incomplete H8``      these blanks would score as their letters, which are not known
===========================  ============================================================================

Of more than two players the third and fourth are ``#player3`` and ``#player4``, and points that a
challenger loses are ``>nick: RACK (challenge) -10 total``. Other programs have no form for these two.
Tiles left are written as the edition settles them, each player's own taken off and added for who went out;
MAGPIE knows only the way of tournaments, twice the value for who went out, which is read too.

Whose tiles a file has is what ``#tile-distribution`` names, else a note ``LetterDistribution: name``, else the
edition that goes with the word list of ``#lexicon`` (see `scoring.gcg.reading`), else English. A word whose
letters may be grouped in several ways is read as its score, the board and the rack allow (see
`scoring.gcg.plays`).

References
----------
https://www.poslfit.com/scrabble/gcg/ describes the format; Macondo, MAGPIE and Quackle define it by what
they read.
"""

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
    "format_gcg",
    "parse_gcg",
    "read_gcg",
    "write_gcg",
]
