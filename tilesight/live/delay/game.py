"""A live game as viewers see it: some seconds late, with everything that belongs together."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from tilesight.live.clocks import find_age, find_offset
from tilesight.live.game import LiveGame
from tilesight.live.state import GameState

__all__ = ["DelayedGame"]


class DelayedGame:
    """The states of a live game, late by the delay of its table.

    Parameters
    ----------
    game : LiveGame
        The game.
    now : callable
        Seconds since 1970.
    """

    def __init__(self, game: LiveGame, now: Callable[[], float] = time.time) -> None:
        self._game = game
        self._now = now
        self.delay_s = game.state.delay_s
        self._lock = threading.Lock()  # viewers are served by several threads
        # After a restart, viewers are still to see what was recorded a moment ago at its time. Before the game's first
        # entry that is the end of the game before, whose result is not theirs yet.
        match = game.state.match
        (first_s, first), *later = game.loaded_states
        loaded = [(first_s, replace(first, match=replace(match, won=(), number=1)))]
        loaded += [(at_s, replace(state, match=match)) for at_s, state in later]
        loaded[-1] = loaded[-1][0], game.state
        # Each with its moment and the clock's offset: nothing is shown early because the clock is set.
        self._states = deque((at_s, find_offset(), state) for at_s, state in loaded)
        game.add_listener(self._add)

    @property
    def state(self) -> GameState:
        """The state that viewers see now."""
        if not self.delay_s:
            return self._game.state
        now_s = self._now()
        with self._lock:
            while len(self._states) > 1 and find_age(*self._states[1][:2], now_s) >= self.delay_s:
                self._states.popleft()
            return self._states[0][2]

    @property
    def upcoming(self) -> list[tuple[float, GameState]]:
        """The states that viewers do not see yet, each with the seconds until they do."""
        shown, now_s = self.state, self._now()
        with self._lock:
            states = [each for each in self._states if each[2] is not shown] if self.delay_s else []
        return [(self.delay_s - find_age(at_s, offset_s, now_s), state) for at_s, offset_s, state in states]

    @property
    def now_s(self) -> float:
        """The moment that viewers see now, in seconds since 1970."""
        return self._now() - self.delay_s

    def _add(self, state: GameState) -> None:
        if self.delay_s:
            with self._lock:
                self._states.append((self._now(), find_offset(), state))
