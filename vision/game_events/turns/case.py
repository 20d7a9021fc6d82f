"""A stable board on its way through the rules of turns, and how its decision ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from vision.core import DecodedBoard
from vision.game_events.turn_state import StableBoard, TurnDecision, TurnState
from vision.game_events.updates import GameUpdate, Notice, NoticeKind

__all__ = ["SETTINGS", "Case", "Outcome", "TurnSettings", "notify_once"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSettings:
    """When a stable board is explained and reported. All values are chosen."""

    min_late_confidence: float = 0.4
    """Probability from which on a play is reported late, with its doubt: one that is more likely than not to be right
    in some letter."""
    min_last_confidence: float = 0.05
    """The same after `last_after_s`: a game that waits for one letter loses all later plays."""
    last_after_s: float = 3.0
    """Seconds of rest after which the best explanation is reported."""
    min_prompt_tiles: int = 3
    """Tiles of a play that is reported as soon as it rests. A player of fewer may be fetching the next one, so that
    such a play is reported late."""
    min_correction_confidence: float = 0.97
    """Probability from which on a tile of the game is read otherwise: a tile does not change by itself."""
    min_odd_log_odds: float = -3.0
    """Log-odds of one player's turn from which on more tiles are joined to the last play, where they are no play by
    themselves."""
    relay_s: float = 30.0
    """Seconds within which tiles that are taken up and placed elsewhere are one turn."""
    lifted_after_s: float = 10.0
    """Seconds of rest after which tiles that were taken off are taken as gone, where they are not a whole play: people
    take a tile up to look at it."""
    report_after_s: float = 4.0
    """Seconds of rest after which a board that nothing explains is reported."""
    hand_stays_s: float = 8.0
    """Seconds for which new tiles are seen below a hand that stays before this is reported."""
    max_stray_squares: int = 2
    """Unexplained squares that are taken for prints, crumbs or single misread squares."""
    hidden_confidence: float = 0.5
    """Limit of the confidence of a play next to a square that cannot be seen: it may hold another tile of the play."""
    newly_hidden_confidence: float = 0.35
    """The same where the square was seen before. A hand that rests there may look like a blank, so that such a play is
    reported after `last_after_s`."""


SETTINGS = TurnSettings()


class Outcome(NamedTuple):
    """A decision, and the state after it."""

    decision: TurnDecision
    state: TurnState


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Case:
    """A stable board on its way through the rules.

    `trusted` is the reading limited to what the pixels allow, and `updates` its explanation: None if there is none.
    `notices` are reported with the updates.
    """

    stable: StableBoard
    state: TurnState
    trusted: DecodedBoard
    updates: tuple[GameUpdate, ...] | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def is_opening(self) -> bool:
        """Whether the board has just come into view, and its game has not begun."""
        game = self.state.game
        return self.stable.is_first and not game.events and game.board.is_empty

    def outcome(self, *, is_resolved: bool) -> Outcome:
        """End the decision without a report."""
        return Outcome(TurnDecision(is_resolved=is_resolved), self.state)

    def report(self, message: str, *, is_resolved: bool = False) -> Outcome:
        """End the decision with a message, unless it was the last one reported."""
        notices, state = notify_once(self.state, message)
        return Outcome(TurnDecision(is_resolved=is_resolved, notices=notices), state)


def notify_once(state: TurnState, message: str) -> tuple[tuple[Notice, ...], TurnState]:
    """The message as a notice, unless it was the last one reported."""
    if message == state.last_message:
        return (), state
    return (Notice(NoticeKind.UNCLEAR, message),), replace(state, last_message=message)
