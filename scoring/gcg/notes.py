"""The facts that Tilesight writes into a GCG note, for what GCG itself cannot say."""

from __future__ import annotations

import enum
from collections.abc import Mapping

__all__ = ["Fact", "format_facts", "parse_facts"]

_MARK = "[tilesight]"


class Fact(enum.Enum):
    """What a ``[tilesight]`` note can say."""

    UNKNOWN_BLANKS = "unknown-blanks"
    RACK_UNKNOWN = "rack-unknown"
    PASS_OR_EXCHANGE = "pass-or-exchange"
    EXCHANGE = "exchange"
    TURN_KEPT = "turn-kept"
    TURN_LOST = "turn-lost"
    CHALLENGED = "challenged"
    CHALLENGED_BY = "challenged-by"
    CHALLENGE_FAILED = "challenge-failed"
    UNPLAYABLE = "unplayable"
    SCORE_INCOMPLETE = "score-incomplete"


def format_facts(facts: Mapping[Fact, str]) -> str:
    """The text of a note that holds these facts, which may have a value each; empty without facts."""
    if not facts:
        return ""
    return f"{_MARK} " + "; ".join(f"{fact.value} {value}".rstrip() for fact, value in facts.items())


def parse_facts(text: str) -> dict[Fact, str]:
    """The facts that a note's line holds; none if it is a note for people."""
    if not text.startswith(_MARK):
        return {}
    names = {fact.value: fact for fact in Fact}
    parts = (part.strip().partition(" ") for part in text[len(_MARK) :].split(";"))
    return {names[name]: value.strip() for name, _, value in parts if name in names}
