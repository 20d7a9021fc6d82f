"""The limits and times of the connection to a broker."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SETTINGS", "HubSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HubSettings:
    """The limits and times of the connection to a broker; all numbers are chosen.

    Parameters
    ----------
    keep_alive_s : int
        Seconds without a message after which a client asks whether the broker is still there.
    connect_timeout_s : float
        Seconds in which a broker must answer.
    retry_s, max_retry_s : float
        Seconds before the first and between later attempts to reach a broker; they double from one to the next.
    settle_s : float
        Seconds after which a connection counts as one that lasts.
    heartbeat_s : float
        Seconds between two messages of a machine about itself.
    silence_s : float
        Seconds without such a message after which a machine counts as not connected.
    max_age_s : float
        Age in seconds of what a broker kept, beyond which a machine that is not connected is not shown.
    max_message : int
        Bytes of a message at most.
    max_recent : int
        Journal entries that are sent with a table's state, for viewers whose hub missed them.
    max_machines, max_tables : int
        Machines, and tables of one machine, that a hub shows.
    """

    keep_alive_s: int = 10
    connect_timeout_s: float = 5.0
    retry_s: float = 0.5
    max_retry_s: float = 10.0
    settle_s: float = 2.0
    heartbeat_s: float = 5.0
    silence_s: float = 16.0
    max_age_s: float = 12 * 3600.0
    max_message: int = 512_000
    max_recent: int = 50
    max_machines: int = 200
    max_tables: int = 64


SETTINGS = HubSettings()
