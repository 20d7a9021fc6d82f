"""What the options about brokers ask for: a publisher, a hub, or neither."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path

from tilesight.web.hub.broker import parse_broker
from tilesight.web.hub.messages import NAME
from tilesight.web.hub.publisher import Publisher
from tilesight.web.hub.remote_tables import RemoteTables
from vision.errors import SettingsError

__all__ = ["open_broker"]


def open_broker(
    publish: str | None,
    hub: str | None,
    *,
    machine: str | None = None,
    login: Path | None = None,
    authority: Path | None = None,
    notify: Callable[[str], None],
) -> tuple[Publisher | None, RemoteTables | None]:
    """Make the publisher of this machine's tables, or what takes the tables of others.

    Parameters
    ----------
    publish, hub : str or None
        The address of the broker to publish to, or of the one to show.
    machine : str, optional
        This machine's name; its host name by default.
    login, authority
        As for `parse_broker`.
    notify : callable
        Called with one line for the user.

    Raises
    ------
    SettingsError, InputError
        If the options make no sense, or a file cannot be read.
    """
    if publish is not None and hub is not None:
        raise SettingsError(
            "--publish and --hub: a hub shows the tables of others; start two programs, with two --port"
        )
    if publish is not None:
        broker = parse_broker(publish, login=login, authority=authority)
        return Publisher(broker, find_machine_name(machine), notify), None
    if machine is not None:
        raise SettingsError(f"--machine {machine}: goes with --publish ADDRESS")
    if hub is not None:
        return None, RemoteTables(parse_broker(hub, login=login, authority=authority), notify)
    for option, given in (("--broker-login", login), ("--broker-ca", authority)):
        if given is not None:
            raise SettingsError(f"{option} {given}: goes with --publish ADDRESS or --hub ADDRESS")
    return None, None


def find_machine_name(given: str | None) -> str:
    """Return the name of this machine: what is given, or what its host name gives.

    Raises
    ------
    SettingsError
        If what is given cannot be part of an address.
    """
    if given is None:
        host = re.sub("[^a-z0-9]+", "-", socket.gethostname().lower().partition(".")[0]).strip("-")
        return host[:32].strip("-") or "machine"
    if not re.fullmatch(NAME, given):
        raise SettingsError(
            f"--machine {given}: name it with up to 32 small letters, digits and dashes, such as hall-2"
        )
    return given
