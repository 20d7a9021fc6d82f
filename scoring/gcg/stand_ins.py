"""Racks for the lines of a GCG file: known, deduced, or stand-ins for unknown ones.

Other programs require a rack on every line, and draw it from the bag together with the next rack of the other
player. A stand-in therefore never takes what is written for the others, and a blank only if no other tile is left.
"""

from __future__ import annotations

import functools
from collections import Counter

from scoring.board import unseen_tiles
from scoring.game import ExchangeEvent, Game, Rack, Step, deduce_racks, played_tiles
from scoring.tiles import BLANK

__all__ = ["StandIns"]


class StandIns:
    """The racks that are written with the events of a game.

    Parameters
    ----------
    game : Game
        The game.
    """

    def __init__(self, game: Game) -> None:
        self._game = game

    @functools.cached_property
    def known(self) -> tuple[Rack | None, ...]:
        """The rack of the player of each event, if it is known or follows."""
        return deduce_racks(self._game.steps, self._game.edition)

    def next_rack(self, index: int, player: int) -> Rack | None:
        """Return the tiles that a player is next known to hold after an event; None if there are none.

        A player who neither plays nor exchanges keeps the rack until then.
        """
        for step in self._game.steps[index + 1 :]:
            event = step.event
            if event.player == player:
                exchanged = event.tiles if isinstance(event, ExchangeEvent) else None
                tiles = self.known[step.index] or played_tiles(step) or exchanged
                if tiles:
                    return tiles
        return None

    def unseen(self, step: Step, count: int = 1) -> Rack:
        """Return as many tiles that are not on the board before a step, the commonest first."""
        edition, player = self._game.edition, step.event.player
        unseen = Counter(unseen_tiles(step.before.board, edition) or {edition.tokens[0]: count})
        others = (other for other in range(len(self._game.players)) if other != player)
        free = unseen - Counter(tile for other in others for tile in self.next_rack(step.index, other) or ())
        for tiles in (free, unseen):
            del tiles[BLANK]
            if tiles.total() >= count:
                return tuple(tile for tile, number in tiles.most_common() for _ in range(number))[:count]
        return (*unseen.elements(), *(BLANK,) * (count - unseen.total()))
