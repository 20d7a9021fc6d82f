"""The camera of a table whose pictures come from a phone's browser: one phone sends, and another may take over."""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from tilesight.web.settings import SETTINGS
from vision.capture import PushedPictures

__all__ = ["OtherSenderError", "PhoneCamera", "Sender"]

RATE_SHARE = 0.1
"""Share of a new interval in the running mean of intervals between pictures; chosen."""


class OtherSenderError(Exception):
    """A picture came from a device that does not send for this table, or no longer.

    Parameters
    ----------
    sender : Sender or None
        Who sends; None if nobody does.
    """

    def __init__(self, sender: Sender | None) -> None:
        super().__init__("another device sends")
        self.sender = sender


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """The device that sends a table's pictures.

    Parameters
    ----------
    session : str
        The name of its session.
    device : str
        The browser, as it calls itself.
    address : str
        Its address; empty for this machine.
    ticket : str
        The secret that each of its pictures carries.
    picture_s : float or None
        When its last picture came, in seconds of a monotonic clock; None before the first.
    interval_s : float
        Usual seconds between two pictures; 0 before the second, and while none come.
    """

    session: str
    device: str
    address: str
    ticket: str
    picture_s: float | None = None
    interval_s: float = 0.0


class PhoneCamera:
    """A table's camera that is a phone.

    The device that began last is the one that sends. Pictures of any other are refused.

    Parameters
    ----------
    now : callable
        A monotonic time in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.source = PushedPictures("phone")
        self._now = now
        self._lock = threading.Lock()
        self._sender: Sender | None = None

    @property
    def sender(self) -> Sender | None:
        """The device that sends; None if nobody does. It has no interval while its pictures stay away."""
        sender = self._sender
        if sender is None or self._gap_s(sender) <= self.source.stall_s:
            return sender
        return replace(sender, interval_s=0.0)

    def start(self, session: str, device: str, address: str) -> str:
        """Let a device send from now on, instead of any other; return its ticket.

        Parameters
        ----------
        session : str
            The name of its session.
        device : str
            The browser, as it calls itself.
        address : str
            Its address.
        """
        ticket = secrets.token_urlsafe(12)
        with self._lock:
            self._sender = Sender(
                session=session, device=device[: SETTINGS.max_device], address=address, ticket=ticket
            )
        return ticket

    def take(self, ticket: str, picture: bytes) -> None:
        """Take a picture.

        Raises
        ------
        OtherSenderError
            If another device sends, or nobody.
        InputError
            If it is not a complete JPEG, or too large.
        """
        with self._lock:
            sender = self._check(ticket)
            self.source.put(picture)
            gap_s = self._gap_s(sender)
            usual_s = sender.interval_s or gap_s
            mean_s = usual_s + RATE_SHARE * (gap_s - usual_s)
            # After a long gap, the rate is measured anew.
            interval_s = mean_s if gap_s <= self.source.stall_s else 0.0
            self._sender = replace(sender, picture_s=self._now(), interval_s=interval_s)

    def pause(self, ticket: str, reason: str, *, is_over: bool) -> None:
        """Report that the device sends no more pictures for the moment.

        Parameters
        ----------
        ticket : str
            The ticket.
        reason : str
            Why, in a few words.
        is_over : bool
            Whether it is the camera no longer.

        Raises
        ------
        OtherSenderError
            If another device sends, or nobody.
        """
        with self._lock:
            sender = self._check(ticket)
            self._sender = None if is_over else replace(sender, interval_s=0.0, picture_s=None)
        self.source.pause(reason)

    def _gap_s(self, sender: Sender) -> float:
        return math.inf if sender.picture_s is None else self._now() - sender.picture_s

    def _check(self, ticket: str) -> Sender:
        sender = self.sender
        if sender is None or not secrets.compare_digest(sender.ticket.encode(), ticket.encode()):
            raise OtherSenderError(sender)
        return sender
