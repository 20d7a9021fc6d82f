"""A table of another machine; a hub's viewers see it as they see a table of its own."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import TypeVar

from scoring import GameError
from tilesight.live import format_clock, format_countdown
from tilesight.web.hub.messages import Entry, TableMessage
from tilesight.web.schemas import ClockView, EditionView, HallTable, Status, TableLine, TableView
from tilesight.web.settings import SETTINGS
from tilesight.web.sse import SseBroadcaster, format_change, format_message

__all__ = ["RemoteTable"]

_CLOCK_FIELD = re.compile(r"p([1-9])_clock")
_Part = TypeVar("_Part", TableView, HallTable)


class RemoteTable:
    """A table of another machine.

    Parameters
    ----------
    name : str
        Its name on the hub: ``MACHINE.TABLE``.
    machine : str
        The machine's name.
    message : TableMessage
        The table.
    made_s : float
        The hub's monotonic time at which it was so.
    monotonic : callable
        The hub's monotonic time.
    is_connected : callable
        Whether the machine is connected.
    """

    def __init__(
        self,
        name: str,
        machine: str,
        message: TableMessage,
        made_s: float,
        monotonic: Callable[[], float],
        is_connected: Callable[[], bool],
    ) -> None:
        self.name = name
        self._machine = machine
        self._message = message
        self.made_s = made_s
        self._monotonic = monotonic
        self._is_connected = is_connected
        self._viewers = SseBroadcaster()
        self._recent: deque[Entry] = deque(message.recent, SETTINGS.max_replayed)

    @property
    def message(self) -> TableMessage:
        """The newest message."""
        return self._message

    @property
    def is_connected(self) -> bool:
        """Whether the machine is connected."""
        return self._is_connected()

    @property
    def language(self) -> str:
        """The language of the table's pages."""
        return self._message.language

    def line(self) -> TableLine:
        """Return the table's entry in the list of tables."""
        line = self._message.line
        return line.model_copy(
            update={
                "table": self.name,
                "machine": self._machine,
                "watching": line.watching and self._is_connected(),
            }
        )

    def view(self) -> TableView:
        """Return the table as viewers see it now: clocks run on while nothing is sent."""
        return self._current(self._message.view)

    def hall(self) -> HallTable:
        """Return the table for the page of the hall."""
        return self._current(self._message.hall)

    def _current(self, part: _Part) -> _Part:
        """Return a part of the newest message as it is now: with the hub's name, and with clocks that ran on."""
        elapsed_s = self._monotonic() - self.made_s
        players = [
            player.model_copy(update={"clock": _clock_at(player.clock, elapsed_s)}) for player in part.players
        ]
        update = {
            "table": self.name,
            "now_s": round(part.now_s + elapsed_s, 3),
            "players": players,
            "watching": part.watching and self._is_connected(),
        }
        return part.model_copy(update=update)

    def edition(self) -> EditionView:
        """Return what does not change during the game."""
        return self._message.edition

    def gcg(self) -> str:
        """Return the game so far in GCG.

        Raises
        ------
        GameError
            If it has no such form.
        """
        if not self._message.gcg:
            raise GameError(self._message.gcg_message)
        return self._message.gcg

    def field(self, name: str) -> str:
        """Return a text field; nothing if the table's machine sends none of that name, as an older version does."""
        view = self.view()
        if name == "countdown":
            return format_countdown(view.countdown_s, view.now_s)
        clock = _CLOCK_FIELD.fullmatch(name)
        if clock is not None:
            players = view.players
            number = int(clock[1]) - 1
            shown = players[number].clock if number < len(players) else None
            return format_clock(shown.left_s) if shown is not None else ""
        return self._message.fields.get(name, "")

    async def listen(self, last: int | None, *, for_operator: bool) -> AsyncGenerator[bytes, None]:
        """Yield the events of one viewer; see `GameStream.listen`."""
        assert not for_operator  # a hub has no operators
        with self._viewers.subscribe() as queue:
            sequence = self._message.view.sequence
            missed = [entry for entry in self._recent if entry.number > (sequence if last is None else last)]
            yield f"retry: {SETTINGS.retry_ms}\n\n".encode()
            for entry in missed[:-1]:
                yield format_change(entry.number, entry.events, None)
            yield format_change(sequence, missed[-1].events if missed else [], self.view())
            async for data in self._viewers.messages(queue, sequence):
                yield data

    def take(self, message: TableMessage, made_s: float) -> None:
        """Take a newer message, and send its changes to the viewers."""
        before, self._message, self.made_s = self._message, message, made_s
        sequence = message.view.sequence
        if sequence < before.view.sequence or message.edition != before.edition:  # another game
            self._recent = deque(message.recent, SETTINGS.max_replayed)
            self._viewers.restart()
            return
        new = [entry for entry in message.recent if entry.number > before.view.sequence]
        self._recent.extend(new)
        for entry in new[:-1]:
            self._viewers.send(format_change(entry.number, entry.events, None), entry.number)
        events = new[-1].events if new else []
        number = sequence if sequence > before.view.sequence else None
        moments = message.moments if number is not None else []
        self._viewers.send(format_change(sequence, events, self.view(), moments), number)

    def date_anew(self, made_s: float) -> None:
        """Take the moment at which the newest message was made, and send the viewers the clocks by it."""
        self.made_s = made_s
        self._viewers.send(format_change(self._message.view.sequence, [], self.view()))

    def show_connection(self) -> None:
        """Send the viewers whether the table's camera is watching, after the machine came or went."""
        watching = self._message.view.watching and self._is_connected()
        self._viewers.send(format_message("status", Status(watching=watching).model_dump_json()))

    def close(self) -> None:
        """Disconnect all viewers."""
        self._viewers.end()


def _clock_at(clock: ClockView | None, elapsed_s: float) -> ClockView | None:
    """Return a clock some seconds later."""
    if clock is None or not clock.running:
        return clock
    return ClockView(left_s=round(clock.left_s - elapsed_s, 3), running=True)
