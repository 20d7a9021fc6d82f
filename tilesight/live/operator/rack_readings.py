"""Which readings of a rack camera count, where an operator has said what is on a rack."""

from __future__ import annotations

from tilesight.live.operator.state import OperatorState
from tilesight.output import BY_CAMERA, BY_OPERATOR, RackEvent

__all__ = ["RackReadings"]

Tiles = tuple[str, ...]


class RackReadings:
    """What a rack camera read last, and what an operator has overruled."""

    def __init__(self) -> None:
        self._read: dict[int, Tiles] = {}
        self._overruled: dict[int, Tiles | None] = {}

    def overrule(self, player: int) -> None:
        """Let an operator's entry count until the camera reads something else than now."""
        self._overruled[player] = self._read.get(player)

    def read(
        self, name: str, player: int, tiles: Tiles, operator: OperatorState, now_s: float
    ) -> RackEvent | None:
        """Return the event of a reading; None if it is not new, or what an operator overruled.

        Parameters
        ----------
        name : str
            Name of the player.
        player : int
            The player's number.
        tiles : tuple of str
            What the camera reads now.
        operator : OperatorState
            What is known of the racks.
        now_s : float
            Seconds since 1970.
        """
        self._read[player] = tiles
        if tiles == operator.rack(player, now_s):
            return None
        newest = operator.racks[player][-1:]
        if newest and newest[0].by == BY_OPERATOR and newest[0].tiles:
            if self._overruled.get(player) is None:
                self._overruled[player] = tiles
            if self._overruled[player] == tiles:
                return None
        return RackEvent(player=name, tiles=tiles, at_s=round(now_s, 3), by=BY_CAMERA)
