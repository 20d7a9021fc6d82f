"""Values of a turn decision: the stable board, what it means, and what is known of the game in between."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from scoring import Game, Placement, Play
from vision.core import DecodedBoard, Mask, Square
from vision.game_events.player_sides import HandDirection, PlayerSides
from vision.game_events.uncertain_tiles import UncertainTiles
from vision.game_events.updates import GameUpdate, Notice

__all__ = ["RemovedTiles", "StableBoard", "TurnDecision", "TurnState"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StableBoard:
    """A board at rest.

    Parameters
    ----------
    decoded : DecodedBoard
        What is read there.
    changed : (rows, columns) bool
        Squares that look different from when the board was last resolved.
    occluded : (rows, columns) bool
        Squares covered by something that may soon move on.
    reached_over : bool
        Whether something new is over the board's edge.
    rest_s : float
        Seconds that its new tiles have been at rest.
    motion_started_s : float
        Time at which the movement began that led to this rest.
    time_s : float
        The present time.
    is_first : bool
        Whether the board has not been resolved since it came into view.
    is_late : bool
        Whether it has been at rest long enough for uncertain and short plays too.
    is_last : bool
        Whether no other board follows.
    first_reading : DecodedBoard or None
        How the board was read when it came into view, perhaps in mid-play.
    hand_direction : (x, y) or None
        Direction in the frame from which the hand came that changed the board, of length 1; None if it is not clear.
    """

    decoded: DecodedBoard
    changed: Mask
    occluded: Mask
    reached_over: bool
    rest_s: float
    motion_started_s: float
    time_s: float
    is_first: bool
    is_late: bool
    is_last: bool = False
    first_reading: DecodedBoard | None = None
    hand_direction: HandDirection | None = None

    @property
    def began_s(self) -> float:
        """Time at which it came to rest, to the millisecond."""
        return round(self.time_s - self.rest_s, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDecision:
    """What a stable board means.

    Parameters
    ----------
    is_resolved : bool
        Whether the board is explained; if not, another read is needed.
    updates : tuple of GameUpdate
        What happened in the game.
    notices : tuple of Notice
        What else is to be reported.
    unresolved_squares : frozenset of (row, column)
        Squares that changed and are left out of the explanation; they go on counting as changed.
    is_taken_over : bool
        Whether the board was taken over though not all of it is explained; no square goes on counting as changed.
    """

    is_resolved: bool
    updates: tuple[GameUpdate, ...] = ()
    notices: tuple[Notice, ...] = ()
    unresolved_squares: frozenset[Square] = frozenset()
    is_taken_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedTiles:
    """What users took out of the record, though it may stay on the board until somebody lifts it.

    Parameters
    ----------
    tiles : tuple of Placement
        The tiles.
    plays : tuple of Play
        The whole plays among them, in their order.
    restored : Game or None
        The game before; None where something else was stated since.
    """

    tiles: tuple[Placement, ...] = ()
    plays: tuple[Play, ...] = ()
    restored: Game | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnState:
    """What is known of a game between two decisions.

    Parameters
    ----------
    game : Game
        The game so far.
    may_replay : bool
        Whether boards may be shown that the game has had. Nothing is withdrawn before the present board, or a later
        one, was shown.
    played_s, withdrawn_s : float
        Times of the last play and of the last withdrawal.
    removed : RemovedTiles
        Tiles that users took out of the record, though they may stay on the board until somebody lifts them.
    is_turn_over : bool
        Whether the last play is finished for certain.
    resolved_s : float
        Time at which a board was last explained.
    first_seen_s : mapping of (row, column) to float
        When tiles were first seen, in a rest that was long enough for a decision, that nothing has explained since.
    short_rest_seen_s : mapping of (row, column) to float
        The same in any rest.
    last_message : str or None
        The message reported last, so that it is not repeated.
    stray_squares : frozenset of (row, column)
        Squares that nothing explained.
    locked_squares : frozenset of (row, column)
        Squares whose tiles users stated; no read corrects them.
    uncertain : UncertainTiles
        Tiles that were reported with low confidence.
    sides : PlayerSides
        From which side each player's hand comes.
    has_reported_sides : bool
        Whether the sides were reported.
    covered_squares : frozenset of (row, column)
        Squares that have been covered since the last play was explained.
    """

    game: Game
    sides: PlayerSides
    may_replay: bool = False
    played_s: float = -math.inf
    withdrawn_s: float = -math.inf
    removed: RemovedTiles = field(default_factory=RemovedTiles)
    is_turn_over: bool = False
    resolved_s: float = -math.inf
    first_seen_s: Mapping[Square, float] = field(default_factory=dict)
    short_rest_seen_s: Mapping[Square, float] = field(default_factory=dict)
    last_message: str | None = None
    stray_squares: frozenset[Square] = frozenset()
    locked_squares: frozenset[Square] = frozenset()
    uncertain: UncertainTiles = field(default_factory=UncertainTiles)
    has_reported_sides: bool = False
    covered_squares: frozenset[Square] = frozenset()
