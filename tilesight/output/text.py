"""Updates and notices as lines for people."""

from __future__ import annotations

from dataclasses import dataclass

from scoring import ChallengeEvent, Event, Game, Square, Step, WithdrawnEvent, format_tokens
from tilesight.output.events import AlternativePlays, list_problems, list_unvalued_squares
from vision.game_events import MIN_CONFIDENCE, STATED, Correction, GameUpdate, Notice, UpdateKind

__all__ = [
    "MoveText",
    "describe_move",
    "format_score_sheet",
    "format_totals",
    "name_event",
    "newest_squares",
    "to_text",
]

LABELS = {
    UpdateKind.NO_PLAY: "pass or exchange",
    UpdateKind.WITHDRAWN: "takes the play back",
    UpdateKind.PASS: "passes",
    UpdateKind.EXCHANGE: "exchanges tiles",
    UpdateKind.CLOCK: "is over time",
    UpdateKind.SETTLED: "tiles left on the racks",
}


EVENT_NAMES = {
    "no-play": "pass or exchange",
    "clock": "time",
    "end-rack": "tiles left",
    "end-bonus": "no tiles left",
}
"""What people call an event without a word; the others by their kind."""


def name_event(event: Event) -> str:
    """Name an event without a word."""
    return EVENT_NAMES.get(event.kind, event.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveText:
    """The parts of a move's line: who moved, what it was, its points, the total after it, and remarks."""

    name: str
    what: str
    score: str
    total: str
    remarks: str


def describe_move(update: GameUpdate) -> MoveText | None:
    """Describe an update by the parts of its line; None if it is no move, but a remark such as a correction."""
    step = update.step
    if step is None:
        return None
    doubt = "" if update.confidence >= MIN_CONFIDENCE else f"   in doubt ({update.confidence:.0%})"
    score = -step.score if update.kind is UpdateKind.UNDONE else step.score
    return MoveText(
        name=update.game.players[step.event.player],
        what=_describe(update, step),
        score=f"{score:+}",
        total=str(update.game.totals[step.event.player]),
        remarks=f"{doubt}{_remarks(update)}",
    )


def to_text(item: GameUpdate | Notice, source: str) -> str:
    """Format an update or a notice as one line; a notice begins with the name of its source."""
    if isinstance(item, Notice):
        return ": ".join(filter(None, (source, item.kind.value, item.message)))
    move = describe_move(item)
    if move is None:
        what = item.message if item.correction is None else _describe_correction(item.correction)
        line = ": ".join(filter(None, (source, item.kind.value, what)))
        return f"{line}   {format_totals(item.game)}{_remarks(item)}" if item.kind in STATED else line
    width = max(len(player) for player in item.game.players)
    return f"{move.name:<{width}}  {move.what:<24} {move.score:>5}  {move.total:>4}{move.remarks}"


def _describe(update: GameUpdate, step: Step) -> str:
    """Describe what happened in a few words."""
    if update.correction is not None:
        return _describe_correction(update.correction)
    what = name_event(step.event)
    if step.scored is not None:
        text = format_tokens(step.scored.main_word.tokens, update.game.edition.tokens)
        what = f"{step.scored.position:>3} {text}"
    if update.kind is UpdateKind.UNDONE:
        return f"undone: {what.strip()}"
    if isinstance(step.event, ChallengeEvent):
        in_vain = f"challenged in vain{_cost_of_challenge(step, update.game)}"
        return "challenged off" if step.event.upheld else in_vain
    if isinstance(step.event, WithdrawnEvent) and not step.event.turn_lost:
        return f"{LABELS[UpdateKind.WITHDRAWN]}, plays again"
    return what if step.scored is not None else LABELS.get(update.kind, update.kind.value)


def _describe_correction(correction: Correction) -> str:
    return f"read again: {correction.was.token} is {correction.now.token}"


def _cost_of_challenge(step: Step, game: Game) -> str:
    """Name who challenged in vain, and the points that it cost, as far as that is known."""
    event = step.event
    assert isinstance(event, ChallengeEvent)
    if event.challenger is None:
        return ""
    points = step.after.totals[event.challenger] - step.before.totals[event.challenger]
    return f" by {game.players[event.challenger]}" + (f" ({points:+d})" if points else "")


def _remarks(update: GameUpdate) -> str:
    remarks = []
    scored = update.step.scored if update.step is not None else None
    if scored is not None and scored.unvalued:
        remarks.append(f"incomplete: joker on {' '.join(list_unvalued_squares(scored))}")
    if update.replaces is not None:
        remarks.append("the play before went on; this replaces it")
    if update.is_provisional:
        remarks.append("may go on")
    if update.alternatives:
        other = AlternativePlays.of(update.alternatives[0])
        plays = ", then ".join(f"{position} {score}" for position, _, score in other.plays)
        remarks.append(f"two plays at once; the other way: {plays}")
    for problem in list_problems(update)[:1]:
        now = "now " if update.kind in STATED else ""
        remarks.append(f"{now}move {problem.index + 1}: {problem.message}")
    step = update.step if update.kind not in STATED else None
    if step is not None and step.before.ending is None and step.after.ending is not None:
        remarks.append(f"the game is over: {step.after.ending.value}")
    return "".join(f"   [{remark}]" for remark in remarks)


def format_score_sheet(game: Game) -> list[tuple[str, str]]:
    """Format a game as lines of a score sheet: each event with its points, then the totals."""
    lines = []
    for step in game.steps:
        name = game.players[step.event.player]
        if step.scored is not None:
            text = format_tokens(step.scored.main_word.tokens, game.edition.tokens)
            lines.append((f"{name}  {step.scored.position} {text}", str(step.score)))
        else:
            lines.append((f"{name}  {name_event(step.event)}", str(step.score)))
    lines.append(("  ".join(game.players), " : ".join(str(total) for total in game.totals)))
    return lines


def format_totals(game: Game, separator: str = ", ") -> str:
    """List the players with their points."""
    return separator.join(f"{name} {total}" for name, total in zip(game.players, game.totals, strict=True))


def newest_squares(game: Game) -> frozenset[Square]:
    """Return the squares of the last play's tiles."""
    plays = game.state.plays
    return frozenset((tile.row, tile.column) for tile in plays[-1].play) if plays else frozenset()
