"""Happenings as JSON events and as lines for people."""

from __future__ import annotations

from typing import Any

from scoring import Game, ScoredPlay, format_square, format_tokens
from vision.game_events import Happening, HappeningKind

__all__ = ["end_event", "event_of", "line_of", "score_sheet", "scored_fields", "unvalued"]

PLAIN_KINDS = {HappeningKind.PLAY, HappeningKind.WITHDRAWN, HappeningKind.NO_PLAY}
"""Kinds that change one player's points alone, and nothing before."""
PLAIN_WORDS = {
    HappeningKind.NO_PLAY: "pass or exchange",
    HappeningKind.WITHDRAWN: "takes the play back",
    HappeningKind.PASS: "passes",
    HappeningKind.EXCHANGE: "exchanges tiles",
    HappeningKind.CHALLENGE: "is challenged",
    HappeningKind.CLOCK: "is over time",
    HappeningKind.SETTLED: "tiles left on the racks",
    HappeningKind.UNDONE: "taken out of the record",
}


def event_of(happening: Happening, source: str, frame: int, time_s: float | None = None) -> dict[str, Any]:
    """The JSON object that other programs rely on.

    Parameters
    ----------
    happening : Happening
        What happened.
    source : str
        The picture that showed it.
    frame : int
        Its place in the sequence, from 0.
    time_s : float, optional
        Seconds since the film's start; None where pictures carry no time.
    """
    event: dict[str, Any] = {"event": happening.kind.value}
    step = happening.step
    if step is not None:
        event["player"] = happening.game.players[step.event.player]
        if happening.kind is HappeningKind.CORRECTION:
            assert happening.was is not None
            assert happening.now is not None
            event["square"] = [happening.now.row, happening.now.column]
            event["was"], event["now"] = happening.was.token, happening.now.token
        if step.scored is not None:
            event |= scored_fields(step.scored)
        # What is taken out of the record gives its points back.
        event["score"] = -step.score if happening.kind is HappeningKind.UNDONE else step.score
        event["total"] = happening.game.totals[step.event.player]
        if happening.kind not in PLAIN_KINDS:
            event["totals"] = totals_of(happening.game)
    if happening.alternatives:
        event["alternatives"] = [two_plays_of(game) for game in happening.alternatives]
    if happening.kind is HappeningKind.CORRECTION and happening.game.problems:
        event["problems"] = [problem.message for problem in happening.game.problems]
    if happening.message:
        event["message"] = happening.message
    event |= {
        "source": source,
        "frame": frame,
        "time_s": time_s,
        "confidence": round(happening.confidence, 4),
    }
    return event


def scored_fields(scored: ScoredPlay) -> dict[str, Any]:
    """A scored play's fields: where, which tiles, which words."""
    words: dict[str, int] = {}
    for word in scored.words:
        # The same word can be formed twice in one play; together they are worth the sum.
        words[word.text] = words.get(word.text, 0) + word.score
    return {
        "position": scored.position,
        "word": list(scored.main_word.tokens),
        "placed": [[tile.row, tile.column, tile.token] for tile in scored.play],
        "words": words,
        "bonus": scored.bonus,
        "incomplete": unvalued(scored),
    }


def unvalued(scored: ScoredPlay) -> list[str]:
    """The squares of blanks that would score as their letters, if those were known; the score is too low by them."""
    return [format_square(tile.row, tile.column) for tile in scored.unvalued]


def two_plays_of(game: Game) -> dict[str, Any]:
    """The last two plays of a game and its totals: what else the two plays of one look may have been."""
    plays = [step.scored for step in game.steps[-2:] if step.scored is not None]
    return {
        "plays": [
            {"position": scored.position, "word": list(scored.main_word.tokens), "score": scored.total}
            for scored in plays
        ],
        "totals": totals_of(game),
    }


def totals_of(game: Game) -> dict[str, int]:
    """Each player's points, in the order of play."""
    return dict(zip(game.players, game.totals, strict=True))


def end_event(game: Game) -> dict[str, Any]:
    """The last JSON object: totals and the final board."""
    return {"event": "end", "totals": totals_of(game), "rows": [list(row) for row in game.board.rows]}


def line_of(happening: Happening, source: str) -> str:
    """The happening as one line for people."""
    step = happening.step
    if step is None:
        return f"{source}: {happening.kind.value}: {happening.message}"
    name, total = happening.game.players[step.event.player], happening.game.totals[step.event.player]
    width = max(len(player) for player in happening.game.players)
    doubt = "" if happening.confidence >= 0.9 else f"   in doubt ({happening.confidence:.0%})"
    if happening.kind is HappeningKind.CORRECTION:
        assert happening.was is not None
        assert happening.now is not None
        what = f"read again: {happening.was.token} is {happening.now.token}"
    elif step.scored is None:
        what = PLAIN_WORDS.get(happening.kind, happening.kind.value)
    else:
        text = format_tokens(step.scored.main_word.tokens, happening.game.edition.tokens)
        what = f"{step.scored.position:>3} {text}"
    return f"{name:<{width}}  {what:<24} {step.score:>+5}  {total:>4}{doubt}{remark_on(happening)}"


def remark_on(happening: Happening) -> str:
    """What a person should know beside the score; empty where there is nothing."""
    remarks = []
    scored = happening.step.scored if happening.step is not None else None
    if scored is not None and scored.unvalued:
        remarks.append(f"incomplete: joker on {' '.join(unvalued(scored))}")
    if happening.alternatives:
        other = two_plays_of(happening.alternatives[0])
        plays = ", then ".join(f"{play['position']} {play['score']}" for play in other["plays"])
        remarks.append(f"two plays at one look; the other way: {plays}")
    if happening.kind is HappeningKind.CORRECTION and happening.game.problems:
        remarks.append(f"now {happening.game.problems[0].message}")
    return "".join(f"   [{remark}]" for remark in remarks)


def score_sheet(game: Game) -> list[tuple[str, str]]:
    """The game so far as lines of a score sheet: each play with its points, the standings last."""
    lines = []
    for step in game.steps:
        name = game.players[step.event.player]
        if step.scored is not None:
            text = format_tokens(step.scored.main_word.tokens, game.edition.tokens)
            lines.append((f"{name}  {step.scored.position} {text}", str(step.score)))
        else:
            lines.append((f"{name}  {step.event.kind}", str(step.score)))
    lines.append(("  ".join(game.players), " : ".join(str(total) for total in game.totals)))
    return lines
