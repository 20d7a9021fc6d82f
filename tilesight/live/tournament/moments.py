"""The moments of a game that are worth a line of their own: bingos, challenges, changes of the lead, the end."""

from __future__ import annotations

import enum
from collections.abc import Collection
from dataclasses import dataclass

from scoring import ChallengeEvent, Ending, Game, Step, count_common_events
from tilesight.live.match import is_final
from vision.game_events import UpdateKind

__all__ = ["Moment", "MomentKind", "find_moments"]

EDITS = frozenset({UpdateKind.UNDONE, UpdateKind.REDONE, UpdateKind.CORRECTION, UpdateKind.BOARD_TAKEN})
"""Kinds of events that change the record: what they bring back was shown before."""


class MomentKind(enum.StrEnum):
    """What happened."""

    BINGO = "bingo"
    CHALLENGE = "challenge"
    LEAD = "lead"
    GAME_OVER = "game-over"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A moment of a game.

    Parameters
    ----------
    kind : MomentKind
        What happened.
    player : int or None
        Whose moment it is: who played, whose play was challenged, who leads, who won; None for a tie.
    word : str
        The word that was played or challenged.
    points : int
        Points of the bingo, points lost by the ruling, or the lead.
    valid : bool or None
        The ruling of a challenge: whether the play stays.
    challenger : int or None
        Who challenged a valid play; None if that is not known.
    gained : int
        Points that the challenged player gains.
    turn_lost : bool
        Whether the challenger of a valid play loses a turn.
    final : bool
        Whether the points at the end are final, as by `is_final`.
    """

    kind: MomentKind
    player: int | None
    word: str = ""
    points: int = 0
    valid: bool | None = None
    challenger: int | None = None
    gained: int = 0
    turn_lost: bool = False
    final: bool = False


def find_moments(before: Game, after: Game, kinds: Collection[str]) -> tuple[Moment, ...]:
    """Find the moments between two states of a game.

    Parameters
    ----------
    before, after : Game
        The game before and after a change.
    kinds : collection of str
        The kinds of the events of the change.
    """
    if before.players != after.players or before.events == after.events:
        return ()
    kept = count_common_events(before.events, after.events)
    is_edit = bool(EDITS & set(kinds))
    edited = is_edit or UpdateKind.EDITED in kinds
    moments = [
        moment
        for step in after.steps[kept:]
        if not is_edit and (moment := _moment_of(step, after, edited=edited)) is not None
    ]
    if not edited:
        moments += _lead_change(after, kept)
    moments += _end(before, after)
    return tuple(moments)


def _moment_of(step: Step, game: Game, *, edited: bool) -> Moment | None:
    event, scored = step.event, step.scored
    if isinstance(event, ChallengeEvent):
        return _challenge(step, event, game)
    if scored is not None and scored.bonus and not edited:
        return Moment(
            kind=MomentKind.BINGO, player=event.player, word=scored.main_word.text, points=scored.total
        )
    return None


def _challenge(step: Step, event: ChallengeEvent, game: Game) -> Moment:
    challenged = step.taken_back if event.upheld else step.before.latest_of(event.player)
    scored = game.steps[challenged.index].scored if challenged is not None else None
    changes = [now - was for was, now in zip(step.before.totals, step.after.totals, strict=True)]
    loser = event.player if event.upheld else event.challenger
    return Moment(
        kind=MomentKind.CHALLENGE,
        player=event.player,
        word=scored.main_word.text if scored is not None else "",
        points=-changes[loser] if loser is not None else 0,
        valid=not event.upheld,
        challenger=event.challenger,
        gained=max(0, changes[event.player]),
        turn_lost=event.loses_turn(game.edition.challenge),
    )


def _lead_change(game: Game, kept: int) -> list[Moment]:
    """Return the change of the lead since the first `kept` events: the leader is another one than before."""
    was = None
    for step in game.steps[:kept]:
        was = _leader(step.after.totals) if _leader(step.after.totals) is not None else was
    now = _leader(game.totals)
    if was is None or now is None or was == now or game.ending is Ending.SETTLED:
        return []
    second = max(total for player, total in enumerate(game.totals) if player != now)
    return [Moment(kind=MomentKind.LEAD, player=now, points=game.totals[now] - second)]


def _leader(totals: tuple[int, ...]) -> int | None:
    """Return who has more points than everybody else; None if nobody has."""
    best = max(totals)
    return totals.index(best) if totals.count(best) == 1 and len(totals) > 1 else None


def _end(before: Game, after: Game) -> list[Moment]:
    is_settled = is_final(after)
    if after.ending is None or (after.ending is before.ending and is_settled <= is_final(before)):
        return []
    leader = _leader(after.totals)
    second = sorted(after.totals)[-2] if len(after.totals) > 1 else 0
    return [
        Moment(
            kind=MomentKind.GAME_OVER,
            player=leader,
            points=max(after.totals) - second,
            final=is_settled,
        )
    ]
