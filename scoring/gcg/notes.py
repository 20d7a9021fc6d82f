"""The ``[tilesight]`` notes: facts that GCG itself cannot express."""

from __future__ import annotations

import enum
from collections.abc import Mapping

__all__ = ["Fact", "format_facts", "parse_facts"]

_MARK = "[tilesight]"
_MAX_LENGTH = 10_000  # characters of a note with facts; a third names each square of a board with its tile


class Fact(enum.Enum):
    """The facts of a ``[tilesight]`` note, such as ``[tilesight] unknown-blanks H8 C3; rack-unknown``.

    ===========================  ===========================================================================
    ``unknown-blanks H8 C3``     the letters of these blanks are not known; those written are placeholders
    ``rack-unknown``             the rack is not known; the one written is a placeholder that readers need
    ``rack-deduced``             the rack follows from the later plays and the tiles left
    ``tiles-unknown``            the exchanged tiles are not known; those written are placeholders of their number
    ``pass-or-exchange``         a turn without a play that was a pass or an exchange
    ``exchange``                 an exchange of an unknown number of tiles
    ``first-tried 8D HRAKI``     plays of this turn that the player took back without losing the turn
    ``turn-kept``                after a take-back: the same player plays again; after a failed challenge: the
                                 challenger loses no turn, where the edition may say so
    ``turn-lost``                after a failed challenge: the challenger loses a turn, where the edition
                                 may not say so
    ``challenged``               the play was taken back because of a challenge
    ``challenged-by NICK``       the player who challenged, successfully or not
    ``challenge-failed``         a turn lost by a failed challenge
    ``challenge-failed NICK``    the play was challenged without success and without points
    ``points-agreed``            the challenger lost these points, where the edition may take others
    ``settled-each``             each player lost the value of the own tiles; it is written as twice the tiles of
                                 the other player and a time penalty each, which other programs read
    ``single-letters``           no tile of several letters is written, so every bare letter is one tile
    ``passed-after-end NICK``    these players passed after the end of the game
    ``incomplete``               the game is not recorded to its end
    ``unplayable H8 Á, I9 [sz]`` a play that has no word, with its squares and tiles; only the squares in files
                                 of earlier versions, and where a tile is of another edition
    ``score-incomplete H8``      these blanks would score as their letters, which are not known
    ===========================  ===========================================================================
    """

    UNKNOWN_BLANKS = "unknown-blanks"
    RACK_UNKNOWN = "rack-unknown"
    RACK_DEDUCED = "rack-deduced"
    TILES_UNKNOWN = "tiles-unknown"
    PASS_OR_EXCHANGE = "pass-or-exchange"
    EXCHANGE = "exchange"
    FIRST_TRIED = "first-tried"
    TURN_KEPT = "turn-kept"
    TURN_LOST = "turn-lost"
    CHALLENGED = "challenged"
    CHALLENGED_BY = "challenged-by"
    CHALLENGE_FAILED = "challenge-failed"
    POINTS_AGREED = "points-agreed"
    SETTLED_EACH = "settled-each"
    SINGLE_LETTERS = "single-letters"
    PASSED_AFTER_END = "passed-after-end"
    INCOMPLETE = "incomplete"
    UNPLAYABLE = "unplayable"
    SCORE_INCOMPLETE = "score-incomplete"


_FACTS = {fact.value: fact for fact in Fact}


def format_facts(facts: Mapping[Fact, str]) -> str:
    """Return the text of a note with these facts and their values; empty without facts."""
    if not facts:
        return ""
    return f"{_MARK} " + "; ".join(f"{fact.value} {value}".rstrip() for fact, value in facts.items())


def parse_facts(text: str) -> dict[Fact, str]:
    """Return the facts of a line of a note with their values; empty if it is a note for people."""
    if not text.startswith(_MARK) or len(text) > _MAX_LENGTH:
        return {}
    parts = (part.strip().partition(" ") for part in text[len(_MARK) :].split(";"))
    return {_FACTS[name]: value.strip() for name, _, value in parts if name in _FACTS}
