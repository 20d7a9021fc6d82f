"""Updates and notices as JSON events and as lines for people."""

from __future__ import annotations

from typing import Any

from scoring import Game, ScoredPlay, format_square, format_tokens
from vision.game_events import GameUpdate, Notice, UpdateKind

__all__ = ["end_event", "score_sheet", "scored_fields", "to_event", "to_text", "unvalued"]

PLAIN_KINDS = {UpdateKind.PLAY, UpdateKind.WITHDRAWN, UpdateKind.NO_PLAY}
"""Kinds that change one player's points alone, and nothing before."""
PLAIN_WORDS = {
    UpdateKind.NO_PLAY: "pass or exchange",
    UpdateKind.WITHDRAWN: "takes the play back",
    UpdateKind.PASS: "passes",
    UpdateKind.EXCHANGE: "exchanges tiles",
    UpdateKind.CHALLENGE: "is challenged",
    UpdateKind.CLOCK: "is over time",
    UpdateKind.SETTLED: "tiles left on the racks",
    UpdateKind.UNDONE: "taken out of the record",
}


def to_event(
    item: GameUpdate | Notice, source: str, frame: int, time_s: float | None = None
) -> dict[str, Any]:
    """Format an update or a notice as the JSON object that other programs rely on.

    Parameters
    ----------
    item : GameUpdate or Notice
        What is reported.
    source : str
        The picture that showed it.
    frame : int
        Its number in the sequence, from 0.
    time_s : float, optional
        Seconds since the video's start; None where pictures carry no time.
    """
    event: dict[str, Any] = {"event": item.kind.value}
    confidence = 1.0
    if isinstance(item, GameUpdate):
        event |= _update_fields(item)
        confidence = round(item.confidence, 4)
    if item.message:
        event["message"] = item.message
    event |= {"source": source, "frame": frame, "time_s": time_s, "confidence": confidence}
    return event


def _update_fields(update: GameUpdate) -> dict[str, Any]:
    """The fields that say what changed in the game."""
    fields: dict[str, Any] = {}
    step = update.step
    if step is not None:
        fields["player"] = update.game.players[step.event.player]
        if update.correction is not None:
            was, now = update.correction
            fields |= {"square": [now.row, now.column], "was": was.token, "now": now.token}
        if step.scored is not None:
            fields |= scored_fields(step.scored)
        # What is taken out of the record gives its points back.
        fields["score"] = -step.score if update.kind is UpdateKind.UNDONE else step.score
        fields["total"] = update.game.totals[step.event.player]
        if update.kind not in PLAIN_KINDS:
            fields["totals"] = totals_of(update.game)
    if update.alternatives:
        fields["alternatives"] = [two_plays_of(game) for game in update.alternatives]
    if update.kind is UpdateKind.CORRECTION and update.game.problems:
        fields["problems"] = [problem.message for problem in update.game.problems]
    return fields


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


def to_text(item: GameUpdate | Notice, source: str) -> str:
    """Format an update or a notice as one line for people."""
    if isinstance(item, Notice) or item.step is None:
        return f"{source}: {item.kind.value}: {item.message}"
    update, step = item, item.step
    name, total = update.game.players[step.event.player], update.game.totals[step.event.player]
    width = max(len(player) for player in update.game.players)
    doubt = "" if update.confidence >= 0.9 else f"   in doubt ({update.confidence:.0%})"
    if update.correction is not None:
        what = f"read again: {update.correction.was.token} is {update.correction.now.token}"
    elif step.scored is None:
        what = PLAIN_WORDS.get(update.kind, update.kind.value)
    else:
        text = format_tokens(step.scored.main_word.tokens, update.game.edition.tokens)
        what = f"{step.scored.position:>3} {text}"
    return f"{name:<{width}}  {what:<24} {step.score:>+5}  {total:>4}{doubt}{remark_on(update)}"


def remark_on(update: GameUpdate) -> str:
    """What a person should know beside the score; empty where there is nothing."""
    remarks = []
    scored = update.step.scored if update.step is not None else None
    if scored is not None and scored.unvalued:
        remarks.append(f"incomplete: joker on {' '.join(unvalued(scored))}")
    if update.alternatives:
        other = two_plays_of(update.alternatives[0])
        plays = ", then ".join(f"{play['position']} {play['score']}" for play in other["plays"])
        remarks.append(f"two plays at one look; the other way: {plays}")
    if update.kind is UpdateKind.CORRECTION and update.game.problems:
        remarks.append(f"now {update.game.problems[0].message}")
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
