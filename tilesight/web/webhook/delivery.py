"""Deliver the events of all tables in their order, without making a table wait."""

from __future__ import annotations

import heapq
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scoring import Game
from tilesight.live import GameState, LiveGame, find_moments, is_final, steady_s
from tilesight.web.serializers import (
    filter_event,
    format_ending,
    serialize_match,
    serialize_moment,
)
from tilesight.web.webhook.post import Address, Answer, send_json

__all__ = ["Webhook", "WebhookSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSettings:
    """How events are delivered; all numbers are chosen.

    Parameters
    ----------
    max_waiting : int
        Events that wait for the server at most, apart from those that wait for the delay of their table; with
        more, the oldest ones are dropped.
    first_wait_s, longest_wait_s : float
        Seconds before the second try; each wait is twice the one before, up to the longest.
    timeout_s : float
        Seconds without an answer after which a try has failed.
    flush_s : float
        Seconds for which events are still sent when the program stops.
    """

    max_waiting: int = 1000
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    timeout_s: float = 10.0
    flush_s: float = 3.0


@dataclass(order=True, slots=True)
class _Delivery:
    """An entry of a journal that waits, with the moment from which viewers may know it."""

    due_s: float
    number: int
    state: GameState = field(compare=False)
    before: Game = field(compare=False)


class Webhook:
    """Sends each journal entry of the tables as JSON, in a thread; used in a ``with`` block.

    The events of a table keep their order: one that cannot be delivered is tried again before those after it.

    Parameters
    ----------
    url : str
        The address.
    secret : str
        Signs what is sent; empty for no signature.
    notify : callable
        Called with one line for the user.
    settings : WebhookSettings, optional
        How events are delivered.
    now : callable
        Seconds that no step of the computer's clock changes.

    Raises
    ------
    SettingsError
        If the address is none.
    """

    def __init__(
        self,
        url: str,
        *,
        secret: str = "",
        notify: Callable[[str], None],
        settings: WebhookSettings | None = None,
        now: Callable[[], float] = steady_s,
    ) -> None:
        self._address = Address(url)
        self._secret = secret
        self._notify = notify
        self._settings = settings or WebhookSettings()
        self._now = now
        self._run_id = secrets.token_hex(8)
        self._waiting: list[_Delivery] = []
        self._sending: _Delivery | None = None
        self._added = 0
        self._dropped = 0
        self._changed = threading.Condition()
        self._stop_s: float | None = None
        self._thread = threading.Thread(target=self._run, name="webhook", daemon=True)

    def follow(self, game: LiveGame) -> None:
        """Send the entries of a game from now on."""
        before = game.state

        def add(state: GameState) -> None:
            nonlocal before
            last, before = before, state
            if state.sequence != last.sequence:
                self._add(state, last.game)

        game.add_listener(add)

    def _add(self, state: GameState, before: Game) -> None:
        """Take in an entry; the game that it is from does not wait."""
        with self._changed:
            self._added += 1
            now_s = self._now()
            due_s = now_s + state.delay_s
            heapq.heappush(
                self._waiting, _Delivery(due_s=due_s, number=self._added, state=state, before=before)
            )
            due = sum(each.due_s <= now_s for each in self._waiting)
            for _ in range(due - self._settings.max_waiting):
                heapq.heappop(self._waiting)
                self._dropped += 1
            self._changed.notify()

    def _run(self) -> None:
        while (delivery := self._next()) is not None:
            self._deliver(delivery)

    def _next(self) -> _Delivery | None:
        """Wait for the next entry that is due; None when the program stops."""
        with self._changed:
            while not self._is_over():
                wait_s = self._waiting[0].due_s - self._now() if self._waiting else None
                if wait_s is not None and wait_s <= 0:
                    self._sending = heapq.heappop(self._waiting)
                    return self._sending
                if self._stop_s is not None:
                    return None
                self._changed.wait(wait_s)
        return None

    def _is_over(self) -> bool:
        return self._stop_s is not None and self._now() > self._stop_s

    def _deliver(self, delivery: _Delivery) -> None:
        """Send an entry, again and again until the server takes it or refuses it for good."""
        state, settings = delivery.state, self._settings
        body = {**format_delivery(state, delivery.before), "run": self._run_id}
        wait_s, has_failed = settings.first_wait_s, False
        while not self._is_over():
            answer = send_json(
                self._address,
                body,
                key=f"{state.name}-{state.sequence}-{self._run_id}",
                secret=self._secret,
                timeout_s=settings.timeout_s,
            )
            if answer.is_final:
                self._sending = None
                self._report_end(state, answer, has_failed=has_failed)
                return
            if not has_failed and not self._is_over():
                self._notify(f"webhook {self._address.host}: {answer.problem}; trying again")
            has_failed = True
            with self._changed:
                if self._stop_s is None:
                    self._changed.wait_for(lambda: self._stop_s is not None, max(wait_s, answer.wait_s))
                else:
                    self._changed.wait(min(wait_s, settings.first_wait_s))
            wait_s = min(2 * wait_s, settings.longest_wait_s)

    def _report_end(self, state: GameState, answer: Answer, *, has_failed: bool) -> None:
        reports = []
        if answer.problem:
            reports.append(
                f"{answer.problem}; entry {state.sequence} of table {state.name} is not sent again: "
                "check the address"
            )
        elif has_failed:
            reports.append("events are taken again")
        with self._changed:
            dropped, self._dropped = self._dropped, 0
        if dropped:
            reports.append(f"{dropped} events were too many to wait and are lost")
        if reports:
            self._notify(f"webhook {self._address.host}: {'; '.join(reports)}")

    def __enter__(self) -> Webhook:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._stop_s = self._now() + self._settings.flush_s
            self._changed.notify_all()
        try:
            self._thread.join(self._settings.flush_s)
        finally:  # also when Ctrl-C is pressed again
            with self._changed:
                self._stop_s = float("-inf")  # nothing more is sent, and no failure is reported
                if lost := self._dropped + len(self._waiting) + (self._sending is not None):
                    self._notify(
                        f"webhook {self._address.host}: events not delivered when the program stopped: {lost}"
                    )


def format_delivery(state: GameState, before: Game) -> dict[str, Any]:
    """Return the JSON object for an entry: what viewers may see of it, its moments, and the score.

    Parameters
    ----------
    state : GameState
        The state after the entry.
    before : Game
        The game before it.
    """
    game, won = state.game, state.match.games_won(state.game)
    moments = find_moments(before, game, [event.kind for event in state.events])
    return {
        "table": state.name,
        "sequence": state.sequence,
        "title": state.title,
        "events": [filter_event(event.to_json()) for event in state.events],
        "moments": [serialize_moment(moment, game).model_dump(mode="json") for moment in moments],
        "players": [
            {"name": name, "total": game.totals[player], "won": won[player]}
            for player, name in enumerate(game.players)
        ],
        "match": serialize_match(state).model_dump(mode="json"),
        "over": format_ending(game),
        "final": is_final(game),
    }
