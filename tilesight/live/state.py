"""What a table shows at one moment: the game, the desk, and what the camera does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from scoring import Edition, ExchangeEvent, Game
from tilesight.live.operator_state import Clocks, OperatorState

__all__ = ["GameState"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameState:
    """A table at one moment.

    Parameters
    ----------
    name : str
        The table's name in addresses.
    game : Game
        The game.
    desk : Desk
        What is known beside the board.
    sequence : int
        Number of the journal's last entry; 0 before the first.
    announced : tuple of dict
        What that entry told.
    rack_delay_s : float
        Seconds before viewers see a rack.
    undoable, redoable : bool
        Whether there is something to undo, or to do again.
    status : str
        What the camera does, in a few words.
    watching : bool
        Whether frames come.
    """

    name: str
    game: Game
    desk: OperatorState
    sequence: int = 0
    announced: tuple[dict[str, Any], ...] = ()
    rack_delay_s: float = 0.0
    undoable: bool = False
    redoable: bool = False
    status: str = ""
    watching: bool = False

    @property
    def edition(self) -> Edition:
        """Whose rules."""
        return self.game.edition

    @property
    def title(self) -> str:
        """The line for viewers: what somebody wrote, else who plays."""
        return self.desk.title or " – ".join(self.game.players)

    @property
    def shown_game(self) -> Game:
        """The game as viewers may see it: while racks are delayed, of an exchange how many tiles, not which."""
        game = self.game
        if self.rack_delay_s:
            for index, event in enumerate(self.game.events):
                if isinstance(event, ExchangeEvent) and event.tiles is not None:
                    game = game.corrected(index, replace(event, tiles=None, rack=None))
        return game

    def clocks(self, now_s: float) -> Clocks | None:
        """The clocks at a moment; None where the game is played without."""
        return self.desk.clocks.at(now_s) if self.desk.clocks is not None else None

    def shown_racks(self, now_s: float) -> tuple[tuple[str, ...], ...]:
        """Each player's rack as viewers may see it by now."""
        return tuple(
            self.desk.rack(player, now_s, self.rack_delay_s) for player in range(len(self.game.players))
        )

    def known_racks(self, now_s: float) -> tuple[tuple[str, ...], ...]:
        """Each player's rack as the desk knows it."""
        return tuple(self.desk.rack(player, now_s) for player in range(len(self.game.players)))
