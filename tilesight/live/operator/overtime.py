"""The points that the clocks take off: overtime at the end of a game."""

from __future__ import annotations

from dataclasses import dataclass

from scoring import ClockPenalty, Game
from tilesight.live.clocks import Clocks
from vision.errors import SettingsError
from vision.game_events import GameUpdate, UpdateKind

__all__ = ["OvertimeRule", "charge_overtime", "find_overtime"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OvertimeRule:
    """What overtime costs.

    Parameters
    ----------
    points : int
        Points for each period that has begun; 0 for none. The usual rule of tournaments is 10 for each minute.
    every_s : int
        The period, in seconds.
    """

    points: int = 10
    every_s: int = 60

    def penalty(self, left_s: float) -> int:
        """Return the points for the time left on a clock.

        >>> [OvertimeRule().penalty(left_s) for left_s in (5.0, 0.0, -0.4, -60.0, -60.4)]
        [0, 0, 10, 10, 20]
        """
        return self.points * -int(left_s // self.every_s) if left_s < 0 else 0


def find_overtime(game: Game, clocks: Clocks | None, rule: OvertimeRule) -> dict[int, int]:
    """Return the points that each player still has to lose for overtime, by the player's number.

    Parameters
    ----------
    game : Game
        The game, with the penalties that were charged before.
    clocks : Clocks or None
        The clocks now.
    rule : OvertimeRule
        What overtime costs.
    """
    due: dict[int, int] = {}
    for player, left_s in enumerate(clocks.left_s if clocks is not None else ()):
        charged = sum(
            event.points
            for event in game.events
            if isinstance(event, ClockPenalty) and event.player == player
        )
        missing = rule.penalty(left_s) - charged
        if missing > 0:
            due[player] = missing
    return due


def charge_overtime(game: Game, clocks: Clocks | None, rule: OvertimeRule) -> tuple[GameUpdate, ...]:
    """Return the updates that take the points for overtime off; the parameters are those of `find_overtime`.

    Raises
    ------
    SettingsError
        If the game goes on, or there is nothing to take off.
    """
    if game.ending is None:
        raise SettingsError("overtime: the game is not over; end it first")
    due = find_overtime(game, clocks, rule)
    if not due:
        raise SettingsError("overtime: no clock says that points are to be taken off")
    updates = []
    for player, points in due.items():
        game = game.with_clock_penalty(points, player=player)
        updates.append(GameUpdate.of_last_step(UpdateKind.CLOCK, game))
    return tuple(updates)
